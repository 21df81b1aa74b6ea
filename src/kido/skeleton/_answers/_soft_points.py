"""Point masses around bodies as equations of motion have them.

A point moves with its body and, by x, beside it. The dofs q and the x of all points that are not frozen are
the coordinates of one coupled system. Forces of springs and dampers act along x alone, so that a body feels
of its points what their inertia makes of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kido.skeleton._answers._answers import Answers
from kido.skeleton._data import ACCELERATION, GRAVITY
from kido.tree import INERTIA, Tree
from kido.typing import FloatArray

__all__ = [
    "PointMotion",
    "SoftCache",
    "core_rows",
    "gravity_on",
    "point_motions",
    "tree_as_it_is",
    "with_inertias",
]

_UPPER = np.triu_indices(3)


class SoftCache(dict[str, tuple[int, Any]]):
    """Answers of a skeleton with point masses, which hold as long as these are where they were."""

    def __init__(self, softs: tuple[tuple[int, Any], ...]) -> None:
        super().__init__()
        self._softs = softs
        self._version = -1

    def get(self, name: str, default: Any = None) -> Any:
        """The answer of this name; None where it holds no more."""
        version = sum(node._soft.version for _, node in self._softs)
        if version != self._version:
            self.clear()
            self._version = version
        return super().get(name, default)


@dataclass(frozen=True)
class PointMotion:
    """Motion of the points around a body, in its axes.

    Attributes:
        body: index of the body.
        node: the skin.
        axes: (3, 3) of the body, in the world's.
        places: (n, 3) from the body's origin [m].
        spin: angular velocity (3,) of the body [rad/s].
        accelerations: (n, 3) in the world, less gravity where it acts [m/s^2].
    """

    body: int
    node: Any
    axes: FloatArray
    places: FloatArray
    spin: FloatArray
    accelerations: FloatArray

    def wrench(self, forces: FloatArray) -> FloatArray:
        """Torque and force (6,) about the body's origin, of forces on the points (n, 3) [N m, N]."""
        return np.concatenate([np.cross(self.places, forces).sum(axis=0), forces.sum(axis=0)])


def point_motions(
    answers: Answers, *, dofs: bool, beside: bool, state: FloatArray | None = None, duration: float = 0.0
) -> list[PointMotion]:
    """Motion of the points around all bodies that have some.

    Args:
        answers: of the skeleton.
        dofs: whether the dofs accelerate as they do; else they do not.
        beside: whether the points accelerate beside their bodies as they do; else they do not.
        state: positions, velocities and accelerations (3, num_dofs); None: those of now.
        duration: how long ago that was, in which the points have kept their accelerations [s].
    """
    tree = answers.ready_tree()
    q, v = (answers.q, answers.v) if state is None else (state[0], state[1])
    a = (answers.data.state if state is None else state)[ACCELERATION] if dofs else np.zeros(len(q))
    poses = tree.forward_kinematics(q)
    velocities = tree.body_velocities(q, v, frame="body")
    accelerations = tree.body_accelerations(q, v, a, frame="body")
    found = []
    for body, node in answers.softs:
        soft, spin = node._soft, velocities[body, :3]
        speeds = soft.velocities - duration * soft.accelerations
        places = node.skin.points + soft.displacements - duration * soft.velocities
        origin = accelerations[body, 3:] - poses[body, :3, :3].T @ gravity_on(answers, body)
        turning = np.cross(spin, np.cross(spin, places) + 2.0 * speeds)
        seen = origin + np.cross(accelerations[body, :3], places) + turning
        found.append(
            PointMotion(body, node, poses[body, :3, :3], places, spin, seen + soft.accelerations * beside)
        )
    return found


def gravity_on(answers: Answers, body: int) -> FloatArray:
    """Gravity (3,) on a body and its points [m/s^2]; zero where it leaves them alone."""
    return answers.gravity if answers.data.codes[body, GRAVITY] else np.zeros(3)


def tree_as_it_is(answers: Answers) -> Tree:
    """The tree whose bodies have their points where these are now, and do not move beside them."""
    if not answers.softs:
        return answers.ready_tree()
    rows = core_rows(answers)
    for body, node in answers.softs:
        _add(rows[body], node.skin.mass, node.skin.points + node._soft.displacements)
    return with_inertias(answers, rows)


def with_inertias(answers: Answers, rows: FloatArray) -> Tree:
    """The tree with other inertias: mass, first and second moment (num_bodies, 10) about the bodies'
    origins."""
    tree = answers.ready_tree()
    numbers = tree._rows.numbers.copy()
    for body, _ in answers.softs:
        numbers[body, INERTIA] = _central(rows[body])
    return Tree(replace(tree._rows, numbers=numbers), name=tree.name, gravity=answers.gravity)


def core_rows(answers: Answers) -> FloatArray:
    """Mass, first and second moment (num_bodies, 10) about the origins of all bodies, without points."""
    rows = answers.data.rows[:, INERTIA].copy()
    for body, node in answers.softs:
        mass, center = rows[body, 0], rows[body, 1:4].copy()
        rows[body, 1:4] *= mass
        rows[body, 4:] += mass * _square(center)
        _add(rows[body], -node.skin.mass, node.skin.points)
    return rows


def _square(p: FloatArray) -> FloatArray:
    """Second moment (6,) of a unit of mass at a place (3,)."""
    return np.asarray((p @ p * np.eye(3) - np.outer(p, p))[_UPPER])


def _add(row: FloatArray, masses: FloatArray, places: FloatArray) -> None:
    weighted = masses[:, None] * places
    row[0] += masses.sum()
    row[1:4] += weighted.sum(axis=0)
    row[4:] += ((weighted * places).sum() * np.eye(3) - weighted.T @ places)[_UPPER]


def _central(row: FloatArray) -> FloatArray:
    """Mass, center and moment about it (10,)."""
    mass = row[0]
    if mass <= 0.0:
        return np.concatenate([np.zeros(4), np.maximum(mass, 0.0) * row[4:]])
    center = row[1:4] / mass
    return np.concatenate([[mass], center, row[4:] - mass * _square(center)])
