"""Whatever a model file holds, reading it gives a robot or a scene, or one of the documented errors."""

from __future__ import annotations

import warnings

import pytest
from _effort import examples
from _xml_formats import FORMATS, robots_of
from hypothesis import given, settings
from hypothesis import strategies as st

from kido.errors import ModelWarning

EXAMPLES = settings(max_examples=examples(150), deadline=None)
every_format = pytest.mark.parametrize("name", FORMATS)
JOINTS = {"urdf": [5], "sdf": [5], "skel": [4, 1], "mjcf": [6, 1]}
"""Of each robot of a sample."""


@every_format
def test_the_sample_is_sound(name: str) -> None:
    one = FORMATS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        found = list(robots_of(one.read(one.sample)))
    assert [len(robot.joints) for robot in found] == JOINTS[name]
    one.read_or_refuse(one.data)


@every_format
@EXAMPLES
@given(st.data())
def test_edited_elements_give_a_model_or_a_documented_error(name: str, data: st.DataObject) -> None:
    one = FORMATS[name]
    one.read_or_refuse(data.draw(st.composite(one.edited)()))


@every_format
@EXAMPLES
@given(st.data())
def test_spliced_bytes_give_a_model_or_a_documented_error(name: str, data: st.DataObject) -> None:
    one = FORMATS[name]
    one.read_or_refuse(data.draw(st.composite(one.spliced)()))


@every_format
@EXAMPLES
@given(st.text(), st.booleans())
def test_any_text_gives_a_model_or_a_documented_error(name: str, text: str, framed: bool) -> None:
    one = FORMATS[name]
    one.read_or_refuse(one.frame.format(text) if framed else text)


@every_format
@EXAMPLES
@given(st.binary())
def test_any_bytes_give_a_model_or_a_documented_error(name: str, data: bytes) -> None:
    FORMATS[name].read_or_refuse(data)
