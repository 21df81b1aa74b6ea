"""Frames against DART: trees of SimpleFrames, and SimpleFrames on the bodies of skeletons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dartpy as dart
import numpy as np
import pytest
from _frame_motion import place
from _random_trees import Array, assert_near, random_transform
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import kido

SPATIAL = 1e-11
"""Relative tolerance. DART builds accelerations by another recursion; eight frames leave some 1e-14."""

JOINTS: tuple[tuple[type[kido.Joint], str], ...] = (
    (kido.FreeJoint, "FreeJoint"),
    (kido.RevoluteJoint, "RevoluteJoint"),
    (kido.BallJoint, "BallJoint"),
    (kido.PrismaticJoint, "PrismaticJoint"),
    (kido.ScrewJoint, "ScrewJoint"),
    (kido.UniversalJoint, "UniversalJoint"),
    (kido.EulerJoint, "EulerJoint"),
    (kido.PlanarJoint, "PlanarJoint"),
    (kido.TranslationalJoint, "TranslationalJoint"),
    (kido.WeldJoint, "WeldJoint"),
)
"""With the default axes and pitch, which both libraries share."""


@dataclass(frozen=True)
class Pair:
    """One frame in both libraries."""

    kido: kido.Frame
    dart: Any


WORLD = Pair(kido.WORLD, dart.dynamics.Frame.World())


def isometry(T: Array) -> dart.math.Isometry3:
    pose = dart.math.Isometry3()
    pose.set_rotation(T[:3, :3])
    pose.set_translation(T[:3, 3])
    return pose


def simple(rng: np.random.Generator, name: str, parent: Pair) -> Pair:
    """A SimpleFrame with any motion."""
    T, V, A = random_transform(rng), *rng.uniform(-2.0, 2.0, (2, 6))
    own = kido.SimpleFrame(name, parent.kido, T)
    own.relative_spatial_velocity, own.relative_spatial_acceleration = V, A
    other = dart.dynamics.SimpleFrame(parent.dart, name, isometry(T))
    other.setRelativeSpatialVelocity(V)
    other.setRelativeSpatialAcceleration(A)
    return Pair(own, other)


def frames_on(rng: np.random.Generator, parents: list[int], bases: list[Pair]) -> list[Pair]:
    """SimpleFrames on each other and on others: parent i is one of `bases`, then of those made before."""
    pairs = list(bases)
    for index, parent in enumerate(parents):
        pairs.append(simple(rng, f"frame{index}", pairs[parent % len(pairs)]))
    return pairs


def assert_equal_answers(frame: Pair, base: Pair, axes: Pair, offset: Array) -> None:
    """Every question with every argument."""
    own, other = frame.kido, frame.dart
    asked = {"relative_to": base.kido, "in_coordinates_of": axes.kido}
    seen = (base.dart, axes.dart)
    assert_near(own.transform(relative_to=base.kido), other.getTransform(base.dart).matrix(), SPATIAL)
    assert_near(own.transform(**asked), other.getTransform(*seen).matrix(), SPATIAL)
    assert_near(own.spatial_velocity(**asked), other.getSpatialVelocity(*seen), SPATIAL)
    assert_near(own.spatial_velocity(offset, **asked), other.getSpatialVelocity(offset, *seen), SPATIAL)
    assert_near(own.linear_velocity(**asked), other.getLinearVelocity(*seen), SPATIAL)
    assert_near(own.linear_velocity(offset, **asked), other.getLinearVelocity(offset, *seen), SPATIAL)
    assert_near(own.angular_velocity(**asked), other.getAngularVelocity(*seen), SPATIAL)
    assert_near(own.spatial_acceleration(**asked), other.getSpatialAcceleration(*seen), SPATIAL)
    got = own.spatial_acceleration(offset, **asked)
    assert_near(got, other.getSpatialAcceleration(offset, *seen), SPATIAL)
    assert_near(own.linear_acceleration(**asked), other.getLinearAcceleration(*seen), SPATIAL)
    assert_near(own.linear_acceleration(offset, **asked), other.getLinearAcceleration(offset, *seen), SPATIAL)
    assert_near(own.angular_acceleration(**asked), other.getAngularAcceleration(*seen), SPATIAL)


def assert_equal_defaults(frame: Pair, offset: Array) -> None:
    """Every question with as few arguments as both libraries allow."""
    own, other = frame.kido, frame.dart
    assert_near(own.transform(), other.getWorldTransform().matrix(), SPATIAL)
    assert_near(own.transform(), other.getTransform().matrix(), SPATIAL)
    assert_near(own.spatial_velocity(), other.getSpatialVelocity(), SPATIAL)
    assert_near(own.spatial_velocity(offset), other.getSpatialVelocity(offset), SPATIAL)
    assert_near(own.linear_velocity(), other.getLinearVelocity(), SPATIAL)
    assert_near(own.linear_velocity(offset), other.getLinearVelocity(offset), SPATIAL)
    assert_near(own.angular_velocity(), other.getAngularVelocity(), SPATIAL)
    assert_near(own.spatial_acceleration(), other.getSpatialAcceleration(), SPATIAL)
    assert_near(own.spatial_acceleration(offset), other.getSpatialAcceleration(offset), SPATIAL)
    assert_near(own.linear_acceleration(), other.getLinearAcceleration(), SPATIAL)
    assert_near(own.linear_acceleration(offset), other.getLinearAcceleration(offset), SPATIAL)
    assert_near(own.angular_acceleration(), other.getAngularAcceleration(), SPATIAL)


def assert_equal_everywhere(pairs: list[Pair], rng: np.random.Generator) -> None:
    for frame in pairs:
        assert_equal_defaults(frame, rng.uniform(-0.5, 0.5, 3))
        for base in pairs:
            axes = pairs[int(rng.integers(len(pairs)))]
            assert_equal_answers(frame, base, axes, rng.uniform(-0.5, 0.5, 3))


@given(st.lists(st.integers(0, 10), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_trees_of_simple_frames_move_as_in_dart(parents: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert_equal_everywhere(frames_on(rng, parents, [WORLD]), rng)


def skeletons(rng: np.random.Generator) -> tuple[kido.Skeleton, Any]:
    """Bodies on every joint, in any order and on any parent, in both libraries."""
    own, other = kido.Skeleton("robot"), dart.dynamics.Skeleton("robot")
    bodies: list[Pair | None] = [None]
    for index in rng.permutation(len(JOINTS)):
        cls, name = JOINTS[index]
        parent = bodies[int(rng.integers(len(bodies)))]
        joint = cls(f"joint{index}")
        place(joint, rng)
        if cls is kido.FreeJoint:
            joint.T_child_joint = np.eye(4)  # with another one, DART's velocity is a third thing
        body = own.add_body(f"body{index}", parent and parent.kido, joint)  # type: ignore[arg-type]
        create = getattr(other, f"create{name}AndBodyNodePair")
        made, twin = create(parent.dart) if parent else create()
        made.setTransformFromParentBodyNode(isometry(joint.T_parent_joint))
        made.setTransformFromChildBodyNode(isometry(joint.T_child_joint))
        twin.setName(body.name)
        made.setName(joint.name)
        bodies.append(Pair(body, twin))
    return own, other


def copy_motion(own: kido.Skeleton, other: Any) -> None:
    """Give DART the same motion. Its free joint has the velocity in the axes of the parent body."""
    for joint in own.joints:
        v, a = joint.velocities, joint.accelerations
        if isinstance(joint, kido.FreeJoint):
            R = joint.T_parent_joint[:3, :3] @ Rotation.from_rotvec(joint.positions[:3].copy()).as_matrix()
            a = np.concatenate([R @ a[:3], R @ (a[3:] + np.cross(v[:3], v[3:]))])
            v = np.concatenate([R @ v[:3], R @ v[3:]])
        twin = other.getJoint(joint.name)
        twin.setPositions(joint.positions)
        twin.setVelocities(v)
        twin.setAccelerations(a)


@pytest.mark.parametrize("seed", range(4))
def test_bodies_and_what_stands_on_them_move_as_in_dart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    own, other = skeletons(rng)
    own.positions, own.velocities, own.accelerations = rng.uniform(-1.0, 1.0, (3, own.num_dofs))
    copy_motion(own, other)
    bodies = [Pair(body, other.getBodyNode(body.name)) for body in own.bodies]
    assert_equal_everywhere(frames_on(rng, [3, 5, 11], [WORLD, *bodies]), rng)


@pytest.mark.parametrize("seed", range(3))
def test_setters_place_a_frame_as_in_dart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    *_, base, parent, frame = frames_on(rng, [0, 1, 0, 3], [WORLD])
    own, other = frame.kido, frame.dart
    assert isinstance(own, kido.SimpleFrame) and own.parent_frame is parent.kido
    T, V, A = random_transform(rng), *rng.random((2, 6))
    own.set_transform(T, relative_to=base.kido)
    other.setTransform(isometry(T), base.dart)
    assert_near(own.relative_transform, other.getRelativeTransform().matrix(), SPATIAL)
    own.set_translation(T[:3, 2], relative_to=base.kido)
    other.setTranslation(T[:3, 2], base.dart)
    own.set_rotation(T[:3, :3].T)
    other.setRotation(T[:3, :3].T)
    assert_near(own.relative_transform, other.getRelativeTransform().matrix(), SPATIAL)
    own.set_relative_spatial_velocity(V, in_coordinates_of=base.kido)
    other.setRelativeSpatialVelocity(V, base.dart)
    own.set_relative_spatial_acceleration(A, in_coordinates_of=base.kido)
    other.setRelativeSpatialAcceleration(A, base.dart)
    assert_equal_everywhere([WORLD, base, frame], rng)
    classic = rng.random((4, 3))
    own.set_classic_derivatives(*classic)
    other.setClassicDerivatives(*classic)
    assert_equal_everywhere([WORLD, base, frame], rng)


def test_a_frame_that_gets_another_parent_keeps_its_relative_motion_as_in_dart() -> None:
    rng = np.random.default_rng(0)
    _, first, second, frame = frames_on(rng, [0, 0, 1], [WORLD])
    assert frame.kido.parent_frame is first.kido
    frame.kido.set_parent_frame(second.kido)
    frame.dart.setParentFrame(second.dart)
    assert_equal_everywhere([WORLD, first, second, frame], rng)
