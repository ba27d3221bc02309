"""Reading records, which are untrusted input: migrate older schemas, and check everything before use."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from slidebench.harness.errors import UserError
from slidebench.harness.records.journal import entries
from slidebench.harness.records.schema import SCHEMA_VERSION, Record, Samples
from slidebench.kernels.position import quoted

EXPECTED = "expected a record such as those in results/runs"


def _with_method(record: dict[str, Any]) -> dict[str, Any]:
    """From schema 1, which had no method; init_nanoseconds and audit_sha256 of its builds stay None."""
    return record | {"method": "1"}


def _with_details(record: dict[str, Any]) -> dict[str, Any]:
    """From schema 2, which had warnings by name only."""
    names = record.get("warnings", [])
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise TypeError("warnings must be names")
    return record | {"warnings": [{"name": name} for name in names]}


# By schema version: the step that takes a record's decoded JSON object to the next version.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _with_method, 2: _with_details}

# Limits on untrusted records, all far above what a run writes.
MAX_RECORD_BYTES = 64 << 20
MAX_TEXT_LENGTH = 10_000
MAX_RECORD_KERNELS = 500
# Limits on the memory that resampling takes. A run has 10 launches, and stops at this number of rounds.
MAX_RECORD_LAUNCHES = 1_000
MAX_RECORD_ROUNDS = 100_000


class RecordError(UserError):
    """A record that cannot be read; the message names the file and what was expected."""


def read_record(path: Path) -> Record:
    """Read an untrusted record: nothing in it is executed, used as a path or printed unescaped.

    A record of an older schema is migrated; the record of a killed run is completed from its journal.
    Raises RecordError if the file cannot be read, is not a record, is inconsistent, or has a schema that is
    too new or cannot be migrated.
    """
    content = _content(path)
    try:
        record = _decoded(content, path)
        problem = _text_problem(content) or _problem(record)
    except (msgspec.DecodeError, RecursionError) as error:
        raise RecordError(
            f"{path} is not a slidebench record ({_printable(str(error))}): {EXPECTED}"
        ) from None
    if problem:
        raise RecordError(f"{path} is not a sound record ({problem}): expected one that slidebench wrote")
    if not record.complete:
        _add_journal(record, path)
    return record


def _content(path: Path) -> bytes:
    """The bytes of a regular file. Raises RecordError if it is none, cannot be read or is too large."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise RecordError(f"cannot read {path} (not a file): {EXPECTED}")
        with path.open("rb") as file:
            content = file.read(MAX_RECORD_BYTES + 1)
    except OSError as error:
        raise RecordError(f"cannot read {path} ({error.strerror}): {EXPECTED}") from None
    if len(content) > MAX_RECORD_BYTES:
        raise RecordError(f"{path} is larger than {MAX_RECORD_BYTES >> 20} MiB: {EXPECTED}")
    return content


class _SchemaOnly(msgspec.Struct):
    schema: int


def _decoded(content: bytes, path: Path) -> Record:
    """The record in `content`, migrated. Raises msgspec.DecodeError, RecursionError or RecordError."""
    schema = msgspec.json.decode(content, type=_SchemaOnly).schema
    if schema > SCHEMA_VERSION:
        raise RecordError(
            f"{path} has record schema {schema}, and this slidebench reads up to {SCHEMA_VERSION}: "
            "update slidebench"
        )
    if schema == SCHEMA_VERSION:
        return msgspec.json.decode(content, type=Record)
    return msgspec.convert(_migrated(content, schema, path), Record)


def _migrated(content: bytes, schema: int, path: Path) -> dict[str, Any]:
    """The JSON object of an older record, taken to the current schema one version at a time."""
    versions = range(schema, SCHEMA_VERSION)
    if not all(version in MIGRATIONS for version in versions):
        raise RecordError(f"{path} has record schema {schema}, which cannot be migrated: measure again")
    data = msgspec.json.decode(content, type=dict[str, Any])
    for version in versions:
        try:
            data = MIGRATIONS[version](data) | {"schema": version + 1}
        except (LookupError, TypeError, AttributeError) as error:
            raise msgspec.DecodeError(f"it is not of schema {version}: {error}") from None
    return data


def _printable(text: str) -> str:
    """The text's beginning, without unprintable characters: an error may quote a field name from the file."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text[:300])


def _add_journal(record: Record, path: Path) -> None:
    """Add the samples in a killed run's journal that its record does not have.

    Limits hold for each benchmark: what exceeds them is skipped, as are benchmarks without a batch size.
    """
    recorded = [set(zip(samples.launches, samples.rounds, strict=True)) for samples in record.samples]
    for number, launch, round_, nanoseconds in entries(path, MAX_RECORD_BYTES):
        if number >= len(recorded) or (launch, round_) in recorded[number]:
            continue
        samples = record.samples[number]
        if samples.operations and launch < MAX_RECORD_LAUNCHES and len(samples.rounds) < MAX_RECORD_ROUNDS:
            recorded[number].add((launch, round_))
            samples.launches.append(launch)
            samples.rounds.append(round_)
            samples.cpu_nanoseconds.append(nanoseconds)


def _text_problem(content: bytes) -> str | None:
    """What text in a record could take over a terminal or choke a chart; None if all is plain.

    Only a failure may have several lines, since it shows boards.
    """
    for failure, quoted_text in re.findall(rb'("failure"\s*:\s*)?("(?:[^"\\]|\\.)*")', content):
        text = msgspec.json.decode(quoted_text, type=str)
        if len(text) > MAX_TEXT_LENGTH:
            return f"a text of more than {MAX_TEXT_LENGTH} characters"
        if not (text.replace("\n", "") if failure else text).isprintable():
            return f"an unprintable character in {quoted(text)}"
    return None


def _problem(record: Record) -> str | None:
    """What is inconsistent in a record or beyond the limits; None if it is sound."""
    if not re.fullmatch("[0-9]{8}T[0-9]{6}Z", record.started_utc):
        return f"started_utc is {quoted(record.started_utc)}"
    if not re.fullmatch("[0-9a-z]{1,64}", record.commit):
        return f"commit is {quoted(record.commit)}"
    kernels = {samples.choice for samples in record.samples}
    if len(kernels) > MAX_RECORD_KERNELS:
        return f"{len(kernels)} kernels, more than {MAX_RECORD_KERNELS}"
    return next(filter(None, map(_samples_problem, record.samples)), None)


def _samples_problem(samples: Samples) -> str | None:
    kernel = quoted(samples.kernel)
    if not len(samples.launches) == len(samples.rounds) == len(samples.cpu_nanoseconds):
        return f"launches, rounds and times of {kernel} differ in number"
    if len(samples.rounds) > MAX_RECORD_ROUNDS:
        return f"{len(samples.rounds)} samples of {kernel}, more than {MAX_RECORD_ROUNDS}"
    launches = len(set(samples.launches))
    if launches > MAX_RECORD_LAUNCHES:
        return f"{launches} launches of {kernel}, more than {MAX_RECORD_LAUNCHES}"
    if samples.operations < (1 if samples.rounds else 0):
        return f"{samples.operations} operations of {kernel}"
    return None
