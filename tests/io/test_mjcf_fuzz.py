"""Whatever the file holds, reading it gives a scene or one of the documented errors."""

from __future__ import annotations

import copy
import pickle
import tempfile
import warnings
from pathlib import Path

import numpy as np
from _effort import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from kido.description import SceneDescription
from kido.errors import KidoError, ModelWarning
from kido.io import read_mjcf, read_mjcf_string

DATA = Path(__file__).with_name("data")
BYTES = (DATA / "everything.xml").read_bytes()
TREE = etree.fromstring(BYTES)
ELEMENTS = len(list(TREE.iter(etree.Element)))
TAGS = sorted({str(element.tag) for element in TREE.iter(etree.Element)})
NAMES = sorted({str(name) for element in TREE.iter(etree.Element) for name in element.attrib})
VALUES = [
    *(
        "",
        " ",
        "0",
        "-0",
        "-1",
        "1",
        "3",
        "1 2",
        "1 2 3",
        "0 0 0",
        "0 0 0 0",
        "1 2 3 4",
        "a b c",
        "nan",
        "inf",
    ),
    *("1e308", "1e308 1e308 1e308", "-1e308", "1e-320", "1e-320 0 0", "1e999", "1_0", "0x10", "\u0661"),
    *("1e200 1e200 1e200", "1e160 1e-160 0", "1 2 3 4 5 6", "0 0 0 0 0 0", "1e300 0 0 -1e300 0 0"),
    *("torso", "world", "hand", "root", "elbow", "crate", "palm", "imu", "wedge", "hills", "limb", "main"),
    *("free", "ball", "slide", "hinge", "mesh", "hfield", "plane", "box", "sdf", "true", "false", "auto"),
    *(
        "parts/defaults.xml",
        "../a.xml",
        "/",
        "file://%00",
        "é",
        "\u2028",
        "a" * 3000,
        "xYz",
        "global",
        "exact",
    ),
]
EXAMPLES = settings(max_examples=examples(200), deadline=None)


def read_or_refuse(data: bytes | str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            scene = read_mjcf_string(data, directory=DATA) if isinstance(data, str) else read_data(data)
    except (KidoError, OSError):
        return
    assert isinstance(scene, SceneDescription)
    assert pickle.loads(pickle.dumps(scene)) == scene
    for placed in scene.robots:
        for joint in placed.robot.joints:
            assert np.isfinite(joint.T_parent_joint).all()


def read_data(data: bytes) -> SceneDescription:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fuzz.xml"
        file.write_bytes(data)
        return read_mjcf(file, include_roots=[DATA])


@st.composite
def spliced(draw: st.DrawFn) -> bytes:
    """The sample with slices deleted, repeated, moved or overwritten."""
    data = BYTES
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        stop = draw(st.integers(start, min(len(data), start + 60)))
        place = draw(st.integers(0, len(data)))
        insertion = draw(
            st.sampled_from([b"", data[start:stop], b"<", b"&", b'"', b"\x00", b"\xff", b"<!--"])
        )
        kept = data[:start] + data[stop:] if draw(st.booleans()) else data
        data = kept[:place] + insertion + kept[place:]
    return data


@st.composite
def edited(draw: st.DrawFn) -> str:
    """The sample with elements and attributes deleted, repeated, renamed or changed."""
    root = copy.deepcopy(TREE)
    for _ in range(draw(st.integers(1, 5))):
        elements = list(root.iter(etree.Element))
        element = elements[draw(st.integers(0, ELEMENTS - 1)) % len(elements)]
        other = elements[draw(st.integers(0, ELEMENTS - 1)) % len(elements)]
        edit = draw(st.sampled_from(["value", "value", "set", "set", "unset", "delete", "repeat", "rename"]))
        if edit == "rename":
            element.tag = draw(st.sampled_from(TAGS))
        elif edit == "set":
            element.set(draw(st.sampled_from(NAMES)), draw(st.sampled_from(VALUES)))
        elif edit in ("value", "unset") and element.attrib:
            attribute = sorted(element.attrib)[draw(st.integers(0, 5)) % len(element.attrib)]
            if edit == "unset":
                del element.attrib[attribute]
            else:
                element.set(attribute, draw(st.sampled_from(VALUES)))
        elif edit == "repeat":
            other.append(copy.deepcopy(element))
        elif edit == "delete" and element.getparent() is not None:
            element.getparent().remove(element)
    return etree.tostring(root, encoding="unicode")


def test_the_sample_is_sound() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        assert len(read_mjcf(DATA / "everything.xml").robots) == 2


@EXAMPLES
@given(edited())
def test_edited_elements_give_a_scene_or_a_documented_error(text: str) -> None:
    read_or_refuse(text)


@EXAMPLES
@given(spliced())
def test_spliced_bytes_give_a_scene_or_a_documented_error(data: bytes) -> None:
    read_or_refuse(data)


@EXAMPLES
@given(st.text() | st.text().map(lambda text: f"<mujoco><worldbody>{text}</worldbody></mujoco>"))
def test_any_text_gives_a_scene_or_a_documented_error(text: str) -> None:
    read_or_refuse(text)


@EXAMPLES
@given(st.binary())
def test_any_bytes_give_a_scene_or_a_documented_error(data: bytes) -> None:
    read_or_refuse(data)
