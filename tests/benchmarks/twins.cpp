// The three most used kernels once more, as plain C++ without any of the project's code: what a kernel written in
// Cython is compared with. test_twins.py compiles this with the kernel's own flags.

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <initializer_list>
#ifdef __BMI2__
#include <immintrin.h>
#endif

#define KEEP(value) asm volatile("" : "+r"(value))

using Bitboard = uint64_t;

namespace {

enum Piece { ROOK, BISHOP, QUEEN };

const int STEPS[2][4][2] = {{{0, 1}, {0, -1}, {1, 0}, {-1, 0}}, {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}};

Bitboard bit(int square) { return Bitboard(1) << square; }

// Squares from `square` up to the first blocker; with `inner`, without the last square before the edge.
Bitboard walk(Piece piece, int square, Bitboard occupied, bool inner = false) {
    Bitboard reached = 0;
    for (const auto& step : STEPS[piece]) {
        auto on_board = [](int file, int rank) { return file >= 0 && file < 8 && rank >= 0 && rank < 8; };
        int file = square % 8 + step[0], rank = square / 8 + step[1];
        for (; on_board(file, rank); file += step[0], rank += step[1]) {
            if (inner && !on_board(file + step[0], rank + step[1])) break;
            reached |= bit(8 * rank + file);
            if (occupied & bit(8 * rank + file)) break;
        }
    }
    return reached;
}

Bitboard table[102400 + 5248];

template <class Each>
void for_each_subset(Bitboard mask, Each each) {
    Bitboard subset = 0;
    do each(subset);
    while ((subset = (subset - mask) & mask));
}

struct MagicFancy {
    struct Entry {
        Bitboard mask, magic;
        Bitboard* attacks;
        uint64_t shift;
        size_t index(Bitboard occupied) const { return ((occupied & mask) * magic) >> shift; }
    };
    static inline Entry entries[2][64];

    static Bitboard attacks(Piece piece, int square, Bitboard occupied) {
        const Entry& entry = entries[piece][square];
        return entry.attacks[entry.index(occupied)];
    }

    static void initialise() {
        uint64_t state = 20260101;
        auto random = [&state] {  // xorshift64* (Vigna, 2014)
            state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
            return state * 2685821657736338717ULL;
        };
        Bitboard* next = table;
        for (Piece piece : {ROOK, BISHOP})
            for (int square = 0; square < 64; square++) {
                Bitboard mask = walk(piece, square, 0, true);
                int bits = __builtin_popcountll(mask);
                Entry& entry = entries[piece][square] = {mask, 0, next, uint64_t(64 - bits)};
                for (bool fits = false; !fits;) {  // sparse random numbers, until one maps without collision
                    entry.magic = random() & random() & random();
                    fits = true;
                    for (int i = 0; i < 1 << bits; i++) next[i] = 0;
                    for_each_subset(mask, [&](Bitboard subset) {
                        if (!fits) return;
                        Bitboard expected = walk(piece, square, subset), &stored = next[entry.index(subset)];
                        fits = stored == 0 || stored == expected;
                        stored = expected;
                    });
                }
                next += 1 << bits;
            }
    }
};

#ifdef __BMI2__
struct Pext {
    struct Entry {
        Bitboard mask;
        Bitboard* attacks;
    };
    static inline Entry entries[2][64];

    static Bitboard attacks(Piece piece, int square, Bitboard occupied) {
        const Entry& entry = entries[piece][square];
        return entry.attacks[_pext_u64(occupied, entry.mask)];
    }

    static void initialise() {
        Bitboard* next = table;
        for (Piece piece : {ROOK, BISHOP})
            for (int square = 0; square < 64; square++) {
                Bitboard mask = walk(piece, square, 0, true);
                entries[piece][square] = {mask, next};
                for_each_subset(mask, [&](Bitboard subset) {
                    next[_pext_u64(subset, mask)] = walk(piece, square, subset);
                });
                next += 1 << __builtin_popcountll(mask);
            }
    }
};
#endif

struct Hyperbola {
    struct Lines {
        Bitboard square, file, diagonal, antidiagonal;  // the lines without the square itself
    };
    static inline Lines lines[64];
    static inline uint8_t rank_attacks[64][8];  // by the six inner bits of the rank, and file

