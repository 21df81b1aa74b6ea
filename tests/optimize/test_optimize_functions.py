"""Functions: derivatives by differences, within bounds too, and what a user's own must return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kido.optimize import (
    Function,
    LeastSquaresFunction,
    ModularFunction,
    ModularMultiFunction,
    MultiFunction,
    NullFunction,
    StackedFunction,
)

Array = NDArray[np.float64]


class Wave(Function):
    """sin(x0) exp(x1) + x0 x2^3, from its value alone."""

    def value(self, x: Array) -> float:
        return float(np.sin(x[0]) * np.exp(x[1]) + x[0] * x[2] ** 3)


def wave_gradient(x: Array) -> Array:
    sine, cosine, e = np.sin(x[0]), np.cos(x[0]), np.exp(x[1])
    return np.array([cosine * e + x[2] ** 3, sine * e, 3 * x[0] * x[2] ** 2])


def wave_hessian(x: Array) -> Array:
    sine, cosine, e = np.sin(x[0]), np.cos(x[0]), np.exp(x[1])
    return np.array(
        [
            [-sine * e, cosine * e, 3 * x[2] ** 2],
            [cosine * e, sine * e, 0.0],
            [3 * x[2] ** 2, 0.0, 6 * x[0] * x[2]],
        ]
    )


class Polar(MultiFunction):
    def values(self, x: Array) -> Array:
        return np.array([x[0] * np.cos(x[1]), x[0] * np.sin(x[1]), x[0] ** 2])


def polar_jacobian(x: Array) -> Array:
    c, s = np.cos(x[1]), np.sin(x[1])
    return np.array([[c, -x[0] * s], [s, x[0] * c], [2 * x[0], 0.0]])


class PolarSquares(LeastSquaresFunction):
    def residuals(self, x: Array) -> Array:
        return Polar().values(x)


POINT = np.array([0.7, -0.4, 1.3])


def test_a_class_with_a_value_alone_has_derivatives_by_differences() -> None:
    f = Wave()
    assert not f.has_gradient and not f.has_hessian and f.name == "Wave"
    assert np.allclose(f.gradient(POINT), wave_gradient(POINT), rtol=0, atol=1e-9)
    assert np.allclose(f.hessian(POINT), wave_hessian(POINT), rtol=0, atol=3e-6)
    assert np.array_equal(f.hessian(POINT), f.hessian(POINT).T)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_differences_scale_with_x(scale: float) -> None:
    f = ModularFunction(lambda x: x @ x)
    x = scale * POINT
    assert np.allclose(f.gradient(x), 2 * x, rtol=1e-8, atol=1e-9)


def test_modular_functions_use_what_they_are_given() -> None:
    f = ModularFunction(Wave().value, wave_gradient)
    assert f.has_gradient and not f.has_hessian and f.name == "value"
    assert np.array_equal(f.gradient(POINT), wave_gradient(POINT))
    assert np.allclose(f.hessian(POINT), wave_hessian(POINT), rtol=0, atol=1e-6)
    known = ModularFunction(Wave().value, wave_gradient, wave_hessian, name="wave")
    assert known.has_hessian and known.name == "wave"
    assert np.array_equal(known.hessian(POINT), wave_hessian(POINT))


def test_the_null_function_is_zero_with_zero_derivatives() -> None:
    f = NullFunction()
    assert f.value(POINT) == 0.0
    assert np.array_equal(f.gradient(POINT), np.zeros(3))
    assert np.array_equal(f.hessian(POINT), np.zeros((3, 3)))


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        ([0.7, -0.4, 1.3], [np.inf, np.inf, np.inf]),
        ([-np.inf, -np.inf, -np.inf], [0.7, -0.4, 1.3]),
        ([0.7, -1.0, 1.3 - 1e-7], [1.0, -0.4, np.inf]),
    ],
    ids=["lower", "upper", "both"],
)
def test_differences_beside_a_bound_stay_inside_and_of_second_order(
    lower: list[float], upper: list[float]
) -> None:
    asked: list[Array] = []

    def value(x: Array) -> float:
        asked.append(x)
        return Wave().value(x)

    f, low, high = ModularFunction(value), np.array(lower), np.array(upper)
    assert np.allclose(f.gradient_within(POINT, low, high), wave_gradient(POINT), rtol=0, atol=2e-9)
    assert np.allclose(f.hessian_within(POINT, low, high), wave_hessian(POINT), rtol=0, atol=2e-5)
    assert np.all(asked >= low) and np.all(asked <= high)


def test_differences_in_a_box_thinner_than_a_step_use_its_width() -> None:
    low, high = POINT - [1e-7, 0.0, 0.0], POINT + np.array([1e-7, 0.0, 1e-6])
    gradient = Wave().gradient_within(POINT, low, high)
    expected = wave_gradient(POINT) * [1, 0, 1]  # the second number cannot move
    assert np.allclose(gradient, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("x", [np.zeros(0), np.zeros(2)])
def test_numbers_that_cannot_move_have_no_slope(x: Array) -> None:
    f = ModularFunction(lambda x: 3.0)
    assert np.array_equal(f.gradient_within(x, x, x), np.zeros(len(x)))
    F = ModularMultiFunction(lambda x: np.ones(4))
    assert np.array_equal(F.jacobian_within(x, x, x), np.zeros((4, len(x))))


def test_jacobians_of_functions_with_several_values() -> None:
    x = np.array([1.4, 0.6])
    assert np.allclose(Polar().jacobian(x), polar_jacobian(x), rtol=0, atol=1e-9)
    assert not Polar().has_jacobian
    known = ModularMultiFunction(Polar().values, polar_jacobian)
    assert known.has_jacobian and np.array_equal(known.jacobian(x), polar_jacobian(x))
    inside = Polar().jacobian_within(x, x, np.full(2, np.inf))
    assert np.allclose(inside, polar_jacobian(x), rtol=0, atol=1e-9)


def test_stacked_functions_have_the_rows_of_all_in_order() -> None:
    x = np.array([1.4, 0.6])
    square = ModularFunction(lambda x: x @ x, lambda x: 2 * x)
    stack = StackedFunction([square, Polar(), square])
    assert np.allclose(stack.values(x), [x @ x, *Polar().values(x), x @ x])
    expected = np.vstack([2 * x, polar_jacobian(x), 2 * x])
    assert np.allclose(stack.jacobian(x), expected, rtol=0, atol=1e-9)
    assert stack.functions[0] is square
    empty = StackedFunction([])
    assert empty.values(x).shape == (0,) and empty.jacobian(x).shape == (0, 2)


def test_least_squares_are_half_the_sum_of_squares() -> None:
    x = np.array([1.4, 0.6])
    f, r, J = PolarSquares(), Polar().values(x), polar_jacobian(x)
    assert np.isclose(f.value(x), 0.5 * np.sum(r**2))
    assert np.allclose(f.gradient(x), J.T @ r, rtol=0, atol=1e-8)
    assert np.allclose(f.gradient_within(x, x, x + 1), J.T @ r, rtol=0, atol=1e-8)
    assert not f.has_jacobian and f.has_gradient
    # f = x0^2 / 2 + x0^4 / 2
    assert np.allclose(f.hessian(x), [[1 + 6 * x[0] ** 2, 0], [0, 0]], rtol=0, atol=1e-6)


# ---- bad input


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ModularFunction(3), r"^value: expected a callable, got 3$"),
        (lambda: ModularFunction(None), r"^value: expected a callable, got None$"),
        (lambda: ModularFunction(np.sum, 3), r"^gradient: expected a callable, got 3$"),
        (lambda: ModularFunction(np.sum, None, 3), r"^hessian: expected a callable, got 3$"),
        (lambda: ModularMultiFunction(3), r"^values: expected a callable, got 3$"),
        (lambda: ModularMultiFunction(np.sum, 3), r"^jacobian: expected a callable, got 3$"),
        (
            lambda: StackedFunction([Wave(), np.sum]),
            r"^functions\[1\]: expected a Function or MultiFunction, got",
        ),
    ],
)
def test_what_is_no_function_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (
            lambda x: ModularFunction(lambda x: x, lambda x: x[:2], name="f").gradient(x),
            ValueError,
            r"^f.gradient: expected shape \(3,\), got \(2,\)$",
        ),
        (
            lambda x: ModularFunction(lambda x: x, None, lambda x: x, name="f").hessian(x),
            ValueError,
            r"^f.hessian: expected shape \(3, 3\), got \(3,\)$",
        ),
        (
            lambda x: ModularFunction(lambda x: x, name="f").gradient(x),
            ValueError,
            r"^f.value: expected a number, got shape \(3,\)$",
        ),
        (
            lambda x: ModularFunction(lambda x: None, name="f").gradient(x),
            TypeError,
            r"^f.value: expected a number, got None$",
        ),
        (
            lambda x: ModularMultiFunction(lambda x: 3.0, name="f").values(x),
            ValueError,
            r"^f.values: expected shape \(k,\), got \(\)$",
        ),
        (
            lambda x: ModularMultiFunction(lambda x: x, lambda x: np.eye(2), name="f").jacobian(x),
            ValueError,
            r"^f.jacobian: expected shape \(k, 3\), got \(2, 2\)$",
        ),
    ],
)
def test_callables_that_return_the_wrong_thing_are_named(
    ask: Callable[[Array], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ask(POINT)
