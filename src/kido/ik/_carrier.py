"""The body that carries a frame."""

from __future__ import annotations

from kido.frame import Frame
from kido.skeleton import BodyNode

__all__ = ["carrier_of"]


def carrier_of(frame: Frame) -> BodyNode | None:
    """The body that a frame is, or is fixed on, maybe by others in between; None: it stands in the world."""
    carrier = frame
    while not (carrier.is_world or isinstance(carrier, BodyNode)):
        carrier = carrier.parent_frame
    return carrier if isinstance(carrier, BodyNode) else None
