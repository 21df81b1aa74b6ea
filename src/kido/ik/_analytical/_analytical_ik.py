"""The closed form of a body or node."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kido.ik._analytical._closed_form_method import ClosedFormMethod
from kido.ik._analytical._result import AnalyticalResult, AnalyticalResults
from kido.ik._module._inverse_kinematics import InverseKinematics
from kido.math import as_transform_matrix
from kido.optimize import DeclaredAttributes
from kido.skeleton import BodyNode, DegreeOfFreedom, FrameNode
from kido.typing import ArrayLike, TransformLike, frozen_array

__all__ = ["AnalyticalIK", "analytical_ik"]


class AnalyticalIK(DeclaredAttributes, closed=True):
    """A closed form of the dofs that move a body or node; `analytical_ik` finds it."""

    __slots__ = ("_ik", "_method")

    def __init__(self, ik: InverseKinematics, method: ClosedFormMethod) -> None:
        """The closed form of a module's dofs. Raises NoClosedFormError where there is none."""
        self._ik, self._method = ik, method
        self.family  # noqa: B018 - raises where there is none

    @property
    def family(self) -> str:
        """Name of the form, as `ClosedForm` lists them. Raises NoClosedFormError once an edit has undone
        it."""
        return self._method.family(self._ik)

    @property
    def dofs(self) -> tuple[DegreeOfFreedom, ...]:
        """The dofs that solutions have positions for, root first."""
        return self._method.analytical_dofs(self._ik)

    @property
    def locked_dof(self) -> DegreeOfFreedom | None:
        """The locked dof of seven, which moves only where no valid solution is found else; None for fewer."""
        return self._method.find_locked_dof(self._ik)

    @property
    def method(self) -> ClosedFormMethod:
        """The gradient method that has a module solved by this form: `ik.gradient_method = closed.method`."""
        return self._method

    def solve(self, target: TransformLike) -> AnalyticalResult:
        """All solutions for a target, the best first: valid ones, then the nearest where it is out of reach,
        then those beyond limits; within each of these, by the largest change from the present positions.

        The skeleton stays as it is.

        Args:
            target: pose (4, 4) in the world of the body or node [m].

        Raises TypeError or ValueError for what is no pose.
        """
        return self._method.solutions(self._ik, target)

    def solve_batch(self, targets: TransformLike, starts: ArrayLike | None = None) -> AnalyticalResults:
        """All solutions for many targets, in threads; those for each are those of `solve`, bit for bit.

        The skeleton stays as it is.

        Args:
            targets: poses (m, 4, 4) in the world of the body or node [m].
            starts: positions (m, n) or (n,) of the `dofs` that solutions are to be near [rad, m]: angles are
                shifted, solutions sorted and the locked dof is put by them; None: the present ones.

        Raises TypeError or ValueError for what are no poses, or no positions of that shape.
        """
        poses = as_transform_matrix(targets, "targets")
        if poses.ndim != 3:
            raise ValueError(f"targets: expected shape (m, 4, 4) [m], got {poses.shape}")
        if starts is None:
            return self._method.solutions_batch(self._ik, poses, self._method.positions(self._ik)[None])
        given = frozen_array("starts", starts, None, "rad, m")
        m, n = len(poses), len(self.dofs)
        if given.shape not in ((n,), (m, n)):
            raise ValueError(f"starts: expected shape ({n},) or ({m}, {n}) [rad, m], got {given.shape}")
        return self._method.solutions_batch(self._ik, poses, np.atleast_2d(given))

    def __repr__(self) -> str:
        return f"<AnalyticalIK of {self._ik.node.name!r}: {self.family}, {len(self.dofs)} dofs>"


def analytical_ik(
    node: BodyNode | FrameNode | InverseKinematics,
    *,
    dofs: Iterable[DegreeOfFreedom | str] | None = None,
    offset: ArrayLike = (0.0, 0.0, 0.0),
    locked_dof: DegreeOfFreedom | str | None = None,
) -> AnalyticalIK:
    """The closed form of a body or node, found from the axes of its joints. Nothing is attached to it.

    Args:
        node: what is to be at the targets; or a module, for its node, dofs and offset.
        dofs: one to seven that move it, as they are or by name; None: all from the node up to where the
            structure branches, or all of the module's.
        offset: point (3,) of the node that is to be at the target's origin, in its coordinates [m]. A module
            has its own.
        locked_dof: the dof of seven that is locked; None: the one that fits best.

    Returns:
        The form, which says its `family`, solves, and has a `method` for modules.

    Raises:
        NoClosedFormError: there is none; it says why.
        UnknownNameError: no such dof.
        TypeError, ValueError: no body or node with a place, dofs that do not move it, an offset that is no
            point, `locked_dof` where there are not seven.
    """
    ik = node if isinstance(node, InverseKinematics) else InverseKinematics(node)
    if ik is not node:
        ik.offset = offset
        if dofs is not None:
            names = ClosedFormMethod(dofs).dofs or ()
            ik.dofs = [ik.node.skeleton.dof(name) for name in names]
    return AnalyticalIK(ik, ClosedFormMethod(dofs, locked_dof=locked_dof))
