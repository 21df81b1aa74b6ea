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

__all__ = ["ModelFile", "is_recording"]

_HDF5 = b"\x89HDF\r\n\x1a\n"


_OPTION_NAMES = {"root": "--root", "packages": "--package"}


def is_recording(path: Path) -> bool:
    """Whether a file begins as recordings do, which are HDF5 files; without importing `kido.recording`."""
    try:
        with path.open("rb") as file:
            return file.read(len(_HDF5)) == _HDF5
    except OSError:
        return False


@dataclass(frozen=True)
class ModelFile:
    """A file, and what its reader is told.

    Attributes:
        path: of the file.
        robot: name of the one that is meant; None: the only one, or all.
        root: "free" or "fixed", where the format asks; None: as the reader has it.
        packages: folders of packages by name, or those in which to search them.
    """

    path: Path
    robot: str | None = None
    root: str | None = None
    packages: dict[str, Path] | list[Path] | None = None

    @property
    def options(self) -> dict[str, Any]:
        """Options of the reader of its format."""
        root = {} if self.root is None else {"root": self.root}
        return root | ({"packages": self.packages} if self.packages else {})

    def one_robot(self) -> RobotDescription:
        """The robot that is meant. Raises as `kido.io.read`; ValueError for an option of other formats."""
        with self._reading():
            return read(self.path, robot=self.robot, **self.options)

    def scene(self) -> SceneDescription:
        """All that the file holds. Raises as `kido.io.read_scene`, and ValueError as `one_robot`."""
        with self._reading():
            return read_scene(self.path, **self.options)

    def report(self) -> LoadReport:
        """Report of what kido does not honour of the file. Raises as `kido.load_report`; ValueError as
        `one_robot`."""
        with self._reading():
            return load_report(self.path, robot=self.robot, **self.options)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Without the warnings whose details are shown; an option that the format's reader lacks is named."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ModelWarning)
                yield
        except TypeError as error:
            refused = [name for name in self.options if f"unexpected keyword argument {name!r}" in str(error)]
            if not refused:
                raise
            option = _OPTION_NAMES[refused[0]]
            raise ValueError(f"{option}: no option for files of this format: {self.path}") from error
