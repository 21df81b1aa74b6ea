"""The constraints of one kind that a problem has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kido.optimize._attributes import DeclaredAttributes
from kido.optimize._function import Function
from kido.optimize._multi_function import MultiFunction, jacobian_of, rows_of
from kido.typing import FloatArray

__all__ = ["Constraints"]


class Constraints(DeclaredAttributes, closed=True):
    """Functions whose values, below each other, are the rows of one kind of constraint.

    They can be counted, indexed and walked through in the order in which they were added.
    """

    __slots__ = ("_functions", "_kind")

    def __init__(self, kind: str) -> None:
        """No constraints; `kind` is what errors call them, "equality constraint"."""
        self._kind = kind
        self._functions: list[Function | MultiFunction] = []

    def __len__(self) -> int:
        return len(self._functions)

    def __iter__(self) -> Iterator[Function | MultiFunction]:
        return iter(tuple(self._functions))

    def __getitem__(self, index: int) -> Function | MultiFunction:
        return self._functions[index]

    def __repr__(self) -> str:
        names = ", ".join(function.name for function in self._functions)
        return f"<{len(self)} {self._kind}{'' if len(self) == 1 else 's'}{f': {names}' if names else ''}>"

    def add(self, function: Function | MultiFunction) -> None:
        """Add a constraint: one row for a Function, k for a MultiFunction. Raises TypeError for others."""
        if not isinstance(function, Function | MultiFunction):
            raise TypeError(
                f"{self._kind}: expected a Function or MultiFunction, got {type(function).__name__}; "
                "callables go into a ModularFunction"
            )
        self._functions.append(function)

    def remove(self, function: Function | MultiFunction) -> None:
        """Remove a constraint that was added. Raises ValueError if it is not here."""
        for i, known in enumerate(self._functions):
            if known is function:
                del self._functions[i]
                return
        name = getattr(function, "name", type(function).__name__)
        raise ValueError(f"{self._kind}: {name} is not among the {len(self)} of the problem")

    def clear(self) -> None:
        """Remove all constraints."""
        self._functions.clear()

    def values(self, x: FloatArray) -> FloatArray:
        """Values (k,) of all rows at `x` (n,) [-]. Raises TypeError or ValueError naming the function."""
        rows = self._rows(x)
        return np.concatenate(rows) if rows else np.zeros(0)

    def jacobian(self, x: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Derivative (k, n) of all rows at `x` (n,) [-]; differences stay inside the bounds (n,).

        Raises TypeError or ValueError naming the function.
        """
        rows = [
            jacobian_of(function, x, lower, upper, f"{self._kind} {i}: ")
            for i, function in enumerate(self._functions)
        ]
        return np.concatenate(rows) if rows else np.zeros((0, len(x)))

    def owners(self, x: FloatArray) -> tuple[int, ...]:
        """For each row, the index of the constraint that it belongs to; `x` (n,) [-] is where to ask."""
        return tuple(i for i, rows in enumerate(self._rows(x)) for _ in rows)

    def row_weights(self, weights: Sequence[float], default: float, x: FloatArray) -> FloatArray:
        """For each row, the weight (k,) of its constraint; `x` (n,) [-] is where to ask."""
        each = [*weights, *[default] * (len(self) - len(weights))]
        return np.array([each[owner] for owner in self.owners(x)])

    def require_fitting(self, name: str, weights: Sequence[float]) -> None:
        """Raises ValueError if there are more weights than constraints."""
        if len(weights) > len(self):
            raise ValueError(f"{name}: expected at most {len(self)} of them, got {len(weights)}")

    def named_values(self, x: FloatArray) -> tuple[FloatArray, tuple[str, ...]]:
        """Values (k,) of all rows at `x` (n,) [-], and what messages call each; functions are asked once."""
        names: list[str] = []
        values = self._rows(x)
        for i, rows in enumerate(values):
            label = f"{self._kind} {i} ({self._functions[i].name})"
            if isinstance(self._functions[i], Function):
                names.append(label)
            else:
                names.extend(f"{label}, row {row}" for row in range(len(rows)))
        return np.concatenate(values) if values else np.zeros(0), tuple(names)

    def _rows(self, x: FloatArray) -> list[FloatArray]:
        return [rows_of(function, x, f"{self._kind} {i}: ") for i, function in enumerate(self._functions)]

    def copy(self) -> Constraints:
        """The same functions in a collection of its own."""
        copy = Constraints(self._kind)
        copy._functions = list(self._functions)
        return copy
