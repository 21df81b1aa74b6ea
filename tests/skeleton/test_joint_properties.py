"""Properties and numbers of joints and bodies: defaults, every way to set them, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dartpy
import numpy as np
import pytest
from _moving_skeletons import MAKERS, branched
from _own_extensions import Cam
from _random_trees import random_transform
from _rebuilt import PROPERTIES, STATES, answers, assert_same_answers
from scipy.spatial.transform import RigidTransform, Rotation

import kido
from kido.description import EULER_ORDERS, Inertia, Mimic
from kido.skeleton import ActuatorType

pytestmark = pytest.mark.filterwarnings("ignore::kido.errors.NoEffectWarning")

NAN, INF = float("nan"), float("inf")

DART_JOINTS: dict[str, tuple[type[kido.Joint], str]] = {
    "revolute": (kido.RevoluteJoint, "RevoluteJoint"),
    "prismatic": (kido.PrismaticJoint, "PrismaticJoint"),
    "screw": (kido.ScrewJoint, "ScrewJoint"),
    "universal": (kido.UniversalJoint, "UniversalJoint"),
    "euler": (kido.EulerJoint, "EulerJoint"),
    "ball": (kido.BallJoint, "BallJoint"),
    "planar": (kido.PlanarJoint, "PlanarJoint"),
    "translational": (kido.TranslationalJoint, "TranslationalJoint"),
    "free": (kido.FreeJoint, "FreeJoint"),
}

PER_DOF: dict[str, str] = {
    "position_lower_limits": "getPositionLowerLimit",
    "position_upper_limits": "getPositionUpperLimit",
    "velocity_lower_limits": "getVelocityLowerLimit",
    "velocity_upper_limits": "getVelocityUpperLimit",
    "acceleration_lower_limits": "getAccelerationLowerLimit",
    "acceleration_upper_limits": "getAccelerationUpperLimit",
    "force_lower_limits": "getForceLowerLimit",
    "force_upper_limits": "getForceUpperLimit",
    "initial_positions": "getInitialPosition",
    "initial_velocities": "getInitialVelocity",
    "rest_positions": "getRestPosition",
    "spring_stiffness": "getSpringStiffness",
    "damping": "getDampingCoefficient",
    "coulomb_friction": "getCoulombFriction",
}


@pytest.mark.parametrize("kind", DART_JOINTS)
def test_the_defaults_are_those_of_dart(kind: str) -> None:
    mine, theirs = DART_JOINTS[kind]
    joint = mine()
    skeleton = dartpy.dynamics.Skeleton()
    make = getattr(skeleton, f"create{theirs}AndBodyNodePair")
    dart = make()[0]
    assert joint.num_dofs == dart.getNumDofs()
    for name, getter in PER_DOF.items():
        expected = [getattr(dart, getter)(i) for i in range(joint.num_dofs)]
        assert getattr(joint, name).tolist() == expected, name
    assert (
        joint.actuator is ActuatorType.FORCE and dart.getActuatorType() == dartpy.dynamics.ActuatorType.FORCE
    )
    assert np.array_equal(joint.T_parent_joint, np.eye(4)) and np.array_equal(joint.T_child_joint, np.eye(4))
    assert joint.mimic is None and not any(getattr(joint, name).any() for name in STATES)
    assert [joint.is_cyclic(i) for i in range(joint.num_dofs)] == [
        dart.isCyclic(i) for i in range(joint.num_dofs)
    ]


def test_limits_are_enforced_unless_that_is_turned_off() -> None:
    assert kido.RevoluteJoint().limits_enforced
    assert not kido.RevoluteJoint(limits_enforced=False).limits_enforced


def test_the_axes_and_pitch_have_darts_defaults() -> None:
    for joint in (kido.RevoluteJoint(), kido.PrismaticJoint(), kido.ScrewJoint()):
        assert joint.axis.tolist() == [0.0, 0.0, 1.0]
    assert kido.ScrewJoint().pitch == 0.1
    universal, planar = kido.UniversalJoint(), kido.PlanarJoint()
    assert [universal.axis1.tolist(), universal.axis2.tolist()] == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    assert planar.rotation_axis.tolist() == [0.0, 0.0, 1.0]
    assert kido.EulerJoint().order == "xyz"


def test_bodies_have_darts_defaults() -> None:
    body = kido.Skeleton().add_body("b")
    assert body.mass == 1.0 and np.array_equal(body.moment_of_inertia, np.eye(3))
    assert not body.local_com.any() and body.gravity_mode and body.collidable
    assert not body.external_wrench.any()


def test_skeletons_have_darts_defaults() -> None:
    skeleton = kido.Skeleton()
    assert skeleton.gravity.tolist() == [0.0, 0.0, -9.81] and skeleton.time_step == 1e-3
    assert skeleton.mobile and not skeleton.self_collision_check and not skeleton.adjacent_body_check


@pytest.fixture
def skeleton() -> kido.Skeleton:
    return branched(5)


SINGULAR = {
    "velocities": "velocity",
    "initial_velocities": "initial_velocity",
    "spring_stiffness": "spring_stiffness",
    "limit_stiffness": "limit_stiffness",
}


@pytest.mark.parametrize("name", [*STATES, *PROPERTIES])
def test_every_number_can_be_set_by_skeleton_joint_dof_and_name(skeleton: kido.Skeleton, name: str) -> None:
    sign = -1.0 if "lower" in name else 1.0
    n = skeleton.num_dofs
    skeleton_values = sign * np.linspace(0.1, 0.9, n)
    setattr(skeleton, name, skeleton_values)
    assert np.array_equal(getattr(skeleton, name), skeleton_values)
    for joint in skeleton.joints:
        assert np.array_equal(getattr(joint, name), skeleton_values[list(joint.dof_indices)])
    ball = next(joint for joint in skeleton.joints if isinstance(joint, kido.BallJoint))
    first, second, third = ball.dof_indices
    setattr(ball, name, sign * np.array([0.2, 0.3, 0.4]))
    one = SINGULAR.get(name, name.removesuffix("s") if name.endswith("s") else name)
    setattr(ball.dofs[1], one, sign * 0.5)
    setattr(skeleton, name, {ball.dof_names[2]: sign * 0.6})
    assert getattr(skeleton, name)[[first, second, third]].tolist() == [sign * 0.2, sign * 0.5, sign * 0.6]
    setattr(ball, name, {ball.dof_names[0]: sign * 0.7})
    assert getattr(ball.dofs[0], one) == sign * 0.7 == getattr(skeleton.dof(first), one)
    others = [i for i in range(n) if i not in ball.dof_indices]
    assert np.array_equal(getattr(skeleton, name)[others], skeleton_values[others])


@pytest.mark.parametrize("name", PROPERTIES)
def test_one_number_stands_for_all_dofs_of_a_property(skeleton: kido.Skeleton, name: str) -> None:
    setattr(skeleton, name, -0.5 if "lower" in name else 0.5)
    assert np.unique(np.abs(getattr(skeleton, name))).tolist() == [0.5]
    joint = kido.FreeJoint(**{name: -0.25 if "lower" in name else 0.25})
    assert getattr(joint, name).shape == (6,) and abs(getattr(joint, name)[4]) == 0.25


@pytest.mark.parametrize("name", [*STATES, *PROPERTIES])
def test_arrays_that_are_handed_out_cannot_be_written_into(skeleton: kido.Skeleton, name: str) -> None:
    joint = skeleton.joint(3)
    for owner in (skeleton, joint):
        before = getattr(owner, name)
        with pytest.raises(ValueError, match="read-only"):
            getattr(owner, name)[:] = 7.0
        assert np.array_equal(getattr(owner, name), before)


def test_arrays_that_are_given_are_copied(skeleton: kido.Skeleton) -> None:
    q, T, g = np.zeros(skeleton.num_dofs), np.eye(4), np.array([0.0, 0.0, -1.0])
    skeleton.positions, skeleton.joint(1).T_parent_joint, skeleton.gravity = q, T, g
    q[:], T[:3, 3], g[:] = 5.0, 5.0, 5.0
    assert not skeleton.positions.any() and not skeleton.joint(1).T_parent_joint[:3, 3].any()
    assert skeleton.gravity[2] == -1.0


def test_what_is_not_a_copy_is_read_only(skeleton: kido.Skeleton) -> None:
    body = skeleton.bodies[0]
    marker = body.add_marker("m")
    shared = [
        skeleton.gravity,
        skeleton.mass_matrix,
        skeleton.coriolis_forces,
        skeleton.transmitted_wrenches,
        skeleton.tree.lower_limits,
        body.inertia.moment,
        marker.properties.transform,
        marker.rgba,
    ]
    for array in shared:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1.0


def test_copies_of_answers_can_be_written_without_harm(skeleton: kido.Skeleton) -> None:
    body = skeleton.bodies[-1]
    node = body.add_end_effector("tip")
    before = answers(skeleton)
    for ask in (body.transform, body.spatial_velocity, body.jacobian, body.com, skeleton.com, node.transform):
        ask()[...] = 9.0
    assert_same_answers(answers(skeleton), before)


def test_offsets_place_the_joint_in_parent_and_child() -> None:
    rng = np.random.default_rng(2)
    T_parent, T_child = random_transform(rng), random_transform(rng)
    skeleton = kido.Skeleton()
    body = skeleton.add_body("b", joint=kido.RevoluteJoint(T_parent_joint=T_parent, T_child_joint=T_child))
    body.parent_joint.positions = 0.4
    turn = np.eye(4)
    turn[:3, :3] = Rotation.from_rotvec([0.0, 0.0, 0.4]).as_matrix()
    assert np.allclose(body.transform(), T_parent @ turn @ np.linalg.inv(T_child), atol=1e-14)
    body.parent_joint.T_child_joint = RigidTransform.from_translation([0.0, 0.0, 1.0])
    body.parent_joint.T_parent_joint = (0.5, 0.0, 0.0)
    assert np.allclose(body.transform()[:3, 3], (0.5, 0.0, -1.0), atol=1e-15)


def test_a_screw_advances_by_its_pitch_each_turn() -> None:
    skeleton = kido.Skeleton()
    body = skeleton.add_body("nut", joint=kido.ScrewJoint(axis=(0.0, 2.0, 0.0), pitch=0.3))
    body.parent_joint.positions = np.pi
    assert np.allclose(body.transform()[:3, 3], (0.0, 0.15, 0.0), atol=1e-15)
    body.parent_joint.pitch = -0.1
    assert np.allclose(body.transform()[:3, 3], (0.0, -0.05, 0.0), atol=1e-15)


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_an_euler_joint_turns_by_its_angles_in_its_order(order: str) -> None:
    angles = np.random.default_rng(3).uniform(-3.0, 3.0, (5, 3))
    expected = Rotation.from_euler(order.upper(), angles).as_matrix()
    skeleton = kido.Skeleton()
    body = skeleton.add_body("b", joint=kido.EulerJoint(order=order))
    assert np.allclose(body.parent_joint.rotation_of(angles), expected, rtol=0.0, atol=1e-15)
    for q, R in zip(angles, expected, strict=True):
        assert np.allclose(kido.EulerJoint(order=order).rotation_of(q), R, rtol=0.0, atol=1e-15)
        body.parent_joint.positions = q
        assert np.allclose(body.transform()[:3, :3], R, rtol=0.0, atol=1e-15)


@pytest.mark.parametrize("angles", [[0.0, 1.0], [0.0, 1.0, NAN], "xyz", None])
def test_an_euler_joint_refuses_what_are_no_angles(angles: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="angles: expected"):
        kido.EulerJoint().rotation_of(angles)


def test_axes_are_normalized_whatever_their_length() -> None:
    for scale in (1e-200, 1.0, 1e200):
        joint = kido.RevoluteJoint(axis=(3.0 * scale, 0.0, 4.0 * scale))
        assert np.allclose(joint.axis, (0.6, 0.0, 0.8), atol=1e-15)
    universal = kido.UniversalJoint()
    universal.axis2 = (0.0, 3.0, 4.0)
    assert np.allclose(universal.axis2, (0.0, 0.6, 0.8), atol=1e-15)


def test_setting_forces_commands_joints_that_take_forces() -> None:
    skeleton = kido.Skeleton()
    skeleton.add_body("a", joint=kido.RevoluteJoint("a"))
    skeleton.add_body("b", joint=kido.RevoluteJoint("b", actuator="velocity"))
    skeleton.commands = [0.0, 0.5]
    skeleton.forces = [2.0, 3.0]
    assert skeleton.commands.tolist() == [2.0, 0.5]
    skeleton.joint("a").forces = 4.0
    skeleton.dof("b").force = 5.0
    assert skeleton.commands.tolist() == [4.0, 0.5] and skeleton.forces.tolist() == [4.0, 5.0]


@pytest.mark.parametrize("actuator", list(ActuatorType))
def test_actuators_that_take_no_commands_have_none(actuator: ActuatorType) -> None:
    skeleton = kido.Skeleton()
    joint = skeleton.add_body("a", joint=kido.RevoluteJoint("a", actuator="servo")).parent_joint
    joint.commands = 1.0
    joint.actuator = str(actuator)
    assert joint.actuator is actuator
    takes = actuator not in (ActuatorType.PASSIVE, ActuatorType.MIMIC, ActuatorType.LOCKED)
    assert joint.commands.tolist() == [1.0 if takes else 0.0]
    prescribed = (ActuatorType.ACCELERATION, ActuatorType.VELOCITY, ActuatorType.LOCKED)
    assert joint.is_kinematic == (actuator in prescribed)
    if not takes:
        for owner in (joint, skeleton):
            with pytest.raises(ValueError, match="commands: 'a' takes none, its actuator type is"):
                owner.commands = [0.5]


def test_limits_tell_whether_a_dof_is_limited_and_cyclic() -> None:
    hinge, ball, free = kido.RevoluteJoint(), kido.BallJoint(), kido.FreeJoint()
    assert hinge.is_cyclic(0) and not hinge.has_position_limit(0)
    hinge.position_upper_limits = 1.0
    assert not hinge.is_cyclic(0) and hinge.has_position_limit(0)
    assert ball.is_cyclic(1)
    ball.dofs[2].position_lower_limit = -1.0
    assert not ball.is_cyclic(1) and not ball.has_position_limit(1)
    assert [free.is_cyclic(i) for i in range(6)] == [True] * 3 + [False] * 3
    assert not kido.ScrewJoint().is_cyclic(0) and kido.PlanarJoint().is_cyclic(2)


def test_both_limits_can_be_moved_beyond_the_old_ones_at_once() -> None:
    joint = kido.BallJoint(position_lower_limits=-1.0, position_upper_limits=1.0)
    joint.set_position_limits(2.0, [3.0, 4.0, np.inf])
    assert joint.position_lower_limits.tolist() == [2.0] * 3
    assert joint.position_upper_limits.tolist() == [3.0, 4.0, np.inf]


def test_resetting_restores_the_initial_numbers(skeleton: kido.Skeleton) -> None:
    n = skeleton.num_dofs
    skeleton.initial_positions, skeleton.initial_velocities = np.linspace(0, 1, n), np.linspace(1, 2, n)
    joint = skeleton.joint(2)
    joint.reset_positions()
    assert np.array_equal(joint.positions, np.linspace(0, 1, n)[list(joint.dof_indices)])
    skeleton.reset_positions()
    skeleton.reset_velocities()
    assert np.array_equal(skeleton.positions, np.linspace(0, 1, n))
    assert np.array_equal(skeleton.velocities, np.linspace(1, 2, n))


def test_initial_numbers_beyond_the_limits_are_reported() -> None:
    joint = kido.RevoluteJoint("j", initial_positions=2.0, position_upper_limits=1.0)
    assert list(joint.problems()) == ["initial position of 'j' is 2, beyond its limits [-inf, 1]"]
    assert list(kido.FreeJoint().problems()) == []


def test_a_single_property_of_the_inertia_can_be_set() -> None:
    body = kido.Skeleton().add_body("b")
    body.mass, body.local_com = 3.0, (0.1, 0.2, 0.3)
    body.moment_of_inertia = np.diag([2.0, 3.0, 4.0])
    assert body.inertia == Inertia(3.0, (0.1, 0.2, 0.3), np.diag([2.0, 3.0, 4.0]))
    body.inertia = None
    assert body.mass == 0.0 and body.inertia.is_massless


REFUSED: dict[str, tuple[Callable[[kido.Skeleton], object], str]] = {
    "positions of a wrong size": (
        lambda s: setattr(s, "positions", [0.0] * 5),
        r"positions: expected shape \(25,\) \[rad, m\], got \(5,\)",
    ),
    "positions of a joint of a wrong size": (
        lambda s: setattr(_ball(s), "positions", [0.0] * 5),
        r"positions: expected shape \(3,\) \[rad, m\], got \(5,\)",
    ),
    "velocities that are a matrix": (
        lambda s: setattr(s, "velocities", np.zeros((25, 1))),
        r"velocities: expected shape \(25,\) \[rad/s, m/s\], got \(25, 1\)",
    ),
    "damping of a wrong size": (
        lambda s: setattr(s, "damping", [0.0] * 5),
        r"damping: expected shape \(25,\) \[N m s/rad, N s/m\], got \(5,\)",
    ),
    "commands of a wrong size": (
        lambda s: setattr(s, "commands", [1.0]),
        r"commands: expected shape \(25,\)",
    ),
    "text": (lambda s: setattr(s, "positions", "abc"), r"positions: expected"),
    "None": (lambda s: setattr(s, "accelerations", None), r"accelerations: expected shape \(25,\)"),
    "text for a property": (
        lambda s: setattr(s, "damping", "abc"),
        r"damping: expected numbers \[N m s/rad, N s/m\], got 'abc'",
    ),
    "text for a joint": (lambda s: setattr(_ball(s), "velocities", "abc"), r"velocities: expected"),
    "text for a dof": (
        lambda s: setattr(s.dof(2), "position", "abc"),
        r"position: expected a number \[rad, m\], got 'abc'",
    ),
    "an array for a dof": (
        lambda s: setattr(s.dof(2), "damping", [1.0]),
        r"damping: expected a number \[N m s/rad, N s/m\], got \[1.0\]",
    ),
    "text by name": (
        lambda s: setattr(s, "velocities", {s.dof(0).name: 1.0, s.dof(1).name: "x"}),
        r"velocities\['.*'\]: expected a number",
    ),
    **{
        f"NaN for {name}": (
            lambda s, name=name: setattr(s, name, [NAN, *[0.1] * 24]),
            rf"{name}: expected .*(finite|not NaN).*nan",
        )
        for name in (*STATES, *PROPERTIES)
    },
    **{
        f"infinity for {name}": (
            lambda s, name=name: setattr(_ball(s), name, [0.0, INF, 0.0]),
            rf"{name}: expected finite",
        )
        for name in (
            *STATES,
            "damping",
            "armature",
            "spring_stiffness",
            "rest_positions",
            "initial_positions",
        )
    },
    **{
        f"a negative {name}": (
            lambda s, name=name: setattr(s, name, [-1.0, *[0.0] * 24]),
            rf"{name}: expected no number below 0 ",
        )
        for name in (
            "damping",
            "spring_stiffness",
            "coulomb_friction",
            "armature",
            "limit_stiffness",
            "limit_damping",
            "limit_frequency",
            "limit_damping_ratio",
        )
    },
    **{
        f"crossed limits of {name}": (
            lambda s, name=name: setattr(s, f"{name}_lower_limits", 11.0),
            rf"{name}_lower_limits: expected lower <= upper",
        )
        for name in ("position", "velocity", "acceleration", "force")
    },
    "crossed limits of one dof": (
        lambda s: setattr(s.dof(4), "position_upper_limit", -11.0),
        "position_upper_limit: expected lower <= upper",
    ),
    "crossed limits at once": (
        lambda s: _ball(s).set_position_limits(1.0, [2.0, 0.0, 2.0]),
        "lower: expected no number above upper",
    ),
    "limits at once of a wrong size": (
        lambda s: _ball(s).set_position_limits(1.0, [2.0, 0.0]),
        r"upper: expected shape \(3,\) \[rad, m\], got \(2,\)",
    ),
    "infinite limits on the wrong side": (
        lambda s: _ball(s).set_position_limits(INF, INF),
        "lower: expected no number above upper",
    ),
    "NaN limits at once": (
        lambda s: _ball(s).set_position_limits(NAN, 1.0),
        "lower: expected numbers, not NaN",
    ),
    "a zero axis": (
        lambda s: setattr(_of(s, kido.RevoluteJoint), "axis", (0.0, 0.0, 0.0)),
        "axis: expected a nonzero vector",
    ),
    "a NaN axis": (lambda s: setattr(_of(s, kido.ScrewJoint), "axis", (NAN, 0, 0)), "axis: expected finite"),
    "an axis of a wrong size": (
        lambda s: setattr(_of(s, kido.PrismaticJoint), "axis", (1.0, 0.0)),
        r"axis: expected shape \(3,\)",
    ),
    "a zero second axis": (
        lambda s: setattr(_of(s, kido.UniversalJoint), "axis2", np.zeros(3)),
        "axis2: expected a nonzero vector",
    ),
    "a plane of parallel axes": (
        lambda s: _of(s, kido.PlanarJoint).set_plane([(1.0, 0.0, 0.0), (1.0, 1.0, 0.0)]),
        "expected orthogonal axes",
    ),
    "an unknown plane": (
        lambda s: _of(s, kido.PlanarJoint).set_plane("xz"),
        "plane: expected 'xy', 'yz', 'zx'",
    ),
    "a NaN pitch": (lambda s: setattr(_of(s, kido.ScrewJoint), "pitch", NAN), "pitch: expected finite"),
    "an unknown order": (
        lambda s: setattr(_of(s, kido.EulerJoint), "order", "xxy"),
        "order: expected one of .*, got 'xxy'",
    ),
    "an offset that is no transform": (
        lambda s: setattr(s.joint(0), "T_parent_joint", 2.0 * np.eye(4)),
        "T_parent_joint: expected",
    ),
    "an offset with NaN": (
        lambda s: setattr(s.joint(0), "T_child_joint", (0.0, NAN, 0.0)),
        "T_child_joint: expected finite",
    ),
    "an unknown actuator": (
        lambda s: setattr(s.joint(0), "actuator", "spring"),
        "actuator: expected one of force, passive, .*, got 'spring'",
    ),
    "no mimic": (lambda s: setattr(s.joint(0), "mimic", "elbow"), "mimic: expected a Mimic or None, got str"),
    "dof names of a wrong number": (
        lambda s: setattr(_ball(s), "dof_names", ("a", "b")),
        "dof_names: expected 3 different names",
    ),
    "equal dof names": (
        lambda s: setattr(_ball(s), "dof_names", ("a", "b", "a")),
        "dof_names: expected 3 different",
    ),
    "dof names in one string": (
        lambda s: setattr(_ball(s), "dof_names", "abc"),
        "dof_names: expected 3 different",
    ),
    "some good and one bad option": (
        lambda s: _ball(s).apply_options({"damping": 3.0, "positions": (0.1, 0.2, NAN)}),
        "positions: expected finite",
    ),
    "an unknown option": (
        lambda s: _ball(s).apply_options({"damping": 3.0, "stiffness": 1.0}),  # type: ignore[typeddict-unknown-key]
        "BallJoint: unknown option 'stiffness'",
    ),
    "a negative mass": (lambda s: setattr(s.body(1), "mass", -1.0), "mass is negative: -1 kg"),
    "no mass for a moment": (lambda s: setattr(s.body(1), "mass", 0.0), "mass is zero but the moment is not"),
    "a NaN mass": (lambda s: setattr(s.body(1), "mass", NAN), r"mass: expected finite numbers \[kg\]"),
    "a moment that is not symmetric": (
        lambda s: setattr(s.body(1), "moment_of_inertia", np.triu(np.ones((3, 3)))),
        "moment is not symmetric",
    ),
    "a moment that no body has": (
        lambda s: setattr(s.body(1), "moment_of_inertia", np.diag([1.0, 1.0, 3.0])),
        "violate the triangle inequality",
    ),
    "a center of mass of a wrong size": (
        lambda s: setattr(s.body(1), "local_com", (0.0, 0.0)),
        r"com: expected shape \(3,\) \[m\], got \(2,\)",
    ),
    "no inertia": (
        lambda s: setattr(s.body(1), "inertia", 2.0),
        "inertia: expected an Inertia or None, got float",
    ),
    "a wrench of a wrong size": (
        lambda s: setattr(s.body(1), "external_wrench", np.zeros(3)),
        r"external_wrench: expected shape \(6,\)",
    ),
    "gravity of a wrong size": (
        lambda s: setattr(s, "gravity", 9.81),
        r"gravity: expected shape \(3,\) \[m/s\^2\], got \(\)",
    ),
    "a time step of zero": (lambda s: setattr(s, "time_step", 0.0), "time_step: expected a positive number"),
    "a NaN time step": (lambda s: setattr(s, "time_step", NAN), "time_step: expected finite"),
    "a dof index that does not exist": (
        lambda s: _ball(s).dof(3),
        "dof: expected an index from 0 to 2, got 3",
    ),
    "an index of no dof": (lambda s: s.body(1).depends_on(99), "dof: expected an index from 0 to 24, got 99"),
    "a read-only array": (lambda s: s.mass_matrix.fill(0.0), "read-only"),
}


def _of(skeleton: kido.Skeleton, kind: type[kido.Joint]) -> Any:
    return next(joint for joint in skeleton.joints if type(joint) is kind)


def _ball(skeleton: kido.Skeleton) -> Any:
    return _of(skeleton, kido.BallJoint)


@pytest.mark.parametrize("what", REFUSED)
def test_bad_input_is_refused_by_name_and_nothing_changes(skeleton: kido.Skeleton, what: str) -> None:
    change, message = REFUSED[what]
    for name in ("position", "velocity", "acceleration", "force"):
        setattr(skeleton, f"{name}_lower_limits", -10.0)
        setattr(skeleton, f"{name}_upper_limits", 10.0)
    before = answers(skeleton)
    with pytest.raises((ValueError, TypeError, IndexError), match=message):
        change(skeleton)
    assert_same_answers(answers(skeleton), before)


@pytest.mark.parametrize("kind", [*MAKERS, "cam"])
def test_a_fresh_joint_refuses_what_a_joint_in_a_skeleton_refuses(kind: str) -> None:
    joint = Cam("cam") if kind == "cam" else MAKERS[kind](np.random.default_rng(0))
    n = joint.num_dofs
    with pytest.raises(ValueError, match=rf"positions: expected shape \({n},\) \[rad, m\], got \({n + 1},\)"):
        joint.positions = np.zeros(n + 1)
    if n:
        with pytest.raises(ValueError, match=r"forces: expected finite numbers \[N m, N\]"):
            joint.forces = np.full(n, np.nan)
        assert not joint.forces.any()


@pytest.mark.parametrize(
    "make",
    [
        lambda: kido.RevoluteJoint(axis=(0.0, 0.0, 0.0)),
        lambda: kido.UniversalJoint(axis1=(0.0, 0.0, 0.0)),
        lambda: kido.EulerJoint(order="abc"),
        lambda: kido.PlanarJoint(plane="xz"),
        lambda: kido.ScrewJoint(pitch=float("nan")),
        lambda: kido.BallJoint(damping=-1.0),
        lambda: kido.BallJoint(""),
        lambda: kido.BallJoint(dof_names=("a",)),
        lambda: kido.RevoluteJoint(position_lower_limits=1.0, position_upper_limits=0.0),
        lambda: Mimic("a", float("nan")),
    ],
)
def test_a_joint_that_cannot_be_is_not_made(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"\w+: (expected|'.*' takes)"):
        make()


def test_the_base_of_joints_is_no_joint() -> None:
    with pytest.raises(TypeError, match="Joint is the base of the joints: make one of a type"):
        kido.Joint()


def test_dofs_of_another_skeleton_move_no_body() -> None:
    one, two = branched(1), branched(1)
    body = one.bodies[-1]
    moved = [dof for dof in one.dofs if body.depends_on(dof)]
    assert moved == list(body.dependent_dofs) and moved
    assert not any(body.depends_on(dof) for dof in two.dofs)
    assert [body.depends_on(i) for i in range(one.num_dofs)] == [dof in moved for dof in one.dofs]


def test_two_views_of_a_dof_are_equal(skeleton: kido.Skeleton) -> None:
    joint = _ball(skeleton)
    assert joint.dof(1) == skeleton.dof(joint.dof_names[1]) == joint.dofs[1] != joint.dofs[2]
    assert len({joint.dof(1), joint.dofs[1], joint.dofs[2]}) == 2
