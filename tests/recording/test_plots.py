"""Plots of recordings."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import numpy as np
import pytest
from _worlds import falling
from PIL import Image

import kido
from kido import gallery
from kido.errors import UnknownNameError
from kido.recording._plot import Panel


@pytest.fixture(scope="module")
def run() -> kido.Recording:
    world = falling()
    with kido.record(world, signals={"energy": ("energy", "J")}) as it:
        world.step(200)
        it.mark("half way")
        world.step(300)
    return it


def test_each_unit_has_axes_with_names_and_units(run: kido.Recording) -> None:
    figure = run.plot("positions", "energy", skeleton=None)
    axes = figure.get_axes()
    assert [axis.get_ylabel() for axis in axes] == ["positions [rad]", "positions [m]", "energy [J]"]
    assert axes[-1].get_xlabel() == "time [s]"
    names = [text.get_text() for text in axes[1].get_legend().get_texts()]
    assert "low/low_joint_pos_z" in names and len(names) == 9
    assert "more change less" in axes[0].get_legend().get_title().get_text()
    line = next(line for line in axes[1].get_lines() if line.get_label() == "low/low_joint_pos_z")
    assert np.array_equal(line.get_ydata(), run.positions("low")[:, 5])
    assert np.array_equal(line.get_xdata(), run.times)
    assert "half way" in [text.get_text() for text in axes[0].texts]


def test_a_skeleton_is_drawn_alone(run: kido.Recording) -> None:
    axes = run.plot("velocities", skeleton="low").get_axes()
    assert [axis.get_ylabel() for axis in axes] == ["velocities [rad/s]", "velocities [m/s]"]
    assert {text.get_text() for text in axes[0].get_legend().get_texts()} == {
        f"low_joint_rot_{axis}" for axis in "xyz"
    }
    for arguments, unknown in ((("speed",), {}), (("positions",), {"skeleton": "none"})):
        with pytest.raises(UnknownNameError):
            run.plot(*arguments, **unknown)


def test_angles_and_their_rates_are_drawn_in_degrees(run: kido.Recording) -> None:
    for name, units in (("positions", ["deg", "m"]), ("velocities", ["deg/s", "m/s"]), ("energy", ["J"])):
        axes = run.plot(name, skeleton="low" if name != "energy" else None, degrees=True).get_axes()
        assert [axis.get_ylabel() for axis in axes] == [f"{name} [{unit}]" for unit in units]
    line = run.plot("velocities", skeleton="low", degrees=True).get_axes()[0].get_lines()[0]
    expected = run.series("velocities", "low").column(line.get_label())
    np.testing.assert_allclose(line.get_ydata(), expected * 180.0 / np.pi)
    with pytest.raises(TypeError, match="degrees"):
        run.plot(degrees=1)


def test_pictures_are_written(run: kido.Recording, tmp_path: Path) -> None:
    for name in ("plot.png", "plot.svg", "plot.pdf"):
        run.plot(path=tmp_path / name)
        assert (tmp_path / name).stat().st_size > 5000
    with pytest.raises(ValueError, match="xyz"):
        run.plot("energy", path=tmp_path / "plot.xyz")


def test_a_plot_shows_itself_in_a_notebook(run: kido.Recording) -> None:
    image = Image.open(io.BytesIO(run.plot("energy")._repr_png_()))
    assert image.format == "PNG" and image.width > 600
    again = pickle.loads(pickle.dumps(run.plot("energy")))
    assert again._repr_png_().startswith(b"\x89PNG")


def test_what_touches_nothing_has_empty_axes() -> None:
    world = kido.World([gallery.pendulum()])
    with kido.record(world) as it:
        world.step(40)
    assert it.plot("contact_forces").get_axes()[0].texts[0].get_text() == "nothing"


def test_long_runs_keep_their_peaks(run: kido.Recording) -> None:
    values = np.zeros((50_000, 2))
    values[12_345, 0], values[40_001, 1] = 3.0, -2.0
    from kido.recording import Series

    panel = Panel(Series("x", np.arange(50_000.0), values, ("a", "b"), ("m", "m")), "m")
    assert len(panel.times) < 3000
    assert panel.lines[0][1].max() == 3.0 and panel.lines[1][1].min() == -2.0
    assert panel.times[panel.lines[0][1].argmax()] == 12_345.0
