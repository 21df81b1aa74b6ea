"""Waypoints and paths of any frame relative to any frame, of robots with followers and locked dofs.

What is reached is looked at by the frames themselves, at the positions of the answer.
"""

from __future__ import annotations

import copy
import math
import pickle
import time
from collections.abc import Callable

import numpy as np
import pytest

import kido
from kido import InverseKinematics, Skeleton, gallery
from kido.description import Mimic
from kido.errors import EditError, RemovedError, UnknownNameError
from kido.frame import FixedFrame, Frame, SimpleFrame
from kido.ik import ConstraintRelaxingIK, JointPath, Waypoint, WaypointPath, WaypointStatus, follow_path
from kido.ik._waypoints._constrained_posture import ConstrainedPosture
from kido.ik._waypoints._nearest_posture import Box, NearestPosture
from kido.ik._waypoints._path_candidates import PathCandidates
from kido.ik._waypoints._pose_searches import ModulePoses
from kido.ik._waypoints._searched_posture import SearchedPosture
from kido.ik._waypoints._seen_frame import SeenFrame
from kido.math import so3_exp, so3_log
from kido.typing import ArrayLike, FloatArray

BENT = (0.2, 0.6, -0.3, 1.2, 0.4, 0.8, 0.1)
TIP = np.eye(4)
TIP[:3, :3], TIP[:3, 3] = so3_exp((0.7, -0.4, 1.1)), (0.05, -0.02, 0.12)


def placed(vector: ArrayLike, translation: ArrayLike) -> FloatArray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = so3_exp(vector), translation
    return T


def arm() -> Skeleton:
    robot = gallery.arm7()
    robot.positions = BENT
    return robot


def with_follower(robot: Skeleton, joint: int, leader: int, ratio: float, offset: float = 0.0) -> Skeleton:
    """A robot one of whose joints follows another."""
    dof = robot.dof(joint)
    dof.joint.mimic = Mimic(robot.dof(leader).name, ratio, offset)
    dof.joint.actuator = "mimic"
    robot.mimic_enforced = True
    return robot


def poses_along(
    robot: Skeleton, frame: Frame, base: Frame | None, moved: list[int], count: int = 12, step: float = 0.03
) -> FloatArray:
    """Poses of a frame in another one at positions that some dofs go through, from where they are."""
    before, rng, poses = robot.positions.copy(), np.random.default_rng(3), []
    direction = rng.uniform(0.4, 1.0, len(moved)) * rng.choice([-1.0, 1.0], len(moved))
    for i in range(count):
        q = before.copy()
        q[moved] = np.clip(
            q[moved] + i * step * direction,
            robot.position_lower_limits[moved],
            robot.position_upper_limits[moved],
        )
        robot.positions = q
        poses.append(frame.transform(relative_to=base or kido.WORLD))
    robot.positions = before
    return np.array(poses)


def move(robot: Skeleton, places: list[int], positions: ArrayLike) -> None:
    q = robot.positions.copy()
    q[places] = positions
    robot.positions = q


def check_waypoints(
    robot: Skeleton, frame: Frame, base: Frame | None, waypoints: list[Waypoint], path: WaypointPath
) -> None:
    before = robot.positions.copy()
    for waypoint, result in zip(waypoints, path.results, strict=False):
        robot.positions = result.positions
        np.testing.assert_allclose(robot.positions, result.positions, atol=1e-12)  # followers follow
        T = frame.transform(relative_to=base or kido.WORLD)
        error = T[:3, 3] - waypoint.pose[:3, 3]
        angle = float(np.linalg.norm(so3_log(waypoint.pose[:3, :3].T @ T[:3, :3])))
        np.testing.assert_allclose(result.position_error, error, atol=1e-12)
        assert result.orientation_error == pytest.approx(angle, abs=1e-9)
        if result.success:
            assert (np.abs(error) <= waypoint.position_tolerance).all()
            assert not waypoint.constrain_orientation or angle <= waypoint.orientation_tolerance
            assert (result.positions >= robot.position_lower_limits - 2e-6).all()
            assert (result.positions <= robot.position_upper_limits + 2e-6).all()
    robot.positions = before


