"""Tables of a robot's bodies and joints, as plain data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from kido.description import JointDescription, RobotDescription
from kido.typing import FloatArray

__all__ = ["Cell", "Table", "number", "robot_pairs", "robot_tables"]

Cell = str | int | float
"""A text or a number; numbers stand as they are, unrounded."""

_WORLD = "world"


@dataclass(frozen=True)
class Table:
    """Rows under a title and a header; `numbers` names the columns that hold numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    numbers: tuple[str, ...] = ()

    def texts(self) -> Iterator[tuple[str, ...]]:
        """The rows as text, numbers with six significant digits."""
        return (tuple(map(_text, row)) for row in self.rows)


def number(value: float) -> str:
    """A number with six significant digits."""
    return f"{value + 0.0:.6g}"


def robot_pairs(robot: RobotDescription) -> list[tuple[str, str]]:
    """Summary of a robot as names and values: file, root, counts, total mass, warnings."""
    moving = [joint for joint in robot.joints if joint.num_dofs]
    file = [] if robot.source is None else [("file", str(robot.source))]
    return [
        *file,
        ("root", ", ".join(f"{joint.child} ({joint.type})" for joint in robot.root_joints)),
        ("bodies", str(len(robot.links))),
        ("joints", f"{len(robot.joints)}, of which {len(moving)} move"),
        ("degrees of freedom", str(sum(joint.num_dofs for joint in moving))),
        ("total mass", f"{number(_total_mass(robot))} kg"),
        ("warnings", str(len(robot.diagnostics))),
    ]


def robot_tables(robot: RobotDescription) -> list[Table]:
    """Bodies, joints with their limits, and what is doubtful in the robot's file, if anything is."""
    tables = [_bodies(robot), _joints(robot)]
    return [*tables, _diagnostics(robot)] if robot.diagnostics else tables


def _bodies(robot: RobotDescription) -> Table:
    carriers = _carriers(robot)
    rows = tuple(
        (i, joint.child, joint.parent or _WORLD, joint.name, _mass(robot, joint.child), carriers[joint.child])
        for i, joint in enumerate(robot.depth_first_joints())
    )
    header = ("#", "body", "parent", "joint", "mass [kg]", "moves with")
    return Table("Bodies", header, rows, numbers=("#", "mass [kg]"))


def _joints(robot: RobotDescription) -> Table:
    header: tuple[str, ...] = (
        "joint",
        "type",
        "dofs",
        "lower",
        "upper",
        "unit",
        "velocity [unit/s]",
        "effort [N m, N]",
    )
    rows = tuple(_joint_rows(robot))
    if any(joint.mimic for joint in robot.joints):
        header = (*header, "follows")
    else:
        rows = tuple(row[:-1] for row in rows)
    numbers = ("dofs", "lower", "upper", "velocity [unit/s]", "effort [N m, N]")
    return Table("Joints", header, rows, numbers)


def _joint_rows(robot: RobotDescription) -> Iterator[tuple[Cell, ...]]:
    dof = 0
    for joint in robot.depth_first_joints():
        limits = joint.limits
        yield (
            joint.name,
            str(joint.type),
            _dof_range(dof, joint.num_dofs),
            _bound(limits.lower),
            _bound(limits.upper),
            _units(joint),
            _bound(limits.velocity),
            _bound(limits.effort),
            _mimic_text(joint),
        )
        dof += joint.num_dofs


def _diagnostics(robot: RobotDescription) -> Table:
    rows = tuple(
        (d.kind, d.subject or "", "" if d.line is None else d.line, d.message) for d in robot.diagnostics
    )
    return Table("Warnings", ("about", "name", "line", "what"), rows, numbers=("line",))


def _carriers(robot: RobotDescription) -> dict[str, str]:
    """The body that each body moves with: itself or the nearest above it that has dofs, else the world."""
    carriers: dict[str, str] = {}
    for joint in robot.depth_first_joints():
        above = _WORLD if joint.parent is None else carriers[joint.parent]
        carriers[joint.child] = joint.child if joint.num_dofs else above
    return carriers


def _total_mass(robot: RobotDescription) -> float:
    """Mass of all bodies, fixed ones too [kg]."""
    return math.fsum(_mass(robot, link.name) for link in robot.links)


def _mass(robot: RobotDescription, link: str) -> float:
    inertia = robot.link(link).inertia
    return 0.0 if inertia is None else inertia.mass


def _dof_range(first: int, count: int) -> Cell:
    if count == 0:
        return ""
    return first if count == 1 else f"{first}-{first + count - 1}"


def _bound(values: FloatArray) -> Cell:
    """The value of all dofs of a joint, or each."""
    texts = [number(value) for value in values.tolist()]
    return float(values[0]) if len(set(texts)) == 1 else ", ".join(texts)


def _units(joint: JointDescription) -> str:
    return ", ".join(dict.fromkeys(coordinate.unit for coordinate in joint.type.spec.coordinates))


def _mimic_text(joint: JointDescription) -> str:
    mimic = joint.mimic
    if mimic is None:
        return ""
    factor = "" if mimic.multiplier == 1.0 else f"{number(mimic.multiplier)} "
    offset = "" if mimic.offset == 0.0 else f" {mimic.offset:+.6g}"
    return f"{factor}{mimic.joint}{offset}"


def _text(cell: Cell) -> str:
    return number(cell) if isinstance(cell, float) else str(cell)
