"""Errors of kernels."""


class UnavailableError(ValueError):
    """A kernel, level, popcount or piece that is unknown or cannot run on this machine, with the reason."""


class DestructiveCollision(ArithmeticError):  # noqa: N818 - the field's name for it
    """Two occupancies with different attacks share a table entry: the kernel's index function is wrong."""
