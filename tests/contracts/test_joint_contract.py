"""Contract of all types of joints, those of users included."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from _random_trees import Array, assert_near, random_inertia, random_transform, rate
from numpy.typing import ArrayLike

import kido
from kido.description import (
    Coordinate,
    Inertia,
    JointDescription,
    JointType,
    LinkDescription,
    RobotDescription,
)
from kido.errors import EditError, RemovedError
from kido.skeleton import UserJoint
from kido.skeleton._joints._joint import joint_class


class Winch(UserJoint):
    """A hook that rises as the drum turns, and swings."""

    @dataclass(frozen=True)
    class Properties:
        """`radius` of the drum [m]."""

        radius: float = 0.2

    num_dofs = 2

    def transform_of(self, q: Array) -> Array:
        c, s = np.cos(q[1]), np.sin(q[1])
        x = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, c, -s, 0.0], [0.0, s, c, 0.0], [0.0, 0.0, 0.0, 1.0]])
        x[2, 3] = self.properties.radius * (q[0] + 0.1 * q[0] ** 3)
        return x

    def jacobian_of(self, q: Array) -> Array:
        J = np.zeros((6, 2))
        rise = self.properties.radius * (1.0 + 0.3 * q[0] ** 2)
        J[4:, 0] = rise * np.sin(q[1]), rise * np.cos(q[1])
        J[0, 1] = 1.0
        return J

    def jacobian_derivative_of(self, q: Array, v: Array) -> Array:
        dJ = np.zeros((6, 2))
        rise = self.properties.radius * (1.0 + 0.3 * q[0] ** 2)
        gain = self.properties.radius * 0.6 * q[0] * v[0]
        c, s = np.cos(q[1]), np.sin(q[1])
        dJ[4:, 0] = gain * s + rise * c * v[1], gain * c - rise * s * v[1]
        return dJ


Maker = Callable[[np.random.Generator], kido.Joint]

JOINTS: dict[type[kido.Joint], Maker] = {
    kido.WeldJoint: lambda rng: kido.WeldJoint("j"),
    kido.RevoluteJoint: lambda rng: kido.RevoluteJoint("j", rng.standard_normal(3)),
    kido.PrismaticJoint: lambda rng: kido.PrismaticJoint("j", rng.standard_normal(3)),
    kido.ScrewJoint: lambda rng: kido.ScrewJoint("j", rng.standard_normal(3), 0.7),
    kido.UniversalJoint: lambda rng: kido.UniversalJoint("j", *rng.standard_normal((2, 3))),
    kido.EulerJoint: lambda rng: kido.EulerJoint("j", "zyx"),
    kido.BallJoint: lambda rng: kido.BallJoint("j"),
    kido.PlanarJoint: lambda rng: kido.PlanarJoint("j", "yz"),
    kido.TranslationalJoint: lambda rng: kido.TranslationalJoint("j"),
    kido.TranslationalJoint2D: lambda rng: kido.TranslationalJoint2D("j", "zx"),
    kido.FreeJoint: lambda rng: kido.FreeJoint("j"),
    Winch: lambda rng: Winch("j", Winch.Properties(0.3)),
}

every_joint = pytest.mark.parametrize("kind", JOINTS, ids=lambda kind: kind.__name__)


def fresh(kind: type[kido.Joint], seed: int = 0) -> kido.Joint:
    rng = np.random.default_rng(seed)
    joint = JOINTS[kind](rng)
    joint.T_parent_joint, joint.T_child_joint = random_transform(rng), random_transform(rng)
    return joint


def moving(kind: type[kido.Joint], seed: int = 0) -> kido.Joint:
    """The joint between two bodies that have mass, with random numbers."""
    rng = np.random.default_rng(seed + 1)
    skeleton = kido.Skeleton()
    base = skeleton.add_body("base", inertia=random_inertia(rng))
    joint = skeleton.add_body("body", base, fresh(kind, seed), inertia=random_inertia(rng)).parent_joint
    n = skeleton.num_dofs
    skeleton.positions, skeleton.velocities = rng.uniform(0.2, 0.8, n), rng.uniform(-1.0, 1.0, n)
    skeleton.accelerations = rng.uniform(-1.0, 1.0, n)
    return joint


def positions_after(joint: kido.Joint, velocity: ArrayLike, time: float) -> Array:
    """The joint's positions (num_dofs,) after a time at a velocity."""
    skeleton = joint.skeleton
    v = np.zeros(skeleton.num_dofs)
    v[list(joint.dof_indices)] = velocity
    return skeleton.tree.integrate(skeleton.positions, v, time)[list(joint.dof_indices)]


