"""Figures that others measured, from `published.toml`: they explain records and never replace one."""

import tomllib
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec


class PublishedFigure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One number about one CPU: `source` is an address, `where` the place in it, `label` its class."""

    cpu: str
    quantity: str
    value: float
    unit: str
    where: str = ""
    note: str = ""
    label: Literal["published", "interpolated"]
    source: str
    read: date


class _Source(msgspec.Struct, forbid_unknown_fields=True):
    url: str
    read: date
    label: Literal["published", "interpolated"] = msgspec.field(name="class")
    figures: list[dict[str, str | float]]


@cache
def figures() -> tuple[PublishedFigure, ...]:
    """Every figure of the file, in its order."""
    text = (files("slidebench.harness.analysis") / "published.toml").read_text("utf-8")
    sources = msgspec.convert(tomllib.loads(text)["source"], list[_Source])
    return tuple(
        msgspec.convert(
            {**figure, "label": source.label, "source": source.url, "read": source.read}, PublishedFigure
        )
        for source in sources
        for figure in source.figures
    )


def cpus() -> tuple[str, ...]:
    """The microarchitectures with published figures, named as in records."""
    return tuple(dict.fromkeys(figure.cpu for figure in figures()))
