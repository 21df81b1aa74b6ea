"""Arguments that hold no real numbers, or not as many as it seems, are refused by name."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import kido
from kido import _core
from kido.typing import frozen_array

ARM = kido.gallery.chain(3)
N = ARM.num_dofs
TREE = ARM.tree

Read = Callable[[Any], Any]


def _set(owner: Any, name: str, value: Any) -> Any:
    setattr(owner, name, value)
    return np.array(getattr(owner, name))


READERS: dict[str, tuple[str, int, Read]] = {
    "tree": ("q", N, TREE.gravity_forces),
    "tree, second": ("v", N, lambda x: TREE.bias_forces(np.full(N, 0.4), x)),
    "offset": ("offset", 3, lambda x: TREE.jacobian(np.zeros(N), 1, offset=x)),
    "state": ("positions", N, lambda x: _set(ARM, "positions", x)),
    "joint": ("positions", ARM.joint(0).num_dofs, lambda x: _set(ARM.joint(0), "positions", x)),
    "frame": ("offset", 3, lambda x: ARM.bodies[-1].linear_velocity(x)),
    "math": ("v", 3, kido.math.hat),
    "value": ("gravity", 3, lambda x: _set(ARM, "gravity", x)),
}
"""Readers of numbers: the argument's name, how many it takes, a call that reads them and tells."""

reader = pytest.mark.parametrize(("name", "count", "read"), READERS.values(), ids=READERS)

NO_NUMBERS: dict[str, Callable[[int], Any]] = {
    "text": lambda n: "1" * n,
    "bytes": lambda n: b"1" * n,
    "bytearray": lambda n: bytearray(n),
    "texts": lambda n: ["1"] * n,
    "texts among numbers": lambda n: [0.5, *["1"] * (n - 1)] if n > 1 else ["1"],
    "array of text": lambda n: np.array(["1"] * n),
    "array of bytes": lambda n: np.array([b"1"] * n),
    "objects that are text": lambda n: np.array(["1"] * n, dtype=object),
    "complex": lambda n: np.full(n, 1.0 + 2.0j),
    "complex scalars": lambda n: [np.complex128(1.0 + 2.0j)] * n,
    "small complex scalars": lambda n: np.array([np.complex64(1.0 + 2.0j)] * n, dtype=object),
    "complex numbers": lambda n: [1.0 + 2.0j] * n,
    "times": lambda n: np.zeros(n, "m8[s]"),
    "dates": lambda n: np.zeros(n, "M8[s]"),
    "records": lambda n: np.zeros(n, [("x", "f8")]),
}
MASKED: dict[str, Callable[[int], Any]] = {
    "masked array": lambda n: np.ma.array(np.ones(n), mask=[True] + [False] * (n - 1)),
    "masked array of integers": lambda n: np.ma.array(np.ones(n, int), mask=True),
}
NUMBERS: dict[str, Callable[[int], Any]] = {
    "booleans": lambda n: [True] * n,
    "array of booleans": lambda n: np.ones(n, bool),
    "integers": lambda n: [1] * n,
    "fractions": lambda n: [Fraction(1)] * n,
    "decimals": lambda n: [Decimal(1)] * n,
    "objects": lambda n: np.ones(n, object),
    "numbers in a list": lambda n: [np.float32(1.0)] * n,
    "array with a mask of nothing": lambda n: np.ma.array(np.ones(n), mask=False),
    "array without a mask": lambda n: np.ma.array(np.ones(n)),
    "half": lambda n: np.ones(n, np.float16),
}


