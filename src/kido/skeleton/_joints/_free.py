"""The free joint."""

from __future__ import annotations

import numpy as np

from kido.description import JointType
from kido.errors import FrameError
from kido.frame import WORLD, Frame, SimpleFrame
from kido.math import inverse_transform, so3_exp, so3_log, transform_motion
from kido.skeleton._joints._joint import Joint
from kido.skeleton._placement import placement
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array

__all__ = ["FreeJoint"]


class FreeJoint(Joint, joint_type=JointType.FREE):
    """Any motion: rotation exp of `q[:3]` [rad], translation `q[3:]` [m].

    The velocity is the twist of the child in child axes.
    """

    __slots__ = ()

    @staticmethod
    def positions_of(transform: TransformLike) -> FloatArray:
        """Positions (6,) [rad, m] of a transform (4, 4) [m]. Raises TypeError or ValueError."""
        T = placement("transform", transform)
        return np.concatenate([so3_log(T[:3, :3]), T[:3, 3]])

    @staticmethod
    def transform_of(positions: ArrayLike) -> FloatArray:
        """Transform (4, 4) [m] of positions (6,) [rad, m]. Raises TypeError or ValueError."""
        q = frozen_array("positions", positions, (6,), "rad, m")
        T = np.eye(4)
        T[:3, :3] = so3_exp(q[:3])
        T[:3, 3] = q[3:]
        return T

    def set_transform(self, transform: TransformLike, *, relative_to: Frame | None = None) -> None:
        """Put the child body at a pose relative to any frame; velocities stay.

        Args:
            transform: T_relative_to_child (4, 4) [m], or a translation (3,).
            relative_to: None is the world.

        Raises:
            TypeError, ValueError: not a transform, or not a frame.
            FrameError: `relative_to` moves with the child body.
        """
        T = placement("transform", transform)
        base = self._base(relative_to)
        T_parent_child = base.transform(relative_to=self._parent_frame()) @ T
        self.positions = self.positions_of(
            inverse_transform(self.T_parent_joint) @ T_parent_child @ self.T_child_joint
        )

    def set_spatial_velocity(
        self, velocity: ArrayLike, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> None:
        """Give the child body a spatial velocity relative to any frame.

        Args:
            velocity: (6,) [rad/s, m/s].
            relative_to: whose observer sees it; None is the world.
            in_coordinates_of: axes of `velocity`; None is the child body.

        Raises:
            TypeError, ValueError: not six finite numbers, or not a frame.
            FrameError: `relative_to` moves with the child body.
        """
        target = self._target(relative_to)
        target.set_relative_spatial_velocity(velocity, in_coordinates_of=in_coordinates_of)
        self._move_as(target)

    def set_linear_velocity(
        self, velocity: ArrayLike, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> None:
        """Give the child body's origin a velocity (3,) [m/s]; its angular velocity relative to the same frame
        stays.

        `in_coordinates_of` None is the world. Raises as set_spatial_velocity does.
        """
        target = self._target(relative_to)
        V = np.array(target.relative_spatial_velocity)
        V[3:] = _in_axes_of("velocity", velocity, "m/s", in_coordinates_of, target)
        target.relative_spatial_velocity = V
        self._move_as(target)

    def set_angular_velocity(
        self, velocity: ArrayLike, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> None:
        """Give the child body an angular velocity (3,) [rad/s]; its linear velocity relative to the same
        frame stays.

        `in_coordinates_of` None is the world. Raises as set_spatial_velocity does.
        """
        target = self._target(relative_to)
        V = np.array(target.relative_spatial_velocity)
        V[:3] = _in_axes_of("velocity", velocity, "rad/s", in_coordinates_of, target)
        target.relative_spatial_velocity = V
        self._move_as(target)

    def set_spatial_acceleration(
        self,
        acceleration: ArrayLike,
        *,
        relative_to: Frame | None = None,
        in_coordinates_of: Frame | None = None,
    ) -> None:
        """Give the child body a spatial acceleration relative to any frame.

        Args:
            acceleration: (6,) [rad/s^2, m/s^2].
            relative_to: whose observer sees it; None is the world.
            in_coordinates_of: axes of `acceleration`; None is the child body.

        Raises:
            TypeError, ValueError: not six finite numbers, or not a frame.
            FrameError: `relative_to` moves with the child body.
        """
        target = self._target(relative_to)
        target.set_relative_spatial_acceleration(acceleration, in_coordinates_of=in_coordinates_of)
        self._accelerate_as(target)

    def set_linear_acceleration(
        self,
        acceleration: ArrayLike,
        *,
        relative_to: Frame | None = None,
        in_coordinates_of: Frame | None = None,
    ) -> None:
        """Give the child body's origin a classical acceleration (3,) [m/s^2]; the angular acceleration stays.

        `in_coordinates_of` None is the world. Raises as set_spatial_velocity does.
        """
        target = self._target(relative_to)
        V, A = target.relative_spatial_velocity, np.array(target.relative_spatial_acceleration)
        A[3:] = _in_axes_of("acceleration", acceleration, "m/s^2", in_coordinates_of, target) - np.cross(
            V[:3], V[3:]
        )
        target.relative_spatial_acceleration = A
        self._accelerate_as(target)

    def set_angular_acceleration(
        self,
        acceleration: ArrayLike,
        *,
        relative_to: Frame | None = None,
        in_coordinates_of: Frame | None = None,
    ) -> None:
        """Give the child body an angular acceleration (3,) [rad/s^2]; the origin's acceleration stays.

        `in_coordinates_of` None is the world. Raises as set_spatial_velocity does.
        """
        target = self._target(relative_to)
        A = np.array(target.relative_spatial_acceleration)
        A[:3] = _in_axes_of("acceleration", acceleration, "rad/s^2", in_coordinates_of, target)
        target.relative_spatial_acceleration = A
        self._accelerate_as(target)

    def _parent_frame(self) -> Frame:
        return self.parent_body or WORLD

    def _base(self, relative_to: Frame | None) -> Frame:
        if relative_to is None:
            return WORLD
        if not isinstance(relative_to, Frame):
            raise TypeError(f"relative_to: expected a Frame, got {type(relative_to).__name__}")
        if relative_to.descends_from(self.child_body):
            raise FrameError(f"relative_to: {relative_to.name!r} moves with {self.child_body.name!r} itself")
        return relative_to

    def _target(self, relative_to: Frame | None) -> SimpleFrame:
        """A frame that moves as the child body does, described relative to `relative_to`."""
        base, child = self._base(relative_to), self.child_body
        target = SimpleFrame("target", base, child.transform(relative_to=base))
        target.relative_spatial_velocity = child.spatial_velocity(relative_to=base)
        target.relative_spatial_acceleration = child.spatial_acceleration(relative_to=base)
        return target

    def _move_as(self, target: Frame) -> None:
        velocity = target.spatial_velocity(relative_to=self._parent_frame())
        self.velocities = transform_motion(inverse_transform(self.T_child_joint), velocity)

    def _accelerate_as(self, target: Frame) -> None:
        acceleration = target.spatial_acceleration(relative_to=self._parent_frame())
        self.accelerations = transform_motion(inverse_transform(self.T_child_joint), acceleration)


def _in_axes_of(
    name: str, vector: ArrayLike, unit: str, coordinates: Frame | None, target: Frame
) -> FloatArray:
    x = frozen_array(name, vector, (3,), unit)
    axes = WORLD if coordinates is None else coordinates
    if not isinstance(axes, Frame):
        raise TypeError(f"in_coordinates_of: expected a Frame, got {type(axes).__name__}")
    return np.asarray(axes.transform(relative_to=target)[:3, :3] @ x)
