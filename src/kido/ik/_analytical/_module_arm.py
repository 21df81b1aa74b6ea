"""The closed form of a module, cached, and the answers that it gives by itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from kido.ik._analytical._arm import Arm, chain_of
from kido.ik._analytical._best_solution import reason_of
from kido.ik._error_methods._pose_error import PoseError
from kido.ik._error_methods._task_space_region import TaskSpaceRegion
from kido.ik._query import IKQuery
from kido.ik._result import IKResult, IKResults, IKStatus
from kido.skeleton import FrameNode
from kido.typing import FloatArray

__all__ = ["ArmCache", "DirectArm", "arm_cache"]


@dataclass(frozen=True, slots=True, eq=False)
class DirectArm:
    """An arm of all dofs of a module, whose error is that of its pose.

    Attributes:
        arm: the arm.
        places: of the module's dofs (k,) among those of the arm; None: they are the same.
        names: of the module's dofs.
    """

    arm: Arm
    places: list[int] | None
    names: tuple[str, ...]

    @classmethod
    def of(cls, ik: IKQuery, arm: Arm) -> DirectArm | None:
        """An arm as the answer of a module; None where the error is another one than that of the pose, or
        there are extra dofs.

        Raises RemovedError or EditError as `dof_indices` of the module does.
        """
        ik.dof_indices  # noqa: B018 - raises
        dofs = ik.dofs
        if not _is_plain_pose(ik) or set(dofs) != set(arm.dofs):
            return None
        if dofs == arm.dofs:
            return cls(arm, None, arm.names)
        return cls(arm, [arm.dofs.index(dof) for dof in dofs], tuple(dof.name for dof in dofs))

    def result(self, ik: IKQuery) -> IKResult:
        """The best solution where it is valid, else what comes near within the limits."""
        arm, settings = self.arm, ik.settings
        q, angular, linear, violations = arm.limited.answer(
            ik.target.transform(), arm.T_form_world, ik.node.skeleton.positions
        )
        reached = angular <= settings.angular_tolerance and linear <= settings.linear_tolerance
        return IKResult(
            q if self.places is None else q[self.places],
            self.names,
            IKStatus.SOLVED if reached else IKStatus.NOT_REACHED,
            angular,
            linear,
            0,
            0,
            ik.gradient_method.name,
            "" if reached else reason_of(violations),
        )

    def results(self, ik: IKQuery, poses: FloatArray, starts: FloatArray) -> IKResults:
        """The same for many poses of the target (m, 4, 4) [m], from positions (1 or m, num_dofs) of all dofs
        [rad, m]."""
        arm, settings = self.arm, ik.settings
        rows = np.ascontiguousarray(starts[:, arm.indices])
        q, angular, linear, violations = arm.limited.answer_batch(
            poses.reshape(-1, 16), arm.T_form_world, rows
        )
        reached = (angular <= settings.angular_tolerance) & (linear <= settings.linear_tolerance)
        none = np.zeros(len(poses), dtype=np.int32)
        reasons = () if reached.all() else tuple(map(_reason, reached.tolist(), violations.tolist()))
        return IKResults(
            q if self.places is None else q[:, self.places],
            self.names,
            reached,
            angular,
            linear,
            none,
            none,
            ik.gradient_method.name,
            reasons,
        )


def _is_plain_pose(ik: IKQuery) -> bool:
    """Whether the error is that of the pose, with the weight 1 for all components and no clamp."""
    method = ik.error_method
    if type(method) not in (TaskSpaceRegion, PoseError) or method.length_clamp != math.inf:
        return False
    problem = ik.search_problem()
    return problem.is_pose and bool((problem.weights == 1.0).all())


def _reason(reached: bool, violations: int) -> str:
    return "" if reached else reason_of(violations)


_Names = tuple[str, ...] | None


class ArmCache:
    """The arm of a module, valid until the module, its skeleton or a dof beside those of the chain changes.

    Attributes:
        arm: the arm.
    """

    __slots__ = (
        "_direct",
        "_dofs",
        "_named",
        "_offset",
        "_others",
        "_positions",
        "_properties",
        "_tree",
        "arm",
    )

    def __init__(self, ik: IKQuery, names: _Names, locked_dof: str | None) -> None:
        """The arm of a module as it is now. Raises as `Arm.of` and `chain_of` do."""
        skeleton = ik.node.skeleton
        self.arm = Arm.of(ik, chain_of(ik, names), locked_dof)
        self._named = names, locked_dof
        self._tree, self._dofs, self._properties = skeleton.tree, ik.dofs, ik.properties
        self._offset = _offset_bytes(ik)
        chain = set(self.arm.indices)
        self._others = [index for index in ik.body.dependent_dof_indices if index not in chain]
        self._positions = self._positions_bytes(skeleton.positions)
        self._direct: tuple[DirectArm | None] | None = None

    def direct(self, ik: IKQuery) -> DirectArm | None:
        """Compiled arm that answers for the module by itself; None where the arm is not all there is to it.

        Raises RemovedError or EditError as `solve` of the module does.
        """
        if self._direct is None:
            self._direct = (DirectArm.of(ik, self.arm),)
        return self._direct[0]

    def is_valid(self, ik: IKQuery, names: _Names, locked_dof: str | None) -> bool:
        """Whether the arm is still the module's."""
        skeleton = ik.node.skeleton
        return (
            self._tree is skeleton.tree
            and self._dofs is ik.dofs
            and self._properties is ik.properties
            and self._named == (names, locked_dof)
            and self._offset == _offset_bytes(ik)
            and (not self._others or self._positions == self._positions_bytes(skeleton.positions))
        )

    def _positions_bytes(self, positions: FloatArray) -> bytes:
        return positions[self._others].tobytes()


_caches: WeakKeyDictionary[IKQuery, ArmCache] = WeakKeyDictionary()


def arm_cache(ik: IKQuery, names: _Names, locked_dof: str | None) -> ArmCache:
    """The arm of the dofs of those names of a module, as it is now; None: of all that move its node.

    Raises as `Arm.of` and `chain_of` do.
    """
    cache = _caches.get(ik)
    if cache is None or not cache.is_valid(ik, names, locked_dof):
        cache = _caches[ik] = ArmCache(ik, names, locked_dof)
    return cache


def _offset_bytes(ik: IKQuery) -> bytes:
    return ik.node.relative_transform.tobytes() if isinstance(ik.node, FrameNode) else b""
