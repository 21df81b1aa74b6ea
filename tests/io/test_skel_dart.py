"""SKEL files as DART's own reader has them, and where that reader is wrong."""

from __future__ import annotations

import warnings
from pathlib import Path

import dartpy as dart
import numpy as np
import pytest
from _dart_skel import dart_world, disagreements
from _skel import FREE, read_link, read_robot, visual

from kido.description import SceneDescription
from kido.errors import ModelWarning
from kido.io import read_skel

DATA = Path(__file__).with_name("data")


def read(path: Path) -> SceneDescription:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return read_skel(path)


@pytest.mark.parametrize("name", ["joints", "shapes"])
def test_all_that_dart_reads_rightly_is_the_same(name: str) -> None:
    path = DATA / f"{name}.skel"
    scene = read(path)
    assert list(disagreements(scene, dart_world(path))) == []
    assert scene.initial_state == ("initial" if name == "joints" else None)


def dart_body(inside: str, joint: str = FREE) -> object:
    text = f"<skel><world><skeleton name='r'><body name='a'>{inside}</body>{joint}</skeleton></world></skel>"
    return dart.utils.SkelParser.readWorldXML(text).getSkeleton(0).getBodyNode(0)


def is_one_of(theirs: object, wrong: object, right: object) -> bool:
    """Whether DART's numbers are those of 6.20.0, or what a later one may have mended."""
    return any(np.allclose(theirs, each, rtol=1e-12, atol=1e-15) for each in (wrong, right))  # type: ignore[arg-type]


def test_dart_leaves_the_axes_of_universal_joints_as_long_as_they_are() -> None:
    """Its rotation about an axis of length 2 is none; kido takes the direction."""
    joint = """<joint type='universal' name='j'><parent>world</parent><child>a</child>
               <axis><xyz>2 0 0</xyz></axis><axis2><xyz>0 3 4</xyz></axis2></joint>"""
    theirs = dart_body("", joint).getParentJoint()  # type: ignore[attr-defined]
    assert is_one_of(theirs.getAxis1(), [2.0, 0.0, 0.0], [1.0, 0.0, 0.0])
    ours = read_robot(f"<body name='a'/>{joint}").joint("j")
    assert np.allclose(ours.axes, [[1.0, 0.0, 0.0], [0.0, 0.6, 0.8]], rtol=0, atol=1e-15)


MASS = "<inertia><mass>2.0</mass></inertia>"


def test_dart_takes_the_moment_of_a_cone_about_its_base() -> None:
    """A cone of radius r and height h has m (3 r^2 / 20 + 3 h^2 / 80) about its center of mass, a quarter of
    its height above the base; the body has its own at the origin, halfway up."""
    cone = MASS + visual("<cone><radius>0.1</radius><height>0.4</height></cone>")
    theirs = dart_body(cone).getInertia().getMoment()  # type: ignore[attr-defined]
    inertia = read_link(cone).inertia
    assert inertia is not None
    across = 2.0 * (3 * 0.01 / 20 + 3 * 0.16 / 80 + 0.1**2)
    assert np.allclose(inertia.moment, np.diag([across, across, 2.0 * 0.003]), rtol=1e-14, atol=0)
    base = 2.0 * (3 * 0.01 / 20 + 0.16 / 10)
    assert is_one_of(theirs, np.diag([base, base, 2.0 * 0.003]), inertia.moment)


def test_dart_gives_a_plane_the_volume_of_a_cubic_meter() -> None:
    box = visual("<box><size>0.1 0.2 0.3</size></box>")
    both = MASS + visual("<plane><normal>0 0 1</normal><offset>0</offset></plane>") + box
    theirs = dart_body(both).getInertia().getMoment()  # type: ignore[attr-defined]
    ours = read_link(both).inertia
    alone = read_link(MASS + box).inertia
    assert ours == alone and alone is not None
    assert is_one_of(theirs, alone.moment * (0.006 / 1.006), alone.moment)


def test_dart_puts_the_box_around_spheres_at_the_origin_of_their_frame() -> None:
    spheres = "".join(
        f"<sphere><radius>{r}</radius><position>{x} 0 0</position></sphere>"
        for r, x in ((0.1, 0.0), (0.2, 0.5))
    )
    text = MASS + visual(f"<multi_sphere>{spheres}</multi_sphere>")
    theirs = dart_body(text).getInertia().getMoment()  # type: ignore[attr-defined]
    ours = read_link(text).inertia
    assert ours is not None
    box = 2.0 / 12.0 * np.array([0.4**2 + 0.4**2, 0.8**2 + 0.4**2, 0.8**2 + 0.4**2])
    assert is_one_of(theirs, np.diag(box), ours.moment)
    assert np.allclose(np.diag(ours.moment) - box, [0.0, 2 * 0.3**2, 2 * 0.3**2], rtol=0, atol=1e-15)


def test_dart_loses_markers_of_soft_bodies_and_screws_with_all_that_follows() -> None:
    marker = "<marker name='m'><offset>0.1 0.2 0.3</offset></marker>"
    geometry = (
        "<geometry><sphere><radius>1</radius><num_slices>4</num_slices><num_stacks>4</num_stacks></sphere>"
    )
    soft = f"<soft_shape><total_mass>1</total_mass>{geometry}</geometry></soft_shape>"
    assert dart_body(marker).getNumMarkers() == 1  # type: ignore[attr-defined]
    assert dart_body(marker + soft).getNumMarkers() in (0, 1)  # type: ignore[attr-defined]
    assert [frame.name for frame in read_link(marker + soft).frames] == ["m"]
    screw = """<joint type='screw' name='j'><parent>world</parent><child>a</child>
               <axis><xyz>0 0 2</xyz><pitch>0.3</pitch></axis></joint>"""
    joint = read_robot(f"<body name='a'/>{screw}").joint("j")
    assert (joint.pitch, joint.axes.tolist()) == (0.3, [[0.0, 0.0, 1.0]])
