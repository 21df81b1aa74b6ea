"""Plots of recordings."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from kido.errors import MissingDependencyError
from kido.recording._event import Event
from kido.recording._series import Series
from kido.typing import FloatArray

__all__ = ["Panel", "figure_of", "panels_of"]

MOST_LINES = 10
"""Lines of one panel; where there are more, those that change most are drawn."""
_MOST_POINTS = 600
_WIDTH, _HEIGHT = 9.0, 2.6
"""Size of a panel [inch]."""


class Panel:
    """One pair of axes: columns of a series that have one unit.

    Attributes:
        title: name of the quantity.
        unit: of the columns.
        times: (n,) [s].
        lines: name and values (n,) of each line.
        left_out: how many columns are not drawn, as they change less.
    """

    def __init__(self, series: Series, unit: str) -> None:
        self.title, self.unit = series.name.replace("_", " "), unit
        own = [k for k, one in enumerate(series.units) if one == unit]
        spread = [_spread(series.values[:, k]) for k in own]
        most = sorted(range(len(own)), key=lambda k: -spread[k])[:MOST_LINES]
        self.left_out = len(own) - len(most)
        places = _kept_samples(series.values[:, own])
        self.times = series.times[places]
        self.lines = [(series.columns[own[k]], series.values[places, own[k]]) for k in sorted(most)]


def panels_of(series: Sequence[Series]) -> list[Panel]:
    """Panels of several series, one for each unit; of one without columns an empty one."""
    return [Panel(one, unit) for one in series for unit in dict.fromkeys(one.units) or ("",)]


def _spread(values: FloatArray) -> float:
    known = values[np.isfinite(values)]
    return float(known.max() - known.min()) if len(known) else -1.0


def _kept_samples(values: FloatArray) -> Any:
    """Samples that are drawn (k,): of each short run those at which some column is largest or least."""
    count = len(values)
    if count <= 2 * _MOST_POINTS:
        return np.arange(count)
    kept = {0, count - 1}
    for run in np.array_split(np.arange(count), _MOST_POINTS // 2):
        rows = np.nan_to_num(values[run])
        kept.update((run[0] + rows.argmax(axis=0)).tolist(), (run[0] + rows.argmin(axis=0)).tolist())
        kept.update((run[np.isnan(values[run]).any(axis=1)]).tolist())
    return np.array(sorted(kept))


def figure_of(panels: Sequence[Panel], events: Sequence[Event], title: str) -> Any:
    """A figure of matplotlib with the panels below each other, which shows itself in a notebook. Raises
    MissingDependencyError."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError("matplotlib", "record", "a plot of a recording") from None
    figure = Figure(figsize=(_WIDTH, 0.5 + _HEIGHT * max(1, len(panels))), layout="constrained")
    figure.suptitle(title, fontsize=10)
    axes = figure.subplots(max(1, len(panels)), 1, sharex=True, squeeze=False)[:, 0]
    for axis, panel in zip(axes, panels, strict=False):
        _draw(axis, panel)
        for event in events:
            axis.axvline(event.time, color="0.5", linewidth=0.8, linestyle=":")
    for event in events:
        axes[0].annotate(
            event.text if event.kind == "mark" else event.kind,
            (event.time, 1.0),
            xycoords=("data", "axes fraction"),
            fontsize=7,
            color="0.35",
            rotation=30,
        )
    axes[-1].set_xlabel("time [s]")
    figure._repr_png_ = partial(_png_of, figure)  # type: ignore[attr-defined]
    return figure


def _png_of(figure: Any) -> bytes:
    content = io.BytesIO()
    figure.savefig(content, format="png")
    return content.getvalue()


def _draw(axis: Any, panel: Panel) -> None:
    for name, values in panel.lines:
        axis.plot(panel.times, values, linewidth=1.2, label=name)
    unit = f" [{panel.unit}]" if panel.unit else ""
    axis.set_ylabel(f"{panel.title}{unit}", fontsize=9)
    axis.grid(True, color="0.9")
    axis.set_axisbelow(True)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    if panel.lines:
        more = None if not panel.left_out else f"{panel.left_out} more change less"
        axis.legend(
            loc="center left",
            bbox_to_anchor=(1.01, 0.5),
            fontsize=7,
            frameon=False,
            title=more,
            title_fontsize=7,
        )
    else:
        axis.text(0.5, 0.5, "nothing", transform=axis.transAxes, ha="center", color="0.5")
