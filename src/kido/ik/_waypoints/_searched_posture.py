"""Programs of waypoints by the search of modules."""

from __future__ import annotations

import math

import numpy as np

from kido import _core
from kido.frame import SimpleFrame
from kido.ik._error_methods._task_space_region import TaskSpaceRegion
from kido.ik._module._inverse_kinematics import InverseKinematics
from kido.ik._search._module_search import module_ranges
from kido.ik._search._pose_problem import native_region
from kido.ik._search._settings import SearchSettings
from kido.ik._waypoints._nearest_posture import Box, NearestPosture
from kido.ik._waypoints._seen_frame import SeenFrame
from kido.typing import FloatArray

__all__ = ["SearchedPosture"]


class SearchedPosture(NearestPosture):
    """Programs of a frame that is seen from where no dof moves, by a search in native code.

    It takes skeletons whose joints native code knows, and dofs that nothing follows.
    """

    __slots__ = ("_base", "_curvature", "_module", "_moves", "_place", "_ranges", "_slope", "_target")

    def __init__(self, frame: SeenFrame, dof_indices: list[int], weights: FloatArray) -> None:
        """Programs of a frame that some dofs (k,) move, with weights (k,) of their squared changes [-]."""
        super().__init__(frame, dof_indices, weights)
        self._base, self._target = frame.base_pose(), SimpleFrame("waypoint")
        module = self._module = InverseKinematics(frame.body)
        module.dofs = [frame.skeleton.dof(i) for i in dof_indices]
        module.target, module.reference_frame = self._target, SimpleFrame("base", None, self._base)
        problem = module.search_problem()
        self._place = problem.tree, problem.body, frame.frame.pose
        self._curvature = np.diag(self.weights)
        self._slope = np.zeros(len(dof_indices))
        self._ranges = module_ranges(problem)
        self._moves = np.zeros(problem.tree.num_dofs)
        self._moves[dof_indices] = 1.0

    def _solved(
        self, box: Box, pose: FloatArray, guess: FloatArray, before: FloatArray, time_left: float
    ) -> tuple[bool, FloatArray]:
        # each of three angles by as much keeps the angle of all
        angle = math.inf if box.turns_freely else box.angle / math.sqrt(3.0)
        method = TaskSpaceRegion(np.full(3, angle), box.lengths, length_clamp=np.inf, from_center=False)
        region = method.region(self._module)
        assert region is not None  # no angle is beyond half a turn
        task = _core.SearchTask.pose(
            *self._place, native_region(region, self._target), level=0, moves=self._moves
        )
        center = before[self.dof_indices]
        near = _core.QuadraticObjective(self.dof_indices, self._curvature, self._slope, center)
        settings = SearchSettings(box.exactness, box.exactness, max_starts=1, time_budget=time_left)
        (q, _, _, reached, *_), _, _ = _core.solve_hierarchy(
            self._place[0],
            tasks=[task],
            targets=(self._base @ pose)[None],
            start=guess,
            ranges=self._ranges,
            settings=settings.native(),
            lowers=self._moves,
            quadratics=[near],
        )
        found = guess.copy()
        found[self.dof_indices] = q[self.dof_indices]
        return bool(reached[0]), found
