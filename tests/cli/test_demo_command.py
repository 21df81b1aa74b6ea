"""`kido demo`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _outcome import Outcome
from _processes import interrupted
from PIL import Image

from kido.tour import SCENES

Run = Callable[..., Outcome]

SERVE = """
import sys, kido.tour._tour as tour
from kido.cli import main
class Noted(tour.Viewer):
    def update(self):
        super().update()
        if not hasattr(self, "told"):
            self.told = print("playing", [skeleton.name for skeleton in self.skeletons], flush=True)
tour.Viewer = Noted
sys.argv = ["kido", *sys.argv[1:]]
main()
"""


def test_scenes_are_listed(kido: Run) -> None:
    outcome = kido("demo", "--list")
    assert outcome.code == 0
    for scene in SCENES:
        assert f"{scene.name} " in outcome.text
        assert scene.title in outcome.text
    told = json.loads(kido("demo", "--list", "--json").text)
    assert [(one["name"], one["title"], one["text"]) for one in told] == [
        (scene.name, scene.title, scene.text) for scene in SCENES
    ]


def test_without_a_display_a_scene_becomes_a_picture(kido: Run, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "pictures"
    options = ("--headless", "-o", folder, "--scene", "newtons_cradle", "--size", "320x240")
    outcome = kido("demo", *options)
    assert outcome.code == 0
    assert outcome.text.splitlines()[-1] == str(folder / "newtons_cradle.png")
    image = np.asarray(Image.open(folder / "newtons_cradle.png").convert("RGB"))
    assert image.shape == (240, 320, 3)
    assert np.ptp(image) > 100
    assert [path.name for path in folder.iterdir()] == ["newtons_cradle.png"]
    told = json.loads(kido("demo", *options, "--json").text)
    assert told == {"newtons_cradle": str(folder / "newtons_cradle.png")}


def test_the_page_opens_with_the_scene_that_was_asked_for_until_ctrl_c() -> None:
    _, out = interrupted(SERVE, "demo", "--scene", "cart_pole", "--port", "0", "--no-open", code=130)
    assert "cart_pole" in out


def test_what_makes_no_sense_is_one_line(kido: Run) -> None:
    for options, words in (
        (("--scene", "cradle"), "newtons_cradle"),
        (("--headless", "--size", "big"), "--size: expected WIDTHxHEIGHT"),
        (("--json",), "--json: expected with --list or --headless"),
        (("--port", "70000"), "port: expected 0 to 65535"),
    ):
        outcome = kido("demo", *options)
        assert outcome.code == 1
        assert words in outcome.text
        assert len(outcome.text.splitlines()) == 1
