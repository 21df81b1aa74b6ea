"""Which package may import which, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import kido

LAYERS: tuple[tuple[str, ...], ...] = (
    ("__main__",),
    ("cli",),
    ("__init__",),
    ("_load", "gallery"),
    ("view",),
    ("record", "io"),
    ("world",),
    ("constraint", "ik"),
    ("collision",),
    ("skeleton",),
    ("frame",),
    ("tree",),
    ("description",),
    ("shape", "lcp", "optimize"),
    ("math",),
    ("errors", "typing", "_native_signature"),
    ("_core",),
)
"""Top to bottom: a package imports from lines below its own only, those of one line not from each other."""

OPTIONAL = {
    "matplotlib",
    "cmeel",
    "coal",
    "proxsuite",
    "nlopt",
    "cyipopt",
    "pyscipopt",
    "viser",
    "pyvista",
    "scipy",
    "trimesh",
}
"""Third-party packages of extras, or slow to import, which may be imported inside functions."""

ROOT = Path(kido.__file__).parent


@cache
def modules() -> dict[str, ast.Module]:
    """Every module's source, by its name: "kido.tree._tree"; a package has the name of its folder."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = ("kido", *path.relative_to(ROOT).with_suffix("").parts)
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text())
    return found


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes below `tree` but what stands under `if TYPE_CHECKING`, which is not run."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        yield node
        yield from statements(node)


def imported(tree: ast.AST) -> Iterator[str]:
    """Modules of kido that the statements below `tree` import, at any depth."""
    known = {*modules(), "kido._core"}
    for node in statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "kido")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "kido":
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from whole & known
            if whole - known:
                yield str(node.module)


def layer_name(module: str) -> str:
    """The entry of the table that a module belongs to."""
    return module.split(".")[1] if "." in module else "__init__"


def line(module: str) -> int:
    return next(i for i, names in enumerate(LAYERS) if layer_name(module) in names)


@pytest.mark.parametrize("module", modules())
def test_every_module_belongs_to_a_layer(module: str) -> None:
    assert any(layer_name(module) in names for names in LAYERS), f"{module} is in no layer"


@pytest.mark.parametrize("module", modules())
def test_imports_point_down(module: str) -> None:
    for other in imported(modules()[module]):
        if layer_name(other) != layer_name(module):
            assert line(other) > line(module), f"{module} imports {other}"


@pytest.mark.parametrize("module", modules())
def test_imports_are_absolute_and_at_the_top(module: str) -> None:
    for node in ast.walk(modules()[module]):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno} is relative"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            assert not list(imported(node)), f"{module}:{node.lineno} imports kido inside a function"
            for third_party in imported_by_function(node):
                assert third_party in OPTIONAL, f"{module}:{node.lineno} imports {third_party} inside"


def imported_by_function(function: ast.AST) -> Iterator[str]:
    """Top-level packages that a function imports."""
    for node in ast.walk(function):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module).split(".")[0]


def test_no_cycles() -> None:
    graph = {name: set(imported(source)) & set(modules()) for name, source in modules().items()}
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, f"cycle: {' -> '.join((*path[path.index(name) :], name))}"
        if name not in done:
            for other in graph[name]:
                visit(other, (*path, name))
            done.add(name)

    for name in graph:
        visit(name, ())


@pytest.mark.parametrize("module", [name for name in modules() if name.count(".") > 1])
def test_private_modules_are_imported_by_their_own_package_only(module: str) -> None:
    """What another package needs is a name of the package's `__init__`."""
    for other, source in modules().items():
        if other.split(".")[:2] != module.split(".")[:2]:
            assert module not in set(imported(source)), f"{other} imports {module}"
