"""Events of a recording."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kido.values import checked_text

__all__ = ["Event", "checked_mark"]


@dataclass(frozen=True)
class Event:
    """Event at some time.

    Attributes:
        time: of the world [s].
        step: number of steps of the world then.
        kind: "mark" (the user's), "edit" (of the world's structure), "jump" (reset, restore, set_state) or
            "error".
        text: what.
        data: what the user added to a mark.
        part: number of the part of the recording.
    """

    time: float
    step: int
    kind: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    part: int = 0

    def to_json(self) -> bytes:
        """As a line of JSON. Raises TypeError, ValueError for data that JSON does not have."""
        return json.dumps(
            {
                "time": self.time,
                "step": self.step,
                "kind": self.kind,
                "text": self.text,
                "data": dict(self.data),
                "part": self.part,
            },
            ensure_ascii=False,
            allow_nan=False,
        ).encode()

    @classmethod
    def from_json(cls, line: bytes) -> Event:
        """The event of a line. Raises ValueError, KeyError for what is none."""
        found = json.loads(line)
        names = ("time", "step", "kind", "text", "data", "part")
        return cls(**{name: found[name] for name in names})


def checked_mark(text: str, data: Mapping[str, Any]) -> None:
    """Raises TypeError, ValueError for a mark that cannot be kept."""
    if not checked_text("text", text):
        raise ValueError("text: expected at least one character")
    try:
        json.dumps(dict(data), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise type(error)(f"data: expected what JSON has: {error}") from error
