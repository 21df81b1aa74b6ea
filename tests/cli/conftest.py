from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from _outcome import Outcome
from typer.testing import CliRunner

from kido.cli import app


@pytest.fixture
def kido() -> Callable[..., Outcome]:
    """Run the command line on arguments."""

    def run(*arguments: str | Path) -> Outcome:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="kido")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result.exit_code, result.output)

    return run


@pytest.fixture
def write_urdf(tmp_path: Path) -> Callable[[str], Path]:
    """Write the inside of a <robot> element to a file."""

    def write(inside: str, name: str = "test") -> Path:
        path = tmp_path / f"{name}.urdf"
        path.write_text(f'<robot name="{name}">{inside}</robot>')
        return path

    return write
