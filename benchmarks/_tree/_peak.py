"""The processor's peak without fused multiply-add, by a small native probe."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_ROUNDS = 1_000_000
_SOURCE = Path(__file__).with_name("peak.cpp")


@dataclass(frozen=True)
class Probe:
    """A function of nothing, and the floating-point operations that it does."""

    function: Callable[[], object]
    flops: float


def build(folder: Path) -> Probe | None:
    """Compile the probe for this processor; None where there is no C++ compiler."""
    compiler = shutil.which(os.environ.get("CXX", "g++")) or shutil.which("c++")
    if compiler is None:
        return None
    target = folder / "peak.so"
    flags = ["-O3", "-march=native", "-ffp-contract=off", "-std=c++17", "-fPIC", "-shared"]
    subprocess.run([compiler, *flags, str(_SOURCE), "-o", str(target)], check=True)
    library = ctypes.CDLL(str(target))
    library.run_peak.restype = library.peak_flops_per_round.restype = ctypes.c_double
    library.run_peak.argtypes = [ctypes.c_long, ctypes.c_double, ctypes.c_double]
    return Probe(lambda: library.run_peak(_ROUNDS, 1.0, 1.0), _ROUNDS * library.peak_flops_per_round())
