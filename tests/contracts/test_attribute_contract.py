"""A mistyped attribute is accepted by no object of kido's own classes."""

from __future__ import annotations

import inspect
from enum import Enum
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import kido
from kido import gallery

MODULES = [kido, *(part for name in kido.__all__ if isinstance(part := getattr(kido, name), ModuleType))]
CLASSES = {
    kind.__qualname__: kind
    for module in MODULES
    for name in getattr(module, "__all__", ())
    if inspect.isclass(kind := getattr(module, name)) and kind.__module__.startswith("kido")
    if not issubclass(kind, BaseException | Enum)
    and not inspect.isabstract(kind)
    and not getattr(kind, "_is_protocol", False)
    if not (issubclass(kind, dict) and hasattr(kind, "__total__"))
}
"""All public classes but abstract ones, errors, enums, protocols and typed dictionaries."""

TAKE_ATTRIBUTES = {
    "Checked": "an alias for type checkers, of which there are no objects",
    "UserJoint": "joints of one's own keep what they need; those of kido refuse, by __setattr__ of joints",
}


def test_objects_of_all_classes_have_slots_or_refuse_what_they_do_not_know() -> None:
    assert len(CLASSES) > 250
    loose = [
        name
        for name, kind in CLASSES.items()
        if any("__dict__" in vars(base) for base in kind.__mro__) and kind.__setattr__ is object.__setattr__
    ]
    assert sorted(set(loose) - set(TAKE_ATTRIBUTES)) == []


def objects() -> list[Any]:
    robot = gallery.arm()
    world = kido.World([robot, gallery.ball(0.1)])
    world.step(2)
    hand = robot.bodies[-1]
    return [
        *(robot, world, hand, robot.joints[0], robot.dofs[0], robot.tree, robot.state, robot.properties),
        *(kido.SimpleFrame("frame"), hand.add_end_effector("e"), hand.add_marker("m"), robot.summary()),
        *(world.constraints, world.collision_filter, world.detector, robot.nodes()[0].properties),
        *(kido.Chain(robot.bodies[1], hand), kido.ik.InverseKinematics.of(hand)),
        kido.constraint.PolynomialConstraint(robot.dofs[0], robot.dofs[1], [0.0, 1.0]),
    ]


@pytest.mark.parametrize("made", objects(), ids=lambda part: type(part).__name__)
def test_a_mistyped_attribute_is_refused(made: Any) -> None:
    with pytest.raises((AttributeError, TypeError)):
        made.nmae = np.zeros(3)
    assert not hasattr(made, "nmae")
