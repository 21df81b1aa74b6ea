"""Trees for what native trees cannot express: user joints, and bodies on which gravity does not act."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.errors import SingularMassError
from kido.skeleton._compiled._tree_arguments import all_into, checked_arguments, into
from kido.skeleton._compiled._user_coordinates import NativeMotion, UserCoordinates, apply
from kido.skeleton._joints._user_joint import UserJoint
from kido.tree import Tree, TreeRows
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["ExtendedTree"]

_STEPS = 1e-3 * np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
_WEIGHTS = np.array([-1.0, 9.0, -45.0, 45.0, -9.0, 1.0]) / (60.0 * 1e-3)
"""Central differences of sixth order."""


class ExtendedTree(Tree):
    """A tree with joints of the user's own, or with bodies on which gravity does not act.

    A user joint is a free joint of the native tree whose coordinates follow from the joint's own: its twist
    is S v, and its acceleration S a + dS v. So motions go through the native tree as they are, matrices and
    forces are projected by the matrix G of all these S, and forward dynamics solves the projected equations.
    Weightless bodies carry an upward wrench that undoes gravity. Derivatives of inverse dynamics are taken by
    finite differences.
    """

    def __init__(
        self,
        rows: TreeRows,
        *,
        name: str,
        gravity: ArrayLike,
        users: Sequence[tuple[int, UserJoint]],
        weightless: FloatArray,
    ) -> None:
        """Rows in which user joints are free joints.

        `users`: joints by index; `weightless` (num_bodies,): masses of bodies that gravity leaves alone [kg].
        """
        super().__init__(rows, name=name, gravity=gravity)
        self._users = tuple(users)
        self._weightless = weightless
        self._coordinates = UserCoordinates(rows.joint_types(), dict(users))

    # ---- what it is

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom, len(q) and len(v)."""
        return len(self._rows.dof_names)

    @property
    def slides(self) -> NDArray[np.bool_]:
        """Which dofs (num_dofs,) have a length [m] as position; those of user joints count as angles."""
        mask = np.zeros(self.num_dofs, dtype=bool)
        mask[self._coordinates.narrow] = super().slides[self._coordinates.wide]
        return mask

    def joint_dofs(self, joint: str) -> range:
        """Indices of a joint's degrees of freedom. Raises UnknownNameError."""
        return self._coordinates.ranges[self.joint_index(joint)]

    def random_positions(self, rng: np.random.Generator, size: Any = ()) -> FloatArray:
        """Positions (*size, num_dofs) [rad, m] drawn within the limits, as Tree does; those of user joints
        uniformly."""
        c = self._coordinates
        q = self._native_with_limits().random_positions(rng, size)[..., c.wide]
        result = np.zeros((*q.shape[:-1], self.num_dofs))
        result[..., c.narrow] = q
        lower, upper = self.lower_limits, self.upper_limits
        below = np.where(np.isfinite(upper), np.minimum(upper - np.pi, -np.pi), -np.pi)
        above = np.where(np.isfinite(lower), np.maximum(lower + np.pi, np.pi), np.pi)
        low, high = np.where(np.isfinite(lower), lower, below), np.where(np.isfinite(upper), upper, above)
        for _, own, _ in c.parts.values():
            result[..., own] = rng.uniform(low[own], high[own], result[..., own].shape)
        return result

    def _native_with_limits(self) -> Tree:
        """The native tree by itself, with limits for its own dofs."""
        rows, c = self._rows, self._coordinates
        limits = np.empty((len(rows.limits), c.num_native))
        limits[[0, 1]] = [[-np.inf], [np.inf]]
        limits[2:] = np.inf
        limits[:, c.wide] = rows.limits[:, c.narrow]
        names = tuple(map(str, range(c.num_native)))
        native = TreeRows(rows.integers, rows.numbers, limits, rows.body_names, rows.joint_names, names)
        return Tree(native, name=self.name, gravity=self.gravity)

    def __reduce__(self) -> tuple[Callable[..., Tree], tuple[Any, ...]]:
        return _rebuild, (self._rows, self.name, self.gravity, self._users, self._weightless)

    def _digest(self) -> bytes:
        with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
            users = [
                (i, f"{type(j).__module__}.{type(j).__qualname__}", repr(j.properties))
                for i, j in self._users
            ]
        return super()._digest() + repr((users, self._weightless.tolist())).encode()

    def place_user_joints(self, state: _core.State) -> None:
        """Tell a state how the user joints move at its present numbers."""
        q, v = state.positions, state.velocities
        for index, (joint, own, _) in enumerate(self._coordinates.parts.values()):
            T, S, dS = (
                joint._pose_at(q[own]),
                joint._jacobian_at(q[own]),
                joint._jacobian_rate_at(q[own], v[own]),
            )
            state.place_user_joint(index, T, S, dS)

    # ---- arguments

    def _read(self, **arguments: ArrayLike | None) -> list[FloatArray]:
        return checked_arguments(self.num_dofs, self.num_bodies, arguments)

    def _read_loaded(self, wrenches: ArrayLike | None, **arguments: ArrayLike) -> list[Any]:
        """All arguments, and last the wrenches or None."""
        own = self._read(**arguments, wrenches=wrenches)
        return [*own, None] if wrenches is None else own

    def _positions(self, q: ArrayLike) -> FloatArray:
        return self._coordinates.positions(*self._read(q=q))

    def _motion(self, **arguments: ArrayLike) -> NativeMotion:
        return self._coordinates.motion(*self._read(**arguments))

    def _loads(self, q: FloatArray, wrenches: FloatArray | None) -> FloatArray | None:
        """Wrenches on the bodies at native positions, with those that undo gravity on weightless ones."""
        if not self._weightless.any():
            return wrenches
        poses = super().forward_kinematics(q)
        lift = -np.einsum("...bji,j->...bi", poses[..., :3, :3], self.gravity) * self._weightless[:, None]
        com = self._rows.numbers[:, _core.BodyColumns.COM]
        loads = np.concatenate([np.cross(com, lift), lift], axis=-1)
        return loads if wrenches is None else loads + wrenches

    # ---- kinematics

    def forward_kinematics(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        return super().forward_kinematics(self._positions(q), out=out)

    def transform(self, q: ArrayLike, body: int | str, *, out: Any = None) -> FloatArray:
        return super().transform(self._positions(q), body, out=out)

    def body_velocities(
        self, q: ArrayLike, v: ArrayLike, *, frame: str = "world", out: Any = None
    ) -> FloatArray:
        return super().body_velocities(*self._motion(q=q, v=v).arrays, frame=frame, out=out)

    def velocity(self, q: ArrayLike, v: ArrayLike, body: int | str, **options: Any) -> FloatArray:
        motion = self._motion(q=q, v=v)
        return super().velocity(motion.q, motion.v, body, **options)

    def body_accelerations(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, **options: Any) -> FloatArray:
        return super().body_accelerations(*self._motion(q=q, v=v, a=a).arrays, **options)

    def acceleration(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, body: int | str, **options: Any
    ) -> FloatArray:
        motion = self._motion(q=q, v=v, a=a)
        return super().acceleration(motion.q, motion.v, motion.a, body, **options)

    def jacobian(
        self,
        q: ArrayLike,
        body: int | str,
        offset: ArrayLike | None = None,
        frame: str = "world",
        *,
        out: Any = None,
    ) -> FloatArray:
        motion = self._motion(q=q)
        return into(super().jacobian(motion.q, body, offset, frame) @ motion.G, out)

    def jacobian_derivative(
        self,
        q: ArrayLike,
        v: ArrayLike,
        body: int | str,
        offset: ArrayLike | None = None,
        frame: str = "world",
        *,
        classic: bool = True,
        out: Any = None,
    ) -> FloatArray:
        own = self._read(q=q, v=v)
        motion = self._coordinates.motion(*own)
        J = super().jacobian(motion.q, body, offset, frame)
        dJ = super().jacobian_derivative(motion.q, motion.v, body, offset, frame, classic=classic)
        return into(dJ @ motion.G + J @ self._coordinates.projection_rate(*own), out)

    def joint_transform(self, q: ArrayLike, joint: int | str, *, out: Any = None) -> FloatArray:
        return super().joint_transform(self._positions(q), joint, out=out)

    def motion_subspace(self, q: ArrayLike, joint: int | str, *, out: Any = None) -> FloatArray:
        motion = self._motion(q=q)
        S = super().motion_subspace(motion.q, joint)
        place = self._place(joint)
        return into(S if place is None else S @ motion.G[..., place[1], place[0]], out)

    def motion_subspace_derivative(
        self, q: ArrayLike, v: ArrayLike, joint: int | str, *, out: Any = None
    ) -> FloatArray:
        own = self._read(q=q, v=v)
        motion = self._coordinates.motion(*own)
        dS = super().motion_subspace_derivative(motion.q, motion.v, joint)
        place = self._place(joint)
        if place is not None:
            dG = self._coordinates.projection_rate(*own)[..., place[1], place[0]]
            dS = dS @ motion.G[..., place[1], place[0]] + super().motion_subspace(motion.q, joint) @ dG
        return into(dS, out)

    def _place(self, joint: int | str) -> tuple[slice, slice] | None:
        """Own and native dofs of a user joint; None for other joints."""
        index = self.joint_index(joint) if isinstance(joint, str) else int(joint)
        part = self._coordinates.parts.get(index)
        return None if part is None else part[1:]

    def integrate(self, q: ArrayLike, v: ArrayLike, dt: float = 1.0, *, out: Any = None) -> FloatArray:
        c, (own, rate) = self._coordinates, self._read(q=q, v=v)
        moved = super().integrate(c.plain(own), c.plain(rate), dt)
        result = own + rate * dt
        result[..., c.narrow] = moved[..., c.wide]
        return into(result, out)

    def difference(self, q0: ArrayLike, q1: ArrayLike, *, out: Any = None) -> FloatArray:
        c, (start, end) = self._coordinates, self._read(q0=q0, q1=q1)
        result = end - start
        result[..., c.narrow] = super().difference(c.plain(start), c.plain(end))[..., c.wide]
        return into(result, out)

    # ---- dynamics

    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        wrenches: ArrayLike | None = None,
        *,
        out: Any = None,
    ) -> FloatArray:
        *own, loads = self._read_loaded(wrenches, q=q, v=v, a=a)
        motion = self._coordinates.motion(*own)
        native = super().inverse_dynamics(motion.q, motion.v, motion.a, self._loads(motion.q, loads))
        return into(motion.project(native), out)

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        wrenches: ArrayLike | None = None,
        *,
        out: Any = None,
    ) -> FloatArray:
        at, rate, force, loads = self._read_loaded(wrenches, q=q, v=v, tau=tau)
        bias = self.inverse_dynamics(at, rate, np.zeros(self.num_dofs), loads)
        return into(self._solve(self.mass_matrix(at), force - bias), out)

    def hybrid_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        a: ArrayLike,
        wrenches: ArrayLike | None = None,
        *,
        prescribed: ArrayLike,
        added_inertia: ArrayLike | None = None,
        gravity: bool = True,
        out: Any = None,
    ) -> tuple[FloatArray, FloatArray]:
        at, rate, force, motion, loads = self._read_loaded(wrenches, q=q, v=v, tau=tau, a=a)
        fixed = _flags(prescribed, self.num_dofs)
        M = self.mass_matrix(at)
        if added_inertia is not None:
            M = M + np.diag(frozen_array("added_inertia", added_inertia, (self.num_dofs,), "kg m^2, kg"))
        bias = self.inverse_dynamics(at, rate, np.zeros(self.num_dofs), loads)
        if not gravity:
            bias = bias - self.gravity_forces(at)
        given = np.where(fixed, motion, 0.0)
        rest = force - bias - apply(M, given)
        free = ~fixed
        accelerations = np.array(np.broadcast_to(given, rest.shape))
        accelerations[..., free] = self._solve(M[..., free, :][..., :, free], rest[..., free])
        forces = np.where(fixed, apply(M, accelerations) + bias, force)
        return all_into((accelerations, forces), out)

    def _solve(self, M: FloatArray, right: FloatArray) -> FloatArray:
        self._cholesky(M)
        return np.asarray(np.linalg.solve(M, right[..., None])[..., 0])

    def _cholesky(self, M: FloatArray) -> FloatArray:
        try:
            return np.asarray(np.linalg.cholesky(M))
        except np.linalg.LinAlgError:
            raise SingularMassError((), self.name) from None

    def bias_forces(self, q: ArrayLike, v: ArrayLike, *, out: Any = None) -> FloatArray:
        at, rate = self._read(q=q, v=v)
        return into(self.inverse_dynamics(at, rate, np.zeros(self.num_dofs)), out)

    def gravity_forces(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        zero = np.zeros(self.num_dofs)
        return into(self.inverse_dynamics(q, zero, zero), out)

    def mass_matrix(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        motion = self._motion(q=q)
        G = motion.G
        return into(np.swapaxes(G, -1, -2) @ super().mass_matrix(motion.q) @ G, out)

    def inverse_mass_matrix(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        L = self._cholesky(self.mass_matrix(q))
        half = np.linalg.solve(L, np.broadcast_to(np.eye(self.num_dofs), L.shape))
        return into(np.swapaxes(half, -1, -2) @ half, out)

    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        wrenches: ArrayLike | None = None,
        *,
        out: Any = None,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        at, rate, motion, loads = self._read_loaded(wrenches, q=q, v=v, a=a)
        return all_into((*self._slopes(at, rate, motion, loads), self.mass_matrix(at)), out)

    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        wrenches: ArrayLike | None = None,
        *,
        out: Any = None,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        at, rate, force, loads = self._read_loaded(wrenches, q=q, v=v, tau=tau)
        motion = self.forward_dynamics(at, rate, force, loads)
        inverse = self.inverse_mass_matrix(at)
        along_q, along_v = self._slopes(at, rate, motion, loads)
        return all_into((-inverse @ along_q, -inverse @ along_v, inverse), out)

    def _slopes(
        self, q: FloatArray, v: FloatArray, a: FloatArray, wrenches: FloatArray | None
    ) -> tuple[FloatArray, FloatArray]:
        """Derivatives (..., num_dofs, num_dofs) of inverse dynamics along q and v."""
        loads = () if wrenches is None else wrenches.shape[:-2]
        lead = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], a.shape[:-1], loads)
        n = self.num_dofs
        moves = (_STEPS[:, None, None] * np.eye(n)).reshape(len(_STEPS), n, *(1,) * len(lead), n)
        along_q = self.inverse_dynamics(self.integrate(q, moves), v, a, wrenches)
        along_v = self.inverse_dynamics(q, v + moves, a, wrenches)
        return _weighted(along_q), _weighted(along_v)

    # ---- energies, momentum, center of mass

    def kinetic_energy(self, q: ArrayLike, v: ArrayLike, *, out: Any = None) -> FloatArray:
        return super().kinetic_energy(*self._motion(q=q, v=v).arrays, out=out)

    def potential_energy(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        wide = self._positions(q)
        energy = np.asarray(super().potential_energy(wide))
        if self._weightless.any():
            poses = super().forward_kinematics(wide)
            com = np.einsum(
                "...bij,bj->...bi", poses[..., :3, :3], self._rows.numbers[:, _core.BodyColumns.COM]
            )
            com = com + poses[..., :3, 3]
            energy = energy + np.einsum("...bi,i,b->...", com, self.gravity, self._moving_weightless())
        return into(energy, out)

    def _moving_weightless(self) -> FloatArray:
        zero = np.zeros(self._coordinates.num_native)
        moves = [bool(super(ExtendedTree, self).jacobian(zero, i).any()) for i in range(self.num_bodies)]
        return np.where(moves, self._weightless, 0.0)

    def momentum(self, q: ArrayLike, v: ArrayLike, **options: Any) -> FloatArray:
        return super().momentum(*self._motion(q=q, v=v).arrays, **options)

    def centroidal_momentum(self, q: ArrayLike, v: ArrayLike, *, out: Any = None) -> FloatArray:
        return super().centroidal_momentum(*self._motion(q=q, v=v).arrays, out=out)

    def centroidal_momentum_matrix(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        motion = self._motion(q=q)
        return into(super().centroidal_momentum_matrix(motion.q) @ motion.G, out)

    def center_of_mass(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        return super().center_of_mass(self._positions(q), out=out)

    def com_velocity(self, q: ArrayLike, v: ArrayLike, *, out: Any = None) -> FloatArray:
        return super().com_velocity(*self._motion(q=q, v=v).arrays, out=out)

    def com_acceleration(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Any = None) -> FloatArray:
        return super().com_acceleration(*self._motion(q=q, v=v, a=a).arrays, out=out)

    def com_jacobian(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        motion = self._motion(q=q)
        return into(super().com_jacobian(motion.q) @ motion.G, out)


def _rebuild(
    rows: TreeRows, name: str, gravity: FloatArray, users: Any, weightless: FloatArray
) -> ExtendedTree:
    return ExtendedTree(rows, name=name, gravity=gravity, users=users, weightless=weightless)


def _flags(prescribed: ArrayLike, count: int) -> NDArray[np.bool_]:
    flags = np.asarray(prescribed, dtype=bool)
    if flags.shape != (count,):
        raise ValueError(f"prescribed: expected bools of shape ({count},), got {flags.shape}")
    return flags


def _weighted(at_steps: FloatArray) -> FloatArray:
    """Slopes (..., m, n) of answers at all steps along n directions (steps, n, ..., m)."""
    return np.asarray(np.moveaxis(np.tensordot(_WEIGHTS, at_steps, 1), 0, -1))
