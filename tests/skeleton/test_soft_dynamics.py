"""Equations of motion of skeletons with point masses, without a world, beside a tree of translational
joints."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import kido
from kido.description import SoftSkin
from kido.errors import SingularMassError
from kido.shape import Box
from kido.typing import FloatArray

CORE = kido.Inertia(0.2, (0.01, 0.0, 0.02), np.diag([4e-4, 5e-4, 6e-4]))
SKIN = SoftSkin.of_shape(Box((0.2, 0.3, 0.4)), 0.5, vertex_stiffness=100.0, edge_stiffness=50.0, damping=2.0)
SMALL = SoftSkin.of_shape(
    Box((0.1, 0.1, 0.2)), 0.3, divisions=(2, 2, 2), vertex_stiffness=80.0, edge_stiffness=30.0, damping=0.5
)
H = 0.01


def soft_of(robot: kido.Skeleton, name: str) -> kido.SoftBodyNode:
    body = robot.body(name)
    assert isinstance(body, kido.SoftBodyNode)
    return body


def arm(seed: int = 0, *, frozen: tuple[int, ...] = ()) -> kido.Skeleton:
    """Two soft links on a ball and a turning joint, and a rigid hand; everything moves, and loads act."""
    robot = kido.Skeleton("arm")
    upper = robot.add_body("upper", None, kido.BallJoint(), inertia=CORE)
    lower = robot.add_body("lower", upper, kido.RevoluteJoint(T_parent_joint=(0.3, 0, 0)), inertia=CORE)
    hand = kido.PrismaticJoint(axis=(0, 1, 0), T_parent_joint=(0.2, 0.1, 0))
    robot.add_body("hand", lower, hand, inertia=CORE)
    robot.time_step = H
    kido.SoftBodyNode.add_skin(upper, SMALL)
    kido.SoftBodyNode.add_skin(lower, SKIN)
    rng = np.random.default_rng(seed)
    robot.positions, robot.velocities = rng.normal(size=5), rng.normal(size=5)
    robot.commands = rng.normal(size=5)
    hand.spring_stiffness, hand.damping = [3.0], [0.2]
    for name in ("upper", "lower"):
        body = soft_of(robot, name)
        shape = (body.num_points, 3)
        body.displacements = 0.02 * rng.normal(size=shape)
        body.freeze(frozen)
        body.displacement_velocities = rng.normal(size=shape)
        body.point_forces = rng.normal(size=shape)
    robot.body("lower").add_external_force((1.0, 2.0, 3.0), offset=(0.1, 0.0, 0.0))
    return robot


@dataclass
class Explicit:
    """The same robot whose points are bodies on translational joints."""

    skeleton: kido.Skeleton
    places: list[int]
    """Where the coordinates of the coupled system stand among its dofs."""

    @classmethod
    def of(cls, robot: kido.Skeleton) -> Explicit:
        twin = robot.clone("explicit")
        for name in ("upper", "lower"):
            body = soft_of(twin, name)
            core = body.core_inertia
            body.skin_node.remove()
            body.inertia = core
        named = {
            dof.name: x
            for dof, x in zip(robot.dofs, zip(robot.positions, robot.velocities, strict=True), strict=True)
        }
        order = [dof.name for dof in robot.dofs]
        for body in robot.bodies:
            if not isinstance(body, kido.SoftBodyNode):
                continue
            for i, rest in enumerate(body.skin.points):
                name, m = f"{body.name}{i}", body.skin.mass[i]
                if body.frozen[i]:
                    T = rest + body.displacements[i]
                    point = twin.add_body(name, twin.body(body.name), kido.WeldJoint(name, T_parent_joint=T))
                else:
                    joint = kido.TranslationalJoint(name, T_parent_joint=rest)
                    point = twin.add_body(name, twin.body(body.name), joint)
                    names = [dof.name for dof in joint.dofs]
                    order += names
                    named |= dict(
                        zip(
                            names,
                            zip(body.displacements[i], body.displacement_velocities[i], strict=True),
                            strict=True,
                        )
                    )
                point.inertia = kido.Inertia(m)
                point.add_external_force(body.point_forces[i], in_coordinates_of=point)
        twin.positions = [named[dof.name][0] for dof in twin.dofs]
        twin.velocities = [named[dof.name][1] for dof in twin.dofs]
        return cls(twin, [twin.dof(name).index for name in order])

    def coupled(self, values: FloatArray) -> FloatArray:
        """Numbers of its dofs in the order of the coupled system."""
        return np.asarray(values[self.places])


def passive(robot: kido.Skeleton) -> tuple[FloatArray, FloatArray]:
    """Stiffness and damping matrices of the coupled system, without what acts in the joints."""
    n = robot.num_dofs
    blocks, dampers = [np.zeros((n, n))], [np.zeros(n)]
    for body in (soft_of(robot, "upper"), soft_of(robot, "lower")):
        skin = body.skin
        K = np.diag(skin.vertex_stiffness)
        for (i, j), k in zip(skin.edges, skin.edge_stiffness, strict=True):
            K[[i, j], [i, j]] += k
            K[[i, j], [j, i]] -= k
        free = ~skin.frozen
        blocks.append(np.kron(K[free][:, free], np.eye(3)))
        dampers.append(np.repeat(skin.damping[free], 3))
    total = sum(len(block) for block in blocks)
    K, at = np.zeros((total, total)), 0
    for block in blocks:
        K[at : at + len(block), at : at + len(block)] = block
        at += len(block)
    return K, np.diag(np.concatenate(dampers))


def beside(robot: kido.Skeleton, name: str) -> FloatArray:
    """Numbers of all points that are not frozen, one after the other."""
    bodies = (soft_of(robot, "upper"), soft_of(robot, "lower"))
    return np.concatenate([getattr(body, name)[~body.frozen].ravel() for body in bodies])


def held(robot: kido.Skeleton) -> FloatArray:
    """Forces that frozen points give to others by the edges between them."""
    parts = []
    for body in (soft_of(robot, "upper"), soft_of(robot, "lower")):
        skin, force = body.skin, np.zeros((body.num_points, 3))
        x = np.where(skin.frozen[:, None], body.displacements, 0.0)
        for (i, j), k in zip(skin.edges, skin.edge_stiffness, strict=True):
            force[i] += k * x[j]
            force[j] += k * x[i]
        parts.append(force[~skin.frozen].ravel())
    return np.concatenate([np.zeros(robot.num_dofs), *parts])


def dense(robot: kido.Skeleton) -> tuple[FloatArray, FloatArray]:
    """Matrix and forces of the coupled system, springs and dampers implicit in a step, from the explicit
    tree; the dofs' own forces are not among them."""
    twin = Explicit.of(robot)
    M = twin.skeleton.mass_matrix[np.ix_(twin.places, twin.places)]
    K, D = passive(robot)
    n = robot.num_dofs
    joint_K = np.array([dof.spring_stiffness for dof in robot.dofs])
    joint_D = np.array([dof.damping for dof in robot.dofs])
    K[range(n), range(n)], D[range(n), range(n)] = joint_K, joint_D
    x = np.concatenate([robot.spring_displacements, beside(robot, "displacements")])
    v = np.concatenate([robot.velocities, beside(robot, "displacement_velocities")])
    external = twin.coupled(twin.skeleton.external_forces)
    bias = twin.coupled(twin.skeleton.coriolis_and_gravity_forces)
    forces = external - bias - D @ v - K @ (x + H * v) + held(robot)
    return M + H * D + H * H * K, forces


