"""Waypoints one after the other, with tolerances that are relaxed and tightened again."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from typing import cast

import numpy as np

from kido.frame import Frame
from kido.ik._carrier import directly_carried
from kido.ik._copying._frame_values import FrameValue, frame_of_value, frame_value
from kido.ik._waypoints._constrained_posture import ConstrainedPosture
from kido.ik._waypoints._nearest_posture import NearestPosture
from kido.ik._waypoints._path_dofs import checked_path_dofs, checked_path_frame
from kido.ik._waypoints._relaxing_search import RelaxingSearch
from kido.ik._waypoints._searched_posture import SearchedPosture
from kido.ik._waypoints._seen_frame import SeenFrame
from kido.ik._waypoints._waypoint import Waypoint
from kido.ik._waypoints._waypoint_result import WaypointPath, WaypointResult
from kido.math import as_transform_matrix
from kido.optimize import DeclaredAttributes
from kido.skeleton import DegreeOfFreedom, Skeleton, UserJoint
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array
from kido.values import checked_function

__all__ = ["ConstraintRelaxingIK"]

_POSE = 6
"""Numbers of a pose."""


class ConstraintRelaxingIK(DeclaredAttributes, closed=True):
    """Inverse kinematics along waypoints: each is solved from the posture before, near to it.

    For each waypoint a program is solved: the frame within tolerances of the pose, the joints within their
    limits, and the posture as near as can be to the one before. Where it has no solution, the tolerances grow
    by 1.5, one after the other; where it has, and they are looser than the waypoint allows, they shrink by
    0.5, and the solution is the next guess. After ten relaxations the guess is a random posture, after fifty
    of these the waypoint has failed. The counts are those of each waypoint.

    The skeleton stays as it is; its structure and limits, and where it stands, are those at the call.

    Source: the loop is that of Drake's ConstraintRelaxingIk.
    """

    __slots__ = ("_dofs", "_frame", "_posture_weights", "_relative_to", "_skeleton")

    def __init__(
        self,
        skeleton: Skeleton,
        frame: Frame | str,
        *,
        relative_to: Frame | None = None,
        dofs: Iterable[DegreeOfFreedom | str] | None = None,
        posture_weights: ArrayLike = 1.0,
    ) -> None:
        """Waypoints for a frame of a skeleton.

        Args:
            skeleton: the robot.
            frame: a body, or any frame that is fixed on one; or the name of a body.
            relative_to: frame in which the waypoints are given, of this skeleton or not; one on another
                skeleton stands still. None: the world.
            dofs: those that move, as they are or by name, even where they are locked; None: those by which
                frame and `relative_to` move against each other, up to where the structure branches, in the
                order of the skeleton.
            posture_weights: of the squared change of each dof (k,), or one for all [-], above 0.

        Raises:
            TypeError, ValueError: no such parts, a frame or dof of another skeleton, a dof that follows
                another one, weights that are not positive.
            UnknownNameError: no body or dof of that name.
        """
        if not isinstance(skeleton, Skeleton):
            raise TypeError(f"skeleton: expected a Skeleton, got {type(skeleton).__name__}")
        self._skeleton = skeleton
        self.frame, self.relative_to = frame, relative_to
        seen = self._seen()
        self._dofs = None if dofs is None else checked_path_dofs(seen, dofs)
        shape = () if np.ndim(posture_weights) == 0 else (len(self._dofs or seen.chain_names()),)
        self._posture_weights = frozen_array("posture_weights", posture_weights, shape)
        if not (self._posture_weights > 0.0).all():
            raise ValueError(
                f"posture_weights: expected positive numbers, got {float(self._posture_weights.min()):g}"
            )

    @property
    def skeleton(self) -> Skeleton:
        """The robot."""
        return self._skeleton

    @property
    def frame(self) -> Frame:
        """Frame that is to come to the waypoints. Set: a body of the skeleton or a frame that is fixed on
        one, or the name of a body."""
        return self._frame

    @frame.setter
    def frame(self, frame: Frame | str) -> None:
        self._frame = checked_path_frame(
            "frame", self._skeleton.body(frame) if isinstance(frame, str) else frame, self._skeleton
        )

    @property
    def relative_to(self) -> Frame | None:
        """Frame in which the waypoints are given; None: the world. Can be set."""
        return self._relative_to

    @relative_to.setter
    def relative_to(self, frame: Frame | None) -> None:
        if frame is not None and not isinstance(frame, Frame):
            raise TypeError(f"relative_to: expected a frame or None, got {type(frame).__name__}")
        self._relative_to = frame

    def solve(
        self,
        waypoints: Sequence[Waypoint] | TransformLike,
        positions: ArrayLike | None = None,
        *,
        keep_going: Callable[[int], bool] | None = None,
        seed: int = 0,
        time_budget: float = math.inf,
    ) -> WaypointPath:
        """Positions for waypoints, one after the other. A waypoint that is not reached ends the path.

        Args:
            waypoints: `Waypoint`, or poses (n, 4, 4) with the tolerances that these have by default [m].
            positions: (num_dofs,) to begin from [rad, m]; None: the present ones.
            keep_going: is asked with the index of the waypoint before each program; False ends the path.
            seed: of the random seeds.
            time_budget: for all waypoints [s].

        Returns:
            The path, with what came of each waypoint.

        Raises:
            TypeError, ValueError: what are no waypoints, positions of another shape or beyond limits, numbers
                out of range.
            RemovedError, EditError: the frame or a dof was removed.
        """
        points = _checked_waypoints(waypoints)
        start = self._checked_start(positions)
        if not time_budget > 0.0:
            raise ValueError(f"time_budget: expected a positive number [s], got {time_budget!r}")
        seen = self._seen()
        indices = [self._skeleton.dof(name).index for name in self._dofs or seen.chain_names()]
        search = RelaxingSearch(
            _program(seen.on(self._skeleton.clone()), indices, self._posture_weights),
            np.random.default_rng(seed),
            checked_function("keep_going", keep_going, or_none=True),
            time.perf_counter() + time_budget,
        )
        results: list[WaypointResult] = []
        for i, waypoint in enumerate(points):
            before = results[-1].positions if results else start
            results.append(search.to(i, waypoint, before))
            if not results[-1]:
                break
        names = tuple(dof.name for dof in self._skeleton.dofs)
        return WaypointPath(start, tuple(results), len(points), names)

    def _seen(self) -> SeenFrame:
        return SeenFrame.of(self._skeleton, self._frame, self._relative_to)

    def _checked_start(self, positions: ArrayLike | None) -> FloatArray:
        if positions is None:
            return self._skeleton.positions
        return frozen_array("positions", positions, (self._skeleton.num_dofs,), "rad, m")

    def __copy__(self) -> ConstraintRelaxingIK:
        """Another one of the same skeleton and frames."""
        return ConstraintRelaxingIK(
            self._skeleton,
            self._frame,
            relative_to=self._relative_to,
            dofs=self._dofs,
            posture_weights=self._posture_weights,
        )

    def __reduce__(self) -> tuple[object, ...]:
        skeleton, frame, base = self._skeleton, self._frame, self._relative_to
        of_frame = frame_value("frame", directly_carried(frame), skeleton)
        of_base = None if base is None else frame_value("relative_to", directly_carried(base), skeleton)
        return _rebuilt, (skeleton, of_frame, of_base, self._dofs, self._posture_weights)

    def __repr__(self) -> str:
        return f"<ConstraintRelaxingIK of {self._frame.name!r} of {self._skeleton.name!r}>"


def _rebuilt(
    skeleton: Skeleton,
    frame: FrameValue,
    relative_to: FrameValue | None,
    dofs: tuple[str, ...] | None,
    weights: FloatArray,
) -> ConstraintRelaxingIK:
    base = None if relative_to is None else frame_of_value(relative_to, skeleton)
    of_skeleton = frame_of_value(frame, skeleton)
    return ConstraintRelaxingIK(skeleton, of_skeleton, relative_to=base, dofs=dofs, posture_weights=weights)


def _program(seen: SeenFrame, indices: list[int], weights: FloatArray) -> NearestPosture:
    """Programs of a frame that some dofs (k,) move.

    The search keeps what is within the box where it is, as far as it can: fewer dofs than a pose fixes come
    to the box by ever smaller steps.
    """
    own = any(isinstance(joint, UserJoint) for joint in seen.skeleton.joints)
    searched = len(indices) >= _POSE and seen.is_alone(indices) and not own
    return (SearchedPosture if searched else ConstrainedPosture)(seen, indices, weights)


def _checked_waypoints(waypoints: Sequence[Waypoint] | TransformLike) -> tuple[Waypoint, ...]:
    if isinstance(waypoints, Waypoint):
        raise TypeError("waypoints: expected a sequence of waypoints, got one alone")
    if isinstance(waypoints, Sequence) and all(isinstance(one, Waypoint) for one in waypoints):
        return tuple(one for one in waypoints if isinstance(one, Waypoint))
    poses = as_transform_matrix(cast(TransformLike, waypoints), "waypoints")
    if poses.ndim != 3:
        raise ValueError(f"waypoints: expected Waypoint, or shape (n, 4, 4) [m], got {poses.shape}")
    return tuple(Waypoint(pose) for pose in poses)