    static Bitboard line(Bitboard square, Bitboard mask, Bitboard occupied) {
        Bitboard forward = occupied & mask, backward = __builtin_bswap64(forward);
        forward -= square, backward -= __builtin_bswap64(square);
        return (forward ^ __builtin_bswap64(backward)) & mask;
    }

    static Bitboard attacks(Piece piece, int square, Bitboard occupied) {
        const Lines& on = lines[square];
        if (piece == BISHOP)
            return line(on.square, on.diagonal, occupied) | line(on.square, on.antidiagonal, occupied);
        int rank = square & 56;
        Bitboard along = Bitboard(rank_attacks[(occupied >> (rank + 1)) & 63][square & 7]) << rank;
        return along | line(on.square, on.file, occupied);
    }

    static void initialise() {
        for (int square = 0; square < 64; square++) {
            lines[square] = {bit(square), 0, 0, 0};
            for (int other = 0; other < 64; other++) {
                int files = other % 8 - square % 8, ranks = other / 8 - square / 8;
                if (other == square) continue;
                if (files == 0) lines[square].file |= bit(other);
                if (files == ranks) lines[square].diagonal |= bit(other);
                if (files == -ranks) lines[square].antidiagonal |= bit(other);
            }
        }
        for (int inner = 0; inner < 64; inner++)
            for (int file = 0; file < 8; file++)
                rank_attacks[inner][file] = walk(ROOK, file, Bitboard(inner) << 1) & 255;
    }
};

template <class Slider>
inline __attribute__((always_inline)) Bitboard query(Piece piece, int square, Bitboard occupied) {
    if (piece != QUEEN) return Slider::attacks(piece, square, occupied);
    return Slider::attacks(ROOK, square, occupied) | Slider::attacks(BISHOP, square, occupied);
}

struct Stream {
    const uint8_t* squares;
    const Bitboard* occupied;
    ptrdiff_t length, passes;
    Bitboard zero;  // 0, but the compiler does not know
};

template <class Slider, Piece piece>
__attribute__((noinline)) void throughput(const Stream& stream) {
    for (ptrdiff_t pass = 0; pass < stream.passes; pass++)
        for (ptrdiff_t i = 0; i < stream.length; i++) {
            Bitboard attacks = query<Slider>(piece, stream.squares[i], stream.occupied[i]);
            KEEP(attacks);
        }
}

template <class Slider, Piece piece>
__attribute__((noinline)) void latency(const Stream& stream) {
    Bitboard attacks = 0;
    for (ptrdiff_t pass = 0; pass < stream.passes; pass++)
        for (ptrdiff_t i = 0; i < stream.length; i++) {
            attacks = query<Slider>(piece, stream.squares[i] ^ int(attacks & stream.zero), stream.occupied[i]);
            KEEP(attacks);
        }
}

int64_t thread_nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

using Loop = void (*)(const Stream&);
template <class Slider>
constexpr Loop LOOPS[2][3] = {
    {throughput<Slider, ROOK>, throughput<Slider, BISHOP>, throughput<Slider, QUEEN>},
    {latency<Slider, ROOK>, latency<Slider, BISHOP>, latency<Slider, QUEEN>},
};

}  // namespace

extern "C" const char* compiler() {
#ifdef __clang__
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

extern "C" void initialise() { TWIN::initialise(); }

extern "C" Bitboard attacks(int piece, int square, Bitboard occupied) {
    return query<TWIN>(Piece(piece), square, occupied);
}

// Thread CPU nanoseconds of `passes` over the stream.
extern "C" int64_t timed(int piece, int latency, const uint8_t* squares, const Bitboard* occupied, ptrdiff_t length,
                         ptrdiff_t passes, Bitboard zero) {
    Stream stream{squares, occupied, length, passes, zero};
    int64_t start = thread_nanoseconds();
    LOOPS<TWIN>[latency][piece](stream);
    return thread_nanoseconds() - start;
}
