"""Summary of a robot: its bodies, its joints with their limits, and what is doubtful in its model file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate

import numpy as np

from kido.description import Diagnostic, JointType, Mimic, RobotDescription
from kido.tree._rows import INERTIA, PARENT, TREE_LIMITS, TreeRows, describe_rows
from kido.tree._table import Cell, Table, escaped, number_text, pairs_html, pairs_text
from kido.typing import FloatArray
from kido.values import Value, value

__all__ = ["Summary", "describe_summary", "summarize"]

_WORLD = "world"
_ROOTS = 3
"""Most roots that are named."""
_QUOTED = re.compile("'[^']*'")
_LIMITS = ("lower", "upper", "velocity [unit/s]", "effort [N m, N]")


@value
class Summary(Value):
    """Parts of a robot, as data; `str()` is plain text, and a notebook shows it as HTML.

    Attributes:
        name: of the robot.
        pairs: what the robot is as a whole: what and value.
        tables: bodies, joints with their limits, and warnings if there are any, those that differ by names
            only in one line; numbers are not rounded. Text and HTML leave out the middle of very long tables.
    """

    name: str
    pairs: tuple[tuple[str, str], ...]
    tables: tuple[Table, ...]

    def __str__(self) -> str:
        """Plain text."""
        return "\n\n".join(
            ["\n".join([f"Robot {self.name}", pairs_text(self.pairs)]), *map(str, self.tables)]
        )

    def _repr_html_(self) -> str:
        """HTML; everything that comes from the robot is escaped."""
        tables = "".join(table._repr_html_() for table in self.tables)
        return f"<div><b>Robot {escaped(self.name)}</b>{pairs_html(self.pairs)}{tables}</div>"


def summarize(
    name: str,
    rows: TreeRows,
    diagnostics: tuple[Diagnostic, ...] = (),
    mimics: Iterable[Mimic | None] = (),
    *,
    degrees: bool = False,
) -> Summary:
    """The summary of a robot.

    Args:
        name: of the robot.
        rows: its bodies and joints.
        diagnostics: what is doubtful in its model file.
        mimics: what each joint follows; none of them: no joint follows another.
        degrees: whether limits of angles are in degrees.
    """
    types = [_type_text(joint_type) for joint_type in rows.joint_types()]
    tables = (_bodies(rows), _joints(rows, types, list(mimics), degrees))
    return Summary(
        name,
        tuple(_pairs(rows, types, diagnostics)),
        (*tables, _warnings(diagnostics)) if diagnostics else tables,
    )


def describe_summary(robot: RobotDescription, *, degrees: bool = False) -> Summary:
    """The summary of a robot as its model file gives it, with the name of the file; `degrees` says whether
    limits of angles are in degrees."""
    mimics = (joint.mimic for joint in robot.depth_first_joints())
    rows = describe_rows(robot)
    summary = summarize(robot.name, rows, robot.diagnostics, mimics, degrees=degrees)
    if robot.source is None:
        return summary
    return Summary(summary.name, (("file", str(robot.source)), *summary.pairs), summary.tables)


def _pairs(
    rows: TreeRows, types: list[str], diagnostics: tuple[Diagnostic, ...]
) -> Iterator[tuple[str, str]]:
    parents, counts = rows.integers[:, PARENT].tolist(), rows.dof_counts()
    roots = [f"{rows.body_names[i]} ({types[i]})" for i, parent in enumerate(parents) if parent < 0]
    more = [f"{len(roots) - _ROOTS} more"] if len(roots) > _ROOTS else []
    yield "root", ", ".join([*roots[:_ROOTS], *more]) or "none"
    yield "bodies", str(len(parents))
    yield "joints", f"{len(parents)}, of which {sum(count > 0 for count in counts)} move"
    yield "degrees of freedom", str(sum(counts))
    yield "total mass", f"{number_text(math.fsum(_masses(rows)))} kg"
    yield "warnings", str(len(diagnostics))


def _bodies(rows: TreeRows) -> Table:
    parents, counts, names = rows.integers[:, PARENT].tolist(), rows.dof_counts(), rows.body_names
    carriers: list[str] = []  # the body that each body moves with: itself or the nearest above with dofs
    for i, parent in enumerate(parents):
        above = _WORLD if parent < 0 else carriers[parent]
        carriers.append(names[i] if counts[i] else above)
    lines = tuple(
        (i, names[i], _WORLD if parent < 0 else names[parent], rows.joint_names[i], mass, carriers[i])
        for i, (parent, mass) in enumerate(zip(parents, _masses(rows), strict=True))
    )
    header = ("#", "body", "parent", "joint", "mass [kg]", "moves with")
    return Table("Bodies", header, lines, numbers=("#", "mass [kg]"))


def _joints(rows: TreeRows, types: list[str], mimics: list[Mimic | None], degrees: bool) -> Table:
    lower, upper, velocity, effort = _LIMITS
    header: tuple[str, ...] = ("joint", "type", "dofs", lower, upper, "unit", velocity, effort)
    lines = tuple(_joint_lines(rows, types, degrees))
    if any(mimics):
        header = (*header, "follows")
        lines = tuple((*line, _mimic_text(mimic)) for line, mimic in zip(lines, mimics, strict=True))
    return Table("Joints", header, lines, numbers=("dofs", *_LIMITS))


def _joint_lines(rows: TreeRows, types: list[str], degrees: bool) -> Iterator[tuple[Cell, ...]]:
    counts, units = rows.dof_counts(), [coordinate.unit for coordinate in rows.coordinates()]
    limits: Mapping[str, FloatArray] = {name: rows.limit(name) for name in TREE_LIMITS}
    if degrees:
        scale = np.where(np.array(units) == "rad", np.degrees(1.0), 1.0)
        limits = {name: limit * scale if name != TREE_LIMITS[-1] else limit for name, limit in limits.items()}
        units = ["deg" if unit == "rad" else unit for unit in units]
    ends = accumulate(counts)
    for name, joint_type, count, end in zip(rows.joint_names, types, counts, ends, strict=True):
        own = slice(end - count, end)
        lower, upper, velocity, effort = (_bound(limits[quantity][own]) for quantity in TREE_LIMITS)
        unit = ", ".join(dict.fromkeys(units[own]))
        yield name, joint_type, _dof_range(end - count, count), lower, upper, unit, velocity, effort


def _warnings(diagnostics: tuple[Diagnostic, ...]) -> Table:
    alike: dict[tuple[str, str], list[Diagnostic]] = {}
    for d in diagnostics:
        message = d.message.replace(d.subject, "") if d.subject else d.message
        alike.setdefault((d.kind, _QUOTED.sub("", message)), []).append(d)
    lines = tuple(line for group in alike.values() for line in _warning_lines(group))
    return Table("Warnings", ("about", "name", "line", "what"), lines, numbers=("line",))


def _warning_lines(alike: list[Diagnostic]) -> Iterator[tuple[Cell, ...]]:
    """One line each, and one for all where three or more differ by names and values only."""
    count = len(alike)
    for d in alike[:1] if count > 2 else alike:
        name = d.subject or ""
        if count > 2:
            name = f"{name} and {count - 1} more" if name else f"{count} times"
        yield d.kind, name, "" if d.line is None else d.line, d.message


def _masses(rows: TreeRows) -> list[float]:
    """Masses of all bodies, fixed ones too [kg]."""
    masses: list[float] = rows.numbers[:, INERTIA.start].tolist()
    return masses


def _type_text(joint_type: JointType | None) -> str:
    return "user" if joint_type is None else str(joint_type)


def _dof_range(first: int, count: int) -> Cell:
    if count == 0:
        return ""
    return first if count == 1 else f"{first}-{first + count - 1}"


def _bound(values: FloatArray) -> Cell:
    """The value of all dofs of a joint, or each."""
    texts = [number_text(value) for value in values.tolist()]
    return float(values[0]) if len(set(texts)) == 1 else ", ".join(texts)


def _mimic_text(mimic: Mimic | None) -> str:
    if mimic is None:
        return ""
    factor = "" if mimic.multiplier == 1.0 else f"{number_text(mimic.multiplier)} "
    offset = "" if mimic.offset == 0.0 else f" {mimic.offset:+.6g}"
    return f"{factor}{mimic.joint}{offset}"
