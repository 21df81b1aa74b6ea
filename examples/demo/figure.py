"""Figures of the demo: one style, no display, PNG files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kido.errors import MissingDependencyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["BLACK", "BLUE", "GREEN", "GREY", "ORANGE", "make_figure", "save_figure", "save_image", "tidy"]

BLACK, BLUE, ORANGE, GREEN, GREY = "#222222", "#0072b2", "#d55e00", "#009e73", "#8a8a8a"
"""Colours that colour-blind people tell apart (Okabe, Ito 2008)."""

_DPI = 130


def make_figure(width: float, height: float, title: str) -> Figure:
    """An empty figure of this size [inch]. Raises MissingDependencyError without matplotlib."""
    try:
        from matplotlib.figure import Figure as NewFigure
    except ImportError:
        raise MissingDependencyError("matplotlib", "demo", "the demo") from None
    figure = NewFigure(figsize=(width, height), layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", fontsize=13, fontweight="bold")
    return figure


def tidy(axes: Axes) -> None:
    """Leave only what carries information: two axes and a light grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e4e4e4", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=9)


def save_figure(figure: Figure, path: Path) -> Path:
    """Write a PNG file and return its path."""
    figure.savefig(path, dpi=_DPI, format="png")
    return path


def save_image(pixels: NDArray[np.uint8], path: Path) -> None:
    """Write pixels (height, width, 3) to a PNG file."""
    from matplotlib.image import imsave

    imsave(path, pixels, format="png")
