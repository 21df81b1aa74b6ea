"""Humanoid, quadruped and wheeled base: what stands and rolls on the ground z = 0."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.path import Path

import kido
from kido import gallery
from kido.shape import Box, Capsule, Cylinder, Sphere

WALKERS = {
    "humanoid": gallery.humanoid,
    "compound humanoid": lambda: gallery.humanoid(compound_joints=True),
    "quadruped": gallery.quadruped,
}
MIRROR = np.diag([1.0, -1.0, 1.0])


def lowest(node: kido.ShapeNode) -> float:
    """Height of the lowest point of a shape above the ground [m]."""
    T, shape = node.transform(), node.shape
    down = np.abs(T[2, :3])
    if isinstance(shape, Box):
        return float(T[2, 3] - down @ shape.size / 2.0)
    if isinstance(shape, Sphere):
        return float(T[2, 3] - shape.radius)
    if isinstance(shape, Capsule):
        return float(T[2, 3] - down[2] * shape.length / 2.0 - shape.radius)
    assert isinstance(shape, Cylinder)
    across = np.sqrt(max(0.0, 1.0 - down[2] ** 2))
    return float(T[2, 3] - down[2] * shape.length / 2.0 - across * shape.radius)


def heights(robot: kido.Skeleton) -> dict[str, float]:
    """Height of the lowest point of each body [m]."""
    return {body.name: min(map(lowest, body.nodes(kido.ShapeNode))) for body in robot.bodies}


def swapped(name: str) -> str:
    """The name on the other side."""
    if "left" in name:
        return name.replace("left", "right")
    return name.replace("right", "left")


def mirror_sign(joint: kido.Joint) -> float:
    """Sign of a hinge's angle in the mirror y -> -y: turns about y stay, others reverse."""
    assert isinstance(joint, kido.RevoluteJoint)
    return 1.0 if abs(joint.axis[1]) == 1.0 else -1.0


def hinges(robot: kido.Skeleton) -> list[kido.Joint]:
    return [joint for joint in robot.joints if not isinstance(joint, kido.FreeJoint)]


@pytest.mark.parametrize("name", WALKERS)
def test_it_stands_on_the_ground_with_its_feet_alone(name: str) -> None:
    robot = WALKERS[name]()
    standing = {
        node.body.name for node in robot.nodes(kido.EndEffector) if node.support and node.support.active
    }
    assert len(standing) >= 2
    for body, height in heights(robot).items():
        if body in standing:
            assert abs(height) < 1e-12
        else:
            assert height > 0.01


@pytest.mark.parametrize("name", WALKERS)
def test_its_center_of_mass_is_well_within_the_support_polygon(name: str) -> None:
    robot = WALKERS[name]()
    np.testing.assert_allclose(robot.support_axes, np.eye(3)[:2], atol=1e-15)
    polygon = Path(robot.support_polygon)
    for shift in 0.03 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]):
        assert polygon.contains_point(robot.com()[:2] + shift)


@pytest.mark.parametrize("name", WALKERS)
def test_its_left_is_its_right_in_a_mirror(name: str) -> None:
    robot = WALKERS[name]()
    assert abs(robot.com()[1]) < 1e-14
    for body in robot.bodies:
        other = robot.body(swapped(body.name))
        assert body.mass == other.mass
        np.testing.assert_allclose(MIRROR @ body.com(), other.com(), atol=1e-14)
    for node in robot.nodes(kido.EndEffector):
        other_node = robot.end_effector(swapped(node.name))
        np.testing.assert_allclose(
            MIRROR @ node.transform()[:3, 3], other_node.transform()[:3, 3], atol=1e-14
        )


@pytest.mark.parametrize("name", ["humanoid", "quadruped"])
def test_mirrored_positions_make_a_mirrored_posture(name: str) -> None:
    robot, mirrored = WALKERS[name](), WALKERS[name]()
    rng = np.random.default_rng(5)
    for joint in hinges(robot):
        joint.positions = rng.uniform(joint.position_lower_limits, joint.position_upper_limits)
        mirrored.joint(swapped(joint.name)).positions = mirror_sign(joint) * joint.positions
    assert abs(robot.com()[1]) > 1e-4
    for body in robot.bodies:
        np.testing.assert_allclose(MIRROR @ body.com(), mirrored.body(swapped(body.name)).com(), atol=1e-13)


