"""Parameters of a velocity in a given direction."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar, overload

import numpy as np

from kido import _core
from kido.ik._differential._linear_velocity_constraint import LinearVelocityConstraint
from kido.ik._differential._unknowns import moving_unknowns
from kido.skeleton import Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_flag, checked_positive, checked_whole, register

__all__ = ["DifferentialIKParameters"]

Limits = tuple[FloatArray, FloatArray]
"""Lower and upper bounds."""

G = TypeVar("G")
H = TypeVar("H")


class _Setting(Generic[G, H]):
    """An attribute of the parameters, checked where it is set: `check(parameters, name, given)`."""

    def __init__(self, check: Callable[[DifferentialIKParameters, str, G], H], doc: str) -> None:
        self._check = check
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, parameters: None, owner: type) -> _Setting[G, H]: ...
    @overload
    def __get__(self, parameters: DifferentialIKParameters, owner: type) -> H: ...
    def __get__(self, parameters: DifferentialIKParameters | None, owner: type) -> Any:
        return self if parameters is None else parameters._values[self._name]

    def __set__(self, parameters: DifferentialIKParameters, given: G) -> None:
        parameters._values[self._name] = self._check(parameters, self._name, given)
        parameters._native = None


def _limits(
    count: str, unit: str
) -> Callable[[DifferentialIKParameters, str, tuple[ArrayLike, ArrayLike] | None], Limits | None]:
    """Check of lower and upper bounds of as many numbers as an attribute of the parameters says."""

    def check(
        parameters: DifferentialIKParameters, name: str, given: tuple[ArrayLike, ArrayLike] | None
    ) -> Limits | None:
        return None if given is None else checked_limits(name, given, getattr(parameters, count), unit)

    return check


def checked_limits(name: str, given: tuple[ArrayLike, ArrayLike], size: int, unit: str) -> Limits:
    """Bounds (size,), (size,). Raises TypeError or ValueError naming them."""
    pair = _pair(name, given)
    lower, upper = (frozen_array(name, part, (size,), unit, finite=False) for part in pair)
    wrong = ~((lower <= upper) & (lower < math.inf) & (upper > -math.inf))
    if wrong.any():
        i = int(np.argmax(wrong))
        got = f"{lower[i]:.6g} and {upper[i]:.6g} at [{i}]"
        raise ValueError(f"{name}: expected lower at most upper [{unit}], got {got}")
    return lower, upper


def _pair(name: str, given: Any) -> tuple[ArrayLike, ...]:
    pair = tuple(given) if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str) else ()
    if len(pair) != 2:
        raise ValueError(f"{name}: expected (lower, upper), got {_brief(given)}")
    return pair


def _step(parameters: DifferentialIKParameters, name: str, given: float) -> float:
    return checked_positive(name, given, "s")


def _positions(parameters: DifferentialIKParameters, name: str, given: ArrayLike) -> FloatArray:
    return frozen_array(name, given, (parameters.num_positions,), "rad, m")


def _gain(parameters: DifferentialIKParameters, name: str, given: ArrayLike | None) -> FloatArray:
    n = parameters.num_positions
    return frozen_array(name, np.zeros((n, n)) if given is None else given, (n, n), "1/s")


def _flags(parameters: DifferentialIKParameters, name: str, given: Any) -> tuple[bool, ...]:
    flags = np.asarray(given)
    if flags.shape != (6,) or flags.dtype != np.bool_:
        raise ValueError(f"{name}: expected 6 of True or False, got {given!r}")
    return tuple(checked_flag(name, bool(flag)) for flag in flags)


def _speed(parameters: DifferentialIKParameters, name: str, given: float) -> float:
    speed = float(frozen_array(name, given, (), "rad/s", finite=False))
    if speed < 0.0:
        raise ValueError(f"{name}: expected 0 or above [rad/s], got {speed}")
    return speed


def _translational(
    parameters: DifferentialIKParameters, name: str, given: tuple[ArrayLike, ArrayLike] | None
) -> Limits | None:
    return None if given is None else checked_limits(name, given, 3, "m/s")


def _scaling(parameters: DifferentialIKParameters, name: str, given: float) -> float:
    scaling = float(frozen_array(name, given, ()))
    if not 0.0 <= scaling <= 1.0:
        raise ValueError(f"{name}: expected a number from 0 to 1, got {scaling}")
    return scaling


@register
class DifferentialIKParameters:
    """Limits and settings of `differential_ik`, for a robot with so many positions and velocities.

    Every attribute can be set, and is checked then. Equal by content; copies and pickles change on their own.
    """

    __slots__ = ("_constraints", "_native", "_num_positions", "_num_velocities", "_of_robot", "_values")
    __hash__ = None  # type: ignore[assignment]

    time_step = _Setting(_step, "Length of a step [s], above 0.")
    nominal_positions = _Setting(_positions, "Positions (num_positions,) of the posture term [rad, m].")
    centering_gain = _Setting(_gain, "K (num_positions, num_positions) of the posture term [1/s].")
    position_limits = _Setting(
        _limits("num_positions", "rad, m"),
        "Lowest and highest positions (num_positions,) after the step [rad, m]; None: none.",
    )
    velocity_limits = _Setting(
        _limits("num_velocities", "rad/s, m/s"),
        "Lowest and highest velocities (num_velocities,) [rad/s, m/s]; None: none.",
    )
    acceleration_limits = _Setting(
        _limits("num_velocities", "rad/s^2, m/s^2"),
        "Lowest and highest (v_next - v) / time_step (num_velocities,) [rad/s^2, m/s^2]; None: none.",
    )
    velocity_flags = _Setting(
        _flags, "Which of 3 angular and 3 linear components count (6,), in axes of the frame."
    )
    angular_speed_limit = _Setting(_speed, "Largest angular speed of pose tracking [rad/s], 0 or above.")
    translational_velocity_limits = _Setting(
        _translational,
        "Lowest and highest linear velocities (3,) of pose tracking [m/s], in axes of the world or of "
        "`relative_to`; None: none.",
    )
    maximum_scaling_to_report_stuck = _Setting(
        _scaling, "The scaling below which a step is stuck [-], from 0 to 1."
    )

    def __init__(
        self,
        num_positions: int | None = None,
        num_velocities: int | None = None,
        *,
        time_step: float = 1.0,
        nominal_positions: ArrayLike | None = None,
        centering_gain: ArrayLike | None = None,
        position_limits: tuple[ArrayLike, ArrayLike] | None = None,
        velocity_limits: tuple[ArrayLike, ArrayLike] | None = None,
        acceleration_limits: tuple[ArrayLike, ArrayLike] | None = None,
        velocity_flags: ArrayLike = (True,) * 6,
        angular_speed_limit: float = math.inf,
        translational_velocity_limits: tuple[ArrayLike, ArrayLike] | None = None,
        maximum_scaling_to_report_stuck: float = 0.01,
    ) -> None:
        """Parameters; the attributes say what each is.

        Args:
            num_positions: n of q; None: as many as the first array of positions has that is given.
            num_velocities: n of v; None: as many as positions where their number is given, else as the first
                array of velocities has.

        Raises TypeError or ValueError naming the argument.
        """
        self._native: _core.ScaledStep | None = None
        self._of_robot: tuple[_core.ScaledStep, object, _core.ScaledStep] | None = None
        self._constraints: tuple[LinearVelocityConstraint, ...] = ()
        of_positions = (nominal_positions, centering_gain, *_given("position_limits", position_limits))
        of_velocities = (
            *_given("velocity_limits", velocity_limits),
            *_given("acceleration_limits", acceleration_limits),
        )
        self._num_positions = _size("num_positions", num_positions, (*of_positions, *of_velocities))
        told = () if num_positions is not None else of_velocities
        self._num_velocities = _size("num_velocities", num_velocities, told, self._num_positions)
        self._values: dict[str, Any] = {}
        self.time_step = time_step
        q = np.zeros(self._num_positions) if nominal_positions is None else nominal_positions
        self.nominal_positions = q
        self.centering_gain = centering_gain
        self.position_limits = position_limits
        self.velocity_limits = velocity_limits
        self.acceleration_limits = acceleration_limits
        self.velocity_flags = velocity_flags
        self.angular_speed_limit = angular_speed_limit
        self.translational_velocity_limits = translational_velocity_limits
        self.maximum_scaling_to_report_stuck = maximum_scaling_to_report_stuck

    @property
    def num_positions(self) -> int:
        """Number of positions of the robot."""
        return self._num_positions

    @property
    def num_velocities(self) -> int:
        """Number of velocities of the robot."""
        return self._num_velocities

    @property
    def linear_velocity_constraints(self) -> tuple[LinearVelocityConstraint, ...]:
        """The constraints lower <= A v <= upper, in the order in which they were added."""
        return self._constraints

    def add_linear_velocity_constraint(
        self,
        A: ArrayLike | LinearVelocityConstraint,
        lower: ArrayLike = -math.inf,
        upper: ArrayLike = math.inf,
    ) -> LinearVelocityConstraint:
        """Keep lower <= A v <= upper (k,) [rad/s, m/s]; `LinearVelocityConstraint` says what each is.

        Raises TypeError or ValueError naming the argument, as for another number of columns than velocities.
        """
        constraint = (
            A if isinstance(A, LinearVelocityConstraint) else LinearVelocityConstraint(A, lower, upper)
        )
        if constraint.A.shape[1] != self._num_velocities:
            n = self._num_velocities
            raise ValueError(f"A: expected shape (k, {n}) for {n} velocities, got {constraint.A.shape}")
        self._constraints = (*self._constraints, constraint)
        self._native = None
        return constraint

    def clear_linear_velocity_constraints(self) -> None:
        """Remove all constraints that were added."""
        self._constraints = ()
        self._native = None

    def native(self) -> _core.ScaledStep:
        """These parameters as native code has them."""
        if self._native is None:
            self._native = self._compiled()
        return self._native

    def native_for(self, robot: Skeleton) -> _core.ScaledStep:
        """The same for a skeleton, whose followers go with their leaders and whose locked dofs stand still.

        Raises ValueError for parameters of another number of velocities.
        """
        leaders = robot.leading_dofs  # anew for each edit of who follows and who is locked
        if not leaders and not robot.locked_dofs:
            return self.native()
        plain = self.native()
        known = self._of_robot
        if known is None or known[0] is not plain or known[1] is not leaders:
            if robot.num_dofs != self._num_velocities:
                expected = f"{robot.num_dofs} velocities, as {robot.name} has"
                raise ValueError(f"parameters: expected those of {expected}, got {self._num_velocities}")
            known = self._of_robot = plain, leaders, self._compiled(moving_unknowns(robot).pairs)
        return known[2]

    def _compiled(self, pairs: Sequence[tuple[int, float]] = ()) -> _core.ScaledStep:
        """`pairs`: of each velocity the unknown that it moves with, and its factor; none: each is one."""
        n, rows = self._num_velocities, self._constraints
        G = np.concatenate([*(row.A for row in rows), np.zeros((0, n))])
        bounds = [np.concatenate([*(getattr(row, end) for row in rows), []]) for end in ("lower", "upper")]
        endless = (np.full(3, -np.inf), np.full(3, np.inf))
        return _core.ScaledStep(
            time_step=self.time_step,
            positions=self._num_positions,
            velocities=n,
            nominal=self.nominal_positions,
            gain=self.centering_gain if self.centering_gain.any() else None,
            position=self.position_limits,
            velocity=self.velocity_limits,
            acceleration=self.acceleration_limits,
            flags=np.array(self.velocity_flags, dtype=float),
            angular_speed=self.angular_speed_limit,
            linear=self.translational_velocity_limits or endless,
            G=G,
            rows=(bounds[0], bounds[1]),
            unknowns=[unknown for unknown, _ in pairs],
            factors=[factor for _, factor in pairs],
        )

    def _content(self) -> tuple[int, int, dict[str, Any], tuple[LinearVelocityConstraint, ...]]:
        return self._num_positions, self._num_velocities, self._values, self._constraints

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DifferentialIKParameters):
            return NotImplemented
        mine, its = self._content(), other._content()
        if mine[:2] != its[:2] or mine[3] != its[3]:
            return False
        return all(_same(mine[2][name], its[2][name]) for name in mine[2])

    def __copy__(self) -> DifferentialIKParameters:
        return _rebuilt(self._num_positions, self._num_velocities, dict(self._values), self._constraints)

    def __deepcopy__(self, memo: dict[int, Any]) -> DifferentialIKParameters:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, self._content()

    def __repr__(self) -> str:
        given = {name: x for name, x in self._values.items() if x is not None}
        settings = ", ".join(f"{name}={_brief(x)}" for name, x in given.items())
        rows = f", {len(self._constraints)} linear velocity constraints" if self._constraints else ""
        return f"DifferentialIKParameters({self._num_positions}, {self._num_velocities}, {settings}{rows})"


def _given(name: str, limits: Any) -> tuple[ArrayLike, ...]:
    return () if limits is None else _pair(name, limits)


def _brief(x: Any) -> str:
    return _core.brief(x.tolist() if isinstance(x, np.ndarray) else x)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    return bool(np.array_equal(a, b)) if isinstance(a, np.ndarray) else bool(a == b)


def _size(name: str, given: int | None, arrays: tuple[ArrayLike | None, ...], default: int = 0) -> int:
    if given is not None:
        size = checked_whole(name, given)
    else:
        lengths = [len(np.atleast_1d(np.asarray(array))) for array in arrays if array is not None]
        size = lengths[0] if lengths else default
    if size < 1:
        got = "nothing that tells it" if given is None else str(given)
        raise ValueError(f"{name}: expected 1 or above, got {got}")
    return size


def _rebuilt(
    positions: int, velocities: int, values: dict[str, Any], constraints: tuple[LinearVelocityConstraint, ...]
) -> DifferentialIKParameters:
    parameters = DifferentialIKParameters(positions, velocities)
    for name, x in values.items():
        setattr(parameters, name, x)
    parameters._constraints = tuple(constraints)
    return parameters
