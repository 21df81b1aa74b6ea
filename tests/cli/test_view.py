"""`kido view`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from _outcome import Outcome
from _processes import interrupted

import kido as library

RUN = """
import json, sys, kido.cli._view as command
from kido.cli import main
class Noted(command.Viewer):
    def __init__(self, what, **options):
        super().__init__(what, **options)
        self.kind = type(what).__name__
    def run(self):
        self.on_frame(self.tell)
        super().run()
        print(json.dumps([self.kind, self.playing, [layer.name for layer in self.layers], self.is_running]))
    def tell(self):
        if not hasattr(self, "told"):
            self.told = print("a frame", flush=True)
command.Viewer = Noted
sys.argv = ["kido", *sys.argv[1:]]
main()
"""


def shown(*arguments: str) -> list:
    """What the command shows, whether it plays, the layers, and whether it still runs after Ctrl-C."""
    _, out = interrupted(RUN, "view", *arguments, "--port", "0", "--no-open", code=130)
    return list(json.loads(out.splitlines()[-1]))


def test_a_robot_stands_and_a_world_plays_until_ctrl_c(tmp_path: Path) -> None:
    kind, playing, layers, running = shown("examples/arm.urdf")
    assert (kind, playing, running) == ("Skeleton", False, False)
    assert "VISUAL" in layers
    world = library.World([library.gallery.ground(), library.gallery.box()])
    library.save(world, tmp_path / "world.sdf")
    kind, playing, layers, _ = shown(str(tmp_path / "world.sdf"), "--collision")
    assert (kind, playing) == ("World", True)
    assert "COLLISION" in layers
    assert "VISUAL" not in layers
    assert shown(str(tmp_path / "world.sdf"), "--no-simulate")[:2] == ["World", False]
    assert shown("examples/arm.urdf", "--simulate")[:2] == ["World", True]


def test_what_cannot_be_read_is_one_line(kido: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = kido("view", tmp_path / "nothing.urdf")
    assert outcome.code == 1
    assert "nothing.urdf" in outcome.text
    assert len(outcome.text.splitlines()) == 1
    outcome = kido("view", "examples/arm.urdf", "--port", "70000")
    assert outcome.code == 1
    assert "port: expected 0 to 65535" in outcome.text
