"""Frames of a module as values, by the names of the bodies that carry them, for pickles of its skeleton."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kido.frame import WORLD, FixedFrame, Frame, SimpleFrame
from kido.skeleton import BodyNode, FrameNode, Skeleton
from kido.typing import FloatArray, read_only
from kido.values import register

__all__ = ["FrameValue", "frame_of_value", "frame_value"]

_STILL = read_only(np.zeros(6))


@register
class FrameValue(NamedTuple):
    """A frame with its motion relative to the world, or to a body or node of the skeleton.

    Attributes:
        name: of a frame of its own; None: the carrier itself.
        body, node, kind: names of the body and node that carry it, and the node's class; None: the world.
        pose: (4, 4) relative to the carrier [m]; velocity, acceleration: (6,).
        fixed: whether the frame of its own is a FixedFrame.
    """

    name: str | None
    body: str | None
    node: str | None = None
    kind: type | None = None
    pose: FloatArray | None = None
    velocity: FloatArray = _STILL
    acceleration: FloatArray = _STILL
    fixed: bool = False


def frame_value(what: str, frame: Frame, skeleton: Skeleton) -> FrameValue:
    """A frame as a value. Raises TypeError where what carries it is not part of the skeleton."""
    if isinstance(frame, SimpleFrame | FixedFrame):
        carrier = frame_value(what, frame.parent_frame, skeleton)
        if carrier.name is None and isinstance(frame, FixedFrame):
            return carrier._replace(name=frame.name, pose=frame.relative_transform, fixed=True)
        if carrier.name is None:
            motion: dict[str, Any] = {
                "pose": frame.relative_transform,
                "velocity": frame.relative_spatial_velocity,
                "acceleration": frame.relative_spatial_acceleration,
            }
            return carrier._replace(name=frame.name, **motion)
    elif frame.is_world:
        return FrameValue(None, None)
    elif isinstance(frame, BodyNode) and frame._skeleton is skeleton:
        return FrameValue(None, frame.name)
    elif isinstance(frame, FrameNode) and not frame.is_removed and frame.skeleton is skeleton:
        return FrameValue(None, frame.body.name, frame.name, type(frame))
    raise TypeError(
        f"cannot save {what}: it moves with {frame.name!r}, which is not the world and no part of "
        f"{skeleton.name!r}; put it under one of these first"
    )


def frame_of_value(value: FrameValue, skeleton: Skeleton) -> Frame:
    """The frame that a value stands for, in a skeleton with bodies and nodes of the same names."""
    carrier: Frame = WORLD
    if value.body is not None:
        body = skeleton.body(value.body)
        carrier = body if value.node is None or value.kind is None else body.node(value.kind, value.node)
    if value.name is None:
        return carrier
    if value.fixed:
        return FixedFrame(value.name, carrier, value.pose)
    frame = SimpleFrame(value.name, carrier, transform=value.pose)
    frame.relative_spatial_velocity = value.velocity
    frame.relative_spatial_acceleration = value.acceleration
    return frame