def check_path(robot: Skeleton, frame: Frame, base: Frame | None, poses: FloatArray, path: JointPath) -> None:
    before = robot.positions.copy()
    places = [robot.dof(name).index for name in path.dof_names]
    for pose, q, reached in zip(poses, path.positions, path.reached, strict=True):
        move(robot, places, q)
        error = np.abs(frame.transform(relative_to=base or kido.WORLD) - pose).max()
        assert (error < 1e-5) == reached
        assert (robot.positions >= robot.position_lower_limits - 2e-6).all()
        assert (robot.positions <= robot.position_upper_limits + 2e-6).all()
    robot.positions = before


def fixed_frame(robot: Skeleton) -> Frame:
    return FixedFrame("tip", robot.bodies[-1], TIP)


def simple_frame(robot: Skeleton) -> Frame:
    return SimpleFrame("tip", SimpleFrame("mount", robot.bodies[-1], TIP), placed((0, 0, 1), (0, 0.1, 0)))


def tool_frame(robot: Skeleton) -> Frame:
    return robot.end_effector("tool")


def frame_on_tool(robot: Skeleton) -> Frame:
    return SimpleFrame("tip", robot.end_effector("tool"), TIP)


def no_base(robot: Skeleton) -> Frame | None:
    return None


def table(robot: Skeleton) -> Frame:
    return SimpleFrame("table", None, placed((0.5, 0.9, -0.6), (0.4, 0.2, 0.1)))


def other_robot(robot: Skeleton) -> Frame:
    other = gallery.arm7()
    other.name = "other"
    other.positions = -0.5 * np.array(BENT)
    return FixedFrame("pad", other.bodies[-1], TIP)


def link(robot: Skeleton) -> Frame:
    return FixedFrame("pad", robot.bodies[2], TIP)


FRAMES = (fixed_frame, simple_frame, tool_frame, frame_on_tool)
BASES = (no_base, table, other_robot, link)
ROBOTS: dict[str, Callable[[], Skeleton]] = {
    "plain": arm,
    "follower": lambda: with_follower(arm(), 5, 3, -0.7, 0.2),
    "follower at the root": lambda: with_follower(arm(), 1, 6, 1.3),
}


@pytest.mark.parametrize("made", ROBOTS)
@pytest.mark.parametrize("base_of", BASES)
@pytest.mark.parametrize("frame_of", FRAMES)
def test_any_frame_is_brought_to_poses_in_any_frame(
    frame_of: Callable[[Skeleton], Frame], base_of: Callable[[Skeleton], Frame | None], made: str
) -> None:
    robot = ROBOTS[made]()
    frame, base = frame_of(robot), base_of(robot)
    before = robot.positions.copy()
    free = [i for i in range(7) if i not in robot.leading_dofs]
    poses = poses_along(robot, frame, base, free)
    waypoints = [Waypoint(T, (2e-3, 5e-4, 4e-3), 0.01, constrain_orientation=True) for T in poses]
    path = ConstraintRelaxingIK(robot, frame, relative_to=base).solve(waypoints)
    assert path.success, path.message
    check_waypoints(robot, frame, base, waypoints, path)
    assert np.abs(np.diff(np.vstack([path.start, path.positions]), axis=0)).max() < 0.25
    joints = follow_path(frame, poses, relative_to=base, starts=2, largest_change=0.2)
    assert joints.success, joints.message
    check_path(robot, frame, base, poses, joints)
    np.testing.assert_array_equal(robot.positions, before)


def test_two_hands_move_against_each_other() -> None:
    robot = gallery.humanoid()
    left, right = (robot.end_effector(f"{side}_hand") for side in ("left", "right"))
    T = left.transform(relative_to=right)
    poses = np.repeat(T[None], 15, axis=0)
    poses[:, :3, 3] += np.linspace(0.0, 1.0, 15)[:, None] * -0.3 * T[:3, 3]
    waypoints = [Waypoint(pose, 1e-3) for pose in poses]
    path = ConstraintRelaxingIK(robot, left, relative_to=right).solve(waypoints)
    assert path.success, path.message
    check_waypoints(robot, left, right, waypoints, path)
    moved = {
        dof.name for dof, change in zip(robot.dofs, np.ptp(path.positions, axis=0), strict=True) if change
    }
    assert {name.split("_")[0] for name in moved} == {"left", "right"}  # both arms, and nothing else
    joints = follow_path(left, poses[:4], relative_to=right, starts=1)
    assert joints.success, joints.message
    check_path(robot, left, right, poses[:4], joints)


