"""Dofs that follow each other, in one skeleton, in several, as gears and as motors."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import mujoco
import numpy as np
import pytest
from _mechanisms import WEIGHTLESS, pendulum, slider, wheel

import kido
from kido import ActuatorType, GearConstraint, Skeleton, Softness, World, gallery
from kido.description import Mimic
from kido.errors import EditError


def geared(ratio: float, **numbers: object) -> tuple[World, Skeleton, Skeleton, GearConstraint]:
    """Two wheels, the second following the first."""
    first, second = wheel("first", 0.5), wheel("second", 0.2)
    world = World([first, second], gravity=WEIGHTLESS)
    gear = GearConstraint(second.dof(0), first.dof(0), ratio=ratio, **numbers)  # type: ignore[arg-type]
    return world, first, second, world.constraints.add(gear)


@pytest.mark.parametrize("ratio", [1.0, -2.0, 0.25, 30.0])
def test_a_driven_gear_turns_both_wheels_as_one_of_their_moments(ratio: float) -> None:
    world, first, second, gear = geared(ratio)
    first.commands = [3.0]
    world.step(500)
    moment = 0.5 + ratio**2 * 0.2
    assert first.velocities[0] == pytest.approx(3.0 / moment * 0.5, rel=1e-9)
    assert second.velocities[0] == pytest.approx(ratio * first.velocities[0], rel=1e-9)
    assert second.positions[0] == pytest.approx(ratio * first.positions[0], abs=1e-12)
    force = world.constraint_force(gear)
    np.testing.assert_allclose(force, [0.2 * ratio * 3.0 / moment], rtol=1e-9)
    np.testing.assert_allclose(world.joint_forces(second).constraints, force, rtol=1e-12)
    np.testing.assert_allclose(world.joint_forces(first).constraints, -ratio * force, rtol=1e-12)


def test_the_offset_is_taken_up_without_a_kick() -> None:
    world, first, second, _ = geared(2.0, offset=0.3)
    world.step(1)
    assert second.positions[0] - 2.0 * first.positions[0] == pytest.approx(0.3, abs=1e-12)
    world.step(100)
    assert abs(first.velocities[0]) < 1e-9 and abs(second.velocities[0]) < 1e-9


@pytest.mark.parametrize("largest", [0.5, 2.0])
def test_a_gear_slips_above_its_largest_force(largest: float) -> None:
    world, first, second, gear = geared(1.0, max_force=largest)
    first.commands = [7.0]  # 2 N m of which would drive the second
    world.step(200)
    assert second.velocities[0] == pytest.approx(largest / 0.2 * 0.2, rel=1e-9)
    assert first.velocities[0] == pytest.approx((7.0 - largest) / 0.5 * 0.2, rel=1e-9)
    np.testing.assert_allclose(world.constraint_force(gear), [largest], rtol=1e-9)


def test_a_one_way_gear_is_not_felt_by_its_leader() -> None:
    world, first, second, gear = geared(3.0, one_way=True)
    first.commands = [1.0]
    world.step(500)
    assert first.velocities[0] == pytest.approx(1.0 / 0.5 * 0.5, rel=1e-12)
    assert second.velocities[0] == pytest.approx(3.0 * first.velocities[0], rel=1e-9)
    assert second.positions[0] == pytest.approx(3.0 * first.positions[0], abs=1e-9)
    np.testing.assert_allclose(world.constraint_force(gear), [0.2 * 3.0 * 2.0], rtol=1e-9)
    np.testing.assert_array_equal(world.joint_forces(first).constraints, [0.0])


def test_a_rack_and_a_pinion_exchange_momentum() -> None:
    """m v + I w / r stays what a push gave, r the ratio."""
    rack, pinion = slider("rack", mass=2.0), wheel("pinion", 0.5)
    world = World([rack, pinion], gravity=WEIGHTLESS)
    world.constraints.add(GearConstraint(rack.dof(0), pinion.dof(0), ratio=0.1))
    rack.velocities = [1.0]
    world.step(10)
    w = 2.0 * 0.1 / (0.5 + 2.0 * 0.01)
    assert pinion.velocities[0] == pytest.approx(w, rel=1e-9)
    assert rack.velocities[0] == pytest.approx(0.1 * w, rel=1e-9)


def test_pendulums_on_a_gear_swing_as_those_of_mujoco() -> None:
    first, second = pendulum("first"), pendulum("second", at=(2.0, 0.0, 0.0))
    world = World([first, second], time_step=1e-4)
    world.constraints.add(GearConstraint(second.dof(0), first.dof(0), ratio=-0.5, offset=0.2))
    second.positions = [0.2]
    body = """<body pos="{x} 0 0"><joint name="{name}" type="hinge" axis="0 1 0"/>
        <inertial pos="0.3 0 0" mass="1" diaginertia="0.01 0.02 0.03"/></body>"""
    model = mujoco.MjModel.from_xml_string(f"""
        <mujoco><option timestep="1e-4" integrator="RK4"/><worldbody>
        {body.format(x=0, name="a")}{body.format(x=2, name="b")}</worldbody>
        <equality><joint joint1="b" joint2="a" polycoef="0.2 -0.5 0 0 0" solref="-1e8 -2e4"
            solimp="0.9999 0.9999 0.001"/></equality></mujoco>""")
    data = mujoco.MjData(model)
    data.qpos[:] = [0.0, 0.2]
    for _ in range(4):
        world.step(1000)
        for _ in range(1000):
            mujoco.mj_step(model, data)
        np.testing.assert_allclose([*first.positions, *second.positions], data.qpos, atol=2e-3)
    assert abs(first.positions[0]) > 0.3


def test_a_gear_in_one_skeleton_keeps_the_energy() -> None:
    made = gallery.double_pendulum()
    made.damping = [0.0, 0.0]
    world = World([made], time_step=1e-4)
    made.positions = [1.0, 0.5]
    world.constraints.add(GearConstraint(made.dof(1), made.dof(0), ratio=0.5))
    before = world.energy
    for _ in range(20):
        world.step(500)
        assert made.positions[1] == pytest.approx(0.5 * made.positions[0], abs=1e-10)
        assert world.energy == pytest.approx(before, abs=2e-3 * abs(before))


def test_a_gear_to_a_dof_that_stands_holds_its_follower() -> None:
    still, moving = slider("still"), pendulum()
    still.positions = [0.4]
    still.mobile = False
    world = World([still, moving])
    gear = world.constraints.add(GearConstraint(moving.dof(0), still.dof(0), ratio=2.0))
    world.step(10)
    assert moving.positions[0] == pytest.approx(0.8, abs=1e-12)
    np.testing.assert_allclose(world.constraint_force(gear), [-0.3 * 9.81 * np.cos(0.8)], rtol=1e-6)
    still.positions = [0.2]
    world.step(5)
    assert moving.positions[0] == pytest.approx(0.4, abs=1e-12)


def test_a_soft_gear_yields_by_force_over_stiffness() -> None:
    world, first, second, gear = geared(1.0, softness=Softness(stiffness=50.0, damping=5.0))
    first.dof(0).joint.actuator = ActuatorType.LOCKED
    second.commands = [2.0]
    world.step(5000)
    assert second.positions[0] == pytest.approx(2.0 / 50.0, rel=1e-6)
    np.testing.assert_allclose(world.constraint_force(gear), [-2.0], rtol=1e-6)


# ---- mimic joints


def gripper(coupled: bool, **numbers: object) -> Skeleton:
    """Two fingers on rails, the second following the first at half its way."""
    made = Skeleton("gripper")
    for name in ("leader", "follower"):
        rail = kido.PrismaticJoint(name, axis=(1.0, 0.0, 0.0))
        inertia = kido.Inertia(2.0, (0, 0, 0), np.eye(3))
        made.add_body(f"{name}_finger", joint=rail, inertia=inertia)
    follower = made.joint("follower")
    follower.mimic = Mimic("leader", multiplier=0.5, offset=0.1, coupled=coupled)
    follower.actuator = ActuatorType.MIMIC
    for name, value in numbers.items():
        setattr(made.dof("follower"), name, value)
    made.positions = [0.0, 0.1]
    return made


@pytest.mark.parametrize("coupled", [True, False])
def test_mimic_joints_are_gears_or_motors(coupled: bool) -> None:
    made = gripper(coupled)
    world = World([made], gravity=WEIGHTLESS)
    made.commands = [1.0, 0.0]
    world.step(1000)
    felt = 2.0 + (0.25 * 2.0 if coupled else 0.0)
    assert made.velocities[0] == pytest.approx(1.0 / felt, rel=1e-6)
    assert made.positions[1] == pytest.approx(0.5 * made.positions[0] + 0.1, abs=1e-5)
    forces = world.joint_forces(made)
    needed = 2.0 * 0.5 / felt
    assert forces.actuators[1] == pytest.approx(needed, rel=1e-3)
    assert forces.constraints[0] == pytest.approx(-0.5 * needed if coupled else 0.0, rel=1e-3)


def test_a_mimic_motor_keeps_its_limits_of_force_and_velocity() -> None:
    made = gripper(False, force_upper_limit=0.2)
    world = World([made], gravity=WEIGHTLESS)
    made.commands = [4.0, 0.0]
    world.step(100)
    before = made.velocities[1]
    world.step(400)
    assert made.velocities[1] - before == pytest.approx(0.2 / 2.0 * 0.4, rel=1e-9)
    assert world.joint_forces(made).actuators[1] == pytest.approx(0.2, rel=1e-12)
    slow = gripper(False, velocity_upper_limit=0.1)
    world = World([slow], gravity=WEIGHTLESS)
    slow.velocities = [1.0, 0.0]
    world.step(100)
    assert slow.velocities[1] == pytest.approx(0.1, rel=1e-9)


def test_mimics_by_motor_survive_copies_and_clones() -> None:
    made = gripper(False)
    for copy in (made.clone(), World([made]).clone().skeletons[0]):
        mimic = copy.joint("follower").mimic
        assert mimic is not None and not mimic.coupled


# ---- what is refused


@pytest.mark.parametrize("free", [gallery.box, lambda: gallery.chain(2, kido.BallJoint)])
def test_dofs_of_ball_and_free_joints_are_refused(free: object) -> None:
    other, body = slider(), free()  # type: ignore[operator]
    with pytest.raises(EditError, match=r"follower: expected a dof whose positions are added"):
        GearConstraint(body.dof(0), other.dof(0))
    with pytest.raises(EditError, match=r"leader: expected a dof whose positions are added"):
        GearConstraint(other.dof(0), body.dof(0))


def test_what_makes_no_gear_is_refused_by_name() -> None:
    a, b = slider("a").dof(0), slider("b").dof(0)
    with pytest.raises(EditError, match="two different dofs"):
        GearConstraint(a, a)
    for name, value in (("ratio", np.nan), ("offset", "much"), ("max_force", 0.0), ("max_force", np.nan)):
        with pytest.raises((TypeError, ValueError), match=name):
            GearConstraint(a, b, **{name: value})  # type: ignore[arg-type]
    for wrong in (None, "dof", a.joint):
        with pytest.raises(TypeError, match="leader"):
            GearConstraint(b, wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="softness"):
        GearConstraint(a, b, softness=3.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="one_way"):
        GearConstraint(a, b, one_way="yes")  # type: ignore[arg-type]


MIMIC_CHANGES: dict[str, Callable[[kido.Joint], None]] = {
    "another actuator": lambda joint: setattr(joint, "actuator", "force"),
    "no mimic": lambda joint: setattr(joint, "mimic", None),
    "another ratio": lambda joint: setattr(joint, "mimic", Mimic("left_slide", 0.5, 0.005)),
    "a motor": lambda joint: setattr(joint, "mimic", Mimic("left_slide", coupled=False)),
}


def driven_gripper() -> tuple[World, kido.Joint]:
    gripper = kido.gallery.gripper()
    gripper.positions = [0.01, 0.01]
    world = World([gripper], gravity=(0.0, 0.0, 0.0))
    world.step(3)
    return world, gripper.joint("right_slide")


@pytest.mark.parametrize("change", MIMIC_CHANGES.values(), ids=MIMIC_CHANGES)
def test_whom_a_joint_follows_can_be_changed_between_steps(change: Callable[[kido.Joint], None]) -> None:
    """In a world that runs as in one built anew, in pickles and in recordings."""
    moved = []
    for anew in (False, True):
        world, joint = driven_gripper()
        (gripper,) = world.skeletons
        change(joint)
        if anew:
            world = World([gripper], gravity=world.gravity)
        with kido.record(world) as recording:
            gripper.joint("left_slide").commands = [0.05]
            world.step(20)
        moved.append(gripper.positions)
        copied = pickle.loads(pickle.dumps(world))
        replayed = recording.world_at(world.time)
        for other in (copied, replayed):
            np.testing.assert_array_equal(other.skeletons[0].positions, gripper.positions)
        world.step(5)
        copied.step(5)
        np.testing.assert_array_equal(copied.skeletons[0].positions, gripper.positions)
    np.testing.assert_array_equal(*moved)


def test_a_recording_goes_on_right_when_a_joint_lets_its_leader_go() -> None:
    world, joint = driven_gripper()
    (gripper,) = world.skeletons
    with kido.record(world) as recording:
        gripper.joint("left_slide").commands = [0.05]
        world.step(5)
        joint.actuator = "force"
        world.step(5)
    np.testing.assert_array_equal(recording.world_at(world.time).skeletons[0].positions, gripper.positions)
