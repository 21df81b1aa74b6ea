"""Trees of skeletons: native ones, and slower ones for what native trees cannot express."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from kido import _core
from kido.description import JointType
from kido.errors import SingularMassError
from kido.math import so3_log
from kido.skeleton import _numbers as numbers
from kido.skeleton._user_joint import UserJoint
from kido.tree import Tree, TreeRows, euler_code, type_code
from kido.typing import ArrayLike, FloatArray

if TYPE_CHECKING:
    from kido.skeleton._core_skeleton import SkeletonCore

__all__ = ["ExtendedTree", "compile_tree", "shareable_tree"]

_DIFFERENCE_STEP = 1e-3

_Motion: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]


class ExtendedTree(Tree):
    """A tree with joints of the user's own, or with bodies on which gravity does not act.

    A user joint is a free joint of the native tree whose coordinates follow from the joint's own: its twist
    is S v, and its acceleration S a + dS v. So motions go through the native tree as they are, matrices and
    forces are projected by the matrix G of all these S, and forward dynamics solves the projected equations.
    Weightless bodies carry an upward wrench that undoes gravity. Derivatives of dynamics are taken by finite
    differences.
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
        """Rows in which user joints are free joints; `users`: joints by index; `weightless` (num_bodies,)
        masses [kg]."""
        super().__init__(rows, name=name, gravity=gravity)
        self._users = tuple(users)
        self._weightless = weightless
        self._wide = _core.Tree.num_dofs.__get__(self)
        self._number_dofs()

    def _number_dofs(self) -> None:
        by_joint = dict(self._users)
        self._parts: list[tuple[UserJoint, slice, slice]] = []
        narrow: list[int] = []
        wide: list[int] = []
        self._ranges: list[range] = []
        own = native = 0
        for index, kind in enumerate(self._rows.joint_types()):
            joint = by_joint.get(index)
            count = kind.num_dofs if joint is None else joint.num_dofs
            if joint is None:
                narrow += range(own, own + count)
                wide += range(native, native + count)
            else:
                self._parts.append((joint, slice(own, own + count), slice(native, native + 6)))
            self._ranges.append(range(own, own + count))
            own += count
            native += kind.num_dofs
        self._narrow, self._wide_dofs = np.array(narrow, dtype=int), np.array(wide, dtype=int)

    # ---- what it is

    @property
    def num_dofs(self) -> int:
        """Number of degrees of freedom, len(q) and len(v)."""
        return len(self._rows.dof_names)

    def joint_dofs(self, joint: str) -> range:
        """Indices of a joint's degrees of freedom. Raises UnknownNameError."""
        return self._ranges[self.joint_index(joint)]

    def random_positions(self, rng: np.random.Generator, size: Any = ()) -> FloatArray:
        """Positions (*size, num_dofs) [rad, m] drawn within the limits, as Tree does; those of user joints
        uniformly."""
        expanded = _widened_limits(self)
        q = expanded.random_positions(rng, size)[..., self._wide_dofs]
        result = np.zeros((*q.shape[:-1], self.num_dofs))
        result[..., self._narrow] = q
        lower, upper = self.lower_limits, self.upper_limits
        low = np.where(
            np.isfinite(lower), lower, np.minimum(-np.pi, np.where(np.isfinite(upper), upper - np.pi, 0.0))
        )
        high = np.where(
            np.isfinite(upper), upper, np.maximum(np.pi, np.where(np.isfinite(lower), lower + np.pi, 0.0))
        )
        for _, own, _ in self._parts:
            result[..., own] = rng.uniform(low[own], high[own], result[..., own].shape)
        return result

    def __reduce__(self) -> tuple[Callable[..., Tree], tuple[Any, ...]]:
        return _rebuild, (self._rows, self.name, self.gravity, self._users, self._weightless)

    def _digest(self) -> bytes:
        return super()._digest() + repr((self._users, self._weightless.tolist())).encode()

    # ---- from the joints' own coordinates to those of the native tree

    def place_user_joints(self, state: _core.State) -> None:
        """Tell a state how the user joints move at its present numbers."""
        q, v = state.positions, state.velocities
        for index, (joint, own, _) in enumerate(self._parts):
            state.place_user_joint(
                index,
                joint.transform_of(q[own]),
                joint.jacobian_of(q[own]),
                joint.jacobian_derivative_of(q[own], v[own]),
            )

    def _positions(self, q: ArrayLike) -> FloatArray:
        own = self._checked("q", q, "rad, m")
        wide = np.zeros((*own.shape[:-1], self._wide))
        wide[..., self._wide_dofs] = own[..., self._narrow]
        for joint, part, place in self._parts:
            for sample in np.ndindex(own.shape[:-1]):
                T = np.asarray(joint.transform_of(own[sample][part]))
                wide[(*sample, place)] = np.concatenate([so3_log(T[:3, :3]), T[:3, 3]])
        return wide

    def _projection(self, q: ArrayLike) -> FloatArray:
        """G (..., native dofs, num_dofs)."""
        own = self._checked("q", q, "rad, m")
        G = np.zeros((*own.shape[:-1], self._wide, self.num_dofs))
        G[..., self._wide_dofs, self._narrow] = 1.0
        for joint, part, place in self._parts:
            for sample in np.ndindex(own.shape[:-1]):
                G[(*sample, place, part)] = joint.jacobian_of(own[sample][part])
        return G

    def _projection_rate(self, q: ArrayLike, v: ArrayLike) -> FloatArray:
        """dG/dt (..., native dofs, num_dofs)."""
        own, rate = np.broadcast_arrays(self._checked("q", q, "rad, m"), self._checked("v", v, "rad/s, m/s"))
        dG = np.zeros((*own.shape[:-1], self._wide, self.num_dofs))
        for joint, part, place in self._parts:
            for sample in np.ndindex(own.shape[:-1]):
                dG[(*sample, place, part)] = joint.jacobian_derivative_of(
                    own[sample][part], rate[sample][part]
                )
        return dG

    def _velocities(self, q: ArrayLike, v: ArrayLike) -> FloatArray:
        return _apply(self._projection(q), self._checked("v", v, "rad/s, m/s"))

    def _accelerations(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> FloatArray:
        carried = _apply(self._projection_rate(q, v), self._checked("v", v, "rad/s, m/s"))
        return _apply(self._projection(q), self._checked("a", a, "rad/s^2, m/s^2")) + carried

    def _project(self, q: ArrayLike, forces: FloatArray) -> FloatArray:
        return _apply(np.swapaxes(self._projection(q), -1, -2), forces)

    def _checked(self, name: str, values: ArrayLike, unit: str) -> FloatArray:
        array = np.asarray(values, dtype=np.float64)
        if array.ndim < 1 or array.shape[-1] != self.num_dofs:
            raise ValueError(f"{name}: expected shape (..., {self.num_dofs}) [{unit}], got {array.shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name}: expected finite numbers [{unit}], got {array.tolist()}")
        return array

    def _loads(self, q: ArrayLike, wrenches: ArrayLike | None, *, gravity: bool = True) -> FloatArray | None:
        """Wrenches on the bodies, with those that undo gravity on weightless ones."""
        if not (self._weightless.any() and gravity):
            return None if wrenches is None else np.asarray(wrenches, dtype=np.float64)
        poses = super().forward_kinematics(self._positions(q))
        lift = -np.einsum("...bji,j->...bi", poses[..., :3, :3], self.gravity) * self._weightless[:, None]
        com = self._rows.numbers[:, 32:35]
        loads = np.concatenate([np.cross(com, lift), lift], axis=-1)
        return loads if wrenches is None else loads + np.asarray(wrenches, dtype=np.float64)

    # ---- kinematics

    def forward_kinematics(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        return super().forward_kinematics(self._positions(q), out=out)

    def transform(self, q: ArrayLike, body: int | str, *, out: Any = None) -> FloatArray:
        return super().transform(self._positions(q), body, out=out)

    def body_velocities(
        self, q: ArrayLike, v: ArrayLike, *, frame: str = "world", out: Any = None
    ) -> FloatArray:
        return super().body_velocities(self._positions(q), self._velocities(q, v), frame=frame, out=out)

    def velocity(self, q: ArrayLike, v: ArrayLike, body: int | str, **options: Any) -> FloatArray:
        return super().velocity(self._positions(q), self._velocities(q, v), body, **options)

    def body_accelerations(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, **options: Any) -> FloatArray:
        motion = self._positions(q), self._velocities(q, v), self._accelerations(q, v, a)
        return super().body_accelerations(*motion, **options)

    def acceleration(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, body: int | str, **options: Any
    ) -> FloatArray:
        motion = self._positions(q), self._velocities(q, v), self._accelerations(q, v, a)
        return super().acceleration(*motion, body, **options)

    def jacobian(
        self,
        q: ArrayLike,
        body: int | str,
        offset: ArrayLike | None = None,
        frame: str = "world",
        *,
        out: Any = None,
    ) -> FloatArray:
        J = super().jacobian(self._positions(q), body, offset, frame)
        return _into(J @ self._projection(q), out)

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
        wide = self._positions(q)
        J = super().jacobian(wide, body, offset, frame)
        dJ = super().jacobian_derivative(wide, self._velocities(q, v), body, offset, frame, classic=classic)
        return _into(dJ @ self._projection(q) + J @ self._projection_rate(q, v), out)

    def joint_transform(self, q: ArrayLike, joint: int | str, *, out: Any = None) -> FloatArray:
        return super().joint_transform(self._positions(q), joint, out=out)

    def motion_subspace(self, q: ArrayLike, joint: int | str, *, out: Any = None) -> FloatArray:
        S = super().motion_subspace(self._positions(q), joint)
        user = self._user(joint)
        if user is not None:
            _, own, place = user
            S = S @ self._projection(q)[..., place, own]
        return _into(S, out)

    def motion_subspace_derivative(
        self, q: ArrayLike, v: ArrayLike, joint: int | str, *, out: Any = None
    ) -> FloatArray:
        wide = self._positions(q)
        dS = super().motion_subspace_derivative(wide, self._velocities(q, v), joint)
        user = self._user(joint)
        if user is not None:
            _, own, place = user
            S = super().motion_subspace(wide, joint)
            dS = dS @ self._projection(q)[..., place, own] + S @ self._projection_rate(q, v)[..., place, own]
        return _into(dS, out)

    def integrate(self, q: ArrayLike, v: ArrayLike, dt: float = 1.0, *, out: Any = None) -> FloatArray:
        own, rate = self._checked("q", q, "rad, m"), self._checked("v", v, "rad/s, m/s")
        result = own + rate * dt
        moved = super().integrate(self._plain(own), self._plain(rate), dt)
        result[..., self._narrow] = moved[..., self._wide_dofs]
        return _into(result, out)

    def difference(self, q0: ArrayLike, q1: ArrayLike, *, out: Any = None) -> FloatArray:
        start, end = self._checked("q0", q0, "rad, m"), self._checked("q1", q1, "rad, m")
        result = end - start
        between = super().difference(self._plain(start), self._plain(end))
        result[..., self._narrow] = between[..., self._wide_dofs]
        return _into(result, out)

    def _plain(self, own: FloatArray) -> FloatArray:
        wide = np.zeros((*own.shape[:-1], self._wide))
        wide[..., self._wide_dofs] = own[..., self._narrow]
        return wide

    def _user(self, joint: int | str) -> tuple[UserJoint, slice, slice] | None:
        index = self.joint_index(joint) if isinstance(joint, str) else int(joint)
        for (number, _), part in zip(self._users, self._parts, strict=True):
            if number == index:
                return part
        return None

    # ---- dynamics

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: ArrayLike | None = None, *, out: Any = None
    ) -> FloatArray:
        motion = self._positions(q), self._velocities(q, v), self._accelerations(q, v, a)
        return _into(self._project(q, super().inverse_dynamics(*motion, self._loads(q, wrenches))), out)

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        wrenches: ArrayLike | None = None,
        *,
        out: Any = None,
    ) -> FloatArray:
        zero = np.zeros(self.num_dofs)
        free = np.zeros(self.num_dofs, dtype=bool)
        return _into(self.hybrid_dynamics(q, v, tau, zero, wrenches, prescribed=free)[0], out)

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
        fixed = np.asarray(prescribed, dtype=bool)
        M = self.mass_matrix(q)
        if added_inertia is not None:
            M = M + np.diag(np.asarray(added_inertia, dtype=np.float64))
        bias = self.inverse_dynamics(q, v, np.zeros(self.num_dofs), wrenches)
        if not gravity:
            bias = bias - self.gravity_forces(q)
        driving = self._checked("tau", tau, "N m, N") - bias
        given = np.where(fixed, self._checked("a", a, "rad/s^2, m/s^2"), 0.0)
        rest = driving - _apply(M, given)
        free = ~fixed
        lead = np.broadcast_shapes(rest.shape[:-1], M.shape[:-2])
        result = np.array(np.broadcast_to(given, (*lead, self.num_dofs)))
        result[..., free] = self._solve(
            M[..., free, :][..., :, free], np.broadcast_to(rest, result.shape)[..., free]
        )
        forces = np.where(fixed, _apply(M, result) + bias, np.broadcast_to(np.asarray(tau), result.shape))
        if out is None:
            return result, forces
        return _into(result, out[0]), _into(forces, out[1])

    def _solve(self, M: FloatArray, right: FloatArray) -> FloatArray:
        try:
            np.linalg.cholesky(M)
        except np.linalg.LinAlgError:
            raise SingularMassError((), self.name) from None
        return np.asarray(np.linalg.solve(M, right[..., None])[..., 0])

    def bias_forces(self, q: ArrayLike, v: ArrayLike, *, out: Any = None) -> FloatArray:
        return _into(self.inverse_dynamics(q, v, np.zeros(self.num_dofs)), out)

    def gravity_forces(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        zero = np.zeros(self._wide)
        native = super().inverse_dynamics(self._positions(q), zero, zero, self._loads(q, None))
        return _into(self._project(q, native), out)

    def mass_matrix(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        G = self._projection(q)
        return _into(np.swapaxes(G, -1, -2) @ super().mass_matrix(self._positions(q)) @ G, out)

    def inverse_mass_matrix(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        M = self.mass_matrix(q)
        columns = np.broadcast_to(np.eye(self.num_dofs), M.shape)
        try:
            L = np.linalg.cholesky(M)
        except np.linalg.LinAlgError:
            raise SingularMassError((), self.name) from None
        half = np.linalg.solve(L, columns)
        return _into(np.swapaxes(half, -1, -2) @ half, out)

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: ArrayLike | None = None, *, out: Any = None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        def of(q: FloatArray, v: FloatArray) -> FloatArray:
            return self.inverse_dynamics(q, v, a, wrenches)

        along_q, along_v = self._slopes(of, q, v)
        return _all_into((along_q, along_v, self.mass_matrix(q)), out)

    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        wrenches: ArrayLike | None = None,
        *,
        out: Any = None,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        def of(q: FloatArray, v: FloatArray) -> FloatArray:
            return self.forward_dynamics(q, v, tau, wrenches)

        along_q, along_v = self._slopes(of, q, v)
        return _all_into((along_q, along_v, self.inverse_mass_matrix(q)), out)

    def _slopes(self, of: _Motion, q: ArrayLike, v: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Derivatives along q and v by central differences of sixth order."""
        at, rate = self._checked("q", q, "rad, m"), self._checked("v", v, "rad/s, m/s")
        along_q, along_v = [], []
        for direction in np.eye(self.num_dofs):
            along_q.append(_difference(partial(self._moved, of, at, rate, direction)))
            along_v.append(_difference(partial(_sped, of, at, rate, direction)))
        return np.stack(along_q, axis=-1), np.stack(along_v, axis=-1)

    def _moved(
        self, of: _Motion, q: FloatArray, v: FloatArray, direction: FloatArray, s: float
    ) -> FloatArray:
        return of(self.integrate(q, direction, s), v)

    # ---- energies, momentum, center of mass

    def kinetic_energy(self, q: ArrayLike, v: ArrayLike, *, out: Any = None) -> FloatArray:
        return super().kinetic_energy(self._positions(q), self._velocities(q, v), out=out)

    def potential_energy(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        wide = self._positions(q)
        energy = super().potential_energy(wide)
        if self._weightless.any():
            poses = super().forward_kinematics(wide)
            com = (
                np.einsum("...bij,bj->...bi", poses[..., :3, :3], self._rows.numbers[:, 32:35])
                + poses[..., :3, 3]
            )
            energy = energy + np.einsum("...bi,i,b->...", com, self.gravity, self._moving_weightless())
        return _into(np.asarray(energy), out)

    def _moving_weightless(self) -> FloatArray:
        zero = np.zeros(self._wide)
        moves = [bool(super(ExtendedTree, self).jacobian(zero, i).any()) for i in range(self.num_bodies)]
        return np.where(moves, self._weightless, 0.0)

    def momentum(self, q: ArrayLike, v: ArrayLike, **options: Any) -> FloatArray:
        return super().momentum(self._positions(q), self._velocities(q, v), **options)

    def centroidal_momentum(self, q: ArrayLike, v: ArrayLike, *, out: Any = None) -> FloatArray:
        return super().centroidal_momentum(self._positions(q), self._velocities(q, v), out=out)

    def centroidal_momentum_matrix(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        return _into(super().centroidal_momentum_matrix(self._positions(q)) @ self._projection(q), out)

    def center_of_mass(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        return super().center_of_mass(self._positions(q), out=out)

    def com_velocity(self, q: ArrayLike, v: ArrayLike, *, out: Any = None) -> FloatArray:
        return super().com_velocity(self._positions(q), self._velocities(q, v), out=out)

    def com_acceleration(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Any = None) -> FloatArray:
        motion = self._positions(q), self._velocities(q, v), self._accelerations(q, v, a)
        return super().com_acceleration(*motion, out=out)

    def com_jacobian(self, q: ArrayLike, *, out: Any = None) -> FloatArray:
        return _into(super().com_jacobian(self._positions(q)) @ self._projection(q), out)


def compile_tree(skeleton: SkeletonCore, kept: Tree | None) -> tuple[Tree, _core.State]:
    """The tree of a skeleton (`kept`, where it still holds), and a state that works on the skeleton's
    numbers."""
    bodies = skeleton._bodies
    users = [(body._index, body._joint.copy()) for body in bodies if isinstance(body._joint, UserJoint)]
    extended = bool(users) or not all(body._gravity_mode for body in bodies)
    if kept is not None and not extended:
        return kept, _core.State(kept, skeleton._block.state, [])
    rows = _rows(skeleton)
    if not extended:
        tree = Tree(rows, name=skeleton._name, gravity=skeleton._gravity)
        return tree, _core.State(tree, skeleton._block.state, [])
    weightless = np.array([0.0 if body._gravity_mode else body.mass for body in bodies])
    slow = ExtendedTree(
        rows, name=skeleton._name, gravity=skeleton._gravity, users=users, weightless=weightless
    )
    return slow, _core.State(slow, skeleton._block.state, _user_links(rows, dict(users)))


def shareable_tree(tree: Tree | None) -> Tree | None:
    """The tree, if a copy of its skeleton can use it too."""
    return None if isinstance(tree, ExtendedTree) else tree


def _user_links(rows: TreeRows, users: dict[int, Any]) -> list[tuple[int, int]]:
    """Native link and number of dofs of each user joint."""
    links, found = 0, []
    for index, kind in enumerate(rows.joint_types()):
        if index in users:
            found.append((links, users[index].num_dofs))
        links += 1 if kind in (JointType.BALL, JointType.FREE) else kind.num_dofs
    return found


def _rows(skeleton: SkeletonCore) -> TreeRows:
    block, bodies = skeleton._block, skeleton._bodies
    block.rows.flags.writeable = False
    joints = [body._joint for body in bodies]
    integers = [
        (
            -1 if body._parent_body is None else body._parent_body._index,
            type_code(joint.type or JointType.FREE),
            euler_code(joint._euler_order()),
        )
        for body, joint in zip(bodies, joints, strict=True)
    ]
    dofs = block.dofs
    limits = np.stack(
        [
            dofs[numbers.POSITION_LOWER],
            dofs[numbers.POSITION_UPPER],
            np.minimum(-dofs[numbers.VELOCITY_LOWER], dofs[numbers.VELOCITY_UPPER]),
            np.minimum(-dofs[numbers.FORCE_LOWER], dofs[numbers.FORCE_UPPER]),
        ]
    )
    return TreeRows(
        np.array(integers, dtype=np.int64).reshape(-1, 3),
        block.rows,
        limits,
        tuple(body._name for body in bodies),
        tuple(joint.name for joint in joints),
        tuple(name for joint in joints for name in joint.dof_names),
    )


def _rebuild(
    rows: TreeRows, name: str, gravity: FloatArray, users: Any, weightless: FloatArray
) -> ExtendedTree:
    return ExtendedTree(rows, name=name, gravity=gravity, users=users, weightless=weightless)


def _widened_limits(tree: ExtendedTree) -> Tree:
    """The native tree by itself, with limits for its own dofs."""
    rows = tree._rows
    limits = np.empty((len(rows.limits), tree._wide))
    limits[[0, 1]] = [[-np.inf], [np.inf]]
    limits[2:] = np.inf
    limits[:, tree._wide_dofs] = rows.limits[:, tree._narrow]
    names = tuple(map(str, range(tree._wide)))
    native = TreeRows(rows.integers, rows.numbers, limits, rows.body_names, rows.joint_names, names)
    return Tree(native, name=tree.name, gravity=tree.gravity)


def _sped(of: _Motion, q: FloatArray, v: FloatArray, direction: FloatArray, s: float) -> FloatArray:
    return of(q, v + s * direction)


def _difference(f: Callable[[float], FloatArray]) -> FloatArray:
    h = _DIFFERENCE_STEP
    near, middle, far = (f(k * h) - f(-k * h) for k in (1, 2, 3))
    return np.asarray((45.0 * near - 9.0 * middle + far) / (60.0 * h))


def _apply(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    return np.asarray((matrix @ vector[..., None])[..., 0])


def _into(result: FloatArray, out: FloatArray | None) -> FloatArray:
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"out: expected shape {result.shape}, got {out.shape}")
    out[...] = result
    return out


_Three: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]


def _all_into(results: _Three, out: Any) -> _Three:
    if out is None:
        return results
    first, second, third = (_into(result, target) for result, target in zip(results, out, strict=True))
    return first, second, third
