"""Bounded types: limits on the values in an untrusted record, checked as it is decoded."""

from typing import Annotated

import msgspec

MAX_INT64 = (1 << 63) - 1

Whole = Annotated[int, msgspec.Meta(ge=0, le=MAX_INT64)]
Signed = Annotated[int, msgspec.Meta(ge=-MAX_INT64, le=MAX_INT64)]
Measure = Annotated[float, msgspec.Meta(ge=0)]
Sentence = Annotated[str, msgspec.Meta(max_length=200)]
