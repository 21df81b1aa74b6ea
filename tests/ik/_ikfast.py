"""IKFast libraries for tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from _poses import pose, turned

from kido.ik import IKFastLibrary

SOURCES = Path(__file__).parent / "ikfast"
TARGET = pose(turned(0.3, -0.5, 0.9), (0.25, -0.35, 0.6))
"""Within reach of the arm of `ikfast/arm.cpp`, in no singular pose."""

Build = Callable[..., IKFastLibrary]
"""Of the name of a source and the macros to define."""
