"""A skeleton drawn as sticks from joint to joint: what is seen of a model without shapes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kido.skeleton import BodyNode, EndEffector, FreeJoint, Joint, Skeleton
from kido.typing import FloatArray
from kido.view._color import BLUE, ORANGE, SLATE, STEEL
from kido.view._solid import aligned, ball, box, cylinder, rod
from kido.view._surface import Surface

__all__ = ["stick_figure"]

_STICK, _RAIL, _DRUM, _DRUM_LENGTH, _COM = 0.010, 0.004, 0.016, 0.055, 0.018
"""Radius of sticks and rails, radius and length of drums, radius of the heaviest ball, by the size."""
_ROOMY, _LEAST = 0.15, 0.25
"""Sticks shorter than `_ROOMY` have smaller joints at their ends, down to the `_LEAST` scale."""
_SLIGHT = 1e-9
"""Numbers below this are taken for rounding."""


def stick_figure(skeleton: Skeleton) -> Iterator[Surface]:
    """Sticks from joint to joint, drums along axes of rotation, bars along axes of translation, and balls at
    centers of mass, the larger the heavier; in world coordinates."""
    size = _size(skeleton)
    heaviest = max((body.mass for body in skeleton.bodies), default=0.0)
    for body in skeleton.bodies:
        near = _nearby(body)
        local = size * float(np.clip(near / (_ROOMY * size), _LEAST, 1.0)) if near > 0.0 else size
        yield from _sticks(body, size, local)
        yield from _joint(body.parent_joint, local)
        if body.mass > 0.0:
            radius = _COM * size * float(np.cbrt(body.mass / heaviest))
            yield ball(radius).moved(_translation(body.com())).painted(BLUE)


def _sticks(body: BodyNode, size: float, local: float) -> Iterator[Surface]:
    """From the joint of a body to what it carries; a thin one to its center of mass, unless that is all."""
    start = _moving_side(body.parent_joint)[:3, 3]
    ends = _ends(body)
    for end in ends:
        if np.linalg.norm(end - start) > _SLIGHT * size:
            yield rod(start, end, _STICK * local).painted(STEEL)
    if body.mass > 0.0 and np.linalg.norm(body.com() - start) > _SLIGHT * size:
        radius = _RAIL if ends else _STICK
        yield rod(start, body.com(), radius * local).painted(STEEL)


def _joint(joint: Joint, size: float) -> Iterator[Surface]:
    if isinstance(joint, FreeJoint) or not joint.num_dofs:
        return
    fixed, moving = _fixed_side(joint)[:3, 3], _moving_side(joint)[:3, 3]
    if np.linalg.norm(moving - fixed) > _SLIGHT * size:
        yield rod(fixed, moving, _RAIL * size).painted(SLATE)
    rotations, translations = _axes(joint)
    if len(rotations) > 2:
        yield ball(1.6 * _DRUM * size).moved(_translation(moving)).painted(ORANGE)
    for axis in rotations if len(rotations) <= 2 else ():
        yield cylinder(_DRUM * size, _DRUM_LENGTH * size).moved(aligned(axis, moving)).painted(ORANGE)
    for axis in translations:
        bar = box(np.array([1.4 * _DRUM, 1.4 * _DRUM, 1.5 * _DRUM_LENGTH]) * size)
        yield bar.moved(aligned(axis, fixed)).painted(ORANGE)


def _axes(joint: Joint) -> tuple[list[FloatArray], list[FloatArray]]:
    """Directions (3,) in the world about which the child turns, and along which it moves without turning."""
    R_world_child = joint.child_body.transform()[:3, :3]
    angular, linear = np.split(R_world_child @ joint.relative_jacobian.reshape(2, 3, -1), 2)
    turning = np.linalg.norm(angular[0], axis=0) > _SLIGHT
    sliding = ~turning & (np.linalg.norm(linear[0], axis=0) > _SLIGHT)
    return list(angular[0].T[turning]), list(linear[0].T[sliding])


def _ends(body: BodyNode) -> list[FloatArray]:
    """Positions (3,) [m] of joints and end effectors on a body."""
    ends = [_fixed_side(joint)[:3, 3] for joint in body.child_joints]
    return ends + [node.transform()[:3, 3] for node in body.nodes(EndEffector)]


def _nearby(body: BodyNode) -> float:
    """Length of the longest stick at the joint of a body [m]."""
    here = _moving_side(body.parent_joint)[:3, 3]
    others = _ends(body) or [body.com()]
    if body.parent_body is not None:
        others.append(_moving_side(body.parent_body.parent_joint)[:3, 3])
    return max(float(np.linalg.norm(other - here)) for other in others)


def _size(skeleton: Skeleton) -> float:
    """Diagonal [m] of the box around joints, centers of mass and end effectors; 1 where it is 0."""
    places = [_moving_side(joint)[:3, 3] for joint in skeleton.joints]
    places += [_fixed_side(joint)[:3, 3] for joint in skeleton.joints if not isinstance(joint, FreeJoint)]
    places += [body.com() for body in skeleton.bodies if body.mass > 0.0]
    places += [node.transform()[:3, 3] for node in skeleton.nodes(EndEffector)]
    size = float(np.linalg.norm(np.ptp(places, axis=0))) if places else 0.0
    return size if size > _SLIGHT else 1.0


def _fixed_side(joint: Joint) -> FloatArray:
    T_parent_joint = joint.T_parent_joint
    return T_parent_joint if joint.parent_body is None else joint.parent_body.transform() @ T_parent_joint


def _moving_side(joint: Joint) -> FloatArray:
    return np.asarray(joint.child_body.transform() @ joint.T_child_joint)


def _translation(place: FloatArray) -> FloatArray:
    transform = np.eye(4)
    transform[:3, 3] = place
    return transform
