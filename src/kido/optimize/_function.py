"""Functions of several numbers: what is minimised, and what constrains."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from kido.optimize._attributes import DeclaredAttributes
from kido.optimize._checked import checked_array, checked_number
from kido.optimize._differences import HESSIAN_STEP, difference_jacobian
from kido.typing import ArrayLike, FloatArray

__all__ = ["Function", "ModularFunction", "NullFunction"]


class Function(DeclaredAttributes, ABC):
    """A function of x (n,) with one value.

    A function of your own derives from it and has `value`, and `gradient` and `hessian` if they are known.
    Where they are not, they are differences of values. x comes as a read-only array.
    """

    @property
    def name(self) -> str:
        """The name that errors show: the class's."""
        return type(self).__name__

    @property
    def has_gradient(self) -> bool:
        """Whether the gradient is more than differences of values."""
        return type(self).gradient is not Function.gradient

    @property
    def has_hessian(self) -> bool:
        """Whether the Hessian is more than differences of gradients."""
        return type(self).hessian is not Function.hessian

    @abstractmethod
    def value(self, x: FloatArray) -> float:
        """Value at `x` (n,) [-]."""

    def gradient(self, x: FloatArray) -> FloatArray:
        """Derivative (n,) at `x` (n,) [-]; by default differences of second order."""
        return self._gradient_by_differences(x, None, None)

    def hessian(self, x: FloatArray) -> FloatArray:
        """Second derivatives (n, n) at `x` (n,) [-], symmetric; by default differences of the gradient, good
        to about six digits."""
        everywhere = np.full(len(x), np.inf)
        return self._hessian_by_differences(x, -everywhere, everywhere)

    def gradient_within(self, x: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """The gradient (n,) at `x` (n,) [-]; differences ask for values inside the bounds (n,) only."""
        if self.has_gradient:
            return self.gradient(x)
        return self._gradient_by_differences(x, lower, upper)

    def hessian_within(self, x: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """The Hessian (n, n) at `x` (n,) [-]; differences ask for gradients inside the bounds (n,) only."""
        return self.hessian(x) if self.has_hessian else self._hessian_by_differences(x, lower, upper)

    def _hessian_by_differences(self, x: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
        def slope(at: FloatArray) -> FloatArray:
            return self.gradient_within(at, lower, upper)

        rough = difference_jacobian(slope, x, lower, upper, HESSIAN_STEP)
        return 0.5 * (rough + rough.T)

    def _gradient_by_differences(
        self, x: FloatArray, lower: FloatArray | None, upper: FloatArray | None
    ) -> FloatArray:
        def row(at: FloatArray) -> FloatArray:
            return np.array([checked_number(f"{self.name}.value", self.value(at))])

        return difference_jacobian(row, x, lower, upper).reshape(len(x))


class NullFunction(Function, closed=True):
    """The function that is zero everywhere: the objective of a problem that has constraints only."""

    def value(self, x: FloatArray) -> float:
        """Zero, at every `x` (n,) [-]."""
        return 0.0

    def gradient(self, x: FloatArray) -> FloatArray:
        """Zeros (n,), at every `x` (n,) [-]."""
        return np.zeros(len(x))

    def hessian(self, x: FloatArray) -> FloatArray:
        """Zeros (n, n), at every `x` (n,) [-]."""
        return np.zeros((len(x), len(x)))


class ModularFunction(Function, closed=True):
    """A function put together from callables of x (n,)."""

    def __init__(
        self,
        value: Callable[[Any], float],
        gradient: Callable[[Any], ArrayLike] | None = None,
        hessian: Callable[[Any], ArrayLike] | None = None,
        *,
        name: str | None = None,
    ) -> None:
        """A function with this value; derivatives that are None are differences.

        Args:
            value: gives a number.
            gradient: gives (n,).
            hessian: gives (n, n).
            name: what errors show; None is the callable's own name.

        Raises:
            TypeError: not callable.
        """
        for part, given in (("value", value), ("gradient", gradient), ("hessian", hessian)):
            if not callable(given) and (given is not None or part == "value"):
                raise TypeError(f"{part}: expected a callable, got {given!r}")
        self._value, self._gradient, self._hessian = value, gradient, hessian
        self._name = str(getattr(value, "__name__", "function")) if name is None else str(name)

    @property
    def name(self) -> str:
        """The name that errors show."""
        return self._name

    @property
    def has_gradient(self) -> bool:
        """Whether a gradient was given."""
        return self._gradient is not None

    @property
    def has_hessian(self) -> bool:
        """Whether a Hessian was given."""
        return self._hessian is not None

    def value(self, x: FloatArray) -> float:
        """Value at `x` (n,) [-]."""
        return self._value(x)

    def gradient(self, x: FloatArray) -> FloatArray:
        """Derivative (n,) at `x` (n,) [-]."""
        if self._gradient is None:
            return super().gradient(x)
        return checked_array(f"{self.name}.gradient", self._gradient(x), (len(x),))

    def hessian(self, x: FloatArray) -> FloatArray:
        """Second derivatives (n, n) at `x` (n,) [-]."""
        if self._hessian is None:
            return super().hessian(x)
        return checked_array(f"{self.name}.hessian", self._hessian(x), (len(x), len(x)))