def test_every_joint_of_kido_is_under_this_contract() -> None:
    names = [getattr(kido.skeleton, name) for name in kido.skeleton.__all__]
    joints = {c for c in names if isinstance(c, type) and issubclass(c, kido.Joint)}
    assert joints - {kido.Joint, UserJoint} == set(JOINTS) - {Winch}


@every_joint
def test_its_arrays_have_one_number_for_each_dof(kind: type[kido.Joint]) -> None:
    for joint in (fresh(kind), moving(kind)):
        n = kind.num_dofs
        assert len(joint.dofs) == len(set(joint.dof_names)) == n
        for name in ("positions", "velocities", "forces", "commands", "damping", "position_upper_limits"):
            assert getattr(joint, name).shape == (n,)
    assert joint.relative_jacobian.shape == joint.relative_jacobian_time_derivative.shape == (6, n)


@every_joint
def test_its_transform_is_that_of_the_child_in_the_parent(kind: type[kido.Joint]) -> None:
    joint = moving(kind)
    body = joint.child_body
    assert_near(joint.relative_transform, body.transform(relative_to=body.parent_body), 1e-14)
    q = joint.positions
    other = positions_after(joint, np.ones(kind.num_dofs), 0.3)
    T = joint.relative_transform_at(other)
    assert np.array_equal(joint.positions, q)
    joint.positions = other
    assert_near(body.transform(relative_to=body.parent_body), T, 1e-14)


@every_joint
def test_its_offsets_stand_on_both_sides_of_its_motion(kind: type[kido.Joint]) -> None:
    joint = moving(kind)
    before = np.linalg.solve(joint.T_parent_joint, joint.relative_transform) @ joint.T_child_joint
    rng = np.random.default_rng(7)
    joint.T_parent_joint, joint.T_child_joint = random_transform(rng), random_transform(rng)
    after = joint.T_parent_joint @ before @ np.linalg.inv(joint.T_child_joint)
    assert_near(joint.relative_transform, after, 1e-13)


@every_joint
def test_its_jacobian_is_the_derivative_of_its_transform(kind: type[kido.Joint]) -> None:
    joint = moving(kind)
    T, J = joint.relative_transform, joint.relative_jacobian
    for i, unit in enumerate(np.eye(kind.num_dofs)):
        dT = rate(lambda t, unit=unit: joint.relative_transform_at(positions_after(joint, unit, t)))
        W = np.linalg.solve(T, dT)
        assert_near([W[2, 1], W[0, 2], W[1, 0], *W[:3, 3]], J[:, i], 1e-9)
    assert_near(joint.relative_spatial_velocity, J @ joint.velocities, 1e-13)


@every_joint
def test_the_derivative_of_its_jacobian_is_just_that(kind: type[kido.Joint]) -> None:
    joint = moving(kind)
    v = joint.velocities
    dJ = rate(lambda t: joint.relative_jacobian_at(positions_after(joint, v, t)))
    assert_near(joint.relative_jacobian_time_derivative, dJ, 1e-9)
    expected = joint.relative_jacobian @ joint.accelerations + dJ @ v
    assert_near(joint.relative_spatial_acceleration, expected, 1e-9)


@every_joint
def test_its_power_is_that_of_the_wrench_that_it_transmits(kind: type[kido.Joint]) -> None:
    joint = moving(kind)
    skeleton = joint.skeleton
    skeleton.compute_inverse_dynamics()
    wrench = skeleton.transmitted_wrench(joint.child_body)
    assert_near(joint.relative_jacobian.T @ wrench, joint.forces, 1e-12)


@every_joint
def test_forward_dynamics_undoes_inverse_dynamics(kind: type[kido.Joint]) -> None:
    skeleton = moving(kind).skeleton
    accelerations = skeleton.accelerations
    skeleton.compute_inverse_dynamics()
    skeleton.commands = skeleton.forces
    skeleton.compute_forward_dynamics()
    assert_near(skeleton.accelerations, accelerations, 1e-10)


@every_joint
def test_a_copy_is_equal_and_its_own(kind: type[kido.Joint]) -> None:
    joint = moving(kind)
    copy = joint.copy()
    assert type(copy) is kind and copy.name == "j" and copy.dof_names == joint.dof_names
    assert np.array_equal(copy.positions, joint.positions)
    other = kido.Skeleton().add_body("other", joint=copy)
    assert_near(copy.relative_transform, joint.relative_transform, 1e-15)
    other.parent_joint.T_parent_joint = np.eye(4)
    copy.positions = np.zeros(kind.num_dofs)
    assert not np.array_equal(joint.T_parent_joint, np.eye(4))
    assert kind.num_dofs == 0 or joint.positions.all()


