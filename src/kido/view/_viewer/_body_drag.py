"""Bodies that are dragged by inverse kinematics."""

from __future__ import annotations

import numpy as np

from kido.ik import CompositeIK, InverseKinematics, PoseError, PositionError, WholeBodyIK
from kido.skeleton import BodyNode, EndEffector, FrameNode, FreeJoint, Skeleton
from kido.typing import FloatArray
from kido.view._viewer._guide import Guide

__all__ = ["BodyDrag", "track"]

_FASTEST = 6.0
"""Of each dof [rad/s, m/s]."""
_BUDGET = 2e-3
"""For the inverse kinematics of a frame [s]."""


class BodyDrag:
    """A body or node that follows a target, by inverse kinematics from the present positions.

    A module that the node has is used as it is, and its target moved; else one is made, which is not attached
    to the skeleton. `whole_body` moves all dofs that move the node, together with the modules that the
    skeleton has (`WholeBodyIK`), and holds end effectors with an active support where they are.
    """

    __slots__ = ("_ik", "_module", "guide", "node")

    def __init__(
        self,
        node: BodyNode | FrameNode,
        point: FloatArray | None = None,
        *,
        whole_body: bool = False,
        keep_orientation: bool = True,
        guide: Guide | None = None,
    ) -> None:
        """A drag that begins where the node is.

        Args:
            node: which is dragged.
            point: of the node (3,), in the world, that is to be at the target's origin [m]; None: its own
                origin. A module that the node has keeps its own point.
            whole_body: whether all dofs that move the node may move, or those of its chain alone.
            keep_orientation: whether the node has the target's orientation, else any.
            guide: line or plane on which the target stays; None: it may go anywhere.

        Raises ValueError where no dof moves the node.
        """
        self.node = node
        self.guide = Guide() if guide is None else guide
        own = node.addon(InverseKinematics)
        self._module = module = InverseKinematics(node) if own is None else own
        if own is None:
            module.error_method = PoseError() if keep_orientation else PositionError()
            _choose_dofs(module, whole_body)
            if point is not None:
                _drag_at(module, point)
        if not module.dofs:
            raise ValueError(f"{node.name!r} cannot be dragged: no degree of freedom moves it")
        self._ik = CompositeIK(node.skeleton, _others(module, own is None)) if whole_body else None
        if self._ik is not None:
            self._ik.add(module)

    @property
    def target(self) -> FloatArray:
        """Pose (4, 4) in the world that the node follows [m]."""
        return self._module.target.transform()

    def pull_to(self, transform: FloatArray) -> None:
        """Set the target to a pose (4, 4) in the world [m], put onto the guide."""
        self._module.target.set_transform(self.guide.nearest(transform))

    def pull_point_to(self, point: FloatArray) -> None:
        """Set the target to a point (3,) in the world [m], put onto the guide; its orientation stays."""
        moved = np.array(self.target)
        moved[:3, 3] = point
        self.pull_to(moved)

    def follow(self, seconds: float) -> bool:
        """Move the skeleton towards the target as far as it comes in a time [s]; whether it moved."""
        return track(self._module if self._ik is None else self._ik, seconds)


def track(ik: InverseKinematics | CompositeIK | WholeBodyIK, seconds: float) -> bool:
    """Move a skeleton towards the targets of its inverse kinematics as far as it comes in a time [s]; whether
    it moved. Raises RemovedError or EditError as `ik.track`."""
    change = max(_FASTEST * seconds, 1e-6)
    before = ik.positions
    after = ik.track(largest_change=change, time_budget=_BUDGET).positions
    if np.array_equal(before, after):
        return False
    ik.positions = after
    return True


def _drag_at(module: InverseKinematics, point: FloatArray) -> None:
    T = np.array(module.node.transform())
    module.offset = T[:3, :3].T @ (point - T[:3, 3])
    T[:3, 3] = point
    module.target.set_transform(T)


def _choose_dofs(module: InverseKinematics, whole_body: bool) -> None:
    """All dofs that move the node, or those of its chain; a free root stays, unless there is nothing else."""
    if whole_body or not module.dofs:
        module.use_whole_body()
        return
    own = tuple(dof for dof in module.dofs if not isinstance(dof.joint, FreeJoint))
    if own and len(own) < len(module.dofs):
        module.dofs = own


def _others(module: InverseKinematics, below: bool) -> list[InverseKinematics]:
    """The modules that the skeleton has, and those that hold its feet; the dragged one gets a level below."""
    skeleton = module.node.skeleton
    found = [other for other in WholeBodyIK(skeleton).modules if other.node is not module.node]
    known = [other.node for other in found]
    feet = [foot for foot in _standing(skeleton) if foot not in known and foot is not module.node]
    found += [_holding(foot) for foot in feet]
    if found and below:
        module.hierarchy_level = max(other.hierarchy_level for other in found) + 1
    return found


def _standing(skeleton: Skeleton) -> list[EndEffector]:
    return [e for e in skeleton.nodes(EndEffector) if e.support is not None and e.support.active]


def _holding(node: EndEffector) -> InverseKinematics:
    """A module that leaves a node where it is."""
    module = InverseKinematics(node)
    module.use_whole_body()
    return module
