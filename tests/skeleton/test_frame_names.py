"""Frames by name, where a skeleton or a selection takes a frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kido

ARM = "examples/arm.urdf"
JACOBIANS = (
    "jacobian",
    "linear_jacobian",
    "angular_jacobian",
    "jacobian_spatial_derivative",
    "jacobian_classic_derivative",
    "linear_jacobian_derivative",
    "angular_jacobian_derivative",
)
AXES = ("linear_momentum", "angular_momentum", "com_jacobian", "com_linear_jacobian")
AXES_OF_DERIVATIVES = ("com_jacobian_spatial_derivative", "com_linear_jacobian_derivative")
SEEN = (
    "com_linear_velocity",
    "com_linear_acceleration",
    "com_spatial_velocity",
    "com_spatial_acceleration",
)


@pytest.fixture
def arm() -> kido.Skeleton:
    robot = kido.load(ARM)
    rng = np.random.default_rng(0)
    robot.positions, robot.velocities, robot.accelerations = rng.uniform(-1.0, 1.0, (3, 6))
    robot.body("hand").add_end_effector("grip", (0.1, 0.2, 0.3))
    return robot


def selected(arm: kido.Skeleton) -> kido.Group:
    return kido.Group("some", [arm.body("upper_arm"), arm.body("hand")])


@pytest.mark.parametrize("of", [lambda arm: arm, selected], ids=["skeleton", "selection"])
@pytest.mark.parametrize("name", JACOBIANS)
def test_jacobians_take_names_of_bodies_and_nodes(
    arm: kido.Skeleton, of: Callable[[kido.Skeleton], Any], name: str
) -> None:
    grip, forearm, lower = arm.end_effector("grip"), arm.body("forearm"), arm.body("shoulder")
    asked = getattr(of(arm), name)
    assert np.array_equal(asked("forearm"), asked(forearm))
    assert asked("grip").any() and np.array_equal(asked("grip"), asked(grip))
    by_name = asked("grip", relative_to="forearm", in_coordinates_of="shoulder")
    by_frame = asked(grip, relative_to=forearm, in_coordinates_of=lower)
    assert np.array_equal(by_name, by_frame)
    assert not np.array_equal(by_frame, asked(grip))


@pytest.mark.parametrize("of", [lambda arm: arm, selected], ids=["skeleton", "selection"])
def test_centers_of_mass_and_momenta_take_names(
    arm: kido.Skeleton, of: Callable[[kido.Skeleton], Any]
) -> None:
    part, grip, forearm = of(arm), arm.end_effector("grip"), arm.body("forearm")
    assert np.array_equal(part.com(relative_to="grip"), part.com(relative_to=grip))
    for name in (*AXES, *AXES_OF_DERIVATIVES):
        if hasattr(part, name):
            asked = getattr(part, name)
            assert np.array_equal(asked(in_coordinates_of="grip"), asked(in_coordinates_of=grip))
            assert not np.array_equal(asked(in_coordinates_of="grip"), asked())
    for name in SEEN:
        asked = getattr(part, name)
        by_name = asked(relative_to="forearm", in_coordinates_of="grip")
        assert np.array_equal(by_name, asked(relative_to=forearm, in_coordinates_of=grip))


def test_wrenches_and_impulses_take_the_name_of_a_body(arm: kido.Skeleton) -> None:
    hand, impulse = arm.body("hand"), np.arange(6.0)
    assert np.array_equal(arm.impulse_response("hand", impulse), arm.impulse_response(hand, impulse))
    assert np.array_equal(arm.transmitted_wrench("hand"), arm.transmitted_wrench(hand))
    with pytest.raises(kido.errors.UnknownNameError, match="no body named 'hnd' in 'arm'"):
        arm.transmitted_wrench("hnd")


@pytest.mark.parametrize("argument", ["frame", "relative_to", "in_coordinates_of"])
@pytest.mark.parametrize("of", [lambda arm: arm, selected], ids=["skeleton", "selection"])
def test_an_unknown_name_is_refused_with_the_nearest(
    arm: kido.Skeleton, of: Callable[[kido.Skeleton], Any], argument: str
) -> None:
    for wrong, right in (("forarm", "forearm"), ("gripp", "grip")):
        with pytest.raises(kido.errors.UnknownNameError, match=f"no body or node named '{wrong}'.*'{right}'"):
            of(arm).jacobian(**{"frame": "hand", argument: wrong})


def test_a_body_comes_before_nodes_of_its_name_and_nodes_of_one_name_are_refused(arm: kido.Skeleton) -> None:
    arm.body("tool").add_marker("forearm", (0.0, 0.0, 1.0))
    assert np.array_equal(arm.jacobian("forearm"), arm.jacobian(arm.body("forearm")))
    arm.body("tool").add_marker("grip")
    with pytest.raises(ValueError, match=r"frame: 'arm' has several frames named 'grip' \(EndEffector, Mar"):
        arm.jacobian("grip")


def test_a_name_of_two_selected_skeletons_is_refused_and_one_of_either_is_found(arm: kido.Skeleton) -> None:
    other = arm.clone("other")
    other.body("tool").name = "claw"
    both = kido.Group("both", [arm.body("hand"), other.body("hand")])
    assert np.array_equal(both.jacobian("claw"), both.jacobian(other.body("claw")))
    with pytest.raises(ValueError, match=r"'both' has several frames named 'hand' \(BodyNode, BodyNode\)"):
        both.jacobian("hand")


def test_a_renamed_body_goes_by_its_present_name(arm: kido.Skeleton) -> None:
    arm.jacobian("hand")
    arm.body("hand").name = "fist"
    assert arm.jacobian("fist").any()
    with pytest.raises(kido.errors.UnknownNameError):
        arm.jacobian("hand")


@pytest.mark.parametrize("of", [lambda arm: arm, selected], ids=["skeleton", "selection"])
def test_what_is_neither_frame_nor_name_is_refused(
    arm: kido.Skeleton, of: Callable[[kido.Skeleton], Any]
) -> None:
    with pytest.raises(TypeError, match="frame: expected a Frame or the name of one, got int"):
        of(arm).jacobian(3)
    for argument in ("relative_to", "in_coordinates_of"):
        with pytest.raises(TypeError, match=f"{argument}: expected a Frame"):
            of(arm).jacobian("hand", **{argument: 0})
