"""Values as users declare them."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from collections.abc import Iterable
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from enum import Enum
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

from kido.errors import SavedFileError
from kido.shape import Box
from kido.values import (
    Array,
    Checked,
    Value,
    array,
    checked,
    flag,
    frozen_content,
    items,
    number,
    read_only,
    register,
    value,
)
from kido.values._constructor import Constructor


def _even(name: str, value: int) -> int:
    if value % 2:
        raise ValueError(f"{name}: expected an even number, got {value}")
    return value


@value
class Spring(Value):
    """A value with a field of each declaration."""

    stiffness: float = number(unit="N/m")
    ends: Array = array(2, 3, unit="m", default=((0, 0, 0), (0, 0, 1)))
    rest: float | None = number(unit="m", default=None)
    coils: int = checked(_even, default=2, kw_only=True)
    stiff: bool = flag(default=False, kw_only=True)
    notes: Checked[Iterable[str], tuple[str, ...]] = items(default=(), kw_only=True)
    data: np.ndarray = read_only(default=(1, 2), kw_only=True)
    tag: str = field(default="", compare=False, kw_only=True)
    length: float = field(init=False)

    def _check(self) -> None:
        if self.stiffness < 0.0:
            raise ValueError(f"stiffness: expected no negative number [N/m], got {self.stiffness}")
        self._assign(length=float(np.linalg.norm(self.ends[1] - self.ends[0])))


class Mode(Enum):
    ON = 1


@value
class Base(Value):
    """A value whose class has others below it."""

    size: float = number(default=1.0)

    def shown(self) -> str:
        return f"size {self.size}"

    @property
    def area(self) -> float:
        return self.size**2


@value
class Derived(Base):
    """A value with a field more, and methods that ask those of its base."""

    depth: float = number(default=2.0)

    def shown(self) -> str:
        return f"{super().shown()}, depth {self.depth}"

    @property
    def area(self) -> float:
        return super().area + self.depth

    @classmethod
    def named(cls) -> str:
        return super().__name__ if False else cls.__name__


@value
class Named(Value):
    """A value with a constructor of its own."""

    names: Checked[Any, tuple[str, ...]] = items()
    weights: Array = array(-1)

    def __init__(self, weights: dict[str, float]) -> None:
        self._assign(names=weights, weights=list(weights.values()))


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Plain(Value):
    """A value without the decorator."""

    size: np.ndarray

    def __init__(self, size: Any) -> None:
        self._assign(size=np.array(size))


def test_fields_hold_what_their_declarations_make_of_what_is_given() -> None:
    spring = Spring(np.int64(3), coils=4, stiff=np.True_, notes=["a"])
    assert type(spring.stiffness) is float and spring.stiffness == 3.0
    assert spring.ends.dtype == np.float64 and not spring.ends.flags.writeable
    assert (spring.rest, spring.coils, spring.stiff, spring.notes) == (None, 4, True, ("a",))
    assert spring.length == 1.0
    assert Spring(1, rest=2).rest == 2.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"stiffness": np.nan}, r"stiffness: expected finite numbers \[N/m\], got nan"),
        ({"stiffness": -1}, r"stiffness: expected no negative number"),
        ({"ends": (1, 2)}, r"ends: expected shape \(2, 3\) \[m\], got \(2,\)"),
        ({"rest": np.inf}, r"rest: expected finite numbers \[m\]"),
        ({"coils": 3}, "coils: expected an even number, got 3"),
    ],
)
def test_what_a_field_cannot_be_is_refused_by_its_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        Spring(**{"stiffness": 1.0, **given})
    with pytest.raises(ValueError, match=f"^{message}"):
        replace(Spring(1.0), **given)


def test_text_is_no_number_of_a_field() -> None:
    with pytest.raises(TypeError, match=r"^stiffness: expected numbers of shape \(\) \[N/m\], got 'x'"):
        Spring("x")  # type: ignore[arg-type]


def test_arguments_that_are_missing_unknown_or_by_keyword_only_are_refused() -> None:
    with pytest.raises(TypeError, match="stiffness"):
        Spring()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="stifness"):
        Spring(stifness=1.0)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        Spring(1.0, ((0, 0, 0), (0, 0, 1)), None, 4)  # type: ignore[misc]


def test_content_is_compared_but_for_fields_that_are_not() -> None:
    one = Spring(1.0, tag="a")
    assert one == Spring(1.0, tag="b") and hash(one) == hash(Spring(1.0, tag="b"))
    assert one != Spring(1.0, ((0, 0, 0), (0, 0, 2)))
    assert one != replace(one, data=[1, 3]) and one == replace(one, data=np.array([1, 2]))


def test_nan_is_equal_to_nan_as_a_value_is_to_its_copy() -> None:
    one = replace(Spring(1.0), data=np.array([np.nan, 1.0]))
    other = replace(Spring(1.0), data=np.array([np.nan, 1.0]))
    assert one == other and hash(one) == hash(other) and {one: 1}[other] == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0])),
        (np.array([0.0, -0.0]), np.array([-0.0, 0.0])),
        (np.array([True, False]), np.array([1, 0], dtype=np.int8)),
        (np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 3.0], [2.0, 4.0]]).T),
        (np.array([np.nan, 1.0]), np.array([-np.nan, 1.0])),
        (np.array(2), np.array(2.0)),
    ],
)
def test_arrays_of_equal_numbers_have_one_hash(one: np.ndarray, other: np.ndarray) -> None:
    first, second = replace(Spring(1.0), data=one), replace(Spring(1.0), data=other)
    assert first == second and hash(first) == hash(second)
    assert hash(first) != hash(replace(Spring(1.0), data=[*one.ravel(), 1]))


def test_a_value_with_a_field_more_is_another_one_and_super_asks_its_base() -> None:
    assert Derived(1.0) != Base(1.0) and Base(1.0) != Derived(1.0)
    assert Derived(2.0).shown() == "size 2.0, depth 2.0" and Derived(2.0).area == 6.0
    assert Derived.named() == "Derived" and [one.name for one in fields(Derived)] == ["size", "depth"]


@pytest.mark.parametrize("one", [Named({"a": 1.0, "b": 2.0}), Plain([1.0, 2.0])], ids=["own", "plain"])
def test_values_with_a_constructor_of_their_own_are_copied_by_their_fields(one: Any) -> None:
    if isinstance(one, Named):
        assert one.names == ("a", "b") and not one.weights.flags.writeable
        return
    for twin in (copy.deepcopy(one), pickle.loads(pickle.dumps(one)), replace(one)):
        assert twin == one and hash(twin) == hash(one)


def test_values_of_users_are_loaded_where_they_are_named(tmp_path: Path) -> None:
    spring = Spring(1 / 3, rest=0.5, notes=["a"])
    spring.save(tmp_path / "value.json")
    assert Spring.load(tmp_path / "value.json") == spring
    assert Value.load(tmp_path / "value.json", [Spring]) == spring
    with pytest.raises(SavedFileError, match="unknown class 'Spring': pass it in `types`"):
        Value.load(tmp_path / "value.json")
    with pytest.raises(SavedFileError, match="expected a Base, got a Spring"):
        Base.load(tmp_path / "value.json", [Spring])


def test_only_classes_that_derive_from_value_are_decorated() -> None:
    for wrong in (int, type("Loose", (), {}), 3):
        with pytest.raises(TypeError, match="value: expected a class that derives from Value, got"):
            value(wrong)  # type: ignore[type-var, arg-type]


def test_a_class_of_a_user_is_not_entered_and_takes_no_name_of_kido() -> None:
    assert register(Mode) is Mode
    imposter = type(Box.__name__, (Value,), {"__module__": "kido.shape._imposter"})
    with pytest.raises(
        ValueError, match=r"kido\.Box: kido\.shape\._primitive and .*_imposter both define it"
    ):
        register(imposter)


@dataclass(frozen=True)
class Held:
    """A frozen dataclass of a user."""

    array: Any = None
    parts: tuple[Any, ...] = ()


def test_content_in_which_nothing_can_change_is_the_same_object() -> None:
    still = np.zeros(2)
    still.flags.writeable = False
    for kept in (Held(still, (Spring(1.0), Held(still))), Spring(1.0), (1, "a"), still, None):
        assert frozen_content(kept) is kept


def test_content_that_can_change_is_copied_at_any_depth() -> None:
    moving = np.zeros(2)
    view = moving[:]
    view.flags.writeable = False
    for loose in (moving, view):
        one = Held(None, (Held([loose, {"a": loose}]),))
        frozen = frozen_content(one)
        inside = frozen.parts[0].array
        moving[:] = 1.0
        assert type(frozen) is Held and (inside[0] == 0.0).all() and (inside[1]["a"] == 0.0).all()
        assert not inside[0].flags.writeable and not inside[1]["a"].flags.writeable
        assert one.parts[0].array[0] is loose
        moving[:] = 0.0


class Told:
    """Fields as dataclasses have them, in every order that they may have."""

    first: int
    self: int = 1
    second: list[int] = field(default_factory=list)
    third: Any = None
    hidden: int = field(default=7, init=False)
    made: list[int] = field(default_factory=lambda: [1, 2], init=False)
    late: str = field(kw_only=True)
    later: dict[str, int] = field(default_factory=dict, kw_only=True)


def test_constructors_are_those_of_frozen_dataclasses() -> None:
    names = {name: item for name, item in vars(Told).items() if name not in ("__dict__", "__weakref__")}
    expected: Any = dataclass(frozen=True)(type("Same", (), dict(names)))
    same: Any = value(type("Same", (Value,), names))
    assert isinstance(vars(same)["__init__"], Constructor)
    assert str(inspect.signature(same)) == str(inspect.signature(expected))
    assert inspect.isfunction(vars(same)["__init__"])
    assert same.__init__.__qualname__ == expected.__init__.__qualname__
    assert get_type_hints(same.__init__) == get_type_hints(expected.__init__)
    for given, named in [((1,), {"late": "x"}), ((1, 2, [3], 4), {"late": "y", "later": {"z": 5}})]:
        mine, theirs = same(*given, **named), expected(*given, **named)
        for f in fields(theirs):
            assert getattr(mine, f.name) == getattr(theirs, f.name)
    assert same(1, late="").second is not same(1, late="").second
    for given, named in [
        ((), {"late": ""}),
        ((1,), {}),
        ((1, 2, 3, 4, 5), {"late": ""}),
        ((1,), {"lat": ""}),
    ]:
        with pytest.raises(TypeError) as refused:
            expected(*given, **named)
        with pytest.raises(TypeError, match=re.escape(str(refused.value))):
            same(*given, **named)


def test_a_field_without_a_default_behind_one_with_a_default_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match="non-default argument 'second' follows default argument 'first'"):

        @value
        class Wrong(Value):
            first: int = number(default=1.0)
            second: int = number()


def test_a_value_counts_as_a_frozen_dataclass() -> None:
    @dataclass(frozen=True)
    class Below(Spring):
        more: int = 0

    assert Below(1.0, more=2).more == 2
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):

        @dataclass
        class Loose(Spring):
            more: int = 0


def test_a_value_derives_from_one_without_fields() -> None:
    @value
    class Kind(Value):
        pass

    @value
    class Sort(Kind):
        size: float = number(default=1.0)

    assert Sort(2.0) == Sort(2) != Kind()
    with pytest.raises(FrozenInstanceError):
        Sort().size = 3.0  # type: ignore[misc]
