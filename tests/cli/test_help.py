"""What commands say of themselves, and completion."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from _outcome import Outcome

Run = Callable[..., Outcome]

ARM = str(Path(__file__).parents[2] / "examples" / "arm.urdf")

COMMANDS = ("info", "convert", "diff", "ik", "simulate", "render", "plot", "view", "replay", "demo")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_neither_types_nor_words_that_hang(kido: Run, command: str) -> None:
    text = kido(command, "--help").text
    assert re.findall(r"<\w+>|\{\w+\}|\[\[", text) == []
    assert re.findall(r" [,;]| \.(?=\s|$)", text, re.M) == []


@pytest.mark.parametrize("command", COMMANDS[:-1])
def test_what_arguments_are_stands_in_one_column(kido: Run, command: str) -> None:
    block = kido(command, "--help").text.split("Arguments:\n")[1].split("\n\n")[0]
    columns = {re.match(r"  (\S+ +| +)", line).end() for line in block.splitlines()}  # type: ignore[union-attr]
    assert len(columns) == 1


def test_the_overview_says_of_each_command_what_it_does_in_a_line(kido: Run) -> None:
    text = kido("--help").text
    lines = text.split("Commands:")[1].strip().splitlines()
    assert [line.split()[0] for line in lines] == list(COMMANDS)
    assert all(line.endswith(".") and not line.endswith("...") for line in lines)


def test_help_imports_neither_kido_itself_nor_what_prints() -> None:
    code = (
        "import sys\nfrom kido.cli import app\n"
        "try:\n    app([sys.argv[1], '--help'], prog_name='kido')\nexcept SystemExit: pass\n"
        "unwanted = {'numpy', 'kido._core', 'kido.skeleton', 'kido.world', 'kido.view', 'rich', 'viser'}\n"
        "print('imported', sorted(unwanted & set(sys.modules)))"
    )
    for command in ("info", "simulate", "demo"):
        run = subprocess.run(
            [sys.executable, "-c", code, command], capture_output=True, text=True, check=True
        )
        assert run.stdout.splitlines()[-1] == "imported []"


@pytest.mark.parametrize("arguments", [("--version",), ("info", ARM), ("info", ARM, "--json", "--deg")])
def test_commands_do_without_what_typer_reads_numbers_by(arguments: tuple[str, ...]) -> None:
    code = (
        "import sys\nfrom kido.cli import app\n"
        "try:\n    app(sys.argv[1:], prog_name='kido')\nexcept SystemExit as end: code = end.code\n"
        "print('imported', code, 'pydantic' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "imported 0 False"
    assert len(run.stdout.splitlines()) > 1


@pytest.mark.parametrize(
    ("shell", "file"),
    [
        ("bash", ".bash_completions/kido.sh"),
        ("zsh", ".zfunc/_kido"),
        ("fish", ".config/fish/completions/kido.fish"),
    ],
)
def test_completion_installs_for_a_shell(shell: str, file: str, tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    command = [sys.executable, "-m", "kido", "--install-completion", shell]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert f"{shell} completion installed" in run.stdout
    script = (tmp_path / file).read_text()
    assert "_KIDO_COMPLETE" in script


def test_a_word_is_completed() -> None:
    for words, expected in (
        ("kido re", ["render", "replay"]),
        ("kido simulate --ti", ["--time", "--timing"]),
    ):
        count = str(len(words.split()) - 1)
        environment = {
            **os.environ,
            "_KIDO_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": count,
        }
        run = subprocess.run(
            [sys.executable, "-m", "kido"], env=environment, capture_output=True, text=True, check=False
        )
        assert run.stdout.split() == expected
