"""The body that carries a frame."""

from __future__ import annotations

from kido.frame import Frame, SimpleFrame
from kido.skeleton import BodyNode, FrameNode

__all__ = ["carrier_of", "directly_carried"]


def carrier_of(frame: Frame) -> BodyNode | None:
    """The body that a frame is, or is fixed on, maybe by others in between; None: it stands in the world."""
    carrier = frame
    while not (carrier.is_world or isinstance(carrier, BodyNode)):
        carrier = carrier.parent_frame
    return carrier if isinstance(carrier, BodyNode) else None


def directly_carried(frame: Frame) -> Frame:
    """A frame that is on a body, on a node or in the world without others in between; for any other one, a
    frame of its name where it stands on its body now."""
    for carrier in (frame, frame if frame.is_world else frame.parent_frame):
        if carrier.is_world or isinstance(carrier, BodyNode | FrameNode):
            return frame
    body = carrier_of(frame)
    return SimpleFrame(frame.name, body, frame.transform(relative_to=body))
