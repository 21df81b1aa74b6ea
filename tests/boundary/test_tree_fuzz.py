"""Whatever a method of Tree is given, it answers as for the same numbers in plain arrays, or says what is
wrong; it never crashes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from _effort import examples
from _methods import METHODS, SHAPES, Method
from _random_trees import every_joint
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

ROBOT = every_joint(3)
DOFS = ROBOT.tree.num_dofs
REFUSALS = (ValueError, TypeError, KeyError, IndexError)

extents = st.sampled_from([0, 1, 2, 3, 6, 9, DOFS - 1, DOFS, DOFS + 1])
shapes = st.one_of(
    st.lists(extents, max_size=3).map(tuple),
    st.lists(st.sampled_from([0, 1, 2, 3]), max_size=2).map(lambda leading: (*leading, DOFS)),
)
dtypes = st.sampled_from(["f8", "f4", ">f8", "i4", "u1", "?", "c16", "U3", "O", "M8[s]"])


def _array(shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape).astype(dtype)


arrays = st.one_of(
    st.builds(_array, shapes, dtypes, st.integers(0, 9)),
    npst.arrays(np.float64, shapes, elements=st.floats(width=64)),
    npst.arrays(np.float64, shapes, elements=st.floats(-2.0, 2.0)),
    st.none() | st.integers() | st.floats() | st.text(max_size=3) | st.lists(st.floats(), max_size=3),
)
anything = arrays | st.dictionaries(st.text(max_size=2), st.integers(), max_size=2)
options = st.one_of(
    anything,
    st.integers(0, 7) | st.booleans() | st.floats(-2.0, 2.0),
    st.sampled_from(["world", "body", "spatial"]),
    st.builds(_array, st.sampled_from([(3,), (DOFS,)]), dtypes, st.integers(0, 9)),
)


def _answer(method: Method, values: list[Any], more: dict[str, Any]) -> tuple[Any, ...] | None:
    """The results, which are those of plain arrays bit by bit; None where they are refused with a reason."""
    try:
        results = method.results(ROBOT.tree, *values, **more)
    except REFUSALS as error:
        assert str(error)
        return None
    plain = Method(method.name, method.arrays, _plain_options(method), method.outputs)
    arrays = (None if value is None else np.array(value, dtype=np.float64) for value in values)
    expected = plain.results(ROBOT.tree, *arrays)
    for result, same in zip(results, expected, strict=True):
        assert isinstance(result, np.ndarray)
        np.testing.assert_array_equal(result, same)
    return results


def _plain_options(method: Method) -> dict[str, Any]:
    """The options with a vector as a plain array and a number of seconds as a float."""
    numbers = {"offset": lambda value: value if value is None else np.array(value, np.float64), "dt": float}
    return {key: numbers[key](value) if key in numbers else value for key, value in method.options.items()}


@settings(max_examples=examples(400))
@given(st.sampled_from(METHODS), st.data())
def test_any_arguments_give_arrays_or_a_reason(method: Method, data: st.DataObject) -> None:
    values = [
        data.draw(anything) if data.draw(st.booleans()) else _array(SHAPES[name](ROBOT.tree), "f8", seed)
        for seed, name in enumerate(method.arrays)
    ]
    more = {"out": data.draw(anything)} if data.draw(st.booleans()) else {}
    _answer(method, values, more)


@settings(max_examples=examples(200))
@given(st.sampled_from([m for m in METHODS if m.options]), st.data())
def test_any_options_give_arrays_or_a_reason(method: Method, data: st.DataObject) -> None:
    values = method.arguments(ROBOT)
    changed = data.draw(st.sampled_from(sorted(method.options)))
    odd = Method(method.name, method.arrays, {**method.options, changed: data.draw(options)}, method.outputs)
    _answer(odd, values, {})


@pytest.mark.parametrize("size", [1e-310, 1e-160])
def test_tiny_numbers_count_as_none(size: float) -> None:
    """Wherever the robot stands, for at zero its mass matrix is singular."""
    for method in METHODS:
        values = list(zip(method.arrays, method.arguments(ROBOT), strict=True))
        tiny, none = (
            method.results(ROBOT.tree, *(x if name[0] == "q" else np.full_like(x, y) for name, x in values))
            for y in (size, 0.0)
        )
        for result, at_zero in zip(tiny, none, strict=True):
            np.testing.assert_allclose(result, at_zero, rtol=1e-12, atol=1e-100, err_msg=str(method))


@pytest.mark.parametrize("size", [1e-310, 1e-160])
def test_tiny_positions_count_as_none(size: float) -> None:
    tree = ROBOT.tree
    q, none = np.full(DOFS, size), np.zeros(DOFS)
    for ask in (tree.forward_kinematics, tree.mass_matrix, tree.gravity_forces, tree.center_of_mass):
        np.testing.assert_allclose(ask(q), ask(none), rtol=1e-12, atol=1e-100)


@pytest.mark.parametrize("size", [1e150, 1e300])
def test_huge_numbers_do_not_crash(size: float) -> None:
    for method in METHODS:
        ordinary = method.arguments(ROBOT)
        results = _answer(method, [np.full_like(x, size) for x in ordinary], {})
        if results is not None:
            shapes = [result.shape for result in method.results(ROBOT.tree, *ordinary)]
            assert [result.shape for result in results] == shapes, method