def test_the_box_is_along_the_axes_of_the_frame_of_the_poses() -> None:
    """The posture changes least, so that a wide side of the box is used up and a narrow one is not passed."""
    robot = arm()
    tool = robot.end_effector("tool")
    for base in (table(robot), FixedFrame("pad", robot.bodies[2], TIP)):
        pose = tool.transform(relative_to=base)
        pose[:3, 3] += (0.03, 0.03, -0.03)
        waypoint = Waypoint(pose, (0.02, 1e-3, 1e-3))
        path = ConstraintRelaxingIK(robot, tool, relative_to=base).solve([waypoint])
        assert path.success
        check_waypoints(robot, tool, base, [waypoint], path)
        assert abs(path.results[0].position_error[0]) > 0.009


def test_a_leader_of_another_branch_moves_what_follows() -> None:
    robot = arm()
    knob = robot.add_body("knob", None, kido.RevoluteJoint("knob", axis=(0, 0, 1)))
    knob.parent_joint.set_position_limits([-0.4], [0.4])
    with_follower(robot, 0, robot.dof("knob").index, 2.0, 0.2)
    tool = robot.end_effector("tool")
    move(robot, [robot.dof("knob").index], [0.0])
    poses = poses_along(robot, tool, None, [robot.dof("knob").index], 10)
    for dofs in (None, ["knob"]):
        path = ConstraintRelaxingIK(robot, tool, dofs=dofs).solve([Waypoint(T, 1e-4) for T in poses])
        assert path.success, path.message
        q = path.positions
        np.testing.assert_allclose(q[:, 0], 2.0 * q[:, robot.dof("knob").index] + 0.2, atol=1e-12)
        joints = follow_path(tool, poses, dofs=dofs, starts=1)
        assert joints.success and "knob" in joints.dof_names and robot.dof(0).name not in joints.dof_names
        check_path(robot, tool, None, poses, joints)
    with pytest.raises(ValueError, match=f"dofs: '{robot.dof(0).name}' follows 'knob'"):
        ConstraintRelaxingIK(robot, tool, dofs=[robot.dof(0)])
    with pytest.raises(ValueError, match=f"dofs: '{robot.dof(0).name}' follows 'knob'"):
        follow_path(tool, poses, dofs=[robot.dof(0)])


def test_limits_of_what_follows_hold() -> None:
    robot = with_follower(arm(), 5, 3, 1.0)
    tool = robot.end_effector("tool")
    robot.dof(5).position_upper_limit = float(robot.positions[5]) + 0.02
    poses = poses_along(robot, tool, None, [3], 6, step=0.05)
    path = ConstraintRelaxingIK(robot, tool).solve([Waypoint(T, 1e-4, 1e-3, True) for T in poses])
    check_waypoints(robot, tool, None, [Waypoint(T, 1e-4, 1e-3, True) for T in poses], path)
    joints = follow_path(tool, poses, starts=2)
    check_path(robot, tool, None, poses, joints)


def test_locked_dofs_move_where_they_are_named() -> None:
    for made in ROBOTS.values():
        robot = made()
        tool = robot.end_effector("tool")
        robot.dof(4).joint.actuator = "locked"
        free = [i for i in range(7) if i not in robot.leading_dofs and i != 4]
        pose = poses_along(robot, tool, None, free)[3]
        path = ConstraintRelaxingIK(robot, tool).solve([Waypoint(pose, 1e-4)])
        assert path.success and path.positions[0][4] == robot.positions[4]
        names = [robot.dof(i).name for i in range(7) if i not in robot.leading_dofs]
        named = ConstraintRelaxingIK(robot, tool, dofs=names).solve([Waypoint(pose, 1e-4)])
        assert named.success and named.positions[0][4] != robot.positions[4]
        joints = follow_path(tool, pose[None], starts=1)
        assert joints.success and robot.dof(4).name not in joints.dof_names
        assert robot.dof(4).name in follow_path(tool, pose[None], dofs=names, starts=1).dof_names
        assert str(robot.dof(4).joint.actuator) == "locked"


