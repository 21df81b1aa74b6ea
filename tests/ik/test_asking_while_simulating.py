"""Inverse kinematics of robots in a world: whoever asks changes nothing of what the world does afterwards."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import kido
from kido import InverseKinematics, gallery
from kido.ik import ErrorMethod, WholeBodyIK


class OwnPoint(ErrorMethod):
    """The displacement of the node's point, in Python."""

    def compute_error(self, ik: InverseKinematics) -> np.ndarray:
        return np.r_[np.zeros(3), ik.transform()[:3, 3] - ik.target.transform()[:3, 3]]


def scene(mobile: bool = True) -> tuple[kido.World, InverseKinematics]:
    """A humanoid that falls onto two stacked boxes, and the module of its hand, whose target rides on its
    trunk; `mobile` or fixed as it is."""
    human = gallery.humanoid()
    human.mobile = mobile
    boxes = [gallery.box((0.5, 0.5, 0.2), 2.0, name=f"box {k}") for k in range(2)]
    for k, box in enumerate(boxes):
        box.positions = [0.0, 0.0, 0.1, 0.05 * k, 2.0, 0.099 + 0.199 * k]
    ik = InverseKinematics.of(human.end_effector("left_hand"))
    ik.target = kido.SimpleFrame("on the trunk", human.bodies[0])
    ik.target.set_transform(ik.transform())
    ik.target.set_translation(ik.target.transform()[:3, 3] + (0.05, 0.02, -0.05))
    ik.settings = kido.SearchSettings(max_starts=2)
    return kido.World([gallery.ground(), human, *boxes], time_step=2e-3), ik


def whole_body(ik: InverseKinematics) -> object:
    ik.use_whole_body()
    return WholeBodyIK(ik.node.skeleton).solve()


def of_a_box(ik: InverseKinematics, world: kido.World) -> InverseKinematics:
    """The module of a box, a rigid body whose rotation the world keeps as a quaternion."""
    other = InverseKinematics.of(world.skeleton("box 1").bodies[0])
    other.error_method, other.settings = OwnPoint(), ik.settings
    other.target.set_translation((0.1, 2.0, 0.5))
    return other


def own(ik: InverseKinematics) -> object:
    ik.error_method = OwnPoint()
    return ik.solve()


ASKED: dict[str, Callable[[InverseKinematics, kido.World], object]] = {
    "solve": lambda ik, _: ik.solve(),
    "track": lambda ik, _: ik.track(),
    "batch": lambda ik, _: ik.solve_batch(np.stack([ik.target.transform()] * 2)),
    "an own error": lambda ik, _: own(ik),
    "whole body": lambda ik, _: whole_body(ik),
    "check": lambda ik, _: ik.check(samples=1),
    "a rigid body": lambda ik, world: of_a_box(ik, world).solve(),
}


@pytest.mark.parametrize("mobile", [True, False])
@pytest.mark.parametrize("what", ASKED)
def test_asking_changes_no_bit_of_the_steps_that_follow(what: str, mobile: bool) -> None:
    """Contacts go on from the impulses of the last step."""
    worlds = [scene(mobile), scene(mobile)]
    for step in range(60):
        for world, ik in worlds:
            if ik is worlds[0][1] and step % 6 == 5:
                before = [skeleton.positions for skeleton in world.skeletons]
                ASKED[what](ik, world)
                for skeleton, q in zip(world.skeletons, before, strict=True):
                    np.testing.assert_array_equal(skeleton.positions, q)
            world.step(2)
        for ours, theirs in zip(worlds[0][0].skeletons, worlds[1][0].skeletons, strict=True):
            np.testing.assert_array_equal(ours.positions, theirs.positions)
            np.testing.assert_array_equal(ours.velocities, theirs.velocities)


def test_who_does_not_come_back_is_where_he_was_put() -> None:
    """The other side of it: only what is set back bit for bit did not move."""
    world, _ = scene()
    world.step(5)
    box = world.skeleton("box 1")
    q, v = box.positions, box.velocities
    box.positions = q + 0.5
    box.positions = q + np.eye(6)[3]
    world.step(1)
    np.testing.assert_allclose(box.positions[3], q[3] + 1.0, atol=1e-3)
    box.positions = q
    world.step(1)
    q = box.positions
    box.positions = q + 0.5
    box.positions, box.velocities = q, v + np.eye(6)[5]
    world.step(1)
    np.testing.assert_allclose(box.positions[5], q[5] + 2e-3 * (v[5] + 1.0), atol=1e-4)


def test_a_fixed_robot_that_is_put_elsewhere_is_met_there() -> None:
    world, ik = scene(mobile=False)
    world.step(1)
    human, box = ik.node.skeleton, world.skeleton("box 1")
    box.positions = [0.0, 0.0, 0.0, 0.0, 0.0, 4.0]
    box.velocities = np.zeros(6)
    world.step(200)
    free = box.positions[5]
    box.positions = [0.0, 0.0, 0.0, 0.0, 0.0, 4.0]
    box.velocities = np.zeros(6)
    human.dofs[5].position += 4.0 - human.bodies[0].transform()[2, 3]
    world.step(200)
    assert abs(box.positions[5] - free) > 0.05
