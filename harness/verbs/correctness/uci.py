"""slidebench uci: perft for tools that drive engines."""

import os
import select
import sys
from contextlib import suppress
from threading import Thread

import click

from slidebench import kernels
from slidebench.harness.errors import EXIT_SIGPIPE
from slidebench.harness.positions.uci import Session
from slidebench.harness.verbs import options


@click.command()
@options.kernel
@options.level
@options.popcount
@options.lenient
@options.example("slidebench uci <<< 'go perft 5'")
def command(kernel: str | None, level: str | None, popcount: str | None, lenient: bool) -> None:
    """Answer UCI commands from standard input: position, go perft DEPTH, isready, quit and a few more.

    A bad command is answered with `info string`; only quit or the end of the input ends the program.
    """
    Thread(target=_end_with_the_reader, daemon=True).start()
    session = Session(kernels.load(kernel, level, popcount), lenient=lenient)
    for line in sys.stdin:
        if line.split() == ["quit"]:
            return
        for reply in session.replies(line):
            print(reply, flush=True)


def _end_with_the_reader() -> None:
    """End the program once nobody can read its answers any more, or a deep count would go on alone."""
    with suppress(OSError):  # no such stream
        closed = select.poll()
        closed.register(sys.stdout.fileno(), 0)  # errors are told of unasked
        closed.poll()
        os._exit(EXIT_SIGPIPE)
