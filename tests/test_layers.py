"""Layers: imports that each module may have, read from the source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from _imports import Module, modules

LAYERS: tuple[tuple[str, ...], ...] = (
    ("__main__",),
    ("cli",),
    ("__init__",),
    ("tour",),
    ("_load", "_load_world", "gallery"),
    ("view",),
    ("recording",),
    ("io",),
    ("world",),
    ("constraint", "ik"),
    ("collision",),
    ("skeleton",),
    ("frame",),
    ("tree",),
    ("description",),
    ("shape", "lcp", "optimize"),
    ("values",),
    ("math",),
    ("errors", "typing", "_native_signature", "_later", "_shared_lock"),
    ("_core",),
)
"""Top to bottom: a package imports from lines below its own only, those of one line not from each other."""

KNOT = {
    "kido.skeleton._body",
    "kido.skeleton._dof",
    "kido.skeleton._editing",
    "kido.skeleton._joints._joint",
    "kido.skeleton._nodes._frame_node",
    "kido.skeleton._nodes._node",
    "kido.skeleton._nodes._shipped_nodes",
    "kido.skeleton._skeleton",
    "kido.skeleton._structure",
}
"""The living model: modules that name each other for types, under `if TYPE_CHECKING`. No other module stands
in a cycle."""

OPTIONAL = {
    "h5py",
    "matplotlib",
    "cmeel",
    "coal",
    "proxsuite",
    "nlopt",
    "cyipopt",
    "pyscipopt",
    "viser",
    "PIL",
    "imageio_ffmpeg",
    "scipy",
    "trimesh",
    "coacd",
    "daqp",
    "hashlib",
    "html",
}
"""Packages of extras, or slow to import, which may be imported inside functions."""


def layer_name(module: str) -> str:
    """The entry of the table that a module belongs to."""
    return module.split(".")[1] if "." in module else "__init__"


def line(module: str) -> int:
    """The line of the table; that of a module without a layer is above all."""
    return next((i for i, names in enumerate(LAYERS) if layer_name(module) in names), -1)


def imports() -> Iterator[tuple[str, str]]:
    """Pairs of a module and one of kido that it imports, for types too."""
    for name, module in modules().items():
        yield from ((name, i.target) for i in module.imports if i.is_own)


def circles(graph: Mapping[str, Iterable[str]]) -> list[set[str]]:
    """Modules that lead to each other, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in graph[name]:
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            place = stack.index(name)
            circle = stack[place:]
            del stack[place:]
            if len(circle) > 1 or name in graph[name]:
                found.append(set(circle))

    for name in graph:
        if name not in index:
            visit(name)
    return found


def graph(*, for_types: bool) -> dict[str, list[str]]:
    """Modules that each module imports; `for_types` counts what is imported under `if TYPE_CHECKING` too."""
    known = modules()
    return {name: sorted(m.own(for_types=for_types) & set(known)) for name, m in known.items()}


def test_every_module_belongs_to_a_layer() -> None:
    assert len(modules()) > 200
    assert [module for module in modules() if line(module) < 0] == []


def test_imports_point_down_for_types_too() -> None:
    wrong = [
        f"{module} imports {other}"
        for module, other in imports()
        if layer_name(other) != layer_name(module) and line(other) <= line(module)
    ]
    assert wrong == []


def test_imports_are_absolute_and_at_the_top() -> None:
    def complaints(name: str, module: Module) -> Iterator[str]:
        yield from (f"{name}:{place} is relative" for place in module.relative)
        for i in module.imports:
            if i.inside and i.target not in OPTIONAL:
                yield f"{name}:{i.line} imports {i.target} inside a function"

    assert [text for name, module in modules().items() for text in complaints(name, module)] == []


def test_what_is_run_has_no_cycles() -> None:
    assert [sorted(circle) for circle in circles(graph(for_types=False))] == []


def test_cycles_for_types_are_those_of_living_models_alone() -> None:
    found = set[str]().union(*circles(graph(for_types=True)))
    assert sorted(found - KNOT) == []
    assert sorted(KNOT - found) == [], "no longer in a cycle: take them from the list"


def test_no_class_casts_itself_to_what_is_derived_from_it() -> None:
    assert [f"{name}:{place}" for name, module in modules().items() for place in module.casts] == []


def test_private_modules_are_imported_by_their_own_package_only() -> None:
    """Names that another package needs stand in the package's `__init__`."""
    known = modules()
    wrong = [
        f"{module} imports {other}"
        for module, other in imports()
        if other.count(".") > 1 and other in known
        if other.split(".")[:2] != module.split(".")[:2]
    ]
    assert wrong == []
