"""What a user can mend, and what is nobody's fault."""

import signal

UNREAD = 128 + signal.SIGPIPE  # exit status where nobody reads on, as with `| head`


class Fault(ValueError):  # noqa: N818 - faults are the user's, errors are ours
    """Something the user can mend: the message is one line that names the thing and the way out."""
