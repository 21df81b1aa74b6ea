"""The settings of a world as native code takes them."""

from __future__ import annotations

import math

import numpy as np

from kido import _core
from kido.typing import FloatArray
from kido.world._block_solver import BlockSolver
from kido.world._custom_integrator import CustomIntegrator
from kido.world._impulse_solver import ImpulseSolver
from kido.world._integrator import Integrator

__all__ = ["set_native_settings"]

_LEAST_BOUNCE = 0.01
"""Approach below which nothing bounces [m/s]."""
_GIVEN = len(Integrator)
"""In place of an integrator: whoever steps the world gives the motion of what nothing touches."""


def set_native_settings(
    native: _core.World,
    time_step: float,
    gravity: FloatArray,
    integrator: Integrator | CustomIntegrator,
    solver: BlockSolver | ImpulseSolver,
) -> None:
    """Say how steps are made; for solvers in Python without sub-steps."""
    block = solver if isinstance(solver, BlockSolver) else BlockSolver()
    native.set_settings(
        time_step,
        gravity,
        block.longest_substep if isinstance(solver, BlockSolver) else math.inf,
        block.sweeps,
        block.relaxing_sweeps,
        max(_LEAST_BOUNCE, 2.0 * float(np.linalg.norm(gravity)) * time_step),
        list(Integrator).index(integrator) if isinstance(integrator, Integrator) else _GIVEN,
        block.contact_frequency,
        block.contact_damping,
        block.push_speed,
    )
