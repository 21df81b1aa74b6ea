"""The picture of a swing's energy, and of how well it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from examples.demo.figure import BLACK, BLUE, GREEN, GREY, ORANGE, make_figure, tidy
from examples.demo.swing import Swing
from kido.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_energy"]


def plot_energy(swing: Swing) -> Figure:
    """Draw kinetic, potential and total energy over time, and the drift of what should be constant."""
    how = "floating without gravity" if swing.floats else "swinging under gravity"
    figure = make_figure(11.0, 6.6, f"{swing.tree.name}: energy, {how}, no motors, no friction")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2.2, 1.0))
    curves = _floating_curves(swing) if swing.floats else _swinging_curves(swing)
    for label, values, colour in curves:
        upper.plot(swing.times, values, color=colour, lw=1.4, label=label)
    upper.set_ylabel("energy  [J]")
    _legend(upper)
    for label, values, colour in _drifts(swing):
        lower.plot(swing.times, values, color=colour, lw=1.1, label=label)
    lower.set_ylabel("drift" if swing.floats else "drift of the total  [J]")
    lower.set_xlabel("time  [s]")
    lower.ticklabel_format(axis="y", style="sci", scilimits=(-2, 2), useMathText=True)
    if swing.floats:
        _legend(lower)
    for axes in (upper, lower):
        tidy(axes)
        axes.margins(x=0.0)
    return figure


def _swinging_curves(swing: Swing) -> list[tuple[str, FloatArray, str]]:
    lowest = swing.potential.min()
    return [
        ("kinetic", swing.kinetic, BLUE),
        ("potential, above its lowest", swing.potential - lowest, ORANGE),
        ("total", swing.total - lowest, BLACK),
    ]


def _floating_curves(swing: Swing) -> list[tuple[str, FloatArray, str]]:
    together = rigid_energy(swing)
    return [
        ("kinetic, as one rigid body", together, BLUE),
        ("kinetic, limbs against each other", swing.kinetic - together, GREEN),
        ("potential", swing.potential, ORANGE),
        ("total", swing.total, BLACK),
    ]


def rigid_energy(swing: Swing) -> FloatArray:
    """Kinetic energy (k,) [J] with the same momentum but the joints locked; the root must be free."""
    matrix = swing.tree.centroidal_momentum_matrix(swing.positions)[..., :6]
    locked = np.zeros_like(swing.velocities)
    locked[:, :6] = np.linalg.solve(matrix, swing.momentum[..., None])[..., 0]
    return np.asarray(swing.tree.kinetic_energy(swing.positions, locked))


def _drifts(swing: Swing) -> list[tuple[str, FloatArray, str]]:
    drifts = [("total  [J]", swing.energy_drift, BLACK)]
    if swing.floats:
        change = swing.momentum - swing.momentum[0]
        drifts += [
            ("angular momentum  [kg m²/s]", np.linalg.norm(change[:, :3], axis=1), BLUE),
            ("linear momentum  [kg m/s]", np.linalg.norm(change[:, 3:], axis=1), GREY),
        ]
    return drifts


def _legend(axes: Axes) -> None:
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, frameon=False, fontsize=9.5)
