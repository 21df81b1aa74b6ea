"""The solver that worlds have by default."""

from __future__ import annotations

from typing import Any

from kido.values import Value, checked, checked_positive, checked_whole, number, value

__all__ = ["BlockSolver"]


def _length(name: str, given: float) -> float:
    return checked_positive(name, given, "s")


def _sweeps(name: str, given: Any) -> int:
    count = checked_whole(name, given)
    if not 1 <= count <= 10_000:
        raise ValueError(f"{name}: expected 1 to 10000, got {count}")
    return count


@value
class BlockSolver(Value):
    """Block Gauss-Seidel in sub-steps, with the exact cone of Coulomb: the native solver.

    All points of two shapes are solved in one visit. Contacts are springs and dampers, implicit in a
    sub-step, so stiff that what they regularize is the convergence of the sweeps; a relaxing sweep takes
    back the velocity by which depth was pushed out. Shorter sub-steps make contacts stiffer by their square,
    at a cost in proportion; more sweeps change little. There is one more relaxing sweep while all free
    bodies are slow, but some do not rest.

    Attributes:
        longest_substep: a step is divided into equal sub-steps no longer than this [s].
        sweeps: of a sub-step.
        relaxing_sweeps: of a sub-step, without pushing depth out.
        contact_frequency: natural frequency of a contact, per sub-step [-].
        contact_damping: damping ratio of a contact [-].
        push_speed: largest velocity at which depth is pushed out [m/s].

    Raises TypeError or ValueError naming the argument.

    Source: M. Macklin et al., "Small steps in physics simulation", 2019; E. Catto, "Soft constraints", 2011.
    """

    longest_substep: float = checked(_length, default=0.5e-3, kw_only=True)
    sweeps: int = checked(_sweeps, default=1, kw_only=True)
    relaxing_sweeps: int = checked(_sweeps, default=1, kw_only=True)
    contact_frequency: float = number(positive=True, default=0.25, kw_only=True)
    contact_damping: float = number(positive=True, default=5.0, kw_only=True)
    push_speed: float = number(positive=True, default=4.0, kw_only=True)
