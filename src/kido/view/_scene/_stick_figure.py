"""A skeleton drawn as sticks from joint to joint: what is seen of a model without shapes."""

from __future__ import annotations

import numpy as np

from kido.math import inverse_transform
from kido.skeleton import BodyNode, EndEffector, FreeJoint, Joint, RevoluteJoint, Skeleton
from kido.typing import FloatArray
from kido.view._color import BLUE, ORANGE, SLATE, STEEL
from kido.view._scene._geometry import TriangleSurface
from kido.view._scene._solid import aligned, ball, box, cylinder, rod

__all__ = ["StickFigure", "keeps_its_look", "skeleton_size"]

_STICK, _RAIL, _DRUM, _DRUM_LENGTH, _COM = 0.010, 0.004, 0.016, 0.055, 0.018
"""Radius of sticks and rails, radius and length of drums, radius of the heaviest ball, by the size."""
_ROOMY, _LEAST = 0.15, 0.25
"""Sticks shorter than `_ROOMY` have smaller joints at their ends, down to the `_LEAST` scale."""
_SLIGHT = 1e-9
"""Numbers below this are taken for rounding."""


class StickFigure:
    """Sticks from joint to joint, drums along axes of rotation, bars along axes of translation, and balls at
    centers of mass, the larger the heavier.

    Everything is in the frame of its body; it is as thick as suits the size of the skeleton as it stands.
    """

    __slots__ = ("_heaviest", "_size")

    def __init__(self, skeleton: Skeleton) -> None:
        self._size = skeleton_size(skeleton)
        self._heaviest = max((body.mass for body in skeleton.bodies), default=0.0)

    def body(self, body: BodyNode) -> TriangleSurface:
        """Items fixed to a body: its sticks and its ball."""
        size, local = self._size, self._local_size(body)
        start, com = body.parent_joint.T_child_joint[:3, 3], body.local_com
        ends = _ends(body)
        parts = [
            rod(start, end, _STICK * local).painted(STEEL)
            for end in ends
            if np.linalg.norm(end - start) > _SLIGHT * size
        ]
        if body.mass > 0.0 and np.linalg.norm(com - start) > _SLIGHT * size:
            radius = _RAIL if ends else _STICK
            parts.append(rod(start, com, radius * local).painted(STEEL))
        if body.mass > 0.0:
            radius = _COM * size * float(np.cbrt(body.mass / self._heaviest))
            parts.append(ball(radius).moved(_translation(com)).painted(BLUE))
        return TriangleSurface.joined(parts)

    def joint(self, joint: Joint) -> TriangleSurface:
        """A joint in the frame of its child as it stands now: drums, bars, and a rail along translations."""
        if isinstance(joint, FreeJoint) or not joint.num_dofs:
            return TriangleSurface.joined(())
        size = self._local_size(joint.child_body)
        moving = joint.T_child_joint[:3, 3]
        fixed = (inverse_transform(joint.relative_transform) @ joint.T_parent_joint)[:3, 3]
        parts = []
        if np.linalg.norm(moving - fixed) > _SLIGHT * size:
            parts.append(rod(fixed, moving, _RAIL * size).painted(SLATE))
        rotations, translations = _axes(joint)
        if len(rotations) > 2:
            parts.append(ball(1.6 * _DRUM * size).moved(_translation(moving)).painted(ORANGE))
        for axis in rotations if len(rotations) <= 2 else ():
            drum = cylinder(_DRUM * size, _DRUM_LENGTH * size)
            parts.append(drum.moved(aligned(axis, moving)).painted(ORANGE))
        for axis in translations:
            bar = box(1.4 * _DRUM * size, 1.4 * _DRUM * size, 1.5 * _DRUM_LENGTH * size)
            parts.append(bar.moved(aligned(axis, fixed)).painted(ORANGE))
        return TriangleSurface.joined(parts)

    def _local_size(self, body: BodyNode) -> float:
        size, near = self._size, _nearby(body)
        return size * float(np.clip(near / (_ROOMY * size), _LEAST, 1.0)) if near > 0.0 else size


def keeps_its_look(joint: Joint) -> bool:
    """Whether what is drawn of a joint stays as it is in the frame of its child, whatever its positions."""
    return joint.num_dofs == 0 or isinstance(joint, (RevoluteJoint, FreeJoint))


def _axes(joint: Joint) -> tuple[list[FloatArray], list[FloatArray]]:
    """Directions (3,) in child axes about which the child turns, and along which it moves without turning."""
    angular, linear = joint.relative_jacobian.reshape(2, 3, -1)
    turning = np.linalg.norm(angular, axis=0) > _SLIGHT
    sliding = ~turning & (np.linalg.norm(linear, axis=0) > _SLIGHT)
    return list(angular.T[turning]), list(linear.T[sliding])


def _ends(body: BodyNode) -> list[FloatArray]:
    """Positions (3,) [m] of joints and end effectors on a body, in its frame."""
    ends = [joint.T_parent_joint[:3, 3] for joint in body.child_joints]
    return ends + [node.relative_transform[:3, 3] for node in body.nodes(EndEffector)]


def _nearby(body: BodyNode) -> float:
    """Length of the longest stick at the joint of a body [m]."""
    joint = body.parent_joint
    here = joint.T_child_joint[:3, 3]
    lengths = [float(np.linalg.norm(end - here)) for end in _ends(body) or [body.local_com]]
    if body.parent_body is not None:
        above = body.parent_body.parent_joint.T_child_joint[:3, 3]
        lengths.append(float(np.linalg.norm(joint.T_parent_joint[:3, 3] - above)))
    return max(lengths, default=0.0)


def skeleton_size(skeleton: Skeleton) -> float:
    """Diagonal [m] of the box around joints, centers of mass and end effectors; 1 where it is 0."""
    places = [_moving_side(joint) for joint in skeleton.joints]
    places += [_fixed_side(joint) for joint in skeleton.joints if not isinstance(joint, FreeJoint)]
    places += [body.com() for body in skeleton.bodies if body.mass > 0.0]
    places += [node.transform()[:3, 3] for node in skeleton.nodes(EndEffector)]
    size = float(np.linalg.norm(np.ptp(places, axis=0))) if places else 0.0
    return size if size > _SLIGHT else 1.0


def _fixed_side(joint: Joint) -> FloatArray:
    T = joint.T_parent_joint
    return (T if joint.parent_body is None else joint.parent_body.transform() @ T)[:3, 3]


def _moving_side(joint: Joint) -> FloatArray:
    return np.asarray(joint.child_body.transform() @ joint.T_child_joint)[:3, 3]


def _translation(place: FloatArray) -> FloatArray:
    transform = np.eye(4)
    transform[:3, 3] = place
    return transform
