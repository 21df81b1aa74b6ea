"""Base of gradient methods."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import field
from typing import TYPE_CHECKING, Any, cast

from kido.ik._coordinates import positions_gradient
from kido.ik._gradient_methods._check import check_gradient_method
from kido.ik._gradient_methods._step_limits import NO_LIMITS, StepLimits, Weights, any_weights, checked_clamp
from kido.ik._method import Method, settable
from kido.ik._query import IKQuery
from kido.ik._user_output import finite_array, is_finite_array, pair_of, unchanged
from kido.typing import ArrayLike, FloatArray
from kido.values import Value, checked, value

if TYPE_CHECKING:
    from kido.ik._error_methods._error_method import ErrorMethod
    from kido.ik._result import IKResult, IKResults
    from kido.skeleton import DegreeOfFreedom

__all__ = [
    "GradientMethod",
    "LimitedMethod",
    "StatefulGradientMethod",
    "checked_gradient",
    "checked_step",
    "checked_velocities",
]


class GradientMethod(Method, ABC):
    """Gradient of a module's error by its dofs, against which solvers take steps.

    A method of your own derives from it and has `compute_gradient`. It keeps nothing of the module that it
    is given, so that one may serve many. Two are equal where they are of one class and have equal attributes;
    where it is a frozen dataclass, it is saved with its module. `check` looks whether its steps lower errors.
    A method whose steps depend on those before derives from `StatefulGradientMethod`.
    """

    def __init__(self, *, component_weights: ArrayLike = (), component_clamp: float = math.inf) -> None:
        """A method with weights and a clamp. A class of your own may set both here, in its own constructor,
        as fields of a dataclass, or as properties.

        Args:
            component_weights: factors (w,) of the components of the gradient [-], 0 or above; 1 for those
                beyond w.
            component_clamp: largest size of a component [rad, m], above 0; may be infinite.

        Raises TypeError or ValueError naming the argument.
        """
        weights = any_weights("component_weights", component_weights)
        if len(weights):
            vars(self)["component_weights"] = weights
        if component_clamp != math.inf:
            vars(self)["component_clamp"] = checked_clamp("component_clamp", component_clamp)

    @settable
    def component_weights(self) -> FloatArray:
        """Factors (w,) of the components of the gradient [-]; 1 for those beyond w."""
        return NO_LIMITS.component_weights

    @settable
    def component_clamp(self) -> float:
        """Largest size of a component of the gradient [rad, m]; may be infinite."""
        return math.inf

    @abstractmethod
    def compute_gradient(self, ik: IKQuery, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """Velocities (k,) of the dofs that, taken for one second, would make an error [rad, m].

        Args:
            ik: the module.
            error: weighted and clamped (m,) [rad, m].
            jacobian: derivative (m, k) of the weighted error by the velocities of the dofs.
        """

    def initial_state(self, ik: IKQuery) -> Any:
        """State of the method before its first step; None, the default: it keeps nothing between steps."""
        return None

    def compute_step(
        self, ik: IKQuery, error: FloatArray, jacobian: FloatArray, state: Any
    ) -> tuple[FloatArray, Any]:
        """Velocities (k,) as `compute_gradient` gives them [rad, m], and the state for the next step.

        This is what searches ask. By default the state stays what it is.
        """
        return self.compute_gradient(ik, error, jacobian), state

    @property
    def step_member(self) -> str:
        """The name that errors show of what gives its steps."""
        own = type(self).compute_step is not GradientMethod.compute_step
        return f"{self.name}.{'compute_step' if own else 'compute_gradient'}"

    def error_method_for(self, ik: IKQuery) -> ErrorMethod:
        """The error method that a module has once it is given this method; by default the one it has.

        A method may raise here where it cannot serve the module.
        """
        method: ErrorMethod = ik.error_method
        return method

    def knows_steps(self, ik: IKQuery) -> bool:
        """Whether the method's steps suit a module; by default they do. Else a search takes its own."""
        return True

    def without(self, ik: IKQuery, frozen: Collection[DegreeOfFreedom]) -> GradientMethod:
        """The method for one answer of a module some of whose dofs keep their positions, which are not among
        the module's meanwhile; by default itself.

        Raises NoClosedFormError where it has none for the others: then these are searched.
        """
        return self

    def solve_directly(self, ik: IKQuery) -> IKResult | None:
        """The answer of a module without objectives and solver of its own, where the method finds it at once;
        None, the default, where the module's problem has to be solved. The skeleton stays as it is."""
        return None

    def solve_batch_directly(self, ik: IKQuery, poses: FloatArray, starts: FloatArray) -> IKResults | None:
        """The same for many poses of the target (m, 4, 4) in the world [m], from positions of all dofs of the
        skeleton (1 or m, num_dofs) [rad, m]; None, the default: they are solved one after the other."""
        return None

    @property
    def step_limits(self) -> StepLimits:
        """The weights and the clamp of components as one value.

        Raises TypeError or ValueError, naming the method, for weights that are no array (w,) of numbers, and
        for what is no clamp.
        """
        given, most = self.component_weights, self.component_clamp
        if given is NO_LIMITS.component_weights and type(most) is float and most == math.inf:
            return NO_LIMITS  # as most methods have it
        weights = any_weights(f"{self.name}.component_weights", given)
        clamp = checked_clamp(f"{self.name}.component_clamp", most)
        if clamp == math.inf and not len(weights):
            return NO_LIMITS
        return StepLimits(component_clamp=clamp, component_weights=weights)

    def limited(self, gradient: FloatArray) -> FloatArray:
        """A gradient (k,) with the method's weights and clamp [rad, m]. Raises as `step_limits` does."""
        return self.step_limits.limited(gradient)

    def check(self, ik: IKQuery, *, samples: int = 10) -> None:
        """Look whether steps of the method lower the error of a module.

        At the present and at random positions, with the target where dofs that are 1e-3 rad or m away put the
        node: the size of the gradient, finite numbers, the same answer twice, a skeleton that is left as it
        is, and that a whole step lowers the module's error, or what its Jacobian says of it. Of a method with
        state that holds for the first step; those that follow give the same twice with the same state.

        Args:
            ik: a module, with dofs and error method to check the method for; it is left as it is.
            samples: number of random positions.

        Raises:
            TypeError, ValueError: a step that raises the error, no steps at all, or what is no step.
        """
        with unchanged(ik):
            if ik.gradient_method is not self:
                ik.gradient_method = self
            check_gradient_method(ik, samples)


