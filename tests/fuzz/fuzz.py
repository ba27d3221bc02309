"""Fuzz one target with atheris (libFuzzer): python fuzz.py TARGET [libFuzzer options and corpus folders]"""

import sys

import atheris

with atheris.instrument_imports(include=["slidebench"]):
    from targets import TARGETS

if __name__ == "__main__":
    program, target, *options = sys.argv
    atheris.Setup([program, *options], TARGETS[target])
    atheris.Fuzz()
