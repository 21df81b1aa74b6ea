"""The torques that hold a robot still against gravity."""

from __future__ import annotations

import numpy as np
from rich.console import Console

from kido import Tree
from kido.cli import decimals, print_table
from kido.typing import FloatArray

__all__ = ["middle_positions", "positions_within", "print_gravity_torques"]

_NO_SHARE = ""


def middle_positions(tree: Tree) -> FloatArray:
    """The middle between the limits (num_dofs,) [rad, m]; as near to zero as can be where one is missing."""
    return positions_within(tree, 0.5)


def positions_within(tree: Tree, share: float) -> FloatArray:
    """So far on the way from the lower limits to the upper ones (num_dofs,) [rad, m]; as near to zero as can
    be where one is missing."""
    both = np.isfinite(tree.lower_limits) & np.isfinite(tree.upper_limits)
    q = tree.positions()
    q[both] = tree.lower_limits[both] + share * (tree.upper_limits[both] - tree.lower_limits[both])
    return q


def print_gravity_torques(console: Console, tree: Tree) -> None:
    """Print the gravity compensation of each degree of freedom, two thirds of the way between its limits.

    In the middle, many an arm stands upright and holds itself.
    """
    q = positions_within(tree, 2.0 / 3.0)
    tau = tree.gravity_forces(q)
    rows = (
        (name, decimals(position), decimals(force), _share(force, limit))
        for name, position, force, limit in zip(tree.dof_names, q, tau, tree.effort_limits, strict=True)
    )
    header = ("degree of freedom", "position [rad, m]", "holding torque [N m, N]", "of its limit")
    title = f"Gravity compensation of {tree.name}, every joint two thirds of the way between its limits"
    print_table(console, title, header, rows, numbers=header[1:])


def _share(force: float, limit: float) -> str:
    return f"{abs(force) / limit:.1%}" if np.isfinite(limit) and limit > 0.0 else _NO_SHARE
