"""Memory of batched calls, in a process of its own: prints one JSON record.

Run as `python memory_probe.py URDF root operation,operation,...`.
"""

from __future__ import annotations

import json
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np

import kido

SAMPLES = 10_000
_WARM = 64
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def _kilobytes(key: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(key))
    return int(line.split()[1])


def _resident_growth(method: Any, inputs: list[Any], out: Any) -> int:
    _CLEAR.write_text("5")
    before = _kilobytes("VmRSS")
    method(*inputs, out=out)
    return 1024 * (_kilobytes("VmHWM") - before)


def _traced_excess(method: Any, inputs: list[Any]) -> int:
    tracemalloc.start()
    result = method(*inputs)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return int(peak - result.nbytes)


def main() -> None:
    """Measure each operation on one and two threads."""
    path, root, operations = sys.argv[1:]
    tree = kido.load_tree(path, root=root)
    rng = np.random.default_rng(0)
    record: dict[str, dict[str, int]] = {}
    for entry in operations.split(","):
        name, count = entry.split(":")
        method = getattr(tree, name)
        inputs = [rng.uniform(-1.0, 1.0, (SAMPLES, tree.num_dofs)) for _ in range(int(count))]
        kido.set_num_threads(1)
        method(*(column[:_WARM] for column in inputs))
        out = np.ones_like(method(*inputs))
        record[name] = {}
        for threads in (1, 2):
            kido.set_num_threads(threads)
            record[name][f"{threads}"] = _resident_growth(method, inputs, out)
        record[name]["output"] = out.nbytes
        record[name]["traced"] = _traced_excess(method, inputs)
    print(json.dumps(record))


if __name__ == "__main__":
    main()
