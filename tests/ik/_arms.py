"""Arms by their Denavit-Hartenberg rows, their motion by elementary ones, and a numerical search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
RIGHT = np.pi / 2


def turn(axis: Array, angle: Array) -> Array:
    """Rotations (..., 3, 3) about one axis (3,) by angles (...)."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    s, c = np.sin(angle)[..., None, None], np.cos(angle)[..., None, None]
    return np.eye(3) + s * K + (1 - c) * (K @ K)


@dataclass(frozen=True)
class Arm:
    """Axes and points on them at zero, the tool's pose there, and prismatic joints (none by default)."""

    axes: Array
    points: Array
    tool: Array
    is_prismatic: tuple[bool, ...] = ()

    @property
    def joints(self) -> int:
        return len(self.axes)

    def forward(self, q: Array) -> Array:
        """Poses of the tool (..., 4, 4)."""
        return self._carriers(q)[-1] @ self.tool

    def jacobian(self, q: Array) -> Array:
        """Velocity of the tool, angular first, in base axes (..., 6, n)."""
        return self.forward_and_jacobian(q)[1]

    def forward_and_jacobian(self, q: Array) -> tuple[Array, Array]:
        """Both of them."""
        carriers = self._carriers(q)
        T_tool = carriers[-1] @ self.tool
        end = T_tool[..., :3, 3]
        columns = []
        for k, T in enumerate(carriers[:-1]):
            axis = T[..., :3, :3] @ self.axes[k]
            at = T[..., :3, :3] @ self.points[k] + T[..., :3, 3]
            pair = [np.zeros_like(axis), axis] if self._is_prismatic(k) else [axis, np.cross(axis, end - at)]
            columns.append(np.concatenate(pair, axis=-1))
        return T_tool, np.stack(columns, axis=-1)

    def _carriers(self, q: Array) -> list[Array]:
        """What carries each joint, and what the last one carries: motions (..., 4, 4) from zero."""
        carriers = [np.broadcast_to(np.eye(4), (*q.shape[:-1], 4, 4))]
        for k in range(self.joints):
            carriers.append(carriers[-1] @ self._motion(k, q[..., k]))
        return carriers

    def _is_prismatic(self, k: int) -> bool:
        return bool(self.is_prismatic) and self.is_prismatic[k]

    def _motion(self, k: int, q: Array) -> Array:
        E = np.broadcast_to(np.eye(4), (*q.shape, 4, 4)).copy()
        if self._is_prismatic(k):
            E[..., :3, 3] = q[..., None] * self.axes[k]
        else:
            E[..., :3, :3] = turn(self.axes[k], q)
            E[..., :3, 3] = self.points[k] - E[..., :3, :3] @ self.points[k]
        return E

    def moved(self, by: Array) -> Arm:
        """The same arm with its base elsewhere."""
        R, p = by[:3, :3], by[:3, 3]
        return Arm(self.axes @ R.T, self.points @ R.T + p, by @ self.tool, self.is_prismatic)

    def reversed(self) -> Arm:
        """From tool to base: the wrist becomes the shoulder."""
        return Arm(-self.axes[::-1], self.points[::-1], self.tool, self.is_prismatic[::-1])


def search(arm: Arm, target: Array, starts: Array, free: Sequence[int]) -> Array:
    """Solutions of Newton's method from many starts: positions that reach the target to 1e-9."""
    q = starts.copy()
    for _ in range(60):
        T, jacobian = arm.forward_and_jacobian(q)
        D = target[:3, :3] @ np.swapaxes(T[:, :3, :3], 1, 2)
        angular = 0.5 * np.stack(
            [D[:, 2, 1] - D[:, 1, 2], D[:, 0, 2] - D[:, 2, 0], D[:, 1, 0] - D[:, 0, 1]], -1
        )
        error = np.concatenate([angular, target[:3, 3] - T[:, :3, 3]], axis=-1)
        J = jacobian[:, :, free]
        some = min(6, len(free))
        damping = (1e-2 * np.sum(error**2, axis=-1)[:, None, None] + 1e-14) * np.eye(some)
        JT, e = np.swapaxes(J, 1, 2), error[..., None]
        step = (
            JT @ np.linalg.solve(J @ JT + damping, e)
            if some == 6
            else np.linalg.solve(JT @ J + damping, JT @ e)
        )
        q[:, free] += step[..., 0]
    return q[np.abs(arm.forward(q) - target).max(axis=(1, 2)) < 1e-9]


def apart(a: Array, b: Array) -> Array:
    """Largest difference of angles (...) of positions (..., n)."""
    return np.abs((a - b + np.pi) % (2 * np.pi) - np.pi).max(axis=-1)


