"""What single commands need: imported when it is first used, so that the others answer the sooner."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kido.cli._demo import DemoTask, run_demo
    from kido.cli._ik import IKTask, run_ik
    from kido.cli._render import RenderTask, read_size, run_render
    from kido.cli._simulate import SimulationTask, run_simulation
    from kido.cli._view import ViewTask, run_view

__all__ = [
    "DemoTask",
    "IKTask",
    "RenderTask",
    "SimulationTask",
    "ViewTask",
    "read_size",
    "run_demo",
    "run_ik",
    "run_render",
    "run_simulation",
    "run_view",
]

_MODULES = {
    "DemoTask": "kido.cli._demo",
    "IKTask": "kido.cli._ik",
    "RenderTask": "kido.cli._render",
    "SimulationTask": "kido.cli._simulate",
    "ViewTask": "kido.cli._view",
    "read_size": "kido.cli._render",
    "run_demo": "kido.cli._demo",
    "run_ik": "kido.cli._ik",
    "run_render": "kido.cli._render",
    "run_simulation": "kido.cli._simulate",
    "run_view": "kido.cli._view",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'kido.cli._commands' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
