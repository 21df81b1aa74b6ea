"""Readers and writers by suffix. Their modules are imported when they are first used, to keep `import kido`
short."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

__all__ = ["Formats"]


class Formats(Mapping[str, Callable[..., Any]]):
    """Functions by suffix, each given as its module and name."""

    def __init__(self, functions: Mapping[str, tuple[str, str]]) -> None:
        self._functions = dict(functions)

    def __getitem__(self, suffix: str) -> Callable[..., Any]:
        module, name = self._functions[suffix]
        found: Callable[..., Any] = getattr(import_module(module), name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)