@pytest.mark.parametrize("name", ["humanoid", "quadruped"])
def test_limits_are_mirrored(name: str) -> None:
    robot = WALKERS[name]()
    for joint in hinges(robot):
        other = robot.joint(swapped(joint.name))
        bounds = joint.position_lower_limits[0], joint.position_upper_limits[0]
        assert np.isfinite(bounds).all()
        expected = sorted(mirror_sign(joint) * bound for bound in bounds)
        assert expected == [other.position_lower_limits[0], other.position_upper_limits[0]]
        assert joint.force_upper_limits == other.force_upper_limits


@pytest.mark.parametrize("name", WALKERS)
def test_only_the_root_is_without_limits_of_force(name: str) -> None:
    robot = WALKERS[name]()
    assert robot.joint("root").num_dofs == 6
    assert np.isinf(robot.force_upper_limits[:6]).all()
    assert np.isfinite(robot.force_upper_limits[6:]).all()
    assert (robot.damping[6:] > 0.0).all()


def test_a_humanoid_with_compound_joints_is_the_same_robot_with_fewer_bodies() -> None:
    single, compound = gallery.humanoid(), gallery.humanoid(compound_joints=True)
    assert single.num_dofs == compound.num_dofs == 36
    assert compound.num_bodies == 15
    kinds = {type(joint) for joint in compound.joints}
    assert kinds == {kido.FreeJoint, kido.BallJoint, kido.UniversalJoint, kido.RevoluteJoint}
    np.testing.assert_allclose(compound.mass, single.mass, rtol=1e-14)
    for joint in hinges(compound):
        assert np.isfinite(joint.position_lower_limits).all()
    for name in ("left_foot", "right_foot", "gaze"):
        np.testing.assert_allclose(
            compound.end_effector(name).transform(), single.end_effector(name).transform(), atol=1e-14
        )


@pytest.mark.parametrize("compound", [False, True])
def test_hips_knees_and_elbows_of_a_humanoid_bend_the_way_they_should(compound: bool) -> None:
    robot = gallery.humanoid(compound_joints=compound)
    robot.positions = {name: 0.0 for name in ("left_knee", "right_knee", "left_elbow", "right_elbow")}
    thigh, hand = robot.body("left_thigh"), robot.end_effector("left_hand")
    foot_before, hand_before = robot.end_effector("left_foot").transform(relative_to=thigh), hand.transform()
    robot.positions = {"left_knee": 1.0, "left_elbow": -1.0}
    foot = robot.end_effector("left_foot").transform(relative_to=thigh)
    assert foot[0, 3] < foot_before[0, 3] - 0.1
    assert hand.transform()[0, 3] > hand_before[0, 3] + 0.1
    assert robot.end_effector("gaze").transform()[0, 3] > 0.0
    assert 1.5 < robot.body("head").nodes(kido.ShapeNode)[0].transform()[2, 3] + 0.09 < 1.6


def test_a_wheeled_base_touches_the_ground_with_its_wheels() -> None:
    for root in ("planar", "free"):
        on_ground = {
            body for body, height in heights(gallery.wheeled_base(root)).items() if abs(height) < 1e-12
        }
        assert on_ground == {"left_wheel", "right_wheel", "caster_wheel"}


def test_wheels_that_turn_as_the_docstring_says_roll() -> None:
    robot = gallery.wheeled_base()
    left, right, radius, track = 3.0, 5.0, 0.1, 0.4
    robot.velocities = {"left_drive": left, "right_drive": right}
    root = robot.joint("root")
    root.velocities = [radius * (right + left) / 2.0, 0.0, radius * (right - left) / track]
    for name in ("left_wheel", "right_wheel"):
        np.testing.assert_allclose(robot.body(name).linear_velocity((0.0, 0.0, -radius)), 0.0, atol=1e-14)
    assert robot.com_linear_velocity()[0] > 0.3


def test_a_free_base_starts_where_a_planar_one_stands() -> None:
    free, planar = gallery.wheeled_base("free"), gallery.wheeled_base()
    np.testing.assert_array_equal(
        free.body("caster_wheel").transform(), planar.body("caster_wheel").transform()
    )
    assert (free.num_dofs, planar.num_dofs) == (10, 7)


def test_the_caster_is_without_motors() -> None:
    robot = gallery.wheeled_base()
    for name in ("caster_swivel", "caster_axle"):
        assert robot.joint(name).actuator is kido.ActuatorType.PASSIVE


def test_a_root_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="root: expected 'planar' or 'free', got 'rail'"):
        gallery.wheeled_base("rail")  # type: ignore[arg-type]
