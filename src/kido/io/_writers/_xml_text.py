"""Elements of XML with numbers that read back bit for bit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from lxml import etree

from kido.errors import DescriptionError
from kido.io._xml import Element
from kido.typing import FloatArray

__all__ = ["Attribute", "document", "element", "leaf", "number", "numbers"]

Attribute: TypeAlias = str | float | bool | Iterable[float] | FloatArray
"""What an attribute or a text is made of."""


def number(value: float) -> str:
    """The shortest text that reads back as the same double."""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def numbers(values: Iterable[float]) -> str:
    """Several numbers, parted by blanks."""
    return " ".join(map(number, np.asarray(values, dtype=np.float64).reshape(-1).tolist()))


def element(parent: Element | None, tag: str, **attributes: Attribute | None) -> Element:
    """A new element, last in `parent`; attributes that are None are left out, `_` at the end of a name, too.

    Raises DescriptionError for texts that XML cannot hold.
    """
    made = etree.Element(tag) if parent is None else etree.SubElement(parent, tag)
    for name, value in attributes.items():
        if value is not None:
            text = _text(value)
            try:
                made.set(name.rstrip("_"), text)
            except ValueError:
                raise _unfit(tag, text) from None
    return made


def leaf(parent: Element, tag: str, content: Attribute, **attributes: Attribute | None) -> Element:
    """A new element with a text, last in `parent`. Raises DescriptionError for texts that XML cannot hold."""
    made = element(parent, tag, **attributes)
    text = _text(content)
    try:
        made.text = text
    except ValueError:
        raise _unfit(tag, text) from None
    return made


def document(root: Element) -> str:
    """The text of a file."""
    etree.indent(root)
    return '<?xml version="1.0"?>\n' + etree.tostring(root, encoding="unicode", pretty_print=True)


def _text(value: Attribute) -> str:
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return number(value) if isinstance(value, float | int) else numbers(value)


def _unfit(tag: str, text: str) -> DescriptionError:
    return DescriptionError(f"<{tag}>: expected a text that XML can hold, got {text!r}")
