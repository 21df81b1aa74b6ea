"""Closed forms as an analytical method."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kido.ik._analytical._analytical import Analytical
from kido.ik._analytical._arm import Arm, chain_of
from kido.ik._analytical._extra_dofs import ExtraDofUtilization
from kido.ik._analytical._options import (
    checked_comparison,
    checked_length,
    checked_utilization,
    dof_names,
)
from kido.ik._analytical._ranking import Comparison
from kido.ik._analytical._solution import AnalyticalSolution
from kido.ik._analytical._sweep import sweep
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._gradient_methods._limits import any_weights, checked_clamp
from kido.skeleton import DegreeOfFreedom
from kido.typing import FloatArray
from kido.values import Array, Checked, Value, checked, value

if TYPE_CHECKING:
    from kido.ik._module import InverseKinematics

__all__ = ["ClosedFormMethod"]


def _names_or_all(name: str, dofs: Iterable[DegreeOfFreedom | str] | None) -> tuple[str, ...] | None:
    return None if dofs is None else dof_names(name, dofs)


def _name_or_any(name: str, dof: DegreeOfFreedom | str | None) -> str | None:
    return None if dof is None else dof_names(name, [dof])[0]


@value
class ClosedFormMethod(Value, Analytical):
    """The closed form of a module's dofs, found from the axes of their joints; `ClosedForm` tells the forms.

    Joints before the chain may move: the form is that of the chain. Of seven dofs one is locked where it
    is, or where nothing valid is found there, tried from limit to limit.

    Attributes:
        dofs: names of the dofs that are solved for; None: all of the module's that move the node. Others of
            the module are extra dofs.
        locked_dof: name of the locked dof, of seven; None: the one that fits best.
        extra_dof_utilization: when extra dofs are moved.
        extra_error_length_clamp: largest length of the error that they see [-].
        better: whether positions (n,) are a better solution than others (n,), for a module; None: that of the
            smaller largest change.
        component_clamp: largest size of a component of the gradient [rad, m].
        component_weights: factors (w,) of its components [-]; 1 for those beyond w.

    Dofs are given by name or as they are. Raises TypeError or ValueError naming the argument.
    """

    dofs: Checked[Iterable[DegreeOfFreedom | str] | None, tuple[str, ...] | None] = checked(
        _names_or_all, default=None
    )
    locked_dof: Checked[DegreeOfFreedom | str | None, str | None] = checked(
        _name_or_any, default=None, kw_only=True
    )
    extra_dof_utilization: ExtraDofUtilization = checked(
        checked_utilization, default=ExtraDofUtilization.UNUSED, kw_only=True
    )
    extra_error_length_clamp: float = checked(checked_length, default=1.0, kw_only=True)
    better: Comparison | None = checked(checked_comparison, default=None, kw_only=True)
    component_clamp: float = checked(checked_clamp, default=math.inf, kw_only=True)
    component_weights: Array = checked(any_weights, default=(), kw_only=True)

    def analytical_dofs(self, ik: InverseKinematics) -> tuple[DegreeOfFreedom, ...]:
        """The dofs that are solved for, root first.

        Raises UnknownNameError, or ValueError for a dof that is not the module's or does not move the node.
        """
        return chain_of(ik, self.dofs)

    def compute_solutions(
        self, ik: InverseKinematics, desired: FloatArray
    ) -> FloatArray | list[AnalyticalSolution]:
        """All solutions of the form for a pose (4, 4) in the world [m]; where none reaches it, the nearest.

        Raises NoClosedFormError where there is no form.
        """
        arm = self._arm(ik)
        return sweep(ik, arm.dofs, arm.locked, lambda locked: arm.solved(desired, locked)).solutions()

    def family(self, ik: InverseKinematics) -> str:
        """Name of the form, as `ClosedForm` lists them. Raises NoClosedFormError where there is none."""
        return str(self._arm(ik).form.family)

    def find_locked_dof(self, ik: InverseKinematics) -> DegreeOfFreedom | None:
        """The locked dof; None where none has to be. Raises NoClosedFormError as `family` does."""
        return next(iter(self._arm(ik).locked), None)

    def error_method_for(self, ik: InverseKinematics) -> ErrorMethod:
        """The module's error method without clamp and weights.

        Raises NoClosedFormError where there is no form, and as `analytical_dofs` does.
        """
        self._arm(ik)
        return super().error_method_for(ik)

    def _arm(self, ik: InverseKinematics) -> Arm:
        return Arm.of(ik, chain_of(ik, self.dofs), self.locked_dof)
