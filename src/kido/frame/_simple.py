"""A frame that can be put anywhere and moved anyhow."""

from __future__ import annotations

import numpy as np

from kido import _core
from kido.errors import FrameError
from kido.frame._frame import Frame
from kido.math import ROTATION_TOLERANCE, as_rotation_matrix, as_transform_matrix, inverse_transform
from kido.typing import ArrayLike, FloatArray, RotationLike, TransformLike, frozen_array

__all__ = ["SimpleFrame"]

_ZERO = (0.0, 0.0, 0.0)


class SimpleFrame(Frame):
    """A frame whose transform, velocity and acceleration are set, relative to its parent or to any other
    frame."""

    __slots__ = ()

    def __init__(
        self, name: str = "frame", parent: Frame | None = None, transform: TransformLike | None = None
    ) -> None:
        """A frame at rest in `parent` (None: the world), at `transform` (4, 4) [m] (None: where the parent
        is).

        Raises TypeError or ValueError, naming the argument.
        """
        _core.Frame.__init__(self, _core.FrameKind.MOVING)
        if transform is not None:
            self._set_relative_pose(one_transform("transform", transform))
        self._begin(name, parent)

    @property
    def relative_transform(self) -> FloatArray:
        """Pose (4, 4) in the parent frame [m]. Set: a matrix or SciPy RigidTransform; velocities stay."""
        return self._relative_pose()

    @relative_transform.setter
    def relative_transform(self, transform: TransformLike) -> None:
        self._set_relative_pose(one_transform("relative_transform", transform))

    @property
    def relative_translation(self) -> FloatArray:
        """Position (3,) in the parent frame [m]. Set: the rotation stays."""
        return self._relative_pose()[:3, 3]

    @relative_translation.setter
    def relative_translation(self, translation: ArrayLike) -> None:
        self._set_relative_translation("relative_translation", translation)

    @property
    def relative_rotation(self) -> FloatArray:
        """Rotation (3, 3) in the parent frame. Set: a matrix or SciPy Rotation; the translation stays."""
        return self._relative_pose()[:3, :3]

    @relative_rotation.setter
    def relative_rotation(self, rotation: RotationLike) -> None:
        T = self._relative_pose().copy()
        T[:3, :3] = one_rotation("relative_rotation", rotation)
        self._set_relative_pose(T)

    @property
    def relative_spatial_velocity(self) -> FloatArray:
        """Spatial velocity (6,) relative to the parent, in this frame's axes [rad/s, m/s]. Can be set."""
        return self._relative_velocity()

    @relative_spatial_velocity.setter
    def relative_spatial_velocity(self, velocity: ArrayLike) -> None:
        self._set_relative_velocity(velocity)

    @property
    def relative_spatial_acceleration(self) -> FloatArray:
        """Spatial acceleration (6,) relative to the parent, in this frame's axes [rad/s^2, m/s^2]. Can be
        set."""
        return self._relative_acceleration()

    @relative_spatial_acceleration.setter
    def relative_spatial_acceleration(self, acceleration: ArrayLike) -> None:
        self._set_relative_acceleration(acceleration)

    def set_transform(self, transform: TransformLike, *, relative_to: Frame | None = None) -> None:
        """Put this frame at a pose relative to any frame; velocities relative to the parent stay.

        Args:
            transform: T_relative_to_self (4, 4) [m], or a SciPy RigidTransform.
            relative_to: None is the world.

        Raises:
            TypeError, ValueError: not a transform, or not a frame.
            FrameError: `relative_to` moves with this frame.
        """
        T = one_transform("transform", transform)
        if relative_to is None and self.parent_frame.is_world:
            self._set_relative_pose(T)
        else:
            self._set_relative_pose(self._in_parent(relative_to) @ T)

    def set_translation(self, translation: ArrayLike, *, relative_to: Frame | None = None) -> None:
        """Put this frame's origin at a point (3,) [m] in the coordinates of any frame; the rotation stays.

        Raises TypeError, ValueError and FrameError as set_transform does.
        """
        if relative_to is None and self.parent_frame.is_world:
            self._set_relative_translation("translation", translation)
            return
        point = frozen_array("translation", translation, (3,), "m")
        to_parent = self._in_parent(relative_to)
        self._set_relative_translation("translation", to_parent[:3, :3] @ point + to_parent[:3, 3])

    def set_rotation(self, rotation: RotationLike, *, relative_to: Frame | None = None) -> None:
        """Turn this frame's axes to a rotation (3, 3) relative to any frame; the origin stays.

        Raises TypeError, ValueError and FrameError as set_transform does.
        """
        T = self._relative_pose().copy()
        R = one_rotation("rotation", rotation)
        T[:3, :3] = self._in_parent(relative_to)[:3, :3] @ R
        self._set_relative_pose(T)

    def set_relative_spatial_velocity(
        self, velocity: ArrayLike, *, in_coordinates_of: Frame | None = None
    ) -> None:
        """Set the spatial velocity relative to the parent.

        Args:
            velocity: (6,) [rad/s, m/s].
            in_coordinates_of: the frame whose axes `velocity` is in; None is this frame.

        Raises:
            TypeError, ValueError: not six finite numbers, or not a frame.
        """
        self._set_relative_velocity(self._to_own_axes("velocity", velocity, "rad/s, m/s", in_coordinates_of))

    def set_relative_spatial_acceleration(
        self, acceleration: ArrayLike, *, in_coordinates_of: Frame | None = None
    ) -> None:
        """Set the spatial acceleration relative to the parent.

        Args:
            acceleration: (6,) [rad/s^2, m/s^2].
            in_coordinates_of: the frame whose axes `acceleration` is in; None is this frame.

        Raises:
            TypeError, ValueError: not six finite numbers, or not a frame.
        """
        unit = "rad/s^2, m/s^2"
        self._set_relative_acceleration(
            self._to_own_axes("acceleration", acceleration, unit, in_coordinates_of)
        )

    def set_classic_derivatives(
        self,
        linear_velocity: ArrayLike = _ZERO,
        angular_velocity: ArrayLike = _ZERO,
        linear_acceleration: ArrayLike = _ZERO,
        angular_acceleration: ArrayLike = _ZERO,
    ) -> None:
        """Set velocity and acceleration relative to the parent by vectors of point mechanics, in the parent's
        axes.

        All four are set at once, for the spatial acceleration depends on both velocities.

        Args:
            linear_velocity: (3,) [m/s] rate of the position.
            angular_velocity: (3,) [rad/s].
            linear_acceleration: (3,) [m/s^2] second derivative of the position.
            angular_acceleration: (3,) [rad/s^2].

        Raises:
            TypeError, ValueError: not three finite numbers.
        """
        v = frozen_array("linear_velocity", linear_velocity, (3,), "m/s")
        w = frozen_array("angular_velocity", angular_velocity, (3,), "rad/s")
        a = frozen_array("linear_acceleration", linear_acceleration, (3,), "m/s^2")
        alpha = frozen_array("angular_acceleration", angular_acceleration, (3,), "rad/s^2")
        to_own = self._relative_pose()[:3, :3].T
        spatial = to_own @ np.column_stack([w, v, alpha, a - np.cross(w, v)])
        self._set_relative_acceleration(spatial[:, 2:].T.ravel())
        self._set_relative_velocity(spatial[:, :2].T.ravel())

    def set_parent_frame(self, parent: Frame, *, keep_world_transform: bool = False) -> None:
        """Attach this frame to another.

        Velocity and acceleration relative to the parent stay, and so does the pose relative to the parent
        unless `keep_world_transform` is set: then the frame stays where it is in the world.

        Raises:
            FrameError: `parent` descends from this frame.
            TypeError: `parent` is not a Frame.
        """
        pose = None
        if keep_world_transform:
            pose = self.transform(relative_to=self._checked_parent(parent))
        self._attach(parent)
        if pose is not None:
            self._set_relative_pose(pose)

    def spawn_child(self, name: str, transform: TransformLike | None = None) -> SimpleFrame:
        """A new frame at rest in this one, at `transform` (4, 4) [m].

        Raises TypeError or ValueError, naming the argument.
        """
        return SimpleFrame(name, self, transform)

    def clone(self, parent: Frame | None = None, *, name: str | None = None) -> SimpleFrame:
        """A copy with the same relative motion, in `parent` (None: this frame's parent)."""
        copy = SimpleFrame(
            self.name if name is None else name, self.parent_frame if parent is None else parent
        )
        copy._set_relative_pose(self._relative_pose())
        copy._set_relative_velocity(self._relative_velocity())
        copy._set_relative_acceleration(self._relative_acceleration())
        return copy

    def _in_parent(self, relative_to: Frame | None) -> FloatArray:
        """Pose (4, 4) of a frame in this frame's parent."""
        if relative_to is None:
            return inverse_transform(self.parent_frame.transform())
        if not isinstance(relative_to, Frame):
            raise TypeError(f"relative_to: expected a Frame, got {type(relative_to).__name__}")
        _refuse_follower(self, relative_to)
        if relative_to is self.parent_frame:
            return np.eye(4)
        return relative_to.transform(relative_to=self.parent_frame)

    def _to_own_axes(self, name: str, vector: ArrayLike, unit: str, axes: Frame | None) -> FloatArray:
        x = frozen_array(name, vector, (6,), unit)
        if axes is None or axes is self:
            return x
        if not isinstance(axes, Frame):
            raise TypeError(f"in_coordinates_of: expected a Frame, got {type(axes).__name__}")
        R = axes.transform(relative_to=self)[:3, :3]
        return np.concatenate([R @ x[:3], R @ x[3:]])


def one_transform(name: str, transform: TransformLike) -> FloatArray:
    """One checked transform (4, 4) [m]."""
    if _core.is_transform(transform, ROTATION_TOLERANCE):
        return transform
    T = as_transform_matrix(transform, name)
    if T.shape != (4, 4):
        raise ValueError(f"{name}: expected shape (4, 4) [-, m], got {T.shape}")
    return T


def one_rotation(name: str, rotation: RotationLike) -> FloatArray:
    """One checked rotation (3, 3)."""
    R = as_rotation_matrix(rotation, name)
    if R.shape != (3, 3):
        raise ValueError(f"{name}: expected shape (3, 3) [-], got {R.shape}")
    return R


def _refuse_follower(frame: Frame, other: Frame) -> None:
    if other.descends_from(frame):
        what = "itself" if other is frame else f"{other.name!r}, which moves with it"
        raise FrameError(f"{frame.name!r} cannot be placed relative to {what}")
