"""The search for a pose: what it reaches, what it gives where it reaches nothing, and that it repeats."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest
from _poses import (
    PLACED,
    Array,
    assert_there,
    drawn,
    gap,
    placed,
    planar_arm,
    pose,
    random_start,
    reachable,
    revolutes,
    turned,
    with_joints,
    with_positions,
)
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

import kido
from _robots import robot_files
from kido import IKStatus, InverseKinematics, SearchSettings, _core, gallery
from kido.ik import TaskSpaceRegion

ANYHOW = (math.inf, math.inf, math.inf)
POSITION_ONLY, ROTATION_ONLY = TaskSpaceRegion(angular=ANYHOW), TaskSpaceRegion(linear=ANYHOW)

FILES = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_hand"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "tool0"),
    "talos left arm": ("talos_data/robots/talos_full_v2.urdf", "gripper_left_base_link"),
}

ARMS: dict[str, tuple[str, str]] = {
    "arm": ("tool", "EndEffector"),
    "arm7": ("tool", "EndEffector"),
    "humanoid": ("left_hand", "EndEffector"),
}


def module(name: str) -> InverseKinematics:
    return InverseKinematics.of(gallery.make(name).end_effector(ARMS[name][0]))


def of_file(name: str) -> tuple[InverseKinematics, pin.Model, list[int]]:
    """The module of a robot's hand, the robot in Pinocchio, and where that has the module's dofs."""
    file, body = FILES[name]
    path = robot_files()[file]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *args, **options: None)
        robot = kido.load(path)
    model = pin.buildModelFromUrdf(str(path))
    ik = InverseKinematics.of(robot.body(body))
    return ik, model, [model.joints[model.getJointId(dof.joint.name)].idx_q for dof in ik.dofs]


def solved(ik: InverseKinematics, target: Array) -> kido.IKResult:
    ik.target.set_transform(target)
    return ik.solve()


# ---- what is reached


@pytest.mark.parametrize("name", ARMS)
def test_arms_reach_every_target_that_their_joints_reach(name: str) -> None:
    ik = module(name)
    targets = reachable(ik, 500)
    results = ik.solve_batch(targets)
    assert results.success.all()
    for result, target in zip(results, targets, strict=True):
        assert_there(ik, result, target)


@pytest.mark.parametrize("name", FILES)
def test_robots_of_files_reach_targets_by_the_kinematics_of_pinocchio(name: str) -> None:
    ik, model, places = of_file(name)
    data, frame = model.createData(), model.getFrameId(FILES[name][1])

    def pinocchio_pose(positions: Array) -> Array:
        q = pin.neutral(model)
        q[places] = positions
        pin.framesForwardKinematics(model, data, q)
        return np.array(data.oMf[frame].homogeneous)

    ik.owner.skeleton.positions = np.zeros(ik.owner.skeleton.num_dofs)
    targets = np.array([pinocchio_pose(q) for q in drawn(ik, 300)])
    results = ik.solve_batch(targets)
    assert results.success.all()
    lower = [dof.position_lower_limit for dof in ik.dofs]
    upper = [dof.position_upper_limit for dof in ik.dofs]
    assert (results.positions >= lower).all() and (results.positions <= upper).all()
    gaps = [gap(pinocchio_pose(q), T) for q, T in zip(results.positions, targets, strict=True)]
    assert np.max(gaps) <= PLACED + 1e-9


JOINTS: dict[str, Callable[[], kido.Joint]] = {
    "revolute": kido.RevoluteJoint,
    "prismatic": kido.PrismaticJoint,
    "screw": lambda: kido.ScrewJoint(pitch=0.3),
    "universal": lambda: kido.UniversalJoint(axis1=(1, 0, 0), axis2=(0, 1, 1)),
    "euler": kido.EulerJoint,
    "ball": kido.BallJoint,
    "free": kido.FreeJoint,
    "planar": lambda: kido.PlanarJoint(plane="zx"),
    "translational": kido.TranslationalJoint,
}


@pytest.mark.parametrize("kind", JOINTS)
@pytest.mark.parametrize("place", ["first", "last"])
def test_every_joint_on_the_path_takes_part(kind: str, place: str) -> None:
    joint = JOINTS[kind]()
    chain = with_joints(*([joint, *revolutes(5)] if place == "first" else [*revolutes(5), joint]))
    ik = InverseKinematics.of(chain.end_effector("hand"))
    for target in reachable(ik, 20, seed=3):
        assert_there(ik, solved(ik, target), target)


@pytest.mark.parametrize("kind", JOINTS)
def test_a_joint_finds_its_own_positions_without_others(kind: str) -> None:
    chain = with_joints(JOINTS[kind](), kido.WeldJoint())
    ik = InverseKinematics.of(chain.end_effector("hand"))
    for target in reachable(ik, 10, seed=4):
        assert_there(ik, solved(ik, target), target)


def test_a_mobile_base_drives_to_where_the_arm_alone_does_not_reach() -> None:
    base = gallery.wheeled_base()
    gallery.arm().root_bodies[0].move_to(base.body("base"))
    ik = InverseKinematics.of(base.end_effector("tool"))
    target = pose(turned(0.1, 2.0, -0.3), (5.0, -4.0, 0.6))
    ik.dofs = base.joint("root").dofs + ik.dofs if base.joint("root").dofs[0] not in ik.dofs else ik.dofs
    assert_there(ik, solved(ik, target), target)


def test_an_arm_of_five_joints_reaches_the_poses_that_it_has() -> None:
    ik = InverseKinematics.of(with_joints(*revolutes(5)).end_effector("hand"))
    targets = reachable(ik, 100)
    assert all(solved(ik, target).success for target in targets)


def test_only_the_position_counts_where_the_rotation_has_no_weight() -> None:
    arm = planar_arm(0.5, 0.4)
    ik = InverseKinematics.of(arm.end_effector("tip"))
    ik.error_method = POSITION_ONLY
    result = solved(ik, pose(turned(1.0, 2.0, 0.5), (0.3, 0.5, 0.0)))
    assert result.success
    tip = placed(ik.owner, result.positions)
    np.testing.assert_allclose(tip[:3, 3], [0.3, 0.5, 0.0], atol=2e-6)


def test_only_the_rotation_counts_where_the_position_has_no_weight() -> None:
    ik = module("arm")
    ik.error_method = ROTATION_ONLY
    wanted = turned(0.5, -0.2, 0.9)
    result = solved(ik, pose(wanted, (30.0, 0.0, 0.0)))
    assert result.success
    assert gap(placed(ik.owner, result.positions), pose(wanted))[0] <= PLACED + 1e-9


@pytest.mark.parametrize("axis", np.eye(3), ids="xyz")
@pytest.mark.parametrize("angle", [np.pi, np.pi - 1e-7, -np.pi + 1e-3])
def test_half_a_turn_away_is_reached(axis: Array, angle: float) -> None:
    chain = with_joints(kido.FreeJoint())
    ik = InverseKinematics.of(chain.end_effector("hand"))
    start = placed(ik.owner, chain.positions)
    target = pose(Rotation.from_rotvec(angle * axis), (0.2, 0.1, -0.4)) @ start
    assert_there(ik, solved(ik, target), target)
    arm = module("arm7")
    turn = pose(Rotation.from_rotvec(angle * axis))
    here = placed(arm.owner, arm.owner.skeleton.positions)
    there = pose(position=(0.4, 0.1, 0.45)) @ turn @ pose(Rotation.from_matrix(here[:3, :3]))
    assert_there(arm, solved(arm, there), there)


@pytest.mark.parametrize("name", ["arm", "arm7"])
def test_a_stretched_singular_arm_finds_its_way(name: str) -> None:
    ik = module(name)
    robot = ik.owner.skeleton
    robot.positions = np.zeros(robot.num_dofs)
    assert np.linalg.svd(robot.jacobian(ik.owner), compute_uv=False)[5] < 1e-12
    for target in reachable(ik, 50, seed=5):
        assert_there(ik, solved(ik, target), target)


# ---- where nothing is reached


@pytest.mark.parametrize("distance", [1.2, 3.0, 1e3])
def test_a_planar_arm_stretches_towards_what_is_out_of_reach(distance: float) -> None:
    ik = InverseKinematics.of(planar_arm(0.5, 0.4).end_effector("tip"))
    ik.error_method = POSITION_ONLY
    direction = np.array([np.cos(0.7), np.sin(0.7), 0.0])
    result = solved(ik, pose(position=distance * direction))
    assert result.status is IKStatus.NOT_REACHED and not result
    np.testing.assert_allclose(result.linear_error, distance - 0.9, rtol=1e-7)
    np.testing.assert_allclose(placed(ik.owner, result.positions)[:3, 3], 0.9 * direction, atol=1e-4)


@pytest.mark.parametrize("scale", [1e-2, 30.0])
def test_small_and_large_arms_stretch_as_well(scale: float) -> None:
    ik = InverseKinematics.of(planar_arm(0.5 * scale, 0.4 * scale).end_effector("tip"))
    ik.error_method = POSITION_ONLY
    result = solved(ik, pose(position=(0.72 * scale, 0.96 * scale, 0.0)))
    assert not result.success
    np.testing.assert_allclose(result.linear_error, 0.3 * scale, rtol=1e-4)


def test_a_planar_arm_folds_towards_what_is_too_near() -> None:
    ik = InverseKinematics.of(planar_arm(0.6, 0.2).end_effector("tip"))
    ik.error_method = POSITION_ONLY
    result = solved(ik, pose(position=(0.1, 0.05, 0.0)))
    assert not result.success
    np.testing.assert_allclose(result.linear_error, 0.4 - np.hypot(0.1, 0.05), rtol=1e-5)


def test_a_planar_arm_of_three_joints_keeps_the_rotation_that_is_wanted_out_of_plane_apart() -> None:
    ik = InverseKinematics.of(planar_arm(0.5, 0.4, 0.2).end_effector("tip"))
    tilted = pose(turned(0.0, 0.0, 0.9) * turned(0.3, 0.0, 0.0), (0.5, 0.3, 0.2))
    result = solved(ik, tilted)
    assert not result.success
    np.testing.assert_allclose(result.angular_error, 0.3, atol=1e-6)
    np.testing.assert_allclose(result.linear_error, 0.2, atol=1e-6)


def test_what_is_out_of_reach_is_approached_as_a_general_optimizer_does() -> None:
    ik = InverseKinematics.of(with_joints(*revolutes(5)).end_effector("hand"))
    ik.error_method = TaskSpaceRegion(weights=np.ones(6))
    rng = np.random.default_rng(0)
    for target in reachable(ik, 5) @ pose(turned(0.4, 0.5, -0.6), (0.1, 0.2, 0.0)):

        def residual(q: Array, target: Array = target) -> Array:
            T = placed(ik.owner, q)
            turn = Rotation.from_matrix(target[:3, :3] @ T[:3, :3].T).as_rotvec()
            return np.concatenate([turn, target[:3, 3] - T[:3, 3]])

        found = [least_squares(residual, rng.uniform(-np.pi, np.pi, 5)).cost for _ in range(8)]
        result = solved(ik, target).nearest
        cost = 0.5 * (result.angular_error**2 + result.linear_error**2)
        assert cost <= 1.001 * min(found) + 1e-10


def test_joints_stop_exactly_at_the_limit_that_is_in_the_way() -> None:
    arm = planar_arm(1.0)
    arm.position_lower_limits, arm.position_upper_limits = [-0.25], [1.0]
    ik = InverseKinematics.of(arm.end_effector("tip"))
    for angle, limit in ((2.0, 1.0), (-0.75, -0.25)):
        result = solved(ik, placed(ik.owner, np.array([angle])))
        assert not result.success
        assert result.positions.tolist() == [limit]
        np.testing.assert_allclose(result.angular_error, abs(angle - limit), atol=1e-12)
        np.testing.assert_allclose(result.linear_error, 2.0 * np.sin(0.5 * abs(angle - limit)), atol=1e-12)


def test_limits_that_leave_one_position_only_are_kept_bit_for_bit() -> None:
    ik = module("arm7")
    robot = ik.owner.skeleton
    robot.dof("joint_3").position = 0.1234567
    robot.dof("joint_3").position_lower_limit = 0.1234567
    robot.dof("joint_3").position_upper_limit = 0.1234567
    for target in reachable(ik, 20):
        result = solved(ik, target)
        assert_there(ik, result, target)
        assert result.positions[2] == 0.1234567


def test_limits_that_change_after_a_search_hold_for_the_next() -> None:
    ik = InverseKinematics.of(planar_arm(0.5, 0.4).end_effector("tip"))
    target = placed(ik.owner, np.array([0.3, 0.9]))
    assert solved(ik, target).success
    ik.owner.skeleton.dof("q1").position_lower_limit = -0.5
    ik.owner.skeleton.dof("q1").position_upper_limit = 0.5
    assert not ik.solve().success
    assert ik.solve().positions[1] <= 0.5


def test_a_message_says_how_a_search_ended() -> None:
    ik = InverseKinematics.of(planar_arm(0.5, 0.4).end_effector("tip"))
    ik.error_method = POSITION_ONLY
    assert "not reached: 2.1 m" in solved(ik, pose(position=(3.0, 0.0, 0.0))).message
    assert "solved" in solved(ik, placed(ik.owner, np.zeros(2))).message


# ---- starts


@pytest.mark.parametrize("name", ARMS)
def test_where_the_node_is_already_its_positions_are_the_answer_bit_for_bit(name: str) -> None:
    ik = module(name)
    robot = ik.owner.skeleton
    for q in drawn(ik, 10):
        ik.positions = q
        ik.target.set_transform(ik.owner.transform())
        result = ik.solve()
        assert (result.success, result.start, result.iterations) == (True, 0, 0)
        np.testing.assert_array_equal(result.positions, q)
        assert robot.positions[ik.dofs[0].index] == q[0]


def test_a_target_nearby_is_reached_from_the_present_positions_and_nearby() -> None:
    ik = module("arm7")
    before = ik.positions
    result = solved(ik, pose(turned(0.02, 0.0, 0.01), (0.01, -0.01, 0.02)) @ ik.owner.transform())
    assert result.success and result.start == 0
    assert np.abs(result.positions - before).max() < 0.2


def test_one_start_is_made_where_one_is_allowed() -> None:
    ik = module("arm")
    ik.settings = SearchSettings(max_starts=1)
    results = ik.solve_batch(reachable(ik, 200))
    assert (results.start == 0).all()
    assert 0.5 < results.success.mean() < 1.0


def test_the_seed_chooses_the_random_starts() -> None:
    ik = module("arm")
    targets = reachable(ik, 300)
    by_seed = []
    for seed in (0, 0, 7):
        ik.settings = SearchSettings(seed=seed)
        by_seed.append(ik.solve_batch(targets))
    first, again, other = by_seed
    np.testing.assert_array_equal(first.positions, again.positions)
    late = (first.start > 0) & (other.start > 0)
    assert late.sum() > 10
    assert (first.positions[late] != other.positions[late]).any(axis=1).all()
    from_given = (first.start == 0) & (other.start == 0)
    np.testing.assert_array_equal(first.positions[from_given], other.positions[from_given])


def test_the_answer_is_that_of_the_first_start_though_another_is_there_before_it() -> None:
    """Random starts that begin at the target, beside the given positions, from which steps lead there."""
    ik = module("arm7")
    starts = [random_start(ik, start) for start in (1, 2, 3)]
    results = ik.solve_batch([placed(ik.owner, with_positions(ik, q)) for q in starts])
    assert results.success.all() and not results.start.any() and not results.timed_out.any()
    assert (results.iterations > 3).all()
    # Where no steps lead there in time, it is theirs, at once.
    ik.settings = SearchSettings(max_iterations=1)
    for start, q in enumerate(starts, 1):
        result = solved(ik, placed(ik.owner, with_positions(ik, q)))
        assert result.success and (result.start, result.iterations) == (start, 0)
        np.testing.assert_array_equal(result.positions, q)


def test_a_batch_starts_where_it_is_told() -> None:
    ik = module("arm7")
    wanted = drawn(ik, 20)
    targets = np.array([placed(ik.owner, q) for q in wanted])
    results = ik.solve_batch(targets, wanted)
    assert (results.start == 0).all() and (results.iterations <= 1).all()
    np.testing.assert_allclose(results.positions, wanted, atol=1e-9)
    one = ik.solve_batch(targets[:3], wanted[1])
    np.testing.assert_allclose(one.positions[1], wanted[1], atol=1e-9)


# ---- equal bits


def fields(result: kido.IKResult | kido.IKResults) -> list[object]:
    return [getattr(result, field.name) for field in dataclasses.fields(result)]


def assert_same(a: kido.IKResult, b: kido.IKResult) -> None:
    __tracebackhide__ = True
    for x, y in zip(fields(a), fields(b), strict=True):
        np.testing.assert_array_equal(x, y)


def with_some_out_of_reach(ik: InverseKinematics, count: int) -> Array:
    targets = reachable(ik, count)
    targets[::9, :3, 3] += 2.0
    return targets


@pytest.mark.parametrize("name", ["arm", "arm7"])
def test_a_target_alone_and_in_any_batch_has_the_same_answer(name: str) -> None:
    ik = module(name)
    targets = with_some_out_of_reach(ik, 60)
    alone = [solved(ik, target) for target in targets]
    for first, last in ((0, 60), (7, 60), (13, 30), (59, 60), (20, 21)):
        for offset, result in enumerate(ik.solve_batch(targets[first:last])):
            assert_same(result, alone[first + offset])


@pytest.mark.usefixtures("runtime")
def test_threads_do_not_change_answers() -> None:
    ik = module("arm")
    targets = with_some_out_of_reach(ik, 300)
    kido.set_num_threads(1)
    one = ik.solve_batch(targets)
    kido.set_num_threads(2)
    for a, b in zip(one, ik.solve_batch(targets), strict=True):
        assert_same(a, b)


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("name", ["arm", "humanoid"])
def test_instruction_sets_do_not_change_answers(name: str) -> None:
    ik = module(name)
    targets = with_some_out_of_reach(ik, 100)
    answers = []
    for instructions in _core.instruction_sets():
        _core.set_instruction_set(instructions)
        answers.append((ik.solve_batch(targets), solved(ik, targets[1])))
    for many, one in answers[1:]:
        assert_same(one, answers[0][1])
        for a, b in zip(many, answers[0][0], strict=True):
            assert_same(a, b)


def test_a_search_repeats_itself() -> None:
    ik, other = module("arm"), module("arm")
    for target in with_some_out_of_reach(ik, 30):
        first = solved(ik, target)
        assert_same(ik.solve(), first)
        assert_same(solved(other, target), first)


def test_no_targets_have_no_answers() -> None:
    ik = module("arm")
    results = ik.solve_batch(np.empty((0, 4, 4)))
    assert len(results) == 0 and results.positions.shape == (0, 6)