def test_modules_are_given_poses_in_frames_that_stand_still() -> None:
    robot = arm()
    tool, base = robot.end_effector("tool"), table(robot)
    module = InverseKinematics(tool)
    module.offset = (0.0, 0.0, 0.05)
    tip = SimpleFrame("tip", tool, placed((0, 0, 0), (0, 0, 0.05)))
    poses = poses_along(robot, tip, base, list(range(7)))
    path = follow_path(module, poses, relative_to=base, largest_change=0.2)
    assert path.success, path.message
    check_path(robot, tip, base, poses, path)
    with pytest.raises(ValueError, match="relative_to: expected a frame that the module's dofs leave"):
        follow_path(module, poses, relative_to=robot.bodies[2])
    module.dofs = robot.dofs[3:]
    assert len(follow_path(module, poses, relative_to=robot.bodies[2]).dof_names) == 4


def test_a_frame_that_does_not_move_against_the_other_is_told() -> None:
    robot = arm()
    tool = robot.end_effector("tool")
    pad = FixedFrame("pad", robot.bodies[-1], TIP)
    T = tool.transform(relative_to=pad)
    off = T.copy()
    off[0, 3] += 0.1
    path = ConstraintRelaxingIK(robot, tool, relative_to=pad).solve([Waypoint(T), Waypoint(off)])
    assert [one.status for one in path.results] == [WaypointStatus.REACHED, WaypointStatus.NOT_REACHED]
    assert path.results[1].solves == 1
    joints = follow_path(tool, np.array([T, off]), relative_to=pad)
    assert joints.missed == (1,)


def test_frames_that_were_moved_or_removed() -> None:
    robot = arm()
    tip = SimpleFrame("tip", robot.bodies[-1], TIP)
    solver = ConstraintRelaxingIK(robot, tip)
    T = tip.transform()
    tip.relative_transform = np.eye(4)
    waypoints = [Waypoint(T, 1e-4, 1e-3, True)]
    path = solver.solve(waypoints)
    assert path.success
    check_waypoints(robot, tip, None, waypoints, path)
    tip.set_parent_frame(kido.WORLD)
    with pytest.raises(EditError, match="frame: 'tip' is not on a body of 'arm7' any more"):
        solver.solve(waypoints)
    solver.frame = robot.bodies[-1]
    pad = robot.add_body("pad", None, kido.WeldJoint("foot"))
    solver.relative_to = SimpleFrame("corner", pad, TIP)
    there = [Waypoint(solver.frame.transform(relative_to=solver.relative_to))]
    assert solver.solve(there).success
    pad.remove()
    with pytest.raises(RemovedError, match="pad"):
        solver.solve(there)


@pytest.mark.parametrize("seed", range(4))
def test_fewer_dofs_than_a_pose_fixes_come_to_the_edge_of_the_box(seed: int) -> None:
    robot, rng = arm(), np.random.default_rng(seed)
    tip = FixedFrame("tip", robot.bodies[-1], placed(rng.normal(size=3), 0.1 * rng.normal(size=3)))
    base = SimpleFrame("base", robot.bodies[-2], placed(rng.normal(size=3), 0.1 * rng.normal(size=3)))
    poses = poses_along(robot, tip, base, [6], 20, step=0.06)
    waypoints = [Waypoint(T, rng.uniform(1e-4, 9e-3, 3), rng.uniform(1e-3, 0.1), True) for T in poses]
    path = ConstraintRelaxingIK(robot, tip, relative_to=base).solve(waypoints)
    assert path.success, path.message
    check_waypoints(robot, tip, base, waypoints, path)
    assert all((one.solves, one.seeds) == (1, 0) for one in path.results)
    changes = np.diff(np.vstack([path.start, path.positions]), axis=0)
    assert not changes[:, :6].any()


