"""Modules of nodes whose skeletons are cloned, copied, saved and edited."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from _poses import assert_there, placed, planar_arm, pose, reachable, turned

import kido
from kido import InverseKinematics, SearchSettings, gallery
from kido.errors import EditError, RemovedError, UnknownNameError


def arm() -> InverseKinematics:
    return InverseKinematics.of(gallery.arm().end_effector("tool"))


def of_copy(ik: InverseKinematics, skeleton: kido.Skeleton) -> InverseKinematics:
    found = skeleton.end_effector(ik.owner.name).addon(InverseKinematics)
    assert found is not None
    return found


def test_a_clone_has_a_module_of_its_own_with_the_same_wishes() -> None:
    ik = arm()
    ik.settings, ik.offset = SearchSettings(seed=3), (0.0, 0.01, 0.0)
    ik.dofs = ik.dofs[::-1][:5]
    ik.target.set_transform(reachable(ik, 1)[0])
    copy = of_copy(ik, ik.owner.skeleton.clone())
    assert copy.owner.skeleton is not ik.owner.skeleton and copy.owner is not ik.owner
    assert copy.settings == ik.settings
    np.testing.assert_array_equal(copy.offset, ik.offset)
    assert [dof.name for dof in copy.dofs] == [dof.name for dof in ik.dofs]
    assert all(dof.skeleton is copy.owner.skeleton for dof in copy.dofs)
    np.testing.assert_array_equal(copy.target.transform(), ik.target.transform())
    np.testing.assert_array_equal(copy.solve().positions, ik.solve().positions)


def test_the_target_of_a_clone_moves_by_itself() -> None:
    ik = arm()
    copy = of_copy(ik, ik.owner.skeleton.clone())
    before = ik.target.transform()
    copy.target.set_translation((0.1, 0.2, 0.3))
    np.testing.assert_array_equal(ik.target.transform(), before)


def test_a_target_on_a_body_is_on_the_clone_of_that_body() -> None:
    robot = gallery.humanoid()
    ik = InverseKinematics.of(robot.end_effector("left_hand"))
    ik.target = kido.SimpleFrame("other hand", robot.body("right_forearm"), pose(position=(0.0, 0.1, 0.0)))
    copy = of_copy(ik, robot.clone())
    assert copy.target.parent_frame is copy.owner.skeleton.body("right_forearm")
    copy.owner.skeleton.positions = {"right_elbow": -1.0}
    expected = placed(copy.owner.skeleton.body("right_forearm"), copy.owner.skeleton.positions)
    np.testing.assert_allclose(copy.target.transform(), expected @ pose(position=(0.0, 0.1, 0.0)), atol=1e-12)
    assert ik.target.parent_frame is robot.body("right_forearm")


def test_a_target_on_a_node_is_on_the_clone_of_the_node() -> None:
    robot = gallery.humanoid()
    ik = InverseKinematics.of(robot.end_effector("left_hand"))
    right = robot.end_effector("right_hand")
    ik.target = kido.SimpleFrame("grip", right, pose(turned(0.0, 0.0, 1.0), (0.0, 0.1, 0.0)))
    ik.reference_frame = robot.end_effector("left_foot")
    for copy in (of_copy(ik, robot.clone()), of_copy(ik, robot.root_bodies[0].copy_as("other"))):
        own = copy.owner.skeleton
        assert copy.target.parent_frame is own.end_effector("right_hand")
        assert copy.reference_frame is own.end_effector("left_foot")
        np.testing.assert_array_equal(copy.target.transform(), ik.target.transform())


def test_a_node_of_another_robot_carries_the_target_of_a_cloned_module() -> None:
    robot, other, bare = gallery.humanoid(), gallery.humanoid(), gallery.humanoid()
    bare.end_effector("right_hand").remove()
    ik = InverseKinematics.of(robot.end_effector("left_hand"))
    grip = pose(turned(0.0, 0.0, 1.0), (0.0, 0.1, 0.0))
    ik.target = kido.SimpleFrame("grip", robot.end_effector("right_hand"), grip)
    assert ik.clone(other.end_effector("left_hand")).target.parent_frame is other.end_effector("right_hand")
    copy = ik.clone(bare.end_effector("left_hand"))
    above = copy.target.parent_frame
    assert above.name == "right_hand" and above.parent_frame is bare.body("right_hand")
    np.testing.assert_allclose(copy.target.transform(), ik.target.transform(), atol=1e-14)
    assert copy.reference_frame is above


def test_frames_between_a_target_and_the_robot_are_copied_too() -> None:
    robot = gallery.humanoid()
    ik = InverseKinematics.of(robot.end_effector("left_hand"))
    tray = kido.SimpleFrame("tray", robot.body("right_forearm"), pose(turned(0.0, 0.0, 1.0), (0.1, 0.0, 0.0)))
    ik.target = kido.SimpleFrame("cup", tray, pose(position=(0.0, 0.1, 0.0)))
    ik.reference_frame = tray
    for copy in (of_copy(ik, robot.clone()), ik.clone(gallery.humanoid().end_effector("left_hand"))):
        own = copy.target.parent_frame
        assert own is not tray and own.parent_frame is copy.owner.skeleton.body("right_forearm")
        np.testing.assert_array_equal(copy.target.transform(), ik.target.transform())
        copy.owner.skeleton.positions = {"right_elbow": -1.0}
        assert not np.allclose(copy.target.transform(), ik.target.transform(), atol=0.1)


def test_a_frame_that_has_no_copy_is_named_where_a_target_moves_with_it() -> None:
    robot, other = gallery.humanoid(), gallery.humanoid()
    ik = InverseKinematics.of(robot.end_effector("left_hand"))
    tray = kido.FixedFrame("tray", robot.body("right_forearm"))
    ik.target = kido.SimpleFrame("cup", tray)
    for take in (robot.clone, lambda: ik.clone(other.end_effector("left_hand"))):
        with pytest.raises(
            TypeError, match=r"^cannot copy the FixedFrame 'tray', with which .*'right_forearm'"
        ):
            take()
    assert not other.end_effector("left_hand").has_addon(InverseKinematics)
    ik.target.set_parent_frame(kido.FixedFrame("shelf"))
    assert of_copy(ik, robot.clone()).target.parent_frame is ik.target.parent_frame


def test_a_target_in_the_scene_stays_under_its_frame() -> None:
    ik = arm()
    table = kido.SimpleFrame("table")
    ik.target.set_parent_frame(table)
    copy = of_copy(ik, ik.owner.skeleton.clone())
    assert copy.target.parent_frame is table and copy.target is not ik.target


def test_a_copy_beside_the_original_moves_its_own_dofs() -> None:
    ik = arm()
    robot = ik.owner.skeleton
    second = robot.root_bodies[0].copy_to(None, skeleton=robot)
    own = [body for body in second.subtree() if body.nodes(kido.EndEffector)][-1]
    copy = InverseKinematics.of(own.nodes(kido.EndEffector)[0])
    assert copy is not ik and len(copy.dofs) == 6
    assert {dof.child_body for dof in copy.dofs} <= set(second.subtree())
    assert not set(copy.dofs) & set(ik.dofs)
    target = reachable(copy, 1)[0]
    copy.target.set_transform(target)
    before = ik.positions
    assert_there(copy, copy.solve_and_apply(), target)
    np.testing.assert_array_equal(ik.positions, before)


def test_a_copied_part_keeps_the_named_dofs_that_came_along() -> None:
    ik = arm()
    ik.dofs = ik.dofs
    elbow = ik.dofs[2].child_body
    elsewhere = kido.Skeleton("elsewhere")
    elsewhere.add_body("post", joint=kido.PrismaticJoint("lift"))
    copied = elbow.copy_to(elsewhere.body("post"))
    copy = of_copy(ik, elsewhere)
    assert [dof.index_in_joint for dof in copy.dofs] == [0, 0, 0, 0]
    assert copy.dofs[0].child_body is copied
    assert [dof.name for dof in copy.dofs] == [dof.name for dof in ik.dofs[2:]]


def test_a_copied_part_on_a_weld_moves_what_is_left() -> None:
    ik = arm()
    copied = ik.dofs[2].child_body.copy_to(
        None, skeleton=kido.Skeleton("part"), joint=kido.WeldJoint("fixed")
    )
    copy = of_copy(ik, copied.skeleton)
    assert [dof.name for dof in copy.dofs] == [dof.name for dof in ik.dofs[3:]]


def test_a_module_moves_with_its_node_to_another_skeleton() -> None:
    ik = arm()
    robot = ik.owner.skeleton
    part = robot.root_bodies[0].split("part")
    assert ik.owner.skeleton is part
    target = reachable(ik, 1)[0]
    ik.target.set_transform(target)
    assert_there(ik, ik.solve(), target)


def test_a_moved_arm_is_solved_where_it_stands_then() -> None:
    ik = InverseKinematics.of(planar_arm(0.5, 0.4).end_effector("tip"))
    robot = ik.owner.skeleton
    lift = robot.add_body("lift", joint=kido.PrismaticJoint("up", T_parent_joint=(1.0, 0.0, 0.0)))
    assert ik.solve().success
    robot.body("link0").move_to(lift)
    robot.dof("up").position = 0.7
    assert [dof.name for dof in ik.dofs] == ["up", "q0", "q1"]
    target = placed(ik.owner, np.array([0.7, 0.3, -0.6]))
    np.testing.assert_allclose(target[2, 3], 0.7)
    ik.target.set_transform(target)
    assert_there(ik, ik.solve(), target)


def test_dofs_follow_new_names() -> None:
    ik = InverseKinematics.of(planar_arm(0.5, 0.4).end_effector("tip"))
    ik.solve()
    ik.dofs[1].name = "bend"
    assert ik.solve().dof_names == ("q0", "bend")


def test_a_removed_dof_is_named() -> None:
    ik = InverseKinematics.of(planar_arm(0.5, 0.4).end_effector("tip"))
    ik.dofs = ik.dofs
    ik.solve()
    ik.owner.skeleton.body("link1").change_parent_joint_type(kido.PrismaticJoint)
    for ask in (ik.solve, ik.solve_and_apply, lambda: ik.solve_batch(np.eye(4)[None]), lambda: ik.positions):
        with pytest.raises(RemovedError, match="q1"):
            ask()
    ik.use_chain()
    assert isinstance(ik.dofs[1].joint, kido.PrismaticJoint)
    target = placed(ik.owner, np.array([0.3, 0.2]))
    ik.target.set_transform(target)
    assert_there(ik, ik.solve(), target)


def test_a_skeleton_with_a_removed_dof_in_a_module_can_be_cloned() -> None:
    ik = InverseKinematics.of(planar_arm(0.5, 0.4).end_effector("tip"))
    ik.dofs = ik.dofs
    ik.owner.skeleton.body("link1").change_parent_joint_type(kido.PrismaticJoint)
    copy = of_copy(ik, ik.owner.skeleton.clone())
    assert [dof.name for dof in copy.dofs] == ["q0"]


def test_a_dof_that_is_in_another_skeleton_now_is_named() -> None:
    robot = planar_arm(0.5, 0.4, 0.3)
    ik = InverseKinematics.of(robot.end_effector("tip"))
    ik.dofs = ik.dofs
    robot.body("link2").move_to(None)
    ik.target.set_transform(ik.owner.transform())
    assert ik.solve().success
    robot.body("link2").split("alone")
    with pytest.raises(EditError, match="'q0' is not in the skeleton of 'tip' any more"):
        ik.solve()
    ik.use_chain()
    assert ik.solve().dof_names == ("q2",)


def test_default_dofs_are_those_of_the_place_after_each_edit() -> None:
    robot = planar_arm(0.5, 0.4, 0.3)
    tip = robot.end_effector("tip")
    chain, whole = InverseKinematics.of(tip), InverseKinematics.of(robot.body("link2"))
    whole.use_whole_body()
    assert chain.dofs == whole.dofs == robot.dofs
    assert chain.dofs is chain.dofs
    robot.body("link1").change_parent_joint_type(kido.UniversalJoint)
    assert chain.dofs == whole.dofs == robot.dofs and len(robot.dofs) == 4
    robot.add_body("camera", robot.body("link0"))
    assert [dof.name for dof in chain.dofs] == [dof.name for dof in robot.dofs[1:4]]
    assert whole.dofs == robot.dofs[:4]
    alone = robot.body("link2").split("alone")
    assert chain.dofs == whole.dofs == alone.dofs
    copy = alone.clone()
    assert InverseKinematics.of(copy.end_effector("tip")).dofs == copy.dofs
    base = kido.Skeleton("base")
    base.add_body("wagon", joint=kido.PlanarJoint("wheels"))
    alone.body("link2").move_to(base.body("wagon"))
    assert chain.dofs == whole.dofs == base.dofs
    placed = base.clone()
    twin = InverseKinematics.of(placed.end_effector("tip"))
    placed.body("wagon").change_parent_joint_type(kido.RevoluteJoint)
    assert twin.dofs == placed.dofs and len(twin.dofs) == 2
    twin.target.set_transform(twin.transform())
    placed.positions = [0.3, -0.2]
    assert twin.solve().success


def assert_moves_as_differences_say(ik: InverseKinematics) -> None:
    """Indices, pose and Jacobian of the module against poses by another library, here and nearby."""
    robot, step = ik.owner.skeleton, 1e-6
    assert ik.dof_indices == [robot.dofs.index(dof) for dof in ik.dofs]
    point = pose(position=ik.offset)
    here = placed(ik.owner, robot.positions) @ point
    np.testing.assert_allclose(ik.transform(), here, atol=1e-12)
    columns = []
    for index in ik.dof_indices:
        change = step * np.eye(robot.num_dofs)[index]
        low, high = (placed(ik.owner, robot.positions + sign * change) @ point for sign in (-1.0, 1.0))
        turn = (high[:3, :3] - low[:3, :3]) @ here[:3, :3].T / (2 * step)
        columns.append([turn[2, 1], turn[0, 2], turn[1, 0], *(high - low)[:3, 3] / (2 * step)])
    np.testing.assert_allclose(ik.jacobian(), np.transpose(columns), atol=1e-8)


def test_pose_and_jacobian_are_those_of_the_present_dofs_and_place_after_each_edit() -> None:
    robot = planar_arm(0.5, 0.4, 0.3)
    tip = robot.end_effector("tip")
    ik = InverseKinematics.of(tip)
    robot.positions = [0.3, -0.5, 0.7]
    assert_moves_as_differences_say(ik)
    ik.offset = (0.1, -0.2, 0.3)
    assert_moves_as_differences_say(ik)
    robot.add_body("camera", robot.body("link0"), kido.RevoluteJoint("pan", (0.0, 1.0, 0.0)))
    robot.positions = [0.3, 0.9, -0.5, 0.7][: robot.num_dofs]
    assert_moves_as_differences_say(ik)
    ik.dofs = ["pan", "q1", "q2"]
    assert_moves_as_differences_say(ik)
    ik.dofs = ["q2", "q0"]
    assert_moves_as_differences_say(ik)
    tip.relative_transform = pose(turned(0.2, -0.3, 0.4), (0.0, 0.1, 0.2))
    assert_moves_as_differences_say(ik)
    robot.body("camera").remove()
    assert_moves_as_differences_say(ik)
    ik.use_whole_body()
    ik.offset = (0.0, 0.0, 0.0)
    assert_moves_as_differences_say(ik)
    base = kido.Skeleton("base")
    base.add_body("wagon", joint=kido.PrismaticJoint("rail", (0.0, 1.0, 0.0)))
    robot.body("link0").move_to(base.body("wagon"))
    base.positions = [0.2, 0.3, -0.5, 0.7]
    assert_moves_as_differences_say(ik)
    copy = of_copy(ik, base.clone())
    copy.dofs = copy.dofs[1:]
    assert_moves_as_differences_say(copy)
    assert_moves_as_differences_say(ik)


def test_dofs_that_were_named_stay_named() -> None:
    robot = planar_arm(0.5, 0.4, 0.3)
    ik = InverseKinematics.of(robot.end_effector("tip"))
    ik.dofs = ["q2", robot.dof("q0")]
    robot.add_body("camera", robot.body("link0"))
    assert [dof.name for dof in ik.dofs] == ["q2", "q0"]
    copy = InverseKinematics.of(robot.clone().end_effector("tip"))
    assert [dof.name for dof in copy.dofs] == ["q2", "q0"]
    copy.use_chain()
    assert [dof.name for dof in copy.dofs] == ["q1", "q2"]
    assert [dof.name for dof in ik.dofs] == ["q2", "q0"]


def test_locked_joints_do_not_move_unless_named() -> None:
    robot = planar_arm(0.5, 0.4, 0.3)
    ik = InverseKinematics.of(robot.end_effector("tip"))
    robot.positions = [0.2, 0.5, -0.4]
    robot.joint("q1").actuator = "locked"
    assert robot.locked_dofs == {1}
    assert [dof.name for dof in ik.dofs] == ["q0", "q2"]
    ik.target.set_transform(placed(ik.owner, np.array([0.4, 0.5, -0.1])))
    assert ik.solve_and_apply().success
    np.testing.assert_allclose(robot.positions, [0.4, 0.5, -0.1], atol=1e-5)
    ik.dofs = ["q1", "q2"]
    ik.target.set_transform(placed(ik.owner, np.array([0.4, 0.2, 0.3])))
    assert ik.solve_and_apply().success
    np.testing.assert_allclose(robot.positions, [0.4, 0.2, 0.3], atol=1e-5)
    robot.joint("q1").actuator = "force"
    ik.use_chain()
    assert ik.dofs == robot.dofs


def test_a_module_of_a_removed_node_refuses() -> None:
    ik = arm()
    ik.owner.remove()
    for ask in (ik.solve, ik.solve_and_apply, lambda: ik.error):
        with pytest.raises(RemovedError):
            ask()
    with pytest.raises(RemovedError):
        InverseKinematics.of(ik.owner)


def test_a_target_on_a_body_that_is_removed_refuses() -> None:
    robot = gallery.humanoid()
    ik = InverseKinematics.of(robot.end_effector("left_hand"))
    ik.target = kido.SimpleFrame("grip", robot.body("right_forearm"))
    robot.body("right_forearm").remove()
    with pytest.raises(RemovedError, match="right_forearm"):
        ik.solve()
    copy = of_copy(ik, robot.clone())
    np.testing.assert_array_equal(copy.target.transform(), copy.owner.transform())


def test_offset_and_settings_are_carried_by_properties() -> None:
    ik = arm()
    ik.offset, ik.settings = (0.1, 0.0, 0.0), SearchSettings(max_starts=7)
    saved = pickle.loads(pickle.dumps(ik.owner.skeleton.properties))
    rebuilt = kido.Skeleton.from_properties(saved)
    copy = of_copy(ik, rebuilt)
    np.testing.assert_array_equal(copy.offset, [0.1, 0.0, 0.0])
    assert copy.settings.max_starts == 7
    assert [dof.name for dof in copy.dofs] == [dof.name for dof in ik.dofs]
    np.testing.assert_allclose(copy.target.transform(), copy.owner.transform())
    target = reachable(copy, 1)[0] @ pose(position=copy.offset)
    copy.target.set_transform(target)
    assert copy.solve().success


# ---- clones onto other nodes


def test_a_module_is_cloned_onto_the_same_robot_loaded_twice() -> None:
    ik, other = arm(), kido.gallery.arm()
    ik.settings, ik.offset, ik.hierarchy_level = SearchSettings(seed=5), (0.0, 0.0, 0.02), 2
    ik.dofs = ik.dofs[1:]
    ik.target.set_parent_frame(ik.owner.skeleton.bodies[1])
    ik.target.relative_translation = (0.3, 0.1, 0.2)
    copy = ik.clone(other.end_effector("tool"))
    assert InverseKinematics.of(other.end_effector("tool")) is copy
    assert copy.properties == ik.properties
    assert [dof.name for dof in copy.dofs] == [dof.name for dof in ik.dofs]
    assert all(dof.skeleton is other for dof in copy.dofs)
    assert copy.target is not ik.target and copy.target.parent_frame is other.bodies[1]
    np.testing.assert_array_equal(copy.target.relative_transform, ik.target.relative_transform)
    other.positions = ik.owner.skeleton.positions
    np.testing.assert_array_equal(copy.find_solution().positions, ik.find_solution().positions)


def test_a_clone_takes_the_place_of_a_module_and_keeps_a_target_in_the_world() -> None:
    ik, other = arm(), kido.gallery.arm()
    node = other.end_effector("tool")
    old = InverseKinematics.of(node)
    copy = ik.clone(node)
    assert copy is not old and InverseKinematics.of(node) is copy
    np.testing.assert_array_equal(copy.target.transform(), ik.target.transform())
    copy.target.set_translation((1.0, 0.0, 0.0))
    assert ik.target.transform()[0, 3] != 1.0


def test_a_module_that_does_not_fit_is_not_cloned() -> None:
    ik, other = arm(), planar_arm(0.5, 0.4)
    ik.dofs = ik.dofs
    node = other.end_effector("tip")
    before = InverseKinematics.of(node)
    with pytest.raises(UnknownNameError):
        ik.clone(node)
    with pytest.raises(TypeError, match=r"^node: expected a body"):
        ik.clone(other)  # type: ignore[arg-type]
    assert InverseKinematics.of(node) is before
