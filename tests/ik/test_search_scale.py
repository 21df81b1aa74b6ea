"""Searches at any scale: targets far away, arms of kilometres, and distances whose squares are no numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from _poses import Array, drawn, gap, placed, planar_arm, pose, with_joints, with_positions
from scipy.spatial.transform import Rotation

import kido
from kido import InverseKinematics, SearchSettings, WholeBodyIK
from kido.ik import HierarchyResult, IKResult, PoseRegion, TaskSpaceRegion


@dataclass(frozen=True, slots=True, eq=False, init=False)
class InPython(TaskSpaceRegion):
    """The same region, unknown to the native search."""

    def region(self, ik: InverseKinematics) -> PoseRegion | None:
        return None


METHODS = pytest.mark.parametrize("method", [TaskSpaceRegion(), InPython()], ids=["native", "python"])
DIRECTION = np.array([1.0, -0.4, 0.6])


def gantry() -> kido.Skeleton:
    """Three sliding joints without limits."""
    axes = np.eye(3)
    return with_joints(*[kido.PrismaticJoint(f"p{i}", axis=axes[i]) for i in range(3)])


def mobile(root: kido.Joint) -> kido.Skeleton:
    """An arm of six revolute joints on a root that moves freely."""
    axes = np.eye(3)
    return with_joints(root, *[kido.RevoluteJoint(f"r{i}", axis=axes[i % 3]) for i in range(6)])


ROOTS: dict[str, tuple[type[kido.Joint], list[int]]] = {
    "free": (kido.FreeJoint, [3, 4, 5]),
    "translational": (kido.TranslationalJoint, [0, 1, 2]),
    "planar": (kido.PlanarJoint, [0, 1]),
}
"""Class of the root joint, and its translations."""


def module(robot: kido.Skeleton, method: TaskSpaceRegion) -> InverseKinematics:
    ik = InverseKinematics.of(robot.end_effector("hand"))
    ik.error_method = method
    ik.use_whole_body()
    return ik


def assert_reached(ik: InverseKinematics, target: Array) -> None:
    """Solved by the module and by a hierarchy, at the target by the product of elementary motions."""
    ik.target.set_transform(target)
    found = ik.solve(), WholeBodyIK(ik.node.skeleton).solve()
    for positions in (found[0].positions, found[1].positions):
        angle, distance = gap(placed(ik.owner, with_positions(ik, positions)), target)
        assert angle <= 1.1e-6 and distance <= 1.1e-6 + 1e-14 * np.abs(target[:3, 3]).max()
    assert found[0].success and found[1].success


@METHODS
@pytest.mark.parametrize("distance", [20.0, 99.0, 1e4, 1e6])
def test_sliding_joints_reach_targets_at_any_distance(method: TaskSpaceRegion, distance: float) -> None:
    ik = module(gantry(), method)
    with ik.at([0.1, -0.2, 0.3]):
        target = ik.transform()
    target[:3, 3] += distance * DIRECTION
    assert_reached(ik, target)


@METHODS
@pytest.mark.parametrize("root", ROOTS)
def test_roots_that_translate_carry_an_arm_to_a_target_far_away(method: TaskSpaceRegion, root: str) -> None:
    joint, lengths = ROOTS[root]
    ik = module(mobile(joint()), method)
    q = drawn(ik, 1)[0]
    q[lengths] = 500.0 * DIRECTION[: len(lengths)]
    assert_reached(ik, placed(ik.owner, with_positions(ik, q)))


def scaled_arm(scale: float) -> kido.Skeleton:
    """Six revolute joints placed at random, about as long as the scale [m]."""
    rng = np.random.default_rng(1)
    arm, body = kido.Skeleton("arm"), None
    for i in range(6):
        placement = pose(Rotation.random(rng=rng), scale * rng.uniform(-0.4, 0.4, 3))
        joint = kido.RevoluteJoint(f"r{i}", axis=np.eye(3)[i % 3], T_parent_joint=placement)
        body = arm.add_body(f"body{i}", body, joint)
    assert body is not None
    body.add_end_effector("hand", pose(position=(0.1 * scale, 0.0, 0.2 * scale)))
    return arm


def searched(scale: float, count: int) -> kido.IKResults:
    ik = InverseKinematics.of(scaled_arm(scale).end_effector("hand"))
    targets = []
    for q in drawn(ik, count):
        with ik.at(q):
            targets.append(ik.transform())
    return ik.solve_batch(np.array(targets))


@pytest.mark.parametrize("scale", [1e3, 1e5])
def test_arms_of_kilometres_are_searched_as_fast_as_those_of_a_metre(scale: float) -> None:
    large, small = searched(scale, 500), searched(1.0, 500)
    assert large.success.all() and small.success.all()
    assert large.iterations.sum() < 1.15 * small.iterations.sum()


@METHODS
def test_hierarchies_solve_as_many_targets_with_an_arm_of_kilometres(method: TaskSpaceRegion) -> None:
    solved = []
    for scale in (1.0, 1e4):
        ik = module(scaled_arm(scale), method)
        whole = WholeBodyIK(ik.node.skeleton, settings=SearchSettings(max_starts=1))
        count = 0
        for end in drawn(ik, 40):
            with ik.at(end):
                ik.target.set_transform(ik.transform())
            count += bool(whole.solve())
        solved.append(count)
    assert solved[1] >= solved[0] - 2 >= 20


FAR = 1e155
"""A distance whose square is no number [m]."""


def assert_honest(result: IKResult | HierarchyResult, angular: float, linear: float) -> None:
    assert not result.success
    assert np.isfinite(result.positions).all()
    assert np.isfinite(angular)
    np.testing.assert_allclose(linear, FAR * np.linalg.norm(DIRECTION), rtol=1e-6)


@METHODS
@pytest.mark.parametrize("robot", ["arm", "gantry", "mobile"])
def test_a_target_whose_square_distance_overflows_gives_finite_positions(
    method: TaskSpaceRegion, robot: str
) -> None:
    made = {"arm": scaled_arm, "gantry": lambda _: gantry(), "mobile": lambda _: mobile(kido.FreeJoint())}
    ik = module(made[robot](1.0), method)
    ik.settings = SearchSettings(max_starts=3)
    ik.target.set_transform(pose(position=FAR * DIRECTION))
    single = ik.solve()
    assert_honest(single, single.angular_error, single.linear_error)
    whole = WholeBodyIK(ik.node.skeleton, settings=ik.settings).solve()
    task = whole.tasks[0]
    assert_honest(whole, task.angular_error, task.linear_error)


def test_a_far_target_leaves_others_of_its_batch_as_they_are() -> None:
    ik = InverseKinematics.of(planar_arm(0.5, 0.4, 0.3).end_effector("tip"))
    ik.error_method = TaskSpaceRegion(angular=(np.inf,) * 3)
    near = np.repeat(pose(position=(0.6, 0.3, 0.0))[None], 9, axis=0)
    mixed = near.copy()
    mixed[::2, :3, 3] = FAR * DIRECTION
    alone, beside = ik.solve_batch(near), ik.solve_batch(mixed)
    np.testing.assert_array_equal(beside.positions[1::2], alone.positions[1::2])
    assert not beside.success[::2].any() and np.isfinite(beside.positions).all()
