"""Layout of the tables of a part of a recording."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["ConstraintNames", "DofNames", "PartLayout", "PointNames", "ShapeNames", "SignalNames"]


@dataclass(frozen=True)
class DofNames:
    """A column of positions, velocities and forces.

    Attributes:
        skeleton, dof: names.
        unit: of its position, "rad" or "m".
        known: whether the force of its actuator is recorded; else the actuator prescribes the motion.
    """

    skeleton: str
    dof: str
    unit: str
    known: bool = True


@dataclass(frozen=True)
class ShapeNames:
    """A shape that touches others: names of its skeleton, of its body, its own."""

    skeleton: str
    body: str
    shape: str

    def __str__(self) -> str:
        return f"{self.skeleton}/{self.body}"


@dataclass(frozen=True)
class PointNames:
    """Point masses of a soft body: names of its skeleton and of it, and how many there are."""

    skeleton: str
    body: str
    count: int = 0


@dataclass(frozen=True)
class ConstraintNames:
    """A constraint of the world: its class, and the names of the bodies or skeletons that it holds."""

    kind: str
    ends: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind} {' - '.join(self.ends)}"


@dataclass(frozen=True)
class SignalNames:
    """A signal of the user's: name, unit, shape of its values."""

    name: str
    unit: str = ""
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class PartLayout:
    """Layout of the tables of a part.

    Attributes:
        began: why it begins: "start", "edit" (of the world), "jump" (in time), "names" (frames came or went,
            or the shapes of signals are others; the world goes on).
        clock: a time [s] and the number of steps at that time, from which times of steps are counted.
        time_step: [s].
        every: steps between samples.
        model: number of the model; -1: none.
        no_model: why there is none.
        skeletons: their names, with their numbers of dofs.
        dofs: columns of positions and the like.
        shapes: which touch.
        between_bodies, by_rows: constraints.
        signals: of the user's.
        frames: names of the free frames.
        points: soft bodies, whose points' displacements are recorded one after the other.
    """

    began: str = "start"
    clock: tuple[float, int] = (0.0, 0)
    time_step: float = 1e-3
    every: int = 1
    model: int = -1
    no_model: str = ""
    skeletons: tuple[tuple[str, int], ...] = ()
    dofs: tuple[DofNames, ...] = ()
    shapes: tuple[ShapeNames, ...] = ()
    between_bodies: tuple[ConstraintNames, ...] = ()
    by_rows: tuple[ConstraintNames, ...] = ()
    signals: tuple[SignalNames, ...] = ()
    frames: tuple[str, ...] = ()
    points: tuple[PointNames, ...] = ()
    unknown: dict[str, Any] = field(default_factory=dict, compare=False)

    def columns(self, skeleton: str) -> slice | None:
        """The columns of a skeleton; None where there is none of that name."""
        first = 0
        for name, count in self.skeletons:
            if name == skeleton:
                return slice(first, first + count)
            first += count
        return None

    def to_json(self) -> str:
        """As text."""
        written = asdict(self)
        del written["unknown"]
        return json.dumps(written, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> PartLayout:
        """The layout of a text; what a newer kido has added goes to `unknown`. Raises ValueError, TypeError,
        KeyError for what is none."""
        found = json.loads(text)
        known = {name: found.pop(name) for name in list(found) if name in cls.__dataclass_fields__}
        known["skeletons"] = tuple((name, int(count)) for name, count in known["skeletons"])
        for name, kind in (
            ("dofs", DofNames),
            ("shapes", ShapeNames),
            ("between_bodies", ConstraintNames),
            ("by_rows", ConstraintNames),
            ("signals", SignalNames),
            ("points", PointNames),
        ):
            items = known.get(name, ()) if name == "points" else known[name]  # which files had not before
            known[name] = tuple(_made(kind, item) for item in items)
        known["frames"] = tuple(known["frames"])
        known["clock"] = tuple(known["clock"])
        return cls(**known, unknown=found)


def _made(kind: Any, item: dict[str, Any]) -> Any:
    """One of the classes above; lists of JSON become tuples."""
    fields = kind.__dataclass_fields__
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in item.items() if k in fields})
