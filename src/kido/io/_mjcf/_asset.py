"""The <asset> element: meshes, height fields, materials and textures by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from kido.description import Material
from kido.errors import UnknownNameError
from kido.io._mjcf._compiler import Compiler
from kido.io._mjcf._defaults import Defaults
from kido.io._mjcf._file import MjcfFile
from kido.io._mjcf._height_field import read_height_field
from kido.io._mjcf._mesh import MeshAsset
from kido.io._mjcf._node import Node
from kido.io._xml import Element, shown
from kido.shape import HeightField

__all__ = ["Assets"]

_GREY = (0.5, 0.5, 0.5, 1.0)


class Assets:
    """The assets of a file, read where something needs them.

    An asset of a file is named as the file without its suffix where it says no name.
    """

    def __init__(
        self, file: MjcfFile, root: Element, directory: Path | None, compiler: Compiler, defaults: Defaults
    ) -> None:
        self._file = file
        self._directory = directory
        self._compiler = compiler
        self._nodes: dict[tuple[str, str], Node] = {}
        for element in _elements(root):
            tag = str(element.tag)
            name = element.get("name") or PurePosixPath(element.get("file") or "").stem
            if not name:
                continue
            if (tag, name) in self._nodes:
                raise file.error(element, f"name: two assets of kind {tag} are named {shown(name)}")
            self._nodes[tag, name] = defaults.node(element, tag, None)
        self._meshes: dict[str, MeshAsset] = {}
        self._fields: dict[str, HeightField | None] = {}

    def mesh(self, node: Node) -> MeshAsset:
        """The mesh that a geom names; raises ModelFileError if there is none."""
        name = node.text("mesh")
        if name not in self._meshes:
            asset = self._find(node, "mesh", name)
            self._meshes[name] = MeshAsset(asset, self._path(asset, self._compiler.meshdir))
        return self._meshes[name]

    def height_field(self, node: Node) -> HeightField | None:
        """The height field that a geom names, None where its file cannot be used; raises ModelFileError."""
        name = node.text("hfield")
        if name not in self._fields:
            asset = self._find(node, "hfield", name)
            self._fields[name] = read_height_field(asset, self._path(asset, self._compiler.meshdir))
        return self._fields[name]

    def material(self, node: Node) -> Material | None:
        """Look of a geom: its own color, or its material's; None where it has neither. Raises ModelFileError
        for an unknown one."""
        own = node.numbers("rgba", _GREY)
        name = node.get("material")
        if not name:
            return Material(None, _color(node, own)) if node.has("rgba") else None
        asset = self._find(node, "material", name)
        color = asset.numbers("rgba", (1.0, 1.0, 1.0, 1.0)) if own == _GREY else own
        return Material(name, _color(asset if own == _GREY else node, color), self._texture(asset))

    def model_element(self, node: Node) -> Element:
        """The element of the model that an <attach> names; raises ModelFileError if there is none."""
        return self._find(node, "model", node.text("model")).element

    def _texture(self, material: Node) -> str | None:
        name = material.get("texture")
        texture = self._nodes.get(("texture", name)) if name else None
        if name and texture is None:
            material.note("material", f"no texture named {name[:200]!r} is defined", "texture")
        if texture is None or not texture.get("file"):
            return None
        path = self._path(texture, self._compiler.texturedir)
        return texture.get("file") if path is None else str(path)

    def _find(self, node: Node, kind: str, name: str) -> Node:
        found = self._nodes.get((kind, name))
        if found is None:
            known = [other for tag, other in self._nodes if tag == kind]
            raise node.error(f"{kind}: {UnknownNameError(kind, name, known)}", kind)
        return found

    def _path(self, asset: Node, folder: str) -> Path | None:
        """The existing file of an asset; None if it has none, or it is not found."""
        name = asset.get("file")
        if not name or self._directory is None or "\0" in name + folder:
            return None
        for start in (self._directory / folder, self._directory):
            try:
                if (path := start / name).is_file():
                    return path
            except OSError:
                return None
        return None


def _elements(root: Element) -> Iterator[Element]:
    for assets in root.iterfind("asset"):
        for element in assets:
            if element.tag in ("mesh", "hfield", "texture", "material", "model"):
                yield element


def _color(node: Node, rgba: tuple[float, ...]) -> tuple[float, ...]:
    clipped = tuple(min(max(part, 0.0), 1.0) for part in rgba)
    if clipped != rgba:
        node.note("material", f"rgba: expected numbers in [0, 1], got {rgba}; clipped", "rgba")
    return clipped
