"""SKEL files of a few lines."""

from __future__ import annotations

import warnings

from kido.description import Diagnostic, LinkDescription, RobotDescription, SceneDescription
from kido.errors import ModelWarning
from kido.io import read_skel_string

FREE = "<joint type='free' name='root'><parent>world</parent><child>a</child></joint>"


def read_quietly(text: str, **options: object) -> SceneDescription:
    """The scene of a whole file; warnings are left to the diagnostics."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return read_skel_string(text, **options)  # type: ignore[arg-type]


def read_world(inside: str, **options: object) -> SceneDescription:
    """The scene of what stands inside <world>, which begins in line 2."""
    return read_quietly(f"<skel version='1.0'><world name='w'>\n{inside}\n</world></skel>", **options)


def read_robot(inside: str, **options: object) -> RobotDescription:
    """The robot of what stands inside <skeleton>, which begins in line 2."""
    return read_world(f"<skeleton name='r'>{inside}</skeleton>", **options).robot("r").robot


def read_link(inside: str, **options: object) -> LinkDescription:
    """The link of what stands inside <body>, which begins in line 2."""
    return read_robot(f"<body name='a'>{inside}</body>{FREE}", **options).link("a")


def doubts(scene: SceneDescription) -> list[Diagnostic]:
    """All diagnostics of a scene and its robots."""
    return [*scene.diagnostics, *(doubt for placed in scene.robots for doubt in placed.robot.diagnostics)]


def visual(geometry: str, more: str = "", tag: str = "visualization_shape") -> str:
    """A shape of a body."""
    return f"<{tag}><geometry>{geometry}</geometry>{more}</{tag}>"
