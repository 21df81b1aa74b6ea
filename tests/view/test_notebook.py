"""Skeletons and worlds in a notebook."""

from __future__ import annotations

import base64
import io
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
from _look import RED, block, reddish
from PIL import Image

import kido
from kido.shape import Box, Mesh, Sphere
from kido.view import _vtk


def picture_in(html: str) -> np.ndarray:
    """The pixels of the first picture of a piece of HTML."""
    data = re.search(r'src="data:image/png;base64,([^"]+)"', html).group(1)
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))


def test_a_skeleton_shows_itself_and_its_tables() -> None:
    skeleton = block(Box((1, 1, 1)), rgba=RED)
    image = np.asarray(Image.open(io.BytesIO(skeleton._repr_png_())))
    assert image.shape == (360, 480, 3) and reddish(image).sum() > 5000
    html = skeleton._repr_html_()
    np.testing.assert_array_equal(picture_in(html), image)
    assert "Robot block" in html and "<td" in html


def test_a_world_shows_itself_its_time_and_its_skeletons() -> None:
    ball = block(Sphere(0.3), rgba=RED)
    ball.name = "ball <1>"
    world = kido.World([ball, *(kido.Skeleton(f"empty {i}") for i in range(30))], name="a & b")
    world.step(10)
    html = world._repr_html_()
    assert "World a &amp; b" in html and "0.01 s, 0 contacts" in html and "ball &lt;1&gt;" in html
    assert "and 12 more" in html and html.count("<tr>") == 21
    assert reddish(picture_in(html)).sum() > 1000
    assert reddish(np.asarray(Image.open(io.BytesIO(world._repr_png_())))).any()


def test_a_recording_shows_its_end_and_says_what_it_holds() -> None:
    ball = block(Sphere(0.3), rgba=RED)
    world = kido.World([ball], name="<run>")
    with kido.record(world, rate=100.0) as recording:
        assert "no samples" in recording._repr_html_() or "0 s" in recording._repr_html_()
        world.step(100)
    html = recording._repr_html_()
    assert "11 samples, 0 to 0.1 s" in html and "Recording &lt;run&gt;" in html
    assert reddish(picture_in(html)).sum() > 1000
    assert reddish(np.asarray(Image.open(io.BytesIO(recording._repr_png_())))).any()


def test_without_what_draws_there_are_tables_and_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("kido.view._vtk.import_module", absent)
    _vtk._classes.cache_clear()
    skeleton = block(Box((1, 1, 1)))
    world = kido.World([skeleton])
    assert skeleton._repr_png_() is None and world._repr_png_() is None
    assert "<img" not in skeleton._repr_html_() + world._repr_html_()
    assert "Robot block" in skeleton._repr_html_() and "World world" in world._repr_html_()


def test_missing_meshes_are_no_noise_in_a_notebook() -> None:
    skeleton = block(Mesh(None, "package://lost.stl"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture = skeleton._repr_png_()
    assert picture is not None and picture.startswith(b"\x89PNG")


def test_importing_kido_imports_nothing_that_draws() -> None:
    program = """
import sys, kido
kido.Skeleton()
drawing = {"vtkmodules", "pyvista", "PIL", "viser", "imageio_ffmpeg"}
found = {name.split(".")[0] for name in sys.modules} & drawing
print(sorted(found), "kido.view" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "[] False\n"
