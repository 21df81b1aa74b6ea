"""One MJCF file that is written: its sections, names, what is lost."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kido.description import Attachment, SceneDescription, ShapeReference
from kido.io._writers._file_names import FileNames
from kido.io._writers._losses import Losses
from kido.io._writers._mjcf._categories import Categories
from kido.io._writers._mjcf._rest import Rest
from kido.io._writers._names import Names
from kido.io._writers._xml_text import element, numbers
from kido.io._xml import Element
from kido.math import matrix_to_quaternion
from kido.typing import FloatArray

__all__ = ["Output", "WrittenJoint", "write_pose"]

_UNIT = np.eye(3)


@dataclass(frozen=True)
class WrittenJoint:
    """A joint of the file: `type` free, ball, slide or hinge, of some `dofs` of a joint of the scene.

    Its position is `ratio` times that of the dof; `T_world_body` (4, 4) is where a free body starts [m].
    """

    name: str
    type: str
    owner: str
    joint: str
    dofs: tuple[int, ...]
    ratio: float = 1.0
    T_world_body: FloatArray | None = None


@dataclass(eq=False)
class Output:
    """State that writers of elements share."""

    scene: SceneDescription
    root: Element
    losses: Losses
    files: FileNames
    categories: Categories
    rest: Rest
    bodies: dict[tuple[str, str], str] = field(default_factory=dict)
    elements: dict[str, Element] = field(default_factory=dict)
    geoms: dict[ShapeReference, str] = field(default_factory=dict)
    joints: list[WrittenJoint] = field(default_factory=list)
    names: dict[str, Names] = field(default_factory=dict)
    sites: dict[Element, list[tuple[str, FloatArray]]] = field(default_factory=dict)

    def name(self, kind: str, wanted: str, owner: str = "") -> str:
        """A new name of a kind; where it is taken, one that begins with the owner's, which is reported."""
        names = self.names_of(kind)
        found = names.new(f"{owner}/{wanted}" if owner and names.has(wanted) else wanted)
        if found != wanted:
            self.losses.substituted(kind, wanted, f"named {found!r}: MJCF has names once in the whole file")
        return found

    def names_of(self, kind: str) -> Names:
        """The names of a kind, those that the scene gives constraints among them."""
        if kind not in self.names:
            constraints = [each.name for each in self.scene.constraints] if kind == "constraint" else []
            self.names[kind] = Names(["world"] if kind == "body" else constraints)
        return self.names[kind]

    def section(self, tag: str) -> Element:
        """The section of this tag, made where it is not there yet."""
        found = self.root.find(tag)
        return element(self.root, tag) if found is None else found

    def scalar(self, owner: str, joint: str, dof: int) -> str | None:
        """Name of the hinge or slide that is one dof of a joint; None if it is none."""
        for written in self.joints:
            if (written.owner, written.joint) == (owner, joint) and written.dofs == (dof,):
                return written.name if written.ratio == 1.0 else None
        return None

    def body(self, place: Attachment) -> Element:
        """The element of the body that a frame is on."""
        body = place.body
        return self.elements["world" if body is None else self.bodies[body.owner, body.link]]

    def site(self, place: Attachment, wanted: str) -> str:
        """Name of the site at a frame: one that a link has there, or a new one."""
        body = self.body(place)
        for own, T in self.sites.get(body, ()):
            if np.array_equal(T, place.T_link_frame):
                return own
        name = self.names_of("site").new(wanted)
        made = element(body, "site", name=name)
        write_pose(made, place.T_link_frame)
        on = "the object 'world'" if place.body is None else repr(body.get("name"))
        self.losses.equivalent("site", name, f"made for a frame on {on}")
        return name


def write_pose(made: Element, T: FloatArray) -> None:
    """Add position and quaternion, unless they are those of the identity."""
    if T[:3, 3].any():
        made.set("pos", numbers(T[:3, 3]))
    if (T[:3, :3] != _UNIT).any():
        x, y, z, w = matrix_to_quaternion(T[:3, :3]).tolist()
        made.set("quat", numbers((w, x, y, z)))