@pytest.mark.parametrize("kind", [SearchedPosture, ConstrainedPosture])
def test_programs_end_near_the_posture_before_wherever_they_begin(kind: type[NearestPosture]) -> None:
    """The gradient of the weighted changes is one of the forces that hold the frame."""
    robot = arm()
    tool = robot.end_effector("tool")
    before, weights = robot.positions.copy(), np.array([1.0, 4.0, 0.3, 1.0, 2.0, 1.0, 5.0])
    program = kind(SeenFrame.of(robot, tool, None), list(range(7)), weights)
    pose = tool.transform()
    pose[:3, 3] += (0.05, -0.04, 0.06)
    box = Box(math.inf, np.full(3, 2e-3), 1e-7)
    for guess in (before, before + 0.05):
        fits, q = program.within(box, pose, guess, before, math.inf)
        assert fits and (np.abs(tool.transform() - pose)[:3, 3] <= 2e-3 + 1e-7).all()
        J, gradient = InverseKinematics(tool).jacobian()[3:], weights * (q - before)
        multipliers = np.linalg.lstsq(J.T, gradient, rcond=None)[0]
        np.testing.assert_allclose(J.T @ multipliers, gradient, atol=2e-5)
    assert program.within(box, pose, before + 0.3, before, time.perf_counter() + 10.0)[0]
    assert not program.within(box, pose, before + 0.3, before, time.perf_counter())[0]  # the time is up


def test_an_angle_counts_by_its_whole_length_in_the_first_program() -> None:
    """About an axis in the middle of three, three angles within a tolerance are more than it together."""
    robot = arm()
    tool = robot.end_effector("tool")
    pose = tool.transform()
    pose[:3, :3] = so3_exp(0.25 * np.ones(3) / math.sqrt(3.0)) @ pose[:3, :3]
    waypoint = Waypoint(pose, 1e-2, 0.01, constrain_orientation=True)
    path = ConstraintRelaxingIK(robot, tool).solve([waypoint])
    assert path.success and path.results[0].solves == 1


def test_dofs_that_move_the_frame_against_the_other_one() -> None:
    robot = arm()
    tool = robot.end_effector("tool")
    names = [dof.name for dof in robot.dofs]
    here = tool.transform(relative_to=robot.bodies[2])[None]
    assert list(follow_path(tool, here, relative_to=robot.bodies[2]).dof_names) == names[2:]
    knob = robot.add_body("knob", None, kido.RevoluteJoint("knob", axis=(0, 0, 1)))
    pad = robot.add_body("pad", None, kido.RevoluteJoint("pad", axis=(0, 0, 1)))
    with_follower(robot, robot.dof("pad").index, robot.dof("knob").index, 0.0, 0.1)
    assert list(follow_path(pad, pad.transform()[None]).dof_names) == []  # it stands still
    robot.dof("pad").joint.mimic = Mimic("knob", 2.0)
    assert list(follow_path(pad, pad.transform()[None]).dof_names) == ["knob"]
    both = list(follow_path(tool, tool.transform(relative_to=pad)[None], relative_to=pad).dof_names)
    assert both == [*names, "knob"]
    robot.dof("pad").joint.mimic = Mimic(names[0], 2.0)
    module = InverseKinematics(tool)
    with pytest.raises(ValueError, match="relative_to: expected a frame that the module's dofs leave"):
        follow_path(module, tool.transform()[None], relative_to=pad)
    assert follow_path(module, tool.transform(relative_to=knob)[None], relative_to=knob).success
    stand = robot.add_body("stand", None, kido.WeldJoint("stand"))
    off = stand.transform()
    off[0, 3] += 0.1
    still = ConstraintRelaxingIK(robot, stand, dofs=names).solve([Waypoint(off)])
    assert not still.success and still.results[0].solves == 1


def test_dofs_that_follow_since_they_were_named() -> None:
    robot = arm()
    tool = robot.end_effector("tool")
    knob = robot.add_body("knob", None, kido.RevoluteJoint("knob", axis=(0, 0, 1)))
    solver = ConstraintRelaxingIK(robot, tool, dofs=[dof.name for dof in robot.dofs[:7]])
    with_follower(robot, 5, knob.parent_joint.dof(0).index, 1.0)
    with pytest.raises(EditError, match="dofs: 'joint_6' follows 'knob'"):
        solver.solve(tool.transform()[None])


