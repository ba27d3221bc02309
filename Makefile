# The two commands of the README are `make bench` and `make test`.

PYTHON ?= python3
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)

# The name of this machine's folder in results/, without host or user name.
MACHINE = $(shell $(BIN)/python -c 'from slidebench.harness.machine import cpu; print(cpu.machine_name(cpu.describe()))')
# `make history` benchmarks these commits with these compilers; for a compiler of another name:
# COMPILERS="gcc clang-19"
COMMITS ?= HEAD^!
COMPILERS ?= $(shell for compiler in gcc clang; do command -v $$compiler > /dev/null && echo $$compiler; done)

# The kernels that `make install` builds, and the extras of pyproject.toml that it installs.
KERNELS = all
EXTRAS = test,lint
# The build folder is kept, so that a second build compiles only what changed. Every compiler has its own: meson keeps
# the compiler that a folder was set up with.
BUILD = build/$(notdir $(lastword $(CC)))

.PHONY: compiler bench test test-all lint install calibrate schema instructions benchmarks history fuzz sanitize memcheck clean

# Builds the standard kernels, which a run times by default. After `make install`, which builds all kernels, it keeps
# them all.
bench: KERNELS = $(if $(wildcard $(BUILD)/build.ninja),,standard)
bench: EXTRAS = audit,report
bench: install
	slidebench run

# Skips the slow tests, which take more than about ten seconds; `make test-all` runs them too.
test: install
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal -m "not slow"

test-all: install
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal

lint: install
	.ci/words
	ruff check .
	ruff format --check .
	cython-lint kernels
	cd $(BIN) && ./mypy --config-file ../../pyproject.toml
	check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	zizmor --offline --quiet --min-severity medium .github/workflows

# Measures how often verdicts are wrong on this machine. Takes seven minutes; leave the machine idle.
calibrate: install
	slidebench calibrate

# Writes the JSON Schema of a record from its types.
schema: install
	$(BIN)/python -c 'import json, msgspec; from slidebench.harness.records.schema import Record; print(json.dumps(msgspec.json.schema(Record), indent=1))' > docs/record.schema.json

# Updates the instruction baseline that tests compare with, after a new kernel or a change that is meant to take more
# instructions.
instructions: install
	slidebench instructions --update-baseline results/instructions.json

# Times every query with pytest-benchmark, saves the run for this machine, and checks the C++ twins. To compare two runs:
#   pytest-benchmark --storage=results/pytest/MACHINE compare 0001 0002 --group-by=param:level,param:query
benchmarks: install
	python -m pytest tests/benchmarks --benchmark-autosave --benchmark-storage=results/pytest/$(MACHINE) \
	  --benchmark-columns=min,median,iqr,rounds

# Benchmarks COMMITS with asv and writes .asv/html, pages that load no script from elsewhere (checked at the end):
#   asv-tachyon serve .asv/html
history: EXTRAS = test,lint,asv
history: install
	sed "s/\[\"gcc\"\]/[$$(printf '"%s", ' $(COMPILERS))]/" asv.conf.json > asv.compilers.json
	asv machine --yes > /dev/null && asv machine --machine $(MACHINE)
	asv run --config asv.compilers.json --machine $(MACHINE) --skip-existing "$(COMMITS)"
	asv publish
	asv-tachyon install --no-backup .asv/html
	! grep -rE '(src|href)="?(https?:)?//' --include='*.html' .asv/html

# Fuzzes every parser of untrusted input with mutations of tests/fuzz/corpus; findings are kept in build/fuzz.
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?= fen epd record uci
fuzz: install
	$(BIN)/pip install --quiet ".[fuzz]" --no-build-isolation --config-settings=build-dir=$(BUILD)
	for target in $(FUZZ_TARGETS); do \
	  mkdir -p build/fuzz/$$target && nice $(BIN)/python tests/fuzz/fuzz.py $$target -print_final_stats=1 \
	    -max_total_time=$$(($(FUZZ_SECONDS) / $(words $(FUZZ_TARGETS)))) -max_len=4096 -rss_limit_mb=4096 \
	    -artifact_prefix=build/fuzz/$$target- build/fuzz/$$target tests/fuzz/corpus/$$target || exit 1; \
	done

# Kernels of the lowest level and v3, under AddressSanitizer and UndefinedBehaviorSanitizer, or under valgrind.
sanitize: install
	.ci/sanitize

memcheck: install
	.ci/memcheck

install: compiler .venv/tools
	$(BIN)/pip install --quiet --no-build-isolation --config-settings=build-dir=$(BUILD) \
	  $(if $(KERNELS),--config-settings=setup-args=-Dkernels=$(KERNELS)) ".[$(EXTRAS)]"

# Checked first, or the error is buried in twenty lines of build output.
compiler:
	@command -v $(firstword $(CC)) > /dev/null || { echo "slidebench: no C compiler $(CC): install gcc or clang \
	(Debian: apt install gcc), or choose another: CC=clang-19 make bench" >&2; exit 2; }

# setuptools and wheel build dependencies that are published as source only, such as chess: --no-build-isolation needs
# them in .venv.
.venv/tools: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])' \
	  | xargs $(BIN)/pip install --quiet setuptools wheel
	touch $@

clean:
	rm -rf .venv build .asv
