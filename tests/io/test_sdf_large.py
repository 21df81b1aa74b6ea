"""SDFormat files of thousands of parts, and hostile ones: bounded time and memory, short messages."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from _sdf_text import joint, link, notes, read, read_model, sdf

import kido
from kido.errors import ModelFileError
from kido.io import read_sdf, read_sdf_string

COUNT = 1500
AXIS = "<axis><xyz>0 0 1</xyz></axis>"


def test_a_chain_deeper_than_the_stack_loads_and_answers() -> None:
    links = [link("l0")]
    links += [link(f"l{i}", f"<pose relative_to='l{i - 1}'>0.1 0 0 0 0 0</pose>") for i in range(1, COUNT)]
    joints = [joint(f"j{i}", "continuous", f"l{i - 1}", f"l{i}", AXIS) for i in range(1, COUNT)]
    skeleton = kido.Skeleton.from_description(read_model("".join((*reversed(links), *joints))))
    tip = skeleton.body(f"l{COUNT - 1}").transform()
    assert tip[0, 3] == pytest.approx(0.1 * (COUNT - 1), rel=1e-12)


def test_a_circle_of_thousands_of_links_is_cut_once() -> None:
    ring = [joint(f"j{i}", "revolute", f"l{i}", f"l{(i + 1) % COUNT}", AXIS) for i in range(COUNT)]
    text = "".join((*(link(f"l{i}") for i in range(COUNT)), *ring))
    scene = read(f"<model name='m'>{text}</model>")
    assert [one.name for one in scene.constraints] == [f"m::j{COUNT - 1}"]


def test_thousands_of_joints_of_one_link_close_loops() -> None:
    text = link("a") + link("b") + "".join(joint(f"j{i}", "ball", "a", "b") for i in range(COUNT))
    assert len(read(f"<model name='m'>{text}</model>").constraints) == COUNT - 1


def test_of_very_many_diagnostics_the_number_is_told() -> None:
    robot = read(f"<model name='m'>{link('a', '<x/>' * 12_000)}</model>")
    assert len(robot.robots[0].robot.diagnostics) == 10_000
    assert notes(robot) == ["2000 more diagnostics are not listed"]


def test_options_of_sensors_are_bounded() -> None:
    many = link("a", f"<sensor name='s' type='t'>{'<x>1</x>' * 2000}</sensor>")
    deep = "<y>" * 200 + "1" + "</y>" * 200
    other = link("b", f"<sensor name='s' type='t'>{deep}</sensor>")
    scene = read(f"<model name='m'>{many}{other}</model>")
    assert [len(one.options) for one in scene.sensors] == [1000, 0]
    found = notes(scene.robots[0].robot)
    assert "more than 1000 elements" in found[0]
    assert "a path of more than 200 characters" in found[1]


def test_long_values_and_names_are_quoted_by_their_beginning() -> None:
    long = "a" * 100_000
    for text in (
        link(long, "<pose>x</pose>"),
        link("a", f"<pose>{long}</pose>"),
        link("a", f"<pose relative_to='{long}'/>"),
        link("a") + joint("j", long, "a", "b"),
        link("a") + joint("j", "fixed", "a", "::".join([long] * 3)),
        f"<include><uri>{long}</uri></include><frame name='f' attached_to='{long}'/>",
    ):
        with pytest.raises(ModelFileError) as caught:
            read_model(text)
        assert len(str(caught.value)) < 1000


def test_names_of_models_around_are_bounded() -> None:
    inner = f"<model name='{'a' * 1000}'>{link('b')}</model>"
    with pytest.raises(
        ModelFileError, match="expected names of at most 1000 characters, with all models around"
    ):
        read_model(inner)


def test_scoped_names_of_very_many_parts_are_refused_at_once() -> None:
    start = time.process_time()
    with pytest.raises(ModelFileError, match="no frame named"):
        read_model(link("a") + f"<frame name='f' attached_to='{'b::' * 1_000_000}'/>")
    assert time.process_time() - start < 5.0


BOMB = "<!DOCTYPE r [<!ENTITY a0 'lol'>" + "".join(
    f"<!ENTITY a{i} '{f'&a{i - 1};' * 10}'>" for i in range(1, 12)
)


def test_entities_and_deep_nesting_are_refused_at_once(tmp_path: Path) -> None:
    start = time.process_time()
    (tmp_path / "bomb.sdf").write_text(
        f"{BOMB}]>" + sdf("<model name='m'><link name='a'>&a11;</link></model>")
    )
    outer = sdf("<world name='w'><include><uri>bomb.sdf</uri></include></world>")
    for text in (outer, "<sdf version='1.9'>" + "<model name='m'>" * 100_000):
        with pytest.raises(ModelFileError, match=r"document type|not well-formed XML"):
            read_sdf_string(text, directory=tmp_path)
    assert time.process_time() - start < 5.0


def test_files_that_are_too_large_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "large.sdf"
    file.write_text(sdf(f"<model name='m'>{link('a')}</model>"))
    with pytest.raises(ModelFileError, match="max_bytes lets larger ones be read"):
        read_sdf(file, max_bytes=100)


@pytest.mark.parametrize("data", [b"", b" \n", b"solid stl", b"\x00\x01", b"<sdf version='1.9'>\n<model"])
def test_what_is_no_xml_is_refused(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "broken.sdf"
    file.write_bytes(data)
    with pytest.raises(ModelFileError, match=r"broken\.sdf(:\d+)?: (the file is empty|not well-formed XML)"):
        read_sdf(file)


def test_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(ModelFileError, match="not text"):
        read_sdf_string("<sdf version='\ud800'/>")
