"""One file a library: its natural fastest way to do each operation of each subsystem from Python."""

from __future__ import annotations

import importlib
from importlib.metadata import version
from typing import Any

from benchmarks._peers._peer import CHECKED, Batch, Call, Keep, Names, Peer, PeerType, UnsupportedRobotError

__all__ = [
    "CHECKED",
    "CLASSES",
    "Batch",
    "Call",
    "Keep",
    "Names",
    "Peer",
    "PeerType",
    "UnsupportedRobotError",
    "installed",
]

CLASSES = {
    "tree": {
        "pinocchio": "PinocchioTree",
        "mujoco": "MujocoTree",
        "dartpy": "DartTree",
        "drake": "DrakeTree",
    },
    "skeleton": {
        "dartpy": "DartSkeleton",
        "drake": "DrakeSkeleton",
        "pinocchio": "PinocchioSkeleton",
        "mujoco": "MujocoSkeleton",
    },
    "editing": {"dartpy": "DartEditing"},
    "ik": {
        "dartpy": "DartArm",
        "pink": "PinkArm",
        "mink": "MinkArm",
        "placo": "PlacoArm",
        "pytracik": "TracIkArm",
        "roboticstoolbox": "ToolboxArm",
        "drake": "DrakeArm",
        "eaik": "EaikArm",
        "ssik": "SsikArm",
    },
    "objective": {"scipy": "ScipyObjective"},
    "global": {},
    "posture": {},
    "lcp": {"daqp": "DaqpLcp", "bvls": "ScipyLcp"},
    "world": {
        "mujoco": "MujocoWorld",
        "dartpy": "DartWorld",
        "pybullet": "BulletWorld",
        "sapien": "SapienWorld",
        "rapier3d": "RapierWorld",
    },
    "soft": {"dart_soft": "DartSoft", "mujoco_flex": "MujocoFlex"},
    "view": {},
    "files": {"pinocchio": "PinocchioFiles", "mujoco": "MujocoFiles"},
    "whole body": {"pink": "PinkHumanoid", "mink": "MinkHumanoid"},
    "task set": {"pink": "PinkTaskSet", "mink": "MinkTaskSet", "placo": "PlacoTaskSet"},
}
"""The adaptors of each subsystem, by library; a library's stand in the file of its name."""


def installed(subsystem: str) -> tuple[dict[str, Any], list[str]]:
    """Adaptors of the installed libraries, and a line for each library: its version, or why it is missing."""
    found: dict[str, Any] = {}
    lines = []
    for name, adaptor in CLASSES[subsystem].items():
        try:
            module = importlib.import_module(f"benchmarks._peers._{name}")
        except ImportError as error:
            lines.append(f"{name}: skipped, {error}")
            continue
        found[name] = getattr(module, adaptor)
        lines.append(f"{name}: {found[name].library} {version(found[name].library)}")
    return found, lines
