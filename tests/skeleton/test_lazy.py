"""Lazy evaluation: computed when asked for, kept, and dropped where it no longer holds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from _moving_skeletons import branched, with_springs
from _own_extensions import Cam, hand_of_the_specification

import kido
from kido.skeleton import Support

ARM = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]


@pytest.fixture
def hand() -> kido.Skeleton:
    skeleton = hand_of_the_specification()
    skeleton.positions = np.linspace(-0.5, 0.5, 16)
    skeleton.velocities = np.linspace(-1.0, 1.0, 16)
    skeleton.accelerations = np.linspace(1.0, -1.0, 16)
    return skeleton


def computed(skeleton: kido.Skeleton, ask: Callable[[], object]) -> tuple[int, ...]:
    """Numbers of transforms, velocities and accelerations that a question takes."""
    before = skeleton.kinematics_counts()
    ask()
    return tuple(np.subtract(skeleton.kinematics_counts(), before).tolist())


def test_asking_the_palm_computes_the_seven_transforms_of_the_arm(hand: kido.Skeleton) -> None:
    assert hand.num_bodies == 16
    assert computed(hand, hand.body("palm").transform) == (7, 0, 0)


def test_asking_again_computes_nothing(hand: kido.Skeleton) -> None:
    palm = hand.body("palm")
    palm.linear_acceleration()
    for ask in (palm.transform, palm.spatial_velocity, palm.linear_acceleration, palm.jacobian):
        assert computed(hand, ask) == (0, 0, 0)


def test_each_finger_adds_its_own_three_transforms(hand: kido.Skeleton) -> None:
    hand.body("palm").transform()
    for finger in range(3):
        assert computed(hand, hand.body(f"finger{finger}_2").transform) == (3, 0, 0)
    assert hand.kinematics_counts()[0] == 16


def test_velocities_and_accelerations_are_computed_only_where_they_are_asked_for(hand: kido.Skeleton) -> None:
    palm = hand.body("palm")
    assert computed(hand, palm.spatial_velocity) == (7, 7, 0)
    assert computed(hand, palm.spatial_acceleration) == (0, 0, 7)


def test_setting_a_finger_leaves_the_arm_and_other_fingers(hand: kido.Skeleton) -> None:
    hand.compute_forward_kinematics()
    hand.dof("finger1_1_joint").position = 0.9
    assert computed(hand, hand.body("palm").linear_acceleration) == (0, 0, 0)
    assert computed(hand, hand.body("finger0_2").linear_acceleration) == (0, 0, 0)
    assert computed(hand, hand.body("finger1_0").linear_acceleration) == (0, 0, 0)
    assert computed(hand, hand.body("finger1_2").transform)[0] == 2


def test_setting_the_first_joint_makes_everything_be_computed_anew(hand: kido.Skeleton) -> None:
    hand.compute_forward_kinematics()
    hand.joint(0).positions = 0.9
    assert computed(hand, hand.compute_forward_kinematics) == (16, 16, 16)


def test_setting_velocities_keeps_transforms(hand: kido.Skeleton) -> None:
    hand.compute_forward_kinematics()
    hand.velocities = np.ones(16)
    assert computed(hand, hand.compute_forward_kinematics) == (0, 16, 16)


def test_setting_accelerations_keeps_transforms_and_velocities(hand: kido.Skeleton) -> None:
    hand.compute_forward_kinematics()
    hand.joint("finger2_0_joint").accelerations = 3.0
    assert computed(hand, hand.compute_forward_kinematics) == (0, 0, 3)


def test_setting_the_same_numbers_again_keeps_everything(hand: kido.Skeleton) -> None:
    hand.compute_forward_kinematics()
    M = hand.mass_matrix
    hand.positions = hand.positions
    hand.velocities = hand.velocities
    assert computed(hand, hand.compute_forward_kinematics) == (0, 0, 0)
    assert hand.mass_matrix is M


def test_forces_and_commands_keep_all_kinematics(hand: kido.Skeleton) -> None:
    hand.compute_forward_kinematics()
    M, bias = hand.mass_matrix, hand.coriolis_and_gravity_forces
    hand.forces = np.ones(16)
    hand.commands = np.ones(16)
    assert computed(hand, hand.compute_forward_kinematics) == (0, 0, 0)
    assert hand.mass_matrix is M and hand.coriolis_and_gravity_forces is bias


def test_marking_stops_where_a_subtree_is_marked_and_answers_are_right_all_the_same(
    hand: kido.Skeleton,
) -> None:
    hand.compute_forward_kinematics()
    hand.dof("finger0_0_joint").position = 0.3
    hand.dof("finger0_2_joint").position = 0.4
    hand.dof(3).position = 0.7
    assert computed(hand, hand.body("finger0_2").transform)[0] == 7 - 3 + 3
    expected = hand.tree.transform(hand.positions, "finger0_2")
    assert np.array_equal(hand.body("finger0_2").transform(), expected)


def test_matrices_are_kept_until_what_they_depend_on_changes() -> None:
    skeleton = with_springs(branched())
    names = {
        "mass_matrix": {"positions", "armature"},
        "inverse_mass_matrix": {"positions", "armature"},
        "augmented_mass_matrix": {"positions", "damping", "time_step", "armature"},
        "coriolis_and_gravity_forces": {"positions", "velocities"},
        "gravity_forces": {"positions"},
        "spring_forces": {"positions", "rest_positions"},
        "damping_forces": {"velocities", "damping"},
        "transmitted_wrenches": {"positions", "velocities", "accelerations"},
    }
    changes: dict[str, Callable[[], None]] = {
        what: lambda what=what: setattr(skeleton, what, getattr(skeleton, what) + 0.25)
        for what in ("positions", "velocities", "accelerations", "damping", "armature", "rest_positions")
    }
    changes["time_step"] = lambda: setattr(skeleton, "time_step", skeleton.time_step * 2.0)
    for name, inputs in names.items():
        for what, change in changes.items():
            before = getattr(skeleton, name)
            numbers = before.copy()
            change()
            if what in inputs:
                assert not np.array_equal(getattr(skeleton, name), numbers), (name, what)
            elif what in ("positions", "velocities", "accelerations"):
                assert getattr(skeleton, name) is before, (name, what)
            else:
                assert np.array_equal(getattr(skeleton, name), numbers), (name, what)


def test_gravity_and_mass_change_what_depends_on_them() -> None:
    skeleton = branched()
    bias, mass = skeleton.gravity_forces.copy(), skeleton.mass_matrix.copy()
    skeleton.gravity = 2.0 * skeleton.gravity
    assert np.allclose(skeleton.gravity_forces, 2.0 * bias, rtol=1e-12)
    body = skeleton.bodies[-1]
    body.inertia = kido.description.Inertia(2.0 * body.mass, body.local_com, 2.0 * body.moment_of_inertia)
    assert not np.array_equal(skeleton.mass_matrix, mass)


def test_the_tree_stays_the_same_until_structure_or_constants_change(hand: kido.Skeleton) -> None:
    tree = hand.tree
    hand.positions = np.zeros(16)
    hand.damping = 1.0
    hand.body("palm").external_wrench = np.ones(6)
    assert hand.tree is tree
    hand.body("palm").mass = 2.0
    assert hand.tree is not tree and hand.tree != tree
    tree = hand.tree
    hand.dof(3).armature = 0.1
    assert hand.tree is not tree and hand.tree != tree


def test_nodes_and_frames_follow_without_being_told(hand: kido.Skeleton) -> None:
    tip = hand.body("finger0_2").add_end_effector("tip", (0.0, 0.0, 0.02))
    lens = kido.SimpleFrame("lens", tip)
    before = lens.transform()
    hand.dof(0).position += 0.3
    after = lens.transform()
    assert np.array_equal(after, tip.transform()) and not np.array_equal(after, before)
    tip.relative_transform = (0.0, 0.0, 0.05)
    moved = lens.transform()
    assert np.allclose(moved[:3, 3] - after[:3, 3], 0.03 * after[:3, 2], atol=1e-15)


def test_a_user_joint_is_asked_again_only_after_its_own_change() -> None:
    calls: list[float] = []

    class Counting(Cam):
        def transform_of(self, q: np.ndarray) -> np.ndarray:
            calls.append(float(q[0]))
            return super().transform_of(q)

    skeleton = kido.Skeleton()
    cam = skeleton.add_body("cam", joint=Counting("cam"))
    arm = skeleton.add_body("arm", cam, kido.RevoluteJoint("arm"))
    arm.transform()
    calls.clear()
    arm.transform()
    skeleton.joint("arm").positions = 0.3
    arm.transform()
    assert calls == []
    skeleton.joint("cam").positions = 0.5
    assert arm.transform()[2, 3] == pytest.approx(0.1 * np.sin(0.5), abs=1e-15)
    assert calls == [0.5]


def test_the_support_centroid_is_as_exact_far_away_as_at_home() -> None:
    skeleton = kido.Skeleton("stool")
    joint = kido.TranslationalJoint()
    foot = skeleton.add_body("seat", None, joint).add_end_effector("foot")
    corners = np.array([[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.25, 0.1, 0.0], [0.0, 0.15, 0.0]])
    foot.create_addon(kido.Support, corners, True)
    home = skeleton.support_centroid
    axes = skeleton.support_axes
    joint.positions = far = np.array([3e5, -2e5, 10.0])
    np.testing.assert_allclose(skeleton.support_centroid - axes @ far, home, rtol=0, atol=1e-9)


def test_the_support_polygon_follows_supports_and_positions() -> None:
    skeleton = kido.Skeleton()
    foot = skeleton.add_body("foot").add_end_effector("foot")
    assert skeleton.support_polygon.shape == (0, 2)
    support = foot.create_addon(Support, [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (-1.0, -1.0, 0.0)])
    assert skeleton.support_polygon.shape == (0, 2)
    support.active = True
    before = skeleton.support_centroid
    skeleton.joint(0).positions = [0.0, 0.0, 0.0, 2.0, 0.0, 0.0]
    shift = skeleton.support_centroid - before
    assert shift @ skeleton.support_axes == pytest.approx([2.0, 0.0, 0.0], abs=1e-12)


def test_forward_and_inverse_dynamics_wait_to_be_called(hand: kido.Skeleton) -> None:
    accelerations = hand.accelerations
    hand.commands = np.ones(16)
    assert np.array_equal(hand.accelerations, accelerations)
    hand.compute_forward_dynamics()
    assert not np.array_equal(hand.accelerations, accelerations)


def test_compute_forward_kinematics_leaves_nothing_to_compute(hand: kido.Skeleton) -> None:
    hand.compute_forward_kinematics()
    for body in hand.bodies:
        assert computed(hand, body.linear_acceleration) == (0, 0, 0)
