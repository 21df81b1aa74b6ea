"""The documentation is run: README.md and every page of docs/, block by block from top to bottom.

A `python` block is executed in the namespace of its page, at the root of the repository. A `text` block is
what the python block before it prints. A `console` block is a kido command after `$` and what it prints;
those of a page run in one empty folder with `examples` in it.
"""

from __future__ import annotations

import gc
import os
import shlex
import subprocess
import sys
import tempfile
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from sybil import Example, Sybil
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import CodeBlockParser

import kido

# There are as many workers as processors: threads of one that wait for each other keep another from its own.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
gc.disable()  # until all tests are collected: they are millions of objects, and none of them is garbage

ROOT = Path(__file__).parent
PRINTED = "printed by the block before"
OF_COMMANDS = "folder of commands"

_run_python = PythonEvaluator()


def _start(namespace: dict[str, Any]) -> None:
    namespace["folder before"] = Path.cwd()
    os.chdir(ROOT)
    folder = namespace[OF_COMMANDS] = tempfile.TemporaryDirectory()
    (Path(folder.name) / "examples").symlink_to(ROOT / "examples")


def _end(namespace: dict[str, Any]) -> None:
    os.chdir(namespace["folder before"])
    namespace[OF_COMMANDS].cleanup()
    kido.set_num_threads(0)


def _execute(example: Example) -> str | None:
    printed = StringIO()
    with redirect_stdout(printed):
        complaint = _run_python(example)
    example.namespace[PRINTED] = printed.getvalue()
    return complaint


def _compare(example: Example) -> str | None:
    return _difference(example.namespace.pop(PRINTED, ""), example.parsed)


def _execute_command(example: Example) -> str | None:
    command, _, expected = example.parsed.partition("\n")
    words = shlex.split(command.removeprefix("$ "))
    if words[0] != "kido":
        return f"expected a kido command, got {command!r}"
    arguments, folder = [sys.executable, "-m", *words], example.namespace[OF_COMMANDS].name
    run = subprocess.run(arguments, capture_output=True, text=True, timeout=600, check=False, cwd=folder)
    return _difference(run.stdout + run.stderr, expected)


def _difference(got: str, expected: str) -> str | None:
    return None if got.strip() == expected.strip() else f"expected:\n{expected}\nprinted:\n{got}"


pytest_collect_file = Sybil(
    parsers=[
        CodeBlockParser("python", _execute),
        CodeBlockParser("text", _compare),
        CodeBlockParser("console", _execute_command),
    ],
    patterns=["README.md", "docs/*.md"],
    setup=_start,
    teardown=_end,
).pytest()


def pytest_collection_finish() -> None:
    """From here on the collector of garbage looks at what tests make, not at the tests."""
    gc.collect()
    gc.freeze()
    gc.enable()