FROZEN = [(), (0, 3, 5), tuple(range(8))]


@pytest.mark.parametrize("frozen", FROZEN)
def test_the_coupled_system_is_that_of_translational_joints(frozen: tuple[int, ...]) -> None:
    robot = arm(frozen=frozen)
    twin = Explicit.of(robot)
    M = twin.skeleton.mass_matrix[np.ix_(twin.places, twin.places)]
    np.testing.assert_allclose(robot.coupled_mass_matrix, M, atol=1e-12)
    bias = twin.coupled(twin.skeleton.coriolis_and_gravity_forces)
    np.testing.assert_allclose(robot.coupled_bias_forces, bias, atol=1e-10)
    np.testing.assert_allclose(robot.coriolis_and_gravity_forces, bias[:5], atol=1e-10)
    np.testing.assert_allclose(
        robot.gravity_forces, twin.skeleton.gravity_forces[twin.places[:5]], atol=1e-10
    )
    np.testing.assert_allclose(
        robot.coriolis_forces, twin.skeleton.coriolis_forces[twin.places[:5]], atol=1e-10
    )
    np.testing.assert_allclose(robot.mass_matrix, M[:5, :5], atol=1e-12)
    np.testing.assert_allclose(robot.inverse_mass_matrix @ M[:5, :5], np.eye(5), atol=1e-9)
    np.testing.assert_allclose(
        robot.augmented_mass_matrix @ robot.inverse_augmented_mass_matrix, np.eye(5), atol=1e-9
    )
    for ask in ("com", "linear_momentum", "angular_momentum", "com_linear_velocity"):
        np.testing.assert_allclose(getattr(robot, ask)(), getattr(twin.skeleton, ask)(), atol=1e-11)
    assert robot.kinetic_energy == pytest.approx(twin.skeleton.kinetic_energy, rel=1e-11)


