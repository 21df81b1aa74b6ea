"""Global, differential and waypoint inverse kinematics on arms with slides, endless turns and a free base."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import kido
from kido.ik import (
    ConfigurationLimit,
    ConstraintRelaxingIK,
    CustomTask,
    DifferentialIK,
    FrameTask,
    GlobalIK,
    VelocityLimit,
    follow_path,
)

Array = NDArray[np.float64]
AXES = ((0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0))
KINDS = ("RRRRRR", "PRRPRR", "CRCRCR", "PPP", "free")


def robot_of(kinds: str) -> kido.Skeleton:
    """Joints along different axes: R with limits, C without, P a slide; "free": a humanoid."""
    if kinds == "free":
        return kido.gallery.humanoid()
    robot, body = kido.Skeleton(kinds), None
    for k, kind in enumerate(kinds):
        made = kido.PrismaticJoint if kind == "P" else kido.RevoluteJoint
        joint = made(f"j{k}", axis=AXES[k])
        joint.T_parent_joint = kido.math.se3_exp(np.array([0.0, 0.0, 0.0, 0.1, 0.0, 0.25]))
        joint.velocity_lower_limits, joint.velocity_upper_limits = -1.0, 1.0
        body = robot.add_body(f"b{k}", body, joint)
        if kind != "C":
            joint.position_lower_limits, joint.position_upper_limits = (
                (-0.3, 0.4) if kind == "P" else (-2.5, 2.5)
            )
    robot.positions = np.where([kind == "P" for kind in kinds], 0.0, 0.5)
    return robot


def tip_of(robot: kido.Skeleton) -> kido.BodyNode:
    return robot.body("right_hand") if robot.name == "humanoid" else robot.bodies[-1]


def reachable(robot: kido.Skeleton) -> Array:
    """The pose of the tip at positions within the limits."""
    q, rng = np.array(robot.positions), np.random.default_rng(0)
    moved = slice(10, 20) if robot.name == "humanoid" else slice(None)
    q[moved] += rng.uniform(-0.3, 0.3, len(q[moved]))
    q = np.clip(q, robot.position_lower_limits, robot.position_upper_limits)
    return np.array(robot.tree.transform(q, tip_of(robot).index))


@pytest.mark.parametrize("kinds", KINDS[:-1])
@pytest.mark.parametrize("is_pose", [False, True])
def test_the_global_search_decides_both_ways(kinds: str, is_pose: bool) -> None:
    robot = robot_of(kinds)
    T = reachable(robot)
    for shift in (0.0, 9.0):
        target = T.copy()
        target[0, 3] += shift
        search = GlobalIK(robot)
        if is_pose:
            search.add_world_pose_constraint(tip_of(robot), target)
        else:
            search.add_world_position_constraint(tip_of(robot), target[:3, 3], tolerance=1e-3)
        verdict = search.solve()
        assert verdict.success == (shift == 0.0)
        assert verdict.infeasible == (shift > 0.0)


def test_the_global_search_names_a_joint_without_limits() -> None:
    robot = robot_of("free")
    search = GlobalIK(robot)
    search.add_world_position_constraint(tip_of(robot), (0.3, 0.0, 1.0))
    with pytest.raises(ValueError, match=r"'root_pos_x': expected finite limits .*add_joint_limits"):
        search.solve()


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("seen", ["world", "moving"])
def test_steps_go_to_a_target_and_stop_before_one_that_is_out_of_reach(kinds: str, seen: str) -> None:
    robot = robot_of(kinds)
    tip, base = tip_of(robot), None
    if seen == "moving":  # frames that some dofs carry, and from which others lead to the tip
        base = robot.body("torso") if kinds == "free" else kido.SimpleFrame("seen from", robot.bodies[0])
    if kinds == "PPP" and seen == "moving":
        base = kido.SimpleFrame(
            "seen from", transform=[[0, -1, 0, 0.3], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        )
    before, still = robot.positions, np.array(robot.positions)
    for shift in (0.0, 9.0):
        if shift > 0.0 and kinds == "free" and seen == "world":
            continue  # a free base goes anywhere
        target = np.array(tip.transform(relative_to=base))
        target[:3, 3] += 0.02
        target[0, 3] += shift
        task = FrameTask(tip, target, relative_to=base, orientation_weight=0.0)
        problem = DifferentialIK(robot, [task], [ConfigurationLimit(), VelocityLimit()])
        found = problem.converge()
        assert found.success == (shift == 0.0), found
        q = np.asarray(found.positions)
        assert (q >= robot.position_lower_limits - 1e-9).all()
        assert (q <= robot.position_upper_limits + 1e-9).all()
        assert_allclose(before, still)


@pytest.mark.parametrize("kinds", KINDS)
def test_waypoints_and_paths_reach_what_can_be_reached(kinds: str) -> None:
    robot = robot_of(kinds)
    tip, T = tip_of(robot), reachable(robot)
    far = T.copy()
    far[0, 3] += 9.0
    relaxing = (
        ConstraintRelaxingIK(robot, tip, dofs=[dof for dof in tip.dependent_dofs if dof.joint.parent_body])
        if kinds == "free"
        else None
    )
    solver = relaxing or ConstraintRelaxingIK(robot, tip)
    assert solver.solve(np.stack([T, T])).success
    path = solver.solve(np.stack([T, far]))
    assert not path.success
    assert [one.success for one in path.results] == [True, False]
    followed = follow_path(tip, np.stack([T, T]))
    for q in followed.positions:
        full = np.array(robot.positions)
        full[[robot.dof(name).index for name in followed.dof_names]] = q
        assert_allclose(robot.tree.transform(full, tip.index), T, atol=1e-4)
    assert not follow_path(tip, np.stack([T, far]), starts=4).success or kinds == "free"


class Broken(CustomTask):
    """A task whose error cannot be read."""

    def compute_error(self, robot: kido.Skeleton) -> Array:
        raise RuntimeError("sensor lost")

    def compute_jacobian(self, robot: kido.Skeleton) -> Array:
        return np.zeros((1, robot.num_dofs))


@pytest.mark.parametrize("kinds", KINDS)
def test_what_a_task_raises_comes_out_and_leaves_the_robot_where_it_was(kinds: str) -> None:
    robot = robot_of(kinds)
    problem = DifferentialIK(robot, [Broken(1)])
    before = np.array(robot.positions)
    for call in (
        lambda: problem.solve(dt=0.01),
        lambda: problem.solve(before + 0.01, dt=0.01),
        lambda: problem.converge(before + 0.01),
        lambda: problem.solve_batch(before[None] + 0.01, dt=0.01),
    ):
        with pytest.raises(RuntimeError, match="sensor lost"):
            call()
        assert_allclose(robot.positions, before, atol=0.0)
