# The two commands of the README are `make bench` and `make test`.

PYTHON ?= python3
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: bench test lint install calibrate schema benchmarks clean

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
