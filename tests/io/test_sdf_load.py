"""SDFormat files as skeletons and worlds that move."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from _sdf_text import joint, link, sdf

import kido
from kido.errors import ModelWarning

STATIC = "<model name='ground'><static>true</static><link name='l'>{}</link></model>"
PLANE = "<collision name='c'><geometry><plane><normal>0 0 1</normal></plane></geometry></collision>"
BOX = """<model name='{name}'><pose>{x} 0 0.6 0 0 0</pose><link name='l'><inertial auto='true'/>
<collision name='c'><geometry><box><size>1 1 1</size></box></geometry>
<surface><contact><collide_bitmask>{bits}</collide_bitmask></contact></surface></collision></link></model>"""


@pytest.fixture(autouse=True)
def quiet() -> object:
    """ModelWarnings are left to the reports."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        yield


def load_world(folder: Path, inside: str) -> kido.World:
    file = folder / "w.world"
    file.write_text(sdf(f"<world name='w'><gravity>0 0 -9.81</gravity>{inside}</world>"))
    return kido.load_world(file)


def test_boxes_rest_on_the_ground_that_their_bits_touch_and_fall_through_where_they_do_not(
    tmp_path: Path,
) -> None:
    boxes = BOX.format(name="box", x=0, bits=1) + BOX.format(name="ghost", x=5, bits=0)
    world = load_world(tmp_path, STATIC.format(PLANE) + boxes)
    for _ in range(500):
        world.step()
    heights = {skeleton.name: skeleton.bodies[0].transform()[2, 3] for skeleton in world.skeletons}
    assert heights["ground"] == 0.0
    assert heights["box"] == pytest.approx(0.5, abs=1e-3)
    assert heights["ghost"] == pytest.approx(0.6 - 9.81 / 2.0 * 0.5**2, abs=5e-3)


def test_a_linkage_stays_closed(tmp_path: Path) -> None:
    axis = "<axis><xyz expressed_in='__model__'>0 0.6 0.8</xyz></axis>"
    places = {"a": "0 0 0", "b": "1 0 0", "c": "1 0.8 -0.6", "d": "0 0.8 -0.6"}
    links = "".join(link(name, f"<pose>{at} 0.3 0 0</pose>") for name, at in places.items())
    pivots = {"ab": "a", "bc": "b", "cd": "c", "ad": "d"}
    hinges = "".join(
        joint(ends, "revolute", *ends, f"<pose relative_to='{at}'/>{axis}") for ends, at in pivots.items()
    )
    anchor = joint("anchor", "fixed", "world", "a")
    model = f"<model name='m'><pose>0 0 1 0.3 0 0</pose>{links}{hinges}{anchor}</model>"
    world = load_world(tmp_path, model)
    (skeleton,), (closure,) = world.skeletons, world.constraints
    for _ in range(500):
        world.step()
    first, second, third = skeleton.positions
    assert first > 0.1
    assert np.allclose([second, third], [-first, first], rtol=0.0, atol=1e-6)
    assert np.abs(world.constraint_error(closure)).max() < 1e-6


def test_a_model_loads_as_a_skeleton_with_frames_limits_and_report(tmp_path: Path) -> None:
    file = tmp_path / "arm.sdf"
    hinge = "<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>3</effort></limit></axis>"
    inside = link("a") + link("b", "<pose>0 0 1 0 0 0</pose>") + joint("j", "revolute", "a", "b", hinge)
    file.write_text(sdf(f"<model name='arm'>{inside}\n<plugin name='p'/></model>"))
    free, fixed = kido.load(file), kido.load(file, root="fixed")
    assert (free.num_dofs, fixed.num_dofs) == (7, 1)
    assert (fixed.dof("j").position_lower_limit, fixed.dof("j").position_upper_limit) == (-1.0, 2.0)
    (found,) = kido.load_report(file).diagnostics
    assert (found.kind, found.line, str(found)) == (
        "ignored",
        3,
        f"{file}:3: <model name='arm'>: plugin: ignored: p",
    )
    with pytest.raises(kido.errors.KidoError, match="plugin"):
        kido.load(file, strict=True)
