"""Arms with prismatic joints and arms of few joints, by names and at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from _arms import Arm, Array
from scipy.spatial.transform import Rotation

from kido.ik import ClosedForm

X, Y, Z = np.eye(3)

Row = tuple[str, Array, tuple[float, float, float]]


def arm_of(*rows: Row) -> Arm:
    """Rows (R or P, axis, point); the tool is 0.1 m above the last point."""
    tool = np.eye(4)
    tool[:3, 3] = rows[-1][2]
    tool[2, 3] += 0.1
    axes = np.array([axis for _, axis, _ in rows])
    return Arm(axes, np.array([point for _, _, point in rows]), tool, tuple(row[0] == "P" for row in rows))


def wrist(x: float, y: float, z: float, axes: Sequence[Array] = (Z, Y, Z)) -> list[Row]:
    return [("R", axis, (x, y, z)) for axis in axes]


def random_arm(pattern: str, rng: np.random.Generator) -> Arm:
    """Joints as in "RRP" with axes, points and a tool without relation."""
    axes = rng.normal(size=(len(pattern), 3))
    tool = np.eye(4)
    tool[:3, :3], tool[:3, 3] = Rotation.random(rng=rng).as_matrix(), rng.uniform(-0.5, 0.5, 3)
    return Arm(
        axes / np.linalg.norm(axes, axis=1, keepdims=True),
        rng.uniform(-0.5, 0.5, (len(pattern), 3)),
        tool,
        tuple(joint == "P" for joint in pattern),
    )


def with_wrist(arm: Arm) -> Arm:
    """The last three axes through one point."""
    points = arm.points.copy()
    points[-3:] = points[-1]
    return replace(arm, points=points)


def with_parallel_revolute(arm: Arm, rng: np.random.Generator, level: bool = False) -> Arm:
    """All axes of revolute joints parallel, either way; prismatic joints normal to them if level."""
    axes, h = arm.axes.copy(), np.array([0.36, 0.48, 0.8])
    for k, is_prismatic in enumerate(arm.is_prismatic):
        if not is_prismatic:
            axes[k] = h * rng.choice([-1.0, 1.0])
        elif level:
            axes[k] -= h * (h @ axes[k])
            axes[k] /= np.linalg.norm(axes[k])
    return replace(arm, axes=axes)


def form_of(arm: Arm) -> ClosedForm:
    return ClosedForm.from_axes(arm.axes, arm.points, tool=arm.tool, is_prismatic=arm.is_prismatic)


def drawn(arm: Arm, rng: np.random.Generator, count: int, reach: float = 1.0) -> Array:
    """Positions (count, n): angles on the whole circle, lengths up to reach [m] either way."""
    shape = (count, arm.joints)
    return np.where(arm.is_prismatic, rng.uniform(-reach, reach, shape), rng.uniform(-np.pi, np.pi, shape))


def gap(arm: Arm, a: Array, b: Array) -> Array:
    """Largest difference [rad, m] of positions (..., n)."""
    return np.abs(np.where(arm.is_prismatic, a - b, (a - b + np.pi) % (2 * np.pi) - np.pi)).max(axis=-1)


STANFORD = arm_of(("R", Z, (0, 0, 0)), ("R", X, (0, 0, 0.4)), ("P", Z, (0.15, 0, 0.4)), *wrist(0.15, 0, 0.7))
CYLINDRICAL = arm_of(("R", Z, (0, 0, 0)), ("P", Z, (0, 0, 0.4)), ("P", X, (0, 0, 0.4)), *wrist(0.4, 0.1, 0.4))
GANTRY = arm_of(("P", X, (0, 0, 0)), ("P", Y, (0, 0, 0)), ("P", Z, (0, 0, 0)), *wrist(0, 0, 0))
SCARA = arm_of(("R", Z, (0, 0, 0)), ("R", Z, (0.4, 0, 0)), ("P", -Z, (0.7, 0, 0)), ("R", Z, (0.7, 0, 0)))
PLANAR = arm_of(("R", Z, (0, 0, 0)), ("R", Z, (0.4, 0, 0)), ("R", Z, (0.7, 0, 0)))

WRISTED = {
    "Stanford": STANFORD,
    "Stanford with an offset shoulder": arm_of(
        ("R", Z, (0, 0, 0)), ("R", X, (0, 0.1, 0.4)), ("P", Z, (0.15, 0.1, 0.4)), *wrist(0.15, 0.1, 0.7)
    ),
    "cylindrical": CYLINDRICAL,
    "cylindrical, lift first": arm_of(
        ("P", Z, (0, 0, 0)), ("R", Z, (0, 0, 0.4)), ("P", X, (0, 0, 0.4)), *wrist(0.4, 0, 0.4)
    ),
    "SCARA with a wrist": arm_of(
        ("R", Z, (0, 0, 0)), ("R", Z, (0.4, 0, 0)), ("P", Z, (0.7, 0, 0)), *wrist(0.7, 0, 0, (X, Y, Z))
    ),
    "lift between parallel axes": arm_of(
        ("R", Z, (0, 0, 0)), ("P", Z, (0.4, 0, 0)), ("R", Z, (0.4, 0, 0)), *wrist(0.7, 0, 0, (X, Y, Z))
    ),
    "slide across the first axis": arm_of(
        ("R", Z, (0, 0, 0)), ("P", X, (0, 0, 0.2)), ("R", Y, (0.4, 0, 0.2)), *wrist(0.7, 0, 0.2, (X, Y, X))
    ),
    "rail first": arm_of(
        ("P", X, (0, 0, 0)), ("R", Z, (0, 0, 0.2)), ("R", Y, (0, 0, 0.4)), *wrist(0.5, 0.1, 0.4, (X, Y, X))
    ),
    "rail first, parallel axes": arm_of(
        ("P", Y, (0, 0, 0)), ("R", Y, (0, 0, 0.2)), ("R", Y, (0.4, 0, 0.2)), *wrist(0.8, 0.1, 0.2, (X, Y, X))
    ),
}
"""Six joints with a spherical wrist."""

COUNTS = {
    "Stanford": 8,
    "Stanford with an offset shoulder": 8,
    "cylindrical": 4,
    "cylindrical, lift first": 4,
    "SCARA with a wrist": 4,
    "lift between parallel axes": 4,
    "slide across the first axis": 8,
    "rail first": 8,
    "rail first, parallel axes": 4,
}
"""Solutions of almost all targets in reach: two for each square root, and two of the wrist."""

OTHERS = {
    "gantry": (GANTRY, "gantry", 2),
    "machine tool": (
        arm_of(("P", X, (0, 0, 0)), *[("P", k, (0, 0, 0)) for k in (Y, Z)], *wrist(0, 0, 0, (Z, X))),
        "gantry",
        1,
    ),
    "palletizer": (arm_of(*[("P", k, (0, 0, 0)) for k in (X, Y, Z)], ("R", Z, (0, 0, 0))), "gantry", 1),
    "pan and tilt": (arm_of(("R", Z, (0, 0, 0)), ("R", Y, (0.1, 0, 0.3))), "orientation first", 1),
    "ball-like": (arm_of(*wrist(0, 0, 0)), "orientation first", 2),
    "SCARA": (SCARA, "SCARA", 2),
    "SCARA, lift first": (
        arm_of(("P", Z, (0, 0, 0)), *[("R", Z, (x, 0, 0)) for x in (0, 0.4, 0.7)]),
        "SCARA",
        2,
    ),
    "SCARA, lift last": (
        arm_of(*[("R", Z, (x, 0, 0)) for x in (0, 0.4, 0.7)], ("P", -Z, (0.7, 0, 0))),
        "SCARA",
        2,
    ),
    "SCARA with an arm that extends": (
        arm_of(("R", Z, (0, 0, 0)), ("P", X, (0.4, 0, 0)), ("P", Z, (0.4, 0, 0)), ("R", Z, (0.7, 0, 0))),
        "SCARA",
        2,
    ),
    "planar": (PLANAR, "planar", 2),
    "planar on a rail": (
        arm_of(("P", X, (0, 0, 0)), ("R", Z, (0.4, 0, 0)), ("R", Z, (0.7, 0, 0))),
        "planar",
        2,
    ),
}
"""Arm, family and number of solutions."""
