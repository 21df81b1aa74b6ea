"""`kido info`: summary and tables of a model file, and what of it is not honoured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from rich.console import Console

from kido.cli._console import print_heading, print_pairs, print_table
from kido.cli._files import ModelFile
from kido.cli._notes import note_rows
from kido.description import (
    Diagnostic,
    JointDescription,
    ObjectPlacement,
    RobotDescription,
    RobotPlacement,
    SceneDescription,
)
from kido.io import LoadReport
from kido.tree import describe_summary, number_text

__all__ = ["print_file", "print_info", "print_json"]


def print_info(console: Console, robot: RobotDescription, *, degrees: bool = False) -> None:
    """Print a robot: summary, bodies, joints with their limits (angles in degrees if `degrees`), and what is
    doubtful in its file."""
    print_heading(console, f"Robot {robot.name}")
    summary = describe_summary(robot, degrees=degrees)
    print_pairs(console, summary.pairs)
    for table in summary.tables:
        print_table(console, table.title, table.header, table.texts(), numbers=table.numbers)


def print_file(console: Console, file: ModelFile, *, degrees: bool = False) -> LoadReport:
    """Print what a file holds: its robot, or a whole scene; and what of it is not honoured."""
    scene, report = file.scene(), file.report()
    if file.robot is None and not _is_one_robot(scene):
        _print_scene(console, scene)
        _print_report(console, report.diagnostics)
        return report
    robot = replace(scene.single_robot(file.robot), source=file.path)
    print_info(console, robot, degrees=degrees)
    known = set(robot.diagnostics)
    _print_report(console, tuple(note for note in report.diagnostics if note not in known))
    return report


def print_json(console: Console, file: ModelFile, *, degrees: bool = False) -> LoadReport:
    """Print the same as JSON."""
    scene, report = file.scene(), file.report()
    parts: tuple[RobotPlacement | ObjectPlacement, ...] = (*scene.robots, *scene.objects)
    placed = [part for part in parts if file.robot in (None, part.name)]
    told = {
        "file": str(file.path),
        "name": scene.name,
        "gravity": scene.gravity.tolist(),
        "time_step": scene.time_step,
        "angles": "deg" if degrees else "rad",
        "robots": [_robot(part.placed(), degrees) for part in placed if isinstance(part, RobotPlacement)],
        "objects": [_robot(part.placed(), degrees) for part in placed if isinstance(part, ObjectPlacement)],
        "constraints": [constraint.name for constraint in scene.constraints],
        "sensors": [sensor.name for sensor in scene.sensors],
        "states": [state.name for state in scene.states],
        "initial_state": scene.initial_state,
        "report": report.to_dict(),
    }
    console.print(json.dumps(told, indent=1), soft_wrap=True)
    return report


def _is_one_robot(scene: SceneDescription) -> bool:
    """Whether a file holds a robot and nothing beside."""
    beside = (scene.objects, scene.constraints, scene.exclusions, scene.contact_pairs, scene.sensors)
    return len(scene.robots) == 1 and not any(beside) and len(scene.states) <= 1


def _print_scene(console: Console, scene: SceneDescription) -> None:
    print_heading(console, f"Scene {scene.name}")
    print_pairs(console, _pairs(scene))
    placed: tuple[RobotPlacement | ObjectPlacement, ...] = (*scene.robots, *scene.objects)
    header = ("name", "kind", "bodies", "dofs", "mass [kg]")
    print_table(
        console, "Robots and objects", header, map(_line, placed), numbers=("bodies", "dofs", "mass [kg]")
    )
    if scene.constraints:
        lines = [
            (one.name, type(one).__name__.removesuffix("Description").lower(), _ends(one))
            for one in scene.constraints
        ]
        print_table(console, "Constraints", ("name", "kind", "between"), lines)


def _pairs(scene: SceneDescription) -> Iterator[tuple[str, str]]:
    if scene.source is not None:
        yield "file", str(scene.source)
    yield "robots", str(len(scene.robots))
    yield "objects", str(len(scene.objects))
    yield "gravity", f"{' '.join(number_text(x) for x in scene.gravity.tolist())} m/s^2"
    yield "time step", "not told" if scene.time_step is None else f"{number_text(scene.time_step)} s"
    for what in ("constraints", "exclusions", "contact_pairs"):
        yield what.replace("_", " "), str(len(getattr(scene, what)))
    for what in ("sensors", "states"):
        names = [part.name for part in getattr(scene, what)]
        yield what, f"{len(names)}: {', '.join(names)}" if names else "0"
    if scene.initial_state is not None:
        yield "begins in", scene.initial_state


def _line(placed: RobotPlacement | ObjectPlacement) -> tuple[str, ...]:
    robot = placed.placed()
    kind = "robot" if isinstance(placed, RobotPlacement) else "fixed" if placed.fixed else "object"
    counts = (len(robot.links), sum(joint.num_dofs for joint in robot.joints))
    return (placed.name, kind, *map(str, counts), number_text(_mass(robot)))


def _ends(constraint: Any) -> str:
    ends = [end for _, end in constraint.references()]
    return ", ".join(
        "the world" if end.owner is None else f"{end.owner}/{getattr(end, 'link', None) or end.joint}"
        for end in ends
    )


def _mass(robot: RobotDescription) -> float:
    return float(sum(link.inertia.mass for link in robot.links if link.inertia is not None))


def _print_report(console: Console, notes: tuple[Diagnostic, ...]) -> None:
    if notes:
        print_table(console, "Report", ("what", "where", "why"), note_rows(notes))


def _robot(robot: RobotDescription, degrees: bool) -> dict[str, Any]:
    return {
        "name": robot.name,
        "mass": _mass(robot),
        "num_dofs": sum(joint.num_dofs for joint in robot.joints),
        "links": [
            {
                "name": link.name,
                "mass": 0.0 if link.inertia is None else link.inertia.mass,
                "visuals": len(link.visuals),
                "collisions": len(link.collisions),
            }
            for link in robot.links
        ],
        "joints": [
            {
                "name": joint.name,
                "type": str(joint.type),
                "parent": joint.parent,
                "child": joint.child,
                **{
                    name: _finite(getattr(joint.limits, name) * _scale(joint, name, degrees))
                    for name in ("lower", "upper", "velocity", "effort")
                },
            }
            for joint in robot.joints
        ],
    }


def _scale(joint: JointDescription, limit: str, degrees: bool) -> Any:
    """Factor of the numbers of a limit."""
    if not degrees or limit == "effort":
        return 1.0
    turns = [coordinate.unit == "rad" for coordinate in joint.type.spec.coordinates]
    return np.where(turns, np.degrees(1.0), 1.0)


def _finite(numbers: Any) -> list[float | None]:
    """Limits; None where there is none."""
    return [x if np.isfinite(x) else None for x in numbers.tolist()]
