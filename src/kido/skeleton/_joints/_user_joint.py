"""Joints of your own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kido.math import as_transform_matrix
from kido.skeleton._joints._joint import Joint
from kido.skeleton._nodes._addon import Extension
from kido.tree import JointMotion
from kido.typing import FloatArray, frozen_array

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from kido.skeleton._joints._joint import JointOptions

__all__ = ["UserJoint"]


class UserJoint(Extension, Joint):
    """Base of joints given by functions of their positions, as a cam or a four-bar coupler.

    They cost what their functions cost; derivatives of dynamics are taken by finite differences.

    A joint of your own derives from this class, sets `num_dofs` (1 to 6), and defines three functions of q
    (num_dofs,) and v (num_dofs,), both added as usual numbers are (dq/dt = v):

    * `transform_of(q)`: pose (4, 4) of the joint's moving frame in its fixed frame [m].
    * `jacobian_of(q)`: spatial velocity (6, num_dofs) of the moving frame, in its own axes, per velocity.
    * `jacobian_derivative_of(q, v)`: time derivative (6, num_dofs) of that, element by element.

    They must depend on nothing else but `self.properties`, an instance of the class's `Properties`, if it has
    one, and change nothing: where one of them changes the skeleton, the question that called it raises
    EditError. `check` compares them with each other.
    """

    __slots__ = ("__dict__",)

    def __init__(
        self, name: str | None = None, properties: object = None, **options: Unpack[JointOptions]
    ) -> None:
        """A joint by itself.

        Args:
            name: None: the child body's name with "_joint" added.
            properties: an instance of the class's `Properties`, or None: the default one.
            options: see `JointOptions`.

        Raises:
            TypeError, ValueError: naming the argument, or what the class does not define.
        """
        for required in ("transform_of", "jacobian_of", "jacobian_derivative_of"):
            if getattr(type(self), required) is getattr(UserJoint, required):
                raise TypeError(f"{type(self).__name__}: a joint of your own defines {required}")
        if not 1 <= type(self).num_dofs <= 6:
            raise TypeError(f"{type(self).__name__}: num_dofs: expected 1 to 6, got {type(self).num_dofs}")
        self._properties = self._checked("properties", type(self).Properties, properties)
        super().__init__(name)
        self.apply_options(options)

    State: ClassVar[type | None] = None

    @property
    def properties(self) -> Any:
        """Parameters of the functions besides q and v. Can be set."""
        self._home()
        return self._properties

    @properties.setter
    def properties(self, properties: Any) -> None:
        self._home()
        self._properties = self._checked("properties", type(self).Properties, properties)
        self._structure_changed()

    def transform_of(self, q: FloatArray) -> FloatArray:
        """Pose (4, 4) [m] of the joint's moving frame in its fixed frame, at q (num_dofs,)."""
        raise NotImplementedError

    def jacobian_of(self, q: FloatArray) -> FloatArray:
        """Spatial velocity (6, num_dofs) [rad/s, m/s] of the moving frame per velocity, in its own axes, at
        q."""
        raise NotImplementedError

    def jacobian_derivative_of(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Time derivative (6, num_dofs) [rad/s^2, m/s^2] of `jacobian_of`, at q (num_dofs,) moving with v."""
        raise NotImplementedError

    def check(self, q: FloatArray, v: FloatArray, *, tolerance: float = 1e-5) -> None:
        """Compare the three functions with finite differences of each other.

        Args:
            q: positions (num_dofs,) [rad, m].
            v: velocities (num_dofs,) [rad/s, m/s].
            tolerance: largest difference that is accepted.

        Raises:
            ValueError: they do not belong together; says which.
        """
        at = frozen_array("q", q, (self.num_dofs,), "rad, m")
        rate = frozen_array("v", v, (self.num_dofs,), "rad/s, m/s")
        step = 1e-6
        before, after = at - step * rate, at + step * rate
        change = (self._pose_at(after) - self._pose_at(before)) / (2.0 * step)
        local = np.linalg.solve(self._pose_at(at), change)
        twist = np.array([local[2, 1], local[0, 2], local[1, 0], *local[:3, 3]])
        _compare("jacobian_of", self._jacobian_at(at) @ rate, twist, tolerance)
        slope = (self._jacobian_at(after) - self._jacobian_at(before)) / (2.0 * step)
        _compare("jacobian_derivative_of", self._jacobian_rate_at(at, rate), slope, tolerance)

    def _pose_at(self, q: FloatArray) -> FloatArray:
        """The answer of `transform_of`, a pose (4, 4); raises TypeError or ValueError where it is none."""
        name = f"{self.name!r}: transform_of"
        T = as_transform_matrix(self.transform_of(q), name)
        if T.shape != (4, 4):
            raise ValueError(f"{name}: expected shape (4, 4), got {T.shape}")
        return T

    def _jacobian_at(self, q: FloatArray) -> FloatArray:
        """The answer of `jacobian_of`, finite (6, num_dofs); raises TypeError or ValueError."""
        return frozen_array(f"{self.name!r}: jacobian_of", self.jacobian_of(q), (6, self.num_dofs))

    def _jacobian_rate_at(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """The answer of `jacobian_derivative_of`, finite (6, num_dofs); raises as _jacobian_at."""
        derivative = self.jacobian_derivative_of(q, v)
        return frozen_array(f"{self.name!r}: jacobian_derivative_of", derivative, (6, self.num_dofs))

    def _functions(self) -> JointMotion:
        return _Functions(self)

    def _default_dof_names(self, name: str) -> tuple[str, ...]:
        if self.num_dofs == 1:
            return (name,)
        return tuple(f"{name}_{i + 1}" for i in range(self.num_dofs))

    def _copy_description_into(self, copy: Joint) -> None:
        assert isinstance(copy, UserJoint)
        copy._properties = self._properties
        super()._copy_description_into(copy)
        copy.copied_from(self)


def _compare(name: str, given: FloatArray, expected: FloatArray, tolerance: float) -> None:
    off = float(np.abs(given - expected).max())
    if not off <= tolerance:
        raise ValueError(
            f"{name}: expected what finite differences give within {tolerance:g}, got {off:.3g} off"
        )


class _Functions:
    """The functions of a user joint, as it is now: what becomes of the joint later does not change them."""

    __slots__ = ("_joint", "num_dofs")

    def __init__(self, joint: UserJoint) -> None:
        """The functions of a copy of the joint."""
        self._joint = joint.copy()
        self.num_dofs = joint.num_dofs

    def pose(self, q: FloatArray) -> FloatArray:
        """Pose (4, 4) [m] of the moving frame in the fixed frame, at q (num_dofs,)."""
        return self._joint._pose_at(q)

    def subspace(self, q: FloatArray) -> FloatArray:
        """Motion subspace (6, num_dofs) [rad/s, m/s per unit velocity], in axes of the moving frame."""
        return self._joint._jacobian_at(q)

    def subspace_rate(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Time derivative (6, num_dofs) of that, element by element [rad/s^2, m/s^2 per unit velocity]."""
        return self._joint._jacobian_rate_at(q, v)

    def content(self) -> bytes:
        """The joint's class and properties."""
        kind = type(self._joint)
        with np.printoptions(threshold=sys.maxsize, floatmode="unique"):
            properties = repr(self._joint.properties)
        return repr((f"{kind.__module__}.{kind.__qualname__}", properties)).encode()
