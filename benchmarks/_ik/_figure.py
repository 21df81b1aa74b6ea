"""A picture of the calls: how many targets are reached in how much time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks._ik._calls import Score, Scores

_WIDTH, _HEIGHT, _DPI = 2.4, 3.0, 110
_RANGE = 1e-5, 0.1
_TICKS = 1e-4, 1e-3, 1e-2


def draw(scores: Scores, arms: Sequence[str], path: Path) -> None:
    """One panel an arm, one line a library: share of targets reached within a time.

    Raises ImportError where matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH * len(arms) + 1.6, _HEIGHT), layout="constrained")
    panels = figure.subplots(1, len(arms), sharey=True, squeeze=False)[0]
    for panel, arm in zip(panels, arms, strict=True):
        for number, (name, by_arm) in enumerate(scores.items()):
            if arm in by_arm:
                width = 2.5 if name == "kido" else 1.2
                panel.step(
                    *_curve(by_arm[arm]), where="post", label=name, color=f"C{number}", linewidth=width
                )
        panel.set(xscale="log", xlim=_RANGE, ylim=(0.0, 102.0), title=arm, xlabel="time of one call [s]")
        panel.set_xticks(_TICKS)  # none at the edges, where labels of two panels would meet
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("targets reached [%]")
    handles = {line.get_label(): line for panel in panels for line in panel.get_lines()}
    figure.legend(handles.values(), handles.keys(), loc="outside right center", frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=_DPI)


def _curve(score: Score) -> tuple[np.ndarray, np.ndarray]:
    times = np.sort(score.timed.times[score.reached])
    shares = 100.0 * np.arange(1, len(times) + 1) / len(score.timed.times)
    ends = shares[-1:] if len(shares) else np.zeros(1)
    return np.concatenate([times, [_RANGE[1]]]), np.concatenate([shares, ends])
