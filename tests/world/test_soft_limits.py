"""Limits of positions that give way: springs and dampers in place of hard stops."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from kido import BallJoint, PrismaticJoint, RevoluteJoint, Skeleton, World, gallery
from kido.constraint import Softness
from kido.description import Inertia
from kido.world import BoxedLCPSolver, Sleeping

WEIGHTLESS = (0.0, 0.0, 0.0)


def slide(mass: float = 2.0, sign: float = 1.0, **limits: Any) -> Skeleton:
    """A mass on a rail, with a limit at zero that it is pushed against in direction `sign`."""
    made = Skeleton("slide")
    joint = PrismaticJoint("rail", (1, 0, 0))
    made.add_body("mass", joint=joint, inertia=Inertia(mass, (0, 0, 0), np.eye(3)))
    side = "upper" if sign > 0 else "lower"
    setattr(made, f"position_{side}_limits", [0.0])
    for name, value in limits.items():
        setattr(made, name, [value])
    return made


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("solver", [None, BoxedLCPSolver()])
def test_a_loaded_limit_gives_way_by_force_over_stiffness(sign: float, solver: BoxedLCPSolver | None) -> None:
    made = slide(sign=sign, limit_stiffness=500.0, limit_damping=60.0)
    world = World([made], gravity=WEIGHTLESS, **({} if solver is None else {"solver": solver}))
    made.commands = [sign * 10.0]
    world.step(3000)
    assert made.positions[0] == pytest.approx(sign * 10.0 / 500.0, rel=1e-6)
    assert world.joint_forces(made).limits[0] == pytest.approx(-sign * 10.0, rel=1e-6)


@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_a_limit_without_damping_swings_at_its_frequency(step: float) -> None:
    found = []
    for limits in ({"limit_frequency": 2.0}, {"limit_stiffness": 2.0 * (2.0 * np.pi * 2.0) ** 2}):
        made = slide(**limits)
        made.velocities = [0.5]
        world = World([made], gravity=WEIGHTLESS, time_step=step)
        farthest, steps = 0.0, 0
        while made.positions[0] >= 0.0:
            world.step()
            steps += 1
            farthest = max(farthest, made.positions[0])
        found.append((farthest, made.velocities[0]))
        # Half a period inside the limit; an implicit spring takes a little of the energy.
        assert steps * step == pytest.approx(0.25, abs=1.1 * step)
        assert farthest == pytest.approx(0.5 / (4.0 * np.pi), rel=0.03 * step / 1e-3)
        assert -0.5 < made.velocities[0] < -0.5 * (1.0 - 0.02 * step / 1e-3)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


def test_a_critically_damped_limit_does_not_bounce() -> None:
    """A spring and damper push only: x = v t exp(-w t) as long as they do, which is for ever."""
    made = slide(limit_frequency=3.0, limit_damping_ratio=1.0)
    made.velocities = [0.7]
    world = World([made], gravity=WEIGHTLESS, time_step=2e-4)
    w = 2.0 * np.pi * 3.0
    for _ in range(10):
        world.step(50)
        t = world.time
        # Past t = 2 / w the damper would pull: the limit lets go there.
        if t < 2.0 / w:
            assert made.positions[0] == pytest.approx(0.7 * t * np.exp(-w * t), rel=5e-3)
    assert made.velocities[0] <= 0.0


def test_hard_limits_stay_hard_and_other_dofs_of_the_skeleton_too() -> None:
    made = Skeleton("two")
    body = None
    for name in ("a", "b"):
        joint = RevoluteJoint(name, (0, 1, 0), T_parent_joint=(0.0 if body is None else 0.3, 0, 0))
        body = made.add_body(name, body, joint, inertia=Inertia(1.0, (0.3, 0, 0), 0.01 * np.eye(3)))
    made.position_lower_limits = made.position_upper_limits = [0.0, 0.0]
    made.position_lower_limits, made.position_upper_limits = [-0.01, -0.01], [0.01, 0.01]
    made.limit_stiffness, made.limit_damping = {"b": 20.0}, {"b": 2.0}
    assert made.dof("b").limit_stiffness == 20.0 and made.dof("a").limit_stiffness == 0.0
    world = World([made])
    world.step(4000)
    weight = 9.81 * 0.3 * np.cos(made.positions.sum())
    assert abs(made.positions[0] - 0.01) < 1e-4
    assert made.positions[1] - 0.01 == pytest.approx(weight / 20.0, rel=1e-3)


def test_ball_joints_give_way_by_their_rotation_vector() -> None:
    made = Skeleton("top")
    inertia = Inertia(1.0, (0, 0, 0), 0.1 * np.eye(3))
    made.add_body("top", joint=BallJoint("ball"), inertia=inertia)
    made.position_upper_limits = [0.2, 0.2, 0.2]
    made.limit_stiffness, made.limit_damping = [50.0] * 3, [5.0] * 3
    world = World([made], gravity=WEIGHTLESS)
    made.commands = [4.0, 0.0, 0.0]
    world.step(4000)
    np.testing.assert_allclose(made.positions, [0.2 + 4.0 / 50.0, 0.0, 0.0], atol=1e-6)


def test_a_softness_of_constraints_names_the_same_spring() -> None:
    """A limit by erp and cfm gives way as a constraint of that softness does."""
    soft = Softness.of_erp(erp=0.2, cfm=1e-4, time_step=1e-3)
    made = slide(limit_stiffness=soft.stiffness, limit_damping=soft.damping)
    world = World([made], gravity=WEIGHTLESS)
    made.commands = [10.0]
    world.step(2000)
    assert made.positions[0] == pytest.approx(10.0 / soft.stiffness, rel=1e-6)
    # cfm / erp is the compliance of a step: x = f h cfm / erp.
    assert made.positions[0] == pytest.approx(10.0 * 1e-3 * 1e-4 / 0.2, rel=1e-6)


@pytest.mark.parametrize("stiffness", [1e2, 1e5, 1e9])
@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_any_stiffness_is_stable(stiffness: float, step: float) -> None:
    made = slide(limit_stiffness=stiffness)
    world = World([made], gravity=WEIGHTLESS, time_step=step)
    made.positions, made.velocities, made.commands = [-0.05], [2.0], [5.0]
    for _ in range(200):
        world.step(5)
        assert abs(made.velocities[0]) < 3.0
    assert made.positions[0] < 2.0 * np.sqrt(2.0 / stiffness) * 2.5 + 10.0 / stiffness + 1e-3


def test_a_robot_in_a_direct_solve_keeps_soft_limits() -> None:
    """A tonne on a plate that soft limits carry: heavy on light."""
    lift = Skeleton("lift")
    joint = PrismaticJoint("up", (0, 0, 1))
    plate = lift.add_body("plate", joint=joint, inertia=Inertia(1.0, (0, 0, 0), np.eye(3)))
    plate.add_shape_node(gallery.box((1.0, 1.0, 0.1)).body(0).shape_nodes[0].shape)
    lift.position_lower_limits = [0.0]
    lift.limit_stiffness, lift.limit_damping = [1e6], [1e5]
    light = gallery.box((0.2, 0.2, 0.2), mass=1.0, name="light")
    heavy = gallery.box((0.2, 0.2, 0.2), mass=1000.0, name="heavy")
    light.positions, heavy.positions = [0, 0, 0, 0, 0, 0.15], [0, 0, 0, 0, 0, 0.35]
    world = World([lift, light, heavy])
    world.step(2000)
    assert lift.positions[0] == pytest.approx(-1002.0 * 9.81 / 1e6, rel=1e-3)
    assert max(c.depth for c in world.contacts) < 5e-5


def test_edits_copies_pickles_values_and_sleep_know_them() -> None:
    made = slide(limit_stiffness=500.0, limit_damping=60.0)
    made.commands = [10.0]
    world = World([made], gravity=WEIGHTLESS, sleeping=Sleeping(after=0.2))
    world.step(3000)
    assert world.is_sleeping(made)
    for other in (world.clone(), pickle.loads(pickle.dumps(world))):
        assert other.skeletons[0].limit_stiffness == [500.0] and other.is_sleeping(other.skeletons[0])
        other.step(10)
        assert other.skeletons[0].positions == made.positions
    twin = made.clone()
    made.limit_stiffness = [1000.0]
    world.step()
    assert not world.is_sleeping(made)
    world.step(3000)
    assert made.positions[0] == pytest.approx(0.01, rel=1e-2)  # it slept before it was quite there
    made.limit_stiffness = made.limit_damping = [0.0]
    world.step(3000)
    assert abs(made.positions[0]) < 1e-4
    assert twin.limit_stiffness == [500.0]


@pytest.mark.parametrize(
    "name", ["limit_stiffness", "limit_damping", "limit_frequency", "limit_damping_ratio"]
)
def test_bad_numbers_are_named(name: str) -> None:
    made = slide()
    with pytest.raises(ValueError, match=rf"^{name}: expected no number below 0"):
        setattr(made, name, [-1.0])
    with pytest.raises(ValueError, match=rf"^{name}: expected finite numbers"):
        setattr(made, name, [np.inf])
    assert getattr(made, name) == [0.0]
