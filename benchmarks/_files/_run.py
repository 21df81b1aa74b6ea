"""The benchmark of model files: time from a file to a model that answers."""

from __future__ import annotations

import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import kido
from benchmarks import _robots
from benchmarks._files import _crowd, _meshes
from benchmarks._harness import Session, Subsystem
from benchmarks._measure import Block, fastest
from benchmarks._table import Table, duration, verdict

_BODIES = 2000
_MOST = {"talos": 30e-3, "crowd": 2.0}
"""Longest times that are wanted [s]."""
_AS_QUICK = ("g1 first time", "g1 with its meshes")
"""Files that are to be read as quickly as by the fastest peer."""
_NAMES = ("talos", "g1 first time", "g1 with its meshes", "dog of dm_control", "crowd", "import")
Loads = dict[str, Callable[[], Any]]


def _measure(session: Session) -> dict[str, Any]:
    chosen = session.options.robots or _NAMES
    peers = {name: adaptor() for name, adaptor in session.adaptors.items()}
    table = Table("Time from a file to a model", ["file", "kido", *peers, "ratio", "target", ""])
    record: dict[str, Any] = {}
    for name in chosen:
        processes = range(3 if session.options.quick else 10)
        if name == "import":
            times = {"kido": min(_import() for _ in processes)}
        elif name == "g1 first time":
            times = {
                who: min(_meshes.first_time(who, _g1(), session.folder) for _ in processes)
                for who in ("kido", *peers)
            }
        else:
            loads = _loads(name, session.folder, peers)
            if "kido" not in loads:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of what models lack
                blocks = {who: Block(load, clock=time.perf_counter) for who, load in loads.items()}
                times = fastest(blocks, session.effort)
        record[name] = times
        table.rows.append(_row(name, times, list(peers)))
    table.notes += [
        "ratio: the fastest peer's time by that of kido",
        "times are those of a clock on the wall, for MuJoCo reads meshes in threads",
        "first time: in a process that has imported the library and read nothing yet",
        "again: kido and MuJoCo have the meshes in memory",
    ]
    table.notes.append("`import kido` is of a new process, without the start of Python")
    session.add(table)
    return record


def _row(name: str, times: dict[str, float], peers: list[str]) -> list[str]:
    own, others = times["kido"], [times[peer] for peer in peers if peer in times]
    ratio = min(others) / own if others else None
    most = _MOST.get(name)
    goal, passed = "-", "-"
    if most is not None:
        goal, passed = f"<= {duration(most)}", verdict(most, own)
    elif name in _AS_QUICK:
        goal, passed = ">= 1", verdict(ratio, 1.0)
    shown = [duration(times[peer]) if peer in times else "-" for peer in peers]
    return [_TITLES[name], duration(own), *shown, "-" if ratio is None else f"{ratio:.2f}", goal, passed]


_TITLES = {
    "talos": "talos.urdf, without meshes",
    "g1 first time": "g1.urdf with its meshes, first time",
    "g1 with its meshes": "g1.urdf with its meshes, again",
    "dog of dm_control": "dog.xml of dm_control, with its meshes",
    "crowd": f"world of {_BODIES} free boxes, SDF",
    "import": "`import kido`",
}


def _loads(name: str, folder: Path, peers: dict[str, Any]) -> Loads:
    """What is timed, by library; without kido's where the file is not installed."""
    if name == "talos":
        path = _robots.write("talos", folder, shipped=True).path
        found: Loads = {"kido": lambda: kido.load(path)}
        found |= {who: peer.robot(path) for who, peer in peers.items() if hasattr(peer, "robot")}
        return found
    if name == "crowd":
        crowd = _crowd.write(folder / "crowd.sdf", _BODIES)
        return {"kido": lambda: kido.load_world(crowd)}
    if name == "dog of dm_control":
        return _dog(peers)
    return {who: _meshes.loads(who, _g1(), folder) for who in ("kido", *peers)}


def _g1() -> Path:
    return _robots.installed() / "g1_description/urdf/g1_29dof_rev_1_0.urdf"


def _dog(peers: dict[str, Any]) -> Loads:
    spec = find_spec("dm_control")
    if spec is None or spec.origin is None:
        return {}
    path = Path(spec.origin).parent / "suite" / "dog.xml"
    found: Loads = {"kido": lambda: kido.load_world(path)}
    return found | {who: peer.world(path) for who, peer in peers.items() if hasattr(peer, "world")}


def _import() -> float:
    """Time of a new process that imports kido beside one that does not [s]."""

    def run(code: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - start

    return run("import kido") - run("pass")


SUBSYSTEM = Subsystem("files", "Time to read model files, beside Pinocchio and MuJoCo.", _NAMES, _measure)