def _offset(a: float, alpha: float) -> Array:
    c, s = np.cos(alpha), np.sin(alpha)
    return np.array([[1, 0, 0, a], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def _rise(d: float) -> Array:
    T = np.eye(4)
    T[2, 3] = d
    return T


def standard(rows: Sequence[tuple[float, float, float]]) -> Arm:
    """Rows (a, alpha, d): the rise along an axis, then the offset to the next [m, rad, m]."""
    axes, points, T = [], [], np.eye(4)
    for a, alpha, d in rows:
        axes.append(T[:3, 2])
        points.append(T[:3, 3])
        T = T @ _rise(d) @ _offset(a, alpha)
    return Arm(np.array(axes), np.array(points), T)


def modified(rows: Sequence[tuple[float, float, float]]) -> Arm:
    """Rows (a, alpha, d): the offset to an axis, then the rise along it (Craig)."""
    axes, points, T = [], [], np.eye(4)
    for a, alpha, d in rows:
        T = T @ _offset(a, alpha) @ _rise(d)
        axes.append(T[:3, 2])
        points.append(T[:3, 3])
    return Arm(np.array(axes), np.array(points), T)


_WRIST = [(0, RIGHT, 0.4), (0, -RIGHT, 0), (0, 0, 0.1)]

PUMA = standard(
    [
        (0, RIGHT, 0.67),
        (0.4318, 0, 0),
        (0.0203, -RIGHT, 0.15),
        (0, RIGHT, 0.4318),
        (0, -RIGHT, 0),
        (0, 0, 0.1),
    ]
)
KUKA_KR = standard(
    [
        (0.26, -RIGHT, 0.675),
        (0.68, 0, 0),
        (-0.035, -RIGHT, 0),
        (0, RIGHT, -0.67),
        (0, -RIGHT, 0),
        (0, 0, -0.158),
    ]
)
UR5 = standard(
    [
        (0, RIGHT, 0.0892),
        (-0.425, 0, 0),
        (-0.3922, 0, 0),
        (0, RIGHT, 0.1092),
        (0, -RIGHT, 0.0947),
        (0, 0, 0.0823),
    ]
)
IIWA = standard(
    [
        *[(0, -RIGHT, 0.36), (0, RIGHT, 0), (0, RIGHT, 0.42), (0, -RIGHT, 0)],
        *[(0, -RIGHT, 0.4), (0, RIGHT, 0), (0, 0, 0.126)],
    ]
)
PANDA = modified(
    [
        *[(0, 0, 0.333), (0, -RIGHT, 0), (0, RIGHT, 0.316), (0.0825, RIGHT, 0)],
        *[(-0.0825, -RIGHT, 0.384), (0, RIGHT, 0), (0.088, RIGHT, 0.107)],
    ]
)
XARM7 = modified(
    [
        *[(0, 0, 0.267), (0, -RIGHT, 0), (0, RIGHT, 0.293), (0.0525, RIGHT, 0)],
        *[(0.0775, RIGHT, 0.3425), (0, RIGHT, 0), (0.076, -RIGHT, 0.097)],
    ]
)

WRISTS = {
    "puma": PUMA,
    "kuka kr": KUKA_KR,
    "oblique wrist": standard(
        [(0, RIGHT, 0.3), (0.4, 0, 0), (0.1, -RIGHT, 0.1), (0, 1.0, 0.4), (0, -1.0, 0), (0, 0, 0.1)]
    ),
    "axes 2 and 3 meet": standard([(0.2, 1.1, 0.3), (0, 0.9, 0), (0.2, -1.3, 0.2), *_WRIST]),
    "axes 1 and 2 parallel": standard([(0.4, 0, 0.3), (0.2, 1.1, 0.1), (0.25, -1.3, 0.2), *_WRIST]),
    "no axes before the wrist related": standard(
        [(0.2, 1.1, 0.3), (0.4, 0.7, 0.1), (0.25, -1.3, 0.2), *_WRIST]
    ),
}
PARALLELS = {
    "ur5": UR5,
    "axes 5 and 6 apart": standard(
        [(0.1, RIGHT, 0.3), (0.4, 0, 0), (0.35, 0, 0.1), (0.05, RIGHT, 0.1), (0.07, -1.2, 0.09), (0, 0, 0.08)]
    ),
    "first three": standard(
        [(0.3, 0, 0.1), (0.4, 0, 0), (0.05, RIGHT, 0.1), (0.04, 1.2, 0.2), (0.03, -RIGHT, 0.1), (0, 0, 0.08)]
    ),
    "an axis the other way": standard(
        [
            (0.1, RIGHT, 0.3),
            (0.4, np.pi, 0),
            (0.35, 0, 0.1),
            (0.05, RIGHT, 0.1),
            (0.07, -1.2, 0.09),
            (0, 0, 0.08),
        ]
    ),
}
SEVEN = {"iiwa": IIWA, "panda": PANDA, "xarm7": XARM7}

GENERAL = standard(
    [(0.2, 1.1, 0.3), (0.4, 0.7, 0.1), (0.25, -1.3, 0.2), (0.1, RIGHT, 0.4), (0.2, -1.2, 0.1), (0, 0, 0.1)]
)
"""Six joints of which no three axes are related."""
