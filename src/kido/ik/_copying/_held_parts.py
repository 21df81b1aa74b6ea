"""Parts of skeletons that functions and methods of users hold, in attributes, closures or globals."""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from kido.ik._copying._references import attributes_of, is_living

__all__ = ["held_part"]

_MOST = 10_000
"""Objects that are looked at, at most."""
_PLAIN = (
    str,
    bytes,
    int,
    float,
    complex,
    bool,
    type(None),
    type,
    ModuleType,
    BuiltinFunctionType,
    np.generic,
)


def held_part(value: object, counts: Callable[[object], bool]) -> object | None:
    """A part that counts, which an object holds: in its attributes, in collections, in what a function closes
    over, in its defaults, and in the globals that it names. None where it holds none.

    Parts of skeletons that do not count, and frames, are not looked into.
    """
    seen: set[int] = set()
    waiting: list[tuple[object, object]] = [(value, None)]
    kept = []
    while waiting and len(seen) < _MOST:
        item, names = waiting.pop()
        if id(item) in seen or isinstance(item, _PLAIN):
            continue
        seen.add(id(item))
        kept.append(item)
        if counts(item):
            return item
        if not is_living(item):
            waiting.extend(_content(item, names))
    return None


def _content(item: Any, names: object) -> Iterator[tuple[object, object]]:
    """Contents of an object, each with the globals of the function it is held by."""
    if isinstance(item, FunctionType):
        yield from ((held, item.__globals__) for held in _held_by_function(item, names))
    elif isinstance(item, MethodType):
        yield from ((item.__self__, names), (item.__func__, names))
    elif isinstance(item, partial):
        yield from ((held, names) for held in (item.func, *item.args, *item.keywords.values()))
    elif isinstance(item, dict):
        yield from ((held, names) for held in item.values())
    elif isinstance(item, tuple | list | set | frozenset):
        yield from ((held, names) for held in item)
    elif isinstance(item, np.ndarray):
        if item.dtype.hasobject:
            yield from ((held, names) for held in item.ravel().tolist())
    else:
        yield from ((held, names) for held in attributes_of(item).values())


def _held_by_function(function: FunctionType, names: object) -> Iterator[object]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    if names is None or names is function.__globals__:  # functions of other modules are their own business
        known = function.__globals__
        yield from (known[name] for name in _global_names(function.__code__) if name in known)


def _global_names(code: CodeType) -> set[str]:
    """Names of the globals that code reads, also in functions inside."""
    found = {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _global_names(constant)
    return found
