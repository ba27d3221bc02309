"""What a user can mend."""


class Fault(ValueError):  # noqa: N818 - faults are the user's, errors are ours
    """Something the user can mend: the message is one line that names the thing and the way out."""
