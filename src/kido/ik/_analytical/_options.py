"""Options that all analytical methods of kido take."""

from __future__ import annotations

from collections.abc import Iterable

from kido.ik._analytical._extra_dofs import ExtraDofUtilization
from kido.ik._analytical._ranking import Comparison
from kido.optimize import checked_number
from kido.skeleton import DegreeOfFreedom

__all__ = ["checked_comparison", "checked_length", "checked_utilization", "dof_names"]


def checked_utilization(name: str, value: ExtraDofUtilization) -> ExtraDofUtilization:
    """When extra dofs are moved. Raises TypeError naming it."""
    if not isinstance(value, ExtraDofUtilization):
        raise TypeError(f"{name}: expected an ExtraDofUtilization, got {value!r}")
    return value


def checked_length(name: str, value: float) -> float:
    """A largest length above 0 [-], which may be infinite. Raises TypeError or ValueError naming it."""
    length = checked_number(name, value)
    if not length > 0.0:
        raise ValueError(f"{name}: expected a number above 0, got {value!r}")
    return length


def checked_comparison(name: str, value: Comparison | None) -> Comparison | None:
    """Order of solutions: whether one is better than another; None: the nearer one is. Raises TypeError."""
    if value is not None and not callable(value):
        raise TypeError(f"{name}: expected a function of two solutions and a module, got {value!r}")
    return value


def dof_names(name: str, dofs: Iterable[DegreeOfFreedom | str]) -> tuple[str, ...]:
    """Names of dofs that are given by name or as they are. Raises TypeError or ValueError naming the
    argument."""
    if isinstance(dofs, str) or not isinstance(dofs, Iterable):
        raise TypeError(f"{name}: expected degrees of freedom or their names, got {dofs!r}")
    names = tuple(dof.name if isinstance(dof, DegreeOfFreedom) else dof for dof in dofs)
    for one in names:
        if not isinstance(one, str):
            raise TypeError(f"{name}: expected degrees of freedom or their names, got {one!r}")
    if len(set(names)) != len(names):
        raise ValueError(f"{name}: expected different dofs, got {list(names)}")
    return names
