"""A humanoid reaches for a box, lifts it and turns with it, pose by pose, and looks at it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from examples.demo.box import STAGES, STEPS, box_poses, make_grips
from examples.demo.humanoid import SIDES, Humanoid
from examples.demo.stance import balance_margin, pose, task
from kido.frame import Frame, SimpleFrame
from kido.ik import HierarchyResult, InverseKinematics, LookAt, WholeBodyIK
from kido.math import inverse_transform, se3_exp, se3_log
from kido.skeleton import FreeJoint, Skeleton
from kido.typing import FloatArray

__all__ = ["CarryStep", "carry"]

_AHEAD = 0.4
"""Distance of what the eye looks at before it looks at the box [m]."""
_LARGEST_CHANGE, _BUDGET = 0.06, 2.0
"""Most that a joint moves in a step [rad, m], and time for it [s]."""


@dataclass(frozen=True)
class CarryStep:
    """A pose of the box and how it was followed.

    `T_world_box` (4, 4) [m]; `result` of all tasks; `margin` of the center of mass within the support polygon
    [m]; `change`, the largest of a joint since the step before [rad, m]; `seconds` that the call took [s].
    """

    stage: str
    T_world_box: FloatArray
    result: HierarchyResult
    margin: float
    change: float
    seconds: float


def carry(
    skeleton: Skeleton, humanoid: Humanoid, box: Skeleton, time_budget: float = _BUDGET
) -> Iterator[CarryStep]:
    """Move a standing humanoid and a box through all stages, each step in `time_budget` [s], and tell of it.

    Targets of the palms (level 1) and of the eye (level 2) hang on the box. While it is reached for, they
    come from where palms and eye are to where these are to be; then they stay there, and go where it goes.
    """
    targets = _add_tasks(skeleton, humanoid, box)
    whole = WholeBodyIK(skeleton)
    for stage in STAGES:
        for share, T_world_box in zip(np.linspace(0.0, 1.0, STEPS + 1)[1:], box_poses(stage), strict=True):
            box.positions = FreeJoint.positions_of(T_world_box)
            for target in targets if stage == "reach" else ():
                target.approach(share)
            before, begin = skeleton.positions, time.perf_counter()
            result = whole.track(largest_change=_LARGEST_CHANGE, time_budget=time_budget)
            seconds = time.perf_counter() - begin
            skeleton.positions = result.positions
            change = float(np.abs(skeleton.positions - before).max())
            yield CarryStep(stage, T_world_box, result, balance_margin(skeleton), change, seconds)


class _Target:
    """The target of a module, which comes to its place on the box."""

    def __init__(self, module: InverseKinematics, T_world_start: FloatArray, place: Frame) -> None:
        self._start = inverse_transform(place.transform()) @ T_world_start
        self._frame = SimpleFrame(f"{place.name} target", place, self._start)
        module.target = self._frame

    def approach(self, share: float) -> None:
        """Go a share of the way, along a screw."""
        self._frame.relative_transform = se3_exp((1.0 - share) * se3_log(self._start))


def _add_tasks(skeleton: Skeleton, humanoid: Humanoid, box: Skeleton) -> list[_Target]:
    targets = []
    body = box.body("box")
    for (side, _), grip in zip(SIDES, make_grips(body), strict=True):
        palm = skeleton.end_effector(f"{side}_palm")
        targets.append(_Target(task(palm, 1), palm.transform(), grip))
    eye = skeleton.body(humanoid.eye).add_end_effector("eye")
    gaze = task(eye, 2)
    gaze.error_method = LookAt((1.0, 0.0, 0.0))
    targets.append(_Target(gaze, eye.transform() @ pose(0.0, (_AHEAD, 0.0, 0.0)), body))
    return targets
