"""Programs that run in a Python of their own: for what may end, stop or starve a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""A shell ignores Ctrl-C for what it runs in the background, and programs inherit that."""

LINUX = sys.platform.startswith("linux")
PATIENCE = 600.0
"""How long a program may take, on a machine that has much else to do, before it is one that hangs [s]."""


def _start(program: str, *arguments: str) -> subprocess.Popen[str]:
    path = os.pathsep.join(p for p in sys.path if p)
    return subprocess.Popen(
        [sys.executable, "-c", _CTRL_C + program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def _end_of(process: subprocess.Popen[str], timeout: float) -> tuple[str, str]:
    """What a program prints and complains of until its end; one that hangs is killed."""
    try:
        return process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        raise


def _time_of(pid: int) -> float:
    """Processor time that a process has taken [s]; 0 where the system does not tell."""
    if not LINUX:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _time_of_children() -> float:
    """Processor time of all children that have ended [s]."""
    import resource  # not on every system

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def output_of(program: str, *arguments: str, timeout: float = PATIENCE) -> str:
    """Output of a program; it has to end by itself within some time [s], without an error."""
    with _start(program, *arguments) as process:
        out, said = _end_of(process, timeout)
    assert process.returncode == 0, f"exit status {process.returncode}\n{out}\n{said}"
    return out


def interrupted(program: str, *arguments: str, after: float = 0.3, code: int = 0) -> tuple[float, str]:
    """Processor time that a program takes after Ctrl-C [s], which comes a while after its first line, and
    what it prints then; it ends with an exit code. Other children are not to end meanwhile."""
    before = _time_of_children()
    with _start(program, *arguments) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(after)
        known = _time_of(process.pid)
        process.send_signal(signal.SIGINT)
        out, said = _end_of(process, PATIENCE)
    seconds = _time_of_children() - before - known
    assert process.returncode == code, f"exit status {process.returncode}\n{first}{out}\n{said}"
    return seconds, out
