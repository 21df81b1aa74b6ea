"""The XML formats of models, and files of each that are changed element by element: see test_xml_fuzz.py."""

from __future__ import annotations

import copy
import math
import pickle
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from lxml import etree

from kido.description import RobotDescription, SceneDescription
from kido.errors import KidoError, ModelWarning
from kido.io import (
    read_mjcf,
    read_mjcf_string,
    read_sdf,
    read_sdf_string,
    read_skel,
    read_skel_string,
    read_urdf,
    read_urdf_string,
)

FOLDER = Path(__file__).parent
DATA = FOLDER / "data"
VALUES = (
    *("", " ", "0", "-0", "-1", "1", "1 2", "1 2 3", "0 0 0", "1 2 3 4", "a b c", "nan", "inf", "-inf 0 0"),
    *("1e308", "1e308 1e308 1e308", "-1e308", "1e200", "1e-320", "1e-320 0 0", "1e999", "1_0", "0x10"),
    *("\u0661", "99999999999", "true", "world", "file://%00", "../..", "/", "/dev/zero", "é", "\u2028"),
    "a" * 3000,
)
"""Values that mean something, or nothing, in every format."""


@dataclass(frozen=True)
class XmlFormat:
    """A format: a sound file of it, what reads it, and what its elements are changed to.

    Attributes:
        sample: the file.
        read: reads a file.
        read_text: reads a text.
        frame: text around what stands in a robot or a world, at `{}`.
        edits: how an element is changed; what stands there twice is done twice as often.
        words: values beside `VALUES`.
        attributes: names that "set" gives values to, beside those of the sample.
        unit_axes: by how much the length of an axis may differ from 1, relative.
    """

    sample: Path
    read: Callable[[Path], Any]
    read_text: Callable[[str], Any]
    frame: str
    edits: tuple[str, ...]
    words: tuple[str, ...]
    attributes: tuple[str, ...] = ()
    unit_axes: float = 1e-14

    @cached_property
    def data(self) -> bytes:
        """The bytes of the sample."""
        return self.sample.read_bytes()

    @cached_property
    def root(self) -> Any:
        """The sample's root element, which is not to be changed."""
        return etree.fromstring(self.data)

    @cached_property
    def tags(self) -> list[str]:
        """The tags that stand in the sample."""
        return sorted({str(element.tag) for element in self.root.iter(etree.Element)})

    @cached_property
    def names(self) -> list[str]:
        """The attributes that stand in the sample, and others."""
        found = {str(name) for element in self.root.iter(etree.Element) for name in element.attrib}
        return sorted(found | set(self.attributes))

    def read_or_refuse(self, data: bytes | str) -> None:
        """Read a file or a text; what is not refused has to be a sound robot or scene."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", ModelWarning)
                found = self.read_text(data) if isinstance(data, str) else self._read_bytes(data)
        except (KidoError, OSError):
            return
        assert pickle.loads(pickle.dumps(found)) == found
        for robot in robots_of(found):
            assert len(robot.depth_first_joints()) == len(robot.joints)
            for joint in robot.joints:
                assert np.isfinite(joint.T_parent_joint).all()
                lengths = [math.hypot(*axis) for axis in joint.axes]
                assert all(math.isclose(length, 1.0, rel_tol=self.unit_axes) for length in lengths)

    def _read_bytes(self, data: bytes) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"fuzz{self.sample.suffix}"
            file.write_bytes(data)
            return self.read(file)

    def edited(self, draw: st.DrawFn) -> str:
        """The sample with elements, texts and attributes deleted, repeated, moved, renamed or changed."""
        root = copy.deepcopy(self.root)
        for _ in range(draw(st.integers(1, 5))):
            elements = list(root.iter(etree.Element))
            element, other = (draw(st.sampled_from(range(len(elements)))) for _ in range(2))
            self._edit(draw, elements[element], elements[other])
        return str(etree.tostring(root, encoding="unicode"))

    def _edit(self, draw: st.DrawFn, element: Any, other: Any) -> None:
        edit = draw(st.sampled_from(self.edits))
        values = st.sampled_from((*VALUES, *self.words))
        own = sorted(map(str, element.attrib))
        if edit == "rename":
            element.tag = draw(st.sampled_from(self.tags))
        elif edit == "text":
            element.text = draw(values)
        elif edit == "set":
            element.set(draw(st.sampled_from(self.names)), draw(values))
        elif edit == "value" and own:
            element.set(draw(st.sampled_from(own)), draw(values))
        elif edit == "unset" and own:
            del element.attrib[draw(st.sampled_from(own))]
        elif edit == "repeat":
            other.append(copy.deepcopy(element))
        elif edit == "delete" and element.getparent() is not None:
            element.getparent().remove(element)

    def spliced(self, draw: st.DrawFn) -> bytes:
        """The sample with slices deleted, repeated, moved or overwritten."""
        data = self.data
        for _ in range(draw(st.integers(1, 4))):
            start = draw(st.integers(0, len(data)))
            stop = draw(st.integers(start, min(len(data), start + 60)))
            place = draw(st.integers(0, len(data)))
            tokens = (b"", data[start:stop], b"<", b"&", b'"', b" 1e308 ", b"\x00", b"\xff", b"<!--")
            insertion = draw(st.sampled_from(tokens))
            kept = data[:start] + data[stop:] if draw(st.booleans()) else data
            data = kept[:place] + insertion + kept[place:]
        return data


def robots_of(found: RobotDescription | SceneDescription) -> Iterator[RobotDescription]:
    """The robots of a scene where they stand; a robot by itself."""
    if isinstance(found, RobotDescription):
        yield found
    else:
        yield from (placed.placed() for placed in found.robots)


FORMATS = {
    "urdf": XmlFormat(
        FOLDER / "sample.urdf",
        read_urdf,
        read_urdf_string,
        "<robot name='r'><link name='a'/>{}</robot>",
        ("value", "value", "value", "unset", "delete", "repeat", "rename"),
        (
            *("base", "arm", "slide", "root_joint", "fixed", "floating", "planar", "continuous", "blue"),
            *("${x}", "package://", "package://a/b"),
        ),
    ),
    "sdf": XmlFormat(
        DATA / "sdf" / "sample.sdf",
        read_sdf,
        read_sdf_string,
        "<sdf version='1.9'><model name='m'><link name='a'/>{}</model></sdf>",
        ("text", "text", "value", "set", "unset", "delete", "repeat", "rename"),
        (
            *("base", "arm", "tip", "grip", "spot", "j", "m", "n", "o", "w", "__model__", "n::a", "m::tip"),
            *("::", "a::", "::a", "root_joint", "fixed", "revolute", "ball", "gearbox", "1.4", "1.6", "1.7"),
            *("1.11", "model://", "model://m", "1e308 0 0 1e308 0 0"),
        ),
        ("name", "type", "relative_to", "attached_to", "version", "degrees", "merge", "auto", "x"),
    ),
    "skel": XmlFormat(
        FOLDER / "sample.skel",
        read_skel,
        read_skel_string,
        "<skel><world><skeleton name='r'/>{}</world></skel>",
        ("text", "text", "text", "value", "unset", "delete", "repeat", "rename"),
        (
            *("0 0 0 1 2 3", "1e308 0 0 1e308 0 0", "base", "arm", "link", "root", "free", "weld", "ball"),
            *("screw", "planar", "universal", "translational2d", "mimic", "locked", "zxz", "zx", "FALSE"),
            *("2", "package://", "package://a/b"),
        ),
        unit_axes=1e-12,
    ),
    "mjcf": XmlFormat(
        DATA / "everything.xml",
        lambda file: read_mjcf(file, include_roots=[DATA]),
        lambda text: read_mjcf_string(text, directory=DATA),
        "<mujoco><worldbody>{}</worldbody></mujoco>",
        ("value", "value", "set", "set", "unset", "delete", "repeat", "rename"),
        (
            *("3", "0 0 0 0", "1e200 1e200 1e200", "1e160 1e-160 0", "1 2 3 4 5 6", "0 0 0 0 0 0"),
            *("1e300 0 0 -1e300 0 0", "torso", "hand", "root", "elbow", "crate", "palm", "imu", "wedge"),
            *("hills", "limb", "main", "free", "ball", "slide", "hinge", "mesh", "hfield", "plane", "box"),
            *("sdf", "false", "auto", "parts/defaults.xml", "../a.xml", "xYz", "global", "exact"),
        ),
        unit_axes=1e-12,
    ),
}
