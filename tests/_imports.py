"""Imports in the source of kido, read once, without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import kido

ROOT = Path(kido.__file__).parent


@dataclass(frozen=True)
class Import:
    """One import of a module.

    Attributes:
        target: module of kido, or top-level package of others.
        line: where it stands.
        for_types: whether it stands under `if TYPE_CHECKING`, so that it is not run.
        inside: whether it stands in a function.
    """

    target: str
    line: int
    for_types: bool
    inside: bool

    @property
    def is_own(self) -> bool:
        """Whether it is of kido."""
        return self.target.split(".")[0] == "kido"


@dataclass(frozen=True)
class Module:
    """Imports of a module; lines of relative imports, and of casts of `self` or `cls`."""

    imports: list[Import] = field(default_factory=list)
    relative: list[int] = field(default_factory=list)
    casts: list[int] = field(default_factory=list)

    def own(self, *, for_types: bool) -> set[str]:
        """Modules of kido that it imports; `for_types` counts those under `if TYPE_CHECKING` too."""
        return {i.target for i in self.imports if i.is_own and (for_types or not i.for_types)}


@cache
def modules() -> dict[str, Module]:
    """Every module by its name: "kido.tree._tree"; a package has the name of its folder."""
    sources = {_name(path): ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}
    known = {*sources, "kido._core"}
    return {name: _read(source, known) for name, source in sources.items()}


def _name(path: Path) -> str:
    parts = ("kido", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _read(source: ast.Module, known: set[str]) -> Module:
    module = Module()
    for node, for_types, inside in _statements(source):
        if isinstance(node, ast.ImportFrom) and node.level:
            module.relative.append(node.lineno)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            targets = sorted(set(_targets(node, known)))
            module.imports.extend(Import(target, node.lineno, for_types, inside) for target in targets)
        elif isinstance(node, ast.Call) and _casts_itself(node):
            module.casts.append(node.lineno)
    return module


def _statements(
    tree: ast.AST, for_types: bool = False, inside: bool = False
) -> Iterator[tuple[ast.AST, bool, bool]]:
    """All nodes below `tree`, whether under `if TYPE_CHECKING`, and whether in a function."""
    function = inside or isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    guarded = isinstance(tree, ast.If) and ast.unparse(tree.test).endswith("TYPE_CHECKING")
    for node in ast.iter_child_nodes(tree):
        types = for_types or (guarded and isinstance(tree, ast.If) and node in tree.body)
        yield node, types, function
        yield from _statements(node, types, function)


def _targets(node: ast.Import | ast.ImportFrom, known: set[str]) -> Iterator[str]:
    """Modules of kido that a statement imports; of others their top-level package."""
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [str(node.module)]
    for name in names:
        if name.split(".")[0] != "kido":
            yield name.split(".")[0]
        elif isinstance(node, ast.Import):
            yield name
        else:
            whole = {f"{name}.{alias.name}" for alias in node.names}
            yield from whole & known
            if whole - known:
                yield name


def _casts_itself(call: ast.Call) -> bool:
    """Whether it is `cast(..., self)` or `cast(..., cls)`."""
    values = [value.id for value in call.args[1:] if isinstance(value, ast.Name)]
    return ast.unparse(call.func).endswith("cast") and any(value in ("self", "cls") for value in values)
