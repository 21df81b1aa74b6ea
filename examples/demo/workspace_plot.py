"""The picture of a workspace: where a body can be and how freely it moves there, from two sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from examples.demo.figure import BLACK, make_figure, tidy
from examples.demo.workspace import Workspace
from kido import Tree
from kido.description import RobotDescription
from kido.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure

__all__ = ["plot_workspace"]

_AXES = "xyz"
_MARGIN = 0.04
_VIEWS = (("From the side", 0, 2), ("From above", 0, 1))
"""Title, axis across and axis up."""
_CELLS = 60
"""Hexagons across a view, in each of which a mean is shown."""
_FEWEST = 2
"""Configurations that make a mean."""


def plot_workspace(robot: RobotDescription, tree: Tree, q: FloatArray, workspace: Workspace) -> Figure:
    """Draw the workspace in two views, by mean manipulability, and the robot at q (num_dofs,) [rad, m]."""
    count = f"{len(workspace.points):,}".replace(",", " ")
    title = f"{robot.name}: where {workspace.body} can be, by {count} random configurations"
    figure = make_figure(12.0, 5.9, title)
    values, label = _colours(workspace)
    bones = _bones(robot, tree.forward_kinematics(q))
    everything = np.concatenate([workspace.points, bones.reshape(-1, 3)])
    for axes, view in zip(figure.subplots(1, 2), _VIEWS, strict=True):
        cloud = _draw_means(axes, view, workspace.points, values)
        _draw_bones(axes, view, bones)
        _frame(axes, view, everything)
    bar = figure.colorbar(cloud, ax=figure.axes, shrink=0.85, aspect=30)
    bar.set_label(label, fontsize=9.5)
    return figure


def _colours(workspace: Workspace) -> tuple[FloatArray, str]:
    top = float(workspace.manipulability.max(initial=0.0))
    if top > 1e-9:
        freely = "manipulability √det(J Jᵀ) of the position, mean in each cell  [m³]"
        return workspace.manipulability, f"{freely}\n0: singular, the hand cannot move in some direction"
    return workspace.points[:, 2], "height, mean in each cell  [m]"


def _draw_means(
    axes: Axes, view: tuple[str, int, int], points: FloatArray, values: FloatArray
) -> PolyCollection:
    """Hexagons as large in all views, in the colour of the mean of what lies in them."""
    _, across, up = view
    low, high = points.min(axis=0), points.max(axis=0)
    cell = (float((high - low).max()) or 1.0) / _CELLS  # of a body that stays in one place, of any size
    spans = np.maximum(np.ceil((high - low)[[across, up]] / cell / (1.0, np.sqrt(3.0))), 1.0).astype(int)
    return axes.hexbin(
        points[:, across],
        points[:, up],
        C=values,
        reduce_C_function=np.mean,
        gridsize=(int(spans[0]), int(spans[1])),
        mincnt=_FEWEST,
        cmap="viridis",
        linewidths=0.2,
        edgecolors="face",
        vmin=0.0 if values.min() >= 0.0 else None,
    )


def _bones(robot: RobotDescription, poses: FloatArray) -> FloatArray:
    """Segments (k, 2, 3) [m] from the origin of each body's parent to its own."""
    origin = {joint.child: pose[:3, 3] for joint, pose in zip(robot.depth_first_joints(), poses, strict=True)}
    pairs = [
        (origin[joint.parent], origin[joint.child]) for joint in robot.joints if joint.parent is not None
    ]
    return np.array(pairs).reshape(-1, 2, 3)


def _draw_bones(axes: Axes, view: tuple[str, int, int], bones: FloatArray) -> None:
    _, across, up = view
    for colour, width in (("white", 5.0), (BLACK, 2.2)):
        for start, end in bones:
            xs, ys = (start[across], end[across]), (start[up], end[up])
            axes.plot(xs, ys, color=colour, lw=width, solid_capstyle="round")


def _frame(axes: Axes, view: tuple[str, int, int], points: FloatArray) -> None:
    title, across, up = view
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = (low + high) / 2.0, (0.5 + _MARGIN) * float((high - low).max())
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel(f"{_AXES[across]}  [m]")
    axes.set_ylabel(f"{_AXES[up]}  [m]")
    axes.set_xlim(middle[across] - half, middle[across] + half)
    axes.set_ylim(middle[up] - half, middle[up] + half)
    axes.set_aspect("equal")
    tidy(axes)
