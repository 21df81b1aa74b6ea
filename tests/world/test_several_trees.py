"""Skeletons of several trees: each is simulated, and sleeps, as if it were a skeleton of its own."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import kido
from kido import Skeleton, World, gallery
from kido.description import Inertia
from kido.world import CustomIntegrator, Sleeping, SmoothMotion

INERTIA = Inertia(2.0, (0.02, 0.0, 0.01), np.diag([0.02, 0.03, 0.025]))


def add_tree(skeleton: Skeleton, i: int, kind: str) -> None:
    """A crate on a free joint, or one with an arm that swings."""
    root = skeleton.add_body(f"crate{i}", joint=kido.FreeJoint(f"root{i}"), inertia=INERTIA)
    root.add_shape_node(kido.shape.Box((0.2, 0.2, 0.2)))
    if kind == "arm":
        joint = kido.RevoluteJoint(f"swing{i}", (0, 1, 0), T_parent_joint=(0.0, 0.15, 0.0))
        arm = skeleton.add_body(f"arm{i}", root, joint, inertia=Inertia(0.5, (0, 0, -0.1), 1e-3 * np.eye(3)))
        arm.add_shape_node(kido.shape.Sphere(0.05), (0.0, 0.0, -0.1))
        joint.damping, joint.position_upper_limits = [0.01], [0.6]


def start(i: int, kind: str) -> list[float]:
    return [0.0, 0.0, 0.0, 0.6 * (i % 2), 0.0, 0.3 + 0.35 * (i // 2)] + ([0.4] if kind == "arm" else [])


def one_and_many(kinds: list[str]) -> tuple[Skeleton, list[Skeleton]]:
    """The same trees in one skeleton, and in one each."""
    one, many = Skeleton("one"), [Skeleton(f"s{i}") for i in range(len(kinds))]
    one.self_collision_check = True
    for i, kind in enumerate(kinds):
        add_tree(one, i, kind)
        add_tree(many[i], i, kind)
        many[i].self_collision_check = True
        many[i].positions = start(i, kind)
    one.positions = np.concatenate([start(i, kind) for i, kind in enumerate(kinds)])
    return one, many


def worlds_of(kinds: list[str], **settings: Any) -> tuple[World, World]:
    one, many = one_and_many(kinds)
    return World([gallery.ground(), one], **settings), World([gallery.ground(), *many], **settings)


def states(world: World) -> np.ndarray:
    rows = ("positions", "velocities", "accelerations")
    return np.array([np.concatenate([getattr(s, row) for s in world.skeletons[1:]]) for row in rows])


def forces(world: World) -> list[tuple[float, ...]]:
    return sorted((*c.point, *c.force, c.depth) for c in world.contacts)


KINDS = [["box"] * 4, ["arm"] * 3, ["box", "arm", "box", "arm"]]


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("integrator", ["semi-implicit Euler", "implicit midpoint"])
def test_trees_of_one_skeleton_move_bit_for_bit_as_skeletons_do(kinds: list[str], integrator: str) -> None:
    # Where all bodies are rigid, no damping keeps them from being rows of the solver: also among others.
    first, second = worlds_of(kinds, integrator=integrator)
    if "arm" in kinds and "box" in kinds:
        for skeleton in second.skeletons[1:]:
            skeleton.damping = np.full(skeleton.num_dofs, 0.01 if skeleton.num_dofs == 7 else 0.0)
            if skeleton.num_dofs == 6:
                skeleton.position_upper_limits = [1e9] * 6  # a tree, as in the other world
    first.skeletons[1].damping = np.concatenate([s.damping for s in second.skeletons[1:]])
    for _ in range(10):
        first.step(50)
        second.step(50)
        assert np.array_equal(states(first), states(second))
        assert forces(first) == forces(second)
    assert len(first.contacts) > 4


def test_reports_are_those_of_the_trees() -> None:
    first, second = worlds_of(["arm", "arm"])
    one = first.skeletons[1]
    for world in (first, second):
        world.step(400)
    forces_of_one, many = first.joint_forces(one), [second.joint_forces(s) for s in second.skeletons[1:]]
    for name in ("actuators", "limits", "constraints", "friction"):
        each = np.concatenate([getattr(forces, name) for forces in many])
        # Sums of NumPy, whose order depends on the sizes of its arrays and on the processor.
        np.testing.assert_allclose(getattr(forces_of_one, name), each, rtol=1e-14, atol=1e-14)
    wrenches = np.concatenate([second.last_step(s).joint_wrenches for s in second.skeletons[1:]])
    np.testing.assert_allclose(first.last_step(one).joint_wrenches, wrenches, atol=1e-9)
    assert np.abs(wrenches).max() > 1.0


def test_commands_forces_and_impulses_reach_their_tree() -> None:
    first, second = worlds_of(["arm", "box", "arm"], gravity=(0.0, 0.0, 0.0))
    one, many = first.skeletons[1], second.skeletons[1:]
    for skeleton in (one, many[1]):
        skeleton.position_upper_limits = np.full(skeleton.num_dofs, 1e9)
    for skeleton in (many[0], many[2]):
        skeleton.position_upper_limits = np.full(skeleton.num_dofs, 1e9)
    one.commands = np.arange(20.0) / 10.0
    for skeleton, part in zip(many, (slice(0, 7), slice(7, 13), slice(13, 20)), strict=True):
        skeleton.commands = np.arange(20.0)[part] / 10.0
    for name in ("crate1", "arm2"):
        one.body(name).add_external_force((1.0, 2.0, 3.0), (0.1, 0.0, 0.0))
        many[int(name[-1])].body(name).add_external_force((1.0, 2.0, 3.0), (0.1, 0.0, 0.0))
    first.step()
    second.step()
    one.body("arm0").apply_impulse((0.5, 0.0, 0.2))
    many[0].body("arm0").apply_impulse((0.5, 0.0, 0.2))
    first.step(30)
    second.step(30)
    np.testing.assert_allclose(states(first), states(second), atol=1e-10)
    assert np.abs(one.velocities).min() > 0.0


def test_each_tree_sleeps_by_itself() -> None:
    one, _ = one_and_many(["box", "box", "arm"])
    one.positions = np.concatenate([[0, 0, 0, 0, 0, 0.1], [0, 0, 0, 3, 0, 0.1], [0, 0, 0, 6, 0, 0.1, 0.0]])
    world = World([gallery.ground(), one], sleeping=Sleeping(after=0.2))
    world.step(3000)
    assert world.is_sleeping(one) and world.sleeping_skeletons == (one,)
    first = forces(world)
    world.wake(one.body("crate1"))
    assert not world.is_sleeping(one) and world.sleeping_skeletons == ()
    assert [world.is_sleeping(one.body(f"crate{i}")) for i in range(3)] == [True, False, True]
    assert world.is_sleeping(one.body("arm2"))
    at = one.positions
    world.step(5)
    assert np.array_equal(one.positions[:6], at[:6]) and np.array_equal(one.positions[12:], at[12:])
    twin, loaded = world.clone(), pickle.loads(pickle.dumps(world))
    for other in (twin, loaded, world):
        other.step(1000)
        assert other.is_sleeping(other.skeletons[1])
    assert forces(world) == forces(twin) == forces(loaded)
    np.testing.assert_allclose(forces(world), first, atol=1e-4)


def test_a_gear_and_a_mimic_hold_trees_together() -> None:
    made = Skeleton("wheels")
    for i in range(2):
        joint = kido.RevoluteJoint(f"axle{i}", (0, 0, 1))
        made.add_body(f"wheel{i}", joint=joint, inertia=Inertia(1.0, (0, 0, 0), (0.1 + 0.2 * i) * np.eye(3)))
    world = World([made], gravity=(0.0, 0.0, 0.0))
    gear = world.constraints.add(kido.GearConstraint(made.dof(1), made.dof(0), ratio=-0.5))
    made.commands = [0.4, 0.0]
    world.step(1000)
    assert made.velocities[0] == pytest.approx(0.4 / (0.1 + 0.25 * 0.3), rel=1e-6)
    assert made.velocities[1] == pytest.approx(-0.5 * made.velocities[0], rel=1e-9)
    world.constraints.remove(gear)
    made.joint("axle1").mimic = kido.description.Mimic("axle0", -0.5)
    made.joint("axle1").actuator = "mimic"
    made.velocities, made.positions = [0.0, 0.0], [0.0, 0.0]
    world.step(1000)
    assert made.velocities[0] == pytest.approx(0.4 / (0.1 + 0.25 * 0.3), rel=1e-3)


def test_rows_of_a_user_reach_all_trees() -> None:
    class Together(kido.RowConstraint):
        """Two free bodies move alike along x."""

        def rows(self) -> kido.Rows:
            q, J = self.skeletons[0].positions, np.zeros((1, 12))
            J[0, 3], J[0, 9] = 1.0, -1.0
            return kido.Rows(error=[q[3] - q[9]], jacobian=J)

    one = Skeleton("one")
    for i in range(2):
        inertia = Inertia(1.0 + i, (0, 0, 0), 0.1 * np.eye(3))
        one.add_body(f"body{i}", joint=kido.FreeJoint(f"root{i}"), inertia=inertia)
    world = World([one], gravity=(0.0, 0.0, 0.0))
    world.constraints.add(Together(one))
    one.commands = [0, 0, 0, 3.0, 0, 0] + [0.0] * 6
    world.step(1000)
    np.testing.assert_allclose(one.velocities[[3, 9]], [1.0, 1.0], rtol=1e-6)


def test_an_integrator_of_a_user_moves_all_trees_as_one() -> None:
    class Drift(CustomIntegrator):
        def advance(self, motion: SmoothMotion) -> tuple[np.ndarray, np.ndarray]:
            return motion.positions + 0.01, motion.velocities

    one = Skeleton("one")
    for i in range(2):
        one.add_body(f"body{i}", joint=kido.PrismaticJoint(f"rail{i}"), inertia=INERTIA)
    world = World([one], integrator=Drift())
    world.step(3)
    np.testing.assert_allclose(one.positions, [0.03, 0.03])


def test_rollouts_and_divergence_name_parts_of_the_skeleton() -> None:
    one, many = one_and_many(["arm", "arm"])
    first, second = World([gallery.ground(), one]), World([gallery.ground(), *many])
    commands = np.random.default_rng(0).normal(size=(3, 20, 14))
    out, other = (kido.rollout(world, commands, threads=2) for world in (first, second))
    assert np.array_equal(out.positions, other.positions)
    one.commands = [0.0] * 7 + [1e300] * 7
    with pytest.raises(kido.errors.DivergedError, match=r"(crate|arm)1"):
        first.step(100)
