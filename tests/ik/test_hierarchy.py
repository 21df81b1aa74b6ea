"""Several nodes at once, in levels of priority, by the native search."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest
from _hierarchies import (
    LIMBS,
    Modules,
    aim,
    assert_all_there,
    assert_within,
    left_of,
    modules_of,
    near,
    planar_branches,
)
from _poses import Array, gap, planar_arm, pose, turned
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

import kido
from _robots import robot_files
from kido import InverseKinematics, SearchSettings, gallery
from kido.ik import (
    CompositeIK,
    DampedLeastSquares,
    HierarchyResult,
    PositionError,
    TaskSpaceRegion,
    WholeBodyIK,
)


def humanoid() -> tuple[WholeBodyIK, Modules]:
    robot = gallery.humanoid()
    return WholeBodyIK(robot), modules_of(robot, LIMBS)


def errors(result: HierarchyResult) -> dict[str, tuple[float, float]]:
    return {task.node: (task.angular_error, task.linear_error) for task in result.tasks}


def places(modules: Modules) -> None:
    """Only positions count."""
    for ik in modules.values():
        ik.error_method = PositionError()


# ---- what can be reached


@pytest.mark.parametrize("seed", range(6))
def test_feet_and_hands_come_to_their_targets(seed: int) -> None:
    whole, modules = humanoid()
    aim(modules, near(whole.skeleton, seed))
    assert_all_there(modules, whole.solve())


def test_reached_poses_are_those_of_pinocchio() -> None:
    path = robot_files()["g1_description/urdf/g1_29dof_rev_1_0.urdf"]
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    data = model.createData()
    robot = kido.load(path, root="free")
    nodes = {
        "left_ankle_roll_link": 0,
        "right_ankle_roll_link": 0,
        "left_rubber_hand": 1,
        "right_rubber_hand": 2,
    }
    q = near(robot, 3)

    def poses(positions: Array) -> dict[str, Array]:
        named = dict(zip((dof.name for dof in robot.dofs), positions, strict=True))
        x = pin.neutral(model)
        x[:3], x[3:7] = positions[3:6], Rotation.from_rotvec(np.array(positions[:3])).as_quat()
        for joint, name in list(zip(model.joints, model.names, strict=True))[2:]:
            x[joint.idx_q] = named[name]
        pin.framesForwardKinematics(model, data, x)
        return {name: data.oMf[model.getFrameId(name)].homogeneous.copy() for name in nodes}

    modules = {name: InverseKinematics.of(robot.body(name)) for name in nodes}
    for name, target in poses(q).items():
        modules[name].use_whole_body()
        modules[name].hierarchy_level = nodes[name]
        modules[name].target.set_transform(target)
    result = WholeBodyIK(robot).solve()
    assert result.success
    for name, reached in poses(result.positions).items():
        assert max(gap(reached, modules[name].target.transform())) < 1e-6 + 1e-9


def test_ball_universal_and_free_joints_take_part() -> None:
    robot = gallery.humanoid(compound_joints=True)
    for joint in robot.joints:
        if isinstance(joint, kido.BallJoint):
            joint.set_position_limits(-math.inf, math.inf)
    modules = modules_of(robot, LIMBS)
    for seed in range(3):
        aim(modules, near(robot, seed, 0.4))
        assert_all_there(modules, WholeBodyIK(robot).solve())


def test_sliding_joints_take_part() -> None:
    robot = kido.Skeleton("gantry")
    rail = robot.add_body("rail", joint=kido.PrismaticJoint("rail", axis=(1.0, 0.0, 0.0)))
    for side, y in (("left", 0.3), ("right", -0.3)):
        lift = kido.PrismaticJoint(f"{side}_lift", axis=(0.0, 0.0, 1.0), T_parent_joint=(0.0, y, 1.0))
        carriage = robot.add_body(f"{side}_carriage", rail, lift)
        arm = robot.add_body(f"{side}_arm", carriage, kido.ScrewJoint(f"{side}_screw", pitch=0.1))
        arm.add_end_effector(side, (0.2, 0.0, 0.0))
    robot.position_lower_limits, robot.position_upper_limits = -1.0, 1.0
    modules = modules_of(robot, {"left": 0, "right": 1})
    wanted = np.array([0.3, 0.2, -0.4, -0.5, 0.9])
    aim(modules, wanted)
    result = WholeBodyIK(robot).solve()
    assert_all_there(modules, result)
    np.testing.assert_allclose(result.positions, wanted, atol=1e-5)


def test_a_chain_of_levels_has_each_its_own_component() -> None:
    robot = planar_arm(0.5, 0.4, 0.3, 0.2)
    bodies = robot.bodies
    for level, body in enumerate(reversed(bodies)):
        ik = InverseKinematics.of(body)
        ik.use_whole_body()
        ik.hierarchy_level = level
        ik.error_method = TaskSpaceRegion((math.inf, math.inf, 1e-6), (math.inf,) * 3)
        ik.target.set_transform(pose(turned(0.0, 0.0, 0.2 * level)))
    result = WholeBodyIK(robot).solve()
    assert result.success and [task.level for task in result.tasks] == [0, 1, 2, 3]
    turns = np.cumsum(result.positions)
    np.testing.assert_allclose(turns, [0.6, 0.4, 0.2, 0.0], atol=3e-6)


def test_what_is_there_already_stays_bit_for_bit() -> None:
    whole, modules = humanoid()
    q = near(whole.skeleton, 1)
    whole.positions = q
    for ik in modules.values():
        ik.target.set_transform(ik.transform())
    result = whole.solve()
    assert result.success and (result.start, result.iterations) == (0, 0)
    np.testing.assert_array_equal(result.positions, q)


def test_dofs_that_no_module_may_move_stay_bit_for_bit() -> None:
    whole, modules = humanoid()
    robot = whole.skeleton
    held = {"waist_yaw", "left_knee"}
    for ik in modules.values():
        ik.dofs = [dof for dof in ik.dofs if dof.name not in held]
    q = near(robot, 2)
    places_held = [robot.dof(name).index for name in held]
    q[places_held] = robot.positions[places_held]
    aim(modules, q)
    result = whole.solve()
    assert_all_there(modules, result)
    np.testing.assert_array_equal(result.positions[places_held], robot.positions[places_held])


def test_targets_may_hang_on_what_moves_by_itself() -> None:
    whole, modules = humanoid()
    table = kido.SimpleFrame("table", transform=pose(turned(0.2, 0.0, 0.4), (0.3, 0.1, 0.7)))
    q = near(whole.skeleton, 4)
    aim(modules, q)
    wanted = modules["left_hand"].target.transform()
    modules["left_hand"].target = kido.SimpleFrame("cup", table, np.linalg.inv(table.transform()) @ wanted)
    assert_all_there(modules, whole.solve())
    table.set_transform(pose(position=(0.0, 0.01, 0.02)) @ table.transform())
    assert_all_there(modules, whole.solve())


# ---- what cannot


def three_links(elbow: Array, tip: Array) -> tuple[WholeBodyIK, Modules]:
    """A planar arm of 0.5, 0.4 and 0.3 m; its tip is wanted somewhere first, then its first elbow."""
    robot = planar_arm(0.5, 0.4, 0.3)
    robot.positions = [0.4, 0.5, 0.6]
    robot.body("link0").add_end_effector("elbow", (0.5, 0.0, 0.0))
    modules = modules_of(robot, {"tip": 0, "elbow": 1})
    places(modules)
    modules["tip"].target.set_translation((*tip, 0.0))
    modules["elbow"].target.set_translation((*elbow, 0.0))
    return WholeBodyIK(robot), modules


def nearest_elbow(elbow: Array, tip: Array) -> float:
    """The least distance from a place to the elbow of that arm while its tip is at another."""
    turns = np.linspace(-np.pi, np.pi, 400_001)
    wrist = tip[:, None] - 0.3 * np.array([np.cos(turns), np.sin(turns)])
    far = np.hypot(*wrist)
    cosine = (0.5**2 + far**2 - 0.4**2) / (2 * 0.5 * far)
    best = math.inf
    for side in (-1.0, 1.0):
        direction = np.arctan2(wrist[1], wrist[0]) + side * np.arccos(np.clip(cosine, -1.0, 1.0))
        place = 0.5 * np.array([np.cos(direction), np.sin(direction)])
        apart = np.where(np.abs(cosine) <= 1.0, np.hypot(*(place - elbow[:, None])), math.inf)
        best = min(best, float(apart.min()))
    return best


@pytest.mark.parametrize("seed", range(5))
def test_a_lower_level_comes_as_near_as_the_higher_one_lets_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tip, elbow = rng.uniform(-0.6, 0.6, 2), rng.uniform(-0.8, 0.8, 2)
    whole, modules = three_links(elbow, tip)
    result = whole.solve()
    assert not result.success
    found = errors(result)
    assert found["tip"][1] < 1e-6
    np.testing.assert_allclose(found["elbow"][1], nearest_elbow(elbow, tip), rtol=1e-5)
    assert {name: left for name, (_, left) in left_of(modules, result.positions).items()} == pytest.approx(
        {name: left for name, (_, left) in found.items()}, abs=1e-12
    )


def test_who_comes_first_is_a_matter_of_the_level() -> None:
    elbow, tip = np.array([0.3, 0.4]), np.array([-0.3, -0.5])
    whole, modules = three_links(elbow, tip)
    assert errors(whole.solve())["tip"][1] < 1e-6 < 0.01 < errors(whole.solve())["elbow"][1]
    modules["tip"].hierarchy_level, modules["elbow"].hierarchy_level = 5, 2
    assert errors(whole.solve())["elbow"][1] < 1e-6 < 0.01 < errors(whole.solve())["tip"][1]


def test_modules_of_one_level_share_what_is_left() -> None:
    elbow, tip = np.array([0.3, 0.4]), np.array([-0.3, -0.5])
    whole, modules = three_links(elbow, tip)
    modules["elbow"].hierarchy_level = 0

    def apart(q: Array) -> Array:
        turns = np.cumsum(q)
        joints = np.cumsum([0.5, 0.4, 0.3] * np.array([np.cos(turns), np.sin(turns)]), axis=1)
        return np.concatenate([joints[:, 0] - elbow, joints[:, 2] - tip])

    starts = np.random.default_rng(0).uniform(-np.pi, np.pi, (30, 3))
    least = min(
        2.0 * least_squares(apart, start, xtol=1e-12, ftol=1e-12, gtol=1e-12).cost for start in starts
    )
    found = errors(whole.solve())
    np.testing.assert_allclose(sum(left**2 for _, left in found.values()), least, rtol=1e-5)
    assert min(left for _, left in found.values()) > 0.01


def test_a_level_out_of_reach_is_as_near_as_alone_whatever_is_below() -> None:
    robot = planar_branches()
    modules = modules_of(robot, {"left": 0, "right": 1})
    places(modules)
    modules["left"].target.set_translation((1.2, 1.6, 0.0))
    modules["right"].target.set_translation((-0.5, 0.0, 0.0))
    result = WholeBodyIK(robot).solve()
    found = errors(result)
    np.testing.assert_allclose(found["left"][1], 2.0 - 1.2, rtol=2e-4)
    trunk = 0.5 * np.array([0.6, 0.8])
    away = np.hypot(*(trunk - [-0.5, 0.0]))
    np.testing.assert_allclose(found["right"][1], max(away - 0.7, 0.0), atol=5e-3)


def test_hands_out_of_reach_do_not_lift_the_feet() -> None:
    whole, modules = humanoid()
    aim(modules, near(whole.skeleton, 5))
    for name in ("left_hand", "right_hand"):
        target = modules[name].target
        target.set_transform(pose(position=(2.0, 0.0, 1.0)) @ target.transform())
    result = whole.solve()
    assert [task.success for task in result.tasks] == [True, True, False, False]
    left = left_of(modules, result.positions)
    assert max(*left["left_foot"], *left["right_foot"]) < 1e-6 + 1e-9
    assert_within(whole.skeleton, result.positions)


def test_an_unreachable_lower_level_does_not_keep_a_middle_one_from_its_target() -> None:
    whole, modules = humanoid()
    q = near(whole.skeleton, 6, 0.3)
    aim(modules, q)
    modules["right_hand"].target.set_translation((-3.0, 2.0, 1.0))
    result = whole.solve()
    assert [task.success for task in result.tasks] == [True, True, True, False]
    left = left_of(modules, result.positions)
    assert max(max(left[name]) for name in LIMBS if name != "right_hand") < 1e-6 + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_limits_are_kept_wherever_the_targets_are(seed: int) -> None:
    whole, modules = humanoid()
    rng = np.random.default_rng(seed)
    for ik in modules.values():
        ik.target.set_transform(pose(Rotation.random(rng=rng), rng.uniform(-1.0, 1.5, 3)))
    whole.settings = SearchSettings(max_starts=3)
    assert_within(whole.skeleton, whole.solve().positions)


def test_the_message_names_who_is_away_and_how_far() -> None:
    whole, modules = humanoid()
    aim(modules, whole.skeleton.positions)
    modules["right_hand"].target.set_translation((0.0, 0.0, 9.0))
    result = whole.solve()
    (angle, distance) = errors(result)["right_hand"]
    away = f"right_hand (level 2) {distance:.3g} m and {angle:.3g} rad"
    assert result.message == f"not reached: {away} from the target"
    modules["right_hand"].active = False
    assert whole.solve().message == "solved, by start 0 in 0 iterations"


# ---- levels and members


def test_gaps_in_the_numbers_of_levels_change_nothing() -> None:
    whole, modules = humanoid()
    aim(modules, near(whole.skeleton, 7))
    before = whole.solve()
    for ik, level in zip(modules.values(), (2, 2, 9, 40), strict=True):
        ik.hierarchy_level = level
    after = whole.solve()
    np.testing.assert_array_equal(after.positions, before.positions)
    assert [task.level for task in after.tasks] == [2, 2, 9, 40]
    assert [len(level) for level in whole.levels] == [2, 1, 1]


def test_modules_that_are_not_active_take_no_part() -> None:
    whole, modules = humanoid()
    robot = whole.skeleton
    aim(modules, near(robot, 8))
    modules["right_hand"].target.set_translation((0.0, 0.0, 9.0))
    modules["right_hand"].active = False
    others = CompositeIK(robot, [ik for ik in modules.values() if ik.active])
    result = whole.solve()
    assert result.success and {task.node for task in result.tasks} == set(LIMBS) - {"right_hand"}
    np.testing.assert_array_equal(result.positions, others.solve().positions)
    modules["right_hand"].active = True
    assert not whole.solve().success


def test_without_active_modules_all_is_well() -> None:
    whole, modules = humanoid()
    for ik in modules.values():
        ik.active = False
    result = whole.solve()
    assert result.success and result.tasks == () and whole.levels == ()
    np.testing.assert_array_equal(result.positions, whole.skeleton.positions)
    assert WholeBodyIK(kido.Skeleton("nothing")).solve().positions.shape == (0,)


def test_whole_body_ik_finds_modules_of_bodies_and_end_effectors() -> None:
    robot = gallery.humanoid()
    whole = WholeBodyIK(robot)
    assert whole.modules == ()
    hand, effector = (
        InverseKinematics.of(node) for node in (robot.body("left_hand"), robot.end_effector("left_hand"))
    )
    head = InverseKinematics.of(robot.body("head"))
    assert set(whole.modules) == {hand, effector, head}


def test_whole_body_ik_follows_modules_that_come_and_go() -> None:
    whole, modules = humanoid()
    robot = whole.skeleton
    aim(modules, robot.positions)
    assert len(whole.solve().tasks) == 4
    head = InverseKinematics.of(robot.body("head"))
    assert "head" in {task.node for task in whole.solve().tasks}
    robot.body("head").remove_addon(InverseKinematics)
    robot.body("left_forearm").remove()
    assert head not in whole.modules and modules["left_hand"] not in whole.modules
    result = whole.solve()
    assert {task.node for task in result.tasks} == set(LIMBS) - {"left_hand"}
    assert result.success and len(result.positions) == robot.num_dofs


def test_bodies_that_join_bring_their_modules_along() -> None:
    whole, modules = humanoid()
    robot = whole.skeleton
    grip = kido.WeldJoint("grip", T_parent_joint=(0.0, 0.0, -0.2))
    tool = robot.add_body("tool", robot.body("right_hand"), grip)
    ik = InverseKinematics.of(tool)
    ik.use_whole_body()
    modules["right_hand"].active = False
    del modules["right_hand"]
    modules["tool"] = ik
    aim(modules, near(robot, 9))
    assert_all_there(modules, whole.solve())


def test_a_composite_uses_the_modules_that_were_added_and_not_removed() -> None:
    robot = gallery.humanoid()
    modules = modules_of(robot, LIMBS)
    feet = [modules["left_foot"], modules["right_foot"]]
    composite = CompositeIK(robot, feet)
    composite.add(modules["left_hand"])
    composite.add(feet[0])
    assert composite.modules == (*feet, modules["left_hand"])
    aim(modules, robot.positions)
    modules["left_hand"].target.set_translation((9.0, 0.0, 0.0))
    assert not composite.solve().success
    composite.remove(modules["left_hand"])
    assert composite.modules == tuple(feet) and composite.solve().success


# ---- solving


def test_solving_leaves_the_skeleton_and_applying_moves_it() -> None:
    whole, modules = humanoid()
    robot = whole.skeleton
    before = robot.positions
    aim(modules, near(robot, 10))
    result = whole.solve()
    np.testing.assert_array_equal(robot.positions, before)
    applied = whole.solve_and_apply()
    np.testing.assert_array_equal(applied.positions, result.positions)
    np.testing.assert_array_equal(robot.positions, result.positions)
    assert result.dof_names == tuple(dof.name for dof in robot.dofs)


def test_incomplete_answers_are_applied_unless_that_is_not_wanted() -> None:
    whole, modules = humanoid()
    robot = whole.skeleton
    before = robot.positions
    aim(modules, before)
    modules["right_hand"].target.set_translation((0.5, -0.5, 3.0))
    assert not whole.solve_and_apply(allow_incomplete=False)
    np.testing.assert_array_equal(robot.positions, before)
    result = whole.solve_and_apply()
    assert not result
    np.testing.assert_array_equal(robot.positions, result.positions)


def test_the_same_question_has_the_same_answer_bit_for_bit() -> None:
    whole, modules = humanoid()
    rng = np.random.default_rng(11)
    for ik in modules.values():
        ik.target.set_transform(pose(Rotation.random(rng=rng), rng.uniform(-0.3, 1.2, 3)))
    answers = [whole.solve(), whole.solve(), WholeBodyIK(whole.skeleton.clone()).solve()]
    for one, other in pairwise(answers):
        np.testing.assert_array_equal(one.positions, other.positions)
        assert (one.start, one.iterations, one.tasks) == (other.start, other.iterations, other.tasks)


def test_the_seed_chooses_the_starts() -> None:
    robot, _ = bent()
    found = [
        WholeBodyIK(robot, settings=SearchSettings(max_starts=60, seed=seed, nearest=True)).solve()
        for seed in (1, 2, 1)
    ]
    assert all(found) and found[0].start > 0
    assert not np.array_equal(found[0].positions, found[1].positions)
    np.testing.assert_array_equal(found[0].positions, found[2].positions)


def test_a_search_from_one_start_never_draws_another() -> None:
    whole, modules = humanoid()
    whole.settings = SearchSettings(max_starts=1)
    modules["left_foot"].target.set_translation((0.0, 0.0, 5.0))
    assert whole.solve().start == 0


def bent() -> tuple[kido.Skeleton, Modules]:
    """Planar arms at positions from which their targets have several answers."""
    robot = planar_branches()
    robot.position_lower_limits, robot.position_upper_limits = -3.0, 3.0
    modules = modules_of(robot, {"left": 0, "right": 1})
    places(modules)
    robot.positions = [1.5, -1.0, 1.5, 1.0, -1.5]
    aim(modules, np.array([-0.3, 0.9, -1.2, -0.8, 1.4]))
    return robot, modules


@pytest.mark.parametrize("damping", [0.05, 0.06], ids=["native", "python"])
def test_the_nearest_of_all_starts_is_no_further_than_the_first(damping: float) -> None:
    robot, modules = bent()
    for ik in modules.values():
        ik.gradient_method = DampedLeastSquares(damping)
    first, nearest = (
        WholeBodyIK(robot, settings=SearchSettings(max_starts=60, nearest=nearest, seed=1)).solve()
        for nearest in (False, True)
    )
    ways = [np.abs(result.positions - robot.positions).max() for result in (first, nearest)]
    assert ways[1] < ways[0] - 0.01
    for name, (_, left) in left_of(modules, nearest.positions).items():
        assert left < 1e-6 + 1e-9, name


@pytest.mark.parametrize("budget", [1e-9, 1e-4])
def test_without_time_the_answer_is_what_the_search_came_to(budget: float) -> None:
    whole, modules = humanoid()
    aim(modules, near(whole.skeleton, 13))
    modules["right_hand"].target.set_translation((0.0, 0.0, 9.0))
    whole.settings = SearchSettings(max_starts=1000, time_budget=budget)
    result = whole.solve()
    assert not result.success
    assert_within(whole.skeleton, result.positions)
    found = errors(result)
    for name, left in left_of(modules, result.positions).items():
        np.testing.assert_allclose(found[name], left, atol=1e-6)


def test_limits_that_change_between_calls_are_kept() -> None:
    whole, modules = humanoid()
    q = near(whole.skeleton, 12)
    aim(modules, q)
    assert whole.solve().success
    knee = whole.skeleton.dof("left_knee")
    knee.position_upper_limit = 0.45
    result = whole.solve()
    assert result.positions[knee.index] <= 0.45


def test_regions_leave_free_what_they_do_not_bound() -> None:
    whole, modules = humanoid()
    robot = whole.skeleton
    aim(modules, robot.positions)
    for name in ("left_foot", "right_foot"):  # flat on the floor, anywhere there
        modules[name].error_method = TaskSpaceRegion((1e-6, 1e-6, math.inf), (math.inf, math.inf, 1e-6))
    for name in ("left_hand", "right_hand"):
        modules[name].target.set_transform(pose(position=(3.0, 0.0, 0.0)) @ modules[name].target.transform())
    result = whole.solve_and_apply()
    assert result.success
    for name in ("left_foot", "right_foot"):
        T = robot.end_effector(name).transform()
        assert abs(T[2, 3]) < 2e-6 and T[0, 3] > 1.0
        np.testing.assert_allclose(T[:3, 2], [0.0, 0.0, 1.0], atol=3e-6)