@every_joint
def test_a_clone_of_its_skeleton_moves_as_it_does(kind: type[kido.Joint]) -> None:
    joint = moving(kind)
    twin = joint.skeleton.clone().joint("j")
    assert type(twin) is kind and twin is not joint
    for name in ("relative_transform", "relative_jacobian", "relative_spatial_acceleration"):
        assert np.array_equal(getattr(twin, name), getattr(joint, name))


@every_joint
def test_it_carries_one_body(kind: type[kido.Joint]) -> None:
    joint = moving(kind)
    with pytest.raises(EditError, match="joint 'j' carries 'body' already"):
        kido.Skeleton().add_body("other", joint=joint)
    assert joint.child_body.name == "body" and joint.parent_body is joint.skeleton.body("base")


@every_joint
def test_it_belongs_nowhere_before_it_is_used_and_after_it_is_replaced(kind: type[kido.Joint]) -> None:
    joint = fresh(kind)
    for ask in (
        lambda: joint.relative_transform,
        lambda: joint.relative_jacobian,
        lambda: joint.relative_transform_at(np.zeros(kind.num_dofs)),
        lambda: joint.relative_jacobian_at(np.zeros(kind.num_dofs)),
        lambda: joint.skeleton,
        lambda: joint.index,
    ):
        with pytest.raises(RemovedError, match="joint 'j' belongs to no skeleton"):
            ask()
    joint = moving(kind)
    joint.child_body.change_parent_joint_type(kido.WeldJoint("new"))
    with pytest.raises(RemovedError, match="joint 'j'"):
        _ = joint.positions
    with pytest.raises(RemovedError, match="joint 'j'"):
        joint.T_child_joint = np.eye(4)


@every_joint
def test_what_it_says_of_its_motion_cannot_be_written(kind: type[kido.Joint]) -> None:
    joint = moving(kind)
    for name in (
        "relative_transform",
        "relative_jacobian",
        "relative_jacobian_time_derivative",
        "relative_spatial_velocity",
        "relative_spatial_acceleration",
    ):
        with pytest.raises(ValueError, match="read-only"):
            getattr(joint, name)[...] = 1.0
        with pytest.raises(AttributeError):
            setattr(joint, name, getattr(joint, name))


@every_joint
def test_its_coordinates_are_those_of_its_type(kind: type[kido.Joint]) -> None:
    joint = fresh(kind)
    users = (Coordinate.USER,) * kind.num_dofs
    assert joint.coordinates == (users if kind.type is None else kind.type.spec.coordinates)
    assert tuple(dof.coordinate for dof in joint.dofs) == joint.coordinates
    assert len(joint.coordinates) == kind.num_dofs


@pytest.mark.parametrize("joint_type", JointType)
def test_every_type_has_the_class_that_its_descriptions_become(joint_type: JointType) -> None:
    axes = np.eye(3)[: joint_type.num_axes]
    own: dict[JointType, Any] = {JointType.SCREW: {"pitch": 0.3}, JointType.EULER: {"euler_order": "yxy"}}
    part = JointDescription("j", joint_type, None, "a", axes=axes, **own.get(joint_type, {}))
    robot = RobotDescription("robot", [LinkDescription("a", Inertia(1.0))], [part])
    joint = kido.Skeleton.from_description(robot).joint("j")
    assert type(joint) is joint_class(joint_type) and joint.type is joint_type
    assert joint.skeleton.tree == kido.Tree.from_description(robot)


def test_a_class_derived_from_one_of_kido_has_its_type_and_takes_nothing_from_it() -> None:
    class Hinge(kido.RevoluteJoint):
        pass

    assert Hinge.type is JointType.REVOLUTE and Hinge("h").num_dofs == 1
    assert joint_class(JointType.REVOLUTE) is kido.RevoluteJoint


@every_joint
def test_positions_of_another_size_are_refused(kind: type[kido.Joint]) -> None:
    joint, n = moving(kind), kind.num_dofs
    for ask in (joint.relative_transform_at, joint.relative_jacobian_at):
        with pytest.raises(
            ValueError, match=rf"positions: expected shape \({n},\) \[rad, m\], got \({n + 1},\)"
        ):
            ask(np.zeros(n + 1))


def test_the_users_joint_passes_its_own_check() -> None:
    Winch().check(np.array([0.3, 0.5]), np.array([0.7, -0.2]))
