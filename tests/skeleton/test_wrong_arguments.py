"""What cannot be used is refused by name, at the call, and nothing has changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from _looped import looped
from _portrait import differences, portrait
from _valued_skeletons import Camera, everything

import kido
from kido.description import Mimic
from kido.errors import EditError, NameTakenError
from kido.skeleton import Chain, FrameNode, Group

ROBOT = everything()
BODY, KNEE = ROBOT.body("body1"), ROBOT.joint("knee")
RNG = np.random.default_rng(0)

WRONG: dict[str, Callable[[], Any]] = {
    "kind: expected a class of nodes, got 'x'": lambda: ROBOT.nodes("x"),
    "kind: expected a class of nodes, got 3": lambda: BODY.nodes(3),
    "kind: expected a class of nodes, got 'y'": lambda: ROBOT.node("y", "hand"),
    "kind: expected a class that derives from Addon, got 3": lambda: BODY.addon(3),
    "kind: expected a class that derives from Addon, got 4": lambda: KNEE.remove_addon(4),
    "kind: expected a class that derives from Addon, got 'x'": lambda: ROBOT.has_addon("x"),
    "dt: expected numbers of shape () [s], got 'x'": lambda: ROBOT.integrate_velocities("x"),
    "dt: expected shape () [s], got (2,)": lambda: ROBOT.integrate_velocities([1.0, 2.0]),
    "start: expected numbers of shape (35,) [rad, m], got 'x'": lambda: ROBOT.position_differences("x", 0),
    "end: expected shape (35,) [rad, m], got (1,)": lambda: ROBOT.position_differences(ROBOT.positions, [0]),
    "dofs: expected an iterable, got 3": lambda: ROBOT.configuration(3),
    "recursive: expected True or False, got 'x'": lambda: BODY.copy_as("n", recursive="x"),
    "offset_in_world: expected True or False, got 'no'": lambda: BODY.add_external_force(
        (0, 0, 1), offset_in_world="no"
    ),
    "with_spring_forces: expected True or False, got 'no'": lambda: ROBOT.compute_inverse_dynamics(
        with_spring_forces="no"
    ),
    "include_upstream_parent_joint: expected True or False, got 1": lambda: Chain(
        None, BODY, include_upstream_parent_joint=1
    ),
    "bodies: expected an iterable, got 3": lambda: Group("g", 3),
    "bodies: expected a BodyNode, got 4": lambda: Group("g", [4]),
    "onto: expected a Skeleton, got 3": lambda: Group("g", [BODY]).clone(onto=[3]),
    "description: expected a RobotDescription, got 3": lambda: kido.Skeleton.from_description(3),
    "callback: expected a function, got 3": lambda: ROBOT.name_changed.connect(3),
    "path: expected a path, got 3": lambda: kido.load(3),
    "path: expected a path, got 4": lambda: kido.io.read_urdf(4),
    "path: expected a path, got 5": lambda: ROBOT.state.save(5),
    "path: expected a path, got 6": lambda: kido.skeleton.SkeletonState.load(6),
    "local_com: expected numbers of shape (3,) [m], got 'x'": lambda: setattr(BODY, "local_com", "x"),
    "moment_of_inertia: expected shape (3, 3) [kg m^2], got (3,)": lambda: setattr(
        BODY, "moment_of_inertia", np.ones(3)
    ),
    "damping: expected numbers [N m s/rad, N s/m], got '3'": lambda: setattr(KNEE, "damping", "3"),
    "damping: expected numbers [N m s/rad, N s/m], got b'3'": lambda: setattr(KNEE, "damping", b"3"),
    "positions['knee']: expected a number [rad, m], got '3'": lambda: setattr(
        ROBOT, "positions", {"knee": "3"}
    ),
    "position: expected a number [rad, m], got '3'": lambda: setattr(ROBOT.dofs[0], "position", "3"),
    "dof_names: expected an iterable, got 3": lambda: setattr(KNEE, "dof_names", 3),
    "gravity_mode: expected True or False, got 'off'": lambda: setattr(BODY, "gravity_mode", "off"),
    "collidable: expected True or False, got 'off'": lambda: setattr(BODY, "collidable", "off"),
    "mobile: expected True or False, got None": lambda: setattr(ROBOT, "mobile", None),
    "limits_enforced: expected True or False, got 1": lambda: setattr(KNEE, "limits_enforced", 1),
    "mimic_enforced: expected True or False, got 'no'": lambda: setattr(ROBOT, "mimic_enforced", "no"),
    "knee: expected numbers of shape () [rad, m], got '3'": lambda: ROBOT.tree.positions({"knee": "3"}),
    "gravity: expected numbers of shape (3,) [m/s^2], got 'down'": lambda: kido.Tree.from_description(
        kido.io.read("examples/arm.urdf"), gravity="down"
    ),
    "size: expected an integer or several, got 2.5": lambda: ROBOT.random_positions(RNG, 2.5),
}


@looped("message, call", WRONG.items(), ids=str)
def test_what_cannot_be_used_is_refused_by_the_name_of_the_argument(
    message: str, call: Callable[[], Any]
) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert str(caught.value) == message


def test_nothing_of_it_has_changed_anything() -> None:
    before = portrait(ROBOT)
    for call in WRONG.values():
        with pytest.raises((TypeError, ValueError)):
            call()
    assert differences(portrait(ROBOT), before) == []


@pytest.mark.parametrize("signal", ["name_changed", "structure_changed"])
def test_signals_cannot_be_set(signal: str) -> None:
    with pytest.raises(AttributeError):
        setattr(ROBOT, signal, None)


def test_of_nodes_of_one_name_the_one_of_exactly_the_type_is_meant() -> None:
    robot = kido.Skeleton("robot")
    body = robot.add_body("box")
    tip, eye = body.add_end_effector("same"), Camera(body, "same")
    assert robot.node(kido.EndEffector, "same") is tip and body.node(Camera, "same") is eye
    for owner in (robot, body):
        with pytest.raises(ValueError, match=r"has several nodes named 'same' \(EndEffector, Camera\); ask"):
            owner.node(FrameNode, "same")
    eye.remove()
    assert robot.node(FrameNode, "same") is tip


def test_options_of_a_joint_are_all_set_or_none_where_others_would_follow_in_a_cycle() -> None:
    robot = everything()
    robot.mimic_enforced = True
    slide, before = robot.joint("body2_joint"), portrait(robot)
    with pytest.raises(EditError, match="mimic joints form a cycle"):
        slide.apply_options({"damping": 9.0, "actuator": "mimic", "mimic": Mimic("knee")})
    with pytest.raises(NameTakenError):
        slide.apply_options({"damping": 9.0, "dof_names": ("knee",)})
    assert differences(portrait(robot), before) == []
    slide.apply_options({"damping": 9.0, "mimic": Mimic("body3_joint"), "actuator": "mimic"})
    assert slide.damping == 9.0 and slide.dof_indices[0] in robot.leading_dofs
