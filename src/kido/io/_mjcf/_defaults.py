"""The <default> element: classes of attributes that elements have where they say nothing else."""

from __future__ import annotations

from kido.errors import UnknownNameError
from kido.io._mjcf._file import MjcfFile
from kido.io._mjcf._node import Node
from kido.io._mjcf._orientation import ORIENTATIONS
from kido.io._mjcf._schema import ACTUATORS, COMMON_ACTUATOR, KINDS
from kido.io._xml import Element, tag_of

__all__ = ["Defaults"]

_Attributes = dict[str, tuple[str, Element]]
_Class = dict[str, _Attributes]

_PARTIAL = {"size", "friction", "gear", "gainprm", "biasprm", "dynprm", "solref", "solimp"}
"""Attributes of several numbers, of which an element may give the first ones and leave the rest."""

_MOST_PARTS = 16
_SHARED = "actuator"
_CLASS = "class of defaults"


class Defaults:
    """The classes of defaults of a file."""

    def __init__(self, file: MjcfFile, root: Element) -> None:
        self._file = file
        self._classes: dict[str, _Class] = {"main": {}}
        for element in root.iterfind("default"):
            name = element.get("class") or "main"
            self._classes["main"] = self._extended(self._classes["main"], element)
            self._classes[name] = self._classes["main"]
            self._read_classes(element, name)

    def node(self, element: Element, kind: str, childclass: str | None) -> Node:
        """An element with the attributes of its class, or of `childclass`, or of the class of all.

        Raises ModelFileError for a class that there is not.
        """
        name = element.get("class") or childclass or "main"
        if name not in self._classes:
            raise self._file.error(element, f"class: {UnknownNameError(_CLASS, name, self._classes)}")
        values = self._classes[name].get(kind, {})
        if kind in ACTUATORS:
            values = {**self._classes[name].get(_SHARED, {}), **values}
        return Node(self._file, element, _merged(values, _own(element)))

    def check_class(self, element: Element, attribute: str) -> str | None:
        """The class that an element names for those in it; raises ModelFileError if there is none."""
        name = element.get(attribute)
        if name is not None and name not in self._classes:
            raise self._file.error(element, f"{attribute}: {UnknownNameError(_CLASS, name, self._classes)}")
        return name

    def _read_classes(self, element: Element, parent: str) -> None:
        """The classes in an element, each with what those around it say."""
        pending = [(inner, parent) for inner in element.iterfind("default")]
        while pending:
            inner, outer = pending.pop()
            name = inner.get("class")
            if not name:
                raise self._file.error(inner, "class: expected a name, but it is missing or empty")
            if name in self._classes:
                raise self._file.error(inner, f"class: {name[:200]!r} is defined twice")
            self._classes[name] = self._extended(self._classes[outer], inner)
            pending += [(deeper, name) for deeper in inner.iterfind("default")]

    def _extended(self, inherited: _Class, element: Element) -> _Class:
        result = dict(inherited)
        for child in element:
            tag = tag_of(child)
            own = _own(child)
            if tag in ACTUATORS:
                shared = {name: value for name, value in own.items() if name in COMMON_ACTUATOR}
                result[_SHARED] = _merged(result.get(_SHARED, {}), shared)
                own = {name: value for name, value in own.items() if name not in COMMON_ACTUATOR}
            known = KINDS.get(f"actuator {tag}" if tag in ACTUATORS else tag)
            if known is not None and tag != "default":
                bounded = own if known.open and len(own) < 100 else _known(own, known.honoured)
                result[tag] = _merged(result.get(tag, {}), bounded)
        return result


def _own(element: Element) -> _Attributes:
    return {str(name): (str(text), element) for name, text in element.attrib.items() if name != "class"}


def _known(values: _Attributes, names: frozenset[str]) -> _Attributes:
    return {name: value for name, value in values.items() if name in names}


def _merged(inherited: _Attributes, own: _Attributes) -> _Attributes:
    """Own attributes over inherited ones: an orientation replaces another, first numbers those of a list."""
    if not inherited:
        return own
    result = dict(inherited)
    if any(name in own for name in ORIENTATIONS):
        for name in ORIENTATIONS:
            result.pop(name, None)
    for name, (text, element) in own.items():
        if name in _PARTIAL and name in inherited:
            first, rest = text.split(), inherited[name][0].split()
            if len(first) < len(rest) <= _MOST_PARTS:
                text = " ".join([*first, *rest[len(first) :]])
        result[name] = (text, element)
    return result
