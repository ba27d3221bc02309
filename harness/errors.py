"""User errors, and the exit status after a broken pipe."""

import signal

EXIT_SIGPIPE = 128 + signal.SIGPIPE  # what a shell reports for `slidebench kernels | head`


class UserError(ValueError):
    """An error the user can fix. The message is one line: what is wrong, then what was expected."""
