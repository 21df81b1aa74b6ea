"""Error methods against numbers by hand and by other libraries, and modules that solve for them."""

from __future__ import annotations

import math
from collections.abc import Callable

import dartpy
import numpy as np
import pinocchio as pin
import pytest
from _poses import Array, pose, turned
from scipy.spatial.transform import Rotation

import kido
from _robots import robot_files
from kido import InverseKinematics, SearchSettings, gallery
from kido.errors import UnknownNameError
from kido.ik import (
    CenterOfMass,
    ErrorMethod,
    LookAt,
    OrientationError,
    PointToLine,
    PointToPlane,
    PoseError,
    PositionError,
    Posture,
    TaskSpaceRegion,
)
from kido.optimize import GradientDescentSolver, LevenbergMarquardtSolver, SciPySolver, Solver

INF = math.inf
QUARTER = np.pi / 2.0


def box(T: Array, method: ErrorMethod) -> InverseKinematics:
    """A box at a pose (4, 4) that can go anywhere; its target is the world's frame."""
    scene = kido.Skeleton("scene")
    ik = InverseKinematics.of(scene.add_body("box", joint=kido.FreeJoint("free")))
    ik.error_method = method
    scene.positions = np.concatenate([Rotation.from_matrix(T[:3, :3]).as_rotvec(), T[:3, 3]])
    return ik


def error_of(T: Array, method: ErrorMethod) -> Array:
    """The error of a node at a pose (4, 4), with its target at the world's."""
    return box(T, method).error


# ---- poses


def test_a_node_that_is_turned_and_shifted_too_far_has_that_for_its_error() -> None:
    T = pose(turned(0.0, 0.0, 0.3), (0.1, -0.2, 0.5))
    expected = [0.0, 0.0, 0.3, 0.1, -0.2, 0.5]
    np.testing.assert_allclose(error_of(T, PoseError()), expected, atol=1e-15)
    np.testing.assert_allclose(error_of(T, TaskSpaceRegion()), expected, atol=1e-15)
    np.testing.assert_allclose(error_of(T, OrientationError()), [0, 0, 0.3, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(error_of(T, PositionError()), [0, 0, 0, 0.1, -0.2, 0.5], atol=1e-15)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.5, 2.0, 3.1, np.pi - 1e-9])
