"""Imports of single commands, made when one is first used, so that the others answer the sooner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kido._later import found_later

if TYPE_CHECKING:
    from kido.cli._compare import print_differences, run_convert
    from kido.cli._console import make_console
    from kido.cli._demo import DemoTask, run_demo
    from kido.cli._files import ModelFile, is_recording
    from kido.cli._ik import IKTask, run_ik
    from kido.cli._info import print_file, print_json
    from kido.cli._recordings import (
        plot_recording,
        print_recording,
        print_recording_differences,
    )
    from kido.cli._render import RenderTask, read_size, run_render
    from kido.cli._simulate import SimulationTask, run_simulation
    from kido.cli._view import ViewTask, run_replay, run_view

__all__ = [
    "DemoTask",
    "IKTask",
    "ModelFile",
    "RenderTask",
    "SimulationTask",
    "ViewTask",
    "is_recording",
    "make_console",
    "plot_recording",
    "print_differences",
    "print_file",
    "print_json",
    "print_recording",
    "print_recording_differences",
    "read_size",
    "run_convert",
    "run_demo",
    "run_ik",
    "run_render",
    "run_replay",
    "run_simulation",
    "run_view",
]

_MODULES = {
    "DemoTask": "kido.cli._demo",
    "IKTask": "kido.cli._ik",
    "ModelFile": "kido.cli._files",
    "RenderTask": "kido.cli._render",
    "SimulationTask": "kido.cli._simulate",
    "ViewTask": "kido.cli._view",
    "is_recording": "kido.cli._files",
    "make_console": "kido.cli._console",
    "plot_recording": "kido.cli._recordings",
    "print_differences": "kido.cli._compare",
    "print_file": "kido.cli._info",
    "print_json": "kido.cli._info",
    "print_recording": "kido.cli._recordings",
    "print_recording_differences": "kido.cli._recordings",
    "read_size": "kido.cli._render",
    "run_convert": "kido.cli._compare",
    "run_demo": "kido.cli._demo",
    "run_ik": "kido.cli._ik",
    "run_render": "kido.cli._render",
    "run_replay": "kido.cli._view",
    "run_simulation": "kido.cli._simulate",
    "run_view": "kido.cli._view",
}

__getattr__ = found_later(__name__, _MODULES)
