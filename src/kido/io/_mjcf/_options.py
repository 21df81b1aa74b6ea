"""Attributes that are kept as they are, as numbers where they are numbers."""

from __future__ import annotations

import math
from collections.abc import Container

from kido.description import NamedValues
from kido.io._mjcf._node import Node

__all__ = ["node_options", "plain_value"]

_LONGEST = 10_000
_INTERNAL = "{"


def node_options(node: Node, left_out: Container[str], prefix: str = "") -> NamedValues:
    """The attributes of an element that are not `left_out`, by their names."""
    return NamedValues(
        {
            prefix + name: plain_value(node, name)
            for name in node.values
            if name not in left_out and not name.startswith(_INTERNAL)
        }
    )


def plain_value(node: Node, attribute: str) -> bool | float | str | tuple[float, ...]:
    """A number, several of them, true or false, or a text; raises ModelFileError for a very long one."""
    text = node.get(attribute) or ""
    if len(text) > _LONGEST:
        raise node.error(f"{attribute}: expected at most {_LONGEST} characters, got {len(text)}", attribute)
    if text in ("true", "false"):
        return text == "true"
    try:
        numbers = tuple(map(float, text.split()))
    except ValueError:
        return text
    if not numbers or "_" in text or not all(map(math.isfinite, numbers)):
        return text
    return numbers[0] if len(numbers) == 1 else numbers
