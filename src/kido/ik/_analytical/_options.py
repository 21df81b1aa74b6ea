"""Options that all analytical methods of kido take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kido.ik._analytical._extra_dofs import ExtraDofUtilization
from kido.ik._analytical._ranking import Comparison
from kido.optimize import checked_number
from kido.skeleton import DegreeOfFreedom

__all__ = ["checked_options", "dof_names"]


def checked_options(
    utilization: ExtraDofUtilization, length_clamp: float, better: Comparison | None
) -> dict[str, Any]:
    """Checked fields `extra_dof_utilization`, `extra_error_length_clamp` [-] and `better`.

    Raises TypeError or ValueError naming the argument.
    """
    if not isinstance(utilization, ExtraDofUtilization):
        raise TypeError(f"extra_dof_utilization: expected an ExtraDofUtilization, got {utilization!r}")
    clamp = checked_number("extra_error_length_clamp", length_clamp)
    if not clamp > 0.0:
        raise ValueError(f"extra_error_length_clamp: expected a number above 0, got {length_clamp!r}")
    if better is not None and not callable(better):
        raise TypeError(f"better: expected a function of two solutions and a module, got {better!r}")
    return {
        "extra_dof_utilization": utilization,
        "extra_error_length_clamp": clamp,
        "better": better,
    }


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
