"""Effect of commands by actuator type."""

from __future__ import annotations

import numpy as np
import pytest
from _moving_skeletons import add_wrenches, branched, skeleton_of, spring_pull, with_springs
from _random_trees import Array, assert_near

import kido
from kido import ActuatorType

pytestmark = pytest.mark.filterwarnings("ignore::kido.errors.NoEffectWarning")

EXACT = 1e-12
SOLVED = 1e-9

KINEMATIC = ("acceleration", "velocity", "locked")
DYNAMIC = ("force", "passive", "servo", "mimic")

every_seed = pytest.mark.parametrize("seed", range(3))


def pendulum(**options: object) -> kido.Skeleton:
    """One kilogram half a meter below a hinge, without gravity: 0.35 kg m^2 about the hinge."""
    s = kido.Skeleton("pendulum", gravity=(0.0, 0.0, 0.0), time_step=0.01)
    inertia = kido.Inertia(1.0, (0.0, 0.0, -0.5), 0.1 * np.eye(3))
    s.add_body("bob", joint=kido.RevoluteJoint("hinge", (0.0, 1.0, 0.0), **options), inertia=inertia)  # type: ignore[arg-type]
    return s


def mixed(seed: int) -> kido.Skeleton:
    """A moving skeleton with springs, dampers and wrenches, whose joints have actuators of every type."""
    s = add_wrenches(with_springs(branched(seed), seed), seed)
    types = list(ActuatorType)
    rng = np.random.default_rng(seed)
    for i, joint in enumerate(s.joints):
        joint.actuator = types[(i + seed) % len(types)]
        if joint.actuator.takes_commands:
            joint.commands = rng.uniform(-2.0, 2.0, joint.num_dofs)
    return s


def expand(s: kido.Skeleton, of_joint: object) -> Array:
    """A number of each joint, for each of its dofs."""
    return np.concatenate([np.full(joint.num_dofs, of_joint(joint)) for joint in s.joints])  # type: ignore[operator]


def dense_forces(s: kido.Skeleton) -> Array:
    """Forces of the joints' actuators for the present accelerations: (M + hD + h^2 K) a + ..."""
    h, a, v = s.time_step, s.accelerations, s.velocities
    pull = spring_pull(s, s.tree.integrate(s.positions, v, h))
    left = s.mass_matrix @ a + s.coriolis_forces + s.gravity_forces - s.external_forces
    return left + s.damping * (v + h * a) + s.spring_stiffness * h * h * a - pull


# ---- each type by itself


def test_a_force_command_is_the_force() -> None:
    s = pendulum(actuator="force")
    s.commands = [0.7]
    s.compute_forward_dynamics()
    assert_near(s.accelerations, [0.7 / 0.35], EXACT)
    assert_near(s.forces, [0.7], 0.0)


@pytest.mark.parametrize("actuator", ["passive", "servo", "mimic"])
def test_forward_dynamics_gives_no_force_to_passive_servo_and_mimic_joints(actuator: str) -> None:
    s = pendulum(actuator=actuator, damping=0.5)
    s.velocities = [2.0]
    if actuator == "servo":
        s.commands = [9.0]
    s.compute_forward_dynamics()
    assert_near(s.accelerations, [-1.0 / (0.35 + 0.01 * 0.5)], EXACT)
    assert_near(s.forces, [0.0], 0.0)


def test_an_acceleration_command_is_reached_and_its_force_told() -> None:
    s = pendulum(actuator="acceleration")
    s.commands = [3.0]
    s.compute_forward_dynamics()
    assert_near(s.accelerations, [3.0], 0.0)
    assert_near(s.forces, [3.0 * 0.35], EXACT)


def test_a_velocity_command_is_reached_within_one_step() -> None:
    s = pendulum(actuator="velocity")
    s.velocities, s.commands = [0.5], [2.0]
    s.compute_forward_dynamics()
    assert_near(s.accelerations, [1.5 / 0.01], EXACT)
    assert_near(s.velocities + s.time_step * s.accelerations, [2.0], EXACT)
    assert_near(s.forces, [150.0 * 0.35], EXACT)


