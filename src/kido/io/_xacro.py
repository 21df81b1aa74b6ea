"""Xacro macros, which must be expanded before a URDF reader sees them."""

from __future__ import annotations

from pathlib import Path

from kido.errors import ModelFileError
from kido.io._xml import Element, prefixed, split_tag

__all__ = ["refuse_xacro_element", "refuse_xacro_file"]


def refuse_xacro_file(path: Path) -> None:
    """Raises ModelFileError that says how to expand the file if its suffix is .xacro."""
    if path.suffix.lower() == ".xacro":
        raise ModelFileError(str(path), None, None, f"xacro macros are not expanded; {_command(path.name)}")


def refuse_xacro_element(root: Element, file: str) -> None:
    """Raises ModelFileError that says how to expand the file if an element is a xacro macro."""
    for element in prefixed(root):
        namespace, local_name = split_tag(element)
        if element.prefix == "xacro" or "xacro" in namespace or local_name.startswith("xacro:"):
            tag = f"<xacro:{local_name.removeprefix('xacro:')}>"
            hint = _command(Path(file).name)
            raise ModelFileError(file, element.sourceline, tag, f"xacro macros are not expanded; {hint}")


def _command(name: str) -> str:
    stem = name.removesuffix(".xacro").removesuffix(".urdf")
    expanded = f"{stem}.urdf" if name.endswith(".xacro") else f"{stem}_expanded.urdf"
    return f"expand them first: xacro {name} > {expanded} (pip install xacro)"
