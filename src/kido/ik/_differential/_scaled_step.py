"""Velocities in a given direction, as fast as limits let them be."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple, Protocol, overload

import numpy as np

from kido import _core
from kido.frame import Frame
from kido.ik._differential._parameters import DifferentialIKParameters
from kido.skeleton import Skeleton
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array
from kido.values import Value, checked, checked_items, register, value

__all__ = ["ActiveLimit", "DifferentialIKResult", "DifferentialIKStatus", "differential_ik"]

_SOLVED = 0
"""Native code of a program that is solved."""

_KINDS = ("position", "velocity", "acceleration", "linear velocity")


@register
class DifferentialIKStatus(str, Enum):
    """Outcome of a step."""

    SOLUTION_FOUND = "solution found"
    NO_SOLUTION = "no solution"
    """Limits contradict each other, as where positions are so far outside that no step leads back."""
    STUCK = "stuck"
    """The scaling is below `maximum_scaling_to_report_stuck`: limits, or a singular Jacobian, are in the way.
    Velocities are given all the same."""

    def __str__(self) -> str:
        return self.value


class ActiveLimit(NamedTuple):
    """A limit that velocities reach.

    Attributes:
        kind: "position", "velocity", "acceleration", "linear velocity" or what a limit calls itself.
        number: of the dof, or of the row.
        side: "lower" or "upper".
    """

    kind: str
    number: int
    side: str


def _velocities(name: str, given: ArrayLike | None) -> FloatArray | None:
    return None if given is None else frozen_array(name, given, (-1,))


def _sides(name: str, given: Sequence[ArrayLike]) -> tuple[FloatArray, ...]:
    return tuple(frozen_array(name, part, (-1,)) for part in given)


@value
class DifferentialIKResult(Value):
    """Result of a step. Its array is read-only.

    Attributes:
        velocities: (n,) [rad/s, m/s]; None where there is no solution.
        alpha: part of the wanted velocity that is reached [-], from 0 to 1.
        status: outcome.
        sides: at which limits velocities are, -1 lower and 1 upper: of positions, velocities, accelerations
            and rows of linear velocity constraints; see `active_limits`.
    """

    velocities: FloatArray | None = checked(_velocities)
    alpha: float
    status: DifferentialIKStatus
    sides: tuple[FloatArray, ...] = checked(_sides, default=())

    @property
    def success(self) -> bool:
        """Whether the status is SOLUTION_FOUND."""
        return self.status is DifferentialIKStatus.SOLUTION_FOUND

    @property
    def active_limits(self) -> tuple[ActiveLimit, ...]:
        """The limits that velocities reach."""
        return tuple(
            ActiveLimit(kind, int(i), "lower" if sides[i] < 0.0 else "upper")
            for kind, sides in zip(_KINDS, self.sides, strict=False)
            for i in np.flatnonzero(sides)
        )

    def __bool__(self) -> bool:
        return self.success


class _Sparse(Protocol):
    """A matrix of SciPy."""

    def toarray(self) -> Any:
        """The same as an array."""


@overload
def differential_ik(
    robot: Skeleton,
    frame: Frame,
    target: TransformLike,
    parameters: DifferentialIKParameters,
    /,
    *,
    relative_to: Frame | None = None,
) -> DifferentialIKResult: ...
@overload
def differential_ik(
    robot: Skeleton,
    frame: Sequence[Frame],
    target: Sequence[TransformLike],
    parameters: DifferentialIKParameters,
    /,
    *,
    relative_to: Frame | Sequence[Frame | None] | None = None,
) -> DifferentialIKResult: ...
@overload
def differential_ik(
    q: ArrayLike,
    v: ArrayLike,
    V: ArrayLike,
    J: ArrayLike,
    parameters: DifferentialIKParameters,
    /,
    *,
    N: ArrayLike | _Sparse | None = None,
    N_inverse: ArrayLike | _Sparse | None = None,
) -> DifferentialIKResult: ...
def differential_ik(*arguments: Any, **options: Any) -> DifferentialIKResult:
    """The velocity whose motion has the direction of V and is as fast as limits let it be, up to V.

    min over v and alpha of -100 alpha + |P (v - N⁺ K (q_nominal - q))|² such that
    J v = alpha V, 0 <= alpha <= 1, lower <= q + N v dt <= upper, and limits of v, of (v - v_now) / dt and of
    rows A v hold; the rows of P are an orthonormal basis of the null space of J, K is `centering_gain`.

    `differential_ik(q, v, V, J, parameters, N=None, N_inverse=None)`: for any Jacobian.
    `differential_ik(robot, frame, target, parameters, relative_to=None)`: for a frame, from where the robot
    is and how it moves. Followers of mimic joints that are enforced go with their leaders, locked dofs stand
    still.

    Meaning:
        q, v: (num_positions,) [rad, m] and (num_velocities,) [rad/s, m/s] now.
        V: wanted velocity (k,), any k. J: (k, num_velocities).
        N: (num_positions, num_velocities) with q̇ = N v; None: the identity. Needed where there are position
            limits and not as many positions as velocities. N_inverse, with v = N⁺ q̇: needed where there are
            not as many of both and J has a null space. Matrices of SciPy may be sparse.
        robot: a skeleton. frame: any frame that it moves.
        target: spatial velocity (6,) of the frame, angular first, or its pose (4, 4) after the step, a matrix
            or a SciPy RigidTransform, which
            `angular_speed_limit` and `translational_velocity_limits` slow down; in axes of `relative_to`.
            `velocity_flags` choose components in axes of the frame.
        relative_to: frame from which it is seen, moving or not; None: the world.
            Of several frames, which move in step, `frame` and `target` are sequences, `relative_to` may be.
        parameters: limits and settings.

    Raises:
        TypeError, ValueError: an argument of another kind or shape, N or N_inverse missing where it is
            needed; a pose that is no rigid transform; a frame that the robot does not move.

    Source: Russ Tedrake, Robotic Manipulation, chapter 3, "Differential inverse kinematics with constraints";
    Drake's DoDifferentialInverseKinematics.
    """
    of_robot = bool(arguments) and isinstance(arguments[0], Skeleton)
    known = ("relative_to",) if of_robot else ("N", "N_inverse")
    for name in options:
        if name not in known:
            raise TypeError(f"differential_ik: expected {' or '.join(known)} beside these, got {name!r}")
    if of_robot:
        return _of_frame(*_expect(arguments, 4, "robot, frame, target, parameters"), **options)
    return _of_jacobian(*_expect(arguments, 5, "q, v, V, J, parameters"), **options)


def _expect(arguments: tuple[Any, ...], count: int, names: str) -> tuple[Any, ...]:
    if len(arguments) != count:
        raise TypeError(f"differential_ik: expected {names}, got {len(arguments)} arguments")
    if not isinstance(arguments[-1], DifferentialIKParameters):
        got = type(arguments[-1]).__name__
        raise TypeError(f"parameters: expected DifferentialIKParameters, got {got}")
    return arguments


def _of_frame(
    robot: Skeleton,
    frame: Frame | Sequence[Frame],
    target: Any,
    parameters: DifferentialIKParameters,
    *,
    relative_to: Any = None,
) -> DifferentialIKResult:
    bodies = robot.root_bodies
    if not bodies:
        raise ValueError("robot: expected a skeleton with bodies")
    native = parameters.native_for(robot)
    if isinstance(frame, Frame):
        target, is_pose = _pose_or_velocity(target)
        found = native.solve_frame(frame, relative_to, bodies[0], target, is_pose)
        names = frame.name
    else:
        wanted = _wanted(frame, target, relative_to)
        found = native.solve_frames(wanted, bodies[0])
        names = ", ".join(part.name for part in frame)
    if found is None:
        raise ValueError(f"frame: expected one that {robot.name} moves, or moves relative_to, got {names}")
    return _result(found, parameters)


def _pose_or_velocity(target: TransformLike) -> tuple[ArrayLike, bool]:
    """Numbers of a target, and whether it is a pose. Raises ValueError for another shape."""
    if not isinstance(target, np.ndarray) and hasattr(target, "as_matrix"):
        target = target.as_matrix()
    shape = target.shape if isinstance(target, np.ndarray) else np.shape(target)
    if shape not in ((6,), (4, 4)):
        raise ValueError(
            f"target: expected a velocity (6,) [rad/s, m/s] or a pose (4, 4) [m], got shape {shape}"
        )
    return target, len(shape) == 2


def _wanted(
    frames: Any, targets: Any, bases: Any
) -> list[tuple[_core.Frame, _core.Frame | None, ArrayLike, bool]]:
    if isinstance(frames, str):
        raise TypeError(f"frame: expected a Frame, or several, got {frames!r}: see `Skeleton.body`")
    frames, targets = checked_items("frame", Frame, frames), checked_items("target", object, targets)
    if bases is None or isinstance(bases, Frame):
        bases = (bases,) * len(frames)
    bases = checked_items("relative_to", object, bases)
    if not len(frames) == len(targets) == len(bases) or not frames:
        got = f"{len(frames)}, {len(targets)} and {len(bases)}"
        raise ValueError(
            f"target: expected as many targets, and relative_to, as frames, one at least, got {got}"
        )
    wanted = [_pose_or_velocity(target) for target in targets]
    return [(f, base, *one) for f, base, one in zip(frames, bases, wanted, strict=True)]


def _of_jacobian(
    q: ArrayLike,
    v: ArrayLike,
    V: ArrayLike,
    J: ArrayLike,
    parameters: DifferentialIKParameters,
    *,
    N: ArrayLike | _Sparse | None = None,
    N_inverse: ArrayLike | _Sparse | None = None,
) -> DifferentialIKResult:
    positions, velocities = parameters.num_positions, parameters.num_velocities
    q = frozen_array("q", q, (positions,), "rad, m")
    v = frozen_array("v", v, (velocities,), "rad/s, m/s")
    V = frozen_array("V", V, (-1,))
    J = frozen_array("J", J, (-1, velocities))
    if len(V) != len(J):
        raise ValueError(f"V: expected as many numbers as J has rows, {len(J)}, got {len(V)}")
    N = _matrix("N", N, (positions, velocities))
    N_inverse = _matrix("N_inverse", N_inverse, (velocities, positions))
    if positions != velocities:
        _require_maps(J, N, N_inverse, parameters)
    return _result(parameters.native().solve(q, v, V, J, N, N_inverse), parameters)


def _matrix(name: str, given: ArrayLike | _Sparse | None, shape: tuple[int, int]) -> FloatArray | None:
    if given is None:
        return None
    dense = given.toarray() if hasattr(given, "toarray") else given
    return frozen_array(name, dense, shape)


def _require_maps(
    J: FloatArray,
    N: FloatArray | None,
    N_inverse: FloatArray | None,
    parameters: DifferentialIKParameters,
) -> None:
    unequal = f"{parameters.num_positions} positions and {parameters.num_velocities} velocities"
    if N is None and parameters.position_limits is not None:
        raise ValueError(f"N: expected a matrix, for there are position limits, {unequal}")
    if N_inverse is None and (len(J) == 0 or np.linalg.matrix_rank(J) < parameters.num_velocities):
        raise ValueError(f"N_inverse: expected a matrix, for J has a null space, {unequal}")


def _result(found: Any, parameters: DifferentialIKParameters) -> DifferentialIKResult:
    code, velocities, alpha, sides = found
    if code != _SOLVED:
        return DifferentialIKResult(None, 0.0, DifferentialIKStatus.NO_SOLUTION)
    stuck = alpha < parameters.maximum_scaling_to_report_stuck
    status = DifferentialIKStatus.STUCK if stuck else DifferentialIKStatus.SOLUTION_FOUND
    return DifferentialIKResult._unchecked(velocities, alpha, status, sides)
