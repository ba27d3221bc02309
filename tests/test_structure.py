"""The layout of harness/: imports between its folders point one way, and no folder is overfull."""

import ast
from graphlib import TopologicalSorter

from paths import ROOT

from slidebench.harness.cli import PACKAGES

HARNESS = ROOT / "harness"
PACKAGE = "slidebench.harness"
MAX_MODULES = 12  # per folder, without __init__.py
# A folder imports only those on its left; "" stands for the modules that all of them share.
ORDER = ("", "machine", "positions", "records", "analysis", "code", "run", "valgrind", "charts", "report",
         "cluster", "verbs", "cli", "__main__")  # fmt: skip
# Imports between groups of verbs.
BETWEEN_VERBS = {("verbs.measuring.run", "verbs.results.plot")}

Names = dict[str, set[str]]


def module_names() -> list[str]:
    """Modules by their name below slidebench.harness; asvbench runs outside of it."""
    paths = sorted(path.relative_to(HARNESS) for path in HARNESS.rglob("*.py"))
    names = [".".join(path.with_suffix("").parts).removesuffix("__init__") for path in paths]
    return [name.rstrip(".") for name in names if not name.startswith("asvbench")]


def imports() -> Names:
    """The modules that each module imports, inside functions too."""
    modules = set(module_names()) - {""}
    return {module: _imported(module, modules) - {module} for module in modules}


def _imported(module: str, modules: set[str]) -> set[str]:
    path = HARNESS.joinpath(*module.split("."))
    tree = ast.parse((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text("utf-8"))
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: expected an absolute import"
            # `from package import name` may name a module of the package.
            submodules = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name for name in submodules if name.removeprefix(f"{PACKAGE}.") in modules} or {
                node.module or ""
            }
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name.removeprefix(f"{PACKAGE}.") for name in names} & modules


def folder(module: str) -> str:
    """A module's name in ORDER."""
    first = module.partition(".")[0]
    return first if first in ORDER else ""


def test_imports_are_read_from_the_source() -> None:
    assert "analysis.compare" in imports()["verbs.results.compare"]
    assert "errors" in imports()["valgrind.counting"]
    assert len(imports()) > 60


def test_every_folder_has_a_place_in_the_order() -> None:
    folders = {path.name for path in HARNESS.iterdir() if (path / "__init__.py").exists()}
    assert folders - {"asvbench"} <= set(ORDER)


def test_imports_between_folders_point_one_way() -> None:
    backwards = [
        f"{module} imports {other}"
        for module, others in imports().items()
        for other in others
        if ORDER.index(folder(other)) > ORDER.index(folder(module))
    ]
    assert sorted(backwards) == []


def test_groups_of_verbs_do_not_import_each_other() -> None:
    between = {
        (module, other)
        for module, others in imports().items()
        for other in others
        if module.startswith("verbs.") and other.count(".") == 2 and other.startswith("verbs.")
        if module.split(".")[1] != other.split(".")[1]
    }
    assert between <= BETWEEN_VERBS


def test_no_modules_import_each_other_in_a_circle() -> None:
    TopologicalSorter(imports()).prepare()


def test_no_folder_has_more_than_twelve_modules() -> None:
    folders = {path.parent for path in HARNESS.rglob("*.py")}
    sizes = {
        str(path.relative_to(HARNESS)): len({*path.glob("*.py")} - {path / "__init__.py"}) for path in folders
    }
    assert {name: size for name, size in sizes.items() if size > MAX_MODULES} == {}


def test_the_readme_has_a_row_for_every_verb() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [verb for verb in PACKAGES if f"\n| `slidebench {verb}" not in readme] == []
