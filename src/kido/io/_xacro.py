"""Xacro macros, which must be expanded before a URDF reader sees them."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from kido.errors import ModelFileError
from kido.io._xml import Element, tag_of

__all__ = ["refuse_xacro_element", "refuse_xacro_file"]


def refuse_xacro_file(path: Path) -> None:
    """Raises ModelFileError that says how to expand the file if its suffix is .xacro."""
    if path.suffix.lower() == ".xacro":
        raise ModelFileError(str(path), None, None, f"xacro macros are not expanded; {_command(path.name)}")


def refuse_xacro_element(root: Element, file: str) -> None:
    """Raises ModelFileError that says how to expand the file if an element is a xacro macro."""
    for element in root.iter(etree.Element):
        if _is_xacro(element):
            tag = f"<xacro:{etree.QName(element).localname.removeprefix('xacro:')}>"
            hint = _command(Path(file).name)
            raise ModelFileError(file, element.sourceline, tag, f"xacro macros are not expanded; {hint}")


def _is_xacro(element: Element) -> bool:
    namespace = etree.QName(element).namespace or ""
    return element.prefix == "xacro" or "xacro" in namespace or tag_of(element).startswith("xacro:")


def _command(name: str) -> str:
    stem = name.removesuffix(".xacro").removesuffix(".urdf")
    return f"expand them first: xacro {name} > {stem}_expanded.urdf (pip install xacro)"
