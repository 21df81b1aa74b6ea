"""Questions of parts of inverse kinematics to the module that they serve."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol

from kido.frame import Frame, SimpleFrame
from kido.ik._search._pose_problem import PoseProblem
from kido.ik._search._settings import SearchSettings
from kido.optimize import Function
from kido.skeleton import BodyNode, DegreeOfFreedom, FrameNode
from kido.typing import ArrayLike, FloatArray

__all__ = ["IKQuery"]


class IKQuery(Protocol):
    """A node, its target, and the dofs that move it: what error methods, gradient methods and searches know
    of a module. `InverseKinematics` says what each of these is."""

    properties: Any
    error_method: Any
    gradient_method: Any

    @property
    def settings(self) -> SearchSettings:
        """Settings of the search."""

    @property
    def is_required(self) -> bool:
        """Whether a hierarchy fails while the target is not reached."""

    @property
    def hierarchy_level(self) -> int:
        """Rank among other modules, 0 the first [-]."""

    @property
    def lowered_functions(self) -> tuple[Function, ...]:
        """Functions that are lowered beside the target."""

    @property
    def has_objectives(self) -> bool:
        """Whether there is an objective."""

    @property
    def node(self) -> BodyNode | FrameNode:
        """The body or node that shall reach the target."""

    @property
    def body(self) -> BodyNode:
        """The node, or the body that it is on."""

    @property
    def target(self) -> SimpleFrame:
        """Target frame of the node."""

    @property
    def reference_frame(self) -> Frame:
        """Frame in whose coordinates bounds hold."""

    @property
    def dofs(self) -> tuple[DegreeOfFreedom, ...]:
        """The dofs that may be moved."""

    @property
    def dof_indices(self) -> list[int]:
        """The places (k,) of the dofs in the skeleton. Raises RemovedError or EditError."""

    @property
    def position_limits(self) -> tuple[FloatArray, FloatArray]:
        """Lowest and highest positions (k,) of the dofs [rad, m]."""

    @property
    def point(self) -> FloatArray:
        """The frame (4, 4) on the body that shall reach the target [m]."""

    @property
    def offset(self) -> FloatArray:
        """Point (3,) of the node that shall reach the target, in its coordinates [m]."""

    @property
    def positions(self) -> FloatArray:
        """Positions (k,) of the dofs now [rad, m]. Can be set."""

    @positions.setter
    def positions(self, positions: ArrayLike) -> None: ...
    def at(self, positions: ArrayLike) -> AbstractContextManager[None]:
        """Context in which the dofs are at positions (k,) [rad, m]."""

    def transform(self) -> FloatArray:
        """Pose (4, 4) in the world of the frame that shall reach the target [m]."""

    def jacobian(self) -> FloatArray:
        """Jacobian (6, k) of that frame, in world axes, angular first [-, m]."""

    def frame_jacobian(self, frame: Frame) -> FloatArray:
        """Jacobian (6, k) of the origin of a frame, in world axes, angular first [-, m]."""

    def moves(self, frame: Frame) -> bool:
        """Whether the dofs move a frame."""

    @property
    def reference_rotation(self) -> FloatArray:
        """Axes (3, 3) of the reference frame in the world, as columns [-]."""

    @property
    def error_axes(self) -> Frame:
        """The frame in whose axes the error is measured."""

    @property
    def error(self) -> FloatArray:
        """The error (m,) now, present minus desired [rad, m]."""

    @property
    def counted_error(self) -> FloatArray:
        """The error (m,), zero in components of weight zero [rad, m]."""

    def error_lengths(self, error: FloatArray) -> tuple[float, float]:
        """Norms of the angles [rad] and of the lengths [m] of an error (m,)."""

    def weights(self, error: FloatArray) -> FloatArray:
        """Weights (m,) for an error (m,) [-]."""

    def clamped(self, weighted: FloatArray) -> FloatArray:
        """A weighted error (m,), shortened to the clamp of the error method [-]."""

    def weighted_error(self) -> FloatArray:
        """The error (m,) with its weights, shortened to its clamp [-]."""

    def weighted_jacobian(self, rows: int) -> FloatArray:
        """Derivative (rows, k) of the weighted error by the velocities of the dofs [-, m]."""

    @property
    def has_bounds(self) -> bool:
        """Whether the error method tells bounds of what it measures."""

    def weighted_bounds(self, rows: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Derivative (rows, k) of what is measured, its lowest and highest change (rows,); all weighted."""

    def gradient(self) -> FloatArray:
        """Gradient (k,) of the gradient method by positions [rad, m]."""

    def search_problem(self) -> PoseProblem:
        """The problem of the search, made once."""

    def weighted_error_and_jacobian(self) -> tuple[FloatArray, FloatArray]:
        """The weighted error (m,) and its derivative (m, k) [-, m]."""
