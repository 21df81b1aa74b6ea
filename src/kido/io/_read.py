"""Reading a model file by its suffix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kido.description import RobotDescription
from kido.io._urdf import read_urdf
from kido.io._xacro import refuse_xacro_file
from kido.typing import PathLike

__all__ = ["read"]

_READERS = {
    ".urdf": read_urdf,
}


def read(path: PathLike, **options: Any) -> RobotDescription:
    """Read a model file with the reader of its suffix, which takes the options (for .urdf: `read_urdf`).

    Raises ValueError for an unknown suffix, and what the reader raises.
    """
    place = Path(path)
    reader = _READERS.get(place.suffix.lower())
    if reader is None:
        refuse_xacro_file(place)
        raise ValueError(f"path: expected a file with suffix {', '.join(_READERS)}, got {place.name!r}")
    return reader(place, **options)
