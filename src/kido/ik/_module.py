"""Inverse kinematics of one body or node."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from kido.frame import Frame, SimpleFrame
from kido.ik._copying import copied_dofs, copied_target
from kido.ik._native_search import search_pose, search_poses
from kido.ik._plan import PosePlan, grouped
from kido.ik._pose_error import pose_difference
from kido.ik._properties import IKProperties
from kido.ik._python_search import search_pose_in_python
from kido.ik._result import IKResult, IKResults
from kido.ik._settings import SearchSettings
from kido.math import as_transform_matrix
from kido.skeleton import Addon, AddonManager, BodyNode, DegreeOfFreedom, FrameNode
from kido.tree import Tree
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array

__all__ = ["InverseKinematics"]

_Dofs = tuple[DegreeOfFreedom, ...]


class InverseKinematics(Addon):
    """Finds positions of joints that put a body or node at a target.

    `InverseKinematics.of(node)` gives the module of a node, made when it is first asked for. It is an addon
    of the node, and is cloned and copied with it. The target is a frame: put it anywhere, or under any other
    frame, which may move.
    """

    Properties = IKProperties

    owner: BodyNode | FrameNode
    _target: SimpleFrame | None = None
    _dofs: _Dofs | None = None
    _kept: tuple[Tree, _Dofs, IKProperties, bytes, PosePlan] | None = None

    def __init__(self, owner: AddonManager, properties: IKProperties | None = None) -> None:
        """The module of a node, its target where the node is now, its dofs the node's chain.

        Args:
            owner: the node.
            properties: offset and settings; None: the default ones.

        Raises TypeError where the owner is neither a body nor a node with a place.
        """
        if not isinstance(owner, BodyNode | FrameNode):
            raise TypeError(f"owner: expected a body or a node that is a frame, got {type(owner).__name__}")
        super().__init__(owner, properties)
        self._target = self._fresh_target()
        self._dofs = owner.chain_dofs

    @classmethod
    def of(cls, node: BodyNode | FrameNode) -> InverseKinematics:
        """The module of a node, made where there is none.

        Raises TypeError where it is neither a body nor a node with a place, RemovedError where it was
        removed.
        """
        if not isinstance(node, BodyNode | FrameNode):
            raise TypeError(f"node: expected a body or a node that is a frame, got {type(node).__name__}")
        node.skeleton  # noqa: B018 - raises where there is none
        return node.addon(cls) or node.create_addon(cls)

    # ---- what is wanted

    @property
    def target(self) -> SimpleFrame:
        """Where the node is to be. Move it by `target.set_transform`, or attach it to another frame. Can be
        set."""
        if self._target is None:
            self._target = self._fresh_target()
        return self._target

    @target.setter
    def target(self, target: SimpleFrame) -> None:
        if not isinstance(target, SimpleFrame):
            raise TypeError(f"target: expected a SimpleFrame, got {type(target).__name__}")
        self._target = target

    @property
    def offset(self) -> FloatArray:
        """The point of the node that is to be at the target's origin (3,), in the node's coordinates [m]. Can
        be set."""
        return np.array(self.properties.offset)

    @offset.setter
    def offset(self, offset: ArrayLike) -> None:
        self.properties = replace(self.properties, offset=offset)

    @property
    def settings(self) -> SearchSettings:
        """How positions are searched. Can be set."""
        settings: SearchSettings = self.properties.settings
        return settings

    @settings.setter
    def settings(self, settings: SearchSettings) -> None:
        if not isinstance(settings, SearchSettings):
            raise TypeError(f"settings: expected SearchSettings, got {type(settings).__name__}")
        self.properties = replace(self.properties, settings=settings)

    # ---- what may move

    @property
    def dofs(self) -> _Dofs:
        """The dofs that may be moved. Set: dofs that move the node, in any order; their limits are always
        kept.

        The three angles of a ball or free joint stand for one rotation, and the three lengths of a free joint
        turn with it: of each three, all or none are moved.

        Raises, when set, TypeError for what are not dofs, and ValueError for no dofs, repeated ones, a part
        of such three, and those that do not move the node.
        """
        if self._dofs is None:
            self._dofs = self.owner.chain_dofs
        return self._dofs

    @dofs.setter
    def dofs(self, dofs: Iterable[DegreeOfFreedom]) -> None:
        chosen = tuple(dofs)
        for dof in chosen:
            if not isinstance(dof, DegreeOfFreedom):
                raise TypeError(f"dofs: expected degrees of freedom, got {dof!r}")
        if not chosen or len(set(chosen)) != len(chosen):
            raise ValueError(f"dofs: expected one or more different dofs, got {[dof.name for dof in chosen]}")
        for dof in chosen:
            if not self.owner.depends_on(dof):
                raise ValueError(f"dofs: {dof.name!r} does not move {self.owner.name!r}")
        _refuse_parts(chosen)
        self._dofs = chosen

    def use_chain(self) -> None:
        """Move the dofs from the node up to where the structure branches; the default."""
        self._dofs = self.owner.chain_dofs

    def use_whole_body(self) -> None:
        """Move all dofs that move the node."""
        self._dofs = self.owner.dependent_dofs

    @property
    def positions(self) -> FloatArray:
        """Positions (k,) of the dofs now [rad, m]. Can be set.

        Raises RemovedError or EditError as `solve` does.
        """
        return self.owner.skeleton.positions[self._plan().dofs]

    @positions.setter
    def positions(self, positions: ArrayLike) -> None:
        dofs, skeleton = self._plan().dofs, self.owner.skeleton
        q = skeleton.positions
        q[dofs] = frozen_array("positions", positions, (len(dofs),), "rad, m")
        skeleton.positions = q

    # ---- answers

    @property
    def error(self) -> FloatArray:
        """The node's distance from the target now (6,): rotation vector [rad], displacement [m], in world
        axes."""
        return pose_difference(self.target.transform(), self._body().transform() @ self._point())

    def solve(self) -> IKResult:
        """Positions of the dofs that put the node at the target; the skeleton stays as it is.

        The present positions are tried first, then random ones within the limits, the same ones at every
        call. A target that is not reached is a result, not an error: its positions are those that came
        nearest.

        Raises RemovedError where the node or a dof was removed, and EditError where a dof does not move the
        node any more.
        """
        plan, positions = self._plan(), self.owner.skeleton.positions
        target = self.target
        if plan.native and not self._moves(target):
            return search_pose(plan, target.transform(), positions)
        return search_pose_in_python(plan, self._body(), target, positions)

    def solve_and_apply(self, *, allow_incomplete: bool = True) -> IKResult:
        """Solve, and move the skeleton there.

        Args:
            allow_incomplete: whether to move even where the target is not reached.

        Raises RemovedError or EditError as `solve` does.
        """
        result = self.solve()
        if result.success or allow_incomplete:
            self.positions = result.positions
        return result

    def solve_batch(self, targets: TransformLike, starts: ArrayLike | None = None) -> IKResults:
        """Positions for many targets at once, in vector lanes and threads. The skeleton stays as it is.

        Each answer is that of `solve`, bit for bit. Joints of the user's own, and limits of ball and free
        joints, are searched one target after the other, in Python.

        Args:
            targets: poses of the node's point in the world (n, 4, 4) [m].
            starts: positions (n, k) or (k,) of the dofs to start from [rad, m]; None: the present ones.

        Returns:
            Positions, errors, and what is reached, one of each for a target.

        Raises:
            TypeError, ValueError: not transforms, or not positions of that shape.
            RemovedError, EditError: as `solve` does.
        """
        poses = as_transform_matrix(targets, "targets")
        if poses.ndim != 3:
            raise ValueError(f"targets: expected shape (n, 4, 4) [m], got {poses.shape}")
        plan = self._plan()
        positions = self._starts(plan, starts, len(poses))
        if plan.native:
            return search_poses(plan, poses, positions)
        each = np.broadcast_to(positions, (len(poses), positions.shape[1]))
        body = self._body()
        pairs = zip(poses, each, strict=True)
        return IKResults.of(plan.names, [search_pose_in_python(plan, body, T, q) for T, q in pairs])

    # ---- helpers

    def copied_from(self, original: InverseKinematics) -> None:
        """Take over target and dofs of the original module, in the skeleton of this one.

        A target that moves with a copied body moves with the copy; where it hung on a node, with the node's
        body. Dofs that were not copied are left out.
        """
        there, here = original._body(), self._body()
        self._dofs = copied_dofs(original.dofs, there, here) or None
        self._target = copied_target(original.target, there, here)

    def _fresh_target(self) -> SimpleFrame:
        return SimpleFrame(f"{self.owner.name}_target", transform=self.owner.transform())

    def _body(self) -> BodyNode:
        return self.owner if isinstance(self.owner, BodyNode) else self.owner.body

    def _point(self) -> FloatArray:
        """The frame (4, 4) on the body that is to be at the target."""
        T = np.eye(4) if isinstance(self.owner, BodyNode) else self.owner.relative_transform
        T[:3, 3] += T[:3, :3] @ self.properties.offset
        return T

    def _moves(self, target: Frame) -> bool:
        """Whether the dofs move a frame."""
        while not target.is_world and not isinstance(target, BodyNode):
            target = target.parent_frame
        return isinstance(target, BodyNode) and any(target.depends_on(dof) for dof in self.dofs)

    def _plan(self) -> PosePlan:
        """The plan that was kept, where it still holds."""
        owner, properties, dofs = self.owner, self._properties, self.dofs
        tree = owner.skeleton.tree
        place = b"" if isinstance(owner, BodyNode) else owner.relative_transform.tobytes()
        kept = self._kept
        if (
            kept is not None
            and kept[0] is tree
            and kept[1] is dofs
            and kept[2] is properties
            and kept[3] == place
        ):
            return kept[4]
        plan = PosePlan.make(self._body(), self._point(), dofs, properties.settings)
        self._kept = (tree, dofs, properties, place, plan)
        return plan

    def _starts(self, plan: PosePlan, starts: ArrayLike | None, count: int) -> FloatArray:
        """Start positions (1 or count, num_dofs) of all dofs of the skeleton."""
        present = self.owner.skeleton.positions
        if starts is None:
            return present[None]
        given = frozen_array("starts", starts, None, "rad, m")
        k = len(plan.dofs)
        if given.shape not in ((k,), (count, k)):
            expected = f"expected shape ({k},) or ({count}, {k}) [rad, m]"
            raise ValueError(f"starts: {expected}, got {given.shape}")
        rows = np.repeat(present[None], 1 if given.ndim == 1 else count, axis=0)
        rows[:, plan.dofs] = given
        return rows


def _refuse_parts(dofs: _Dofs) -> None:
    """Raises ValueError where some of three dofs that move as one are missing."""
    for dof in dofs:
        first = dof.index_in_joint // 3 * 3
        if grouped(dof) and not {dof.joint.dof(first + i) for i in range(3)} <= set(dofs):
            names = ", ".join(repr(dof.joint.dof_names[first + i]) for i in range(3))
            raise ValueError(f"dofs: {names} move as one; expected all of them or none")
