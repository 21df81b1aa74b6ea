"""Arrays that attributes hand out: copies that cannot be written into, for that would change nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from _valued_skeletons import Array, everything

import kido
from kido.skeleton import Group, Linkage, LinkageCriteria, LinkageTarget


@pytest.fixture(scope="module")
def robot() -> kido.Skeleton:
    return everything()


def parts(robot: kido.Skeleton) -> Iterator[object]:
    """Something of every class, in a skeleton and by itself."""
    yield from (robot, *robot.bodies, *robot.joints, *robot.nodes(), *robot.dofs[:3], kido.WORLD)
    yield from (kido.RevoluteJoint(), kido.EulerJoint(), kido.FreeJoint(), kido.PlanarJoint())
    yield kido.SimpleFrame("on hand", robot.end_effector("hand"))
    yield kido.FixedFrame("fixed", robot.bodies[1], np.eye(4))
    yield Group("group", robot.bodies[:4])
    yield Linkage(LinkageCriteria(LinkageTarget(robot.bodies[0])))


def arrays(part: object) -> Iterator[tuple[str, Array]]:
    """Every attribute of an object that is an array."""
    for name in dir(type(part)):
        if not name.startswith("_") and isinstance(value := _attribute(part, name), np.ndarray):
            yield name, value


def _attribute(part: object, name: str) -> object:
    try:
        return getattr(part, name)
    except (kido.errors.KidoError, ValueError, TypeError):
        return None  # support_centroid where nothing is supported, ...


def test_no_array_of_an_attribute_can_be_written_into(robot: kido.Skeleton) -> None:
    writable, seen = set(), 0
    for part in parts(robot):
        for name, array in arrays(part):
            seen += 1
            if array.flags.writeable:
                writable.add(f"{type(part).__name__}.{name}")
    assert not writable and seen > 700


def test_writing_into_numbers_raises_and_changes_nothing() -> None:
    robot = everything()
    joint, body = robot.joint("knee"), robot.bodies[1]
    frame = kido.SimpleFrame("frame", body)
    for part, name in (
        (robot, "positions"),
        (robot, "position_lower_limits"),
        (joint, "velocities"),
        (joint, "position_lower_limits"),
        (joint, "axis"),
        (joint, "T_parent_joint"),
        (body, "local_com"),
        (body, "external_wrench"),
        (frame, "relative_translation"),
    ):
        before = getattr(part, name).copy()
        with pytest.raises(ValueError, match="assignment destination is read-only"):
            getattr(part, name)[0] = -1.0
        assert np.array_equal(getattr(part, name), before)


def test_an_array_that_was_handed_out_stays_as_it_was() -> None:
    robot = everything()
    kept = robot.positions, robot.joint("knee").position_upper_limits, robot.bodies[0].relative_transform
    before = [array.copy() for array in kept]
    robot.positions = robot.positions + 0.1
    robot.joint("knee").position_upper_limits = 7.0
    assert all(np.array_equal(array, b) for array, b in zip(kept, before, strict=True))


def test_answers_of_methods_belong_to_who_asked(robot: kido.Skeleton) -> None:
    body = robot.bodies[2]
    for array in (body.transform(), body.jacobian(), robot.com(), robot.jacobian(body)):
        assert array.flags.writeable
