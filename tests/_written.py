"""What a robot and the one that was read back have in common."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace

import numpy as np

import kido
from kido.description import (
    Diagnostic,
    FrameDescription,
    JointDescription,
    LinkDescription,
    RobotDescription,
    ShapePlacement,
)
from kido.shape import Mesh

GRAVITY = (1.0, -2.0, -9.0)


def lost(notes: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """What a writer tells, but for what it writes in other words that amount to the same."""
    return tuple(note for note in notes if note.kind != "equivalent")


def bare(robot: RobotDescription) -> RobotDescription:
    """A robot without lines, diagnostics, source and names of mesh files."""
    links = [
        replace(
            link,
            line=None,
            visuals=[_placed(placed) for placed in link.visuals],
            collisions=[_placed(placed) for placed in link.collisions],
            frames=[FrameDescription(frame.name, frame.origin, frame.kind) for frame in link.frames],
        )
        for link in robot.links
    ]
    joints = [replace(joint, line=None) for joint in robot.joints]
    return RobotDescription(robot.name, links, joints)


def _placed(placed: ShapePlacement) -> ShapePlacement:
    shape = placed.shape
    if isinstance(shape, Mesh):
        place = "" if shape.path is None else str(shape.path.resolve())
        shape = replace(shape, path=None, uri=place or shape.uri)
    return replace(placed, shape=shape)


def assert_same_motion(
    one: RobotDescription,
    other: RobotDescription,
    *,
    seed: int = 0,
    tolerance: float = 1e-12,
    renamed: Mapping[str, str] | None = None,
    left_out: Container[str] = (),
) -> None:
    """Every link of `one` is in `other`, at the same pose for the same positions of dofs by name, and both
    trees have the same mass matrix and bias forces. `renamed` are links that have other names there,
    `left_out` those that are not there."""
    __tracebackhide__ = True
    first = kido.Tree.from_description(one, gravity=GRAVITY)
    second = kido.Tree.from_description(other, gravity=GRAVITY)
    assert sorted(first.dof_names) == sorted(second.dof_names)
    to_first = [first.dof_names.index(name) for name in second.dof_names]
    rng = np.random.default_rng(seed)
    for _ in range(3):
        q, v = rng.uniform(-1.0, 1.0, (2, first.num_dofs))
        poses = dict(zip(first.body_names, first.forward_kinematics(q), strict=True))
        others = dict(zip(second.body_names, second.forward_kinematics(q[to_first]), strict=True))
        scale = max(1.0, max(np.abs(T).max() for T in poses.values()))
        for name, T in poses.items():
            if name in left_out:
                continue
            assert np.abs(T - others[(renamed or {}).get(name, name)]).max() <= tolerance * scale, name
        M = first.mass_matrix(q)[np.ix_(to_first, to_first)]
        N = second.mass_matrix(q[to_first])
        np.testing.assert_allclose(N, M, rtol=0, atol=tolerance * max(1.0, np.abs(M).max(initial=0.0)))
        b = first.inverse_dynamics(q, v, 0.0 * v)[to_first]
        c = second.inverse_dynamics(q[to_first], v[to_first], 0.0 * v)
        np.testing.assert_allclose(c, b, rtol=0, atol=tolerance * max(1.0, np.abs(b).max(initial=0.0)))


def joint_types(robot: RobotDescription) -> set[str]:
    """The types of joints that a robot has."""
    return {str(joint.type) for joint in robot.joints}


def one_joint(joint: JointDescription, parts: list[LinkDescription]) -> RobotDescription:
    """A robot of some links on one another by a joint, the first of them welded to the world."""
    root = JointDescription("root_joint", "weld", None, parts[0].name)
    return RobotDescription("robot", parts, [root, joint])
