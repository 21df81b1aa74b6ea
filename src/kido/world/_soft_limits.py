"""Refusal of what worlds with soft bodies cannot do."""

from __future__ import annotations

from kido.errors import EditError
from kido.world._block_solver import BlockSolver
from kido.world._custom_integrator import CustomIntegrator
from kido.world._impulse_solver import ImpulseSolver
from kido.world._integrator import Integrator

__all__ = ["refuse_with_points"]


def refuse_with_points(
    solver: BlockSolver | ImpulseSolver, integrator: Integrator | CustomIntegrator
) -> None:
    """Raises EditError for solvers and integrators that do not know point masses."""
    if isinstance(solver, ImpulseSolver):
        raise EditError(
            f"solver: a {type(solver).__name__} does not know the points of soft bodies; a BlockSolver does"
        )
    if integrator is not Integrator.SEMI_IMPLICIT_EULER:
        name = type(integrator).__name__ if isinstance(integrator, CustomIntegrator) else integrator.value
        raise EditError(
            f"integrator: {name} does not know the points of soft bodies; "
            f"{Integrator.SEMI_IMPLICIT_EULER.value} does"
        )
