"""Pictures as notebooks show them."""

from __future__ import annotations

import warnings

from kido.errors import ModelWarning
from kido.view._png import png_bytes
from kido.view._render import picture
from kido.view._scene import SceneLike

__all__ = ["notebook_png"]

_SIZE = (480, 360)


def notebook_png(what: SceneLike) -> bytes:
    """A small PNG file of a skeleton, a world or a recording, without a word about meshes that are missing.

    Raises MissingDependencyError, RenderError.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return png_bytes(picture(what, size=_SIZE))
