"""The picture of a workspace: its cloud of positions from the side and from above."""

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
    from matplotlib.collections import PathCollection
    from matplotlib.figure import Figure

__all__ = ["plot_workspace"]

_AXES = "xyz"
_MARGIN = 0.04


def plot_workspace(robot: RobotDescription, tree: Tree, q: FloatArray, workspace: Workspace) -> Figure:
    """Draw the workspace in two views, coloured by manipulability; the robot at q (num_dofs,) [rad, m]."""
    count = f"{len(workspace.points):,}".replace(",", " ")
    title = f"{robot.name}: where {workspace.body} can be, {count} random configurations"
    figure = make_figure(12.0, 5.9, title)
    values, label = _colours(workspace)
    bones = _bones(robot, tree.forward_kinematics(q))
    joints = bones.reshape(-1, 3)
    views = _views(joints if len(joints) else workspace.points)
    for axes, view in zip(figure.subplots(1, 2), views, strict=True):
        cloud = _draw_cloud(axes, view, workspace.points, values)
        _draw_bones(axes, view, bones)
        _frame(axes, view, np.concatenate([workspace.points, joints]))
    figure.colorbar(cloud, ax=figure.axes, label=label, shrink=0.85, aspect=30)
    return figure


def _views(points: FloatArray) -> tuple[tuple[str, int, int], ...]:
    """Title, axis across and axis up; the first is the one from which the points lie wider apart."""
    across = int(np.ptp(points[:, :2], axis=0).argmax())
    return (("From the side", "From the front")[across], across, 2), ("From above", 0, 1)


def _colours(workspace: Workspace) -> tuple[FloatArray, str]:
    top = float(workspace.manipulability.max(initial=0.0))
    if top > 1e-9:
        return workspace.manipulability, "manipulability of the position,  √det(J Jᵀ)  [SI]"
    return workspace.points[:, 2], "height  [m]"


def _draw_cloud(
    axes: Axes, view: tuple[str, int, int], points: FloatArray, values: FloatArray
) -> PathCollection:
    _, across, up = view
    lowest, highest = np.percentile(values, (1.0, 99.0))
    return axes.scatter(
        points[:, across],
        points[:, up],
        c=values,
        s=1.2,
        linewidths=0.0,
        cmap="viridis",
        vmin=lowest,
        vmax=highest,
        rasterized=True,
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
