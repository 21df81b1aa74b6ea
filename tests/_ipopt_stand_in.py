"""A module with the interface of cyipopt that this library uses, over a solver of SciPy."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, minimize

Array = NDArray[np.float64]

OPTIONS = {
    "tol": float,
    "constr_viol_tol": float,
    "max_iter": int,
    "hessian_approximation": str,
    "bound_relax_factor": float,
    "honor_original_bounds": str,
    "print_level": int,
    "sb": str,
}
"""Options of Ipopt and their types; it refuses all others."""


class Problem:
    """Stand-in for `cyipopt.Problem`: callbacks with dense Jacobians, bounds of x and of the constraints."""

    def __init__(self, n: int, m: int, problem_obj: Any, lb: Array, ub: Array, cl: Array, cu: Array) -> None:
        assert len(lb) == len(ub) == n and len(cl) == len(cu) == m
        self.n, self.m, self.obj = n, m, problem_obj
        self.lb, self.ub, self.cl, self.cu = lb, ub, cl, cu
        self.options: dict[str, Any] = {}

    def add_option(self, name: str, value: Any) -> None:
        assert type(value) is OPTIONS[name]
        self.options[name] = value

    def solve(self, x: Array) -> tuple[Array, dict[str, Any]]:
        found = minimize(
            self.obj.objective,
            x,
            jac=self.obj.gradient,
            method="SLSQP",
            bounds=Bounds(self.lb, self.ub),
            constraints=self._parts(),
            callback=self._intermediate,
            options={"maxiter": self.options["max_iter"], "ftol": self.options["tol"]},
        )
        status = {0: 0, 4: 2, 9: -1}.get(found.status, -13)
        return found.x, {"status": status, "status_msg": b"stand-in", "obj_val": found.fun}

    def _intermediate(self, x: Array) -> None:
        assert self.obj.intermediate(0, 1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1)

    def _parts(self) -> list[dict[str, Any]]:
        if not self.m:
            return []
        equal = np.isfinite(self.cl)

        def jacobian(x: Array) -> Array:
            flat = self.obj.jacobian(x)
            assert flat.shape == (self.m * self.n,)
            return np.reshape(flat, (self.m, self.n))

        return [
            {
                "type": kind,
                "fun": lambda x, rows=rows, sign=sign: sign * self.obj.constraints(x)[rows],
                "jac": lambda x, rows=rows, sign=sign: sign * jacobian(x)[rows],
            }
            for kind, rows, sign in (("eq", equal, 1.0), ("ineq", ~equal, -1.0))
            if rows.any()
        ]


def stand_in() -> ModuleType:
    """The module `cyipopt` itself where it is installed, which no wheel of it is; else the stand-in."""
    try:
        import cyipopt
    except ImportError:
        module = ModuleType("cyipopt")
        vars(module)["Problem"] = Problem
        return module
    real: ModuleType = cyipopt
    return real
