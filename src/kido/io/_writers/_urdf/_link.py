"""The <link> element."""

from __future__ import annotations

from kido.description import FrameDescription, LinkDescription, Material, ShapePlacement
from kido.io._writers._file_names import FileNames
from kido.io._writers._losses import Losses
from kido.io._writers._names import Names
from kido.io._writers._placement_losses import (
    report_link,
    report_mesh_file,
    report_placement_fields,
    shape_label,
)
from kido.io._writers._pose_text import is_identity, position_angles
from kido.io._writers._xml_text import element, number
from kido.io._xml import Element
from kido.shape import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from kido.typing import FloatArray

__all__ = ["LinkWriter", "write_origin"]

_SHAPES = (Box, Sphere, Cylinder, Capsule, Mesh)


def write_origin(owner: Element, T: FloatArray, losses: Losses, kind: str, name: str | None) -> None:
    """Add <origin> to an element, if the pose (4, 4) is not the identity."""
    if not is_identity(T):
        xyz, rpy = position_angles(T, losses, kind, name)
        element(owner, "origin", xyz=xyz, rpy=rpy)


class LinkWriter:
    """Writes links of one file."""

    def __init__(self, robot: Element, losses: Losses, files: FileNames) -> None:
        self._robot = robot
        self._losses = losses
        self._files = files
        self._materials = Names()
        self._looks: dict[str, Material] = {}

    def write(self, link: LinkDescription) -> None:
        """Add <link>."""
        made = element(self._robot, "link", name=link.name)
        if link.inertia is not None:
            inertial = element(made, "inertial")
            if link.inertia.com.any():
                element(inertial, "origin", xyz=link.inertia.com, rpy=(0.0, 0.0, 0.0))
            element(inertial, "mass", value=link.inertia.mass)
            (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.inertia.moment.tolist()
            element(inertial, "inertia", ixx=xx, ixy=xy, ixz=xz, iyy=yy, iyz=yz, izz=zz)
        for placed in link.visuals:
            self._shape(made, "visual", link, placed)
        for placed in link.collisions:
            self._shape(made, "collision", link, placed)
        report_link(link, self._losses)
        if not link.gravity:
            self._losses.ignored("link", link.name, "that gravity does not act on it")

    def write_frame(self, link: LinkDescription, frame: FrameDescription, name: str, joint: str) -> None:
        """Add a link without mass, `name`, that stands for a frame, and the fixed `joint` that holds it."""
        element(self._robot, "link", name=name)
        made = element(self._robot, "joint", name=joint, type="fixed")
        write_origin(made, frame.origin, self._losses, frame.kind, frame.name)
        element(made, "parent", link=link.name)
        element(made, "child", link=name)
        self._losses.substituted(
            frame.kind,
            frame.name,
            f"a {frame.kind} on a link is written as the empty link {name!r} on the weld {joint!r}",
        )

    def _shape(self, link: Element, tag: str, owner: LinkDescription, placed: ShapePlacement) -> None:
        label = shape_label(owner, placed)
        if not isinstance(placed.shape, _SHAPES):
            self._losses.left_out(tag, label, f"URDF has no {type(placed.shape).__name__.lower()}")
            return
        if not self._files.can_name(placed.shape):
            self._losses.left_out(tag, label, "URDF has no meshes without a file")
            return
        made = element(link, tag, name=placed.name)
        write_origin(made, placed.origin, self._losses, tag, label)
        self._geometry(element(made, "geometry"), placed.shape, label)
        report_placement_fields(owner, placed, tag, self._losses)
        if tag == "visual" and placed.material is not None:
            self._material(made, placed.material)

    def _geometry(self, geometry: Element, shape: Shape, label: str) -> None:
        match shape:
            case Box():
                element(geometry, "box", size=shape.size)
            case Sphere():
                element(geometry, "sphere", radius=shape.radius)
            case Cylinder() | Capsule():
                tag = "cylinder" if isinstance(shape, Cylinder) else "capsule"
                element(geometry, tag, radius=shape.radius, length=shape.length)
            case Mesh():
                scale = None if (shape.scale == 1.0).all() else shape.scale
                file = self._files.mesh(shape)
                report_mesh_file(label, file, self._losses)
                element(geometry, "mesh", filename=file, scale=scale)
                if not shape.convex:
                    self._losses.ignored("mesh", label, "that it touches by its triangles, not its hull")

    def _material(self, visual: Element, material: Material) -> None:
        name = material.name
        if not name:
            name = self._materials.new("material")
            # The name is for readers that ask for one; nothing is lost by it.
        other = self._looks.setdefault(name, material)
        if other != material:
            self._losses.doubted(
                "material", name, "two materials have this name: some readers take the first"
            )
        made = element(visual, "material", name=name)
        if material.texture:
            element(made, "texture", filename=self._files.texture(material.texture))
        if not material.texture or (material.rgba != Material().rgba).any():
            element(made, "color", rgba=" ".join(map(number, material.rgba.tolist())))
