"""slidebench audit: which instructions the built modules consist of."""

import sys

import click
import msgspec
from rich.progress import track
from rich.table import Table

from slidebench import kernels
from slidebench.harness.verbs import options


@click.command()
@options.kernel_filter
@options.level
@options.popcount
@options.as_json
@options.example("slidebench audit --kernel pext --level v3")
def command(kernel: str | None, level: str | None, popcount: str | None, as_json: bool) -> None:
    """Check the machine code of everything built; exit status 1 on a violation.

    No function may use an instruction beyond its level and its kernel's needs, and the timed code has the
    instructions that the kernel and the popcount declare, such as PEXT or no POPCNT. The modules are read,
    not run: those of levels beyond this CPU are checked too.
    """
    try:
        from slidebench.harness.code import audit as code  # noqa: PLC0415 - its disassembler may be missing
    except ImportError as error:
        raise click.ClickException(f"cannot disassemble: {error}; pip install 'slidebench[audit]'") from None
    audits = [
        code.audit(choice)
        for choice in track(
            kernels.Selection(kernel, level, popcount).built(),
            "auditing",
            console=options.notes,
            transient=True,
            disable=as_json,
        )
    ]
    failed = [each for each in audits if each.violations]
    if as_json:
        options.print_json(
            [
                {
                    **msgspec.to_builtins(each),
                    "extensions": each.extensions,
                    "digest": code.audit_digest(each),
                }
                for each in audits
            ]
        )
    else:
        table = Table(
            "kernel",
            "level",
            "popcount",
            "timed functions",
            "extensions of timed code",
            box=None,
            pad_edge=False,
        )
        for each in audits:
            table.add_row(
                each.choice.kernel,
                each.choice.level,
                each.choice.popcount,
                str(len(each.timed)),
                " ".join(each.extensions) or "none",
            )
        options.output.print(table)
        for each in failed:
            for violation in each.violations:
                print(f"FAILED {violation}")
        print(f"{len(audits) - len(failed)} of {len(audits)} modules keep to their level and declared needs")
    sys.exit(1 if failed else 0)
