"""Reading records: untrusted input, migrated from older schemas, checked before anything else sees it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from slidebench.harness.errors import UserError
from slidebench.harness.records.journal import entries
from slidebench.harness.records.schema import SCHEMA_VERSION, Record
from slidebench.kernels.position import quoted

# By each older version: the step that turns a record's decoded JSON object into one of the next version.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {
    1: lambda record: record | {"method": "1"},  # builds had no init_nanoseconds and audit_sha256 either
}
# What a reader takes from a stranger. Each is far more than a run writes.
MAX_RECORD_BYTES = 64 << 20
MAX_TEXT_LENGTH = 10_000
MAX_RECORD_KERNELS = 500
# What resampling may be asked to hold; a run writes 10 launches, and stops at so many rounds.
MAX_RECORD_LAUNCHES = 1_000
MAX_RECORD_ROUNDS = 100_000


class RecordError(UserError):
    """A record that cannot be read; the message names the file and the way out."""


def read_record(path: Path) -> Record:
    """Read a record, from a stranger too: nothing in it is run, becomes a path or reaches a terminal unseen.

    One of an older schema is migrated; that of a killed run has what its journal holds. Raises RecordError if
    it is missing, not a record, unsound, or of a schema that is newer or has no migration.
    """
    content = _content(path)
    try:
        schema = msgspec.json.decode(content, type=_SchemaOnly).schema
        if schema > SCHEMA_VERSION:
            raise RecordError(
                f"{path} has record schema {schema}, this slidebench reads up to {SCHEMA_VERSION}: "
                "update slidebench"
            )
        if schema == SCHEMA_VERSION:
            record = msgspec.json.decode(content, type=Record)
        else:
            record = msgspec.convert(_migrated(content, schema, path), Record)
        fault = _unsound_text(content) or _unsound(record)
        if not fault and not record.complete:
            _add_journal(record, path)
    except (msgspec.DecodeError, RecursionError) as error:
        # The message may hold a field's name from the file.
        shown = "".join(
            each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in str(error)[:300]
        )
        raise RecordError(f"{path} is not a slidebench record: {shown}; give one from results/runs") from None
    if fault:
        raise RecordError(f"{path} is not a sound record: {fault}; give one that slidebench wrote")
    return record


def _add_journal(record: Record, path: Path) -> None:
    """Enter the samples that lie beside the record of a killed run, and not in it."""
    held = [set(zip(each.launches, each.rounds, strict=False)) for each in record.samples]
    for place, launch, round_, nanoseconds in entries(path, MAX_RECORD_BYTES):
        if place >= len(held) or (launch, round_) in held[place]:
            continue
        samples = record.samples[place]
        if samples.operations and launch < MAX_RECORD_LAUNCHES and len(samples.rounds) < MAX_RECORD_ROUNDS:
            held[place].add((launch, round_))
            samples.launches.append(launch)
            samples.rounds.append(round_)
            samples.cpu_nanoseconds.append(nanoseconds)


def _migrated(content: bytes, schema: int, path: Path) -> dict[str, Any]:
    """The JSON object of an older record, taken to today's schema one version at a time."""
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


class _SchemaOnly(msgspec.Struct):
    schema: int


def _content(path: Path) -> bytes:
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise RecordError(f"cannot read {path}: not a file; give a record from results/runs")
        with path.open("rb") as file:
            content = file.read(MAX_RECORD_BYTES + 1)
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}; give a record from results/runs") from None
    if len(content) > MAX_RECORD_BYTES:
        raise RecordError(
            f"{path} is larger than {MAX_RECORD_BYTES >> 20} MiB; give a record from results/runs"
        )
    return content


def _unsound_text(content: bytes) -> str | None:
    """What a text has that could take over a terminal or choke a chart; None if all are plain.

    A failure alone may have several lines: it shows boards.
    """
    for failure, quoted_text in re.findall(rb'("failure"\s*:\s*)?("(?:[^"\\]|\\.)*")', content):
        text = msgspec.json.decode(quoted_text, type=str)
        if len(text) > MAX_TEXT_LENGTH:
            return f"a text of more than {MAX_TEXT_LENGTH} letters"
        if not (text.replace("\n", "") if failure else text).isprintable():
            return f"an unprintable character in {quoted(text)}"
    return None


def _unsound(record: Record) -> str | None:
    """What does not fit together in a record, or None."""
    if not re.fullmatch("[0-9]{8}T[0-9]{6}Z", record.started_utc):
        return f"started_utc is {quoted(record.started_utc)}"
    if not re.fullmatch("[0-9a-z]{1,64}", record.commit):
        return f"commit is {quoted(record.commit)}"
    for each in record.samples:
        if not len(each.launches) == len(each.rounds) == len(each.cpu_nanoseconds):
            return f"launches, rounds and times of {quoted(each.kernel)} differ in number"
        if len(each.rounds) > MAX_RECORD_ROUNDS:
            return f"{len(each.rounds)} samples of {quoted(each.kernel)}, more than {MAX_RECORD_ROUNDS}"
        if len(set(each.launches)) > MAX_RECORD_LAUNCHES:
            return f"{len(set(each.launches))} launches of {quoted(each.kernel)}, more than {MAX_RECORD_LAUNCHES}"
        if each.operations < (1 if each.rounds else 0):
            return f"{each.operations} operations of {quoted(each.kernel)}"
    kernels = {(each.kernel, each.level, each.popcount) for each in record.samples}
    return (
        f"{len(kernels)} kernels, more than {MAX_RECORD_KERNELS}"
        if len(kernels) > MAX_RECORD_KERNELS
        else None
    )
