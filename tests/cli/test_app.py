from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
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


@pytest.mark.parametrize(
    ("arguments", "error", "usage"),
    [
        (("plott",), "no such command 'plott'. Did you mean 'plot'?", "kido [OPTIONS] COMMAND [ARGS]..."),
        (("--bad",), "no such option: --bad", "kido [OPTIONS] COMMAND [ARGS]..."),
        (("plot",), "missing argument 'FILE'", "kido plot [OPTIONS] FILE [QUANTITY]..."),
        (("simulate", "a", "--time", "x"), "--time: ", "kido simulate [OPTIONS] FILE"),
        (
            ("info", "a", "--package", "x"),
            "--package: expected an existing folder, got 'x'",
            "kido info [OPTIONS] FILE",
        ),
    ],
)
def test_what_is_wrong_with_a_call_comes_first_and_then_how_it_is_called(
    kido: Run, arguments: tuple[str, ...], error: str, usage: str
) -> None:
    shown = kido(*arguments)
    lines = shown.text.splitlines()
    assert shown.code == 2
    assert lines[0].startswith(f"error: {error}")
    assert lines[1] == f"usage: {usage}"
    assert lines[2].split() == [*usage.split(" [")[0].split(), "--help", "tells", "more"]
    assert len(lines) == 3


def test_importing_kido_imports_neither_command_line_nor_its_packages() -> None:
    unwanted = ("kido.cli", "typer", "rich", "matplotlib")
    code = f"import sys, kido; print([name for name in {unwanted} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_the_command_line_does_not_import_matplotlib_before_it_is_needed() -> None:
    code = "import sys, kido.cli; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
