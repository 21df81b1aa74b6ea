"""A model as its elements see it: settings of the compiler, defaults and assets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kido.io._mjcf._asset import Assets
from kido.io._mjcf._compiler import Compiler, read_compiler
from kido.io._mjcf._defaults import Defaults
from kido.io._mjcf._file import MjcfFile
from kido.io._mjcf._node import Node
from kido.io._xml import Element

__all__ = ["Context"]


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """The model that an element stands in, and what its names have before and after them.

    An attached model has its own settings, defaults and assets; its names begin with a prefix.
    """

    file: MjcfFile
    root: Element
    directory: Path | None
    compiler: Compiler
    defaults: Defaults
    assets: Assets
    prefix: str = ""

    @classmethod
    def of(cls, file: MjcfFile, root: Element, directory: Path | None, prefix: str = "") -> Context:
        """The context of a root element, all of whose files are included; raises ModelFileError."""
        compiler, defaults = read_compiler(file, root), Defaults(file, root)
        assets = Assets(file, root, directory, compiler, defaults)
        return cls(file, root, directory, compiler, defaults, assets, prefix)

    def node(self, element: Element, kind: str, childclass: str | None = None) -> Node:
        """An element with its defaults."""
        return self.defaults.node(element, kind, childclass)
