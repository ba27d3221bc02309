"""Types of a record's numbers: what a stranger's file may hold is bounded where it is read."""

from typing import Annotated

import msgspec

MOST = (1 << 63) - 1

Whole = Annotated[int, msgspec.Meta(ge=0, le=MOST)]
Signed = Annotated[int, msgspec.Meta(ge=-MOST, le=MOST)]
Measure = Annotated[float, msgspec.Meta(ge=0)]
