# The two commands of the README are `make bench` and `make test`.

PYTHON ?= python3
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)

# The folder of this machine's results; it names no owner.
MACHINE = $(shell $(BIN)/python -c 'from slidebench.harness import cpu; print(cpu.machine_name(cpu.describe()))')
# What `make history` benchmarks: the last commit, with each compiler there is. Another name: COMPILERS="gcc clang-19"
COMMITS ?= HEAD^!
COMPILERS ?= $(shell for each in gcc clang; do command -v $$each > /dev/null && echo $$each; done)

# What `make install` builds, and with which extras of pyproject.toml.
KERNELS = all
EXTRAS = test,lint
# Kept, so that a second run compiles only what changed; one for each compiler, or the first would stay.
BUILD = build/$(notdir $(lastword $(CC)))

.PHONY: compiler bench test test-all lint install calibrate schema instructions benchmarks history fuzz sanitize memcheck clean

# Builds what a run times unless told otherwise, in two to three minutes; after `make install`, which builds every kernel
# and takes six, it leaves them all in place.
bench: KERNELS = $(if $(wildcard $(BUILD)/build.ninja),,standard)
bench: EXTRAS = audit,report
bench: install
	slidebench run

# All but what takes more than about ten seconds a test; `make test-all` runs those too.
test: install
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal -m "not slow"

test-all: install
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal

lint: install
	ruff check .
	ruff format --check .
	cython-lint kernels
	cd $(BIN) && ./mypy --config-file ../../pyproject.toml
	check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	zizmor --offline --quiet --min-severity medium .github/workflows

# Whether verdicts can be trusted on this machine: seven minutes, best left alone.
calibrate: install
	slidebench calibrate

# The JSON Schema of a record, from the code.
schema: install
	$(BIN)/python -c 'import json, msgspec; from slidebench.harness.records.schema import Record; print(json.dumps(msgspec.json.schema(Record), indent=1))' > docs/record.schema.json

# The table that tests compare with: after a change that is meant to take more instructions.
instructions: install
	slidebench instructions --update-baseline results/instructions.json

# Every lookup with pytest-benchmark, saved for this machine, and the C++ twins. To compare two runs:
#   pytest-benchmark --storage=results/pytest/MACHINE compare 0001 0002 --group-by=param:level,param:query
benchmarks: install
	python -m pytest tests/benchmarks --benchmark-autosave --benchmark-storage=results/pytest/$(MACHINE) \
	  --benchmark-columns=min,median,iqr,rounds

# COMMITS with asv; then .asv/html, pages whose scripts are their own: asv-tachyon serve .asv/html
history: EXTRAS = test,lint,asv
history: install
	sed "s/\[\"gcc\"\]/[$$(printf '"%s", ' $(COMPILERS))]/" asv.conf.json > asv.compilers.json
	asv machine --yes > /dev/null && asv machine --machine $(MACHINE)
	asv run --config asv.compilers.json --machine $(MACHINE) --skip-existing "$(COMMITS)"
	asv publish
	asv-tachyon install --no-backup .asv/html
	! grep -rE '(src|href)="?(https?:)?//' --include='*.html' .asv/html

# What reads strangers' input, fed with mutations of tests/fuzz/corpus. What is found stays in build/fuzz.
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?= fen epd record uci
fuzz: install
	$(BIN)/pip install --quiet ".[fuzz]" --no-build-isolation --config-settings=build-dir=$(BUILD)
	for target in $(FUZZ_TARGETS); do \
	  mkdir -p build/fuzz/$$target && nice $(BIN)/python tests/fuzz/fuzz.py $$target -print_final_stats=1 \
	    -max_total_time=$$(($(FUZZ_SECONDS) / $(words $(FUZZ_TARGETS)))) -max_len=4096 -rss_limit_mb=4096 \
	    -artifact_prefix=build/fuzz/$$target- build/fuzz/$$target tests/fuzz/corpus/$$target || exit 1; \
	done

# The lowest level and v3 under AddressSanitizer and UndefinedBehaviorSanitizer, then a short perft under memcheck.
sanitize: install
	.ci/sanitize

memcheck: install
	.ci/memcheck

install: compiler .venv/tools
	$(BIN)/pip install --quiet --no-build-isolation --config-settings=build-dir=$(BUILD) \
	  $(if $(KERNELS),--config-settings=setup-args=-Dkernels=$(KERNELS)) ".[$(EXTRAS)]"

# Or what is missing would be named in the midst of twenty lines of other programs.
compiler:
	@command -v $(firstword $(CC)) > /dev/null || { echo "slidebench: no C compiler called $(CC); install gcc or clang \
	(Debian: apt install gcc), or name one: CC=clang-19 make bench" >&2; exit 2; }

# setuptools and wheel are for dependencies that come as source only, such as chess: nothing is built in isolation.
.venv/tools: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])' \
	  | xargs $(BIN)/pip install --quiet setuptools wheel
	touch $@

clean:
	rm -rf .venv build .asv
