"""Parts of a <robot> that are not read: elements, attributes and texts, told with their line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kido.io._xml import Element, XmlFile, has_texts, shown, tag_of

__all__ = ["note_ignored"]

_MOST_NOTES = 500
"""Of so many parts that are ignored each is named; the others are counted."""

_SHAPES = ("box", "sphere", "cylinder", "capsule", "mesh")


class _Part:
    """Read parts of an element: its attributes, children that it has once, and those that it has often;
    `each_once` are children that are read where there is one of each."""

    def __init__(
        self, attributes: Iterable[str] = (), once: Iterable[str] = (), often: Iterable[str] = ()
    ) -> None:
        self.attributes = frozenset(attributes)
        self.once = frozenset(once)
        self.often = frozenset(often)
        self.each_once = frozenset() if self.often.issuperset(_SHAPES) else self.once | self.often


_ROUND = _Part(("radius", "length"))
_PARTS = {
    "robot": _Part(("name", "version"), (), ("link", "joint", "material")),
    "link": _Part(("name",), ("inertial",), ("visual", "collision")),
    "inertial": _Part((), ("origin", "mass", "inertia")),
    "origin": _Part(("xyz", "rpy")),
    "mass": _Part(("value",)),
    "inertia": _Part(("ixx", "ixy", "ixz", "iyy", "iyz", "izz")),
    "visual": _Part(("name",), ("origin", "geometry", "material")),
    "collision": _Part(("name",), ("origin", "geometry")),
    "geometry": _Part((), (), _SHAPES),
    "box": _Part(("size",)),
    "sphere": _Part(("radius",)),
    "cylinder": _ROUND,
    "capsule": _ROUND,
    "mesh": _Part(("filename", "scale")),
    "material": _Part(("name",), ("color", "texture")),
    "color": _Part(("rgba",)),
    "texture": _Part(("filename",)),
    "joint": _Part(
        ("name", "type"),
        (
            *("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
            *("calibration", "safety_controller"),
        ),
    ),
    "parent": _Part(("link",)),
    "child": _Part(("link",)),
    "axis": _Part(("xyz",)),
    "limit": _Part(("lower", "upper", "velocity", "effort")),
    "dynamics": _Part(("damping", "friction")),
    "mimic": _Part(("joint", "multiplier", "offset")),
    "calibration": _Part(("rising", "falling")),
    "safety_controller": _Part(("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity")),
}
_UNLIMITED = ("floating", "planar")


def note_ignored(file: XmlFile, robot: Element) -> None:
    """Record a diagnostic "ignored" for each part of a <robot> that is not read; of very many the rest are
    counted in one. Below an element that is not read nothing is said."""
    count = 0
    for element, what in _ignored(robot):
        count += 1
        if count <= _MOST_NOTES:
            file.note(element, "ignored", what)
    if count > _MOST_NOTES:
        file.note(robot, "ignored", f"{count - _MOST_NOTES} more elements and attributes are ignored")


def _ignored(robot: Element) -> Iterator[tuple[Element, str]]:
    waiting, texts = [robot], has_texts(robot)
    while waiting:
        element = waiting.pop()
        part = _PARTS[tag_of(element)]
        children = list(element)
        names = element.keys()
        if not part.attributes.issuperset(names):
            for name in names:
                if name not in part.attributes:
                    yield element, f"{name}: ignored: {shown(str(element.get(name)))}"
        for text in (element.text, *[child.tail for child in children]) if texts else ():
            if text is not None and not text.isspace() and text:
                yield element, f"ignored: the text {shown(text.strip())}"
        if not children:
            continue
        tags = [child.tag for child in children]
        if (
            part.each_once.issuperset(tags)
            and len(set(tags)) == len(tags)
            and not ("limit" in tags and element.get("type") in _UNLIMITED)
        ):
            waiting.extend(reversed(children))  # there is nothing to tell
        else:
            yield from _ignored_children(element, children, part, waiting)


def _ignored_children(
    element: Element, children: list[Element], part: _Part, waiting: list[Element]
) -> Iterator[tuple[Element, str]]:
    """Children that are not read; the others are put into `waiting`."""
    seen: set[str] = set()
    read = []
    is_geometry = element.tag == "geometry"
    if is_geometry and all(child.tag not in _SHAPES for child in children):
        return  # left out as a whole, which is told
    for child in children:
        tag = tag_of(child)
        first = tag if tag in part.once else "shape" if is_geometry else ""
        if tag not in part.once and tag not in part.often:
            name = child.get("name") or child.get("reference")
            yield child, "ignored" if name is None else f"ignored: {shown(name)}"
        elif first and first in seen:
            yield child, f"ignored: only the first {f'<{tag}>' if first == tag else first} is read"
        elif tag == "limit" and element.get("type") in _UNLIMITED:
            yield child, f"ignored: a {element.get('type')} joint has no limits"
        else:
            read.append(child)
        seen.add(first)
    waiting.extend(reversed(read))
