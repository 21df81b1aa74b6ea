"""Closed forms where a joint keeps its position: that of the joints that are left, else the search."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from _poses import Array, drawn, gap, placed, turned, with_positions

import kido
from _robots import loaded
from kido import InverseKinematics, gallery
from kido.errors import NoClosedFormError, NoEffectWarning
from kido.ik import ClosedFormMethod, IKResult

ARMS = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_hand"),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "link_eef"),
    "talos": ("talos_data/robots/talos_reduced.urdf", "arm_left_7_link"),
}


def module(name: str, **options: str) -> InverseKinematics:
    file, body = ARMS[name]
    ik = InverseKinematics(loaded(file).body(body))
    ik.gradient_method = ClosedFormMethod(**options)
    return ik


def reached_with(ik: InverseKinematics, joint: int, q: Array) -> Array:
    """The pose of the node at positions (7,) but for one joint, which is where it is now."""
    positions = q.copy()
    positions[joint] = ik.positions[joint]
    return placed(ik.node, with_positions(ik, positions))


def solved(ik: InverseKinematics, joint: int) -> tuple[IKResult, bool]:
    """The answer with a joint frozen, and whether a warning told that it was searched."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = ik.solve(frozen=[ik.dofs[joint]])
    assert all(w.category is NoEffectWarning for w in told)
    return result, len(told) > 0


@pytest.mark.parametrize("joint", range(7))
@pytest.mark.parametrize("name", ARMS)
def test_with_any_joint_of_seven_frozen_targets_are_reached(name: str, joint: int) -> None:
    ik = module(name)
    poses = drawn(ik, 12, seed=joint)
    ik.positions = poses[0]
    method, error_method, dofs = ik.gradient_method, ik.error_method, ik.dofs
    form = kido.ik.ClosedFormMethod([dof for dof in dofs if dof is not dofs[joint]])
    others = InverseKinematics(ik.node)
    try:
        form.family(others)
        has_form = True
    except NoClosedFormError:
        has_form = False
    for q in poses[1:]:
        target = reached_with(ik, joint, q)
        ik.target.set_transform(target)
        result, told = solved(ik, joint)
        assert result.success, result.message
        assert result.method == ("ClosedFormMethod" if has_form else "search") and told != has_form
        assert result.positions[joint] == ik.positions[joint]
        lower, upper = ik.position_limits
        assert (lower <= result.positions).all() and (result.positions <= upper).all()
        angle, distance = gap(placed(ik.node, with_positions(ik, result.positions)), target)
        assert max(angle, distance) < (1e-8 if has_form else 1e-6 + 1e-9)
        if has_form:
            assert result.iterations == 0
    assert ik.gradient_method is method and ik.error_method is error_method and ik.dofs == dofs


def test_some_joints_leave_a_form_and_some_do_not() -> None:
    """Else the test above would see one of the two ways only."""
    ik, left = module("panda"), []
    for joint in range(7):
        ik.target.set_transform(ik.transform())
        left.append(not solved(ik, joint)[1])
    assert any(left) and not all(left)


def test_the_warning_says_why() -> None:
    ik = module("panda")
    ik.positions = drawn(ik, 1)[0]
    for joint in range(7):
        if solved(ik, joint)[1]:
            break
    expected = rf"ClosedFormMethod: with 'panda_joint{joint + 1}' frozen, 'panda_hand' has no closed form: "
    with pytest.warns(NoEffectWarning, match=expected + ".*; the other dofs were searched$") as caught:
        ik.solve(frozen=[ik.dofs[joint]])
    assert caught[0].filename == __file__


