"""Tasks of the whole robot: centre of mass, posture, joints, momentum, manipulability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kido.frame import Frame
from kido.ik._differential._differential_task import CustomTask, DifferentialTask, weights_of
from kido.skeleton import Skeleton
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only
from kido.values import checked_part

__all__ = [
    "CenterOfMassTask",
    "DampingTask",
    "JointCouplingTask",
    "ManipulabilityTask",
    "MomentumTask",
    "PostureTask",
]


class CenterOfMassTask(DifferentialTask):
    """The centre of mass comes to a point (3,) of a frame [m]. To balance, let its height be free by a weight
    of 0."""

    __slots__ = ("_relative_to",)
    kind = "center_of_mass"

    def __init__(
        self,
        target: ArrayLike,
        *,
        relative_to: Frame | None = None,
        weight: ArrayLike = 1.0,
        gain: float = 1.0,
        damping: float = 0.0,
        level: int = 0,
        equality: bool = False,
    ) -> None:
        """A point in `relative_to`; None: the world. Raises TypeError or ValueError naming the argument."""
        settings: dict[str, Any] = {"gain": gain, "damping": damping, "level": level, "equality": equality}
        super().__init__(3, weight=weight, **settings)
        self._relative_to: Frame | None = (
            None if relative_to is None else checked_part("relative_to", Frame, relative_to)
        )
        self._target = np.zeros(3)
        self.target = target

    @property
    def target(self) -> FloatArray:
        """The point (3,) [m]. Can be set."""
        return read_only(self._target.copy())

    @target.setter
    def target(self, target: ArrayLike) -> None:
        self._target[:] = frozen_array("target", target, (3,), "m")

    @property
    def frames(self) -> tuple[Frame | None, Frame | None]:
        """None, and the frame of the point."""
        return None, self._relative_to

    def prepare(self, robot: Skeleton) -> None:
        """Find the part of bodies that are fixed to the world. Raises ValueError where no mass moves."""
        tree = robot.tree
        if not tree.total_mass > 0.0:
            raise ValueError(f"tasks: no mass of {robot.name} moves, and so no centre of mass")
        share = tree.total_mass / robot.mass
        self._set_share(share)
        self._set_axis(np.asarray(robot.com() - share * tree.center_of_mass(robot.positions)))


class PostureTask(DifferentialTask):
    """Dofs come to positions (num_dofs,) [rad, m]."""

    __slots__ = ()
    kind = "posture"

    def __init__(
        self,
        target: ArrayLike,
        *,
        weight: ArrayLike = 1.0,
        gain: float = 1.0,
        level: int = 0,
        equality: bool = False,
    ) -> None:
        """Positions, and weights (num_dofs,) or one number [1/rad, 1/m]. Raises TypeError or ValueError."""
        positions = frozen_array("target", target, (-1,), "rad, m")
        super().__init__(max(len(positions), 1), weight=weight, gain=gain, level=level, equality=equality)
        self._target = np.array(positions)

    @property
    def target(self) -> FloatArray:
        """The positions (num_dofs,) [rad, m]. Can be set."""
        return read_only(self._target.copy())

    @target.setter
    def target(self, target: ArrayLike) -> None:
        self._target[:] = frozen_array("target", target, self._target.shape, "rad, m")

    def prepare(self, robot: Skeleton) -> None:
        """Raises ValueError for a robot with another number of dofs."""
        if len(self._target) != robot.num_dofs:
            got = len(self._target)
            raise ValueError(
                f"target: expected {robot.num_dofs} positions as {robot.name} has dofs, got {got}"
            )


class DampingTask(DifferentialTask):
    """Dofs stand still, as far as other tasks let them."""

    __slots__ = ("_given",)
    kind = "posture"

    def __init__(self, weight: ArrayLike = 1e-3, *, level: int = 0) -> None:
        """Weights (num_dofs,), or one number [s/rad, s/m]. Raises TypeError or ValueError."""
        self._given = frozen_array("weight", weight, None)
        super().__init__(max(1, self._given.size), weight=weight, gain=0.0, level=level)

    def prepare(self, robot: Skeleton) -> None:
        """Spread a weight over the dofs. Raises ValueError for a robot with another number of dofs."""
        if len(self._weight) != robot.num_dofs:
            self._weight = weights_of("weight", self._given, (robot.num_dofs,))
        if len(self._target) != robot.num_dofs:
            self._target = np.zeros(robot.num_dofs)


class JointCouplingTask(CustomTask):
    """A weighted sum of positions has a value: sum of ratio times position = offset."""

    __slots__ = ("_offset", "_ratios")

    def __init__(self, ratios: Mapping[str, float], offset: float = 0.0, **settings: Any) -> None:
        """Ratios by names of dofs [-], offset [rad, m]; further settings as of `DifferentialTask`.

        Raises TypeError or ValueError naming the argument.
        """
        if not isinstance(ratios, Mapping) or not ratios:
            raise ValueError(f"ratios: expected names of dofs with their ratios, got {ratios!r}")
        self._ratios = {str(name): float(frozen_array("ratios", ratios[name], ())) for name in ratios}
        self._offset = float(frozen_array("offset", offset, ()))
        super().__init__(1, **settings)

    @property
    def ratios(self) -> Mapping[str, float]:
        """Ratios by names of dofs [-]."""
        return dict(self._ratios)

    @property
    def offset(self) -> float:
        """The value [rad, m]."""
        return self._offset

    def prepare(self, robot: Skeleton) -> None:
        """Raises UnknownNameError for a dof that the robot does not have."""
        super().prepare(robot)
        for name in self._ratios:
            robot.dof(name)

    def compute_error(self, robot: Skeleton) -> FloatArray:
        """The sum less the offset (1,) [rad, m]."""
        return np.array([self.compute_jacobian(robot)[0] @ robot.positions - self._offset])

    def compute_jacobian(self, robot: Skeleton) -> FloatArray:
        """The ratios (1, num_dofs) [-]."""
        J = np.zeros((1, robot.num_dofs))
        for name, ratio in self._ratios.items():
            J[0, robot.dof(name).index] += ratio
        return J


class MomentumTask(CustomTask):
    """The momentum about the centre of mass is (6,), angular first, in world axes [N m s, N s]."""

    __slots__ = ("_momentum",)

    def __init__(
        self,
        target: ArrayLike = (0.0,) * 6,
        *,
        weight: ArrayLike = 1.0,
        level: int = 0,
        equality: bool = False,
    ) -> None:
        """A momentum, and weights (6,) or one number [1/(N m s), 1/(N s)]. Raises TypeError or ValueError."""
        super().__init__(6, weight=weight, gain=0.0, level=level, equality=equality)
        self._momentum = np.zeros(6)
        self.target = target

    @property
    def target(self) -> FloatArray:
        """The momentum (6,) [N m s, N s]. Can be set."""
        return read_only(self._momentum.copy())

    @target.setter
    def target(self, target: ArrayLike) -> None:
        self._momentum[:] = frozen_array("target", target, (6,), "N m s, N s")

    def target_velocity(self, error: FloatArray, dt: float) -> FloatArray:
        """The momentum (6,) [N m s, N s], whatever the `error` (6,) is."""
        return self._momentum

    def compute_error(self, robot: Skeleton) -> FloatArray:
        """Zeros (6,): momentum is no place to come to."""
        return np.zeros(6)

    def compute_jacobian(self, robot: Skeleton) -> FloatArray:
        """The centroidal momentum matrix (6, num_dofs)."""
        return robot.tree.centroidal_momentum_matrix(robot.positions)


class ManipulabilityTask(CustomTask):
    """The manipulability m = sqrt(det(J Jᵀ)) of a frame grows, at a rate [1/s of its units].

    Source: Yoshikawa, Manipulability of robotic mechanisms (1985).
    """

    __slots__ = ("_frame", "_rate", "_rows")

    def __init__(
        self,
        frame: Frame,
        *,
        rate: float = 1.0,
        rows: ArrayLike = (True,) * 6,
        weight: float = 1e-2,
        level: int = 0,
    ) -> None:
        """A frame, and which of 3 angular and 3 linear rows of its Jacobian count (6,).

        Raises TypeError or ValueError naming the argument.
        """
        self._frame: Frame = checked_part("frame", Frame, frame)
        self._rate = float(frozen_array("rate", rate, ()))
        chosen = np.asarray(rows)
        if chosen.shape != (6,) or chosen.dtype != np.bool_ or not chosen.any():
            raise ValueError(f"rows: expected 6 of True or False, one True at least, got {rows!r}")
        self._rows = np.flatnonzero(chosen)
        super().__init__(1, weight=weight, gain=0.0, level=level)

    @property
    def frame(self) -> Frame:
        """The frame whose manipulability grows."""
        return self._frame

    def manipulability(self, robot: Skeleton) -> float:
        """sqrt(det(J Jᵀ)) where the robot stands."""
        J = robot.jacobian(self._frame)[self._rows]
        return float(np.sqrt(max(np.linalg.det(J @ J.T), 0.0)))

    def target_velocity(self, error: FloatArray, dt: float) -> FloatArray:
        """The rate (1,) [1/s], whatever the `error` (1,) is."""
        return np.array([self._rate])

    def compute_error(self, robot: Skeleton) -> FloatArray:
        """Zero (1,): there is no best value."""
        return np.zeros(1)

    def compute_jacobian(self, robot: Skeleton) -> FloatArray:
        """Gradient (1, num_dofs) of the manipulability by the motion of each dof, by central differences."""
        tree, q, step, n = robot.tree, np.array(robot.positions), 1e-6, robot.num_dofs
        v = np.array(robot.velocities)
        gradient = np.zeros((1, n))
        try:
            for d in range(n):
                ends = []
                for sign in (1.0, -1.0):
                    robot.positions = tree.integrate(q, sign * step * np.eye(n)[d])
                    ends.append(self.manipulability(robot))
                gradient[0, d] = (ends[0] - ends[1]) / (2.0 * step)
        finally:
            robot.positions, robot.velocities = q, v
        return gradient
