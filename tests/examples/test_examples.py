from __future__ import annotations

import runpy
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

from examples.pictures._examples import PICTURES, example_names
from examples.pictures._style import STYLES, Canvas

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("[0-9]*.py"))


def test_examples_are_numbered_without_a_gap() -> None:
    assert [int(path.name[:2]) for path in EXAMPLES] == list(range(1, len(EXAMPLES) + 1))


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_anywhere_checks_itself_and_leaves_nothing(
    example: Path,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(example)])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("made")))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runpy.run_path(str(example), run_name="__main__")
    printed = capfd.readouterr()
    assert printed.err == ""
    assert printed.out
    assert list(tmp_path.iterdir()) == []
    assert "assert" in example.read_text()


def test_every_example_has_a_picture() -> None:
    assert sorted(PICTURES) == list(range(1, len(EXAMPLES) + 1))


@pytest.mark.nightly
@pytest.mark.parametrize("number", PICTURES)
def test_the_picture_of_an_example_shows_something(number: int) -> None:
    for style in STYLES:
        image = PICTURES[number](Canvas(style, (240, 180)), example_names(number))
        assert image.shape == (180, 240, 3)
        assert image.std() > 3.0
