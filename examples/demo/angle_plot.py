"""The picture of a swing's joint positions: one small panel a joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from examples.demo.figure import BLUE, make_figure, tidy
from examples.demo.swing import Swing
from kido.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_angles"]

_PER_COLUMN = 12
_LARGEST_COLUMNS = 4
_PANEL_WIDTH, _PANEL_HEIGHT = 4.4, 0.95


def plot_angles(swing: Swing) -> Figure:
    """Draw the positions of all degrees of freedom over time."""
    names = swing.tree.dof_names
    columns = min(-(-len(names) // _PER_COLUMN), _LARGEST_COLUMNS)
    rows = -(-len(names) // columns)
    title = f"{swing.tree.name}: joint positions  [rad, m] over time  [s]"
    figure = make_figure(max(columns * _PANEL_WIDTH, 8.0), rows * _PANEL_HEIGHT + 0.9, title)
    grid = figure.subplots(rows, columns, sharex=True, squeeze=False)
    panels = grid.T.ravel()
    for axes, name, values in zip(panels, names, _without_jumps(swing.positions).T, strict=False):
        axes.plot(swing.times, values, color=BLUE, lw=1.1)
        axes.set_title(name, loc="left", fontsize=8.5, pad=2.0)
        axes.margins(x=0.0)
        tidy(axes)
        axes.tick_params(labelsize=7.5)
    for axes in panels[len(names) :]:
        axes.remove()
    for column in range(columns):
        lowest = min(rows * (column + 1), len(names)) - 1
        panels[lowest].tick_params(labelbottom=True)
    return figure


def _without_jumps(positions: FloatArray) -> FloatArray:
    """Positions (k, n) with NaN where a rotation vector goes over pi and comes back with the other sign."""
    jumps = abs(np.diff(positions, axis=0)).max(axis=1) > np.pi
    shown = positions.copy()
    shown[1:][jumps] = np.nan
    return shown
