"""Program of a waypoint: the frame within a box about a pose, the posture as near as can be to one before."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from kido import _core
from kido.frame import SimpleFrame
from kido.ik._error_methods._task_space_region import TaskSpaceRegion
from kido.ik._module._inverse_kinematics import InverseKinematics
from kido.ik._search._module_search import module_ranges
from kido.ik._search._pose_problem import native_region
from kido.ik._search._settings import SearchSettings
from kido.optimize import QuadraticFunction
from kido.skeleton import Skeleton
from kido.typing import FloatArray

__all__ = ["Box", "NearestPosture"]

_LEAST_TIME = 1e-6
"""Of a program that begins when the time is up [s]."""


@dataclass(frozen=True, slots=True)
class Box:
    """Displacements from a pose, along the axes of the world.

    Attributes:
        angle: largest of each of three angles [rad]; half a turn at most, or infinite.
        lengths: largest along each axis (3,) [m]; may be infinite.
        exactness: largest error that a search may leave [rad, m].
    """

    angle: float
    lengths: FloatArray
    exactness: float


class NearestPosture:
    """Programs of one frame of a skeleton, of which the boxes, the poses and the postures before differ.

    Native code is called without a module in between where it knows all joints; a module asks the others.

    Attributes:
        moves_frame: whether any of the dofs may move the frame.
    """

    __slots__ = (
        "_curvature",
        "_frame",
        "_indices",
        "_module",
        "_moves",
        "_ranges",
        "_slope",
        "_target",
        "moves_frame",
    )

    def __init__(self, module: InverseKinematics, weights: FloatArray) -> None:
        """Programs of a module's frame.

        Args:
            module: of the frame, whose skeleton moves; its target, objective, settings and error method are
                set here.
            weights: of squared changes of its dofs (k,), or one for all [-].
        """
        self._module, self._target = module, SimpleFrame("waypoint")
        module.target = self._target
        problem = module.search_problem()
        self._indices = module.dof_indices
        self._curvature = np.diag(np.broadcast_to(weights, (len(self._indices),)))
        self._slope = np.zeros(len(self._indices))
        self.moves_frame = bool(problem.own.any()) or _has_followers(module.node.skeleton)
        self._frame: tuple[_core.Tree, int, FloatArray] | None = None
        if problem.own.any() and not problem.has_user_joints:
            self._frame = problem.tree, problem.body, problem.point
        self._ranges = module_ranges(problem)
        self._moves = np.zeros(problem.tree.num_dofs)
        self._moves[self._indices] = 1.0

    def within(
        self, box: Box, pose: FloatArray, guess: FloatArray, before: FloatArray, deadline: float
    ) -> tuple[bool, FloatArray]:
        """Whether a posture has been found whose frame is in a box about a pose (4, 4) [m], and it, or the
        one that ended the search (num_dofs,) [rad, m]; near to the posture before (num_dofs,).

        The search begins at a guess (num_dofs,), whose other dofs stay, and ends at a deadline, as
        `time.perf_counter` tells it [s]. The skeleton is at the posture then.
        """
        left = max(deadline - time.perf_counter(), _LEAST_TIME)
        settings = SearchSettings(box.exactness, box.exactness, max_starts=1, time_budget=left)
        method = TaskSpaceRegion(np.full(3, box.angle), box.lengths, length_clamp=np.inf, from_center=False)
        solve = self._asked if self._frame is None else self._native
        fits, q = solve(method, settings, pose, guess, before[self._indices])
        found, skeleton = guess.copy(), self._module.node.skeleton
        found[self._indices] = q
        skeleton.positions = found
        return fits, skeleton.positions  # with those that follow others

    def _native(
        self,
        method: TaskSpaceRegion,
        settings: SearchSettings,
        pose: FloatArray,
        guess: FloatArray,
        center: FloatArray,
    ) -> tuple[bool, FloatArray]:
        assert self._frame is not None
        region = method.region(self._module)
        assert region is not None  # no angle is beyond half a turn
        task = _core.SearchTask.pose(
            *self._frame, native_region(region, self._target), level=0, moves=self._moves
        )
        near = _core.QuadraticObjective(self._indices, self._curvature, self._slope, center)
        (q, _, _, reached, *_), _, _ = _core.solve_hierarchy(
            self._frame[0],
            tasks=[task],
            targets=pose[None],
            start=guess,
            ranges=self._ranges,
            settings=settings.native(),
            lowers=self._moves,
            quadratics=[near],
        )
        return bool(reached[0]), q[self._indices]

    def _asked(
        self,
        method: TaskSpaceRegion,
        settings: SearchSettings,
        pose: FloatArray,
        guess: FloatArray,
        center: FloatArray,
    ) -> tuple[bool, FloatArray]:
        module, skeleton = self._module, self._module.node.skeleton
        self._target.relative_transform = pose
        module.settings, module.error_method = settings, method
        module.objective = QuadraticFunction(center, self._curvature, self._slope)
        skeleton.positions = guess
        result = module.solve()
        return result.success, result.positions


def _has_followers(skeleton: Skeleton) -> bool:
    return skeleton.mimic_enforced and any(joint.mimic is not None for joint in skeleton.joints)
