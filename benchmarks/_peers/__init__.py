"""One adaptor a library: its natural fastest way to do each operation from Python."""

from __future__ import annotations

import importlib

from _peers._kido import Kido
from _peers._peer import CHECKED, Batch, Call, Keep, Names, Peer, PeerType, UnsupportedRobotError

__all__ = [
    "CHECKED",
    "NAMES",
    "Batch",
    "Call",
    "Keep",
    "Kido",
    "Names",
    "Peer",
    "PeerType",
    "UnsupportedRobotError",
    "load",
]

_ADAPTORS = {
    "pinocchio": ("_peers._pinocchio", "Pinocchio"),
    "mujoco": ("_peers._mujoco", "Mujoco"),
    "dartpy": ("_peers._dartpy", "Dart"),
    "drake": ("_peers._drake", "Drake"),
}

NAMES = tuple(_ADAPTORS)
"""The libraries that kido is compared with."""


def load(name: str) -> PeerType:
    """The adaptor class of a library. Raises ImportError where the library is not installed."""
    module, attribute = _ADAPTORS[name]
    adaptor: PeerType = getattr(importlib.import_module(module), attribute)
    return adaptor
