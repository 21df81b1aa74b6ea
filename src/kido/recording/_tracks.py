"""The tables of a part, and what a world says of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kido.constraint import Constraint
from kido.recording._layout import ConstraintNames, DofNames, PartLayout, PointNames, ShapeNames, SignalNames
from kido.recording._settings import RecordSettings
from kido.recording._tables import TableSpec
from kido.skeleton import ActuatorType, Skeleton, SoftBodyNode
from kido.world import WatchedWorld, WorldFrames

__all__ = ["FORCE_TABLES", "RAGGED", "STATE_ROWS", "part_layout", "part_tables", "table_types"]

STATE_ROWS = 5
"""Rows of the states in keyframes: positions, velocities, accelerations, forces, commands."""

FORCE_TABLES = ("actuator_forces", "friction_forces", "limit_forces")

_UNKNOWN_FORCES = (
    ActuatorType.ACCELERATION,
    ActuatorType.VELOCITY,
    ActuatorType.LOCKED,
    ActuatorType.MIMIC,
)
"""Actuators that give whatever force a motion takes."""

_CONTACT_COLUMNS = (
    *(
        f"{what} {axis} [{unit}]"
        for what, unit in (("point", "m"), ("normal", "1"), ("force", "N"))
        for axis in "xyz"
    ),
    "depth [m]",
)


RAGGED = frozenset(
    {
        "keyframes",
        "keyframe_states",
        "keyframe_numbers",
        "inputs",
        "input_numbers",
        "contact_shapes",
        "contact_numbers",
        "row_forces",
    }
)
"""Tables whose number of rows is not that of the samples."""


def part_layout(
    watched: WatchedWorld,
    frames: WorldFrames,
    signals: Sequence[SignalNames],
    **facts: Any,
) -> PartLayout:
    """The layout of a part; `facts`: the attributes that no world knows."""
    return PartLayout(
        skeletons=tuple((skeleton.name, skeleton.num_dofs) for skeleton in watched.skeletons),
        dofs=tuple(dof for skeleton in watched.skeletons for dof in _dofs(skeleton)),
        shapes=tuple(
            ShapeNames(node.skeleton.name, node.body.name, str(node.name)) for node in watched.shapes
        ),
        between_bodies=tuple(map(_constraint, watched.between_bodies)),
        by_rows=tuple(map(_constraint, watched.by_rows)),
        signals=tuple(signals),
        frames=tuple(frame.name for frame in frames),
        points=tuple(
            PointNames(skeleton.name, body.name, body.num_points)
            for skeleton in watched.skeletons
            for body in skeleton.bodies
            if isinstance(body, SoftBodyNode)
        ),
        **facts,
    )


def _dofs(skeleton: Skeleton) -> list[DofNames]:
    return [
        DofNames(skeleton.name, dof.name, dof.coordinate.unit, dof.joint.actuator not in _UNKNOWN_FORCES)
        for dof in skeleton.dofs
    ]


def _constraint(constraint: Constraint) -> ConstraintNames:
    ends = [getattr(constraint, name, None) for name in ("first", "second")]
    bodies = tuple("the world" if end is None else f"{end.skeleton.name}/{end.name}" for end in ends)
    named = any(end is not None for end in ends)
    own = tuple(skeleton.name for skeleton in constraint.skeletons)
    return ConstraintNames(type(constraint).__name__, bodies if named else own)


def table_types(settings: RecordSettings, signals: Sequence[str]) -> dict[str, str]:
    """Types of all tables that parts may have, by name."""
    layout = PartLayout(
        dofs=(DofNames("", "", "rad"),),
        between_bodies=(ConstraintNames(""),),
        by_rows=(ConstraintNames(""),),
        signals=tuple(SignalNames(name) for name in signals),
        frames=("",),
        points=(PointNames("", "", 1),),
    )
    return {name: spec.dtype for name, spec in part_tables(layout, settings).items()}


def part_tables(layout: PartLayout, settings: RecordSettings) -> dict[str, TableSpec]:
    """The tables of a part by name; none without columns."""
    n = len(layout.dofs)
    units = tuple(dof.unit for dof in layout.dofs)
    names = tuple(f"{dof.skeleton}/{dof.dof}" for dof in layout.dofs)

    def by_dof(suffix: str) -> TableSpec:
        same = {f"{unit}{suffix}" for unit in units}
        return TableSpec(
            (n,), unit=same.pop() if len(same) == 1 else f"rad{suffix}, m{suffix}", columns=names
        )

    forces = TableSpec((n,), unit="N m, N", columns=names)
    specs = {
        "time": TableSpec(unit="s"),
        "step": TableSpec(dtype="i8"),
        "positions": by_dof(""),
        "velocities": by_dof("/s"),
        "commands": TableSpec((n,), unit="by actuator", columns=names),
        "keyframes": TableSpec((4,), "i8", columns=("step", "sample", "end of its numbers", "fresh")),
        "keyframe_states": TableSpec((STATE_ROWS * n,)),
        "keyframe_numbers": TableSpec(dtype="u1"),
        "inputs": TableSpec((4,), "i8", columns=("step", "kind", "skeleton", "count of numbers")),
        "input_numbers": TableSpec(),
    }
    if settings.accelerations:
        specs["accelerations"] = by_dof("/s^2")
    if settings.joint_forces:
        specs |= dict.fromkeys(FORCE_TABLES, forces)
    if settings.contacts:
        specs["contact_counts"] = TableSpec(dtype="i8")
        specs["contact_shapes"] = TableSpec((2,), "i4", columns=("first", "second"))
        specs["contact_numbers"] = TableSpec((10,), "f4", columns=_CONTACT_COLUMNS)
    if settings.constraints:
        specs["constraint_wrenches"] = TableSpec((len(layout.between_bodies), 6), unit="N m, N")
        specs["row_sizes"] = TableSpec((len(layout.by_rows),), "i8")
        specs["row_forces"] = TableSpec(unit="N m, N")
    specs |= {f"signals/{s.name}": TableSpec(s.shape, unit=s.unit) for s in layout.signals}
    specs["points"] = TableSpec((sum(points.count for points in layout.points), 3), "f4", unit="m")
    specs["frames"] = TableSpec((len(layout.frames), 4, 4), unit="m")
    return {
        name: spec._replace(may_be_blank=name not in RAGGED and name not in ("time", "step"))
        for name, spec in specs.items()
        if 0 not in spec.shape
    }