@pytest.mark.parametrize("coupled", [False, True])
def test_solutions_of_all_branches_are_found_in_any_frame(coupled: bool) -> None:
    robot = gallery.arm()
    robot.positions = BENT[:6]
    tool, base = robot.end_effector("tool"), table(robot)
    closed = kido.ik.analytical_ik(tool).solve(tool.transform()).valid
    assert len(closed) > 1
    if coupled:  # the finger follows a dof of the arm, and moves nothing else
        finger = robot.add_body("finger", robot.bodies[-1], kido.RevoluteJoint("finger", axis=(0, 0, 1)))
        with_follower(robot, finger.parent_joint.dof(0).index, 0, 0.5)
    tip = FixedFrame("tip", tool.body, tool.relative_transform)
    poses = np.repeat(tip.transform(relative_to=base)[None], 3, axis=0)
    poses[:, 0, 3] += (0.0, 1e-4, 2e-4)
    if not coupled:
        seen = SeenFrame.of(robot, tip, base)
        searches = ModulePoses.of(seen, seen.chain_names())
        known = PathCandidates(searches, poses, 0, np.random.default_rng(0))
        assert len(known.of(2)) == len(closed)
        for q in known.of(2):
            move(robot, searches.dof_indices, q)
            np.testing.assert_allclose(tip.transform(relative_to=base), poses[2], atol=1e-9)
    for q in closed:
        for starts in (0, 24) if not coupled else (24,):
            path = follow_path(tip, poses, relative_to=base, start=q, starts=starts)
            assert path.success, path.message
            np.testing.assert_allclose(path.positions[0], q, atol=1e-5)
            check_path(robot, tip, base, poses, path)


@pytest.mark.parametrize("twice", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_answer_alike(twice: Callable[[ConstraintRelaxingIK], ConstraintRelaxingIK]) -> None:
    robot = with_follower(arm(), 5, 3, -0.7, 0.2)
    names = [robot.dof(i).name for i in (3, 1, 4, 6)]
    weights = (1.0, 5.0, 0.2, 3.0)
    for frame in (tool_frame(robot), fixed_frame(robot), simple_frame(robot)):
        for base in (None, table(robot), link(robot), FixedFrame("still", None, TIP)):
            solver = ConstraintRelaxingIK(robot, frame, relative_to=base, dofs=names, posture_weights=weights)
            other = twice(solver)
            pose = poses_along(robot, frame, base, [1, 3, 4, 6], 4)[3]
            waypoints = [Waypoint(pose, 1e-3)]
            known = solver.solve(waypoints).positions
            np.testing.assert_allclose(other.solve(waypoints).positions, known, rtol=0.0, atol=1e-12)
            assert type(other.frame) is type(frame)
            assert type(other.relative_to) is type(base)
            assert (other.skeleton is robot) == (twice is copy.copy)


def test_frames_of_other_robots_are_not_pickled() -> None:
    robot = arm()
    solver = ConstraintRelaxingIK(robot, robot.bodies[-1], relative_to=other_robot(robot))
    assert copy.copy(solver).relative_to is solver.relative_to
    with pytest.raises(TypeError, match="cannot save relative_to: it moves with 'link_7'"):
        pickle.dumps(solver)


def test_wrong_frames_are_named() -> None:
    robot = arm()
    tool, stray = robot.end_effector("tool"), SimpleFrame("stray")
    pose = tool.transform()[None]
    for call in (
        lambda frame: ConstraintRelaxingIK(robot, frame),
        lambda frame: follow_path(frame, pose),
    ):
        with pytest.raises(ValueError, match="frame: expected a frame on a body, got 'stray'"):
            call(stray)
        with pytest.raises(ValueError, match="frame: expected a frame on a body"):
            call(kido.WORLD)
        with pytest.raises(TypeError, match="frame: expected a body or a frame on one, got int"):
            call(3)
    with pytest.raises(TypeError, match="frame: expected a body or a frame on one, got str"):
        follow_path("tool", pose)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError):
        ConstraintRelaxingIK(robot, "hand")
    with pytest.raises(TypeError, match="relative_to: expected a frame or None, got str"):
        ConstraintRelaxingIK(robot, tool, relative_to="table")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="relative_to: expected a frame or None, got str"):
        follow_path(tool, pose, relative_to="table")  # type: ignore[arg-type]
    for dofs in ([], ["elbowed"], [robot.clone().dof(0)], "joint_1"):
        with pytest.raises((ValueError, TypeError, UnknownNameError), match="dof"):
            ConstraintRelaxingIK(robot, tool, relative_to=robot.bodies[0], dofs=dofs)