def test_errors_of_pose_take_the_shortest_turn_and_regions_three_angles(angle: float) -> None:
    turn = turned(*(angle * np.array([0.48, -0.6, 0.64])))
    T = pose(turn, (0.1, 0.2, 0.3))
    for method in (PoseError(), OrientationError()):
        np.testing.assert_allclose(error_of(T, method)[:3], turn.as_rotvec(), atol=1e-8)
    region = TaskSpaceRegion((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    np.testing.assert_allclose(error_of(T, region)[:3], turn.as_euler("XYZ"), atol=1e-8)


def test_errors_are_in_the_axes_of_the_reference_frame() -> None:
    ik = box(pose(turned(0.0, 0.0, 0.3), (0.1, 0.0, 0.0)), PoseError())
    ik.reference_frame = kido.SimpleFrame(
        "turned", transform=pose(turned(0.0, QUARTER, 0.0), (5.0, 6.0, 7.0))
    )
    for method in (PoseError(), TaskSpaceRegion()):
        ik.error_method = method  # the frame's x axis is -z of the world, its z axis is x
        np.testing.assert_allclose(ik.error, [-0.3, 0.0, 0.0, 0.0, 0.0, 0.1], atol=1e-15)


def test_without_a_reference_frame_errors_are_in_the_axes_of_the_targets_parent() -> None:
    ik = box(pose(position=(0.1, 0.0, 0.0)), PoseError())
    ik.target.set_parent_frame(kido.SimpleFrame("turned", transform=pose(turned(0.0, 0.0, QUARTER))))
    ik.target.set_transform(np.eye(4))
    np.testing.assert_allclose(ik.error[3:], [0.0, -0.1, 0.0], atol=1e-15)


def test_components_that_count_nothing_are_free_and_stay() -> None:
    T = pose(turned(0.2, -0.3, 0.4), (0.1, 0.2, 0.3))
    ik = box(T, PositionError(linear_weights=(1.0, 0.0, 2.0)))
    np.testing.assert_allclose(ik.error, [0.0, 0.0, 0.0, 0.1, 0.0, 0.3], atol=1e-15)
    expected = pose(turned(0.2, -0.3, 0.4), (0.0, 0.2, 0.0))
    np.testing.assert_allclose(ik.error_method.desired_transform(ik), expected, atol=1e-14)
    ik.error_method = PoseError(weights=(1, 1, 0, 1, 1, 1))
    np.testing.assert_allclose(ik.error, [0.2, -0.3, 0.0, 0.1, 0.2, 0.3], atol=1e-15)
    expected = pose(turned(0.0, 0.0, 0.4))
    np.testing.assert_allclose(ik.error_method.desired_transform(ik), expected, atol=1e-14)
    ik.error_method = PoseError(weights=(1, 1, 1, 1, 0, 1))
    expected = pose(position=(0.0, 0.2, 0.0))
    np.testing.assert_allclose(ik.error_method.desired_transform(ik), expected, atol=1e-14)
    ik.error_method = TaskSpaceRegion(weights=(1, 1, 1, 0, 0, 0))
    np.testing.assert_allclose(ik.error[3:], 0.0)


# ---- regions


def dart_error(T: Array, method: TaskSpaceRegion) -> Array:
    """DART's weighted error of the same region, with the clamp, in world axes."""
    skeleton = dartpy.dynamics.Skeleton("scene")
    _, body = skeleton.createFreeJointAndBodyNodePair(None)
    theirs = body.getIK(True).getErrorMethod()
    theirs.setAngularBounds(method.angular[0], method.angular[1])
    theirs.setLinearBounds(method.linear[0], method.linear[1])
    theirs.setAngularErrorWeights(method.weights[:3])
    theirs.setLinearErrorWeights(method.weights[3:])
    theirs.setErrorLengthClamp(method.length_clamp)
    theirs.setComputeFromCenter(method.from_center)
    turn = Rotation.from_matrix(T[:3, :3]).as_rotvec()
    skeleton.setPositions(np.concatenate([turn, T[:3, 3]]))
    return np.asarray(theirs.computeError())


@pytest.mark.parametrize("from_center", [True, False])
@pytest.mark.parametrize("clamp", [0.2, 1.0, INF])
def test_regions_have_the_errors_that_dart_computes(from_center: bool, clamp: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        low, high = np.sort(rng.uniform(-0.5, 0.5, (2, 6)), axis=0)
        low[rng.uniform(size=6) < 0.2] = -INF
        high[rng.uniform(size=6) < 0.2] = INF
        method = TaskSpaceRegion(
            (low[:3], high[:3]),
            (low[3:], high[3:]),
            weights=rng.uniform(0.1, 2.0, 6),
            length_clamp=clamp,
            from_center=from_center,
        )
        T = pose(turned(*rng.uniform(-1.0, 1.0, 3)), rng.uniform(-1.0, 1.0, 3))
        # theirs stays 1e-6 within an edge
        np.testing.assert_allclose(box(T, method).weighted_error(), dart_error(T, method), atol=1e-5)


def test_the_default_region_is_that_of_dart() -> None:
    T = pose(turned(0.1, -0.2, 0.3), (0.2, 0.1, -0.1))
    np.testing.assert_allclose(box(T, TaskSpaceRegion()).weighted_error(), dart_error(T, TaskSpaceRegion()))
    far = pose(turned(0.1, -0.2, 0.3), (2.0, 1.0, -1.0))
    assert np.linalg.norm(box(far, TaskSpaceRegion()).weighted_error()) == pytest.approx(1.0, rel=1e-15)
    np.testing.assert_allclose(
        box(far, TaskSpaceRegion()).weighted_error(), dart_error(far, TaskSpaceRegion()), atol=1e-12
    )


@pytest.mark.parametrize(
    ("angle", "error"), [(3.0, 0.0), (-3.0, 0.0), (2.2, 0.0), (2.0, -0.1), (-2.0, 0.1), (1.0, -1.1)]
)
def test_regions_of_angles_may_go_beyond_half_a_turn(angle: float, error: float) -> None:
    """Between 2.1 rad and 2 pi - 2.1 rad; errors are from the nearer edge."""
    bounds = ((0.0, 0.0, 2.1), (0.0, 0.0, 2.0 * np.pi - 2.1))
    for about in np.eye(3)[[0, 2]]:
        reach = np.abs(np.array(bounds)[:, [2, 1, 0]] if about[0] else bounds)
        ik = box(pose(turned(*(about * angle))), TaskSpaceRegion(reach, from_center=False))
        np.testing.assert_allclose(ik.error[:3], about * error, atol=1e-14)


def test_a_region_beyond_half_a_turn_is_solved_for_from_both_sides() -> None:
    bounds = ((0.0, 0.0, 3.0), (0.0, 0.0, 3.6))
    for angle in (2.0, -2.0):
        ik = box(pose(turned(0.0, 0.0, angle)), TaskSpaceRegion(bounds, (INF, INF, INF)))
        ik.settings = SearchSettings(max_starts=1)
        result = ik.solve()
        assert result.success
        assert 3.0 <= result.positions[2] % (2.0 * np.pi) <= 3.6


# ---- aiming


def test_an_axis_that_looks_aside_has_the_turn_from_the_line_of_sight_for_its_error() -> None:
    ik = box(np.eye(4), LookAt((1.0, 0.0, 0.0)))
    ik.target.set_translation((0.0, 2.0, 0.0))  # it looks along x, and should along y
    np.testing.assert_allclose(ik.error, [0.0, 0.0, -QUARTER, 0.0, 0.0, 0.0], atol=1e-15)
    ik.target.set_translation((3.0, 0.0, 3.0))
    np.testing.assert_allclose(ik.error, [0.0, np.pi / 4.0, 0.0, 0.0, 0.0, 0.0], atol=1e-15)
    ik.error_method = LookAt((0.0, 0.0, 5.0))
    np.testing.assert_allclose(ik.error, [0.0, -np.pi / 4.0, 0.0, 0.0, 0.0, 0.0], atol=1e-15)


def test_within_the_cone_any_axis_aims() -> None:
    ik = box(np.eye(4), LookAt((1.0, 0.0, 0.0), 0.3))
    for angle, error in [(0.2, 0.0), (0.299, 0.0), (0.301, -0.001), (-0.5, 0.2)]:
        ik.target.set_translation((2.0 * math.cos(angle), 2.0 * math.sin(angle), 0.0))
        np.testing.assert_allclose(ik.error, [0.0, 0.0, error, 0.0, 0.0, 0.0], atol=1e-14)


def test_steps_keep_an_axis_that_is_within_its_cone() -> None:
    ik = box(np.eye(4), LookAt((1.0, 0.0, 0.0), 0.3))
    ik.target.set_translation((2.0, 0.2, 0.0))
    alone = box(np.eye(4), LookAt((1.0, 0.0, 0.0)))
    alone.target = ik.target
    J = ik.error_method.compute_jacobian(ik)
    np.testing.assert_allclose(J, alone.error_method.compute_jacobian(alone), atol=1e-15)
    assert np.linalg.norm(J) > 1.0 and not ik.error.any()


def test_a_target_at_the_node_is_aimed_at_by_any_axis() -> None:
    ik = box(pose(turned(0.3, 0.2, 0.1)), LookAt())
    ik.target.set_transform(ik.transform())
    np.testing.assert_array_equal(ik.error, np.zeros(6))
    assert np.isfinite(ik.error_method.compute_jacobian(ik)).all()


def test_an_axis_that_looks_away_is_half_a_turn_off_and_finds_its_way() -> None:
    ik = box(np.eye(4), LookAt((0.0, 0.0, 1.0)))
    ik.target.set_translation((0.0, 0.0, -2.0))
    assert np.linalg.norm(ik.error) == pytest.approx(np.pi, rel=1e-15)
    assert abs(ik.error[2]) < 1e-15
    ik.settings = SearchSettings(max_starts=1)
    result = ik.solve_and_apply()
    assert result.success and result.start == 0
    T = ik.transform()
    sight = np.array([0.0, 0.0, -2.0]) - T[:3, 3]
    np.testing.assert_allclose(T[:3, 2], sight / np.linalg.norm(sight), atol=1e-6)


@pytest.mark.parametrize("angle", [0.0, 0.99e-6, 1.01e-6, 1e-3, np.pi - 1e-3])
def test_derivatives_of_aims_are_those_of_differences_at_small_and_large_angles(angle: float) -> None:
    ik = box(np.eye(4), LookAt((1.0, 0.0, 0.0)))
    ik.target.set_translation((2.0 * math.cos(angle), 2.0 * math.sin(angle), 0.0))
    J, h = ik.error_method.compute_jacobian(ik), 1e-7

    def moved(column: Array) -> Array:
        T = pose(turned(*column[:3]), column[3:])
        ahead = box(T, ik.error_method)
        ahead.target = ik.target
        return ahead.error

    for j, column in enumerate(np.eye(6)):
        np.testing.assert_allclose(
            J[:, j],
            (moved(h * column) - moved(-h * column)) / (2.0 * h),
            atol=1e-6 * max(1.0, np.abs(J).max()),
        )


@pytest.mark.parametrize("short", [0.99e-6, 1.01e-6])
def test_near_half_a_turn_the_angle_keeps_its_rate(short: float) -> None:
    ik = box(np.eye(4), LookAt((1.0, 0.0, 0.0)))
    ik.target.set_translation((-2.0 * math.cos(short), 2.0 * math.sin(short), 0.0))
    about = ik.error[:3] / np.linalg.norm(ik.error)
    rates = about @ ik.error_method.compute_jacobian(ik)[:3]
    np.testing.assert_allclose(about, [0.0, 0.0, -1.0], atol=1e-8)
    # turning about -z by an angle adds it; so does going along y, by its share of the distance
    np.testing.assert_allclose(rates, [0.0, 0.0, -1.0, 0.0, 0.5, 0.0], atol=1e-5)


# ---- planes and lines


def tilted_plane() -> Array:
    """A pose whose z axis is (0, -sin 0.4, cos 0.4)."""
    return pose(turned(0.4, 0.0, 0.0), (1.0, 2.0, 3.0))


def test_above_a_plane_the_height_is_the_error_and_limits_are_allowed_for() -> None:
    plane = tilted_plane()
    up = np.array([0.0, -math.sin(0.4), math.cos(0.4)])
    T = plane @ pose(turned(1.0, 0.5, -0.4), (0.7, -0.8, 0.25))
    for method, error in [
        (PointToPlane(), 0.25),
        (PointToPlane(0.0, 0.2), 0.05),
        (PointToPlane(0.3, 0.4), -0.05),
        (PointToPlane(0.3, INF), -0.05),
        (PointToPlane(-INF, 0.2), 0.05),
        (PointToPlane(0.1, INF), 0.0),
    ]:
        ik = box(T, method)
        ik.target.set_transform(plane)
        np.testing.assert_allclose(ik.error, [0.0, 0.0, 0.0, 0.0, 0.0, error], atol=1e-14)
        wanted = T.copy()
        wanted[:3, 3] -= error * up
        np.testing.assert_allclose(method.desired_transform(ik), wanted, atol=1e-14)
        rates = (up if error else 0.0 * up) @ T[:3, :3]  # velocities of the box are in its own axes
        np.testing.assert_allclose(method.compute_jacobian(ik)[5, 3:], rates, atol=1e-14)


def test_beside_a_line_the_distance_is_the_error_and_the_end_of_a_piece_counts() -> None:
    line = tilted_plane()
    T = line @ pose(turned(1.0, 0.5, -0.4), (0.1, -0.2, 0.25))
    for method, beyond in [(PointToLine(), 0.0), (PointToLine(0.0, 0.2), 0.05), (PointToLine(0.3), -0.05)]:
        ik = box(T, method)
        ik.target.set_transform(line)
        np.testing.assert_allclose(ik.error, [0.0, 0.0, 0.0, 0.1, -0.2, beyond], atol=1e-14)


@pytest.mark.parametrize("method", [PointToPlane(), PointToLine(), PointToLine(0.0, 0.1)])
def test_a_plane_or_line_that_is_turned_is_found_where_it_is_then(method: ErrorMethod) -> None:
    robot = gallery.arm7()
    ik = InverseKinematics.of(robot.end_effector("tool"))
    ik.error_method = method
    ik.target.set_translation((0.4, 0.1, 0.4))
    found = []
    for turn in (turned(0.0, 0.0, 0.0), turned(0.0, 0.5, 0.0), turned(1.0, 0.0, 0.0)):
        target = pose(turn, (0.4, 0.1, 0.4))
        ik.target.set_transform(target)
        result = ik.solve_and_apply()
        assert result.success and result.angular_error == 0.0
        local = np.linalg.inv(target) @ robot.end_effector("tool").transform()[:, 3]
        regarded = local[2:3] if isinstance(method, PointToPlane) else local[:2]
        np.testing.assert_allclose(regarded, 0.0, atol=1e-6)
        found.append(result.positions)
    assert not np.allclose(found[0], found[1]) and not np.allclose(found[1], found[2])


@pytest.mark.parametrize("own_frame", [False, True])
def test_a_batch_of_planes_has_the_answers_of_single_ones(own_frame: bool) -> None:
    ik = InverseKinematics.of(gallery.arm7().end_effector("tool"))
    if own_frame:
        ik.reference_frame = ik.target
        ik.error_method = TaskSpaceRegion((INF, INF, INF), (INF, INF, 0.0))
    else:
        ik.error_method = PointToPlane()
    targets = np.array([pose(turned(*np.eye(3)[i % 3]), (0.4, 0.1, 0.1 + 0.1 * i)) for i in range(5)])
    results = ik.solve_batch(targets)
    assert results.success.all()
    for target, result in zip(targets, results, strict=True):
        ik.target.set_transform(target)
        np.testing.assert_array_equal(ik.solve().positions, result.positions)


# ---- centers of mass and postures


def test_the_center_of_mass_is_measured_from_the_target() -> None:
    scene = kido.Skeleton("scene")
    masses = (1.0, 3.0)
    body = None
    for mass, x in zip(masses, (0.0, 2.0), strict=True):
        joint = kido.TranslationalJoint(f"joint{x}", T_parent_joint=pose(position=(x, 0.0, 0.0)))
        body = scene.add_body(f"body{x}", None, joint, inertia=kido.Inertia(mass=mass))
    assert body is not None
    ik = InverseKinematics.of(body)
    ik.dofs = scene.dofs
    ik.target.set_translation((1.0, 0.5, 0.0))
    ik.error_method = CenterOfMass()
    np.testing.assert_allclose(ik.error, [0.0, 0.0, 0.0, 0.5, -0.5, 0.0], atol=1e-15)
    J = np.hstack([0.25 * np.eye(3), 0.75 * np.eye(3)])
    np.testing.assert_allclose(ik.error_method.compute_jacobian(ik)[3:], J, atol=1e-15)
    np.testing.assert_array_equal(ik.error_method.desired_transform(ik), ik.transform())


def panda() -> tuple[InverseKinematics, pin.Model]:
    file = robot_files()["panda_description/urdf/panda.urdf"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *args, **options: None)
        robot = kido.load(file)
    return InverseKinematics.of(robot.body("panda_hand")), pin.buildModelFromUrdf(str(file))


def pin_com(model: pin.Model, q: Array) -> Array:
    """The center of mass with that of the base, which Pinocchio leaves out."""
    masses = [inertia.mass for inertia in model.inertias]
    moving = pin.centerOfMass(model, model.createData(), q)
    return (sum(masses[1:]) * moving + masses[0] * model.inertias[0].lever) / sum(masses)


def test_the_center_of_mass_of_a_robot_goes_where_another_library_finds_it() -> None:
    ik, model = panda()
    names = [dof.name for dof in ik.node.skeleton.dofs]
    order = [names.index(model.names[1 + i]) for i in range(model.nq)]
    ik.dofs = ik.node.skeleton.dofs[:7]
    ik.positions = [0.3, 0.4, 0.1, -1.5, 0.2, 1.0, 0.5]
    wanted = pin_com(model, ik.node.skeleton.positions[order])
    ik.positions = [0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.0]
    ik.error_method = CenterOfMass()
    ik.target.set_translation(wanted)
    assert ik.solve_and_apply().success
    np.testing.assert_allclose(pin_com(model, ik.node.skeleton.positions[order]), wanted, atol=1e-6)


def test_a_humanoid_balances_over_a_foot_at_any_height() -> None:
    robot = gallery.humanoid()
    ik = InverseKinematics.of(robot.body("torso"))
    ik.dofs = [dof for dof in robot.dofs if dof.name.startswith(("waist", "left_shoulder", "right_shoulder"))]
    ik.error_method = CenterOfMass(linear_weights=(1.0, 1.0, 0.0))
    before = robot.com()
    wanted = before + np.array([0.02, 0.01, 5.0])
    ik.target.set_translation(wanted)
    assert ik.solve_and_apply().success
    masses = np.array([body.inertia.mass for body in robot.bodies])
    places = np.array([(body.transform() @ np.append(body.inertia.com, 1.0))[:3] for body in robot.bodies])
    found = masses @ places / masses.sum()
    np.testing.assert_allclose(found[:2], wanted[:2], atol=1e-6)


def test_a_posture_is_measured_dof_by_dof() -> None:
    robot = gallery.arm()
    ik = InverseKinematics.of(robot.end_effector("tool"))
    ik.positions = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    ik.error_method = Posture([0.0, 0.0, 0.0, 0.0, 0.0, 1.0], weights=[1, 1, 1, 1, 0, 1])
    np.testing.assert_allclose(ik.error, [0.1, 0.2, 0.3, 0.4, 0.0, -0.4], atol=1e-15)
    first, last = ik.dofs[0].name, ik.dofs[5].name
    ik.error_method = Posture({last: 0.7, first: -0.1})
    np.testing.assert_allclose(ik.error, [-0.1, 0.2], atol=1e-15)
    expected = np.zeros((2, 6))
    expected[0, 5] = expected[1, 0] = 1.0
    np.testing.assert_array_equal(ik.error_method.compute_jacobian(ik), expected)
    assert ik.solve_and_apply().success
    np.testing.assert_allclose(ik.positions, [-0.1, 0.2, 0.3, 0.4, 0.5, 0.7], atol=1e-6)


def test_the_posture_of_a_free_root_is_a_turn_and_a_place() -> None:
    ik = box(pose(turned(0.0, 0.0, 3.0), (1.0, 2.0, 3.0)), Posture([0, 0, -3.0, 0.5, 2.0, 3.0]))
    short = 6.0 - 2.0 * np.pi  # the shorter way from -3 to 3
    np.testing.assert_allclose(ik.error, [0.0, 0.0, short, 0.5, 0.0, 0.0], atol=1e-14)
    assert ik.error_method.lengths(ik, ik.error) == pytest.approx((-short, 0.5))
    wanted = pose(turned(0.0, 0.0, -3.0), (0.5, 2.0, 3.0))
    np.testing.assert_allclose(ik.error_method.desired_transform(ik), wanted, atol=1e-14)
    ik.error_method = Posture({"free_pos_z": 1.0})
    np.testing.assert_allclose(ik.error, [2.0])
    ik.node.skeleton.positions = [0.5, 0.6, 0.7, 0.0, 0.0, 3.0]
    axes = Rotation.from_rotvec([0.5, 0.6, 0.7]).as_matrix()
    expected = np.concatenate([np.zeros(3), axes[2]])[None]
    np.testing.assert_allclose(ik.error_method.compute_jacobian(ik), expected, atol=1e-15)


def test_the_posture_of_a_free_joint_up_the_chain_is_a_turn_and_a_place() -> None:
    robot = kido.Skeleton("crane")
    base = robot.add_body("base", joint=kido.RevoluteJoint("turn"))
    arm = robot.add_body("arm", base, kido.RevoluteJoint("lift"))
    load = robot.add_body("load", arm, kido.FreeJoint("free"))
    ik = InverseKinematics.of(load)
    ik.dofs = robot.dofs
    robot.positions = [0.3, 0.7, 0.1, -0.2, 0.4, 10.0, 20.0, -30.0]
    desired = np.array([0.1, 0.6, -0.3, 0.2, 0.1, 12.0, 15.0, -31.0])
    ik.error_method = Posture(desired)
    result = ik.solve()
    assert result.success
    np.testing.assert_allclose(result.positions, desired, atol=2e-6)
    short = ik.solve(frozen=[robot.dofs[6]])  # with it the other two lengths of the joint
    assert not short.success
    np.testing.assert_array_equal(short.positions[5:], robot.positions[5:])
    np.testing.assert_allclose(short.linear_error, np.linalg.norm([2.0, 5.0, 1.0]), rtol=1e-12)
    assert short.angular_error < 0.01


@pytest.mark.parametrize("frozen", [(0,), (1,), (2, 5), (1, 2, 3, 4)])
@pytest.mark.parametrize("kind", ["posture", "named", "own", "objective"])
def test_frozen_dofs_keep_their_positions_whatever_is_wanted(kind: str, frozen: tuple[int, ...]) -> None:
    robot = kido.Skeleton("crane")
    base = robot.add_body("base", joint=kido.RevoluteJoint("turn"))
    load = robot.add_body("load", base, kido.FreeJoint("free"))
    ik = InverseKinematics.of(load)
    ik.dofs = robot.dofs
    robot.positions = before = np.array([0.3, 0.1, -0.2, 0.4, 1.0, 2.0, -3.0])
    desired = np.array([0.1, -0.3, 0.2, 0.1, 1.2, 1.5, -3.1])

    class OfAll(kido.ik.ErrorMethod):
        def compute_error(self, ik):
            return ik.positions - desired

    if kind == "objective":
        ik.error_method = kido.ik.PositionError()
        ik.objective = kido.optimize.QuadraticFunction(desired)
    else:
        named = dict(zip((dof.name for dof in robot.dofs), desired, strict=True))
        methods = {"posture": Posture(desired), "named": Posture(named), "own": OfAll()}
        ik.error_method = methods[kind]
    free, result = ik.solve(), ik.solve(frozen=[robot.dofs[i] for i in frozen])
    assert np.abs(free.positions - before).max() > 0.1
    assert result.dof_names == tuple(dof.name for dof in robot.dofs)
    np.testing.assert_array_equal(result.positions[list(frozen)], before[list(frozen)])
    np.testing.assert_array_equal(robot.positions, before)


def test_a_posture_of_other_dofs_than_the_modules_is_refused_where_it_is_used() -> None:
    ik = InverseKinematics.of(gallery.arm().end_effector("tool"))
    before = ik.positions
    ik.error_method = Posture([0.0, 0.0])
    with pytest.raises(ValueError, match=r"^Posture\.positions: expected shape \(6,\).*got \(2,\)"):
        ik.solve()
    ik.error_method = Posture({"jount_1": 0.0})
    with pytest.raises(UnknownNameError, match="jount_1"):
        ik.solve()
    np.testing.assert_array_equal(ik.positions, before)
    ik = box(np.eye(4), Posture({"free_rot_x": 0.0, "free_rot_y": 0.0}))
    before = ik.positions
    with pytest.raises(ValueError, match=r"'free_rot_x', 'free_rot_y', 'free_rot_z' are one rotation"):
        ik.solve()
    np.testing.assert_array_equal(ik.positions, before)


# ---- modules solve for them


def targeted(ik: InverseKinematics) -> None:
    ik.target.set_transform(pose(turned(3.0, 0.2, 0.1), (0.45, 0.15, 0.35)))


METHODS: dict[str, Callable[[], ErrorMethod]] = {
    "region": lambda: TaskSpaceRegion((0.1, 0.1, INF), (0.0, 0.05, 0.05), from_center=False),
    "pose": PoseError,
    "weighted pose": lambda: PoseError(weights=(0.4, 0.4, 0.0, 1.0, 1.0, 1.0)),
    "position": PositionError,
    "orientation": OrientationError,
    "look at": lambda: LookAt((0.0, 0.0, 1.0)),
    "plane": PointToPlane,
    "line": PointToLine,
    "center of mass": lambda: CenterOfMass(linear_weights=(1.0, 1.0, 0.0)),
    "posture": lambda: Posture([0.1, 0.2, 0.3, 1.0, 0.4, 0.5, 0.6]),
}
SOLVERS: dict[str, Solver | None] = {
    "search": None,
    "gradient descent": GradientDescentSolver(step_size=1.0, max_iterations=500),
    "Levenberg-Marquardt": LevenbergMarquardtSolver(max_iterations=200),
    "SLSQP": SciPySolver(),
}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_solved_for_by_the_search_and_by_solvers(name: str, solver: str) -> None:
    robot = gallery.arm7()
    ik = InverseKinematics.of(robot.end_effector("tool"))
    targeted(ik)
    if name == "center of mass":
        ik.target.set_translation(robot.com() + np.array([0.02, 0.05, 9.0]))
    ik.error_method = METHODS[name]()
    ik.solver = SOLVERS[solver]
    assert np.linalg.norm(ik.error) > 1e-3
    result = ik.solve_and_apply()
    assert result.success, result.message
    np.testing.assert_allclose(ik.error, 0.0, atol=3e-6)
    assert (robot.positions >= robot.position_lower_limits).all()
    assert (robot.positions <= robot.position_upper_limits).all()


def test_free_components_are_no_error_of_a_result() -> None:
    ik = InverseKinematics.of(gallery.arm7().end_effector("tool"))
    targeted(ik)
    ik.error_method = PositionError()
    assert ik.solve().angular_error == 0.0
    ik.error_method = OrientationError()
    assert ik.solve().linear_error == 0.0
    ik.error_method = TaskSpaceRegion(weights=(0, 0, 0, 1, 1, 1))
    assert ik.solve().angular_error == 0.0
    assert ik.solve_batch(ik.target.transform()[None]).angular_error.tolist() == [0.0]


def test_a_head_looks_where_a_hand_is() -> None:
    robot = gallery.humanoid()
    ik = InverseKinematics.of(robot.end_effector("gaze"))
    ik.error_method = LookAt((1.0, 0.0, 0.0))
    ik.target = kido.SimpleFrame("held", robot.end_effector("left_hand"))
    robot.positions = {"left_shoulder_pitch": -1.2, "left_elbow": -0.5, "left_shoulder_roll": 0.3}
    assert ik.solve_and_apply().success
    gaze, hand = robot.end_effector("gaze").transform(), robot.end_effector("left_hand").transform()
    sight = hand[:3, 3] - gaze[:3, 3]
    np.testing.assert_allclose(gaze[:3, 0], sight / np.linalg.norm(sight), atol=2e-6)
