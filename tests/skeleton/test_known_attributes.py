"""Attributes that a class does not have."""

from __future__ import annotations

import pytest
from _valued_skeletons import Cam, Camera, Grid, Sensor, everything

import kido
from kido.skeleton import Chain, Group, Linkage, LinkageCriteria, LinkageTarget


def test_a_mistyped_attribute_is_refused_with_the_nearest_names() -> None:
    robot = everything()
    body, hand = robot.bodies[1], robot.end_effector("hand")
    for part, name, meant in (
        (robot, "positons", "'positions'"),
        (robot, "mimic_enforce", "'mimic_enforced'"),
        (body, "gravity_mod", "'gravity_mode'"),
        (robot.joint("knee"), "axi", "'axis'"),
        (robot.dofs[0], "positoin", "'position'"),
        (hand, "relative_transfrom", "'relative_transform'"),
        (hand.support, "activ", "'active'"),
        (robot.node(kido.Marker, "dot"), "rgb", "'rgba'"),
        (robot.node(kido.ShapeNode, "hull"), "shap", "'shape'"),
        (kido.SimpleFrame("frame"), "relative_translaton", "'relative_translation'"),
        (Group("group", [body]), "velocites", "'velocities'"),
        (Linkage(LinkageCriteria(LinkageTarget(body))), "nam", "'name'"),
    ):
        with pytest.raises(
            AttributeError, match=rf"{type(part).__name__} has no attribute '{name}'; .*{meant}"
        ):
            setattr(part, name, 1)


def test_any_other_unknown_attribute_is_refused_too() -> None:
    robot = everything()
    for part in (robot, *robot.bodies[:1], *robot.dofs[:1], kido.WORLD, *filter(_is_kidos, robot.joints)):
        with pytest.raises(AttributeError, match=r"has no attribute 'zzz'$"):
            part.zzz = 1
    for name in ("hand", "moved"):
        with pytest.raises(AttributeError, match=r"EndEffector has no attribute 'foo'$"):
            robot.end_effector(name).foo = 1
    chain = Chain(robot.bodies[1].root_body, robot.bodies[1])
    with pytest.raises(AttributeError, match=r"Chain has no attribute 'zzz'$"):
        chain.zzz = 1


def test_what_cannot_be_set_says_so_as_before() -> None:
    robot = everything()
    with pytest.raises(AttributeError, match="mass follows from the skeleton's state"):
        robot.mass = 3.0
    with pytest.raises(AttributeError, match=r"no setter|can't set"):
        robot.num_dofs = 3


def test_classes_of_users_take_attributes_of_their_own() -> None:
    class Frame(kido.SimpleFrame):
        """A frame of a user's own."""

    class Robot(kido.Skeleton):
        """A skeleton of a user's own."""

    robot = everything()
    own = robot.node(Sensor, "hand"), robot.node(Camera, "eye"), robot.addon(Grid), Cam(0.3), Frame(), Robot()
    for part in own:
        part.note = "mine"
        assert part.note == "mine"


def _is_kidos(part: object) -> bool:
    return type(part).__module__.startswith("kido.")
