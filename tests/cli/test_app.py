from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

from _outcome import Outcome

import kido as package

Run = Callable[..., Outcome]


def test_version_is_that_of_the_package(kido: Run) -> None:
    assert kido("--version") == Outcome(0, f"kido {package.__version__}\n")


def test_help_names_the_commands_and_their_options(kido: Run) -> None:
    overview = kido("--help")
    assert overview.code == 0
    assert "info" in overview.text
    assert "ik" in overview.text and "simulate" in overview.text
    for command, options in (
        ("info", ("--root", "--package")),
        ("ik", ("--body", "--target", "--root")),
        ("simulate", ("--time", "--step", "--hold", "--save", "--root")),
    ):
        text = kido(command, "--help").text
        assert all(option in text for option in options)


def test_an_unknown_command_is_a_usage_error(kido: Run) -> None:
    assert kido("dance").code == 2


def test_importing_kido_imports_neither_command_line_nor_its_packages() -> None:
    unwanted = ("kido.cli", "typer", "rich", "matplotlib")
    code = f"import sys, kido; print([name for name in {unwanted} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_the_command_line_does_not_import_matplotlib_before_it_is_needed() -> None:
    code = "import sys, kido.cli; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
