"""The positions in which a file has its bodies, where a scene begins elsewhere than at zero."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kido.description import JointDescription, JointState, JointType, NamedState, SceneDescription
from kido.math import so3_exp
from kido.typing import FloatArray

__all__ = ["Rest", "moved_by"]

_SCALAR = (JointType.REVOLUTE, JointType.PRISMATIC)


@dataclass(frozen=True)
class Rest:
    """Positions of hinges and slides by robot and joint, in which the file has the bodies.

    `state` is the scene's state of its beginning, where the positions say all of it: it needs no keyframe.
    """

    positions: Mapping[tuple[str, str], float] = field(default_factory=dict)
    state: NamedState | None = None

    @classmethod
    def of(cls, scene: SceneDescription) -> Rest:
        """Of the state in which a scene begins."""
        if scene.initial_state is None:
            return cls()
        state = scene.state(scene.initial_state)
        scalar = {
            (placed.name, joint.name)
            for placed in scene.robots
            for joint in placed.robot.joints
            if joint.type in _SCALAR
        }
        found = {
            (joint.owner, joint.joint): float(joint.positions[0])
            for joint in state.joints
            if joint.positions is not None and (joint.owner, joint.joint) in scalar
        }
        said = state.time == 0.0 and all(_is_said(joint, scalar) for joint in state.joints)
        return cls({key: q for key, q in found.items() if q}, state if said else None)

    def of_robot(self, owner: str) -> dict[str, float]:
        """Positions of the joints of a robot that are not zero."""
        return {joint: q for (robot, joint), q in self.positions.items() if robot == owner}

    def polynomial(
        self, coefficients: list[float], follower: tuple[str, str], leader: tuple[str, str] | None
    ) -> list[float]:
        """Coefficients by displacements from rest, of those by positions."""
        at_rest = 0.0 if leader is None else self.positions.get(leader, 0.0)
        moved = np.polynomial.Polynomial(coefficients)(np.polynomial.Polynomial([at_rest, 1.0]))
        shifted = [float(a) for a in moved.coef] if at_rest else list(coefficients)
        shifted[0] -= self.positions.get(follower, 0.0)
        return shifted


def moved_by(joint: JointDescription, position: float) -> FloatArray:
    """T(q) (4, 4) of a revolute or prismatic joint."""
    T = np.eye(4)
    if joint.type is JointType.PRISMATIC:
        T[:3, 3] = position * joint.axes[0]
    elif position:
        T[:3, :3] = so3_exp(position * joint.axes[0])
    return T


def _is_said(state: JointState, scalar: set[tuple[str, str]]) -> bool:
    moves = any(numbers is not None and np.any(numbers) for numbers in (state.velocities, state.commands))
    away = state.positions is not None and bool(np.any(state.positions))
    return not moves and ((state.owner, state.joint) in scalar or not away)
