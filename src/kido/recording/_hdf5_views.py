"""Views of a recording's streams, for those who read its file without kido."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kido.recording._hdf5_stream import hdf5, reserve_room
from kido.recording._layout import PartLayout
from kido.recording._tables import TableSpec

__all__ = ["write_views"]

_ROOM = 4 << 20
"""For the views [bytes]; what is not used is given back."""

_OWN = "keyframes", "keyframe_states", "keyframe_numbers", "inputs", "input_numbers"
"""Tables that nobody reads but kido."""


def write_views(
    path: Path, parts: Iterable[tuple[PartLayout, Mapping[str, tuple[TableSpec, int, int]]]]
) -> None:
    """Add a group for each part, with a virtual dataset for each table: its rows, unit and columns.

    `parts`: layouts, and for each table its shape, where it begins in its stream (-1: all is zero), and its
    number of rows. What is in the streams stays as it is. Raises OSError.
    """
    h5py = hdf5("a recording in a file")
    try:
        reserve_room(path, os.path.getsize(path) + _ROOM)
    except OSError:
        return  # the recording is whole without
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        for index, (layout, tables) in enumerate(parts):
            group = file["parts"].create_group(str(index))
            group.attrs["began"] = layout.began
            group.attrs["time_step"] = layout.time_step
            for name, texts in (
                ("dof_names", [f"{dof.skeleton}/{dof.dof}" for dof in layout.dofs]),
                ("dof_units", [dof.unit for dof in layout.dofs]),
                ("shape_names", [str(shape) for shape in layout.shapes]),
            ):
                group.create_dataset(name, data=[text.encode() for text in texts] or [b""])
            for name, (spec, first, count) in tables.items():
                if name not in _OWN:
                    _view(h5py, file, group, name, spec, first, count)


def _view(h5py: Any, file: Any, group: Any, name: str, spec: TableSpec, first: int, count: int) -> None:
    shape = (count, *spec.shape)
    if first < 0 or count == 0:
        view = group.create_dataset(name, shape, spec.dtype, fillvalue=0)
    else:
        stream = f"streams/part/{name}"
        source = h5py.VirtualSource(".", stream, shape=file[stream].shape, dtype=spec.dtype)
        layout = h5py.VirtualLayout(shape, spec.dtype)
        layout[...] = source[first : first + int(np.prod(shape, dtype=np.int64))]
        view = group.create_virtual_dataset(name, layout)
    if spec.unit:
        view.attrs["unit"] = spec.unit
    if spec.columns:
        view.attrs["columns"] = list(spec.columns)
