"""Texts of SDFormat files for tests, and what is read from them."""

from __future__ import annotations

import warnings

from kido.description import Diagnostic, JointDescription, LinkDescription, RobotDescription, SceneDescription
from kido.errors import ModelWarning
from kido.io import read_sdf_string

INERTIAL = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
BALL = "<geometry><sphere><radius>1</radius></sphere></geometry>"


def sdf(inside: str, version: str = "1.11") -> str:
    """An <sdf> element; what it holds begins on line 2."""
    return f"<sdf version='{version}'>\n{inside}\n</sdf>"


def link(name: str, inside: str = "") -> str:
    """A link of 1 kg."""
    return f"<link name='{name}'>{INERTIAL}{inside}</link>"


def joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    """A joint between two links."""
    return (
        f"<joint name='{name}' type='{kind}'><parent>{parent}</parent><child>{child}</child>{inside}</joint>"
    )


def read(inside: str, version: str = "1.11", **options: object) -> SceneDescription:
    """The scene of an <sdf> element; ModelWarnings are left to the diagnostics."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return read_sdf_string(sdf(inside, version), **options)  # type: ignore[arg-type]


def read_model(inside: str, version: str = "1.11", **options: object) -> RobotDescription:
    """The robot of a model "m", given by what it holds, from line 3."""
    return read(f"<model name='m'>\n{inside}\n</model>", version, **options).robot("m").robot


def read_link(inside: str, version: str = "1.11", **options: object) -> LinkDescription:
    """The link of a model that has one, given by what it holds beside its inertia."""
    return read_model(link("a", inside), version, **options).link("a")


def read_joint(kind: str, inside: str = "", version: str = "1.11") -> JointDescription:
    """The joint "j" from "a" to "b", 1 m apart along x."""
    second = link("b", "<pose>1 0 0 0 0 0</pose>")
    return read_model(link("a") + second + joint("j", kind, "a", "b", f"\n{inside}"), version).joint("j")


def notes(robot: RobotDescription | SceneDescription, kind: str | None = None) -> list[str]:
    """The messages of diagnostics, of one kind."""
    found: tuple[Diagnostic, ...] = robot.diagnostics
    return [one.message for one in found if kind is None or one.kind == kind]
