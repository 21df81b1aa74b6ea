"""Which shapes meet: rules, and worlds and queries that keep them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import kido
from kido.collision import CollisionFilter, contacts
from kido.errors import EditError
from kido.shape import Sphere


def pile(*, step: bool = False) -> tuple[kido.World, kido.Skeleton, kido.Skeleton]:
    """A ball in the air above another one on the ground."""
    balls = []
    for name, height in (("low", 0.1), ("high", 0.3)):
        made = kido.gallery.ball(0.1, mass=1.0, name=name)
        made.positions = [0, 0, 0, 0, 0, height]
        balls.append(made)
    world = kido.World([kido.gallery.ground(), *balls])
    if step:
        world.step(10)
    return world, balls[0], balls[1]


def met(world: kido.World) -> set[frozenset[str]]:
    return {frozenset((c.first.skeleton.name, c.second.skeleton.name)) for c in world.contacts}


LOW_HIGH, LOW_GROUND = frozenset({"low", "high"}), frozenset({"low", "ground"})


@pytest.mark.parametrize("part", ["skeleton", "body", "shape"])
def test_parts_that_ignore_each_other_do_not_meet(part: str) -> None:
    world, low, high = pile(step=True)
    assert met(world) == {LOW_HIGH, LOW_GROUND}

    def of(skeleton: kido.Skeleton) -> object:
        body = skeleton.body(0)
        return {"skeleton": skeleton, "body": body, "shape": body.shape_nodes[0]}[part]

    world.collision_filter.ignore(of(low), of(high))  # type: ignore[arg-type]
    world.step(200)
    assert met(world) == {LOW_GROUND} and high.positions[5] < 0.2
    world.collision_filter.unignore(of(high), of(low))  # type: ignore[arg-type]
    high.positions = [0, 0, 0, 0, 0, 0.3]
    high.velocities = np.zeros(6)
    world.step(10)
    assert LOW_HIGH in met(world)


def test_masks_part_categories() -> None:
    world, low, high = pile()
    rules = world.collision_filter
    rules.set_mask(high, category=0b10, collides_with=0b100)
    world.step(5)
    assert met(world) == {LOW_GROUND}
    rules.set_mask(low, category=0b100)
    world.step(5)
    assert met(world) == {LOW_GROUND, LOW_HIGH}
    # Both have to want it; a shape's own mask counts before that of its skeleton.
    rules.set_mask(low.body(0).shape_nodes[0], category=0b100, collides_with=0b1)
    world.step(5)
    assert met(world) == {LOW_GROUND}
    assert rules.mask(low.body(0).shape_nodes[0]) == (0b100, 0b1)
    assert rules.mask(high.body(0).shape_nodes[0]) == (0b10, 0b100)


def folded() -> kido.Skeleton:
    made = kido.Skeleton("folded")
    parent = None
    for k in range(3):
        parent = made.add_body(f"body_{k}", parent, kido.FreeJoint(f"joint_{k}"))
        kido.ShapeNode(parent, f"ball_{k}", Sphere(0.2))
    made.positions = np.tile([0, 0, 0, 0.1, 0, 0], 3)
    return made


def pairs(rules: CollisionFilter, robot: kido.Skeleton) -> set[frozenset[str]]:
    return {frozenset((a.name, b.name)) for a, b in contacts(robot, filter=rules).touching}


ENDS, FIRST, LAST = (frozenset({f"ball_{i}", f"ball_{j}"}) for i, j in ((0, 2), (0, 1), (1, 2)))


@pytest.mark.parametrize(
    "settings, flags, expected",
    [
        ((None, None), (False, False), set()),
        ((None, None), (False, True), set()),
        ((None, None), (True, False), {ENDS}),
        ((None, None), (True, True), {ENDS, FIRST, LAST}),
        ((True, None), (False, False), {ENDS}),
        ((True, True), (False, False), {ENDS, FIRST, LAST}),
        ((False, None), (True, True), set()),
        ((None, False), (True, True), {ENDS}),
    ],
)
def test_bodies_of_one_skeleton(
    settings: tuple[bool | None, bool | None], flags: tuple[bool, bool], expected: set[frozenset[str]]
) -> None:
    robot = folded()
    robot.self_collision_check, robot.adjacent_body_check = flags
    rules = CollisionFilter(self_collisions=settings[0], adjacent_bodies=settings[1])
    assert pairs(rules, robot) == expected
    world = kido.World([robot], gravity=(0, 0, 0), collision_filter=rules)
    world.step()
    assert {frozenset((c.first.name, c.second.name)) for c in world.contacts} == expected


class NamesakesOnly(CollisionFilter):
    """Shapes meet whose names begin alike."""

    def __init__(self) -> None:
        super().__init__()
        self.letters = 1

    def allows(self, first: kido.ShapeNode, second: kido.ShapeNode) -> bool:
        same = first.skeleton.name[: self.letters] == second.skeleton.name[: self.letters]
        return same and super().allows(first, second)


def test_a_class_of_ones_own_decides() -> None:
    world, _, high = pile()
    world.collision_filter = rules = NamesakesOnly()
    world.step(5)
    assert met(world) == set()
    high.name = "lofty"
    rules.changed()
    world.step(5)
    assert met(world) == {frozenset({"low", "lofty"})}
    copied = pickle.loads(pickle.dumps(world))
    assert type(copied.collision_filter) is NamesakesOnly
    copied.step(5)
    assert met(copied) == {frozenset({"low", "lofty"})}


@pytest.mark.parametrize("way", ["clone", "deepcopy", "pickle"])
def test_copies_of_a_world_have_the_rules_about_their_own_parts(way: str) -> None:
    world, low, high = pile()
    rules = world.collision_filter
    rules.ignore(low.body(0), high.body(0).shape_nodes[0])
    rules.set_mask(high, category=4)
    rules.self_collisions = True
    if way == "pickle":
        copied = pickle.loads(pickle.dumps(world))
    else:
        copied = world.clone() if way == "clone" else copy.deepcopy(world)
    other = copied.collision_filter
    assert other is not rules and other.self_collisions is True
    ((first, second),) = other.ignored
    assert first is copied.skeleton("low").body(0)
    assert second is copied.skeleton("high").body(0).shape_nodes[0]
    assert other.mask(second) == (4, 0xFFFFFFFF)
    world.step(50)
    copied.step(50)
    assert met(copied) == met(world) == {LOW_GROUND}
    np.testing.assert_array_equal(copied.skeleton("high").positions, high.positions)
    other.unignore(first, second)
    assert len(rules.ignored) == 1


def test_rules_about_what_left_the_world_do_no_harm() -> None:
    world, low, high = pile()
    world.collision_filter.ignore(low, high)
    world.remove(high)
    world.step(2)
    assert len(world.clone().collision_filter.ignored) == 1
    assert pickle.loads(pickle.dumps(world)).collision_filter.ignored == ()
    world.add(high)
    world.step(2)
    assert met(world) == {LOW_GROUND}


def test_one_filter_serves_two_worlds() -> None:
    rules = CollisionFilter()
    worlds = [pile()[0] for _ in range(2)]
    for world in worlds:
        world.collision_filter = rules
        world.step(5)
        assert LOW_HIGH in met(world)
    for world in worlds:
        rules.ignore(world.skeleton("low"), world.skeleton("high"))
    for world in worlds:
        world.step(5)
        assert met(world) == {LOW_GROUND}


def test_a_snapshot_belongs_to_the_rules_it_was_taken_under() -> None:
    world, low, high = pile(step=True)
    saved = world.snapshot()
    world.step(5)
    world.restore(saved)
    world.collision_filter.ignore(low, high)
    with pytest.raises(ValueError, match="edited since"):
        world.restore(saved)


def test_bad_rules_are_refused() -> None:
    world, low, high = pile()
    rules = world.collision_filter
    with pytest.raises(TypeError, match="second"):
        rules.ignore(low, 3)  # type: ignore[arg-type]
    with pytest.raises(EditError, match="twice"):
        rules.ignore(low.body(0), low.body(0))
    with pytest.raises(EditError, match="no pair"):
        rules.unignore(low, high)
    with pytest.raises(ValueError, match="category"):
        rules.set_mask(low, category=1 << 32)
    with pytest.raises(TypeError, match="collides_with"):
        rules.set_mask(low, collides_with=0.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="self_collisions"):
        CollisionFilter(self_collisions=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="collision_filter"):
        kido.World(collision_filter=3)  # type: ignore[arg-type]
    rules.ignore(low, high)
    rules.ignore(high, low)
    assert len(rules.ignored) == 1