@pytest.mark.parametrize("frozen", FROZEN)
def test_forward_dynamics_is_the_dense_solution(frozen: tuple[int, ...]) -> None:
    robot = arm(frozen=frozen)
    A, forces = dense(robot)
    forces[:5] += robot.commands
    expected = np.linalg.solve(A, forces)
    robot.compute_forward_dynamics()
    scale = np.abs(expected).max()
    np.testing.assert_allclose(robot.accelerations, expected[:5], atol=1e-10 * scale)
    np.testing.assert_allclose(beside(robot, "displacement_accelerations"), expected[5:], atol=1e-10 * scale)
    np.testing.assert_allclose(robot.forces, robot.commands, atol=1e-12)


def test_a_world_without_contacts_moves_by_the_same_accelerations() -> None:
    robot, twin = arm(3), arm(3)
    robot.compute_forward_dynamics()
    world = kido.World([twin])
    world.time_step = H
    world.step()
    np.testing.assert_allclose(twin.accelerations, robot.accelerations, rtol=1e-9)
    for name in ("upper", "lower"):
        np.testing.assert_allclose(
            soft_of(twin, name).displacement_accelerations,
            soft_of(robot, name).displacement_accelerations,
            atol=1e-8,
        )


@pytest.mark.parametrize("frozen", FROZEN)
def test_inverse_dynamics_undoes_forward_dynamics(frozen: tuple[int, ...]) -> None:
    robot = arm(4, frozen=frozen)
    robot.compute_forward_dynamics()
    a = np.array(beside(robot, "displacement_accelerations"))
    everything = {"with_external_forces": True, "with_damping_forces": True, "with_spring_forces": True}
    robot.compute_inverse_dynamics(**everything)
    np.testing.assert_allclose(robot.forces, robot.commands, atol=1e-10)
    np.testing.assert_allclose(beside(robot, "displacement_accelerations"), a, atol=1e-9)


def test_inverse_dynamics_is_the_dense_solution_with_points_that_follow() -> None:
    robot = arm(5)
    rng = np.random.default_rng(8)
    robot.accelerations = rng.normal(size=5)
    for body in (soft_of(robot, "upper"), soft_of(robot, "lower")):
        body.point_forces = np.zeros((body.num_points, 3))
    robot.clear_external_forces()
    A, forces = dense(robot)
    follow = np.linalg.solve(A[5:, 5:], forces[5:] - A[5:, :5] @ robot.accelerations)
    tau = A[:5, :5] @ robot.accelerations + A[:5, 5:] @ follow - forces[:5]
    robot.compute_inverse_dynamics(with_damping_forces=True, with_spring_forces=True)
    np.testing.assert_allclose(robot.forces, tau, atol=1e-10)
    np.testing.assert_allclose(beside(robot, "displacement_accelerations"), follow, atol=1e-9)


@pytest.mark.parametrize("frozen", FROZEN)
def test_joints_transmit_what_the_explicit_tree_says(frozen: tuple[int, ...]) -> None:
    robot = arm(6, frozen=frozen)
    robot.compute_forward_dynamics()
    twin = Explicit.of(robot)
    accelerations = np.zeros(twin.skeleton.num_dofs)
    accelerations[twin.places] = np.concatenate(
        [robot.accelerations, beside(robot, "displacement_accelerations")]
    )
    twin.skeleton.accelerations = accelerations
    for name in ("upper", "lower", "hand"):
        np.testing.assert_allclose(
            robot.transmitted_wrench(name), twin.skeleton.transmitted_wrench(name), atol=1e-10
        )


