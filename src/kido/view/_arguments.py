"""Checked arguments of `render`."""

from __future__ import annotations

import operator
from pathlib import Path

from kido.errors import MissingDependencyError
from kido.typing import ArrayLike, FloatArray, PathLike, frozen_array
from kido.values import checked_path

__all__ = ["checked_color", "checked_file", "checked_height", "checked_size"]

_SMALLEST, _LARGEST = 16, 8192


def checked_file(path: PathLike | None, suffixes: tuple[str, ...]) -> Path | None:
    """Path of a file with one of these suffixes that can be written. Raises ValueError or
    FileNotFoundError."""
    if path is None:
        return None
    file = checked_path("path", path)
    if file.suffix.lower() not in suffixes:
        *others, last = suffixes
        known = f"{', '.join(others)} or {last}" if others else last
        raise ValueError(f"path: expected a name that ends in {known}, got {file.name!r}")
    if not file.parent.is_dir():
        raise FileNotFoundError(f"path: there is no folder {str(file.parent)!r}")
    return file


def checked_size(size: tuple[int, int]) -> tuple[int, int]:
    """Width and height [pixel]. Raises TypeError or ValueError."""
    try:
        width, height = map(operator.index, size)
    except (TypeError, ValueError) as error:
        raise type(error)(f"size: expected two integers (width, height) [pixel], got {size!r}") from None
    if not (_SMALLEST <= width <= _LARGEST and _SMALLEST <= height <= _LARGEST):
        raise ValueError(f"size: expected {_SMALLEST} to {_LARGEST} [pixel], got {(width, height)}")
    return width, height


def checked_color(background: str | ArrayLike) -> FloatArray:
    """A color (3,). Raises ValueError, TypeError, MissingDependencyError."""
    if not isinstance(background, str):
        color = frozen_array("background", background, (3,))
        if not ((color >= 0.0) & (color <= 1.0)).all():
            raise ValueError(f"background: expected numbers in [0, 1], got {color.tolist()}")
        return color
    try:
        from PIL import ImageColor
    except ImportError:
        raise MissingDependencyError("pillow", "render", "kido.render") from None
    try:
        named = ImageColor.getrgb(background)[:3]
    except ValueError:
        raise ValueError(f"background: expected a color's name or '#rrggbb', got {background!r}") from None
    return frozen_array("background", [channel / 255.0 for channel in named], (3,))


def checked_height(ground: bool | float) -> float | bool:
    """True or False for a floor or none, or its height [m]. Raises TypeError or ValueError."""
    if isinstance(ground, bool):
        return ground
    return float(frozen_array("ground", ground, (), "m"))
