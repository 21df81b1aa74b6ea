"""The adaptors of this benchmark, by the names of the libraries."""

from __future__ import annotations

import importlib

from _peers import PeerType

_CLASSES = {
    "dartpy": "DartSkeleton",
    "drake": "DrakeSkeleton",
    "pinocchio": "PinocchioSkeleton",
    "mujoco": "MujocoSkeleton",
}

NAMES = tuple(_CLASSES)
"""The libraries that kido is compared with."""


def load(name: str) -> PeerType:
    """The adaptor class of a library. Raises ImportError where the library is not installed."""
    adaptor: PeerType = getattr(importlib.import_module(f"_skeleton._{name}"), _CLASSES[name])
    return adaptor
