"""The <compiler> element: how the rest of a file is to be understood."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kido.errors import ModelFileError
from kido.io._mjcf._file import MjcfFile
from kido.io._mjcf._node import Node
from kido.io._xml import Element

__all__ = ["Compiler", "read_compiler"]

_LAST_GROUP = 5


@dataclass(frozen=True, slots=True)
class Compiler:
    """Settings of the compiler: units, folders, and what becomes of masses.

    Masses in [kg], inertia in [kg m^2]; `settotalmass` None: masses are as they are.
    """

    degrees: bool = True
    eulerseq: str = "xyz"
    meshdir: str = ""
    texturedir: str = ""
    autolimits: bool = True
    inertiafromgeom: str = "auto"
    inertiagrouprange: tuple[int, int] = (0, _LAST_GROUP)
    balanceinertia: bool = False
    boundmass: float = 0.0
    boundinertia: float = 0.0
    fitaabb: bool = False
    settotalmass: float | None = None

    def radians(self, angle: float) -> float:
        """An angle of the file [rad]."""
        return math.radians(angle) if self.degrees else angle


def read_compiler(file: MjcfFile, root: Element) -> Compiler:
    """Settings of all <compiler> elements of a file, of which later ones override; raises ModelFileError."""
    values: dict[str, tuple[str, Element]] = {}
    for element in root.iterfind("compiler"):
        values |= {str(name): (str(text), element) for name, text in element.attrib.items()}
    node = Node(file, root, values)
    if node.choice("coordinate", ("local", "global"), "local") == "global":
        advice = "save it with MuJoCo 2.3.3 or older, which writes local ones"
        raise node.error(f"coordinate: global coordinates are not supported; {advice}", "coordinate")
    folder = node.get("assetdir") or ""
    total = node.number("settotalmass", -1.0)
    return Compiler(
        degrees=node.choice("angle", ("degree", "radian"), "degree") == "degree",
        eulerseq=_eulerseq(node),
        meshdir=node.get("meshdir") or folder,
        texturedir=node.get("texturedir") or folder,
        autolimits=node.flag("autolimits", True),
        inertiafromgeom=node.choice("inertiafromgeom", ("true", "false", "auto"), "auto"),
        inertiagrouprange=_groups(node),
        balanceinertia=node.flag("balanceinertia", False),
        boundmass=_not_negative(node, "boundmass"),
        boundinertia=_not_negative(node, "boundinertia"),
        fitaabb=node.flag("fitaabb", False),
        settotalmass=total if total > 0.0 else None,
    )


def _eulerseq(node: Node) -> str:
    sequence = node.get("eulerseq") or "xyz"
    if len(sequence) != 3 or not set(sequence) <= set("xyzXYZ"):
        raise _wrong(node, "eulerseq", "three letters of xyzXYZ", repr(sequence[:20]))
    return sequence


def _groups(node: Node) -> tuple[int, int]:
    first, last = node.numbers("inertiagrouprange", (0.0, float(_LAST_GROUP)))
    return int(first), int(last)


def _not_negative(node: Node, attribute: str) -> float:
    value = node.number(attribute, 0.0)
    if value < 0.0:
        raise _wrong(node, attribute, "no negative number", f"{value:g}")
    return value


def _wrong(node: Node, attribute: str, expected: str, got: str) -> ModelFileError:
    return node.error(f"{attribute}: expected {expected}, got {got}", attribute)
