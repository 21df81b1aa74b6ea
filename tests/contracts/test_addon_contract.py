"""Contract of all types of addons, on everything that they can be attached to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import kido
from kido.errors import EditError, RemovedError
from kido.skeleton import Addon, AddonManager, Node, Support, UserJoint


class Grid(Addon):
    """An addon of a user, with what `copied_from` carries."""

    @dataclass(frozen=True)
    class Properties:
        """`cell` size [m]."""

        cell: float = 0.1

    @dataclass(frozen=True)
    class State:
        """`filled` cells."""

        filled: tuple[int, ...] = ()

    def __init__(self, owner: AddonManager, cell: float = 0.1) -> None:
        super().__init__(owner, self.Properties(cell))
        self.copies = 0

    def copied_from(self, original: Grid) -> None:
        self.copies = original.copies + 1


class Mark(Addon):
    """An addon with nothing of its own."""


def build() -> kido.Skeleton:
    skeleton = kido.Skeleton("arm")
    body = skeleton.add_body("body", skeleton.add_body("base"), kido.RevoluteJoint("joint"))
    body.add_end_effector("tip")
    return skeleton


Finder = Callable[[kido.Skeleton], AddonManager]

OWNERS: dict[str, Finder] = {
    "skeleton": lambda s: s,
    "body": lambda s: s.body("body"),
    "joint": lambda s: s.joint("joint"),
    "node": lambda s: s.end_effector("tip"),
}

ADDONS: dict[type[Addon], tuple[dict[str, Any], tuple[str, ...]]] = {
    Grid: ({"cell": 0.5}, tuple(OWNERS)),
    Mark: ({}, tuple(OWNERS)),
    Support: ({"geometry": [(0.1, 0.0, 0.0)], "active": True}, ("node",)),
}
"""Arguments of each, and the owners that it can be attached to."""

CASES = [(kind, owner) for kind, (_, owners) in ADDONS.items() for owner in owners]
every_case = pytest.mark.parametrize(
    ("kind", "where"), CASES, ids=[f"{kind.__name__}-{owner}" for kind, owner in CASES]
)


def attached(kind: type[Addon], owner: AddonManager) -> Addon:
    return owner.create_addon(kind, **ADDONS[kind][0])


def test_every_addon_of_kido_is_under_this_contract() -> None:
    found = [getattr(kido.skeleton, name) for name in kido.skeleton.__all__]
    assert {c for c in found if isinstance(c, type) and issubclass(c, Addon)} - {Addon} == {Support}


@every_case
def test_it_is_found_by_its_exact_type(kind: type[Addon], where: str) -> None:
    owner = OWNERS[where](build())
    assert not owner.has_addon(kind) and owner.addon(kind) is None
    addon = attached(kind, owner)
    assert type(addon) is kind and addon.owner is owner and owner.has_addon(kind)
    assert owner.addon(kind) is addon and owner.addons == (addon,) and owner.addon(Addon) is None


@every_case
def test_a_new_one_takes_the_place_of_the_old_one(kind: type[Addon], where: str) -> None:
    owner = OWNERS[where](build())
    old, new = attached(kind, owner), attached(kind, owner)
    assert old is not new and owner.addons == (new,)


@every_case
def test_it_can_be_removed_once(kind: type[Addon], where: str) -> None:
    owner = OWNERS[where](build())
    attached(kind, owner)
    owner.remove_addon(kind)
    assert not owner.has_addon(kind) and owner.addons == ()
    with pytest.raises(EditError, match=f"has no addon of type {kind.__name__}"):
        owner.remove_addon(kind)


@every_case
def test_state_and_properties_are_checked(kind: type[Addon], where: str) -> None:
    addon = attached(kind, OWNERS[where](build()))
    before = addon.properties, addon.state
    for role in ("properties", "state"):
        with pytest.raises(TypeError, match=f"{role} of a {kind.__name__}: expected .*, got 3"):
            setattr(addon, role, 3)
    assert (addon.properties, addon.state) == before


@every_case
def test_a_clone_has_one_of_its_own(kind: type[Addon], where: str) -> None:
    skeleton = build()
    addon = attached(kind, OWNERS[where](skeleton))
    clone = skeleton.clone()
    copy = OWNERS[where](clone).addon(kind)
    assert copy is not None and copy is not addon and type(copy) is kind
    assert copy.owner is OWNERS[where](clone)
    assert (copy.properties, copy.state) == (addon.properties, addon.state)
    if isinstance(addon, Grid):
        assert isinstance(copy, Grid) and (copy.copies, addon.copies) == (1, 0)
        copy.state = Grid.State((1, 2))
        assert addon.state == Grid.State()


@every_case
def test_it_moves_with_its_owner_and_is_copied_with_it(kind: type[Addon], where: str) -> None:
    skeleton = build()
    addon = attached(kind, OWNERS[where](skeleton))
    if where == "skeleton":
        assert not skeleton.body("base").split().has_addon(kind) and skeleton.has_addon(kind)
        return
    other = kido.Skeleton("other")
    copy = OWNERS[where](skeleton.body("body").copy_as("copy")).addon(kind)
    skeleton.body("body").move_to(skeleton=other)
    owner = OWNERS[where](other)
    assert owner.addon(kind) is addon and addon.owner is owner
    assert copy is not None and copy is not addon and copy.properties == addon.properties


@every_case
def test_a_removed_body_or_joint_has_none_and_takes_none(kind: type[Addon], where: str) -> None:
    skeleton = build()
    owner = OWNERS[where](skeleton)
    addon = attached(kind, owner)
    skeleton.body("body").remove()
    if where in ("skeleton", "node"):
        assert owner.addons == (addon,)
        return
    for ask in (
        lambda: attached(kind, owner),
        lambda: owner.addon(kind),
        lambda: owner.has_addon(kind),
        lambda: owner.remove_addon(kind),
        lambda: owner.addons,
    ):
        with pytest.raises(RemovedError):
            ask()


@every_case
def test_one_that_cannot_be_made_leaves_the_old_one(kind: type[Addon], where: str) -> None:
    owner = OWNERS[where](build())
    addon = attached(kind, owner)
    with pytest.raises(TypeError):
        owner.create_addon(kind, nonsense=1)
    assert owner.addons == (addon,)


@dataclass
class Loose:
    """A dataclass whose fields can be changed."""

    size: float = 1.0


class Plain:
    """No dataclass."""


@pytest.mark.parametrize("kind", [Loose, Plain, int, 3])
@pytest.mark.parametrize("role", ["State", "Properties"])
@pytest.mark.parametrize("base", [Addon, Node, UserJoint])
def test_a_class_whose_values_can_be_changed_is_refused_where_it_is_defined(
    base: type, role: str, kind: Any
) -> None:
    with pytest.raises(TypeError, match=rf"^{role} of Own: expected a frozen dataclass.*, got "):
        type("Own", (base,), {role: kind})


class Map(Addon):
    """An addon of a user with an array, a list and a dictionary."""

    @dataclass(frozen=True, eq=False)
    class State:
        """Numbers known of `cells`, `notes` and `counts` of places."""

        cells: np.ndarray = field(default_factory=lambda: np.zeros(3))
        notes: list[list[str]] = field(default_factory=list)
        counts: dict[str, int] = field(default_factory=dict)

    Properties = State


@pytest.mark.parametrize("role", ["state", "properties"])
def test_arrays_of_a_value_are_read_only_copies(role: str) -> None:
    cells = np.zeros(3)
    addon = build().create_addon(Map)
    assert not getattr(addon, role).cells.flags.writeable
    setattr(addon, role, Map.State(cells))
    cells[0] = 1.0
    held = getattr(addon, role)
    assert held.cells.tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="read-only"):
        held.cells[0] = 1.0
    view = cells[:]
    view.flags.writeable = False
    setattr(addon, role, Map.State(view))
    cells[1] = 1.0
    assert getattr(addon, role).cells.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("role", ["state", "properties"])
def test_lists_and_dictionaries_of_a_value_are_shared_with_nobody(role: str) -> None:
    notes, counts = [["a"]], {"a": 1}
    skeleton = build()
    skeleton.create_addon(Map)
    setattr(skeleton.addon(Map), role, Map.State(notes=notes, counts=counts))
    clone, value = skeleton.clone(), getattr(skeleton, role)
    for addon in (skeleton.addon(Map), clone.addon(Map)):
        held = getattr(addon, role)
        held.notes[0].append("b")
        held.counts["b"] = 2
        assert (held.notes, held.counts) == ([["a", "b"]], {"a": 1, "b": 2})
    assert (notes, counts) == ([["a"]], {"a": 1})
    setattr(skeleton, role, value)
    assert getattr(skeleton.addon(Map), role).notes == [["a"]]


def test_a_value_in_which_nothing_can_change_is_kept_as_it_is() -> None:
    addon = build().create_addon(Grid)
    state = Grid.State((1, 2))
    addon.state = state
    assert addon.state is state
