"""Integrators of skeletons that nothing touches."""

from __future__ import annotations

from enum import Enum

from kido.values import register

__all__ = ["Integrator"]


@register
class Integrator(str, Enum):
    """Integrator of skeletons in a step in which nothing touches or holds them.

    What touches, holds or drives a skeleton is solved in sub-steps, by the first. Rigid bodies that move
    freely keep their momentum, and fly along exact parabolas, with each of them. An integrator of your own is
    a `CustomIntegrator`.
    """

    SEMI_IMPLICIT_EULER = "semi-implicit Euler"
    """Velocities first, then positions by the new velocities: symplectic, of order 1, springs implicit."""

    RUNGE_KUTTA_4 = "Runge-Kutta 4"
    """The classical method of order 4, for smooth motion: four times the cost; springs explicit."""

    IMPLICIT_MIDPOINT = "implicit midpoint"
    """The implicit midpoint rule on the joints' groups, of order 2: energy stays near its value for long
    times, at about three times the cost; springs implicit."""
