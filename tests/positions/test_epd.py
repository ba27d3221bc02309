"""Perft suites are read line by line: a faulty line is reported and the rest still counts."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import ROOT

from slidebench.harness.positions.epd import EpdError, EpdFault, EpdLine, read_epd
from slidebench.kernels.position import START, parse_fen

KINGS = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
DOCUMENTED = re.findall(
    r"^\| (.+) \| `(.+)` \| `(.+)` \|$",
    ROOT.joinpath("docs/input.md").read_text("utf-8").partition("## Perft suites")[2],
    re.MULTILINE,
)


def read_line(text: str) -> EpdLine | EpdFault:
    (line,) = read_epd(text)
    return line


def depths(text: str) -> dict[int, int]:
    line = read_line(text)
    assert isinstance(line, EpdLine), line
    return line.depths


def fault(text: str) -> str:
    line = read_line(text)
    assert isinstance(line, EpdFault), line
    return line.message


@pytest.mark.parametrize(
    "operations",
    [
        " ;D1 20 ;D2 400",
        ";D1 20;D2 400",
        "; D1 20; D2 400",
        "; D1 20; D2 400; ",
        " D1 20; D2 400;",
        "\t;\tD1\t20\t;\tD2  400\t",
        ";;D2 400;;D1 20;;",
        ';id "a; D3 5"; D1 20; bm e4 d4; c0 "x"; D2 400',
        "; D1 020; D02 400",
        "\r\n",
    ],
)
def test_every_published_way_to_write_operations_reads_the_same(operations: str) -> None:
    expected = {1: 20, 2: 400} if "D" in operations else {}
    assert depths(START + operations) == expected
    assert depths(START.removesuffix(" 0 1") + operations) == expected


def test_a_line_keeps_its_text_and_position() -> None:
    line = read_line("  8/5kpp/8/8/1p3P2/6PP/r3KP2/1R1q4 w - -  0 1; D4 23441\r\n")
    fen = "8/5kpp/8/8/1p3P2/6PP/r3KP2/1R1q4 w - -  0 1"
    assert line == EpdLine(1, fen, parse_fen(fen), {4: 23441})


def test_startpos_names_the_start_position() -> None:
    assert read_line("startpos ;D1 20") == EpdLine(1, "startpos", parse_fen(START), {1: 20})


def test_comments_and_blank_lines_are_skipped_and_counted() -> None:
    text = f"# perft\n\n{START} ;D1 20\r\n \t\n  # more\n{KINGS}\n8/2N3p1/5b2/k1B2P2/pP4R1/8/K1nn4/8 b - b3\r"
    assert [(line.line_number, type(line)) for line in read_epd(text)] == [
        (3, EpdLine),
        (6, EpdLine),
        (7, EpdLine),
    ]


def test_a_faulty_line_does_not_end_the_reading() -> None:
    impossible = "8/P7/8/k7/8/K7/8/8 w KQkq - 0 1 ;D1 7 ;D2 22 ;D3 249 ;D4 1249 ;D5 17513 ;D6 84941"
    first, second, third = read_epd(f"{impossible}\n{KINGS} ;D1 x\n{KINGS} ;D1 5\n")
    assert str(first) == "line 1: castling: K without the white king on rank 1: remove K"
    assert str(second) == "line 2: invalid operation 'D1 x': expected D1 to D64 and a node count below 2^64"
    assert third == EpdLine(3, KINGS, parse_fen(KINGS), {1: 5})


@pytest.mark.parametrize(
    "operation",
    [
        "D1", "D", "D 1 20", "Dx 20", "D1x", "D0 1", "D00 1", "D-1 5", "D+1 5", "D1.0 20", "D100 20",
        "D\u0661 20", "D1 \u0662\u0660", "D1 20\u00b2", "D1\u00a020", "D1\u200720", "x\u0662 1",
        "D3 8.902", "D3 8,902", "D3 8 902",
        "D1 x", "D1 20.0", "D1 +20", "D1 -20", "D1 1_000", "D1 1,000", "D1 1 000", "D1 1e3", "D1 0x14",
        "D1 inf", "D1 18446744073709551616", "D1 1" + 30 * "0", "D1 " + 5000 * "9",
        "D1 20 D2 400", "D1 20, D2 400", "D1 20 # first", "d1 20", "perft 1 20", "inf", "1e+234", "5", "-",
        "hmvc 3", "fmvn 2", "id", "id ", "bm",
        '"D1 20"', 'D1 "20"', '"D1" 20', 'id "x" y', 'id x "y"', 'id "x"y', 'id "x" D1 20',
    ],
)  # fmt: skip
def test_an_operation_other_than_a_plain_count_is_a_fault_of_its_line(operation: str) -> None:
    message = fault(f"{KINGS} ;D2 5;{operation}")
    assert message.startswith("invalid operation '")
    assert message.isascii() and message.isprintable()


def test_counts_up_to_64_bits_and_depths_up_to_64_are_read() -> None:
    assert depths(f"{KINGS} ;D64 {2**64 - 1} ;D1 0") == {64: 2**64 - 1, 1: 0}


def test_a_depth_given_twice_is_a_fault_even_if_the_counts_agree() -> None:
    assert fault(f"{KINGS} ;D1 5 ;D01 5").startswith("second count for D1: ")


@pytest.mark.parametrize(
    "operations",
    [';D1 20"', ';"D1 20', '";D1 20', ';D1" 20', ';c0 "note ;D1 21 ;id "x" ;D2 400', ';id "open', ';D1 20;"'],
)
def test_an_unclosed_quote_is_a_fault_and_hides_no_count(operations: str) -> None:
    assert fault(f"{START} {operations}").startswith("unclosed quote: ")


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(['"', ";", " ", "D1 20", "D2 400", "id", "c0", "x"]), max_size=12).map("".join)
)
def test_every_count_outside_quotes_is_read_or_the_line_is_a_fault(operations: str) -> None:
    line = read_line(f"{START};{operations}")
    if isinstance(line, EpdLine):
        plain = re.sub('"[^"]*"', "", operations).split(";")
        assert line.depths.keys() == {int(text.strip()[1]) for text in plain if text.strip().startswith("D")}


@pytest.mark.parametrize("text", ["inf", "1e+234", "D1", "D1 20", ";D1 20", ";", "rnbqkbnr ;D1 20"])
def test_operations_without_a_position_are_a_fault(text: str) -> None:
    assert fault(text).startswith("board: ")


@pytest.mark.parametrize(
    ("fen", "field"),
    [
        ("8/3K4/2p5/p2b2r1/5k2/8/8/1q6 b - 1 67", "en passant"),
        ("8/2k5/1p6/p4p1p/P1Pb1P2/3N3P/5P2/3K4 w - -2 44", "en passant"),
        ("4k3/8/8/8/8/8/8/4K3 w - - -2 44", "halfmove clock"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0", "fullmove number"),
        ("4k3/8/8/8/8/8/8/4K3 w -", "en passant"),
        ("4k3/8/8/8/8/8/8/4K3", "side to move"),
    ],
)
@pytest.mark.parametrize("operations", ["", " ;D1 5", ";D1 5"])
def test_a_field_missing_before_the_operations_is_named(fen: str, field: str, operations: str) -> None:
    assert fault(fen + operations).startswith(f"{field}: ")


@pytest.mark.parametrize("text", [f"{KINGS} \0;D1 5", "# \0\n", f'{KINGS} ;id "\0"', "\0", "4k3\0"])
def test_a_nul_byte_is_reported_with_its_column(text: str) -> None:
    assert fault(text).startswith(f"NUL byte after {text.index(chr(0))} characters: ")


@pytest.mark.parametrize("text", [f"{KINGS}\r;D1 5", f"# c\r{KINGS} ;D1 9", f"{KINGS} ;D1 5\r;D2 9"])
def test_a_carriage_return_within_a_line_is_a_fault_of_that_line(text: str) -> None:
    first, second = read_epd(f"{text}\n{KINGS} ;D1 5\r\n")
    assert isinstance(first, EpdFault) and (first.line_number, second.line_number) == (1, 2)
    assert first.message.startswith(f"carriage return after {text.index(chr(13))} characters: ")
    assert isinstance(second, EpdLine)


@pytest.mark.parametrize(("what", "text", "message"), DOCUMENTED)
def test_a_documented_fault_has_the_documented_message(what: str, text: str, message: str) -> None:
    assert fault(text) == message, what


def test_many_pieces_are_read_only_when_lenient() -> None:
    fen = "kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1"
    assert fault(f"{fen} ;D1 270").startswith("board: 28 white pieces")
    (line,) = read_epd(f"{fen} ;D1 270", lenient=True)
    assert line == EpdLine(1, fen, parse_fen(fen, lenient=True), {1: 270})


@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf"])
def test_a_file_reads_like_its_text_with_or_without_a_byte_order_mark(tmp_path: Path, prefix: bytes) -> None:
    path = tmp_path / "suite.epd"
    text = f"# caf\u00e9\r\n{START} ;D1 20\r\n\r\n{KINGS} ;D1\0 5\r\n"
    path.write_bytes(prefix + text.encode())
    assert list(read_epd(path)) == list(read_epd(text))


def test_bytes_that_are_not_text_are_a_fault_of_their_line_only(tmp_path: Path) -> None:
    path = tmp_path / "suite.epd"
    path.write_bytes(f"{KINGS} ;D1 5".encode() + b"\xff\n" + f"{KINGS} ;D1 5\n".encode())
    first, second = read_epd(path)
    assert isinstance(first, EpdFault) and r"\ufffd" in first.message
    assert isinstance(second, EpdLine)


def test_a_utf_16_file_is_all_faults_and_no_positions(tmp_path: Path) -> None:
    path = tmp_path / "suite.epd"
    path.write_text(f"{KINGS} ;D1 5\n{START} ;D1 20\n", "utf-16")
    lines = list(read_epd(path))
    assert lines and all(isinstance(line, EpdFault) and "NUL" in line.message for line in lines)


def test_an_empty_suite_holds_nothing() -> None:
    assert list(read_epd("")) == []


def test_a_file_that_cannot_be_opened_is_named_at_once(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.epd", tmp_path):
        with pytest.raises(EpdError, match=f"^cannot read {re.escape(str(path))} "):
            read_epd(path)


def test_input_that_never_ends_is_refused() -> None:
    with pytest.raises(EpdError, match=r"^/dev/zero is larger than 64 MiB"):
        read_epd(Path("/dev/zero"))


@settings(deadline=None)
@given(st.text() | st.text('4k3/8K w-;D1 20"#\n\r\t\0x', max_size=80), st.booleans())
def test_arbitrary_text_yields_faults_with_rising_line_numbers_and_never_raises(
    text: str, after: bool
) -> None:
    numbers = [line.line_number for line in read_epd(f"{KINGS} ;{text}" if after else text)]
    assert numbers == sorted(set(numbers))