def test_a_locked_joint_stops_within_one_step() -> None:
    s = pendulum(actuator="locked")
    s.velocities = [0.5]
    s.compute_forward_dynamics()
    assert_near(s.velocities + s.time_step * s.accelerations, [0.0], EXACT)
    assert_near(s.forces, [-50.0 * 0.35], EXACT)


# ---- commands


@pytest.mark.parametrize("actuator", ActuatorType)
def test_types_are_kinematic_and_take_commands_as_documented(actuator: ActuatorType) -> None:
    joint = kido.RevoluteJoint(actuator=actuator)
    assert joint.is_kinematic == actuator.is_kinematic == (actuator.value in KINEMATIC)
    assert actuator.takes_commands == (actuator.value not in ("passive", "mimic", "locked"))
    assert joint.actuator is actuator
    assert str(actuator) == actuator.value


@pytest.mark.parametrize(
    ("actuator", "kind", "reached"),
    [
        ("force", "force", lambda s: s.forces),
        ("acceleration", "acceleration", lambda s: s.accelerations),
        ("velocity", "velocity", lambda s: s.velocities + s.time_step * s.accelerations),
    ],
)
@pytest.mark.parametrize(("command", "expected"), [(5.0, 1.5), (-5.0, -0.5), (1.0, 1.0), (-0.25, -0.25)])
def test_commands_beyond_the_limits_of_their_kind_count_as_the_nearest_within(
    actuator: str, kind: str, reached: object, command: float, expected: float
) -> None:
    s = pendulum(actuator=actuator, **{f"{kind}_lower_limits": -0.5, f"{kind}_upper_limits": 1.5})
    s.commands = [command]
    s.compute_forward_dynamics()
    assert_near(reached(s), [expected], EXACT)  # type: ignore[operator]
    assert_near(s.commands, [command], 0.0)


@pytest.mark.parametrize(
    ("actuator", "others"),
    [
        ("force", ("position", "velocity", "acceleration")),
        ("acceleration", ("position", "velocity", "force")),
        ("velocity", ("position", "acceleration", "force")),
    ],
)
def test_limits_of_other_kinds_do_not_touch_commands(actuator: str, others: tuple[str, ...]) -> None:
    free, bound = pendulum(actuator=actuator), pendulum(actuator=actuator)
    for kind in others:
        setattr(bound, f"{kind}_lower_limits", -0.01)
        setattr(bound, f"{kind}_upper_limits", 0.01)
    for s in (free, bound):
        s.commands = [4.0]
        s.compute_forward_dynamics()
    assert_near(bound.accelerations, free.accelerations, 0.0)
    assert_near(bound.forces, free.forces, 0.0)


@pytest.mark.parametrize("actuator", ["passive", "mimic", "locked"])
def test_joints_that_take_no_commands_refuse_them_and_lose_old_ones(actuator: str) -> None:
    s = pendulum()
    s.commands = [1.0]
    joint = s.joint("hinge")
    joint.actuator = actuator
    assert_near(s.commands, [0.0], 0.0)
    for owner in (s, joint):
        with pytest.raises(
            ValueError, match=f"^commands: 'hinge' takes none, its actuator type is {actuator}"
        ):
            owner.commands = [1.0]
        owner.commands = [0.0]
    with pytest.raises(ValueError, match=r"^commands: 'hinge' takes none"):
        s.dof("hinge").command = 1.0
    assert_near(s.commands, [0.0], 0.0)


def test_one_joint_that_takes_no_commands_leaves_all_commands_as_they_were() -> None:
    s = skeleton_of(["revolute", "ball", "prismatic"], [-1, 0, 1], 0)
    s.commands = [1.0, 2.0, 3.0, 4.0, 5.0]
    s.joint(1).actuator = "passive"
    with pytest.raises(ValueError, match=r"^commands: 'body1_joint' takes none"):
        s.commands = np.ones(5)
    assert_near(s.commands, [1.0, 0.0, 0.0, 0.0, 5.0], 0.0)


