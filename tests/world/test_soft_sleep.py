"""Soft bodies that sleep, also on a body that does not move."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import kido
from kido.description import SoftSkin
from kido.world import Sleeping


def resting(*, fixed: bool) -> tuple[kido.World, kido.SoftBodyNode]:
    """A cloth on a box, on a body that is fixed, or that nothing but the cloth carries."""
    robot = kido.Skeleton("cloth")
    pole = robot.add_body("pole", None, kido.WeldJoint(), inertia=kido.Inertia(0.0))
    if not fixed:
        slide = kido.PrismaticJoint("slide", (1.0, 0.0, 0.0))
        robot.add_body("bead", None, slide, inertia=kido.Inertia(0.1, moment=1e-4 * np.eye(3)))
    sheet = SoftSkin.of_sheet(
        (0.3, 0.3), 0.2, divisions=(5, 5), edge_stiffness=300.0, damping=0.5, radius=0.005
    )
    soft = kido.SoftBodyNode.add_skin(pole, sheet)
    soft.displacements = np.tile([0.0, 0.0, 0.31], (25, 1))
    box = kido.gallery.box((0.4, 0.4, 0.3), mass=2.0)
    box.positions = (0.0, 0.0, 0.0, 0.0, 0.0, 0.15)
    world = kido.World([kido.gallery.ground(), box, robot], time_step=2e-3)
    world.sleeping = Sleeping(after=0.1)
    world.step(1500)
    return world, soft


@pytest.mark.parametrize("fixed", [True, False])
def test_cloth_that_lies_still_sleeps_and_says_so(fixed: bool) -> None:
    world, soft = resting(fixed=fixed)
    skeleton = soft.skeleton
    assert world.is_sleeping(soft)
    assert world.is_sleeping(skeleton)
    assert skeleton in world.sleeping_skeletons
    places = soft.displacements
    world.step(200)
    np.testing.assert_array_equal(soft.displacements, places)
    world.wake(soft)
    assert not world.is_sleeping(soft)
    assert skeleton not in world.sleeping_skeletons
    world.step(400)
    assert world.is_sleeping(soft)
    world.wake()
    assert not world.is_sleeping(skeleton)


def push(soft: kido.SoftBodyNode) -> None:
    soft.point_forces = np.tile([0.0, 0.0, 1.0], (25, 1))


def stiffen(soft: kido.SoftBodyNode) -> None:
    soft.edge_stiffness = 2000.0


def pin(soft: kido.SoftBodyNode) -> None:
    soft.pin([0], offsets=[[-0.15, -0.15, 0.5]])


def displace(soft: kido.SoftBodyNode) -> None:
    soft.displacements = soft.displacements + np.array([0.0, 0.0, 0.01])


@pytest.mark.parametrize("change", [push, stiffen, pin, displace])
def test_what_changes_wakes(change: Callable[[kido.SoftBodyNode], None]) -> None:
    world, soft = resting(fixed=True)
    assert world.is_sleeping(soft)
    change(soft)
    assert not world.is_sleeping(soft)
    places = soft.displacements
    world.step(3)
    assert np.abs(soft.displacements - places).max() > 1e-7


def test_a_body_without_points_beside_it_does_not_sleep() -> None:
    world, soft = resting(fixed=True)
    ground = world.skeletons[0]
    assert not world.is_sleeping(ground) and ground not in world.sleeping_skeletons
    world.wake(ground)
    assert world.is_sleeping(soft)
