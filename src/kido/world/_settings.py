"""Settings of the steps of a world."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from kido.collision import CollisionDetector, NativeDetector
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_member, checked_part, checked_positive
from kido.world._block_solver import BlockSolver
from kido.world._custom_integrator import CustomIntegrator
from kido.world._impulse_solver import ImpulseSolver
from kido.world._integrator import Integrator
from kido.world._sleeping import Sleeping, checked_sleeping
from kido.world._surface_rules import SurfaceHandler, checked_handler

__all__ = ["WorldSettings", "as_given", "checked_settings"]


@dataclass(frozen=True, slots=True)
class WorldSettings:
    """Settings of the steps of a world, but for which shapes meet; as `World` describes them."""

    time_step: float
    gravity: FloatArray
    integrator: Integrator | CustomIntegrator
    solver: BlockSolver | ImpulseSolver
    detector: CollisionDetector
    surface_handler: SurfaceHandler
    sleeping: Sleeping | None

    @property
    def are_native(self) -> bool:
        """Whether neither the integrator nor the solver is Python's."""
        return isinstance(self.integrator, Integrator) and isinstance(self.solver, BlockSolver)


def checked_settings(
    time_step: float,
    gravity: ArrayLike,
    integrator: Any,
    solver: Any,
    detector: Any,
    surface_handler: Any,
    sleeping: Any,
) -> WorldSettings:
    """Settings as a user gave them. Raises TypeError or ValueError naming the argument."""
    if not isinstance(integrator, CustomIntegrator):
        integrator = checked_member("integrator", Integrator, integrator)
    checked_part("solver", (BlockSolver, ImpulseSolver), solver)
    if detector is None:
        detector = NativeDetector()
    return WorldSettings(
        checked_positive("time_step", time_step, "s"),
        frozen_array("gravity", gravity, (3,), "m/s^2"),
        integrator,
        solver,
        checked_part("detector", CollisionDetector, detector, or_none=" or None"),
        checked_handler(surface_handler),
        checked_sleeping(sleeping),
    )


def as_given(settings: WorldSettings) -> dict[str, Any]:
    """Settings by name, as `checked_settings` and `World` take them."""
    return {field.name: getattr(settings, field.name) for field in fields(settings)}
