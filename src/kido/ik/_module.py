"""Inverse kinematics of one body or node."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kido.frame import Frame, SimpleFrame
from kido.ik._native_search import PosePlan
from kido.ik._pose_error import pose_difference
from kido.ik._python_search import search_pose_in_python
from kido.ik._result import IKResult, IKResults
from kido.ik._settings import SearchSettings
from kido.math import as_transform_matrix
from kido.skeleton import Addon, AddonManager, BodyNode, DegreeOfFreedom, ExtendedTree, FrameNode, Skeleton
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_array

__all__ = ["InverseKinematics"]


class InverseKinematics(Addon):
    """Finds positions of joints that put a body or node at a target.

    `InverseKinematics.of(node)` gives the module of a node, made when it is first asked for. It is an addon
    of the node,
    and is cloned with it. The target is a frame: put it anywhere, or under any other frame, which may move.
    """

    owner: BodyNode | FrameNode

    def __init__(self, owner: AddonManager) -> None:
        """The module of a node, its target where the node is now, its dofs the node's chain.

        Raises TypeError where the owner is neither a body nor a node with a place.
        """
        if not isinstance(owner, BodyNode | FrameNode):
            raise TypeError(f"owner: expected a body or a node that is a frame, got {type(owner).__name__}")
        super().__init__(owner)
        self._offset = np.zeros(3)
        self._settings = SearchSettings()
        self._target = SimpleFrame(f"{owner.name}_target", transform=owner.transform())
        self._dofs = owner.chain_dofs
        self._kept_plan: PosePlan | None = None

    @classmethod
    def of(cls, node: BodyNode | FrameNode) -> InverseKinematics:
        """The module of a node, made where there is none.

        Raises TypeError where it is neither a body nor a node with a place.
        """
        found = node.addon(cls) if isinstance(node, AddonManager) else None
        return cls._create(node) if found is None else found

    @classmethod
    def _create(cls, node: BodyNode | FrameNode) -> InverseKinematics:
        if not isinstance(node, BodyNode | FrameNode):
            raise TypeError(f"node: expected a body or a node that is a frame, got {type(node).__name__}")
        return node.create_addon(cls)

    # ---- what is wanted

    @property
    def target(self) -> SimpleFrame:
        """Where the node is to be. Move it by `target.set_transform`, or attach it to another frame. Can be
        set."""
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
        return self._offset.copy()

    @offset.setter
    def offset(self, offset: ArrayLike) -> None:
        self._offset = np.array(frozen_array("offset", offset, (3,), "m"))

    # ---- what may move

    @property
    def dofs(self) -> tuple[DegreeOfFreedom, ...]:
        """The dofs that may be moved. Set: dofs of the node's skeleton, in any order; their limits are always
        kept.

        Raises, when set, ValueError for no dofs, repeated ones, and those that do not move the node.
        """
        return self._dofs

    @dofs.setter
    def dofs(self, dofs: Iterable[DegreeOfFreedom]) -> None:
        chosen = tuple(dofs)
        if not chosen or len(set(chosen)) != len(chosen):
            raise ValueError(f"dofs: expected one or more different dofs, got {[dof.name for dof in chosen]}")
        moving = set(self.owner.dependent_dofs)
        for dof in chosen:
            if dof not in moving:
                raise ValueError(f"dofs: {dof.name!r} does not move {self.owner.name!r}")
        self._dofs = chosen

    def use_chain(self) -> None:
        """Move the dofs from the node up to where the structure branches; the default."""
        self._dofs = self.owner.chain_dofs

    def use_whole_body(self) -> None:
        """Move all dofs that move the node."""
        self._dofs = self.owner.dependent_dofs

    @property
    def settings(self) -> SearchSettings:
        """How positions are searched. Can be set."""
        return self._settings

    @settings.setter
    def settings(self, settings: SearchSettings) -> None:
        if not isinstance(settings, SearchSettings):
            raise TypeError(f"settings: expected SearchSettings, got {type(settings).__name__}")
        self._settings = settings

    # ---- answers

    @property
    def error(self) -> FloatArray:
        """The node's distance from the target now (6,): rotation vector [rad], displacement [m], in world
        axes."""
        here, there = self._point_pose(), self._target.transform()
        return pose_difference(there, here)

    def solve(self) -> IKResult:
        """Positions of the dofs that put the node at the target; the skeleton stays as it is.

        The present positions are tried first, then random ones within the limits, the same ones at every
        call. A target
        that is not reached is a result, not an error: its positions are those that came nearest.

        Raises RemovedError where the node or a dof was removed.
        """
        if self._needs_python():
            return search_pose_in_python(self)
        plan = self._plan()
        starts = self._skeleton().positions[plan.path][None]
        return plan.search(self._target.transform()[None], starts)[0]

    def solve_and_apply(self, *, allow_incomplete: bool = True) -> IKResult:
        """Solve, and move the skeleton there.

        Args:
            allow_incomplete: whether to move even where the target is not reached.

        Raises RemovedError where the node or a dof was removed.
        """
        result = self.solve()
        if result.success or allow_incomplete:
            self.positions = result.positions
        return result

    def solve_batch(self, targets: TransformLike, starts: ArrayLike | None = None) -> IKResults:
        """Positions for many targets at once, in vector lanes and threads. The skeleton stays as it is.

        Args:
            targets: poses of the node's point in the world (n, 4, 4) [m].
            starts: positions (n, k) or (k,) of the dofs to start from [rad, m]; None: the present ones.

        Returns:
            Positions, errors, and what is reached, one of each for a target.

        Raises:
            TypeError, ValueError: not transforms, or not positions of that shape.
            ValueError: a joint of the user's own moves the node: it is solved by `solve`, one target at a
                time.
        """
        poses = as_transform_matrix(targets, "targets")
        if poses.ndim != 3:
            raise ValueError(f"targets: expected shape (n, 4, 4) [m], got {poses.shape}")
        if self._has_user_joints():
            raise ValueError(f"solve_batch: a joint of your own moves {self.owner.name!r}; use solve")
        plan = self._plan()
        return plan.search(poses, self._starts(plan, starts, len(poses)))

    @property
    def positions(self) -> FloatArray:
        """Positions (k,) of the dofs now [rad, m]. Can be set."""
        return self._skeleton().positions[self._indices()]

    @positions.setter
    def positions(self, positions: ArrayLike) -> None:
        skeleton = self._skeleton()
        q = skeleton.positions
        q[self._indices()] = frozen_array("positions", positions, (len(self._dofs),), "rad, m")
        skeleton.positions = q

    # ---- helpers

    def copied_from(self, original: InverseKinematics) -> None:
        """Take over what the original module is set to; its target's parent, where that is copied too."""
        self._offset = original._offset.copy()
        self._settings = original._settings
        self._kept_plan = None
        joints = self._skeleton()
        self._dofs = tuple(joints.dof(dof.name) for dof in original._dofs)
        self._target = original._target.clone(self._counterpart(original._target.parent_frame, original))

    def _counterpart(self, frame: Frame, original: InverseKinematics) -> Frame:
        """The frame of this skeleton that corresponds to one of the original's; any other frame is itself."""
        if isinstance(frame, BodyNode) and frame.skeleton is original._skeleton():
            return self._skeleton().body(frame.index)
        return frame

    def _skeleton(self) -> Skeleton:
        return self.owner.skeleton

    def _body(self) -> BodyNode:
        return self.owner if isinstance(self.owner, BodyNode) else self.owner.body

    def _indices(self) -> list[int]:
        return [dof.index for dof in self._dofs]

    def _point(self) -> FloatArray:
        """The frame (4, 4) on the body that is to be at the target."""
        T = np.eye(4) if isinstance(self.owner, BodyNode) else self.owner.relative_transform
        T[:3, 3] += T[:3, :3] @ self._offset
        return T

    def _point_pose(self) -> FloatArray:
        return np.asarray(self._body().transform() @ self._point())

    def _has_user_joints(self) -> bool:
        return isinstance(self._skeleton().tree, ExtendedTree)

    def _needs_python(self) -> bool:
        """Whether the native search does not know all that moves."""
        carrier: Frame = self._target
        while not carrier.is_world and not isinstance(carrier, BodyNode):
            carrier = carrier.parent_frame
        follows = isinstance(carrier, BodyNode) and carrier.skeleton is self._skeleton()
        return follows or self._has_user_joints()

    def _plan(self) -> PosePlan:
        """The plan that was kept, where it still holds."""
        tree, point, dofs = self._skeleton().tree, self._point(), self._indices()
        kept = self._kept_plan
        if (
            kept is not None
            and kept.tree is tree
            and kept.settings is self._settings
            and kept.dofs.tolist() == dofs
            and np.array_equal(kept.point, point)
        ):
            return kept
        body = self._body()
        self._kept_plan = PosePlan.make(
            tree, body.index, point, body.dependent_dof_indices, dofs, self._settings
        )
        return self._kept_plan

    def _starts(self, plan: PosePlan, starts: ArrayLike | None, count: int) -> FloatArray:
        """Start positions (1 or count, len(path)) of all dofs that move the body."""
        present = self._skeleton().positions
        if starts is None:
            return present[plan.path][None]
        given = np.asarray(starts, dtype=np.float64)
        k = len(plan.dofs)
        if given.shape not in ((k,), (count, k)) or not np.isfinite(given).all():
            expected = f"expected finite numbers of shape ({k},) or ({count}, {k}) [rad, m]"
            raise ValueError(f"starts: {expected}, got {given.shape}")
        rows = np.repeat(present[None], 1 if given.ndim == 1 else count, axis=0)
        rows[:, plan.dofs] = given
        return np.ascontiguousarray(rows[:, plan.path])
