"""Settings that are looked for in a problem, and the solvers that have them."""

from __future__ import annotations

__all__ = ["SETTINGS", "refuse_setting"]

_ANY = "every solver"
_LEAST_SQUARES = "LevenbergMarquardtSolver and GaussNewtonSolver"

SETTINGS = {
    "tolerance": _ANY,
    "constraint_tolerance": _ANY,
    "max_iterations": _ANY,
    "max_attempts": _ANY,
    "time_budget": _ANY,
    "max_randomization_step": _ANY,
    "seed": _ANY,
    "step_size": "GradientDescentSolver",
    "perturbation_step": "GradientDescentSolver",
    "max_perturbation_factor": "GradientDescentSolver",
    "inequality_weights": "GradientDescentSolver",
    "default_constraint_weight": f"GradientDescentSolver, {_LEAST_SQUARES}",
    "equality_weights": f"GradientDescentSolver, {_LEAST_SQUARES}",
    "initial_damping": "LevenbergMarquardtSolver",
    "method": "SciPySolver",
    "algorithm": "NloptSolver",
}
"""For the name of each setting, the solvers that have it."""

_OTHER_NAMES = {"num_max_iterations": "max_iterations"}
"""Settings under the names that they have in DART."""


def refuse_setting(kind: type, name: str) -> None:
    """Raises AttributeError for the name of a setting, saying which solvers have it."""
    setting = _OTHER_NAMES.get(name, name)
    owners = SETTINGS.get(setting)
    if owners is not None:
        solver = "SciPySolver" if owners == _ANY else owners.split(",")[0].split(" ")[0]
        raise AttributeError(
            f"{kind.__name__} has no attribute {name!r}: it is a setting of {owners}, "
            f"as in {solver}({setting}=...)"
        )