def test_forces_that_are_set_are_commands_of_force_joints_alone() -> None:
    s = skeleton_of(["revolute", "prismatic", "ball"], [-1, 0, 1], 0)
    s.joint(1).actuator = "velocity"
    s.forces = [1.0, 2.0, 3.0, 4.0, 5.0]
    assert_near(s.commands, [1.0, 0.0, 3.0, 4.0, 5.0], 0.0)
    s.joint(2).forces = [6.0, 7.0, 8.0]
    assert_near(s.commands, [1.0, 0.0, 6.0, 7.0, 8.0], 0.0)


def test_an_unknown_actuator_is_refused_with_the_known_ones() -> None:
    s = pendulum()
    with pytest.raises(ValueError, match=r"^actuator: expected one of force, passive, .*, got 'motor'"):
        s.joint("hinge").actuator = "motor"
    assert s.joint("hinge").actuator is ActuatorType.FORCE


def test_commands_hold_until_they_are_changed() -> None:
    s = pendulum()
    s.commands = [0.7]
    s.compute_forward_dynamics()
    s.integrate_velocities(s.time_step)
    s.integrate_positions(s.time_step)
    s.compute_forward_dynamics()
    assert_near(s.commands, [0.7], 0.0)
    assert_near(s.accelerations, [2.0], EXACT)


# ---- all types together


@every_seed
def test_with_all_types_mixed_the_dense_equation_holds(seed: int) -> None:
    s = mixed(seed)
    s.compute_forward_dynamics()
    assert_near(s.forces, dense_forces(s), SOLVED)


@every_seed
def test_with_all_types_mixed_prescribed_motions_are_reached_and_given_forces_act(seed: int) -> None:
    s = mixed(seed)
    s.compute_forward_dynamics()
    ahead = s.velocities + s.time_step * s.accelerations
    reached = {
        "force": s.forces,
        "passive": s.forces,
        "servo": s.forces,
        "mimic": s.forces,
        "acceleration": s.accelerations,
        "velocity": ahead,
        "locked": ahead,
    }
    seen = set()
    for joint in s.joints:
        dofs, kind = list(joint.dof_indices), joint.actuator.value
        expected = joint.commands if kind in ("force", "acceleration", "velocity") else np.zeros(len(dofs))
        assert_near(reached[kind][dofs], expected, EXACT)
        seen.add(kind)
    assert seen == set(reached)


@every_seed
def test_forces_found_for_prescribed_motions_give_those_motions_when_they_are_commanded(seed: int) -> None:
    s = mixed(seed)
    s.compute_forward_dynamics()
    a, forces = s.accelerations, s.forces
    for joint in s.joints:
        joint.actuator = "force"
    s.commands = forces
    s.compute_forward_dynamics()
    assert_near(s.accelerations, a, SOLVED)


@every_seed
@pytest.mark.parametrize("actuator", ["acceleration", "velocity"])
def test_a_motion_by_forces_replayed_as_prescribed_motion_takes_the_same_forces(
    seed: int, actuator: str
) -> None:
    s = add_wrenches(with_springs(branched(seed), seed), seed)
    forces = np.random.default_rng(seed).uniform(-2.0, 2.0, s.num_dofs)
    replay = s.clone()
    for joint in replay.joints[::2]:
        joint.actuator = actuator
    for _ in range(20):
        s.commands = forces
        s.compute_forward_dynamics()
        ahead = s.velocities + s.time_step * s.accelerations
        kinematic = expand(replay, lambda joint: joint.is_kinematic)
        replay.commands = np.where(
            kinematic, s.accelerations if actuator == "acceleration" else ahead, forces
        )
        replay.compute_forward_dynamics()
        assert_near(replay.accelerations, s.accelerations, 1e-8)
        assert_near(replay.forces, forces, 1e-8)
        for each in (s, replay):
            each.integrate_velocities(each.time_step)
            each.integrate_positions(each.time_step)
        assert_near(replay.positions, s.positions, 1e-8)


def test_a_skeleton_all_of_whose_joints_are_prescribed_needs_no_mass() -> None:
    s = kido.Skeleton("massless")
    s.add_body("body", joint=kido.RevoluteJoint(actuator="acceleration"), inertia=None)
    s.commands = [2.0]
    s.compute_forward_dynamics()
    assert_near(s.accelerations, [2.0], 0.0)
    assert_near(s.forces, [0.0], EXACT)
