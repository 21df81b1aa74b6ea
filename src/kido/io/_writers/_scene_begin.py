"""Scenes whose free bodies are where the scene begins, for formats that have them at one place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kido.description import (
    OBJECT_JOINT,
    JointDescription,
    JointState,
    JointType,
    NamedState,
    ObjectPlacement,
    RobotPlacement,
    SceneDescription,
)
from kido.io._writers._losses import Losses
from kido.io._writers._pose_text import inverse
from kido.math import so3_exp, so3_log
from kido.typing import FloatArray

__all__ = ["at_its_beginning"]

Key = tuple[str, str]


def at_its_beginning(scene: SceneDescription, losses: Losses) -> SceneDescription:
    """The same scene with free joints on the world at zero in the state in which it begins.

    Positions of such joints in all states count from there, which is reported. A state that says nothing any
    more is left out.
    """
    if scene.initial_state is None:
        return scene
    begin = scene.state(scene.initial_state)
    free = _free_joints(scene)
    moved = {
        (state.owner, state.joint): _pose(state.positions)
        for state in begin.joints
        if (state.owner, state.joint) in free and state.positions is not None and state.positions.any()
    }
    if not moved:
        return scene
    for owner, joint in moved:
        how = f"the positions of {owner!r} count from where the scene begins, state {begin.name!r}"
        losses.substituted("joint", joint, how)
    states = {state.name: _counted(state, moved) for state in scene.states}
    is_rest = scene.initial_state if _says_nothing(states[scene.initial_state]) else None
    return replace(
        scene,
        robots=[_placed_robot(placed, moved) for placed in scene.robots],
        objects=[_placed_object(placed, moved) for placed in scene.objects],
        states=[state for name, state in states.items() if name != is_rest],
        initial_state=None if is_rest else scene.initial_state,
    )


def _free_joints(scene: SceneDescription) -> set[Key]:
    """Free joints on the world whose frame in the link is the link's own."""
    joints = {
        (placed.name, joint.name)
        for placed in scene.robots
        for joint in placed.robot.root_joints
        if joint.type is JointType.FREE and (joint.T_child_joint == np.eye(4)).all()
    }
    return joints | {(placed.name, OBJECT_JOINT) for placed in scene.objects if not placed.fixed}


def _pose(positions: FloatArray) -> FloatArray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = so3_exp(positions[:3]), positions[3:]
    return T


def _counted(state: NamedState, moved: dict[Key, FloatArray]) -> NamedState:
    """A state whose positions count from where joints begin; a joint that it does not tell was at zero."""
    told = {(joint.owner, joint.joint): joint for joint in state.joints}
    for key, T in moved.items():
        joint = told.get(key, JointState(*key))
        there = np.zeros(6) if joint.positions is None else joint.positions
        T_begin_there = inverse(T) @ _pose(there)
        positions = np.concatenate([so3_log(T_begin_there[:3, :3]), T_begin_there[:3, 3]])
        told[key] = replace(joint, positions=np.where(np.abs(positions) < _ROUNDING, 0.0, positions))
    return replace(state, joints=list(told.values()))


_ROUNDING = 1e-15
"""Positions [rad, m] that are zero but for rounding."""


def _says_nothing(state: NamedState) -> bool:
    numbers = (
        array for joint in state.joints for array in (joint.positions, joint.velocities, joint.commands)
    )
    return state.time == 0.0 and not any(array is not None and array.any() for array in numbers)


def _placed_robot(placed: RobotPlacement, moved: dict[Key, FloatArray]) -> RobotPlacement:
    def begun(joint: JointDescription) -> JointDescription:
        T = moved.get((placed.name, joint.name))
        return joint if T is None else replace(joint, T_parent_joint=joint.T_parent_joint @ T)

    robot = placed.robot
    return replace(placed, robot=replace(robot, joints=[begun(joint) for joint in robot.joints]))


def _placed_object(placed: ObjectPlacement, moved: dict[Key, FloatArray]) -> ObjectPlacement:
    T = moved.get((placed.name, OBJECT_JOINT))
    return placed if T is None else replace(placed, T_world_link=placed.T_world_link @ T)
