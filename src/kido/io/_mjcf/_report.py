"""Report of what a file says and kido has nothing for, element by element."""

from __future__ import annotations

from kido.io._mjcf._file import MjcfFile
from kido.io._mjcf._schema import KINDS, Kind
from kido.io._xml import Element, tag_of

__all__ = ["report_ignored"]

_NEUTRAL = {
    ("geom", "gap"): "0",
    ("geom", "margin"): "0",
    ("geom", "priority"): "0",
    ("geom", "fluidshape"): "none",
    ("joint", "margin"): "0",
    ("compiler", "fusestatic"): "false",
    ("compiler", "discardvisual"): "false",
    ("compiler", "strippath"): "false",
    ("compiler", "alignfree"): "false",
    ("freejoint", "align"): "false",
}
"""Texts that say what is so without them."""

_STILL = ("tuple", "extension")
"""Elements that move nothing by themselves."""

_INTERNAL = "{urn:kido}"


def report_ignored(file: MjcfFile, root: Element) -> list[str]:
    """Record a diagnostic of kind "ignored" for every element and attribute that is not honoured.

    Returns the tags of elements whose loss changes how the model moves.
    """
    lost: list[str] = []
    pending: list[tuple[Element, str]] = [(root, "mujoco")]
    while pending:
        element, name = pending.pop()
        kind = KINDS[name]
        if kind.ignored is not None:
            file.note(element, "ignored", kind.ignored)
            if name not in _STILL:
                lost.append(tag_of(element))
            continue
        _report_attributes(file, element, name, kind)
        for child in reversed(element):
            inner = _kind_of(child, name, kind)
            if inner is not None:
                pending.append((child, inner))
            elif not kind.open:
                file.note(child, "ignored", f"unknown in <{tag_of(element)}>")
    return lost


def _kind_of(child: Element, outer: str, kind: Kind) -> str | None:
    tag = tag_of(child)
    if tag not in kind.children:
        return None
    for section in ("equality", "actuator"):
        if f"{section} {tag}" in KINDS and outer == section:
            return f"{section} {tag}"
    if outer == "default" and tag not in KINDS:
        return f"actuator {tag}"
    if outer == "default" and tag in ("equality", "tendon"):
        return "size"  # defaults are honoured where they are used
    return "plugin" if tag == "plugin" else tag


def _report_attributes(file: MjcfFile, element: Element, name: str, kind: Kind) -> None:
    if kind.open:
        return
    for attribute, text in element.attrib.items():
        if attribute in kind.reported:
            if _NEUTRAL.get((name, str(attribute))) != str(text).strip():
                file.note(element, "ignored", f"{attribute}: not honoured")
        elif (
            attribute not in kind.honoured
            and attribute not in kind.pictured
            and not str(attribute).startswith(_INTERNAL)
        ):
            file.note(element, "ignored", f"{str(attribute)[:200]}: unknown attribute")
