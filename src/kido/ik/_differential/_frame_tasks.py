"""Tasks of frames: poses, velocities, axes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from kido import _core
from kido.frame import Frame
from kido.ik._differential._differential_task import DifferentialTask, weights_of
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array, frozen_direction
from kido.values import checked_part

__all__ = [
    "AxisAlignmentTask",
    "FrameTask",
    "FrameVelocityTask",
    "LookAtTask",
    "OrientationTask",
    "PositionTask",
]


class _OfFrame(DifferentialTask):
    """A task of a frame, as another one sees it."""

    __slots__ = ("_frame", "_relative_to")

    def __init__(self, frame: Frame, relative_to: Frame | None, rows: int, **settings: Any) -> None:
        self._frame: Frame = checked_part("frame", Frame, frame)
        self._relative_to: Frame | None = (
            None if relative_to is None else checked_part("relative_to", Frame, relative_to)
        )
        super().__init__(rows, **settings)

    @property
    def frame(self) -> Frame:
        """The frame that moves."""
        return self._frame

    @property
    def relative_to(self) -> Frame | None:
        """The frame that it is seen from, moving or not; None: the world."""
        return self._relative_to

    @property
    def frames(self) -> tuple[Frame | None, Frame | None]:
        """The frame that moves, and the one that it is seen from; None: the world."""
        return self._frame, self._relative_to


class FrameTask(_OfFrame):
    """A frame comes to a pose, as another frame sees it. The error is a rotation vector, then a displacement,
    in axes of `relative_to`.

    Where both ride on the robot, it is a task of their relative motion; as an equation, of a loop that is
    closed.
    """

    __slots__ = ()
    kind = "frame"

    def __init__(
        self,
        frame: Frame,
        target: TransformLike | Frame | None = None,
        *,
        relative_to: Frame | None = None,
        orientation_weight: ArrayLike = 1.0,
        position_weight: ArrayLike = 1.0,
        gain: float = 1.0,
        damping: float = 0.0,
        level: int = 0,
        equality: bool = False,
    ) -> None:
        """A task of a frame.

        Args:
            frame: that moves.
            target: its pose (4, 4) in `relative_to` [m], or a frame to come to, which may move; None: the
                pose that it has now.
            relative_to: frame that it is seen from; None: the world.
            orientation_weight: of each angle (3,), or one number [-].
            position_weight: of each length (3,), or one number [1/m].
            gain: as of `DifferentialTask`.
            damping: as of `DifferentialTask`.
            level: as of `DifferentialTask`.
            equality: as of `DifferentialTask`.

        Raises TypeError or ValueError naming the argument.
        """
        if isinstance(target, Frame):
            if relative_to is not None:
                raise ValueError("relative_to: expected None where the target is a frame")
            relative_to, target = target, np.eye(4)
        settings: dict[str, Any] = {"gain": gain, "damping": damping, "level": level, "equality": equality}
        super().__init__(frame, relative_to, 6, **settings)
        self._target = np.zeros(12)
        self.orientation_weight = orientation_weight
        self.position_weight = position_weight
        self.target = self._frame.transform(relative_to=self._relative_to) if target is None else target

    @property
    def target(self) -> FloatArray:
        """The pose (4, 4) to come to, in `relative_to` [m]. Can be set."""
        T = np.eye(4)
        T[:3, 3], T[:3, :3] = self._target[:3], self._target[3:].reshape(3, 3).T
        T.flags.writeable = False
        return T

    @target.setter
    def target(self, target: TransformLike) -> None:
        if not isinstance(target, np.ndarray) and hasattr(target, "as_matrix"):
            target = target.as_matrix()
        _core.write_pose(self._target, target)

    @property
    def orientation_weight(self) -> FloatArray:
        """Weights (3,) of the rotation vector [-]. Can be set."""
        return self.weight[:3]

    @orientation_weight.setter
    def orientation_weight(self, weight: ArrayLike) -> None:
        self._weight[:3] = weights_of("orientation_weight", weight, (3,))

    @property
    def position_weight(self) -> FloatArray:
        """Weights (3,) of the displacement [1/m]. Can be set."""
        return self.weight[3:]

    @position_weight.setter
    def position_weight(self, weight: ArrayLike) -> None:
        self._weight[3:] = weights_of("position_weight", weight, (3,))


class PositionTask(FrameTask):
    """The origin of a frame comes to a point (3,) of another one [m]; its axes are free."""

    __slots__ = ()

    def __init__(
        self,
        frame: Frame,
        target: ArrayLike | None = None,
        *,
        relative_to: Frame | None = None,
        weight: ArrayLike = 1.0,
        **settings: Any,
    ) -> None:
        """A task as of `FrameTask`. Raises TypeError or ValueError naming the argument."""
        super().__init__(
            frame, relative_to=relative_to, orientation_weight=0.0, position_weight=weight, **settings
        )
        if target is not None:
            self.position = target

    @property
    def position(self) -> FloatArray:
        """The point (3,) to come to [m]. Can be set."""
        return self.target[:3, 3]

    @position.setter
    def position(self, position: ArrayLike) -> None:
        self._target[:3] = frozen_array("target", position, (3,), "m")


class OrientationTask(FrameTask):
    """The axes of a frame come to those of a rotation (3, 3); its origin is free."""

    __slots__ = ()

    def __init__(
        self,
        frame: Frame,
        target: ArrayLike | None = None,
        *,
        relative_to: Frame | None = None,
        weight: ArrayLike = 1.0,
        **settings: Any,
    ) -> None:
        """A task as of `FrameTask`. Raises TypeError or ValueError naming the argument."""
        super().__init__(
            frame, relative_to=relative_to, orientation_weight=weight, position_weight=0.0, **settings
        )
        if target is not None:
            self.rotation = target

    @property
    def rotation(self) -> FloatArray:
        """The axes (3, 3) to come to, as columns [-]. Can be set."""
        return self.target[:3, :3]

    @rotation.setter
    def rotation(self, rotation: ArrayLike) -> None:
        T = np.array(self.target)
        T[:3, :3] = frozen_array("target", rotation, (3, 3))
        self.target = T


class FrameVelocityTask(_OfFrame):
    """A frame has a spatial velocity (6,), angular first, as another frame sees it and in its axes."""

    __slots__ = ()
    kind = "frame"
    is_velocity: ClassVar[bool] = True

    def __init__(
        self,
        frame: Frame,
        target: ArrayLike = (0.0,) * 6,
        *,
        relative_to: Frame | None = None,
        weight: ArrayLike = 1.0,
        level: int = 0,
        equality: bool = False,
    ) -> None:
        """A task of a velocity [rad/s, m/s]. Raises TypeError or ValueError naming the argument."""
        super().__init__(frame, relative_to, 6, weight=weight, level=level, equality=equality)
        self._target = np.zeros(6)
        self.target = target

    @property
    def target(self) -> FloatArray:
        """The velocity (6,) [rad/s, m/s]. Can be set."""
        return frozen_array("target", self._target, (6,))

    @target.setter
    def target(self, target: ArrayLike) -> None:
        self._target[:] = frozen_array("target", target, (6,), "rad/s, m/s")


class _OfAxis(_OfFrame):
    """A task of an axis of a frame, with a target (3,)."""

    __slots__ = ()

    def __init__(self, frame: Frame, axis: ArrayLike, relative_to: Frame | None, **settings: Any) -> None:
        super().__init__(frame, relative_to, 3, **settings)
        self._target = np.zeros(3)
        self._set_axis(frozen_direction("axis", axis))

    @property
    def axis(self) -> FloatArray:
        """The axis (3,) in coordinates of the frame, of length 1 [-]. Can be set."""
        return self._held_axis()

    @axis.setter
    def axis(self, axis: ArrayLike) -> None:
        self._set_axis(frozen_direction("axis", axis))

    @property
    def target(self) -> FloatArray:
        """The direction or point (3,) in `relative_to` [-, m]. Can be set."""
        return frozen_array("target", self._target, (3,))

    @target.setter
    def target(self, target: ArrayLike) -> None:
        self._target[:] = self._checked_target(target)

    def _checked_target(self, target: ArrayLike) -> FloatArray:
        raise NotImplementedError


class AxisAlignmentTask(_OfAxis):
    """An axis of a frame comes along a direction of another one; rotations about it are free."""

    __slots__ = ()
    kind = "axis"

    def __init__(
        self,
        frame: Frame,
        axis: ArrayLike,
        target: ArrayLike,
        *,
        relative_to: Frame | None = None,
        weight: ArrayLike = 1.0,
        gain: float = 1.0,
        damping: float = 0.0,
        level: int = 0,
        equality: bool = False,
    ) -> None:
        """An axis (3,) of the frame, and a direction (3,) in `relative_to`, None: the world [-].

        The error is the rotation vector from one to the other (3,) [rad]. Raises TypeError or ValueError.
        """
        settings: dict[str, Any] = {"gain": gain, "damping": damping, "level": level, "equality": equality}
        super().__init__(frame, axis, relative_to, weight=weight, **settings)
        self.target = target

    def _checked_target(self, target: ArrayLike) -> FloatArray:
        return frozen_direction("target", target)


class LookAtTask(_OfAxis):
    """An axis through the origin of a frame aims at a point of another one, as that of a camera."""

    __slots__ = ()
    kind = "gaze"

    def __init__(
        self,
        frame: Frame,
        axis: ArrayLike,
        target: ArrayLike,
        *,
        relative_to: Frame | None = None,
        weight: ArrayLike = 1.0,
        gain: float = 1.0,
        damping: float = 0.0,
        level: int = 0,
        equality: bool = False,
    ) -> None:
        """An axis (3,) of the frame [-], and a point (3,) in `relative_to`, None: the world [m].

        The error is the rotation vector from the line of sight to the axis (3,) [rad]. Raises TypeError or
        ValueError.
        """
        settings: dict[str, Any] = {"gain": gain, "damping": damping, "level": level, "equality": equality}
        super().__init__(frame, axis, relative_to, weight=weight, **settings)
        self.target = target

    def _checked_target(self, target: ArrayLike) -> FloatArray:
        return frozen_array("target", target, (3,), "m")
