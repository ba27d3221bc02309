"""slidebench cpu: what this machine is."""

from typing import Any

import click
import msgspec

from slidebench import kernels
from slidebench.harness.machine.cpu import describe, machine_name, pext_expected
from slidebench.harness.verbs import options


@click.command()
@click.option("--why-not", "asked", metavar="L", help="Only say why this CPU cannot run a level, such as v4.")
@options.as_json
@options.example("slidebench cpu --why-not v4")
def command(asked: str | None, as_json: bool) -> None:
    """Describe this CPU and the levels it can run."""
    if asked:
        reason = kernels.why_not_level(asked)
        if as_json:
            options.print_json({"level": asked, "why_not": reason})
        else:
            print(f"{asked} does not run here: {reason}" if reason else f"{asked} runs here")
        return
    here = describe()
    why_not = {level: reason for level in kernels.levels() if (reason := kernels.why_not_level(level))}
    pext = pext_expected(here)
    data: dict[str, Any] = {
        "machine": machine_name(here),
        **msgspec.to_builtins(here),
        "levels": [level for level in kernels.levels() if level not in why_not],
        "why_not": why_not,
        "pext": pext.speed,
        "pext_reason": pext.reason,
    }
    if as_json:
        options.print_json(data)
        return
    for name, value in data.items():
        options.output.print(
            f"{name.replace('_', ' '):>18}  {_text(name, value)}", highlight=False, markup=False
        )


def _text(name: str, value: Any) -> str:
    match name, value:
        case _, None:
            return "not readable here"
        case "caches", _:
            return "\n".ljust(21).join(
                f"L{cache['level']} {cache['type']}, {cache['bytes'] // 1024} KiB, CPUs: {cache['shared_by']}"
                for cache in value
            )
        case (("min_mhz" | "max_mhz"), _):
            return f"{value} MHz"
        case "family" | "model", _:
            return f"{value} ({value:#x})"
        case _, bool():
            return "yes" if value else "no"
        case _, dict():
            return "; ".join(f"{key}: {text}" for key, text in value.items()) or "none"
        case _, list() | tuple():
            return " ".join(value)
        case _:
            return str(value)
