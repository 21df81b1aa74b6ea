"""Bad input to `render` and its messages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from _look import block

import kido
from kido.shape import Sphere

REFUSED = {
    "no skeleton": ({"what": 3}, TypeError, "what: expected a Skeleton or several, or a World, got int"),
    "a body": (
        {"what": ["robot"]},
        TypeError,
        "what: expected a Skeleton or several, or a World, got str among them",
    ),
    "a JPEG": (
        {"path": "robot.jpg"},
        ValueError,
        "path: expected a name that ends in .png, .mp4 or .gif, got 'robot.jpg'",
    ),
    "time of a picture": ({"duration": 1.0}, ValueError, "duration: expected None for a picture"),
    "no folder": ({"path": "/no/such/robot.png"}, FileNotFoundError, "path: there is no folder '/no/such'"),
    "one size": (
        {"size": 300},
        TypeError,
        r"size: expected two integers \(width, height\) \[pixel\], got 300",
    ),
    "three sizes": ({"size": (3, 4, 5)}, ValueError, "size: expected two integers"),
    "half a pixel": ({"size": (100.5, 100)}, TypeError, "size: expected two integers"),
    "too small": ({"size": (0, 100)}, ValueError, r"size: expected 16 to 8192 \[pixel\], got \(0, 100\)"),
    "too large": ({"size": (100, 10_000)}, ValueError, "size: expected 16 to 8192"),
    "unknown view": ({"camera": "below"}, ValueError, "camera: expected 'iso', 'front', 'back', 'left', "),
    "unknown layer": ({"show": ["colour"]}, ValueError, "show: expected one of visual, collision"),
    "two vectors": (
        {"camera": ((1, 0, 0), (0, 0, 0))},
        ValueError,
        r"camera: expected a name, an Orbit or \(position, ",
    ),
    "flat position": (
        {"camera": ((1, 0), (0, 0, 0), (0, 0, 1))},
        ValueError,
        r"camera position: expected shape \(3,\)",
    ),
    "NaN": ({"camera": ((1, 0, 0), (0, 0, np.nan), (0, 0, 1))}, ValueError, "camera target: expected finite"),
    "no view": (
        {"camera": ((1, 0, 0), (1, 0, 0), (0, 0, 1))},
        ValueError,
        "camera target: expected another place",
    ),
    "up ahead": (
        {"camera": ((1, 0, 0), (0, 0, 0), (2, 0, 0))},
        ValueError,
        "camera up: expected a direction across",
    ),
    "no up": (
        {"camera": ((1, 0, 0), (0, 0, 0), (0, 0, 0))},
        ValueError,
        "camera up: expected a direction across",
    ),
    "frame names": (
        {"frames": ["hand"]},
        TypeError,
        "frames: expected True, False or frames, got str among them",
    ),
    "frame number": ({"frames": 2}, TypeError, "frames: expected True, False or frames, got int"),
    "flat line": (
        {"trajectories": [np.zeros((4, 2))]},
        ValueError,
        r"trajectories\[0\]: expected shape \(n, 3\) \[m\]",
    ),
    "one line": (
        {"trajectories": np.zeros((4, 3))},
        ValueError,
        r"trajectories\[0\]: expected shape \(n, 3\) \[m\]",
    ),
    "no points": (
        {"trajectories": [np.zeros((0, 3))]},
        ValueError,
        r"trajectories\[0\]: expected at least one point",
    ),
    "NaN line": (
        {"trajectories": [[(0, 0, np.nan)]]},
        ValueError,
        r"trajectories\[0\]: expected finite numbers",
    ),
    "no lines": ({"trajectories": 5}, TypeError, r"trajectories: expected several arrays \(k, 3\), got int"),
    "unknown color": (
        {"background": "whiteish"},
        ValueError,
        "background: expected a color's name or '#rrggbb'",
    ),
    "bright color": ({"background": (1, 2, 3)}, ValueError, r"background: expected numbers in \[0, 1\]"),
    "floor name": ({"ground": "low"}, TypeError, r"ground: expected numbers of shape \(\) \[m\], got 'low'"),
    "floor NaN": ({"ground": np.nan}, ValueError, r"ground: expected finite numbers \[m\]"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_with_its_name(name: str) -> None:
    options, error, message = REFUSED[name]
    arguments = {"what": block(Sphere(0.1)), "size": (32, 32), **options}
    with pytest.raises(error, match=message):
        kido.render(**arguments)


def test_nothing_is_written_where_input_is_bad(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="camera"):
        kido.render(block(Sphere(0.1)), tmp_path / "ball.png", size=(32, 32), camera="below")
    assert not list(tmp_path.iterdir())


def test_numpy_integers_and_one_frame_are_taken() -> None:
    ball = block(Sphere(0.1))
    image = kido.render(ball, size=np.array([40, 30]), frames=ball.bodies[0])
    assert image.shape == (30, 40, 3)


@pytest.mark.parametrize("show", [kido.render, kido.Viewer])
def test_a_tree_is_told_to_be_loaded_as_a_skeleton(show: Callable[[object], object]) -> None:
    with pytest.raises(TypeError, match=r"^what: .*got a Tree, which has neither .*kido\.load"):
        show(kido.load_tree("examples/arm.urdf"))
