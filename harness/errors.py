"""What can go wrong with records and runs, apart from the modules that need NumPy to find out."""


class CompareError(ValueError):
    """Records that cannot be compared; the message says what differs."""


class LaunchError(RuntimeError):
    """A launch that ended by itself; the message says how."""
