"""Program of a waypoint: the frame within a box about a pose, the posture as near as can be to one before."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from kido.ik._waypoints._seen_frame import SeenFrame
from kido.typing import FloatArray

__all__ = ["Box", "NearestPosture"]

_LEAST_TIME = 1e-6
"""Of a program that begins when the time is up [s]."""


@dataclass(frozen=True, slots=True)
class Box:
    """Displacements from a pose, along the axes of the frame that it is seen from.

    Attributes:
        angle: largest angle of the rotation from the pose's axes [rad]; half a turn or more: any.
        lengths: largest along each axis (3,) [m]; may be infinite.
        exactness: largest error that a program may leave [rad, m].
    """

    angle: float
    lengths: FloatArray
    exactness: float

    @property
    def turns_freely(self) -> bool:
        """Whether the rotation does not count."""
        return self.angle >= math.pi


class NearestPosture(ABC):
    """Base of programs of one frame, of which the boxes, the poses and the postures before differ.

    Attributes:
        frame: the frame, on a skeleton that moves as the programs go.
        dof_indices: dofs (k,) that move.
        weights: of the squared change of each (k,) [-].
        moves_frame: whether any of them moves the frame.
    """

    __slots__ = ("dof_indices", "frame", "moves_frame", "weights")

    def __init__(self, frame: SeenFrame, dof_indices: list[int], weights: FloatArray) -> None:
        self.frame, self.dof_indices = frame, dof_indices
        self.weights = np.broadcast_to(weights, (len(dof_indices),))
        self.moves_frame = frame.is_moved_by(dof_indices)

    def within(
        self, box: Box, pose: FloatArray, guess: FloatArray, before: FloatArray, deadline: float
    ) -> tuple[bool, FloatArray]:
        """Whether a posture has been found whose frame is in a box about a pose (4, 4) [m], and it, or the
        one that ended the search (num_dofs,) [rad, m]; near to the posture before (num_dofs,).

        The search begins at a guess (num_dofs,), whose other dofs stay, and ends at a deadline, as
        `time.perf_counter` tells it [s]. The skeleton is at the posture then.
        """
        left, skeleton = max(deadline - time.perf_counter(), _LEAST_TIME), self.frame.skeleton
        fits, found = self._solved(box, pose, guess, before, left)
        skeleton.positions = found
        return fits, skeleton.positions  # with those that follow others

    @abstractmethod
    def _solved(
        self, box: Box, pose: FloatArray, guess: FloatArray, before: FloatArray, time_left: float
    ) -> tuple[bool, FloatArray]:
        """The answer of `within`, in some time [s]; the skeleton may be anywhere."""
