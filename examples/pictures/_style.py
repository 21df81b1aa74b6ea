"""The two looks of a picture, on light and on dark pages."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import matplotlib.style
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

import kido

__all__ = ["STYLES", "Canvas", "Pixels", "Style", "way_of"]

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Style:
    """A look: what its files' names end in, color of the page, names of matplotlib's styles."""

    suffix: str
    background: str
    plots: tuple[str, ...]


STYLES = (Style("", "#ffffff", ("default",)), Style("-dark", "#1e2129", ("default", "dark_background")))
_INCH = 110
"""Pixels of a plot."""


class Canvas:
    """Draws pictures of one size in one style."""

    def __init__(self, style: Style, size: tuple[int, int]) -> None:
        """`size`: (width, height) [pixel]."""
        self.style, self.size = style, size

    def shot(self, *what: Any, **options: Any) -> Pixels:
        """A picture of skeletons or worlds, with the options of `kido.render`."""
        scene = what[0] if len(what) == 1 else what
        return kido.render(scene, size=self.size, background=self.style.background, **options)

    def plot(self, draw: Any) -> Pixels:
        """A plot: `draw` is called with its axes."""
        width, height = (pixels / _INCH for pixels in self.size)
        with mpl.rc_context():
            for name in self.style.plots:
                mpl.style.use(name)
            figure = Figure(figsize=(width, height), dpi=_INCH, layout="constrained")
            figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)  # type: ignore[union-attr]
            figure.patch.set_facecolor(self.style.background)
            axes = figure.add_subplot()
            axes.set_facecolor(self.style.background)
            axes.spines[["top", "right"]].set_visible(False)
            draw(axes)
            buffer = io.BytesIO()
            figure.savefig(buffer, format="png", facecolor=self.style.background)
        return np.asarray(Image.open(buffer).convert("RGB"))

    def file(self, path: str) -> Pixels:
        """A picture that is there already, made as large as needed and cut on the left, where a window has no
        panel."""
        image = Image.open(path).convert("RGB")
        width, height = self.size
        scale = max(width / image.width, height / image.height)
        image = image.resize((round(image.width * scale), round(image.height * scale)))
        return np.asarray(image.crop((image.width - width, 0, image.width, height)))


def way_of(robot: kido.Skeleton, rows: Iterable[Any], frame: Any) -> list[NDArray[np.float64]]:
    """Where a robot's frame has its origin in each of some positions, k points (3,) [m]."""
    way = []
    for row in rows:
        robot.positions = row
        way.append(frame.transform()[:3, 3])
    return way
