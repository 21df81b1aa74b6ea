"""The compiled robot: one functional API for one state or any batch of states."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from kido import _core
from kido.description import EARTH_GRAVITY, Diagnostic, RobotDescription
from kido.errors import UnknownNameError
from kido.tree._rows import TreeRows, describe_rows
from kido.tree._summary import Summary, summarize
from kido.typing import ArrayLike, FloatArray, frozen_array


class Tree(_core.Tree):
    """An articulated robot compiled to constants: immutable, thread-safe, picklable, hashable by content.

    Every method takes arrays with any leading shape, `(n,)` for one state or `(..., n)` for many, broadcasts
    leading shapes as NumPy does, and returns arrays with the broadcast leading shape; one state and a batch
    give the same bits. Where `out=` is given the result is written there and nothing is allocated; where
    Ctrl-C ends the call, it holds a part of it.

    Positions and velocities are minimal: `len(q) == len(v) == num_dofs`. Ball and free joints have a rotation
    vector (free: then the translation [m]) as position and their twist in child axes as velocity, so that for
    them q moves by `integrate`, not by addition. Dofs and bodies stand depth first, in the file's order.

    Spatial vectors (velocities, wrenches, Jacobian rows) are angular first. SI units, radians.
    """

    __slots__ = (
        "_diagnostics",
        "_gravity",
        "_is_prismatic",
        "_joint_dofs",
        "_name",
        "_rows",
        "_user_motion",
    )

    def __init__(self, rows: TreeRows, *, name: str, gravity: ArrayLike = EARTH_GRAVITY) -> None:
        """Build from rows of bodies; `Tree.from_description` does that for users. `gravity` (3,) [m/s^2].

        Raises TypeError or ValueError where gravity is not three finite numbers.
        """
        self._gravity = frozen_array("gravity", gravity, (3,), "m/s^2")
        self._rows = rows
        self._is_prismatic: NDArray[np.bool_] | None = None
        self._joint_dofs: list[range] | None = None
        self._name = name
        self._user_motion = rows.user_motion()  # the native half asks it
        self._diagnostics: tuple[Diagnostic, ...] = ()
        armature_row, gravity_row = rows.armature.reshape(1, -1), self._gravity.reshape(1, 3)
        super().__init__(
            rows.integers, rows.numbers, armature_row, gravity_row, name, rows.body_names, rows.joint_names
        )

    @classmethod
    def from_description(cls, description: RobotDescription, *, gravity: ArrayLike = EARTH_GRAVITY) -> Tree:
        """Compile a robot description.

        Args:
            description: what a reader made of a model file, or built in code.
            gravity: (3,) [m/s^2] in world axes.

        Raises:
            TypeError, ValueError: gravity is not three finite numbers.
        """
        tree = cls(describe_rows(description), name=description.name, gravity=gravity)
        tree._diagnostics = description.diagnostics
        return tree

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self._name

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Diagnostics of the model file that was compiled; empty where there was none.

        Trees are compared without them.
        """
        return self._diagnostics

    @property
    def gravity(self) -> FloatArray:
        """Gravity (3,) [m/s^2] in world axes; read-only."""
        return self._gravity

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of all bodies, in the order of `forward_kinematics`."""
        return self._rows.body_names

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of all joints; joint i carries body i."""
        return self._rows.joint_names

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Names of all degrees of freedom, in the order of q and v."""
        return self._rows.dof_names

    @property
    def lower_limits(self) -> FloatArray:
        """Lowest positions (num_dofs,) [rad, m]; -inf where there is no limit. Read-only."""
        return self._rows.limit("lower")

    @property
    def upper_limits(self) -> FloatArray:
        """Highest positions (num_dofs,) [rad, m]; inf where there is no limit. Read-only."""
        return self._rows.limit("upper")

    @property
    def velocity_limits(self) -> FloatArray:
        """Largest speeds (num_dofs,) [rad/s, m/s]; inf where there is no limit. Read-only."""
        return self._rows.limit("velocity")

    @property
    def effort_limits(self) -> FloatArray:
        """Largest generalized forces (num_dofs,) [N m, N]; inf where there is no limit. Read-only."""
        return self._rows.limit("effort")

    @property
    def armature(self) -> FloatArray:
        """Inertia of rotors as the dofs feel it (num_dofs,), their own times the gear ratio squared: it
        adds to the diagonal of the mass matrix [kg m^2, kg]. Read-only."""
        return self._rows.shown_armature()

    @property
    def is_prismatic(self) -> NDArray[np.bool_]:
        """True for dofs (num_dofs,) whose position is a length [m], False for angles [rad]. Read-only."""
        if self._is_prismatic is None:
            self._is_prismatic = self._rows.is_prismatic()
            self._is_prismatic.flags.writeable = False
        return self._is_prismatic

    def body_index(self, name: str) -> int:
        """Index of a body. Raises UnknownNameError, naming the nearest ones."""
        return self._index("body", self._rows.body_names, name)

    def joint_index(self, name: str) -> int:
        """Index of a joint, that of its child body. Raises UnknownNameError, naming the nearest ones."""
        return self._index("joint", self._rows.joint_names, name)

    def dof_index(self, name: str) -> int:
        """Index of a degree of freedom. Raises UnknownNameError, naming the nearest ones."""
        return self._index("dof", self._rows.dof_names, name)

    def joint_dofs(self, joint: str) -> range:
        """Indices of a joint's degrees of freedom. Raises UnknownNameError."""
        if self._joint_dofs is None:
            self._joint_dofs = self._rows.joint_dof_ranges()
        return self._joint_dofs[self.joint_index(joint)]

    def positions(self, values: Mapping[str, float] | None = None) -> FloatArray:
        """The zero position, or limits' nearest to it, with some dofs set by name.

        Args:
            values: position by dof name [rad, m].

        Returns:
            (num_dofs,) [rad, m].

        Raises:
            UnknownNameError: no dof of that name.
            TypeError, ValueError: a position that is not a finite number.
        """
        q = np.clip(np.zeros(self.num_dofs), self.lower_limits, self.upper_limits)
        for name, value in (values or {}).items():
            q[self.dof_index(name)] = frozen_array(name, value, (), "rad, m")
        return q

    def random_positions(
        self, rng: np.random.Generator, size: SupportsIndex | tuple[int, ...] = ()
    ) -> FloatArray:
        """Positions drawn uniformly within the limits.

        Dofs without both limits are drawn from -pi to pi [rad] or -1 to 1 [m], from the limit on where there
        is one; rotations of ball and free joints uniformly over all rotations (Shoemake 1992).

        Args:
            rng: where the numbers come from.
            size: leading shape of the result.

        Returns:
            (*size, num_dofs) [rad, m].

        Raises:
            TypeError: rng is not a numpy.random.Generator, or size not of integers.
            ValueError: a negative size.
        """
        if not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng: expected a numpy.random.Generator, got {type(rng).__name__}")
        extents = (size,) if isinstance(size, SupportsIndex) else size
        try:
            shape = tuple(operator.index(extent) for extent in extents)
        except TypeError:
            raise TypeError(f"size: expected an integer or several, got {size!r}") from None
        if any(extent < 0 for extent in shape):
            raise ValueError(f"size: expected extents of at least 0, got {size}")
        lower, upper = self._rows.sampling_box()
        q = rng.uniform(lower, upper, (*shape, self.num_dofs))
        for first in self._rows.rotation_dofs():
            q[..., first : first + 3] = _random_rotation_vectors(rng, shape)
        return q

    def summary(self) -> Summary:
        """Bodies, joints with their limits, degrees of freedom, mass [kg], and `diagnostics`, as tables.

        `print(tree.summary())` shows them; a notebook does so for the tree itself. What mimic joints follow
        is not among it: they are dofs of their own here.
        """
        return summarize(self._name, self._rows, self._diagnostics)

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and self._digest() == other._digest()

    def __hash__(self) -> int:
        return int.from_bytes(self._digest()[:8], "little", signed=True)

    def __reduce__(self) -> tuple[Callable[..., Tree], tuple[Any, ...]]:
        return _rebuild, (type(self), self._rows, self._name, self._gravity, self._diagnostics)

    def __copy__(self) -> Tree:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tree:
        return self

    def __repr__(self) -> str:
        return f"<Tree {self._name!r}: {self.num_bodies} bodies, {self.num_dofs} dofs>"

    def _index(self, kind: str, names: tuple[str, ...], name: str) -> int:
        if not isinstance(name, str):
            raise TypeError(f"{kind}: expected a name, got {type(name).__name__}")
        try:
            return names.index(name)
        except ValueError:
            raise UnknownNameError(kind, name, names, self._name) from None

    def _digest(self) -> bytes:
        from hashlib import sha256

        digest = sha256(self._gravity.tobytes())
        for part in self._rows.content():
            digest.update(part)
        return digest.digest()


def _rebuild(
    kind: type[Tree],
    rows: TreeRows,
    name: str,
    gravity: FloatArray,
    diagnostics: tuple[Diagnostic, ...],
) -> Tree:
    tree = kind(rows, name=name, gravity=gravity)
    tree._diagnostics = diagnostics
    return tree


def _random_rotation_vectors(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    """Uniform rotations: a unit quaternion is a normalized Gaussian vector."""
    quaternion = rng.standard_normal((*shape, 4))
    quaternion *= np.where(quaternion[..., 3:] < 0.0, -1.0, 1.0)
    length = np.linalg.norm(quaternion[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(length, quaternion[..., 3:])
    return np.asarray(quaternion[..., :3] * (angle / length))
