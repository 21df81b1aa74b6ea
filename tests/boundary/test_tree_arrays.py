"""Arrays in and out: types, orders, broadcasting, `out`, aliases."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from _looped import looped
from _methods import METHODS, PLAIN_METHODS, SHAPES, Method, at_body
from _random_trees import Array, Robot, every_joint

OTHER_ARRAYS: dict[str, Callable[[Array], Any]] = {
    "list": lambda x: x.tolist(),
    "tuple of arrays": lambda x: tuple(x),
    "every second element": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "reversed": lambda x: x[..., ::-1].copy()[..., ::-1],
    "Fortran order": np.asfortranarray,
    "other byte order": lambda x: x.astype(">f8"),
    "float64 subclass": lambda x: x.view(np.recarray),
    "read-only": lambda x: frozen(x),
    "misaligned": lambda x: misaligned(x),
    "broadcast view": lambda x: np.broadcast_to(x, x.shape),
    "objects with __array__": lambda x: Wrapped(x),
    "buffer": lambda x: memoryview(x),
}


class Wrapped:
    def __init__(self, array: Array) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.array, dtype=dtype)


def frozen(x: Array) -> Array:
    x = x.copy()
    x.flags.writeable = False
    return x


def misaligned(x: Array) -> Array:
    raw = np.zeros(x.nbytes + 1, np.uint8)
    view = raw[1:].view(np.float64).reshape(x.shape)
    view[...] = x
    return view


def same(results: tuple[Array, ...], expected: tuple[Array, ...]) -> bool:
    pairs = zip(results, expected, strict=True)
    return all(a.shape == b.shape and (np.asarray(a) == b).all() for a, b in pairs)


def empty_like(results: tuple[Array, ...]) -> Any:
    made = tuple(np.full(np.shape(result), -7.0) for result in results)
    return made if len(made) > 1 else made[0]


def spoiled(method: Method, good: Any, spoil: Callable[[Array], Any]) -> Any:
    """The same `out` with its last array spoiled."""
    return (*good[:-1], spoil(good[-1])) if method.outputs > 1 else spoil(good)


every_method = looped("method", PLAIN_METHODS)
MATRIX_METHODS = [m for m in PLAIN_METHODS if m.name not in ("kinetic_energy", "potential_energy")]
"""Methods whose result for one state is an array with axes."""
VECTOR_METHODS = (
    "integrate",
    "difference",
    "inverse_dynamics",
    "forward_dynamics",
    "bias_forces",
    "gravity_forces",
)
"""Methods whose result has the shape of an argument."""


@pytest.fixture
def robot() -> Robot:
    return every_joint()


@every_method
@pytest.mark.parametrize("form", OTHER_ARRAYS.values(), ids=OTHER_ARRAYS)
def test_inputs_of_any_form_give_the_same_bits(
    method: Method, form: Callable[[Array], Any], robot: Robot
) -> None:
    for leading in ((), (3,)):
        arrays = method.arguments(robot, leading)
        expected = method.results(robot.tree, *arrays)
        assert same(method.results(robot.tree, *(form(x) for x in arrays)), expected)


@every_method
@pytest.mark.parametrize("dtype", ["f2", "f4", "i8", "i4", "u1", "?"])
def test_inputs_of_other_numbers_are_converted(method: Method, dtype: str, robot: Robot) -> None:
    arrays = [np.abs(x * 3.0).astype(dtype) for x in method.arguments(robot)]
    expected = method.results(robot.tree, *(x.astype(np.float64) for x in arrays))
    assert same(method.results(robot.tree, *arrays), expected)


@every_method
def test_inputs_are_not_changed(method: Method, robot: Robot) -> None:
    arrays = method.arguments(robot, (5,))
    before = [x.copy() for x in arrays]
    method(robot.tree, *arrays)
    assert same(tuple(arrays), tuple(before))


@looped("method", METHODS)
def test_leading_shapes_broadcast_as_in_numpy(method: Method, robot: Robot) -> None:
    asked = at_body(method, robot.tree.num_bodies - 1)
    shapes = [(1,), (2, 1), (3,), (), (2, 3)][-len(method.arrays) :] if len(method.arrays) > 1 else [(2, 3)]
    arrays = [
        Method(method.name, (name,)).arguments(robot, shape)[0]
        for name, shape in zip(method.arrays, shapes, strict=True)
    ]
    leading = np.broadcast_shapes(*shapes)
    results = asked.results(robot.tree, *arrays)
    full = [
        np.broadcast_to(x, (*leading, *SHAPES[name](robot.tree)))
        for name, x in zip(method.arrays, arrays, strict=True)
    ]
    for index in np.ndindex(*leading):
        expected = asked.results(robot.tree, *(x[index] for x in full))
        assert same(tuple(x[index] for x in results), expected)
    assert all(x.shape[: len(leading)] == leading for x in results)


@every_method
@pytest.mark.parametrize("leading", [(0,), (0, 3), (3, 0), (1, 0, 2)])
def test_no_states_give_no_results(method: Method, leading: tuple[int, ...], robot: Robot) -> None:
    one = method.results(robot.tree, *method.arguments(robot))
    none = method.results(robot.tree, *method.arguments(robot, leading))
    assert [x.shape for x in none] == [(*leading, *x.shape) for x in one]
    assert all(x.dtype == np.float64 for x in none)


@every_method
def test_no_states_and_one_state_broadcast_to_none(method: Method, robot: Robot) -> None:
    if len(method.arrays) == 1:
        return
    arrays = [method.arguments(robot, (0,))[0], *method.arguments(robot, (1,))[1:]]
    assert all(x.shape[0] == 0 for x in method.results(robot.tree, *arrays))


@every_method
def test_axes_of_length_one_stay(method: Method, robot: Robot) -> None:
    arrays = method.arguments(robot, (1, 1))
    one = method.results(robot.tree, *(x[0, 0] for x in arrays))
    assert same(tuple(x[0, 0] for x in method.results(robot.tree, *arrays)), one)


@every_method
def test_results_are_new_plain_arrays(method: Method, robot: Robot) -> None:
    arrays = method.arguments(robot, (2,))
    for x in method.results(robot.tree, *arrays):
        assert type(x) is np.ndarray and x.dtype == np.float64
        assert x.flags.c_contiguous and x.flags.writeable and x.flags.owndata
        assert not any(np.shares_memory(x, argument) for argument in arrays)


@every_method
@pytest.mark.parametrize("leading", [(), (3,), (2, 9)])
def test_out_is_written_and_returned(method: Method, leading: tuple[int, ...], robot: Robot) -> None:
    arrays = method.arguments(robot, leading)
    expected = method.results(robot.tree, *arrays)
    out = empty_like(expected)
    returned = method(robot.tree, *arrays, out=out)
    if method.outputs > 1:
        assert all(a is b for a, b in zip(returned, out, strict=True))
        assert same(out, expected)
    else:
        assert returned is out
        assert same((out,), expected)


WRONG_TYPES: dict[str, Callable[[Array], Any]] = {
    "float32": lambda x: x.astype("f4"),
    "int64": lambda x: x.astype("i8"),
    "complex": lambda x: x.astype(complex),
    "other byte order": lambda x: x.astype(">f8"),
    "list": lambda x: x.tolist(),
    "text": lambda x: "out",
    "memoryview": lambda x: memoryview(x),
}
WRONG_VALUES: dict[str, Callable[[Array], Any]] = {
    "read-only": lambda x: frozen(x),
    "one row more": lambda x: np.full((x.shape[0] + 1, *x.shape[1:]), -7.0),
    "one axis more": lambda x: x[None],
    "one axis less": lambda x: x[0],
    "flat": lambda x: np.full(x.size + 1, -7.0),
    "strided": lambda x: np.full((*x.shape[:-1], 2 * x.shape[-1]), -7.0)[..., ::2],
    "reversed": lambda x: np.full(x.shape, -7.0)[::-1],
    "misaligned": lambda x: misaligned(x),
    "broadcast": lambda x: np.broadcast_to(x[:1], x.shape),
}
EXPECTED = "expected a writable, C-contiguous float64 array of shape"


def untouched(out: Any) -> bool:
    parts = out if isinstance(out, tuple) else (out,)
    return all((x == -7.0).all() for x in parts if isinstance(x, np.ndarray))


@pytest.mark.parametrize("spoil", WRONG_TYPES.values(), ids=WRONG_TYPES)
@looped("method", MATRIX_METHODS)
def test_out_of_a_wrong_type_is_refused_untouched(
    method: Method, spoil: Callable[[Array], Any], robot: Robot
) -> None:
    arrays = method.arguments(robot, (2,))
    out = spoiled(method, empty_like(method.results(robot.tree, *arrays)), spoil)
    name = f"out[{method.outputs - 1}]" if method.outputs > 1 else "out"
    with pytest.raises(TypeError, match=f"^{re.escape(f'{name}: {EXPECTED}')} .*, got "):
        method(robot.tree, *arrays, out=out)
    assert untouched(out)


@pytest.mark.parametrize("spoil", WRONG_VALUES.values(), ids=WRONG_VALUES)
@looped("method", MATRIX_METHODS)
def test_out_of_a_wrong_shape_or_layout_is_refused_untouched(
    method: Method, spoil: Callable[[Array], Any], robot: Robot
) -> None:
    arrays = method.arguments(robot, (2,))
    out = spoiled(method, empty_like(method.results(robot.tree, *arrays)), spoil)
    name = f"out[{method.outputs - 1}]" if method.outputs > 1 else "out"
    with pytest.raises(ValueError, match=f"^{re.escape(f'{name}: {EXPECTED}')} .*, got "):
        method(robot.tree, *arrays, out=out)
    assert untouched(out)


@every_method
def test_out_stays_untouched_where_an_argument_is_bad(method: Method, robot: Robot) -> None:
    arrays = method.arguments(robot, (2,))
    out = empty_like(method.results(robot.tree, *arrays))
    arrays[-1].flat[-1] = np.nan
    with pytest.raises(ValueError, match="nan"):
        method(robot.tree, *arrays, out=out)
    assert untouched(out)


@looped("method", [m for m in PLAIN_METHODS if m.outputs > 1])
def test_out_of_several_results_is_a_tuple_of_different_arrays(method: Method, robot: Robot) -> None:
    arrays = method.arguments(robot, (2,))
    out = empty_like(method.results(robot.tree, *arrays))
    n = method.outputs
    wrongs = {f"one of {n - 1}": out[:-1], f"one of {n + 1}": (*out, out[0]), "list": list(out)}
    for got, wrong in (*wrongs.items(), ("ndarray", out[0]), ("ndarray", np.array(out)), ("one of 0", ())):
        with pytest.raises(
            TypeError, match=rf"^out: expected a tuple of {method.outputs} arrays, got {got}$"
        ):
            method(robot.tree, *arrays, out=wrong)
    with pytest.raises(ValueError, match="memory"):
        method(robot.tree, *arrays, out=(*out[:-1], out[0]))
    assert untouched(out)


@pytest.mark.parametrize("leading", [(), (1,), (16,), (200,)])
@looped("method", [m for m in PLAIN_METHODS if m.name in VECTOR_METHODS])
def test_out_may_be_an_argument(method: Method, leading: tuple[int, ...], robot: Robot) -> None:
    arrays = method.arguments(robot, leading)
    (expected,) = method.results(robot.tree, *arrays)
    for index, name in enumerate(method.arrays):
        if name == "wrenches":
            continue
        copies = [x.copy() for x in arrays]
        assert method(robot.tree, *copies, out=copies[index]) is copies[index]
        assert same((copies[index],), (expected,))


def test_out_may_overlap_an_argument_in_part(robot: Robot) -> None:
    n = robot.tree.num_dofs
    q = Method("integrate", ("q",)).arguments(robot, (9,))[0]
    v = robot.rng.uniform(-1.0, 1.0, (9, n))
    expected = robot.tree.integrate(q, v, 0.5)
    memory = np.zeros((10, n))
    memory[:9] = q
    got = robot.tree.integrate(memory[:9], v, 0.5, out=memory[1:])
    assert (got == expected).all()
    M = np.zeros((9, n, n))
    M.reshape(9 * n, n)[:9] = q
    expected = robot.tree.mass_matrix(q)
    assert (robot.tree.mass_matrix(M.reshape(9 * n, n)[:9], out=M) == expected).all()


def test_a_broadcast_argument_may_be_part_of_out(robot: Robot) -> None:
    n = robot.tree.num_dofs
    q = Method("integrate", ("q",)).arguments(robot)[0]
    v = robot.rng.uniform(-1.0, 1.0, (9, n))
    expected = robot.tree.integrate(q, v, 0.5)
    out = np.zeros((9, n))
    out[4] = q
    assert (robot.tree.integrate(out[4], v, 0.5, out=out) == expected).all()
