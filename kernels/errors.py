"""What can go wrong with a kernel."""


class UnavailableError(ValueError):
    """A kernel, level, popcount or piece that does not exist or cannot run here; the message says why."""


class DestructiveCollision(ArithmeticError):  # noqa: N818 - the field's name for it
    """Two occupancies with different attacks share one table entry: the kernel's index function is wrong."""
