"""Joint paths through poses: without a jump where there is one, and truthful where there is none."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido import InverseKinematics, Skeleton, gallery
from kido.ik import JointPath, LookAt, TaskSpaceRegion, follow_path
from kido.math import so3_exp
from kido.optimize import QuadraticFunction
from kido.typing import FloatArray

Node = kido.BodyNode | kido.FrameNode


def arm(joints: int) -> tuple[Skeleton, Node]:
    robot = gallery.arm7() if joints == 7 else gallery.arm()
    robot.positions = (0.2, 0.6, -0.3, 1.2, 0.4, 0.8, 0.1)[:joints]
    return robot, robot.end_effector("tool")


def circle(T: FloatArray, radius: float, count: int) -> FloatArray:
    angles = np.linspace(0.0, 2.0 * np.pi, count)
    poses = np.repeat(T[None], count, axis=0)
    poses[:, 1, 3] += radius * np.sin(angles)
    poses[:, 2, 3] += radius * (np.cos(angles) - 1.0)
    return poses


def turned(tool: Node, turns: float, count: int) -> FloatArray:
    """The poses to which the last joint brings the tool."""
    module = InverseKinematics(tool)
    axis, T = module.jacobian()[:3, -1], tool.transform()
    poses = np.repeat(T[None], count, axis=0)
    for pose, angle in zip(poses, np.linspace(0.0, 2.0 * np.pi * turns, count), strict=True):
        pose[:3, :3] = so3_exp(angle * axis) @ T[:3, :3]
    return poses


def check(robot: Skeleton, path: JointPath, poses: FloatArray) -> None:
    """Every pose that counts as reached is, within the limits."""
    copy = robot.clone()
    module = InverseKinematics(copy.end_effector("tool"))
    assert path.dof_names == tuple(dof.name for dof in module.dofs)
    for q, reached, pose in zip(path.positions, path.reached, poses, strict=True):
        module.positions = q
        error = np.abs(module.transform() - pose).max()
        assert (error < 1e-5) == reached
        places = module.dof_indices
        assert (q >= copy.position_lower_limits[places] - 1e-9).all()
        assert (q <= copy.position_upper_limits[places] + 1e-9).all()


@pytest.mark.parametrize("joints", [6, 7])
@pytest.mark.parametrize("starts", [0, 8])
def test_a_circle_is_followed_by_small_steps(joints: int, starts: int) -> None:
    robot, tool = arm(joints)
    before = robot.positions.copy()
    poses = circle(tool.transform(), 0.12, 120)
    path = follow_path(tool, poses, starts=starts, largest_change=0.1)
    assert path.success, path.message
    assert path.message == "all 120 poses reached without a jump"
    assert len(path) == 120
    check(robot, path, poses)
    np.testing.assert_array_equal(robot.positions, before)
    assert tool.addon(InverseKinematics) is None


def test_branches_are_chosen_that_last() -> None:
    """The branch nearest to the start runs into a limit; another one leads through."""
    robot, tool = arm(6)
    poses = turned(tool, 0.9, 150)
    greedy, jumps = [robot.positions], 0
    last = robot.dof(5)
    last.position_lower_limit, last.position_upper_limit = -4.5, float(robot.positions[5]) + 1.0
    skeleton = robot.clone()
    module = InverseKinematics(skeleton.end_effector("tool"))
    for pose in poses:
        found = module.solve_batch(pose[None], greedy[-1])
        jumps += int(np.abs(found.positions[0] - greedy[-1]).max() > 0.3)
        greedy.append(found.positions[0])
    assert jumps > 0
    path = follow_path(tool, poses, largest_change=0.3)
    assert path.success, path.message
    check(robot, path, poses)


def test_whole_turns_within_limits_are_used() -> None:
    robot, tool = arm(6)
    last = robot.dof(5)
    q = float(robot.positions[5])
    last.position_lower_limit, last.position_upper_limit = q - 4.0 * np.pi, q + 0.1
    poses = turned(tool, 1.9, 200)
    path = follow_path(tool, poses, largest_change=0.2)
    assert path.success, path.message
    assert abs(path.positions[-1, 5] - path.positions[0, 5]) == pytest.approx(2.0 * np.pi * 1.9, abs=1e-5)
    check(robot, path, poses)
    last.position_lower_limit = q - 3.0 * np.pi
    other = follow_path(tool, poses, largest_change=0.2)
    assert not other.success
    assert len(other.jumps) == 1
    assert f"no connection found to the pose at {other.jumps[0]}" in other.message
    check(robot, other, poses)


def test_a_jump_is_where_the_positions_say() -> None:
    _, tool = arm(6)
    T = tool.transform()
    far = np.diag([-1.0, -1.0, 1.0, 1.0]) @ T
    poses = np.array([T, T, far, far])
    path = follow_path(tool, poses, largest_change=0.3)
    assert path.reached.all()
    assert path.jumps == (2,)
    assert (np.abs(path.changes[1]) > 0.3).any()
    np.testing.assert_allclose(path.changes[[0, 2]], 0.0, atol=1e-6)
    worst = path.dof_names[int(np.argmax(np.abs(path.changes[1])))]
    assert f"where {worst!r} jumps by" in path.message


def test_branches_after_a_jump_are_followed_back() -> None:
    """Only from behind is the branch found that leads through."""
    robot, tool = arm(7)
    rng = np.random.default_rng(1)
    for _ in range(6):
        robot.positions = robot.random_positions(rng)
        direction = rng.normal(size=3)
    poses = np.repeat(tool.transform()[None], 60, axis=0)
    way = 0.35 * direction / np.linalg.norm(direction)
    poses[:, :3, 3] += np.linspace(0.0, 1.0, 60)[:, None] * way
    path = follow_path(tool, poses, starts=0, largest_change=0.15)
    assert path.jumps == ()
    assert path.missed == tuple(range(40, 60))


def test_tasks_of_other_errors_are_not_solved_in_closed_form() -> None:
    robot, tool = arm(6)
    module = InverseKinematics(tool)
    module.error_method = LookAt((0.0, 0.0, 1.0))
    poses = circle(np.diag([1.0, 1.0, 1.0, 1.0]), 0.3, 15)
    poses[:, :3, 3] += (1.5, 0.2, 0.4)
    path = follow_path(module, poses, largest_change=0.3)
    assert path.success, path.message
    for q, pose in zip(path.positions, poses, strict=True):
        robot.positions = q
        T = tool.transform()
        ray = pose[:3, 3] - T[:3, 3]
        assert T[:3, 2] @ ray / np.linalg.norm(ray) > 1.0 - 1e-9


def test_poses_out_of_reach_are_told_and_what_follows_is_reached() -> None:
    robot, tool = arm(7)
    poses = circle(tool.transform(), 0.7, 160)
    path = follow_path(tool, poses, largest_change=0.4)
    assert not path.success
    assert path.missed == tuple(np.flatnonzero(~path.reached))
    assert 0 < len(path.missed) < 160
    assert f"{len(path.missed)} of 160 poses not reached, the first at {path.missed[0]}" in path.message
    check(robot, path, poses)


def test_modules_bring_their_dofs_offset_and_error() -> None:
    robot, tool = arm(7)
    module = InverseKinematics(tool)
    module.offset = (0.0, 0.0, 0.05)
    module.dofs = robot.dofs[1:]
    module.error_method = TaskSpaceRegion(angular=(np.inf, np.inf, np.inf))
    pose = module.transform().copy()
    poses = circle(pose, 0.05, 30)
    path = follow_path(module, poses, largest_change=0.2)
    assert path.success, path.message
    assert path.dof_names == tuple(dof.name for dof in robot.dofs[1:])
    other = InverseKinematics(robot.clone().end_effector("tool"))
    other.offset, other.dofs = module.offset, other.node.skeleton.dofs[1:]
    for q, pose in zip(path.positions, poses, strict=True):
        other.positions = q
        np.testing.assert_allclose(other.transform()[:3, 3], pose[:3, 3], atol=3e-6)
    module.objective = QuadraticFunction(np.zeros(6))
    with pytest.raises(ValueError, match="frame: expected a module without solver and objective"):
        follow_path(module, poses)


def test_the_start_chooses_the_branch() -> None:
    robot, tool = arm(6)
    poses = circle(tool.transform(), 0.001, 20)
    first = follow_path(tool, poses)
    solutions = kido.ik.analytical_ik(tool).solve(poses[0]).valid
    assert len(solutions) > 1
    for q in solutions:
        path = follow_path(tool, poses, start=q)
        np.testing.assert_allclose(path.positions[0], q, atol=1e-5)
    np.testing.assert_allclose(first.positions[0], robot.positions, atol=1e-5)


def test_no_poses_and_wrong_input() -> None:
    _, tool = arm(6)
    nothing = follow_path(tool, np.zeros((0, 4, 4)))
    assert nothing.success
    assert nothing.positions.shape == (0, 6)
    pose = tool.transform()[None]
    with pytest.raises(ValueError, match=r"poses: expected shape \(n, 4, 4\)"):
        follow_path(tool, pose[0])
    with pytest.raises(ValueError, match=r"largest_change: expected positive numbers \[rad, m\], got 0"):
        follow_path(tool, pose, largest_change=0.0)
    with pytest.raises(ValueError, match=r"start: expected shape \(6,\)"):
        follow_path(tool, pose, start=[0.0])
    with pytest.raises(TypeError, match="progress: expected a function or None, got True"):
        follow_path(tool, pose, progress=True)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="starts: expected an integer of 0 or above, got -1"):
        follow_path(tool, pose, starts=-1)
    with pytest.raises(kido.errors.UnknownNameError):
        follow_path(tool, pose, dofs=["elbowed"])
    one = follow_path(tool, pose)
    assert one.success
    assert one.jumps == ()
