"""Group axioms of SO(3) and SE(3), over batch shapes, by hypothesis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from _effort import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import kido.math as km

Array = np.ndarray[Any, np.dtype[np.float64]]

TOLERANCE = 2e-14


@dataclass(frozen=True)
class Group:
    """A matrix group and what kido offers for it."""

    name: str
    dim: int
    size: int
    exp: Callable[[Any], Array]
    log: Callable[[Any], Array]
    inverse: Callable[[Any], Array]
    adjoint: Callable[[Any], Array]
    contains: Callable[[Any], Any]
    left: Callable[[Any], Array]
    left_inverse: Callable[[Any], Array]
    right: Callable[[Any], Array]
    right_inverse: Callable[[Any], Array]


SO3 = Group(
    "SO3",
    3,
    3,
    km.so3_exp,
    km.so3_log,
    lambda R: np.swapaxes(R, -1, -2),
    lambda R: np.asarray(R),
    km.is_rotation,
    km.so3_left_jacobian,
    km.so3_left_jacobian_inverse,
    km.so3_right_jacobian,
    km.so3_right_jacobian_inverse,
)
SE3 = Group(
    "SE3",
    6,
    4,
    km.se3_exp,
    km.se3_log,
    km.inverse_transform,
    km.adjoint,
    km.is_transform,
    km.se3_left_jacobian,
    km.se3_left_jacobian_inverse,
    km.se3_right_jacobian,
    km.se3_right_jacobian_inverse,
)

every_group = pytest.mark.parametrize("group", [SO3, SE3], ids=lambda g: g.name)
every_batch = pytest.mark.parametrize("batch", [(), (1,), (4,), (2, 3), (2, 1, 3), (0,), (3, 0)], ids=str)


def tangents(group: Group, batch: tuple[int, ...], largest: float = 1.7) -> st.SearchStrategy[Array]:
    """Tangent vectors whose angle stays below pi: sqrt(3) * 1.7 < pi."""
    return arrays(np.float64, (*batch, group.dim), elements=st.floats(-largest, largest))


def times(matrix: Array, vector: Array) -> Array:
    return np.asarray((matrix @ vector[..., np.newaxis])[..., 0])


def assert_close(actual: Array, expected: Array, tolerance: float = TOLERANCE) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tolerance)


@every_group
@every_batch
@settings(max_examples=examples(15), deadline=None)
@given(data=st.data())
def test_exp_lies_in_the_group_and_log_undoes_it(
    group: Group, batch: tuple[int, ...], data: st.DataObject
) -> None:
    x = data.draw(tangents(group, batch))
    g = group.exp(x)
    assert g.shape == (*batch, group.size, group.size)
    assert np.all(group.contains(g))
    assert_close(group.log(g), x)


@every_group
@every_batch
@settings(max_examples=examples(15), deadline=None)
@given(data=st.data())
def test_products_are_associative_with_identity_and_inverse(
    group: Group, batch: tuple[int, ...], data: st.DataObject
) -> None:
    a, b, c = (group.exp(data.draw(tangents(group, batch))) for _ in range(3))
    identity = np.broadcast_to(np.eye(group.size), a.shape)
    assert np.all(group.contains(a @ b))
    assert_close((a @ b) @ c, a @ (b @ c))
    assert_close(a @ group.inverse(a), identity)
    assert_close(group.inverse(a) @ a, identity)
    assert_close(group.inverse(a @ b), group.inverse(b) @ group.inverse(a))
    assert_close(group.exp(np.zeros((*batch, group.dim))), identity, 0.0)


@every_group
@every_batch
@settings(max_examples=examples(15), deadline=None)
@given(data=st.data())
def test_the_inverse_has_the_negative_logarithm(
    group: Group, batch: tuple[int, ...], data: st.DataObject
) -> None:
    x = data.draw(tangents(group, batch))
    assert_close(group.log(group.inverse(group.exp(x))), -x)


@every_group
@every_batch
@settings(max_examples=examples(15), deadline=None)
@given(data=st.data())
def test_the_adjoint_carries_tangents_through(
    group: Group, batch: tuple[int, ...], data: st.DataObject
) -> None:
    x, y = (data.draw(tangents(group, batch)) for _ in range(2))
    g = group.exp(y)
    assert_close(group.exp(times(group.adjoint(g), x)), g @ group.exp(x) @ group.inverse(g))


@every_group
@every_batch
@settings(max_examples=examples(15), deadline=None)
@given(data=st.data())
def test_the_jacobians_fit_each_other(group: Group, batch: tuple[int, ...], data: st.DataObject) -> None:
    x = data.draw(tangents(group, batch))
    left, right = group.left(x), group.right(x)
    identity = np.broadcast_to(np.eye(group.dim), left.shape)
    assert_close(left @ group.left_inverse(x), identity)
    assert_close(right @ group.right_inverse(x), identity)
    assert_close(group.left(-x), right)
    assert_close(left, group.adjoint(group.exp(x)) @ right)
    assert_close(times(left, x), x)


@every_group
@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_the_jacobians_are_the_derivatives_of_exp(group: Group, data: st.DataObject) -> None:
    x, direction = (data.draw(tangents(group, ())) for _ in range(2))
    step = 1e-5
    ahead, here, behind = (group.exp(x + s * step * direction) for s in (1, 0, -1))
    left = (group.log(ahead @ group.inverse(here)) - group.log(behind @ group.inverse(here))) / (2 * step)
    right = (group.log(group.inverse(here) @ ahead) - group.log(group.inverse(here) @ behind)) / (2 * step)
    assert_close(group.left(x) @ direction, left, 1e-8)
    assert_close(group.right(x) @ direction, right, 1e-8)


@every_group
@settings(max_examples=examples(15), deadline=None)
@given(data=st.data())
def test_a_batch_gives_the_bits_of_its_samples(group: Group, data: st.DataObject) -> None:
    x = data.draw(tangents(group, (2, 3)))
    functions = (group.exp, group.left, group.left_inverse, group.right, group.right_inverse)
    for function in functions:
        together = function(x)
        for index in np.ndindex(2, 3):
            np.testing.assert_array_equal(together[index], function(x[index]))
    together = group.log(group.exp(x))
    for index in np.ndindex(2, 3):
        np.testing.assert_array_equal(together[index], group.log(group.exp(x[index])))
