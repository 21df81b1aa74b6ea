"""Memory of skeletons, in a process of its own: prints one JSON record.

Run as `python -m benchmarks._skeleton.memory_probe URDF count`.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import kido

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TRACED = 20


def _resident() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE


def _build(description: Any) -> kido.Skeleton:
    return kido.Skeleton.from_description(description)


def _ask_transform(skeleton: kido.Skeleton) -> None:
    skeleton.positions = np.linspace(-1.0, 1.0, skeleton.num_dofs)
    skeleton.bodies[-1].transform()


def _ask_motion(skeleton: kido.Skeleton) -> None:
    skeleton.velocities = skeleton.positions
    skeleton.accelerations = skeleton.positions
    for body in skeleton.bodies:
        body.spatial_acceleration()


def _ask_mass(skeleton: kido.Skeleton) -> None:
    _ = skeleton.mass_matrix


_STAGES: dict[str, Callable[[kido.Skeleton], None]] = {
    "asked for one transform": _ask_transform,
    "asked for positions, velocities, accelerations of all bodies": _ask_motion,
    "asked for its mass matrix too, which is kept": _ask_mass,
}


def main() -> None:
    """Build so many skeletons of one description, ask them, and look at the memory after each stage."""
    path, count = sys.argv[1], int(sys.argv[2])
    description = kido.io.read(path, root="free")
    warm = [_build(description) for _ in range(_TRACED)]
    for ask in _STAGES.values():
        for skeleton in warm:
            ask(skeleton)
    start = _resident()
    skeletons = [_build(description) for _ in range(count)]
    resident = {"built": (_resident() - start) / count}
    for stage, ask in _STAGES.items():
        for skeleton in skeletons:
            ask(skeleton)
        resident[stage] = (_resident() - start) / count
    record = {"skeletons": count, "resident": resident, "loaded": _loaded(path, count)}
    print(json.dumps({**record, "traced": _traced(description)}))


def _loaded(path: str, count: int) -> float:
    """Resident memory by skeleton where each is loaded from the file, and so has strings of its own."""
    start = _resident()
    skeletons = [kido.load(path, root="free") for _ in range(count)]
    for skeleton in skeletons:
        _ask_transform(skeleton)
        _ask_motion(skeleton)
    return (_resident() - start) / count


def _traced(description: Any) -> float:
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    skeletons = [_build(description) for _ in range(_TRACED)]
    for skeleton in skeletons:
        _ask_transform(skeleton)
        _ask_motion(skeleton)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (after - before) / _TRACED


if __name__ == "__main__":
    main()
