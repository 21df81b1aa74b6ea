"""Mixed-integer linear programs, with second-order cones for solvers that take them."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from kido.errors import MissingDependencyError
from kido.ik._global._relaxation._options import RelaxationSolver
from kido.typing import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["Affine", "MixedIntegerProgram", "ProgramResult"]

_OPTIMAL, _LIMIT, _INFEASIBLE = 0, 1, 2


class Affine:
    """A sum of variables times numbers, and a number."""

    __slots__ = ("constant", "terms")

    def __init__(self, terms: Mapping[int, float] | None = None, constant: float = 0.0) -> None:
        self.terms = dict(terms or {})
        self.constant = float(constant)

    @classmethod
    def sum_of(cls, parts: Iterable[tuple[float, Affine]], constant: float = 0.0) -> Affine:
        """Affine functions times numbers, added up."""
        total = cls(None, constant)
        for factor, part in parts:
            if factor == 0.0:
                continue
            total.constant += factor * part.constant
            for variable, coefficient in part.terms.items():
                total.terms[variable] = total.terms.get(variable, 0.0) + factor * coefficient
        return total

    def value(self, x: FloatArray) -> float:
        """The value at all variables (n,)."""
        return self.constant + sum(factor * float(x[variable]) for variable, factor in self.terms.items())


@dataclass(frozen=True, slots=True, eq=False)
class ProgramResult:
    """Result of a solver.

    Attributes:
        x: (n,) values of the variables; None where none were found.
        infeasible: whether there are none.
        cost: of x; bound: no values cost less.
        nodes: of the branch and bound.
    """

    x: FloatArray | None
    infeasible: bool
    cost: float
    bound: float
    nodes: int


@dataclass(slots=True, eq=False)
class MixedIntegerProgram:
    """Variables with bounds, some of them 0 or 1, rows between bounds, cones |a| <= b, and a linear cost.

    Attributes:
        lower, upper: bounds of the variables.
        binary: whether each is 0 or 1.
        cost: what is made small.
    """

    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    binary: list[bool] = field(default_factory=list)
    cost: Affine = field(default_factory=Affine)
    cones: list[tuple[list[Affine], Affine]] = field(default_factory=list)
    _columns: list[int] = field(default_factory=list)
    _data: list[float] = field(default_factory=list)
    _ends: list[int] = field(default_factory=list)
    _row_lower: list[float] = field(default_factory=list)
    _row_upper: list[float] = field(default_factory=list)
    _matrix: tuple[csr_matrix, FloatArray, FloatArray] | None = None

    @property
    def num_variables(self) -> int:
        """Number of variables."""
        return len(self.lower)

    @property
    def num_binaries(self) -> int:
        """Number of variables that are 0 or 1."""
        return sum(self.binary)

    @property
    def num_rows(self) -> int:
        """Number of linear constraints."""
        return len(self._ends)

    def variable(self, lower: float, upper: float, *, binary: bool = False) -> Affine:
        """A variable with bounds."""
        self.lower.append(float(lower))
        self.upper.append(float(upper))
        self.binary.append(binary)
        return Affine({len(self.lower) - 1: 1.0})

    def add_row(self, row: Affine, lower: float, upper: float) -> None:
        """Require a sum between bounds."""
        self._matrix = None
        self._columns += row.terms.keys()
        self._data += row.terms.values()
        self._ends.append(len(self._columns))
        self._row_lower.append(lower - row.constant)
        self._row_upper.append(upper - row.constant)

    def add_rows(
        self,
        matrix: FloatArray,
        parts: Sequence[Affine],
        lower: FloatArray | float,
        upper: FloatArray | float,
    ) -> None:
        """Require sums, each of affine functions times a row of a matrix (m, len(parts)), between bounds (m,)
        or ones for all.

        Rows that hold whatever the variables are within their bounds are left out.
        """
        variables = list({variable: None for part in parts for variable in part.terms})
        place = {variable: k for k, variable in enumerate(variables)}
        table = np.zeros((len(parts), len(variables)))
        for row, part in zip(table, parts, strict=True):
            for variable, coefficient in part.terms.items():
                row[place[variable]] = coefficient
        rows = matrix @ table
        constants = matrix @ np.array([part.constant for part in parts])
        low = np.array([self.lower[variable] for variable in variables])
        high = np.array([self.upper[variable] for variable in variables])
        positive, negative = np.maximum(rows, 0.0), np.minimum(rows, 0.0)
        least = positive @ low + negative @ high + constants
        most = positive @ high + negative @ low + constants
        kept = (least < lower) | (most > upper)
        rows, constants = rows[kept], constants[kept]
        at, used = np.nonzero(rows)
        self._matrix = None
        first = len(self._columns)
        self._columns += np.array(variables, dtype=int)[used].tolist()
        self._data += rows[at, used].tolist()
        self._ends += (first + np.cumsum(np.bincount(at, minlength=len(rows)))).tolist()
        self._row_lower += (np.broadcast_to(lower, kept.shape)[kept] - constants).tolist()
        self._row_upper += (np.broadcast_to(upper, kept.shape)[kept] - constants).tolist()

    def copy(self) -> MixedIntegerProgram:
        """Another program, with the same variables, rows, cones and cost."""
        made = MixedIntegerProgram(list(self.lower), list(self.upper), list(self.binary), self.cost)
        made.cones = list(self.cones)
        made._columns, made._data, made._ends = list(self._columns), list(self._data), list(self._ends)
        made._row_lower, made._row_upper = list(self._row_lower), list(self._row_upper)
        return made

    def add_cone(self, parts: list[Affine], bound: Affine) -> None:
        """Require the length of a vector below a bound."""
        self.cones.append((parts, bound))

    def solve(self, solver: RelaxationSolver, time_budget: float) -> ProgramResult:
        """Solve within a time [s]. Raises MissingPackageError where the solver is not installed."""
        if solver is RelaxationSolver.SCIP:
            return self._solve_by_scip(time_budget)
        return self._solve_by_highs(time_budget)

    def matrix(self) -> tuple[csr_matrix, FloatArray, FloatArray]:
        """Rows as a sparse matrix (m, n), and their bounds (m,), (m,)."""
        from scipy.sparse import csr_matrix

        if self._matrix is not None and self._matrix[0].shape[1] == self.num_variables:
            return self._matrix
        parts = self._data, self._columns, [0, *self._ends]
        matrix = csr_matrix(parts, shape=(self.num_rows, self.num_variables))
        self._matrix = matrix, np.array(self._row_lower), np.array(self._row_upper)
        return self._matrix

    def _solve_by_highs(self, time_budget: float) -> ProgramResult:
        return self.solve_with(self.cost, {}, time_budget)

    def solve_with(
        self, cost: Affine, fixed: Mapping[int, float], time_budget: float, *, integral: bool = True
    ) -> ProgramResult:
        """Solve by HiGHS with another cost, and some variables fixed.

        Args:
            cost: what is made small.
            fixed: values of variables.
            time_budget: within which it ends [s].
            integral: whether binary variables have to be 0 or 1, and not between them.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp

        costs, lower, upper = np.zeros(self.num_variables), np.array(self.lower), np.array(self.upper)
        for variable, coefficient in cost.terms.items():
            costs[variable] = coefficient
        for variable, number in fixed.items():
            lower[variable] = upper[variable] = number
        found = milp(
            costs,
            integrality=np.array(self.binary, dtype=int) if integral else None,
            bounds=Bounds(lower, upper),
            constraints=LinearConstraint(*self.matrix()),
            options={"time_limit": time_budget},
        )
        least = np.inf if found.x is None else float(costs @ found.x) + cost.constant
        bound = found.mip_dual_bound
        return ProgramResult(
            found.x,
            found.status == _INFEASIBLE,
            least,
            -np.inf if bound is None else float(bound) + cost.constant,
            int(found.mip_node_count or 0),
        )

    def _solve_by_scip(self, time_budget: float) -> ProgramResult:
        model, x = _scip_model(self)
        matrix, low, high = self.matrix()
        for i in range(self.num_rows):
            part = slice(matrix.indptr[i], matrix.indptr[i + 1])
            row = sum(a * x[j] for a, j in zip(matrix.data[part], matrix.indices[part], strict=True))
            if len(matrix.indices[part]):
                model.addCons(_scip_bounds(row, low[i], high[i]))
        for parts, bound in self.cones:
            left = sum((_scip_sum(part, x) ** 2 for part in parts), 0.0)
            right = _scip_sum(bound, x)
            if any(part.terms for part in parts):
                model.addCons(left <= right * right)
            if bound.terms:
                model.addCons(right >= 0.0)
        model.setObjective(_scip_sum(self.cost, x))
        model.setParam("limits/time", time_budget)
        model.optimize()
        status, values = model.getStatus(), None
        if model.getNSols() > 0:
            values = np.array([model.getVal(one) for one in x])
        cost = np.inf if values is None else self.cost.value(values)
        return ProgramResult(
            values, status == "infeasible", cost, float(model.getDualbound()), int(model.getNNodes())
        )


def _scip_sum(row: Affine, x: list[Any]) -> Any:
    return sum((coefficient * x[j] for j, coefficient in row.terms.items()), row.constant)


def _scip_model(program: MixedIntegerProgram) -> tuple[Any, list[Any]]:
    """An empty model, and its variables. Raises MissingDependencyError."""
    try:
        scip = importlib.import_module("pyscipopt")
    except ImportError as error:
        raise MissingDependencyError("pyscipopt", "scip", "solver='SCIP'") from error
    model = scip.Model()
    model.hideOutput()
    limits = zip(program.lower, program.upper, program.binary, strict=True)
    x = [model.addVar(lb=low, ub=high, vtype="B" if binary else "C") for low, high, binary in limits]
    return model, x


def _scip_bounds(row: Any, low: float, high: float) -> Any:
    """A row between bounds, infinite ones left out."""
    if np.isfinite(low) and np.isfinite(high):
        return low <= (row <= high)
    return row <= high if np.isfinite(high) else row >= low
