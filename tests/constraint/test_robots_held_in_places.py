"""Robots that closures hold in several places, beside limits of their joints: loops that contradict each
other, that stand badly, that hold the same. Velocities and energies stay bounded."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido import Skeleton, Softness, World, gallery
from kido.world import BlockSolver, BoxedLCPSolver

TIME_STEPS = [1e-3, 2e-3]


def standing() -> Skeleton:
    """A humanoid with stretched arms and legs: chains are singular, and joints at limits."""
    made = gallery.humanoid()
    made.positions = [0.0, 0.0, 0.0, 0.0, 0.0, 1.2] + [0.0] * (made.num_dofs - 6)
    return made


def move(made: Skeleton, amount: float, seed: int) -> None:
    """Joints somewhere else, beyond their limits too."""
    noise = np.random.default_rng(seed).normal(size=made.num_dofs) * amount
    noise[:6] = 0.0
    made.positions = made.positions + noise


def liveliest(world: World, seconds: float) -> float:
    """The largest kinetic energy in a time [J]."""
    most = 0.0
    for _ in range(round(seconds / world.time_step)):
        world.step()
        most = max(most, world.kinetic_energy)
        assert most < 1e4
    return most


@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_stiff_spring_beside_a_weld(seed: int, time_step: float) -> None:
    """Of a frequency: its mass is that of the open loop, for with the loop closed nothing moves."""
    made = standing()
    world = World([gallery.ground(), made], time_step=time_step)
    world.constraints.add(kido.WeldConstraint(made.body("left_shoulder_pitch_link")))
    spring = world.constraints.add(
        kido.WeldConstraint(
            made.body("right_shoulder_roll_link"), softness=Softness.of_frequency(50.0, damping_ratio=0.5)
        )
    )
    move(made, 0.1, seed)
    assert liveliest(world, 0.5) < 300.0
    assert np.abs(world.constraint_wrench(spring)).max() < 1e5


@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_three_welds_that_joints_at_their_limits_cannot_meet(seed: int, time_step: float) -> None:
    made = standing()
    world = World([gallery.ground(), made], time_step=time_step)
    for name in ("right_forearm", "left_forearm", "right_shin"):
        world.constraints.add(kido.WeldConstraint(made.body(name)))
    move(made, 0.3, seed)
    assert liveliest(world, 0.5) < 1000.0


@pytest.mark.parametrize("solver", [BlockSolver(), BoxedLCPSolver()], ids=["blocks", "matrix"])
def test_a_ball_on_the_only_axis_that_moves_it_is_left_alone(solver: object) -> None:
    """Its rows move nothing but for rounding, and other constraints hold the same links."""
    for seed in range(20):
        made = gallery.arm7()
        made.positions = np.random.default_rng(seed).normal(size=7) * 0.3
        world = World([made], solver=solver)  # type: ignore[arg-type]
        place = made.body("link_5").transform()[:3, 3]
        hinge = kido.RevoluteConstraint(made.body("link_5"), point=place, axis=(1, 2, 3))
        on_axis = made.body("link_2").transform()[:3, 3]
        ball = kido.BallConstraint(made.body("link_2"), point=on_axis)
        for constraint in (kido.WeldConstraint(made.body("link_1")), ball, hinge):
            world.constraints.add(constraint)
        before = world.energy
        for _ in range(100):
            world.step()
            assert world.energy < before + 1e-3, seed
        assert np.abs(world.constraint_error(hinge)).max() < 1e-6, seed


@pytest.mark.parametrize("solver", [BlockSolver(), BoxedLCPSolver()], ids=["blocks", "matrix"])
def test_a_light_wheel_leads_a_heavy_one_by_a_gear_of_one_way(solver: object) -> None:
    made = []
    for name, moment in (("leader", 0.01), ("follower", 1.0)):
        wheel = Skeleton(name)
        joint = kido.RevoluteJoint(f"{name}_axle", (0, 0, 1))
        wheel.add_body(name, joint=joint, inertia=kido.Inertia(1.0, (0, 0, 0), moment * np.eye(3)))
        made.append(wheel)
    world = World(made, solver=solver)  # type: ignore[arg-type]
    leader, follower = made
    world.constraints.add(kido.GearConstraint(follower.dof(0), leader.dof(0), one_way=True))
    leader.velocities = [1.0]
    world.step(3)
    np.testing.assert_allclose(leader.velocities, [1.0], rtol=1e-12)
    np.testing.assert_allclose(follower.velocities, [1.0], rtol=1e-6)
    np.testing.assert_allclose(follower.positions, leader.positions, atol=1e-6)