class StatefulGradientMethod(GradientMethod):
    """A gradient method whose steps depend on those before, as by momentum, or by what they tell of
    derivatives.

    A method of your own has `initial_state` and `compute_step`, which is given a state and returns the next
    one. States are the search's, not the method's: so the method stays a value, and one serves many modules,
    copies and threads. A state begins anew with each start of a search, with each mirror image, and where a
    step was taken back: it is that of the step which led to the present positions. Searches may have
    shortened that step.

    `gradient` of modules, `step` of hierarchies and solvers of a `problem`, whose functions have no memory,
    see first steps.
    """

    @abstractmethod
    def initial_state(self, ik: IKQuery) -> Any:
        """State of the method before its first step; None, the default: it keeps nothing between steps."""

    @abstractmethod
    def compute_step(
        self, ik: IKQuery, error: FloatArray, jacobian: FloatArray, state: Any
    ) -> tuple[FloatArray, Any]:
        """Velocities (k,) of the dofs that, taken for one second, would make an error [rad, m], and the state
        for the next step.

        Args:
            ik: the module.
            error: weighted and clamped (m,) [rad, m].
            jacobian: derivative (m, k) of the weighted error by the velocities of the dofs.
            state: what `initial_state` gave, or the step before; it is left as it is.
        """

    def compute_gradient(self, ik: IKQuery, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """The first step (k,) [rad, m]. There is no need to override it."""
        return checked_step(ik, error, jacobian, self.initial_state(ik), self)[0]


@value
class LimitedMethod(Value, GradientMethod):
    """Base of kido's gradient methods: values that hold the limits of their steps.

    Attributes:
        component_clamp: largest size of a component of the gradient [rad, m].
        component_weights: factors (w,) of its components [-]; 1 for those beyond w.
    """

    component_clamp: float = checked(checked_clamp, default=0.2, kw_only=True)
    component_weights: Weights = checked(any_weights, default=(), kw_only=True)
    _step_limits: StepLimits | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def step_limits(self) -> StepLimits:
        """The weights and the clamp of components as one value, made once."""
        if getattr(self, "_step_limits", None) is None:
            self._assign(_step_limits=super().step_limits)
        return cast("StepLimits", self._step_limits)


def checked_gradient(ik: IKQuery) -> FloatArray:
    """Gradient (k,) of a module's method by positions: converted, weighted, clamped [rad, m].

    A gradient by velocities is turned into one of positions, which differ where joints are rotations.

    Raises as `checked_velocities` does.
    """
    method: GradientMethod = ik.gradient_method
    return method.limited(positions_gradient(ik, checked_velocities(ik)))


def checked_velocities(ik: IKQuery) -> FloatArray:
    """Gradient (k,) of a module's method by velocities, checked [rad, m].

    Raises ValueError or TypeError, naming the method, where what it gives is no array (k,) of finite numbers.
    """
    return checked_step(ik, *ik.weighted_error_and_jacobian(), ik.gradient_method.initial_state(ik))[0]


def checked_step(
    ik: IKQuery, error: FloatArray, jacobian: FloatArray, state: Any, method: GradientMethod | None = None
) -> tuple[FloatArray, Any]:
    """The same from a state of the module's method, or of another one, for a weighted and clamped error (m,)
    and its derivative (m, k), and the state for the next step.

    Raises TypeError, naming the method, where it gives no pair.
    """
    chosen: GradientMethod = ik.gradient_method if method is None else method
    got = chosen.compute_step(ik, error, jacobian, state)
    velocities, left = got if type(got) is tuple and len(got) == 2 else pair_of(chosen.step_member, got)
    shape = (len(ik.dofs),)
    if is_finite_array(velocities, 1) and velocities.shape == shape:
        return velocities, left
    return finite_array(chosen.step_member, velocities, shape), left
