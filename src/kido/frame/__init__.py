"""Named places: frames that answer how they stand and move, relative to any other frame, at any time."""

from kido.frame._fixed import FixedFrame
from kido.frame._frame import Frame
from kido.frame._simple import SimpleFrame
from kido.frame._world import WORLD, WorldFrame

__all__ = [
    "WORLD",
    "FixedFrame",
    "Frame",
    "SimpleFrame",
    "WorldFrame",
]
