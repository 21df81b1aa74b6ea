"""A figure of the ratios: how many times as fast kido is as each library, scene by scene."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

_COLORS = {
    "mujoco": "#1f77b4",
    "dartpy": "#d62728",
    "pybullet": "#2ca02c",
    "sapien": "#9467bd",
    "rapier3d": "#ff7f0e",
}


def draw(rows: list[dict[str, Any]], names: list[str], path: Path) -> None:
    """Ratios on a logarithmic axis; hollow marks are peers with more than ten times kido's depth."""
    figure, axes = plt.subplots(figsize=(8.0, 0.36 * len(rows) + 1.4))
    for line, row in enumerate(reversed(rows)):
        own = row["kido"]
        for name in names:
            peer = row["peers"][name]
            if not peer["speed"]:
                continue
            library, _, tuned = name.partition(" ")
            color = _COLORS.get(library, "gray")
            filled = peer["depth"] <= 10.0 * own["depth"]
            axes.plot(
                own["speed"] / peer["speed"],
                line,
                "s" if tuned else "o",
                color=color,
                markerfacecolor=color if filled else "none",
                markersize=6,
            )
        axes.plot(row["target"], line, "|", color="black", markersize=12)
    axes.set_yticks(range(len(rows)), [row["scene"] for row in reversed(rows)])
    axes.set_xscale("log")
    axes.axvline(1.0, color="gray", linewidth=0.8)
    axes.set_xlabel("how many times as fast kido is (squares: tuned; hollow: deeper; bar: target)")
    handles = [
        plt.Line2D([], [], marker="o", linestyle="", color=color, label=name)
        for name, color in _COLORS.items()
        if name in names
    ]
    axes.legend(handles=handles, fontsize=8, loc="lower right")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
