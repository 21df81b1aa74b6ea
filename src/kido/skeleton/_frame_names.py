"""Frames of skeletons by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from kido.errors import UnknownNameError
from kido.frame import Frame

__all__ = ["FrameArguments", "NamedFrames", "named_frame"]


class FrameArguments:
    """Base of what takes frames as arguments, or the names of bodies and nodes."""

    __slots__ = ()

    def _named_frame(self, argument: str, frame: object) -> Frame:
        """The frame itself, or that of a name. Raises as `named_frame`."""
        raise NotImplementedError

    def _observer(self, relative_to: Frame | str | None) -> Frame | None:
        return self._named_frame("relative_to", relative_to) if isinstance(relative_to, str) else relative_to

    def _axes(self, in_coordinates_of: Frame | str | None, default: Frame | None = None) -> Frame | None:
        if in_coordinates_of is None:
            return default
        if isinstance(in_coordinates_of, str):
            return self._named_frame("in_coordinates_of", in_coordinates_of)
        return in_coordinates_of


class NamedFrames(Protocol):
    """Something that knows the frames of a skeleton by their names."""

    def frames_named(self, name: str) -> Sequence[Frame]:
        """The body of a name; where there is none, the nodes of that name that are frames."""

    def frame_names(self) -> Iterator[str]:
        """Names of all bodies, then of all nodes that are frames."""


def named_frame(argument: str, frame: object, skeletons: Iterable[NamedFrames], owner: str) -> Frame:
    """The frame that an argument means: itself, or the body or node of that name in one of the skeletons.

    Raises UnknownNameError, naming the nearest; ValueError where several nodes, or bodies of several
    skeletons, have the name; TypeError where it is neither a frame nor a name.
    """
    if isinstance(frame, Frame):
        return frame
    if not isinstance(frame, str):
        raise TypeError(f"{argument}: expected a Frame or the name of one, got {type(frame).__name__}")
    known = tuple(skeletons)
    found = [one for skeleton in known for one in skeleton.frames_named(frame)]
    if not found:
        names = dict.fromkeys(name for skeleton in known for name in skeleton.frame_names())
        raise UnknownNameError("body or node", frame, names, owner)
    if len(found) > 1:
        kinds = ", ".join(type(one).__name__ for one in found)
        raise ValueError(
            f"{argument}: {owner!r} has several frames named {frame!r} ({kinds}); give the frame itself"
        )
    return found[0]
