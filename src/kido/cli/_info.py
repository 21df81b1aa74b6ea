"""`kido info`: what a model file holds."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rich.console import Console

from kido.cli._console import number, print_heading, print_pairs, print_table
from kido.description import JointDescription, RobotDescription
from kido.typing import FloatArray

__all__ = ["moving_bodies", "print_info", "total_mass"]

_WORLD = "world"


def print_info(console: Console, robot: RobotDescription) -> None:
    """Print a robot: summary, bodies, joints with their limits, and what is doubtful in its file."""
    print_heading(console, f"Robot {robot.name}")
    print_pairs(console, _summary(robot))
    _print_bodies(console, robot)
    _print_joints(console, robot)
    _print_diagnostics(console, robot)


def total_mass(robot: RobotDescription) -> float:
    """Mass of all bodies, fixed ones too [kg]."""
    return math.fsum(_mass(robot, link.name) for link in robot.links)


def moving_bodies(robot: RobotDescription) -> dict[str, str]:
    """The body that each body moves with: itself or the nearest above it that has dofs, else the world."""
    carriers: dict[str, str] = {}
    for joint in robot.depth_first_joints():
        above = _WORLD if joint.parent is None else carriers[joint.parent]
        carriers[joint.child] = joint.child if joint.num_dofs else above
    return carriers


def _summary(robot: RobotDescription) -> Iterator[tuple[str, str]]:
    moving = [joint for joint in robot.joints if joint.num_dofs]
    if robot.source is not None:
        yield "file", str(robot.source)
    yield "root", ", ".join(f"{joint.child} ({joint.type})" for joint in robot.root_joints)
    yield "bodies", str(len(robot.links))
    yield "joints", f"{len(robot.joints)}, of which {len(moving)} move"
    yield "degrees of freedom", str(sum(joint.num_dofs for joint in moving))
    yield "total mass", f"{number(total_mass(robot))} kg"
    yield "warnings", str(len(robot.diagnostics))


def _print_bodies(console: Console, robot: RobotDescription) -> None:
    carriers = moving_bodies(robot)
    rows = (
        (
            str(index),
            joint.child,
            joint.parent or _WORLD,
            joint.name,
            number(_mass(robot, joint.child)),
            carriers[joint.child],
        )
        for index, joint in enumerate(robot.depth_first_joints())
    )
    header = ("#", "body", "parent", "joint", "mass [kg]", "moves with")
    print_table(console, "Bodies", header, rows, numbers=("#", "mass [kg]"))


def _print_joints(console: Console, robot: RobotDescription) -> None:
    header = ["joint", "type", "dofs", "lower", "upper", "unit", "velocity [unit/s]", "effort [N m, N]"]
    numbers = ("dofs", "lower", "upper", "velocity [unit/s]", "effort [N m, N]")
    has_mimic = any(joint.mimic for joint in robot.joints)
    rows = (row if has_mimic else row[:-1] for row in _joint_rows(robot))
    print_table(console, "Joints", [*header, "follows"] if has_mimic else header, rows, numbers=numbers)


def _joint_rows(robot: RobotDescription) -> Iterator[tuple[str, ...]]:
    dof = 0
    for joint in robot.depth_first_joints():
        limits = joint.limits
        yield (
            joint.name,
            str(joint.type),
            _dof_text(dof, joint.num_dofs),
            _bounds(limits.lower),
            _bounds(limits.upper),
            _units(joint),
            _bounds(limits.velocity),
            _bounds(limits.effort),
            _mimic_text(joint),
        )
        dof += joint.num_dofs


def _print_diagnostics(console: Console, robot: RobotDescription) -> None:
    if not robot.diagnostics:
        return
    rows = (
        (d.kind, d.subject or "", "" if d.line is None else str(d.line), d.message) for d in robot.diagnostics
    )
    print_table(console, "Warnings", ("about", "name", "line", "what"), rows, numbers=("line",))


def _mass(robot: RobotDescription, link: str) -> float:
    inertia = robot.link(link).inertia
    return 0.0 if inertia is None else inertia.mass


def _units(joint: JointDescription) -> str:
    return ", ".join(dict.fromkeys(coordinate.unit for coordinate in joint.type.spec.coordinates))


def _dof_text(first: int, count: int) -> str:
    if count == 0:
        return ""
    return str(first) if count == 1 else f"{first}-{first + count - 1}"


def _bounds(values: FloatArray) -> str:
    texts = [number(value) for value in values.tolist()]
    return texts[0] if len(set(texts)) == 1 else ", ".join(texts)


def _mimic_text(joint: JointDescription) -> str:
    mimic = joint.mimic
    if mimic is None:
        return ""
    factor = "" if mimic.multiplier == 1.0 else f"{number(mimic.multiplier)} "
    offset = "" if mimic.offset == 0.0 else f" {mimic.offset:+.6g}"
    return f"{factor}{mimic.joint}{offset}"
