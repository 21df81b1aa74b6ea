"""Closed forms as an analytical method."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kido.frame import Frame
from kido.ik._analytical._analytical import AnalyticalValue, desired_pose
from kido.ik._analytical._arm import MOST_JOINTS, Arm, chain_of
from kido.ik._analytical._module_arm import DirectArm, arm_cache
from kido.ik._analytical._options import (
    dof_names,
)
from kido.ik._analytical._result import AnalyticalResult, AnalyticalResults
from kido.ik._analytical._solution import AnalyticalSolution, Validity, solutions_of
from kido.ik._error_methods._error_method import ErrorMethod
from kido.ik._query import IKQuery
from kido.ik._result import IKResult, IKResults
from kido.skeleton import DegreeOfFreedom
from kido.typing import FloatArray, TransformLike
from kido.values import Checked, checked, value

__all__ = ["ClosedFormMethod"]


def _names_or_all(name: str, dofs: Iterable[DegreeOfFreedom | str] | None) -> tuple[str, ...] | None:
    return None if dofs is None else dof_names(name, dofs)


def _name_or_any(name: str, dof: DegreeOfFreedom | str | None) -> str | None:
    return None if dof is None else dof_names(name, [dof])[0]


@value
class ClosedFormMethod(AnalyticalValue):
    """The closed form of a module's dofs, found from the axes of their joints; `ClosedForm` tells the forms.

    Joints before the chain may move: the form is that of the chain. Of seven dofs one is locked where it
    is, or where nothing valid is found there, tried from limit to limit.

    Attributes:
        dofs: names of the dofs that are solved for; None: all of the module's that move the node. Others of
            the module are extra dofs.
        locked_dof: name of the locked dof, of seven; None: the one that fits best.
        extra_dof_utilization: when extra dofs are moved.
        extra_error_length_clamp: largest length of the error that they see [-].
        better: whether positions (n,) are a better solution than others (n,), for a module; None: that of the
            smaller largest change.
        component_clamp: largest size of a component of the gradient [rad, m].
        component_weights: factors (w,) of its components [-]; 1 for those beyond w.

    Dofs are given by name or as they are. Raises TypeError or ValueError naming the argument.
    """

    dofs: Checked[Iterable[DegreeOfFreedom | str] | None, tuple[str, ...] | None] = checked(
        _names_or_all, default=None
    )
    locked_dof: Checked[DegreeOfFreedom | str | None, str | None] = checked(
        _name_or_any, default=None, kw_only=True, former_name="held"
    )

    def analytical_dofs(self, ik: IKQuery) -> tuple[DegreeOfFreedom, ...]:
        """The dofs that are solved for, root first.

        Raises UnknownNameError, or ValueError for a dof that is not the module's or does not move the node.
        """
        return chain_of(ik, self.dofs)

    def compute_solutions(self, ik: IKQuery, desired: FloatArray) -> FloatArray | list[AnalyticalSolution]:
        """All solutions of the form for a pose (4, 4) in the world [m]; where none reaches it, the nearest.

        Raises NoClosedFormError where there is no form.
        """
        positions, violations = self._solved(ik, desired, ranked=False)
        out_of_reach = violations & Validity.OUT_OF_REACH
        return solutions_of(positions, out_of_reach) if out_of_reach.any() else positions

    def solutions(self, ik: IKQuery, desired: TransformLike | None = None) -> AnalyticalResult:
        """All solutions, the best first, as `Analytical.solutions` says; found in compiled code.

        Raises NoClosedFormError where there is no form, and as `Analytical.solutions` does.
        """
        if not self.is_native:
            return super().solutions(ik, desired)
        pose = desired_pose(ik, desired)
        return AnalyticalResult(*self._solved(ik, pose, ranked=True), self.arm(ik).names)

    def solutions_batch(self, ik: IKQuery, desired: FloatArray, starts: FloatArray) -> AnalyticalResults:
        """All solutions for poses (m, 4, 4) in the world [m], from positions (1 or m, n) of the analytical
        dofs [rad, m], in threads. Each is that of `solutions`, bit for bit.

        Raises NoClosedFormError where there is no form.
        """
        arm = self.arm(ik)
        if not self.is_native:
            rows = np.broadcast_to(starts, (len(desired), starts.shape[1]))
            return AnalyticalResults.of(arm.names, self._solutions_each(ik, desired, rows))
        found = arm.limited.solve_batch(desired.reshape(-1, 16), arm.T_form_world, starts, ranked=True)
        return AnalyticalResults(*found, arm.names)

    def solve_directly(self, ik: IKQuery) -> IKResult | None:
        """The best solution as the module's answer; None where the target moves with the dofs."""
        direct = self._direct_arm(ik)
        return super().solve_directly(ik) if direct is None else direct.result(ik)

    def solve_batch_directly(self, ik: IKQuery, poses: FloatArray, starts: FloatArray) -> IKResults | None:
        """The best solutions as the module's answers for many targets, in threads; None where the error is
        not that of the pose, or there are extra dofs."""
        direct = self._direct_arm(ik)
        return None if direct is None else direct.results(ik, poses, starts)

    def family(self, ik: IKQuery) -> str:
        """Name of the form, as `ClosedForm` lists them. Raises NoClosedFormError where there is none."""
        return str(self.arm(ik).form.family)

    def find_locked_dof(self, ik: IKQuery) -> DegreeOfFreedom | None:
        """The locked dof; None where none has to be. Raises NoClosedFormError as `family` does."""
        return self.arm(ik).locked

    def without(self, ik: IKQuery, frozen: Collection[DegreeOfFreedom]) -> ClosedFormMethod:
        """The same of the dofs that are left; of seven, a frozen one stands for the locked one.

        Raises NoClosedFormError where these have no form.
        """
        names = {dof.name for dof in frozen}
        kept = None if self.dofs is None else tuple(name for name in self.dofs if name not in names)
        locked = self.locked_dof if len(chain_of(ik, kept)) == MOST_JOINTS else None
        method = self
        if (kept, locked) != (self.dofs, self.locked_dof):
            method = replace(self, dofs=kept, locked_dof=locked)
        method.arm(ik)
        return method

    def error_method_for(self, ik: IKQuery) -> ErrorMethod:
        """The module's error method without clamp and weights.

        Raises NoClosedFormError where there is no form, and as `analytical_dofs` does.
        """
        self.arm(ik)
        return super().error_method_for(ik)

    @property
    def is_native(self) -> bool:
        """Whether compiled code ranks the solutions: no order of the user's own, no subclass."""
        return self.better is None and type(self) is ClosedFormMethod

    def arm(self, ik: IKQuery) -> Arm:
        """The closed form of a module's dofs where it is now. Raises NoClosedFormError as `family` does."""
        return arm_cache(ik, self.dofs, self.locked_dof).arm

    def _direct_arm(self, ik: IKQuery) -> DirectArm | None:
        """Compiled arm that answers for a module; None where it cannot, or the target moves."""
        if not self.is_native or _moves(ik, ik.target.parent_frame) or _moves(ik, ik.reference_frame):
            return None
        return arm_cache(ik, self.dofs, self.locked_dof).direct(ik)

    def _solved(self, ik: IKQuery, pose: FloatArray, *, ranked: bool) -> tuple[FloatArray, NDArray[np.uint8]]:
        arm = self.arm(ik)
        return arm.limited.solve(pose, arm.T_form_world, ik.node.skeleton.positions, ranked)

    def _solutions_each(
        self, ik: IKQuery, desired: FloatArray, starts: FloatArray
    ) -> Iterator[AnalyticalResult]:
        skeleton = ik.node.skeleton
        saved = skeleton.positions
        try:
            for pose, start in zip(desired, starts, strict=True):
                self.set_positions(ik, start)
                yield self.solutions(ik, pose)
        finally:
            skeleton.positions = saved


def _moves(ik: IKQuery, frame: Frame) -> bool:
    return not frame.is_world and ik.moves(frame)
