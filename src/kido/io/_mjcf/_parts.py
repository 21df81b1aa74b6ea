"""Results of the named elements of a model: links, joints, shapes and frames of robots and objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

import numpy as np

from kido.description import Attachment, JointReference, LinkReference, ShapeReference
from kido.errors import UnknownNameError
from kido.io._mjcf._body import Body, Placed
from kido.io._mjcf._context import Context
from kido.io._mjcf._geom import Geom
from kido.io._mjcf._node import Node
from kido.typing import FloatArray

__all__ = ["JointPart", "Parts", "SitePart"]

WORLD = "world"
_MOST_COMPARED = 1000
"""Names that an unknown one is compared with."""

P = TypeVar("P")


@dataclass(frozen=True, slots=True, eq=False)
class JointPart:
    """A joint: free, ball, slide or hinge, and its position at rest [rad or m]."""

    reference: JointReference
    placed: Placed
    kind: str
    at_rest: float
    body: Body


@dataclass(frozen=True, slots=True, eq=False)
class SitePart:
    """A site or camera: its body, and its pose there (4, 4)."""

    body: Body
    T_body_site: FloatArray
    node: Node | None = None


@dataclass(eq=False, slots=True)
class Parts:
    """Parts of the whole model by their names; `joints` in the order of their positions in keyframes.

    `incomplete` says that parts may be missing, for something that makes some is left out. `copies` are the
    ends that names of parts that were copied have got.
    """

    bodies: dict[str, Body] = field(default_factory=dict)
    links: dict[str, LinkReference] = field(default_factory=dict)
    joints: list[JointPart] = field(default_factory=list)
    named_joints: dict[str, JointPart] = field(default_factory=dict)
    geoms: dict[str, tuple[Body, Geom]] = field(default_factory=dict)
    shapes: dict[str, ShapeReference] = field(default_factory=dict)
    sites: dict[str, SitePart] = field(default_factory=dict)
    cameras: dict[str, SitePart] = field(default_factory=dict)
    coms: dict[str, FloatArray] = field(default_factory=dict)
    incomplete: bool = False
    copies: dict[str, list[str]] = field(default_factory=dict)

    def find(
        self, kind: str, parts: Mapping[str, P], node: Node, attribute: str, context: Context
    ) -> P | None:
        """The part that an attribute names. None, with a diagnostic, if it may be in what is left out.

        Raises ModelFileError if there is no such part.
        """
        name = context.prefix + node.text(attribute)
        found = parts.get(name + node.suffix, parts.get(name))
        if found is not None:
            return found
        if context.prefix:
            return None  # of an attached model a part may be left
        shown = name[:200]
        if self.incomplete:
            node.note("ignored", f"left out: {attribute} names no {kind} {shown!r}, or one that is left out")
            return None
        known = list(islice(parts, _MOST_COMPARED))
        raise node.error(f"{attribute}: {UnknownNameError(kind, name, known)}", attribute)

    def attachment(self, body: Body, T_body_frame: FloatArray | None = None) -> Attachment:
        """A frame on a body, or in the world."""
        pose = np.eye(4) if T_body_frame is None else T_body_frame
        if body.parent is None:
            return Attachment(T_link_frame=pose)
        return Attachment.on(self.links[body.name], pose)
