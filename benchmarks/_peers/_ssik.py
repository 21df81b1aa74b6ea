"""ssik: solvers that it generates for one arm."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import ssik.cli

from benchmarks._ik._arms import BASE, TOOL, Arm
from benchmarks._ik._solver import FloatArray, Search, Solver, UnsupportedArmError


class SsikArm(Solver):
    """`solve` of a generated module."""

    name = library = "ssik"
    settings = "a generated module, the solution nearest to the start"

    def __init__(self, arm: Arm, folder: Path) -> None:
        name = f"{arm.name}_ssik"
        path = folder / f"{name}.py"
        command = ["build", str(arm.path), "--base", BASE, "--ee", TOOL, "--out", str(path), "--no-validate"]
        run = subprocess.run(
            [sys.executable, "-m", ssik.cli.__name__, *command], capture_output=True, text=True
        )
        if run.returncode or not path.exists():
            raise UnsupportedArmError(f"its generator fails: {run.stderr.strip().splitlines()[-1:]}")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        self._module = importlib.util.module_from_spec(spec)
        sys.modules[name] = self._module
        spec.loader.exec_module(self._module)

    def branches(self, target: FloatArray) -> list[FloatArray]:
        """All solutions, each (n,) [rad], one for each branch, limits disregarded."""
        return [s.q for s in self._module.solve(target, respect_limits=False)]

    def complete(self) -> Search:
        """The one nearest to the start."""
        return self._nearest

    def _nearest(self, target: FloatArray, start: FloatArray) -> FloatArray | None:
        found = self._module.solve(target, max_solutions=1, q_seed=start)
        return found[0].q if found else None
