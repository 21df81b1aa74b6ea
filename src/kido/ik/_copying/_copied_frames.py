"""Dofs, target and reference frame of the module of a copied node."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from kido.errors import RemovedError
from kido.frame import Frame, SimpleFrame
from kido.skeleton import Addon, BodyNode, DegreeOfFreedom, FrameNode, Skeleton

if TYPE_CHECKING:
    from kido.ik._module._ik_parts import IKParts

__all__ = ["copied_dofs", "copied_reference", "copied_target", "frame_of_name", "replaced_addon"]


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
    """A target that stands to a copied body as one does to the original; None where it is nowhere.

    A target that moves with a copied body moves with the copy; one on a node, with the node's body.
    """
    try:
        frame, placement = _carrier(target.parent_frame)
        body = _copy_of(frame, original, copy)
        moved = target.clone() if body is None else target.clone(body)
    except RemovedError:
        return None
    if body is not None:
        moved.relative_transform = placement @ target.relative_transform
    return moved


def copied_reference(ik: IKParts, original: BodyNode, copy: BodyNode) -> Frame | None:
    """The reference frame of a module's copy; None where it is the parent of the copied target.

    A target on a node has a copy on the node's body, whose axes are others: the node's placement stays the
    reference frame.
    """
    frame, parent = ik._reference_frame, ik.target.parent_frame
    if frame is None and isinstance(parent, FrameNode):
        frame = parent
    try:
        return _copied_frame(frame, original, copy)
    except RemovedError:
        return None


def _copied_frame(frame: Frame | None, original: BodyNode, copy: BodyNode) -> Frame | None:
    """A frame that stands to a copied body as one does to the original: the copy of a body, and another
    frame's clone on it; what does not move with the original's skeleton, itself."""
    if frame is None or frame.is_world:
        return frame
    if isinstance(frame, BodyNode):
        return _copy_of(frame, original, copy) or frame
    if isinstance(frame, FrameNode):
        body = _copy_of(frame.body, original, copy)
        return None if body is None else SimpleFrame(frame.name, body, transform=frame.relative_transform)
    return copied_target(frame, original, copy) if isinstance(frame, SimpleFrame) else frame


@contextmanager
def replaced_addon(node: BodyNode | FrameNode, kind: type[Addon]) -> Iterator[None]:
    """Context in which an addon of a node is replaced; where it ends by an error, there is the old one
    again."""
    old = node.addon(kind)
    try:
        yield
    except BaseException:
        if node.has_addon(kind):
            node.remove_addon(kind)
        if old is not None:
            node._store(old)
        raise


def frame_of_name(frame: Frame, original: Skeleton, other: Skeleton) -> Frame:
    """Counterpart of a frame on a skeleton's body in another skeleton, by the body's name; other frames
    themselves.

    Raises UnknownNameError where there is no such body.
    """
    carrier, placement = _carrier(frame if not isinstance(frame, SimpleFrame) else frame.parent_frame)
    if not isinstance(carrier, BodyNode) or carrier.skeleton is not original or other is original:
        return frame
    body = other.body(carrier.name)
    if isinstance(frame, BodyNode):
        return body
    if isinstance(frame, SimpleFrame):
        moved = frame.clone(body)
        moved.relative_transform = placement @ frame.relative_transform
        return moved
    return SimpleFrame(frame.name, body, transform=placement)


def _carrier(frame: Frame) -> tuple[Frame, np.ndarray]:
    """The body of a node and the node's pose (4, 4) on it; any other frame is its own carrier."""
    if isinstance(frame, FrameNode):
        return frame.body, frame.relative_transform
    return frame, np.eye(4)


def _copy_of(frame: Frame, original: BodyNode, copy: BodyNode) -> BodyNode | None:
    """The body that was copied from `frame` when `copy` was from `original`; None where none was.

    Bodies are copied in one piece of their depth-first order.
    """
    if not isinstance(frame, BodyNode) or frame.skeleton is not original.skeleton:
        return None
    index = frame.index + copy.index - original.index
    return copy.skeleton.bodies[index] if 0 <= index < copy.skeleton.num_bodies else None
