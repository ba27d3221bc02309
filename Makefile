# The two commands of the README are `make bench` and `make test`.

PYTHON ?= python3
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: bench test lint install calibrate schema benchmarks fuzz sanitize memcheck clean

bench: install
	slidebench run

test: install
	$(BIN)/python -m pytest

lint: install
	ruff check .
	ruff format --check .
	cython-lint kernels
	cd $(BIN) && ./mypy --config-file ../../pyproject.toml

# Whether verdicts can be trusted on this machine: about ten minutes, best left alone.
calibrate: install
	slidebench calibrate

# The JSON Schema of a record, from the code.
schema: install
	$(BIN)/python -c 'import json, msgspec; from slidebench.harness.records import Record; print(json.dumps(msgspec.json.schema(Record), indent=1))' > docs/record.schema.json

# pytest-benchmark over the lookups, saved for this machine; compare two runs with `pytest-benchmark compare`.
benchmarks: install
	$(BIN)/python -m pytest tests/benchmarks --benchmark-autosave --benchmark-storage=results/pytest

# What reads strangers' input, fed with mutations of tests/fuzz/corpus. What is found stays in build/fuzz.
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?= fen epd record uci
fuzz: install
	$(BIN)/pip install --quiet ".[fuzz]" --no-build-isolation --config-settings=build-dir=build
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

# The build folder is kept, so a second run compiles only what changed.
install: .venv/tools
	$(BIN)/pip install --quiet --no-build-isolation --config-settings=build-dir=build ".[test,lint]"

.venv/tools: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])' \
	  | xargs $(BIN)/pip install --quiet
	touch $@

clean:
	rm -rf .venv build