def test_a_world_tells_what_joints_transmit() -> None:
    robot = arm(7)
    twin = Explicit.of(robot).skeleton
    for name in ("upper", "lower"):
        body = soft_of(robot, name)
        body.edge_stiffness = 0.0
        for i in range(body.num_points):
            joint = twin.joint(f"{name}{i}")
            joint.spring_stiffness, joint.damping = (
                np.full(3, body.vertex_stiffness[i]),
                np.full(3, body.damping[i]),
            )
    worlds = [kido.World([robot]), kido.World([twin])]
    for world in worlds:
        world.time_step = H
        world.step()
    for name in ("upper", "lower", "hand"):
        found, expected = (
            world.joint_wrench(skeleton.body(name))
            for world, skeleton in zip(worlds, (robot, twin), strict=True)
        )
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_impulses_on_dofs_move_points() -> None:
    robot = arm(9)
    A, _ = dense(robot)
    K, D = passive(robot)
    n = robot.num_dofs
    joints = H * np.array([dof.damping for dof in robot.dofs]) + H * H * np.array(
        [dof.spring_stiffness for dof in robot.dofs]
    )
    A[range(n), range(n)] -= joints  # springs of dofs take no part in impulses
    impulse = np.random.default_rng(1).normal(size=n)
    change = np.linalg.solve(A, np.concatenate([impulse, np.zeros(len(A) - n)]))
    np.testing.assert_allclose(robot.velocity_changes(impulse), change[:n], atol=1e-10)
    before = np.concatenate([robot.velocities, beside(robot, "displacement_velocities")])
    robot.apply_impulses(impulse)
    after = np.concatenate([robot.velocities, beside(robot, "displacement_velocities")])
    np.testing.assert_allclose(after - before, change, atol=1e-9)
    del K, D


def test_answers_follow_points_that_are_set_or_stepped() -> None:
    robot = arm(2)
    body = soft_of(robot, "lower")
    names = ("mass_matrix", "coriolis_and_gravity_forces", "gravity_forces", "coupled_mass_matrix")
    before = [np.array(getattr(robot, name)) for name in names]
    body.displacements = 2.0 * body.displacements
    for name, old in zip(names, before, strict=True):
        assert not np.allclose(getattr(robot, name), old)
        np.testing.assert_array_equal(getattr(robot, name), getattr(robot.clone(), name))
    kido.World([robot]).step(3)
    for name in names:
        np.testing.assert_array_equal(getattr(robot, name), getattr(robot.clone(), name))
    body.freeze()
    assert robot.coupled_mass_matrix.shape == (5 + 24, 5 + 24)
    np.testing.assert_array_equal(robot.coupled_mass_matrix, robot.clone().coupled_mass_matrix)
    body.harden()
    soft_of(robot, "upper").harden()
    assert robot.coupled_mass_matrix.shape == (5, 5)
    np.testing.assert_array_equal(robot.coupled_mass_matrix, robot.mass_matrix)
    np.testing.assert_array_equal(robot.coupled_bias_forces, robot.coriolis_and_gravity_forces)


def test_copies_have_the_accelerations_of_points(tmp_path: Path) -> None:
    robot = arm()
    before = robot.transmitted_wrenches.copy()
    robot.compute_forward_dynamics()
    wrenches = robot.transmitted_wrenches
    assert np.abs(wrenches - before).max() > 0.1
    robot.to_value().save(tmp_path / "arm.json")
    other = arm(1)
    other.state = robot.state
    for copied in (
        robot.clone(),
        copy.deepcopy(robot),
        pickle.loads(pickle.dumps(robot)),
        type(robot.to_value()).load(tmp_path / "arm.json").build(),
        other,
    ):
        np.testing.assert_array_equal(copied.transmitted_wrenches, wrenches)


def test_stiff_points_have_the_accelerations_of_the_rigid_body() -> None:
    def acceleration(stiffness: float | None) -> FloatArray:
        robot = arm(1)
        for name in ("upper", "lower"):
            body = soft_of(robot, name)
            body.reset_points()
            body.point_forces = np.zeros((body.num_points, 3))
            if stiffness is None:
                body.harden()
            else:
                body.vertex_stiffness = stiffness
        robot.compute_forward_dynamics()
        return np.array(robot.accelerations)

    rigid = acceleration(None)
    errors = [np.abs(acceleration(k) - rigid).max() for k in (1e6, 1e8)]
    assert errors[1] < 0.02 * errors[0] and errors[1] < 1e-3 * np.abs(rigid).max()


def test_a_massless_body_that_nothing_ties_to_its_points_is_named() -> None:
    robot = kido.Skeleton("cloth")
    body = robot.add_body("cloth", inertia=kido.Inertia(0.0))
    kido.SoftBodyNode.add_skin(body, SoftSkin.of_sheet((1.0, 1.0), 0.3, edge_stiffness=100.0))
    with pytest.raises(SingularMassError, match="cloth"):
        robot.compute_forward_dynamics()
