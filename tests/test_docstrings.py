"""Docstrings of all public names: shapes, units, raised errors."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from _looped import looped

import kido

ARRAY_TYPES = ("ArrayLike", "FloatArray", "NDArray", "TransformLike", "RotationLike")
SHAPE = re.compile(r"\((\.\.\.|\d+,|n,|k,|m,|num_|\*size)|`shape`")
UNIT = re.compile(r"\[[^\]\s][^\]]*\]")
PURE_NUMBERS = re.compile(
    r"rotation|quaternion|direction|axes|axis|unit|matri|order|dimensionless", re.IGNORECASE
)
"""Quantities without unit: a docstring that speaks of nothing else needs none."""


def packages() -> Iterator[ModuleType]:
    """kido and every public module below it."""
    yield kido
    for info in pkgutil.walk_packages(kido.__path__, "kido."):
        if not any(part.startswith("_") for part in info.name.split(".")):
            yield importlib.import_module(info.name)


def public_objects() -> dict[str, Any]:
    """Every class and function in an `__all__`, and the public methods of the classes that kido defines."""
    found: dict[str, Any] = {}
    for package in packages():
        for name in package.__all__:
            value = getattr(package, name)
            if inspect.isroutine(value) or inspect.isclass(value):
                found[f"{package.__name__}.{name}"] = value
                if inspect.isclass(value):
                    found.update(members(f"{package.__name__}.{name}", value))
    return found


def members(prefix: str, owner: type) -> dict[str, Any]:
    """Public methods and properties that a class of kido, or a base of it in kido, defines."""
    bases = [base for base in owner.__mro__ if base.__module__.split(".")[0] == "kido"]
    return {
        f"{prefix}.{name}": value
        for base in bases
        for name, value in vars(base).items()
        if not name.startswith("_") and (inspect.isroutine(value) or isinstance(value, property))
    }


PUBLIC = public_objects()


def signature(value: Any) -> str:
    native = getattr(value, "__nb_signature__", None)
    if native:
        return str(native[0][0])
    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""


def takes_arrays(value: Any) -> bool:
    before_result = signature(value).split("->")[0]
    return inspect.isroutine(value) and any(kind in before_result for kind in ARRAY_TYPES)


WITH_ARRAYS = {name: value for name, value in PUBLIC.items() if takes_arrays(value)}


def doc(value: Any) -> str:
    """The text that the author wrote; a native function's docstring begins with its signature otherwise."""
    native = getattr(value, "__nb_signature__", None)
    return str(native[0][1] or "") if native else value.__doc__ or ""


def test_packages_and_their_names_are_found() -> None:
    assert "kido.Tree.mass_matrix" in WITH_ARRAYS
    assert "kido.math.so3_exp" in WITH_ARRAYS or any(name.startswith("kido.math.") for name in WITH_ARRAYS)


@looped("package", packages, ids=lambda package: package.__name__)
def test_every_package_says_what_it_is_and_lists_its_names(package: ModuleType) -> None:
    assert doc(package)
    assert len(package.__all__) == len(set(package.__all__))
    assert all(hasattr(package, name) for name in package.__all__)


@looped("name", PUBLIC)
def test_every_public_name_has_a_docstring(name: str) -> None:
    assert len(doc(PUBLIC[name]).split()) >= 2, name


def test_docstrings_begin_with_what_a_thing_is_or_does() -> None:
    asked = re.compile(r"(How|Where|Which|What|Who|When|Why)\b")
    found = [
        f"{path.name}:{node.body[0].lineno}"
        for path in sorted(Path(kido.__file__).parent.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and asked.match(ast.get_docstring(node) or "")
    ]
    assert found == []


@looped("name", WITH_ARRAYS)
def test_functions_of_arrays_say_shapes(name: str) -> None:
    assert SHAPE.search(doc(WITH_ARRAYS[name])), f"{name}: {doc(WITH_ARRAYS[name])}"


@looped("name", WITH_ARRAYS)
def test_functions_of_arrays_say_units(name: str) -> None:
    text = doc(WITH_ARRAYS[name])
    assert UNIT.search(text) or PURE_NUMBERS.search(text), f"{name}: {text}"
