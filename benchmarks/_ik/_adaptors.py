"""The adaptors, by the names of the libraries."""

from __future__ import annotations

import importlib

from _ik._solver import SolverType

_CLASSES = {
    "dartpy": "Dart",
    "pink": "Pink",
    "mink": "Mink",
    "pytracik": "TracIk",
    "roboticstoolbox": "Toolbox",
    "drake": "Drake",
    "eaik": "Eaik",
    "ssik": "Ssik",
}

NAMES = tuple(_CLASSES)
"""The libraries that kido is compared with."""


def load(name: str) -> SolverType:
    """The adaptor class of a library. Raises ImportError where the library is not installed."""
    adaptor: SolverType = getattr(importlib.import_module(f"_ik._{name}"), _CLASSES[name])
    return adaptor
