"""What the numbers were measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

import kido
from kido import _core


def lines() -> list[str]:
    """Processor, system, and versions."""
    return [
        f"processor: {_processor()}, {os.cpu_count()} cores",
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, numpy {version('numpy')}",
        f"kido {kido.__version__}, instruction set {_core.instruction_set()}",
    ]


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
