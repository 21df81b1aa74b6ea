"""The robots that the demo shows when it is given none."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Literal, NamedTuple

from kido.errors import MissingDependencyError

__all__ = ["DemoRobot", "RootKind", "example_robots"]

RootKind = Literal["fixed", "free"]

_PACKAGE = "example-robot-data"
_ROBOTS: tuple[tuple[str, RootKind], ...] = (
    ("panda_description/urdf/panda.urdf", "fixed"),
    ("g1_description/urdf/g1_29dof_rev_1_0.urdf", "free"),
)


class DemoRobot(NamedTuple):
    """A robot file, how its root is attached, and the body to look at; None leaves the choice to the demo."""

    file: Path
    root: RootKind
    body: str | None = None


def example_robots() -> list[DemoRobot]:
    """The Panda arm on a fixed base and the G1 humanoid with a free root, from the installed example robots.

    Raises MissingDependencyError if they are not installed.
    """
    return [DemoRobot(_installed_file(name), root) for name, root in _ROBOTS]


def _installed_file(name: str) -> Path:
    missing = MissingDependencyError(_PACKAGE, "demo", "the demo without --robot")
    try:
        installed = files(_PACKAGE) or []
    except PackageNotFoundError:
        raise missing from None
    for file in installed:
        if file.as_posix().endswith(f"/robots/{name}"):
            return Path(str(file.locate()))
    raise missing
