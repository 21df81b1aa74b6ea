"""Scopes and frames: each model and each world is a scope, in which links, joints and frames have a pose.

The semantics of SDFormat 1.7 and later: http://sdformat.org/tutorials?tut=pose_frame_semantics
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from kido.errors import ModelFileError, UnknownNameError
from kido.io._sdf._file import SdfFile
from kido.io._sdf._pose import inverse
from kido.io._xml import Element, shown
from kido.typing import FloatArray

__all__ = ["MAX_NESTING", "MODEL_FRAME", "WORLD", "Frame", "Item", "Scope"]

MODEL_FRAME = "__model__"
WORLD = "world"

MAX_NESTING = 64
"""Models inside of models, at most."""

LONGEST_PREFIX = 1000
"""Characters of the names of all models around a link or joint, at most."""

_IDENTITY = np.eye(4)
_SEPARATOR = "::"


class Item(NamedTuple):
    """An element of a scope. `origin` names the frame of the model that its file defines: "" for the scope's
    own, another one where the model is merged into the scope."""

    file: SdfFile
    element: Element
    origin: str = ""

    def frame_name(self, name: str) -> str:
        """The name in the scope of a frame that the element names."""
        return self.origin if name in ("", MODEL_FRAME) else name

    def error(self, message: str) -> ModelFileError:
        """Error at the element."""
        return self.file.error(self.element, message)


@dataclass(eq=False, slots=True)
class Frame:
    """A named frame of a scope: of a link, a joint, a model, or by itself.

    `T` is its pose in `relative_to`, None for the identity; "" stands for the scope's own frame. It moves
    with `attached_to`; links move by themselves.
    """

    name: str
    kind: str
    item: Item
    T: FloatArray | None = None
    relative_to: str = ""
    attached_to: str = ""
    T_scope: FloatArray | None = None
    visited: bool = False
    carrier: tuple[str, Item] | None = None
    """What `attached_to` leads to in the end, once asked: a name that is no <frame>, and where it stands."""


@dataclass(eq=False)
class Scope:
    """A model or world: its frames, and what it holds, in the order of the file."""

    name: str
    item: Item
    is_world: bool = False
    static: bool = False
    canonical_link: str = ""
    prefix: str = ""
    frames: dict[str, Frame] = field(default_factory=dict)
    children: dict[str, Scope] = field(default_factory=dict)
    links: list[Frame] = field(default_factory=list)
    joints: list[Frame] = field(default_factory=list)

    def add(self, frame: Frame) -> None:
        """Add a frame; raises ModelFileError where the name is taken.

        Before version 1.7 a link and a joint may have the same name; then it stands for the link.
        """
        if _is_reserved(frame):
            if frame.item.file.version >= (1, 7):
                raise frame.item.error(f"name: {shown(frame.name)} is reserved")
            what = "names the world or the model itself in joints and poses"
            frame.item.file.note(frame.item.element, "name", f"name: {shown(frame.name)} {what}")
        if frame.kind in ("link", "joint"):
            (self.links if frame.kind == "link" else self.joints).append(frame)
        taken = self.frames.get(frame.name)
        if taken is not None and not _may_share(taken, frame):
            what = f"expected unique names, got {shown(frame.name)} twice: a {taken.kind} and a {frame.kind}"
            raise frame.item.error(what)
        if taken is None or frame.kind == "link":
            self.frames[frame.name] = frame

    def set_prefix(self, prefix: str) -> None:
        """Say what stands before the names of this scope in the names of its top model."""
        if len(prefix) > LONGEST_PREFIX:
            raise self.item.error(
                f"expected names of at most {LONGEST_PREFIX} characters, with all models around"
            )
        self.prefix = prefix
        for name, child in self.children.items():
            child.set_prefix(f"{prefix}{name}{_SEPARATOR}")

    def pose(self, name: str, at: Item) -> FloatArray:
        """Pose (4, 4) in the scope of a frame that `at` names; raises ModelFileError there."""
        frame, T_frame = self._find(name, at)
        if frame is None:
            return T_frame
        T = self.pose_of(frame)
        return T if T_frame is _IDENTITY else T @ T_frame

    def knows(self, name: str) -> bool:
        """Whether a name leads to a frame."""
        if self._is_origin(name) or name in self.frames:
            return True
        parts = next((part for part in _splits(name) if part[0] in self.children), None)
        return parts is not None and self.children[parts[0]].knows(parts[1])

    def unknown(self, name: str) -> str:
        """The message that there is no such frame, with the nearest names."""
        return str(UnknownNameError("frame", name, self.frames, self.name))

    def relative(self, owner: str, name: str, at: Item) -> FloatArray:
        """Pose (4, 4) of a frame in the frame `owner`."""
        return inverse(self.pose(owner, at)) @ self.pose(name, at)

    def body(self, name: str, at: Item) -> str | None:
        """Name in the top model of the link with which a frame moves; None: the world."""
        name, at = self._carrier(name, at)
        if self._is_origin(name):
            return None
        frame = self.frames.get(name)
        if frame is None:
            child, rest = self._child(name, at)
            return child.body(rest, at)
        if frame.kind == "link":
            return self.prefix + name
        return self.children[name].body("", at)

    def _carrier(self, name: str, at: Item) -> tuple[str, Item]:
        """End of a chain of frames that are attached to frames: the world, a link, or a model."""
        passed: dict[str, Frame] = {}
        while True:
            if self._is_origin(name):
                if self.is_world:
                    break
                name = self._canonical(at)
            frame = self.frames.get(name)
            if frame is None or frame.kind in ("link", "model"):
                break
            if frame.carrier is not None:
                name, at = frame.carrier
                break
            if name in passed:
                raise at.error(f"attached_to: frames form a cycle at {shown(name)}")
            passed[name] = frame
            name, at = frame.attached_to, frame.item
        for frame in passed.values():
            frame.carrier = name, at
        return name, at

    def _canonical(self, at: Item) -> str:
        if self.canonical_link:
            return self.canonical_link
        if self.links:
            return self.links[0].name
        if self.children:
            return next(iter(self.children))
        raise at.error(f"model {shown(self.name)} has no link")

    def _is_origin(self, name: str) -> bool:
        return name in ("", MODEL_FRAME) or (self.is_world and name == WORLD)

    def _find(self, name: str, at: Item) -> tuple[Frame | None, FloatArray]:
        """The frame of this scope to which a name leads, and the pose in it of what is named."""
        if self._is_origin(name):
            return None, _IDENTITY
        frame = self.frames.get(name)
        if frame is not None:
            return frame, _IDENTITY
        child, rest = self._child(name, at)
        return self.frames[child.name], child.pose(rest, at)

    def _child(self, name: str, at: Item) -> tuple[Scope, str]:
        for head, rest in _splits(name):
            if head in self.children:
                return self.children[head], rest
        raise at.error(self.unknown(name))

    def pose_of(self, frame: Frame) -> FloatArray:
        """Pose (4, 4) in the scope of one of its frames, by way of those that it is relative to."""
        chain: list[tuple[Frame, FloatArray]] = []
        current: Frame | None = frame
        while current is not None and current.T_scope is None:
            if current.visited:
                raise frame.item.error(f"relative_to: poses form a cycle at {shown(current.name)}")
            current.visited = True
            base, T_base = self._find(current.relative_to, current.item)
            chain.append((current, T_base))
            current = base
        T = _IDENTITY if current is None or current.T_scope is None else current.T_scope
        for link_of_chain, T_base in reversed(chain):
            T = T if T_base is _IDENTITY else T @ T_base
            T = T if link_of_chain.T is None else T @ link_of_chain.T
            link_of_chain.T_scope = T
        return T


def _is_reserved(frame: Frame) -> bool:
    return frame.name in (WORLD, MODEL_FRAME)


def _may_share(taken: Frame, frame: Frame) -> bool:
    return frame.item.file.version < (1, 7) and {taken.kind, frame.kind} == {"link", "joint"}


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """A scoped name as model and name in it, the shortest model first."""
    start = name.find(_SEPARATOR)
    for _ in range(MAX_NESTING):
        if start <= 0:
            return
        yield name[:start], name[start + len(_SEPARATOR) :]
        start = name.find(_SEPARATOR, start + 1)