@reader
@pytest.mark.parametrize("make", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_what_are_no_real_numbers_is_a_type_error(
    name: str, count: int, read: Read, make: Callable[[int], Any]
) -> None:
    with pytest.raises(TypeError, match=f"^{name}: expected .*, got "):
        read(make(count))


@reader
@pytest.mark.parametrize("make", MASKED.values(), ids=MASKED)
def test_masked_elements_are_a_value_error(
    name: str, count: int, read: Read, make: Callable[[int], Any]
) -> None:
    with pytest.raises(ValueError, match=f"^{name}: expected .*, got .*mask"):
        read(make(count))


def test_masked_rows_in_lists_are_found() -> None:
    rows = [np.zeros(N), np.ma.array(np.zeros(N), mask=np.arange(N) == 1)]
    for listed in (rows, tuple(rows), [rows]):
        with pytest.raises(ValueError, match=r"^q: expected .*, got (list|tuple) with masked elements$"):
            TREE.gravity_forces(listed)


@reader
@pytest.mark.parametrize("make", NUMBERS.values(), ids=NUMBERS)
def test_numbers_of_any_other_kind_are_taken(
    name: str, count: int, read: Read, make: Callable[[int], Any]
) -> None:
    before, ARM.velocities = ARM.positions, np.linspace(0.1, 0.5, N)
    try:
        plain = read(np.ones(count))
        assert (plain != read(np.zeros(count))).any()
        np.testing.assert_array_equal(read(make(count)), plain)
    finally:
        ARM.positions, ARM.velocities = before, np.zeros(N)
        ARM.gravity = (0.0, 0.0, -9.81)


class Raises:
    """An array that cannot be read."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise self.error


@pytest.mark.parametrize("reader", sorted(set(READERS) - {"joint"}))  # which looks for one number first
@pytest.mark.parametrize("error", [RuntimeError("gone"), ValueError("odd"), OSError("disk")], ids=repr)
def test_an_error_of_reading_is_the_cause_of_the_type_error(reader: str, error: Exception) -> None:
    name, _, read = READERS[reader]
    with pytest.raises(TypeError, match=f"^{name}: expected ") as caught:
        read(Raises(error))
    causes, cause = [], caught.value.__cause__
    while cause is not None:
        causes.append(cause)
        cause = cause.__cause__
    assert error in causes


@reader
@pytest.mark.parametrize("error", [MemoryError(), KeyboardInterrupt(), SystemExit(3)], ids=repr)
def test_exhausted_memory_and_interrupts_pass_through(
    name: str, count: int, read: Read, error: BaseException
) -> None:
    with pytest.raises(type(error)) as caught:
        read(Raises(error))
    assert caught.value is error


class Wordy:
    def __repr__(self) -> str:
        return "x" * 10**6


class Mute:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


LONG: dict[str, Any] = {
    "text": "x" * 10**6,
    "surrogates": "\udcff" * 10**6,
    "bytes": b"x" * 10**6,
    "list of text": ["x" * 10**5] * 100,
    "many texts": ["x"] * 10**6,
    "numbers": [1.0] * 10**6,
    "deep": [[[["x" * 10**5] * 9] * 9] * 9],
    "set": set(range(10**6)),
    "number": 10**4000,
    "wordy": Wordy(),
    "mute": Mute(),
    "class of a long name": type("x" * 10**6, (), {})(),
    "array": np.zeros(10**6),
    "not finite": np.full(10**6, np.nan),
    "array of text": np.full(10**5, "x" * 100),
    "record": np.zeros(3, [(f"field{i}", "f8") for i in range(10**4)]),
}


@reader
@pytest.mark.parametrize("value", LONG.values(), ids=LONG)
def test_messages_are_short_whatever_is_given(name: str, count: int, read: Read, value: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{name}: expected ") as caught:
        read(value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("value", [1.5, "it's", [1, [2.0, None]], (3,), {"a": 1}, {2}, b"x", np.eye(2), len])
def test_brief_is_repr_where_that_is_short(value: object) -> None:
    assert _core.brief(value) == repr(value)


class Holds:
    """An object that hands out the array that it works on."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.array


FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "array": lambda x: x,
    "Fortran order": lambda x: x.T.copy().T,
    "subclass": lambda x: x.view(np.recarray),
    "buffer": memoryview,
    "object with an array": Holds,
    "objects": lambda x: x.astype(object),
    "integers": lambda x: x.astype(int),
    "list": lambda x: x.tolist(),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_frozen_numbers_are_a_copy_of_their_own(form: Callable[[np.ndarray], Any]) -> None:
    source = np.arange(6.0).reshape(2, 3)
    array = frozen_array("x", form(source), (2, 3))
    assert (array == source).all()
    assert array.flags.owndata and array.flags.c_contiguous and not array.flags.writeable
    assert not np.shares_memory(array, source) and source.flags.writeable


LONG_NAME = "x" * 10**6
NAMED: dict[str, Callable[[], Any]] = {
    "load": lambda: kido.load(LONG_NAME),
    "load of a format": lambda: kido.load(f"{LONG_NAME}.urdf"),
    "load_world": lambda: kido.load_world(LONG_NAME),
    "load_recording": lambda: kido.load_recording(f"{LONG_NAME}.h5"),
    "save": lambda: kido.save(kido.gallery.arm7(), LONG_NAME),
    "render": lambda: kido.render(kido.gallery.arm7(), LONG_NAME),
    "mesh": lambda: kido.shape.Mesh(f"{LONG_NAME}.stl"),
    "library": lambda: kido.ik.IKFastLibrary.compile(LONG_NAME),
    "order of a joint": lambda: kido.EulerJoint("joint", LONG_NAME),
    "order of angles": lambda: kido.math.euler_to_matrix(np.zeros(3), LONG_NAME),
    "order that is no text": lambda: kido.math.euler_to_matrix(np.zeros(3), np.zeros(10**6)),  # type: ignore[arg-type]
    "actuator": lambda: setattr(kido.gallery.arm7().joints[1], "actuator", LONG_NAME),
    "body": lambda: kido.gallery.arm7().body(LONG_NAME),
    "robot": lambda: kido.gallery.make(LONG_NAME),
}


@pytest.mark.parametrize("call", NAMED.values(), ids=NAMED)
def test_messages_are_short_whatever_name_is_given(call: Callable[[], Any]) -> None:
    with pytest.raises((ValueError, KeyError)) as caught:
        call()
    assert 20 < len(str(caught.value)) < 700
