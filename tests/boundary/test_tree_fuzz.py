"""Whatever a method of Tree is given, it answers with arrays or says what is wrong; it never crashes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from _effort import examples
from _methods import METHODS, Method
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
    st.none() | st.integers() | st.floats() | st.text(max_size=3) | st.lists(st.floats(), max_size=3),
)
anything = arrays | st.dictionaries(st.text(max_size=2), st.integers(), max_size=2)


def _answer(method: Method, values: list[Any], more: dict[str, Any]) -> None:
    try:
        results = method.results(ROBOT.tree, *values, **more)
    except REFUSALS as error:
        assert str(error)
    else:
        assert all(isinstance(result, np.ndarray) for result in results)


@settings(max_examples=examples(400))
@given(st.sampled_from(METHODS), st.data())
def test_any_arguments_give_arrays_or_a_reason(method: Method, data: st.DataObject) -> None:
    values = [data.draw(anything) for _ in method.arrays]
    more = {"out": data.draw(anything)} if data.draw(st.booleans()) else {}
    _answer(method, values, more)


@settings(max_examples=examples(200))
@given(st.sampled_from([m for m in METHODS if m.options]), st.data())
def test_any_options_give_arrays_or_a_reason(method: Method, data: st.DataObject) -> None:
    values = method.arguments(ROBOT)
    changed = data.draw(st.sampled_from(sorted(method.options)))
    odd = Method(method.name, method.arrays, {**method.options, changed: data.draw(anything)}, method.outputs)
    _answer(odd, values, {})


@pytest.mark.parametrize("size", [1e-310, 1e-160, 1e150, 1e300])
def test_extreme_numbers_do_not_crash(size: float) -> None:
    for method in METHODS:
        _answer(method, [np.full_like(x, size) for x in method.arguments(ROBOT)], {})
