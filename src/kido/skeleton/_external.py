"""Forces from outside on a body."""

from __future__ import annotations

import numpy as np

from kido.frame import Frame
from kido.skeleton._answers._answers import Answers
from kido.skeleton._axes import checked_frame
from kido.skeleton._data import SkeletonData
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_flag

__all__ = ["ExternalForces"]


class ExternalForces:
    """The wrench from outside that acts on a body. It stays until it is changed or cleared."""

    __slots__ = ()

    @property
    def _answers(self) -> Answers:
        """Answers of the skeleton that the body belongs to. Raises RemovedError."""
        raise NotImplementedError

    def _data_row(self) -> tuple[SkeletonData, int]:
        """The data that the body's numbers stand in, and their row. Raises RemovedError."""
        raise NotImplementedError

    def transform(
        self, *, relative_to: Frame | None = None, in_coordinates_of: Frame | None = None
    ) -> FloatArray:
        """Pose (4, 4) of the body [m]."""
        raise NotImplementedError

    @property
    def external_wrench(self) -> FloatArray:
        """Wrench (6,) from outside on this body, about its origin, in its axes [N m, N]. Can be set."""
        data, row = self._data_row()
        return data.wrench(row)

    @external_wrench.setter
    def external_wrench(self, wrench: ArrayLike) -> None:
        self._put(frozen_array("external_wrench", wrench, (6,), "N m, N"))

    def add_external_force(
        self,
        force: ArrayLike,
        offset: ArrayLike | None = None,
        *,
        in_coordinates_of: Frame | None = None,
        offset_in_world: bool = False,
    ) -> None:
        """Add a force that acts on this body.

        Args:
            force: (3,) [N].
            offset: point of application (3,) [m]; None is this body's origin.
            in_coordinates_of: axes of `force`; None is the world.
            offset_in_world: whether `offset` is in world coordinates instead of this body's.

        Raises:
            TypeError, ValueError: naming the argument.
        """
        wrench = self._wrench_about_origin("force", "N", force, offset, in_coordinates_of, offset_in_world)
        self._put(self.external_wrench + wrench)

    def _wrench_about_origin(
        self,
        name: str,
        unit: str,
        force: ArrayLike,
        offset: ArrayLike | None,
        axes: Frame | None,
        offset_in_world: bool,
    ) -> FloatArray:
        """Torque and force (6,) in this body's axes of a force, or an impulse, at a point."""
        checked_flag("offset_in_world", offset_in_world)
        f = self._own_axes(name, force, unit, axes)
        if offset is None:
            return np.concatenate([np.zeros(3), f])
        point = np.array(frozen_array("offset", offset, (3,), "m"))
        if offset_in_world:
            T = self.transform()
            point = T[:3, :3].T @ (point - T[:3, 3])
        return np.concatenate([np.cross(point, f), f])

    def add_external_torque(self, torque: ArrayLike, *, in_coordinates_of: Frame | None = None) -> None:
        """Add a torque (3,) [N m] that acts on this body; `in_coordinates_of` None is the world.

        Raises TypeError or ValueError, naming the argument.
        """
        t = self._own_axes("torque", torque, "N m", in_coordinates_of)
        self._put(self.external_wrench + np.concatenate([t, np.zeros(3)]))

    def set_external_force(
        self,
        force: ArrayLike,
        offset: ArrayLike | None = None,
        *,
        in_coordinates_of: Frame | None = None,
        offset_in_world: bool = False,
    ) -> None:
        """As add_external_force, in place of all that acted before: `force` (3,) [N], `offset` (3,) [m]."""
        self._put(self._wrench_about_origin("force", "N", force, offset, in_coordinates_of, offset_in_world))

    def clear_external_forces(self) -> None:
        """Let nothing from outside act on this body."""
        self._put(np.zeros(6))

    def external_force(self, *, in_coordinates_of: Frame | None = None) -> FloatArray:
        """Wrench (6,) from outside, about this body's origin [N m, N], in the axes of a frame; None is the
        world."""
        R = self._turn_to(in_coordinates_of)
        wrench = self.external_wrench
        return np.concatenate([R @ wrench[:3], R @ wrench[3:]])

    def _own_axes(self, name: str, vector: ArrayLike, unit: str, axes: Frame | None) -> FloatArray:
        x = frozen_array(name, vector, (3,), unit)
        return np.asarray(self._turn_to(axes).T @ x)

    def _turn_to(self, in_coordinates_of: Frame | None) -> FloatArray:
        """Rotation (3, 3) from this body's axes to those of a frame; None is the world."""
        if in_coordinates_of is not None:
            checked_frame("in_coordinates_of", in_coordinates_of)
        return self.transform(relative_to=in_coordinates_of)[:3, :3]

    def _put(self, wrench: FloatArray) -> None:
        data, row = self._data_row()
        data.set_wrench(row, wrench)
        self._answers.dynamics_changed()