@pytest.mark.parametrize("named", [False, True])
def test_a_frozen_joint_stands_for_the_locked_one(named: bool) -> None:
    robot = gallery.arm7()
    ik = InverseKinematics.of(robot.node(kido.EndEffector, "tool"))
    names = [dof.name for dof in ik.dofs] if named else None
    ik.gradient_method = ClosedFormMethod(names, locked_dof="joint_3")
    ik.positions = [0.3, 0.5, -0.2, 1.1, 0.4, 0.7, 0.2]
    target = ik.transform()
    target[:3, :3] = turned(0.1, -0.1, 0.05).as_matrix() @ target[:3, :3]
    target[:3, 3] += (0.03, -0.02, 0.05)
    ik.target.set_transform(target)
    for joint in (2, 6):
        result = ik.solve(frozen=[ik.dofs[joint]])
        assert result.success and result.method == "ClosedFormMethod", result.message
        assert result.positions[joint] == ik.positions[joint]
        assert max(gap(placed(ik.node, result.positions), target)) < 1e-9


def test_with_a_frozen_joint_of_six_the_others_come_near() -> None:
    """Five joints reach poses where the sixth is where it stands."""
    robot = gallery.arm()
    ik = InverseKinematics.of(robot.node(kido.EndEffector, "tool"))
    ik.gradient_method = ClosedFormMethod()
    for joint in range(6):
        q = robot.positions + 0.2 * np.cos(np.arange(6))
        q[joint] = robot.positions[joint]
        target = placed(ik.node, q)
        ik.target.set_transform(target)
        result, _ = solved(ik, joint)
        assert result.success, (joint, result.message)
        assert result.positions[joint] == robot.positions[joint]
        assert max(gap(placed(ik.node, result.positions), target)) < 1e-6 + 1e-9


def test_frozen_joints_that_the_method_does_not_solve_for_change_nothing() -> None:
    robot = gallery.arm()
    robot.body("base").change_parent_joint_type(kido.PrismaticJoint("lift", axis=(0.0, 0.0, 1.0)))
    ik = InverseKinematics.of(robot.node(kido.EndEffector, "tool"))
    ik.use_whole_body()
    ik.gradient_method = ClosedFormMethod([dof for dof in ik.dofs if dof.name != "lift"])
    with ik.at(ik.positions + 0.1):
        target = ik.transform()
    target[2, 3] -= 0.1
    ik.target.set_transform(target)
    expected = ik.solve()
    result = ik.solve(frozen=[robot.dof("lift")])
    assert expected.success and result.method == "ClosedFormMethod"
    np.testing.assert_array_equal(result.positions, expected.positions)


# ---- targets on the own chain


@pytest.mark.parametrize("carrier", [1, 3])
@pytest.mark.parametrize("name", ARMS)
def test_a_target_on_a_body_of_the_own_chain_is_reached(name: str, carrier: int) -> None:
    """The joints below the carrier do not change its error, which a closed form alone would not know."""
    ik = module(name)
    for q in drawn(ik, 8, seed=carrier)[1:]:
        body = ik.dofs[carrier].joint.child_body
        wanted = np.linalg.inv(placed(body, with_positions(ik, q))) @ placed(ik.node, with_positions(ik, q))
        ik.target = kido.SimpleFrame("riding", body, wanted)
        result = ik.solve()
        assert result.success, result.message
        end = with_positions(ik, result.positions)
        assert max(gap(placed(ik.node, end), placed(body, end) @ wanted)) < 1e-6 + 1e-9


# ---- reference frames


@pytest.mark.parametrize("riding", ["reference frame", "target"])
def test_batches_are_the_same_answers_where_frames_are_not_the_world(riding: str) -> None:
    """Under a parent that is turned, numbers of the target's pose are rounded: so are the answers."""
    ik = module("panda")
    ik.positions = drawn(ik, 1)[0]
    frame = kido.SimpleFrame("table", transform=kido.math.inverse_transform(ik.transform()))
    if riding == "target":
        ik.target = kido.SimpleFrame("goal", frame)
    else:
        ik.reference_frame = frame
    poses = np.array([placed(ik.node, with_positions(ik, q)) for q in drawn(ik, 16, seed=7)])
    batch = ik.solve_batch(poses)
    assert batch.success.all()
    for i, target in enumerate(poses):
        ik.target.set_transform(target)
        result = ik.solve()
        if riding == "target":
            np.testing.assert_allclose(batch.positions[i], result.positions, atol=1e-9)
        else:
            np.testing.assert_array_equal(batch.positions[i], result.positions)
        assert batch.success[i] == result.success
