"""The <sensor> element, and trees of elements as plain options by name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from kido.description import Attachment, JointReference, SensorDescription
from kido.io._sdf._file import SdfFile, content
from kido.io._xml import Element, tag_of
from kido.typing import FloatArray

__all__ = ["SdfSensor", "leaf_options", "read_sensors"]

OptionValue: TypeAlias = bool | int | float | str | tuple[float, ...]
"""A plain value: a number, a text, several numbers."""

MOST_OPTIONS = 1000
LONGEST_OPTION = 200

_KNOWN = ("pose", "update_rate", "plugin")


class SdfSensor(NamedTuple):
    """A sensor of one top model, on a link or of a joint."""

    file: SdfFile
    element: Element
    name: str
    link: str | None
    joint: str | None
    T_link_sensor: FloatArray | None

    def description(self, owner: str) -> SensorDescription:
        """The sensor of the robot `owner`; raises ModelFileError."""
        file, element = self.file, self.element
        rate = file.child_number(element, "update_rate", 0.0)
        with file.at(element):
            return SensorDescription(
                f"{owner}::{self.name}",
                file.text(element, "type"),
                None if self.link is None else Attachment(owner, self.link, self.T_link_sensor),
                None if self.joint is None else JointReference(owner, self.joint),
                rate=rate if rate > 0.0 else None,
                options=dict(leaf_options(file, element, _KNOWN)),
                line=element.sourceline,
            )


def read_sensors(file: SdfFile, owner: Element) -> Iterator[Element]:
    """The sensors of a link or joint; plugins of theirs are reported."""
    for sensor in owner.iterfind("sensor"):
        file.text(sensor, "name")
        for plugin in sensor.iterfind("plugin"):
            file.ignore(plugin)
        yield sensor


def leaf_options(
    file: SdfFile, element: Element, without: tuple[str, ...] = ()
) -> Iterator[tuple[str, OptionValue]]:
    """The innermost elements and their attributes as options: "camera/image/width", "noise@type".

    Of elements that have the same path, the second and later ones have a number: "ray/noise#2". Those beyond
    the first `MOST_OPTIONS`, and those with longer names than `LONGEST_OPTION`, are reported instead.
    """
    taken: dict[str, int] = {}
    stack = [(child, "") for child in reversed(element) if child.tag not in without]
    visited = 0
    while stack:
        child, prefix = stack.pop()
        path = prefix + tag_of(child)
        visited += 1
        if visited > MOST_OPTIONS:
            file.ignore(child, f"more than {MOST_OPTIONS} elements")
            return
        if len(path) > LONGEST_OPTION:
            file.ignore(child, f"a path of more than {LONGEST_OPTION} characters")
            continue
        taken[path] = taken.get(path, 0) + 1
        path = path if taken[path] == 1 else f"{path}#{taken[path]}"
        for name, text in child.attrib.items():
            yield f"{path}@{name}", _value(str(text))
        if len(child) == 0:
            yield path, _value(content(child))
        stack.extend((inner, f"{path}/") for inner in reversed(child))


def _value(text: str) -> OptionValue:
    """A text as what it looks like: a flag, a number, several numbers, or itself."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        numbers = tuple(map(float, text.split()))
    except ValueError:
        return text
    if not numbers or not all(map(math.isfinite, numbers)) or "_" in text:
        return text
    if len(numbers) > 1:
        return numbers
    return int(text) if text.strip("+-").isdigit() and len(text) < 16 else numbers[0]
