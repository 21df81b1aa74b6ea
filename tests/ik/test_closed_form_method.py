"""Closed forms as the gradient method of a module, and `kido.analytical_ik`."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator

import numpy as np
import pytest
from _arms import apart
from _effort import examples
from _poses import (
    Array,
    assert_there,
    drawn,
    gap,
    placed,
    planar_arm,
    pose,
    reachable,
    turned,
    two_wrists,
    with_positions,
)
from test_analytical_batch import InPython

import kido
from _robots import loaded
from kido import InverseKinematics, gallery
from kido.errors import NoClosedFormError, UnknownNameError
from kido.ik import ClosedFormMethod, DampedLeastSquares, IKResult, TaskSpaceRegion, Validity

FAMILIES = [
    pytest.param("ur_description/urdf/ur5_robot.urdf", "tool0", "three parallel axes", id="ur5"),
    pytest.param("panda_description/urdf/panda.urdf", "panda_hand", "spherical shoulder", id="panda"),
    pytest.param("xarm_description/urdf/xarm7.urdf", "link_eef", "spherical shoulder", id="xarm7"),
    pytest.param("talos_data/robots/talos_reduced.urdf", "arm_left_7_link", "spherical wrist", id="talos"),
]
UR5, PANDA, XARM, TALOS = (tuple(param.values[:2]) for param in FAMILIES)


def module(file: str, body: str) -> InverseKinematics:
    """The module of a body, solved by its closed form, in the middle of its limits."""
    ik = InverseKinematics(loaded(file).body(body))
    ik.gradient_method = ClosedFormMethod()
    lower, upper = (np.clip(limit, -math.pi, math.pi) for limit in ik.position_limits)
    ik.positions = 0.5 * (lower + upper)
    return ik


def solved(ik: InverseKinematics, target: Array) -> IKResult:
    ik.target.set_transform(target)
    return ik.solve()


# ---- robots


@pytest.mark.parametrize(("file", "body", "family"), FAMILIES)
def test_every_reachable_target_is_reached_exactly(file: str, body: str, family: str) -> None:
    ik = module(file, body)
    ik.offset = (0.02, -0.03, 0.05)
    assert ClosedFormMethod().family(ik) == family
    for q in drawn(ik, 25, seed=3):
        with ik.at(q):
            target = ik.transform()
        result = solved(ik, target)
        assert result.success and result.iterations == 0, result.message
        lower, upper = ik.position_limits
        assert (lower <= result.positions).all() and (result.positions <= upper).all()
        T = placed(ik.node, with_positions(ik, result.positions)) @ ik.point
        assert max(gap(T, target)) < 1e-8


def test_all_branches_reach_the_target_and_the_nearest_comes_first() -> None:
    ik = module(*UR5)
    q = np.array([0.4, -1.2, 1.3, -0.5, 0.9, 0.2])
    with ik.at(q):
        target = ik.transform()
    ik.positions = q + 0.05
    found = ClosedFormMethod().solutions(ik, target)
    assert len(found) == 8 and all(one.is_valid for one in found)
    positions = np.array([one.positions for one in found])
    np.testing.assert_allclose(positions[0], q, atol=1e-9)
    largest = np.abs(positions - ik.positions).max(axis=1)
    assert (np.diff(largest) >= 0.0).all()
    assert min(apart(positions[i], positions[j]) for i in range(8) for j in range(i)) > 0.1
    for row in positions:
        assert max(gap(placed(ik.node, with_positions(ik, row)), target)) < 1e-9


def test_whole_turns_follow_the_present_positions() -> None:
    ik = module(*UR5)
    q = np.array([6.0, -1.2, 1.3, -5.9, 0.9, -4.0])
    with ik.at(q):
        target = ik.transform()
    ik.positions = q + 0.05
    np.testing.assert_allclose(solved(ik, target).positions, q, atol=1e-9)
    ik.positions = q - [6.0, 0.0, 0.0, -6.0, 0.0, -6.0]
    np.testing.assert_allclose(
        solved(ik, target).positions, q - 2 * np.pi * np.array([1, 0, 0, -1, 0, -1]), atol=1e-9
    )


@pytest.mark.parametrize("singular", [[0.4, -1.2, 1.3, -0.5, 0.0, 0.2], [0.4, -1.2, 0.0, -0.5, 0.9, 0.2]])
def test_a_singular_pose_is_kept_where_the_arm_has_it(singular: list[float]) -> None:
    ik = module(*UR5)
    ik.positions = singular
    result = solved(ik, ik.transform())
    assert_there(ik, result, ik.transform())
    np.testing.assert_allclose(result.positions, singular, atol=1e-6)
    np.testing.assert_allclose(ik.gradient(), np.zeros(6), atol=1e-6)


# ---- seven joints


def elbowed() -> InverseKinematics:
    """Seven joints of two wrists, solved by their closed form."""
    ik = InverseKinematics(two_wrists(0.126))
    ik.gradient_method = ClosedFormMethod()
    return ik


def almost_stretched(ik: InverseKinematics, bend: float, count: int) -> Iterator[tuple[Array, Array]]:
    """Positions of two wrists with an elbow that is hardly bent, and the pose there.

    The wrist sees the elbow in almost one direction, so the last joint can be moved by about `bend` alone.
    """
    rng = np.random.default_rng(int(1e4 * bend))
    for _ in range(count):
        q = rng.uniform(-2.0, 2.0, 7)
        q[3] = rng.choice([-bend, bend])
        q[5] = rng.choice([-1.0, 1.0]) * rng.uniform(0.5, 2.0)
        yield q, placed(ik.node, with_positions(ik, q))


BENDS = pytest.mark.parametrize("bend", [0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3])


@BENDS
def test_targets_that_leave_the_locked_joint_a_narrow_range_are_reached(bend: float) -> None:
    ik = elbowed()
    assert ClosedFormMethod().find_locked_dof(ik) == ik.dofs[6]
    for q, target in almost_stretched(ik, bend, examples(60)):
        result = solved(ik, target)
        assert result.success, (q.tolist(), result.message)
        assert (np.abs(result.positions) <= 2.9).all()
        assert max(gap(placed(ik.node, with_positions(ik, result.positions)), target)) < 1e-7


@BENDS
def test_a_sweep_in_python_finds_such_a_range_too(bend: float) -> None:
    ik = elbowed()
    for q, target in almost_stretched(ik, bend, 4):
        best = InPython().solutions(ik, target)[0]
        assert best.is_valid, q.tolist()
        assert max(gap(placed(ik.node, with_positions(ik, best.positions)), target)) < 1e-7


def test_the_held_joint_stays_where_a_solution_is_valid_there() -> None:
    ik = module(*PANDA)
    assert ik.positions.shape == (7,)
    ik.positions = q = [0.2, -0.5, 0.1, -1.9, 0.3, 1.7, 0.6]
    T = ik.transform()
    T[:3, 3] += [0.03, -0.02, 0.04]
    result = solved(ik, T)
    assert_there(ik, result, T)
    assert result.positions[6] == q[6]
    assert np.abs(result.positions - q).max() < 0.5


def test_another_joint_can_be_held() -> None:
    ik = module(*PANDA)
    ik.positions = q = [0.2, -0.5, 0.1, -1.9, 0.3, 1.7, 0.6]
    T = ik.transform()
    T[:3, 3] += [0.03, -0.02, 0.04]
    ik.gradient_method = method = ClosedFormMethod(locked_dof="panda_joint5")
    locked = method.find_locked_dof(ik)
    assert locked is not None and locked.name == "panda_joint5"
    result = solved(ik, T)
    assert_there(ik, result, T)
    assert result.positions[4] == q[4]


def test_at_the_edge_of_reach_the_held_joint_is_found() -> None:
    ik = module(*PANDA)
    for elbow in (-0.0699, -0.08):
        q = np.array([0.7, 0.5, 0.3, elbow, 0.4, 1.2, -1.9])
        with ik.at(q):
            target = ik.transform()
        assert_there(ik, solved(ik, target), target)


@pytest.mark.parametrize(
    "q",
    [
        [-0.262, 2.584, 1.347, -1.826, -1.011, 1.043, -0.691],
        [0.354, 2.785, 1.364, -2.349, -1.769, 0.244, 0.636],
        [-0.8, 2.581, 1.605, -2.142, 0.814, 1.13, 0.21],
    ],
)
def test_between_tight_limits_the_held_joint_is_found(q: list[float]) -> None:
    ik = module(*TALOS)
    with ik.at(q):
        target = ik.transform()
    assert_there(ik, solved(ik, target), target)


def test_seven_joints_out_of_reach_come_near() -> None:
    ik = module(*PANDA)
    target = pose(turned(0.0, 2.0, 0.0), (2.0, 0.3, 0.5))
    result = solved(ik, target)
    assert not result and result.message.endswith("out of reach")
    lower, upper = ik.position_limits
    assert (lower <= result.positions).all() and (result.positions <= upper).all()
    assert 0.9 < result.linear_error < 1.3
    (first, *_) = ClosedFormMethod().solutions(ik, target)
    assert first.validity & Validity.OUT_OF_REACH


def test_a_dof_that_the_module_leaves_out_stays_where_it_is() -> None:
    ik = module(*XARM)
    every = ik.dofs
    q = np.array([0.3, 0.4, -0.5, 1.1, 0.2, 0.9, 0.1])
    for left_out in (4, 6):
        ik.dofs = every
        ik.positions = q
        T = ik.transform()
        ik.dofs = [dof for i, dof in enumerate(every) if i != left_out]
        ik.positions = np.delete(q, left_out) + 0.1
        result = solved(ik, T)
        assert_there(ik, result, T)
        np.testing.assert_allclose(result.positions, np.delete(q, left_out), atol=1e-6)


@pytest.mark.parametrize("below", [False, True])
def test_out_of_reach_a_hierarchy_comes_as_near_as_the_module_alone(below: bool) -> None:
    robot = gallery.arm()
    tool, elbow = robot.node(kido.EndEffector, "tool"), robot.body("forearm")
    closed = kido.analytical_ik(tool).method
    rng = np.random.default_rng(0)
    modules = [InverseKinematics.of(tool)] + ([InverseKinematics.of(elbow)] if below else [])
    hierarchy = kido.ik.CompositeIK(robot, modules)
    for module in modules[1:]:
        module.error_method, module.hierarchy_level = kido.ik.PositionError(), 1
    ik = modules[0]
    ik.gradient_method = closed
    for _ in range(5):
        with ik.at(rng.uniform(-1.5, 1.5, 6)):
            target = ik.transform()
        target[:3, 3] *= 3.0 / np.linalg.norm(target[:3, 3])
        ik.target.set_transform(target)
        ik.positions = rng.uniform(-1.0, 1.0, 6)
        for module in modules[1:]:
            module.target.set_transform(module.transform())
        alone, result = ik.solve(), hierarchy.solve()
        left = np.hypot(alone.linear_error, 0.4 * alone.angular_error)
        task = result.tasks[0]
        assert not alone and not result
        assert np.hypot(task.linear_error, 0.4 * task.angular_error) <= 1.01 * left


# ---- where the arm stands


def test_an_arm_on_a_body_that_moves_is_solved_where_it_is() -> None:
    ik = module(*TALOS)
    arm = ik.node.skeleton
    rng = np.random.default_rng(4)
    saved = arm.positions
    try:
        for q in drawn(ik, 3):
            arm.positions = rng.uniform(-0.5, 0.5, arm.num_dofs)
            with ik.at(q):
                target = ik.transform()
            ik.positions = q + 0.02
            assert_there(ik, solved(ik, target), target)
    finally:
        arm.positions = saved


def test_an_arm_far_from_the_origin_is_solved() -> None:
    robot = gallery.arm()
    robot.body("base").change_parent_joint_type(kido.FreeJoint("floating"))
    ik = InverseKinematics.of(robot.node(kido.EndEffector, "tool"))
    ik.dofs = [dof for dof in ik.dofs if not isinstance(dof.joint, kido.FreeJoint)]
    ik.gradient_method = ClosedFormMethod()
    q = robot.positions.copy()
    q[:6] = [0.4, -1.0, 2.0, 500.0, -300.0, 80.0]
    robot.positions = q
    for target in reachable(ik, 5):
        assert_there(ik, solved(ik, target), target)


def test_answers_for_many_targets_are_those_for_each() -> None:
    ik = module(*UR5)
    targets = reachable(ik, 4)
    targets[2, :3, 3] *= 9.0
    results = ik.solve_batch(targets, starts=np.full(6, 0.3))
    assert results.success.tolist() == [True, True, False, True]
    ik.positions = np.full(6, 0.3)
    for i, target in enumerate(targets):
        single = solved(ik, target)
        np.testing.assert_array_equal(results.positions[i], single.positions)
        assert results[i].message == single.message and results[i].method == "ClosedFormMethod"


def test_few_joints_with_a_region_reach_what_they_can() -> None:
    arm = planar_arm(1.0, 0.7)
    ik = InverseKinematics.of(arm.node(kido.EndEffector, "tip"))
    ik.gradient_method = ClosedFormMethod()
    assert ClosedFormMethod().family(ik) == "planar"
    with ik.at([0.4, 1.1]):
        target = ik.transform()
    assert_there(ik, solved(ik, target), target)
    assert not solved(ik, target @ pose(turned(0.0, 0.0, 0.5)))


# ---- where there is no form


def chain(*joints: kido.Joint) -> InverseKinematics:
    skeleton, body = kido.Skeleton("chain"), None
    for i, joint in enumerate(joints):
        joint.T_parent_joint = pose(turned(0.1 * i, 0.4, -0.3 * i), (0.1, 0.2, 0.1 * i))
        body = skeleton.add_body(f"b{i}", body, joint)
    assert body is not None
    return InverseKinematics.of(body)


def test_what_has_no_form_is_refused_where_the_method_is_set_and_nothing_changes() -> None:
    ik = chain(*(kido.RevoluteJoint(f"r{i}") for i in range(8)))
    before = ik.properties
    with pytest.raises(NoClosedFormError, match="'b7' has no closed form: expected 1 to 7 joints") as error:
        ik.gradient_method = ClosedFormMethod()
    assert (error.value.name, error.value.reason) == ("b7", "expected 1 to 7 joints, got 8")
    assert ik.properties is before and ik.gradient_method == DampedLeastSquares()
    with pytest.raises(NoClosedFormError, match="'b7' has no closed form: no three axes"):
        ClosedFormMethod(dofs=ik.dofs[:6]).family(ik)


@pytest.mark.parametrize(
    ("joint", "kind"), [(kido.BallJoint("j"), "BallJoint"), (kido.ScrewJoint("j"), "ScrewJoint")]
)
def test_a_joint_of_another_kind_has_no_form(joint: kido.Joint, kind: str) -> None:
    ik = chain(kido.RevoluteJoint("r"), joint)
    with pytest.raises(NoClosedFormError, match=rf"is of a {kind}"):
        kido.analytical_ik(ik)


def test_names_that_do_not_fit_are_refused() -> None:
    ik = module(*UR5)
    with pytest.raises(UnknownNameError, match="elbow_jiont"):
        ik.gradient_method = ClosedFormMethod(["elbow_jiont"])
    with pytest.raises(ValueError, match="locked_dof: expected None for 6 dofs, got 'elbow_joint'"):
        ik.gradient_method = ClosedFormMethod(locked_dof="elbow_joint")
    ik = module(*PANDA)
    with pytest.raises(ValueError, match=r"locked_dof: expected one of .*, got 'panda_fing"):
        ik.gradient_method = ClosedFormMethod(locked_dof="panda_finger_joint1")
    with pytest.raises(ValueError, match="dofs: expected dofs that move 'panda_hand', got 'panda_finger_joi"):
        ik.gradient_method = ClosedFormMethod(["panda_finger_joint1"])
    ik.dofs = ik.dofs[1:]
    with pytest.raises(ValueError, match="expected dofs of the module of 'panda_hand', got 'panda_joint1'"):
        ik.gradient_method = ClosedFormMethod(["panda_joint1"])


def test_an_edit_that_undoes_the_form_shows_when_it_is_solved() -> None:
    robot = gallery.arm()
    ik = InverseKinematics.of(robot.node(kido.EndEffector, "tool"))
    ik.gradient_method = ClosedFormMethod()
    assert ik.solve().success
    wrist = robot.body("pitch").parent_joint
    wrist.T_parent_joint = wrist.T_parent_joint @ pose(turned(0.3, 0.2, 0.0), (0.0, 0.03, 0.05))
    with pytest.raises(NoClosedFormError):
        ik.solve()


# ---- values


def test_methods_are_values() -> None:
    method = ClosedFormMethod(["a", "b"], locked_dof=None, component_weights=[1.0, 0.5])
    assert method == ClosedFormMethod(["a", "b"], component_weights=(1.0, 0.5))
    assert method != ClosedFormMethod(["b", "a"], component_weights=(1.0, 0.5))
    copy = pickle.loads(pickle.dumps(method))
    assert copy == method and hash(copy) == hash(method)
    robot = loaded(UR5[0])
    assert ClosedFormMethod([robot.dof("elbow_joint")]) == ClosedFormMethod(["elbow_joint"])


# ---- kido.analytical_ik


def test_analytical_ik_says_its_form_and_solves() -> None:
    robot = gallery.arm()
    tool = robot.node(kido.EndEffector, "tool")
    closed = kido.analytical_ik(tool)
    assert closed.family == "spherical wrist" and closed.locked_dof is None
    assert repr(closed) == "<AnalyticalIK of 'tool': spherical wrist, 6 dofs>"
    assert [dof.name for dof in closed.dofs] == [dof.name for dof in robot.dofs]
    assert tool.addon(InverseKinematics) is None, "nothing is attached"
    before = robot.positions
    target = tool.transform()
    found = closed.solve(target)
    np.testing.assert_allclose(found[0].positions, before, atol=1e-9)
    for one in found:
        assert max(gap(placed(tool, one.positions), target)) < 1e-9
        q, lower, upper = one.positions, robot.position_lower_limits, robot.position_upper_limits
        inside = ((lower <= q) & (q <= upper)).all()
        assert one.validity == (Validity.VALID if inside else Validity.LIMIT_VIOLATED)
    assert {one.validity for one in found} == {Validity.VALID, Validity.LIMIT_VIOLATED}
    np.testing.assert_array_equal(robot.positions, before)
    target[:3, 3] *= 10.0
    (nearest,) = closed.solve(target)
    assert nearest.validity & Validity.OUT_OF_REACH


def test_its_method_goes_into_a_module() -> None:
    robot = gallery.arm7()
    tool = robot.node(kido.EndEffector, "tool")
    closed = kido.analytical_ik(tool, locked_dof="joint_3", offset=(0.0, 0.0, 0.1))
    assert closed.locked_dof == robot.dof("joint_3")
    ik = InverseKinematics.of(tool)
    ik.offset, ik.gradient_method = (0.0, 0.0, 0.1), closed.method
    T = ik.transform()
    T[:3, 3] += [0.05, 0.04, -0.1]
    result = solved(ik, T)
    assert_there_with_offset(ik, result, T)
    np.testing.assert_array_equal(result.positions, closed.solve(T)[0].positions)


def assert_there_with_offset(ik: InverseKinematics, result: IKResult, target: Array) -> None:
    assert result.success, result.message
    T = placed(ik.node, with_positions(ik, result.positions)) @ pose(position=ik.offset)
    assert max(gap(T, target)) < 1e-9


def test_analytical_ik_takes_some_of_the_dofs_or_those_of_a_module() -> None:
    ik = InverseKinematics.of(loaded(PANDA[0]).body(PANDA[1]))
    names = [dof.name for dof in ik.dofs if dof.name != "panda_joint7"]
    closed = kido.analytical_ik(ik.node, dofs=names)
    assert [dof.name for dof in closed.dofs] == names and closed.method.dofs == tuple(names)
    assert closed.locked_dof is None
    assert [dof.name for dof in kido.analytical_ik(ik).dofs] == [*names, "panda_joint7"]
    ik.dofs = [dof for dof in ik.dofs if dof.name in names]
    assert [dof.name for dof in kido.analytical_ik(ik).dofs] == names
    ik.use_chain()


def test_analytical_ik_refuses_what_is_no_node() -> None:
    with pytest.raises(TypeError, match="expected a body or a node that is a frame, got Skeleton"):
        kido.analytical_ik(gallery.arm())  # type: ignore[arg-type]
    tool = gallery.arm().node(kido.EndEffector, "tool")
    with pytest.raises(ValueError, match="offset"):
        kido.analytical_ik(tool, offset=(1.0, 2.0))
    with pytest.raises(UnknownNameError, match="wrist"):
        kido.analytical_ik(tool, dofs=["wrist"])


def test_a_region_is_entered_where_it_is_nearest() -> None:
    ik = module(*UR5)
    ik.positions = [0.4, -1.2, 1.3, -0.5, 0.9, 0.2]
    T = ik.transform()
    T[:3, 3] += [0.1, 0.0, -0.05]
    ik.error_method = TaskSpaceRegion(linear=[np.inf, 0.01, 0.01], from_center=False)
    result = solved(ik, T)
    reached = placed(ik.node, with_positions(ik, result.positions))
    assert result.success
    np.testing.assert_allclose(reached[:3, 3] - T[:3, 3], [-0.1, 0.0, 0.01], atol=1e-9)
