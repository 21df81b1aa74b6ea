"""Pictures in notebooks, which another package makes."""

from __future__ import annotations

import base64
from collections.abc import Callable
from importlib import import_module
from typing import Any

from kido.errors import KidoError

__all__ = ["NotebookPictures", "notebook_pictures"]


class NotebookPictures:
    """Pictures of skeletons and worlds, as notebooks show them.

    Attributes:
        make: makes a PNG file of one, by `kido.view` unless told otherwise; None: nobody does.
    """

    __slots__ = ("make",)

    def __init__(self) -> None:
        self.make: Callable[[Any], bytes] | None = _drawn

    def png(self, what: object) -> bytes | None:
        """A PNG file of something that can be drawn; None where that is not possible: what draws is not
        installed, or this machine has no OpenGL."""
        if self.make is None:
            return None
        try:
            return self.make(what)
        except KidoError:
            return None

    def html(self, what: object) -> str:
        """The picture as HTML; nothing where there is none."""
        png = self.png(what)
        return "" if png is None else f'<img src="data:image/png;base64,{base64.b64encode(png).decode()}">'


def _drawn(what: object) -> bytes:
    """By the package that draws, which is imported then."""
    png: bytes = import_module("kido.view").notebook_png(what)
    return png


notebook_pictures = NotebookPictures()
"""Those of notebooks of this process."""
