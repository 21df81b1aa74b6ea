"""Programs of waypoints as posture problems."""

from __future__ import annotations

import numpy as np

from kido.ik._posture._posture_problem import PostureProblem
from kido.ik._waypoints._nearest_posture import Box, NearestPosture
from kido.ik._waypoints._seen_frame import SeenFrame
from kido.typing import FloatArray

__all__ = ["ConstrainedPosture", "posture_problem", "require_pose"]

_OPTIMALITY = 1e-5
"""What may be left of the gradient of the squared changes, relative to the larger of 1 and that [-]."""


class ConstrainedPosture(NearestPosture):
    """Programs of any frame seen from any other, with joints of the user's own and dofs that follow."""

    __slots__ = ("_problem",)

    def __init__(self, frame: SeenFrame, dof_indices: list[int], weights: FloatArray) -> None:
        """Programs of a frame that some dofs (k,) move, with weights (k,) of their squared changes [-]."""
        super().__init__(frame, dof_indices, weights)
        self._problem = posture_problem(frame, dof_indices)

    def _solved(
        self, box: Box, pose: FloatArray, guess: FloatArray, before: FloatArray, time_left: float
    ) -> tuple[bool, FloatArray]:
        problem, weights = self._problem, np.zeros(self.frame.skeleton.num_dofs)
        weights[self.dof_indices] = self.weights
        problem.clear()
        require_pose(problem, self.frame, pose, box.lengths, box.angle)
        problem.add_posture_cost(before, weights)
        result = problem.solve(
            guess,
            max_starts=1,
            max_escapes=0,
            tolerance=box.exactness,
            optimality=_OPTIMALITY,
            time_budget=None if time_left == np.inf else time_left,
        )
        return result.is_feasible, result.positions


def posture_problem(frame: SeenFrame, dof_indices: list[int]) -> PostureProblem:
    """A problem of a frame's skeleton in which some dofs (k,) move, even where they are locked.

    The skeleton is changed: joints of these dofs are not locked any more.
    """
    skeleton = frame.skeleton
    for i in skeleton.locked_dofs.intersection(dof_indices):
        skeleton.dof(i).joint.actuator = "force"
    return PostureProblem(skeleton, dofs=dof_indices)


def require_pose(
    problem: PostureProblem, frame: SeenFrame, pose: FloatArray, lengths: FloatArray, angle: float
) -> None:
    """Add what keeps a frame within lengths (3,) along the axes of the other frame [m] and an angle [rad] of
    a pose (4, 4) there."""
    point = pose[:3, 3]
    problem.add_position_constraint(frame.frame, point - lengths, point + lengths, relative_to=frame.base)
    if angle < np.pi:
        problem.add_orientation_constraint(frame.frame, angle, rotation=pose[:3, :3], relative_to=frame.base)
