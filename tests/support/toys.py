"""Kernels made only for a test."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from paths import ROOT

from slidebench import kernels
from slidebench.kernels import catalogue

KEPT = ("magic_fancy", "pext", "ray_loop")


class Toy:
    """A copy of the installed package: a few of its kernels, and more compiled for the lowest level."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

        def others(where: str, names: list[str]) -> set[str]:
            if Path(where).name == "sliders":
                return {name for name in names if name.endswith(".pxi") and Path(name).stem not in KEPT}
            if Path(where).name == "built":
                kept = {
                    catalogue.module_name(kernel, "builtin", level)
                    for kernel in KEPT
                    for level in kernels.levels()
                }
                return {name for name in names if name.endswith(".so") and name.partition(".")[0] not in kept}
            return set()

        shutil.copytree(Path(kernels.__file__).parents[1], folder / "slidebench", ignore=others)

    def add(self, name: str, slider: str) -> None:
        """Compile a slider file as the build would: the same template, levels and guard."""
        package = self.folder / "slidebench" / "kernels"
        source = ROOT / "kernels"
        (package / "sliders" / f"{name}.pxi").write_text(slider)
        level = kernels.levels()[0]
        flags = {each.name: each.flags for each in (*catalogue.LEVELS, catalogue.GENERIC)}[level]
        module = catalogue.module_name(name, "builtin", level)
        build = self.folder / "build"
        build.mkdir(exist_ok=True)
        template = (source / "kernel.pyx.in").read_text()
        pyx = build / f"{module}.pyx"
        pyx.write_text(template.replace("@KERNEL@", name).replace("@POPCOUNT@", "builtin"))
        include = [f"-I{package}", f"-I{source}", f"-I{source / 'sliders/parts'}"]
        subprocess.run([sys.executable, "-m", "cython", "-3", *include, pyx], check=True)
        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        python = f"-I{sysconfig.get_paths()['include']}"
        output = package / "built" / f"{module}{suffix}"
        compiler = ["cc", "-O1", "-shared", "-fPIC", "-w", *flags.split()]
        subprocess.run([*compiler, python, *include, pyx.with_suffix(".c"), "-o", output], check=True)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command line of the copy."""
        command = [sys.executable, "-m", "slidebench.harness", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        return subprocess.run(
            command, capture_output=True, text=True, env=environment, cwd=self.folder, check=False
        )
