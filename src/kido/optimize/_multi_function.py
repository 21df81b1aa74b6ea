"""Functions with several values: constraints that are computed together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from kido.optimize._attributes import DeclaredAttributes
from kido.optimize._checked import checked_array, checked_number
from kido.optimize._differences import difference_jacobian
from kido.optimize._function import Function
from kido.typing import ArrayLike, FloatArray

__all__ = ["ModularMultiFunction", "MultiFunction", "StackedFunction"]


class MultiFunction(DeclaredAttributes, ABC):
    """A function of x (n,) with k values, the same k everywhere.

    A function of your own derives from it and has `values`, and `jacobian` if it is known; otherwise that is
    differences of values. x comes as a read-only array.
    """

    @property
    def name(self) -> str:
        """The name that errors show: the class's."""
        return type(self).__name__

    @property
    def has_jacobian(self) -> bool:
        """Whether the Jacobian is more than differences of values."""
        return type(self).jacobian is not MultiFunction.jacobian

    @abstractmethod
    def values(self, x: FloatArray) -> FloatArray:
        """Values (k,) at `x` (n,) [-]."""

    def jacobian(self, x: FloatArray) -> FloatArray:
        """Derivative (k, n) at `x` (n,) [-]; by default differences of second order."""
        return difference_jacobian(self._checked_values, x)

    def jacobian_within(self, x: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """The Jacobian (k, n) at `x` (n,) [-]; differences ask for values inside the bounds (n,) only."""
        if self.has_jacobian:
            return self.jacobian(x)
        return difference_jacobian(self._checked_values, x, lower, upper)

    def _checked_values(self, x: FloatArray) -> FloatArray:
        return checked_array(f"{self.name}.values", self.values(x), (-1,))


class ModularMultiFunction(MultiFunction, closed=True):
    """A function with several values, put together from callables of x (n,)."""

    def __init__(
        self,
        values: Callable[[Any], ArrayLike],
        jacobian: Callable[[Any], ArrayLike] | None = None,
        *,
        name: str | None = None,
    ) -> None:
        """A function with these values.

        Args:
            values: gives (k,).
            jacobian: gives (k, n); None is differences.
            name: what errors show; None is the callable's own name.

        Raises:
            TypeError: not callable.
        """
        for part, given in (("values", values), ("jacobian", jacobian)):
            if not callable(given) and (given is not None or part == "values"):
                raise TypeError(f"{part}: expected a callable, got {given!r}")
        self._values, self._jacobian = values, jacobian
        self._name = str(getattr(values, "__name__", "function")) if name is None else str(name)

    @property
    def name(self) -> str:
        """The name that errors show."""
        return self._name

    @property
    def has_jacobian(self) -> bool:
        """Whether a Jacobian was given."""
        return self._jacobian is not None

    def values(self, x: FloatArray) -> FloatArray:
        """Values (k,) at `x` (n,) [-]."""
        return checked_array(f"{self.name}.values", self._values(x), (-1,))

    def jacobian(self, x: FloatArray) -> FloatArray:
        """Derivative (k, n) at `x` (n,) [-]."""
        if self._jacobian is None:
            return super().jacobian(x)
        return checked_array(f"{self.name}.jacobian", self._jacobian(x), (-1, len(x)))


class StackedFunction(MultiFunction, closed=True):
    """Several functions as one: their values below each other."""

    def __init__(self, functions: Iterable[Function | MultiFunction]) -> None:
        """The values of `functions`, in this order. Raises TypeError for what is no function."""
        self._functions = tuple(functions)
        for i, function in enumerate(self._functions):
            if not isinstance(function, Function | MultiFunction):
                raise TypeError(
                    f"functions[{i}]: expected a Function or MultiFunction, got {type(function).__name__}"
                )

    @property
    def functions(self) -> tuple[Function | MultiFunction, ...]:
        """The functions, in the order of their values."""
        return self._functions

    def values(self, x: FloatArray) -> FloatArray:
        """Values (k,) at `x` (n,) [-]."""
        rows = [rows_of(function, x) for function in self._functions]
        return np.concatenate(rows) if rows else np.zeros(0)

    def jacobian(self, x: FloatArray) -> FloatArray:
        """Derivative (k, n) at `x` (n,) [-]."""
        everywhere = np.full(len(x), np.inf)
        return self.jacobian_within(x, -everywhere, everywhere)

    def jacobian_within(self, x: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """The Jacobian (k, n) at `x` (n,) [-]; differences ask for values inside the bounds (n,) only."""
        rows = [jacobian_of(function, x, lower, upper) for function in self._functions]
        return np.concatenate(rows) if rows else np.zeros((0, len(x)))


def rows_of(function: Function | MultiFunction, x: FloatArray, place: str = "") -> FloatArray:
    """Values (k,) of either kind of function, one for a Function; `place` begins the messages of errors."""
    if isinstance(function, Function):
        return np.array([checked_number(f"{place}{function.name}.value", function.value(x))])
    return checked_array(f"{place}{function.name}.values", function.values(x), (-1,))


def jacobian_of(
    function: Function | MultiFunction,
    x: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    place: str = "",
) -> FloatArray:
    """Derivative (k, n) of either kind of function, one row for a Function."""
    if isinstance(function, Function):
        row = function.gradient_within(x, lower, upper)
        return checked_array(f"{place}{function.name}.gradient", row, (len(x),))[None]
    J = function.jacobian_within(x, lower, upper)
    return checked_array(f"{place}{function.name}.jacobian", J, (-1, len(x)))
