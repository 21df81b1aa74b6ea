"""`inspect.signature` of everything native, compared with the stub."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kido
from kido import _core

STUB = ast.parse((Path(kido.__file__).parent / "_core.pyi").read_text())


def functions(body: list[ast.stmt], owner: Any, path: str) -> Iterator[tuple[str, Any, ast.FunctionDef]]:
    """The functions of the stub, by their names, with what the extension has in their place."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from functions(node.body, getattr(owner, node.name), f"{path}{node.name}.")
        elif isinstance(node, ast.FunctionDef) and not is_property(node):
            yield path + node.name, getattr(owner, node.name), node


def is_property(node: ast.FunctionDef) -> bool:
    """Whether a function of the stub is the getter or setter of a property."""
    return any(
        ast.unparse(mark) == "property" or ast.unparse(mark).endswith(".setter")
        for mark in node.decorator_list
    )


NATIVE = {name: (native, node) for name, native, node in functions(STUB.body, _core, "")}


def test_the_stub_has_all_native_functions() -> None:
    assert {
        "num_threads",
        "Tree.forward_dynamics",
        "State.set_part",
        "Frame.jacobian",
        "ClosedForm.of_tree",
    } <= {*NATIVE}
    assert len(NATIVE) > 80


def test_signatures_are_those_of_the_stub() -> None:
    for name, (native, node) in NATIVE.items():
        parameters = inspect.signature(native).parameters.values()
        arguments = node.args
        assert [p.name for p in parameters] == [
            argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        ], name
        assert [p.name for p in parameters if p.kind is p.KEYWORD_ONLY] == [
            a.arg for a in arguments.kwonlyargs
        ], name
        given = [p for p in parameters if p.default is not p.empty]
        assert len(given) == len(arguments.defaults) + sum(x is not None for x in arguments.kw_defaults), name


def test_a_default_is_that_of_the_declaration() -> None:
    parameters = inspect.signature(kido.Tree.jacobian).parameters
    assert parameters["offset"].default is None
    assert parameters["frame"].default in ("body", "world")
    assert inspect.signature(kido.Tree.body_accelerations).parameters["classic"].default is True
    assert parameters["q"].annotation == "numpy.typing.ArrayLike"


def test_a_bound_method_has_no_self() -> None:
    tree = kido.gallery.arm().tree
    for bound in (tree.forward_dynamics, kido.WORLD.transform):
        names = [*inspect.signature(bound).parameters]
        assert ["self", *names] == [
            *inspect.signature(getattr(type(bound.__self__), bound.__name__)).parameters
        ]


def test_a_native_class_has_the_signature_of_its_constructor() -> None:
    assert [*inspect.signature(_core.State).parameters] == ["tree", "rows"]


def test_arguments_bind_as_a_call_would() -> None:
    tree = kido.gallery.arm().tree
    q = np.zeros(tree.num_dofs)
    inspect.signature(tree.forward_dynamics).bind(q, q, q, out=None)
    with pytest.raises(TypeError, match="tau"):
        inspect.signature(tree.forward_dynamics).bind(q, q)
