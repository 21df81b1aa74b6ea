"""Model files of the commands."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kido import load_report
from kido.description import RobotDescription, SceneDescription
from kido.errors import ModelWarning
from kido.io import LoadReport, read, read_scene

__all__ = ["ModelFile"]


@dataclass(frozen=True)
class ModelFile:
    """A file, and what its reader is told.

    Attributes:
        path: of the file.
        robot: name of the one that is meant; None: the only one, or all.
        root: "free" or "fixed", where the format asks; None: as the reader has it.
        packages: folders of packages by name.
    """

    path: Path
    robot: str | None = None
    root: str | None = None
    packages: dict[str, Path] | None = None

    @property
    def _options(self) -> dict[str, Any]:
        root = {} if self.root is None else {"root": self.root}
        return root | ({"packages": self.packages} if self.packages else {})

    def one_robot(self) -> RobotDescription:
        """The robot that is meant. Raises as `kido.io.read`."""
        with _quiet():
            return read(self.path, robot=self.robot, **self._options)

    def scene(self) -> SceneDescription:
        """All that the file holds. Raises as `kido.io.read_scene`."""
        with _quiet():
            return read_scene(self.path, **self._options)

    def report(self) -> LoadReport:
        """What of the file kido does not honour. Raises as `kido.load_report`."""
        with _quiet():
            return load_report(self.path, robot=self.robot, **self._options)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the warnings whose details are shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        yield
