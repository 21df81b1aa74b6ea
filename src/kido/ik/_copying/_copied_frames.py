"""Dofs, target and reference frame of the module of a copied node."""

from __future__ import annotations

from collections.abc import Callable

from kido.errors import RemovedError
from kido.frame import Frame, SimpleFrame
from kido.skeleton import BodyNode, DegreeOfFreedom, FrameNode, Skeleton

__all__ = ["copied_dofs", "copied_reference", "copied_target", "frame_of_name"]


def copied_dofs(
    dofs: tuple[DegreeOfFreedom, ...], original: BodyNode, copy: BodyNode
) -> tuple[DegreeOfFreedom, ...]:
    """The dofs of a copied body's skeleton that are copies of some in the original's; others have none."""
    joints = {body.parent_joint for body in original.skeleton.bodies}
    found = []
    for dof in dofs:
        if dof.joint in joints:
            carrier = _copy_of(dof.child_body, original, copy)
            if carrier is not None and dof.index_in_joint < carrier.parent_joint.num_dofs:
                found.append(carrier.parent_joint.dof(dof.index_in_joint))
    return tuple(found)


def copied_target(target: SimpleFrame, original: BodyNode, copy: BodyNode) -> SimpleFrame | None:
    """A target that stands to a copied body as one does to the original; None where it is on what was
    removed.

    A target that moves with a copied body or node moves with the copy of that, others where they are. Raises
    TypeError for one that moves with a copied body by a frame that has no copy.
    """
    try:
        moved = _stands_to(copy, target, original)
        return moved if isinstance(moved, SimpleFrame) else target.clone()
    except RemovedError:
        return None


def copied_reference(frame: Frame | None, original: BodyNode, copy: BodyNode) -> Frame | None:
    """The reference frame of a module's copy; None where the original has none of its own, or one on what was
    removed. Raises as `copied_target`."""
    try:
        return None if frame is None else _stands_to(copy, frame, original) or frame
    except RemovedError:
        return None


def _stands_to(copy: BodyNode, frame: Frame, original: BodyNode) -> Frame | None:
    """The frame that stands to a copied body as `frame` does to the original; None where it moves with
    nothing that was copied."""
    if isinstance(frame, BodyNode):
        return _copy_of(frame, original, copy)
    if isinstance(frame, FrameNode):
        body = _stands_to(copy, frame.parent_frame, original)
        return None if not isinstance(body, BodyNode) else _node_or_place(body, frame)
    return _on(frame, lambda parent: _stands_to(copy, parent, original))


def _node_or_place(body: BodyNode, node: FrameNode) -> Frame:
    """The node of a body's copy; where there is none, as for a node that was removed, a frame in its place.

    Nodes of a copied body stand in the order of the originals.
    """
    siblings = node.parent_frame.nodes() if isinstance(node.parent_frame, BodyNode) else ()
    twin = dict(zip(siblings, body.nodes(), strict=False)).get(node)
    return twin if isinstance(twin, FrameNode) else SimpleFrame(node.name, body, node.relative_transform)


def _on(frame: Frame, moved: Callable[[Frame], Frame | None]) -> Frame | None:
    """A frame's copy on what its parent moved to; None where that is nothing.

    Raises TypeError for a frame that has no copy.
    """
    if frame.is_world:
        return None
    parent = moved(frame.parent_frame)
    if parent is None:
        return None
    if isinstance(frame, SimpleFrame):
        return frame.clone(parent)
    raise TypeError(
        f"cannot copy the {type(frame).__name__} {frame.name!r}, with which the target or reference frame of "
        f"a module moves on {frame.parent_frame.name!r}: make it a SimpleFrame, or put them under another"
    )


def frame_of_name(frame: Frame, original: Skeleton, other: Skeleton) -> Frame:
    """Counterpart of a frame on a skeleton's body or node in another skeleton, by the names of these; other
    frames themselves.

    Where the body there has no such node, a frame stands where the node is. Raises UnknownNameError where
    there is no such body, TypeError for a frame that has no copy.
    """
    return frame if other is original else _of_name(frame, original, other) or frame


def _of_name(frame: Frame, original: Skeleton, other: Skeleton) -> Frame | None:
    if isinstance(frame, BodyNode):
        return other.body(frame.name) if frame.skeleton is original else None
    if isinstance(frame, FrameNode):
        body = _of_name(frame.parent_frame, original, other)
        if not isinstance(body, BodyNode):
            return None
        same = [node for node in body.nodes(type(frame)) if node.name == frame.name]
        return same[0] if same else SimpleFrame(frame.name, body, frame.relative_transform)
    return _on(frame, lambda parent: _of_name(parent, original, other))


def _copy_of(frame: Frame, original: BodyNode, copy: BodyNode) -> BodyNode | None:
    """The body that was copied from `frame` when `copy` was from `original`; None where none was.

    Bodies are copied in one piece of their depth-first order.
    """
    if not isinstance(frame, BodyNode) or frame.skeleton is not original.skeleton:
        return None
    index = frame.index + copy.index - original.index
    return copy.skeleton.bodies[index] if 0 <= index < copy.skeleton.num_bodies else None
