"""Inverse kinematics in closed form: every solution of a chain of up to seven joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kido import _core
from kido.optimize import DeclaredAttributes, real_array
from kido.tree import Tree
from kido.typing import ArrayLike, FloatArray
from kido.values import checked_part

_REDUNDANT = 7
"""Joints of a chain of which one is locked."""


class ClosedFormSolutions(NamedTuple):
    """All positions of a chain that bring its tool to one target."""

    positions: FloatArray
    """(k, n) [rad, m], angles in (-pi, pi] but for a locked joint; unordered, no two the same."""

    reached: bool
    """Whether they reach the target. If not, there is one row, the nearest found."""

    errors: FloatArray
    """(k, 2): angle [rad] and distance [m] between tool and target."""


class ClosedForm(DeclaredAttributes, closed=True):
    """Every solution of a chain for a target pose, from the geometry of its axes alone.

    The joints are revolute or prismatic, and `family` names their form:

    - "spherical wrist", "spherical shoulder": six joints of which the last or the first three turn about axes
      that meet in one point; of the other three, none to two are prismatic;
    - "three parallel axes": six revolute joints, of which three in a row have parallel axes;
    - "gantry": three prismatic and up to three revolute joints, in any order, no two neighbours of these
      about parallel axes;
    - "orientation first": the same with fewer prismatic joints, or none;
    - "SCARA": two or three revolute joints about parallel axes, and one or two prismatic, not all normal to
      them;
    - "planar": two or three revolute joints about parallel axes, one of three may be prismatic, normal to
      them.

    Of seven joints one is locked at a position that the caller gives or sweeps, and the other six are solved.
    Fewer than six joints reach only some poses: for others there is the nearest, with `reached` False.

    Every solution is checked by forward kinematics: errors are below 1e-9 [rad] and 1e-9 of the arm's length
    [m], and near 1e-15 but at singular poses; with prismatic joints that length is the target's distance
    if it is larger. Where a singular pose leaves joints free, those of the argument `near` are taken. Joint
    limits are not regarded.

    Source: Pieper, The kinematics of manipulators under computer control (1968), for three axes that meet;
    Elias and Wen, IK-Geo: Unified robot inverse kinematics using subproblem decomposition (2022), for the
    subproblems.
    """

    __slots__ = ("_native",)

    def __init__(
        self,
        tree: Tree,
        body: str,
        *,
        base: str | None = None,
        point: ArrayLike | None = None,
        locked_dof: str | None = None,
    ) -> None:
        """Find the form of the joints between two bodies.

        Args:
            tree: the robot.
            body: that carries the tool.
            base: body from which the chain starts and in whose coordinates targets are; None: the world.
            point: pose of the tool (4, 4) in the body, translation in [m]; None: the body itself.
            locked_dof: dof that is locked, of seven; None: the one that fits best.

        Raises:
            UnknownNameError: no such body or dof.
            TypeError: no tree.
            ValueError: base does not carry body, locked_dof does not move it, wrong shape of point.
        """
        checked_part("tree", Tree, tree)
        tip = tree.body_index(body)
        root = -1 if base is None else tree.body_index(base)
        tool = np.eye(4) if point is None else real_array("point", point)
        index = -1 if locked_dof is None else tree.dof_index(locked_dof)
        native = _core.ClosedForm.of_tree(tree, tip, root, tool, -1)
        if locked_dof is not None:
            if index not in native.dofs:
                raise ValueError(f"locked_dof: expected a dof that moves {body!r}, got {locked_dof!r}")
            if len(native.dofs) != _REDUNDANT:
                raise ValueError(
                    f"locked_dof: expected None for {len(native.dofs)} joints, got {locked_dof!r}"
                )
            native = _core.ClosedForm.of_tree(tree, tip, root, tool, native.dofs.index(index))
        self._native = native

    @classmethod
    def from_axes(
        cls,
        axes: ArrayLike,
        points: ArrayLike,
        *,
        tool: ArrayLike | None = None,
        locked_dof: int | None = None,
        is_prismatic: Sequence[bool] | None = None,
    ) -> ClosedForm:
        """Find the form of a chain that is given by its axes where all positions are zero.

        Args:
            axes: directions of the axes (n, 3), of any length, dimensionless; n is 1 to 7.
            points: a point on each axis (n, 3) [m], in the coordinates of the base; any of a prismatic joint.
            tool: pose of the tool (4, 4) there, translation in [m]; None: the base's own.
            locked_dof: joint of the chain that is locked, of seven; None: the one that fits best.
            is_prismatic: whether each joint is prismatic (n,), its position in [m]; None: none is.

        Raises:
            ValueError: wrong shapes, numbers that are not finite, an axis of no length.
            TypeError: `is_prismatic` has what are no truth values.
        """
        directions = real_array("axes", axes)
        count = len(np.atleast_1d(directions))
        flags = np.zeros(count, dtype=bool) if is_prismatic is None else np.asarray(is_prismatic)
        if flags.dtype != bool or flags.ndim != 1:
            raise TypeError(f"is_prismatic: expected True or False for each joint, got {is_prismatic!r}")
        if locked_dof is not None and count != _REDUNDANT:
            raise ValueError(f"locked_dof: expected None for {count} joints, got {locked_dof}")
        form = cls.__new__(cls)
        form._native = _core.ClosedForm.of_axes(
            directions,
            real_array("points", points),
            np.eye(4) if tool is None else real_array("tool", tool),
            -1 if locked_dof is None else locked_dof,
            flags.tolist(),
        )
        return form

    @property
    def family(self) -> str | None:
        """Name of the form, as listed above; None where there is none."""
        return self._native.family or None

    @property
    def reason(self) -> str:
        """Reason for which there is no form; empty where there is one."""
        return self._native.reason

    @property
    def dofs(self) -> tuple[int, ...]:
        """Dofs of the tree that make the chain, in the order of its positions; of axes: 0, 1, ..."""
        return tuple(self._native.dofs)

    @property
    def is_prismatic(self) -> tuple[bool, ...]:
        """Whether each joint of the chain is prismatic, a position in [m]; empty where it was not read."""
        return tuple(self._native.is_prismatic)

    @property
    def locked_dof(self) -> int | None:
        """The joint of the chain that keeps its position; None where none has to."""
        return None if self._native.locked < 0 else self._native.locked

    @property
    def exact(self) -> bool:
        """Whether the axes fit the form to 1e-9.

        Else they fit to 1e-4, as in model files with rounded angles; solutions are then made exact by Newton
        steps, but at the edge of reach one may be missing.
        """
        return self._native.exact

    def solve(self, target: ArrayLike, *, near: ArrayLike | None = None) -> ClosedFormSolutions:
        """All solutions for one target.

        Args:
            target: pose of the tool (4, 4) in the base, translation in [m].
            near: positions (n,) [rad, m]: of the locked joint, and of those that a singular pose leaves
                free; None: 0.

        Raises:
            ValueError: there is no form, wrong shapes, a target that is no pose.
        """
        return ClosedFormSolutions(
            *self._native.solve(
                real_array("target", target), None if near is None else real_array("near", near)
            )
        )

    def solve_all(self, targets: ArrayLike, *, near: ArrayLike | None = None) -> list[ClosedFormSolutions]:
        """All solutions for each of many targets.

        Args:
            targets: poses of the tool (m, 4, 4) or (4, 4) in the base, translation in [m].
            near: positions (m, n) or (n,) [rad, m], as for `solve`; one target is solved with each of many
                rows.

        Raises:
            ValueError: as for `solve`; numbers of targets and rows that do not fit.
        """
        poses = real_array("targets", targets)
        if poses.shape[-2:] != (4, 4) or poses.ndim > 3:
            raise ValueError(f"targets: expected shape (m, 4, 4) [m], got {poses.shape}")
        if poses.size == 0:
            return []
        rows = np.atleast_2d(np.zeros(len(self.dofs)) if near is None else real_array("near", near))
        positions, counts, reached, errors = self._native.solve_all(poses.reshape(-1, 16), rows)
        ends = np.cumsum(counts)[:-1]
        parts = zip(np.split(positions, ends), reached, np.split(errors, ends), strict=True)
        return [ClosedFormSolutions(q, bool(flag), error) for q, flag, error in parts]

    def within(
        self, lower: FloatArray, upper: FloatArray, turns: Sequence[bool], places: Sequence[int]
    ) -> _core.LimitedArm:
        """The form within limits, for modules.

        Args:
            lower: lowest positions (1, n) [rad, m], -inf for none.
            upper: highest positions (1, n) [rad, m], inf for none.
            turns: whether each position is an angle (n,).
            places: of the joints' dofs in a skeleton (n,).
        """
        return _core.LimitedArm(self._native, lower, upper, turns, places)

    def __repr__(self) -> str:
        what = self.family or f"none: {self.reason}"
        return f"<ClosedForm of {len(self.dofs)} joints, {what}>"
