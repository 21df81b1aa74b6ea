"""Whatever the file holds, reading it gives a scene or one of the documented errors."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from pathlib import Path

import numpy as np
from _effort import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from kido.description import SceneDescription
from kido.errors import KidoError, ModelWarning
from kido.io import read_sdf, read_sdf_string

SAMPLE = Path(__file__).parent / "data" / "sdf" / "sample.sdf"
BYTES = SAMPLE.read_bytes()
TREE = etree.fromstring(BYTES)
ELEMENTS = len(list(TREE.iter(etree.Element)))
TAGS = sorted({str(element.tag) for element in TREE.iter(etree.Element)})
VALUES = [
    *("", " ", "0", "-0", "-1", "1", "1 2", "1 2 3", "0 0 0", "1 2 3 4", "a b c", "nan", "inf", "-inf 0 0"),
    *("1e308", "1e308 1e308 1e308", "1e308 0 0 1e308 0 0", "-1e308", "1e-320", "1e999", "1_0", "0x10"),
    *("base", "arm", "tip", "grip", "spot", "j", "m", "n", "o", "w", "world", "__model__", "n::a", "m::tip"),
    *("::", "a::", "::a", "root_joint", "fixed", "revolute", "ball", "gearbox", "true", "1.4", "1.6", "1.7"),
    *("1.11", "model://", "model://m", "file://%00", "../..", "/", "é", "\u2028", "\u0661", "a" * 3000),
]
ATTRIBUTES = ["name", "type", "relative_to", "attached_to", "version", "degrees", "merge", "auto", "x"]
EXAMPLES = settings(max_examples=examples(300), deadline=None)


def read_or_refuse(text: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ModelWarning)
            scene = read_sdf_string(text)
    except (KidoError, OSError):
        return
    assert isinstance(scene, SceneDescription)
    assert pickle.loads(pickle.dumps(scene)) == scene
    for placed in scene.robots:
        robot = placed.robot
        assert len(robot.depth_first_joints()) == len(robot.joints) == len(robot.links)
        for joint in robot.joints:
            assert np.isfinite(joint.T_parent_joint).all()
            assert all(math.isclose(math.hypot(*axis), 1.0, rel_tol=1e-14) for axis in joint.axes)


@st.composite
def spliced(draw: st.DrawFn) -> str:
    """The sample with slices deleted, repeated, moved or overwritten."""
    data = BYTES
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        stop = draw(st.integers(start, min(len(data), start + 60)))
        place = draw(st.integers(0, len(data)))
        insertion = draw(st.sampled_from([b"", data[start:stop], b"<", b"&", b'"', b" 1e308 ", b"<!--"]))
        kept = data[:start] + data[stop:] if draw(st.booleans()) else data
        data = kept[:place] + insertion + kept[place:]
    return data.decode("utf-8", "replace")


@st.composite
def edited(draw: st.DrawFn) -> str:
    """The sample with elements, texts and attributes deleted, repeated, moved, renamed or changed."""
    root = copy.deepcopy(TREE)
    for _ in range(draw(st.integers(1, 5))):
        elements = list(root.iter(etree.Element))
        element = elements[draw(st.integers(0, ELEMENTS - 1)) % len(elements)]
        other = elements[draw(st.integers(0, ELEMENTS - 1)) % len(elements)]
        edit = draw(
            st.sampled_from(["text", "text", "value", "value", "unset", "delete", "repeat", "rename"])
        )
        if edit == "rename":
            element.tag = draw(st.sampled_from(TAGS))
        elif edit == "text":
            element.text = draw(st.sampled_from(VALUES))
        elif edit == "value":
            known = sorted(map(str, element.attrib)) or ATTRIBUTES
            element.set(draw(st.sampled_from([*known, *ATTRIBUTES])), draw(st.sampled_from(VALUES)))
        elif edit == "unset" and element.attrib:
            del element.attrib[sorted(element.attrib)[draw(st.integers(0, 5)) % len(element.attrib)]]
        elif edit == "repeat":
            other.append(copy.deepcopy(element))
        elif edit == "delete" and element.getparent() is not None:
            element.getparent().remove(element)
    return etree.tostring(root, encoding="unicode")


def test_the_sample_is_sound() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        scene = read_sdf(SAMPLE)
    assert [len(one.robot.links) for one in scene.robots] == [5]
    assert len(scene.constraints) == 2


@EXAMPLES
@given(edited())
def test_edited_elements_give_a_scene_or_a_documented_error(text: str) -> None:
    read_or_refuse(text)


@EXAMPLES
@given(spliced())
def test_spliced_bytes_give_a_scene_or_a_documented_error(text: str) -> None:
    read_or_refuse(text)


@EXAMPLES
@given(
    st.text()
    | st.text().map(lambda text: f"<sdf version='1.9'><model name='m'><link name='a'/>{text}</model></sdf>")
)
def test_any_text_gives_a_scene_or_a_documented_error(text: str) -> None:
    read_or_refuse(text)
