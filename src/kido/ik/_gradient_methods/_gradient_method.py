"""Base of gradient methods."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from kido.ik._position_jacobian import positions_gradient
from kido.ik._user_output import finite_array
from kido.optimize import checked_number
from kido.typing import FloatArray

if TYPE_CHECKING:
    from kido.ik._error_methods._error_method import ErrorMethod
    from kido.ik._module import InverseKinematics
    from kido.ik._result import IKResult, IKResults

__all__ = ["GradientMethod", "checked_gradient", "checked_velocities"]


class GradientMethod(ABC):
    """Gradient of a module's error by its dofs, against which solvers take steps.

    A method of your own derives from it and has `compute_gradient`. It keeps nothing of the module that it
    is given, so that one may serve many; where it is a frozen dataclass, it is compared and saved with its
    module.
    """

    @property
    def name(self) -> str:
        """The name that errors show: the class's."""
        return type(self).__name__

    @property
    def component_weights(self) -> FloatArray:
        """Factors (w,) of the components of the gradient [-]; 1 for those beyond w."""
        return np.zeros(0)

    @property
    def component_clamp(self) -> float:
        """Largest size of a component of the gradient [rad, m]; may be infinite."""
        return math.inf

    @abstractmethod
    def compute_gradient(self, ik: InverseKinematics, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """Velocities (k,) of the dofs that, taken for one second, would make an error [rad, m].

        Args:
            ik: the module.
            error: weighted and clamped (m,) [rad, m].
            jacobian: derivative (m, k) of the weighted error by the velocities of the dofs.
        """

    def error_method_for(self, ik: InverseKinematics) -> ErrorMethod:
        """The error method that a module has once it is given this method; by default the one it has.

        A method may raise here where it cannot serve the module.
        """
        return ik.error_method

    def solve_directly(self, ik: InverseKinematics) -> IKResult | None:
        """The answer of a module without objectives and solver of its own, where the method finds it at once;
        None, the default, where the module's problem has to be solved. The skeleton stays as it is."""
        return None

    def solve_batch_directly(
        self, ik: InverseKinematics, poses: FloatArray, starts: FloatArray
    ) -> IKResults | None:
        """The same for many poses of the target (m, 4, 4) in the world [m], from positions of all dofs of the
        skeleton (1 or m, num_dofs) [rad, m]; None, the default: they are solved one after the other."""
        return None

    def limited(self, gradient: FloatArray) -> FloatArray:
        """A gradient (k,) with the method's weights and clamp [rad, m].

        Raises TypeError or ValueError, naming the method, for weights that are no array (w,) of numbers.
        """
        weights = np.ones(len(gradient))
        given = finite_array(f"{self.name}.component_weights", self.component_weights, (-1,))
        weights[: len(given)] = given[: len(gradient)]
        clamp = checked_number(f"{self.name}.component_clamp", self.component_clamp)
        return np.clip(weights * gradient, -clamp, clamp)


def checked_gradient(ik: InverseKinematics) -> FloatArray:
    """Gradient (k,) of a module's method by positions: converted, weighted, clamped [rad, m].

    A gradient by velocities is turned into one of positions, which differ where joints are rotations.

    Raises as `checked_velocities` does.
    """
    return ik.gradient_method.limited(positions_gradient(ik, checked_velocities(ik)))


def checked_velocities(ik: InverseKinematics) -> FloatArray:
    """Gradient (k,) of a module's method by velocities, checked [rad, m].

    Raises ValueError or TypeError, naming the method, where what it gives is no array (k,) of finite numbers.
    """
    method = ik.gradient_method
    raw = method.compute_gradient(ik, *ik.weighted_error_and_jacobian())
    return finite_array(f"{method.name}.compute_gradient", raw, (len(ik.dofs),))
