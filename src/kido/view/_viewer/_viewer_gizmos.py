"""Gizmos that people move in a viewer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kido.frame import SimpleFrame
from kido.ik import CompositeIK, InverseKinematics, WholeBodyIK
from kido.skeleton import BodyNode, FrameNode
from kido.typing import ArrayLike
from kido.values import checked_flag, checked_part, checked_positive
from kido.view._scene import SceneGraph
from kido.view._viewer._body_drag import track
from kido.view._viewer._body_pull import BodyPull
from kido.view._viewer._dragged_node import DraggedNode
from kido.view._viewer._gizmo import Gizmo
from kido.view._viewer._guide import Guide
from kido.view._viewer._page import Page

__all__ = ["ViewerGizmos"]

_GIZMO = 0.2
"""Size of gizmos, by that of the scene."""

IK = InverseKinematics | CompositeIK | WholeBodyIK


class ViewerGizmos:
    """Gizmos that people move in a viewer: frames and bodies, targets of inverse kinematics, and bodies by
    the mouse."""

    __slots__ = ("_nodes",)

    _page: Page
    _scene: SceneGraph
    _nodes: list[tuple[Gizmo, DraggedNode]]
    _followed: list[IK]

    def add_gizmo(
        self,
        part: SimpleFrame | BodyNode | FrameNode,
        *,
        on_move: Callable[[], object] | None = None,
        whole_body: bool = False,
        keep_orientation: bool = True,
        rotates: bool | None = None,
        line: ArrayLike | None = None,
        plane: ArrayLike | None = None,
        size: float | None = None,
    ) -> Gizmo:
        """Arrows and rings that move a frame; or a body or node, by inverse kinematics.

        Args:
            part: a free frame, or a body or node of a skeleton that is shown.
            on_move: is called after each move.
            whole_body: whether all dofs that move the node may move, with feet held where they stand; or
                those of its chain alone.
            keep_orientation: whether a body or node takes the gizmo's orientation; else any.
            rotates: whether there are rings; None: where the orientation matters and nothing bounds the move.
            line: direction (3,) of a line on which it stays, in world axes.
            plane: normal (3,) of a plane on which it stays, in world axes.
            size: [m]; None: as suits the scene.

        Raises TypeError or ValueError, naming the argument; ValueError where no dof moves the part.
        """
        checked_part("part", (SimpleFrame, BodyNode, FrameNode), part)
        checked_flag("whole_body", whole_body)
        checked_flag("keep_orientation", keep_orientation)
        guide = Guide(part.transform()[:3, 3], line=line, plane=plane)
        oriented = isinstance(part, SimpleFrame) or keep_orientation
        node = None if isinstance(part, SimpleFrame) else DraggedNode(part, whole_body, keep_orientation)
        move = part.set_transform if isinstance(part, SimpleFrame) else node.move  # type: ignore[union-attr]

        def moved(transform: Any) -> None:
            move(transform)
            if on_move is not None:
                on_move()

        gizmo = self._page.add_gizmo(
            part.name,
            read=part.transform,
            move=moved,
            release=(lambda: None) if node is None else node.release,
            size=_GIZMO * self._scene.size if size is None else checked_positive("size", size, "m"),
            guide=guide,
            rotates=(oriented and guide.is_free) if rotates is None else checked_flag("rotates", rotates),
        )
        if node is not None:
            self._nodes.append((gizmo, node))
        return gizmo

    def follow(self, ik: IK, *, gizmos: bool = True) -> tuple[Gizmo, ...]:
        """Let a skeleton follow the targets of its inverse kinematics at each frame, while no world plays.

        Args:
            ik: a module, or a hierarchy of several.
            gizmos: whether gizmos move the targets.

        Raises TypeError.
        """
        checked_part("ik", (InverseKinematics, CompositeIK, WholeBodyIK), ik)
        self._followed.append(ik)
        if not checked_flag("gizmos", gizmos):
            return ()
        modules = (ik,) if isinstance(ik, InverseKinematics) else ik.modules
        return tuple(self.add_gizmo(module.target) for module in modules)

    def _follow(self, seconds: float, *, playing: bool) -> None:
        """Let everything go where people drag it, for a time [s] in which a world plays or not."""
        page = self._page
        page.pointer.follow(seconds)
        self._nodes = [(gizmo, node) for gizmo, node in self._nodes if not gizmo.is_removed]
        for gizmo, node in self._nodes:
            if gizmo.held:
                page.notices.guard(lambda node=node: node.follow(seconds), node.node.name)  # type: ignore[misc]
        if not playing:
            for ik in self._followed:
                page.notices.guard(lambda ik=ik: track(ik, seconds), "Inverse kinematics")  # type: ignore[misc]

    @property
    def gizmos(self) -> tuple[Gizmo, ...]:
        """The gizmos that there are."""
        return tuple(gizmo for gizmo in self._page.gizmos if not gizmo.is_removed)

    @property
    def pulls(self) -> tuple[BodyPull, ...]:
        """The springs by which people pull simulated bodies now."""
        return self._page.pointer.pulls
