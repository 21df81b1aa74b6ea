"""kido: the module of the tool, its default settings."""

from __future__ import annotations

from pathlib import Path

import kido
from _ik._arms import TOOL, Arm
from _ik._solver import FloatArray, Search, Solver


class Kido(Solver):
    """The target is set and `solve` called; the start is the skeleton's positions, set where they change."""

    name = library = "kido"

    def __init__(self, arm: Arm, folder: Path) -> None:
        self.skeleton = kido.load(arm.path)

    def module(self, settings: kido.SearchSettings) -> kido.InverseKinematics:
        """The module of the tool of a skeleton of its own."""
        module = kido.InverseKinematics.of(self.skeleton.clone().body(TOOL))
        module.settings = settings
        return module

    def single(self) -> Search:
        """With one start."""
        return _search(self.module(kido.SearchSettings(max_starts=1)))

    def complete(self) -> Search:
        """With the settings' own number of starts."""
        return _search(self.module(kido.SearchSettings()))


def _search(module: kido.InverseKinematics) -> Search:
    begun: list[FloatArray | None] = [None]

    def run(target: FloatArray, start: FloatArray) -> FloatArray:
        if start is not begun[0]:
            module.positions = begun[0] = start
        module.target.set_transform(target)
        return module.solve().positions

    return run
