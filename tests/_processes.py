"""Programs that run in a Python of their own: for what may end, stop or starve a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""A shell ignores Ctrl-C for what it runs in the background, and programs inherit that."""

LINUX = sys.platform.startswith("linux")


def _start(program: str, *arguments: str) -> subprocess.Popen[str]:
    path = os.pathsep.join(p for p in sys.path if p)
    return subprocess.Popen(
        [sys.executable, "-c", _CTRL_C + program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def output_of(program: str, *arguments: str, timeout: float = 120.0) -> str:
    """Output of a program; it has to end by itself within some time [s], without an error."""
    with _start(program, *arguments) as process:
        out, said = process.communicate(timeout=timeout)
    assert process.returncode == 0, f"exit status {process.returncode}\n{out}\n{said}"
    return out


def interrupted(program: str, *arguments: str, after: float = 0.3, code: int = 0) -> tuple[float, str]:
    """Seconds that a program runs on after Ctrl-C, which comes a while after its first line, and what it
    prints then; it ends with an exit code."""
    with _start(program, *arguments) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(after)
        start = time.perf_counter()
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=300.0)
        seconds = time.perf_counter() - start
    assert process.returncode == code, f"exit status {process.returncode}\n{first}{out}\n{said}"
    return seconds, out
