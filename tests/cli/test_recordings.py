"""Recordings on the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from _outcome import Outcome

import kido as package

Run = Callable[..., Outcome]

ARM = Path(__file__).parents[2] / "examples" / "arm.urdf"


@pytest.fixture
def run_file(kido: Run, tmp_path: Path) -> Path:
    """A recording of an arm that falls."""
    path = tmp_path / "run.h5"
    shown = kido("simulate", ARM, "--time", "0.5", "--record", path, "--rate", "100", "--no-time")
    assert shown.code == 0 and f"recorded          {path}" in shown.text
    return path


def test_simulate_records_what_it_simulates(kido: Run, run_file: Path, tmp_path: Path) -> None:
    it = package.load_recording(run_file)
    assert it.notes == () and len(it) == 51 and it.end_time == 0.5
    kido("simulate", ARM, "--time", "0.5", "--save", tmp_path / "run.npz", "--no-time")
    assert np.array_equal(np.load(tmp_path / "run.npz")["positions"], it.positions("arm"))
    assert it.series("energy").units == ("J",)


def test_info_tells_what_a_recording_holds(kido: Run, run_file: Path) -> None:
    shown = kido("info", run_file)
    assert shown.code == 0
    for line in ("time        0 to 0.5 s", "samples     51", "skeletons   arm"):
        assert line in shown.text
    told = json.loads(kido("info", run_file, "--json").text)
    assert told["samples"] == 51 and told["parts"][0]["dofs"][0] == "arm/turn" and told["notes"] == []
    shown = kido("info", run_file, "--robot", "arm")
    assert shown.code == 1 and "--robot: of model files" in shown.text
    broken = run_file.parent / "broken.h5"
    broken.write_bytes(run_file.read_bytes()[:300])
    shown = kido("info", broken)
    assert shown.code == 1 and "nothing of it is whole" in shown.text


def test_diff_compares_two_runs(kido: Run, run_file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.h5"
    kido("simulate", ARM, "--time", "0.5", "--record", other, "--rate", "100", "--hold")
    same = kido("diff", run_file, run_file)
    assert same.code == 0 and "No differences in 51 samples" in same.text
    shown = kido("diff", run_file, other)
    assert shown.code == 1 and "arm/bend" in shown.text and "from [s]" in shown.text
    told = json.loads(kido("diff", run_file, other, "--json").text)
    assert told["first_time"] == 0.01 and told["differences"][0]["largest"] > 0.1
    assert kido("diff", run_file, other, "--tolerance", "1000").code == 0
    assert kido("diff", run_file, ARM).code == 2


def test_plot_writes_pictures_and_pages(kido: Run, run_file: Path, tmp_path: Path) -> None:
    for name, extra in (("a.png", ("positions", "energy")), ("b.svg", ()), ("c.html", ())):
        shown = kido("plot", run_file, *extra, "-o", tmp_path / name)
        assert shown.code == 0 and shown.text == f"wrote {tmp_path / name}\n"
        assert (tmp_path / name).stat().st_size > 5000
    assert kido("plot", run_file, "positions", "--deg", "-o", tmp_path / "deg.svg").code == 0
    assert kido("plot", run_file, "--deg", "-o", tmp_path / "deg.html").code == 0
    assert (tmp_path / "deg.html").read_text() != (tmp_path / "c.html").read_text()
    shown = kido("plot", run_file, "speed", "-o", tmp_path / "d.png")
    assert shown.code == 1 and "no quantity named 'speed'" in shown.text
    assert kido("plot", run_file, "energy", "-o", tmp_path / "e.html").code == 1
    assert kido("plot", ARM, "-o", tmp_path / "f.png").code == 1
    shown = kido("plot", run_file, "-o", tmp_path / "g.bmp")
    assert (
        shown.code == 1 and "--output: expected a name that ends in .png, .svg, .pdf or .html" in shown.text
    )


def test_wrong_options_are_named(kido: Run, tmp_path: Path) -> None:
    shown = kido("simulate", ARM, "--record", tmp_path / "none" / "run.h5")
    assert shown.code == 2 and "--record: expected a file in an existing folder" in shown.text
    shown = kido("simulate", ARM, "--record", tmp_path / "run.h5", "--rate", "0")
    assert shown.code == 2 and "--rate" in shown.text


def test_a_recording_that_cannot_be_made_is_told_before_anything_else(
    kido: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    shown = kido("simulate", ARM, "--time", "0.5", "--record", tmp_path / "run.h5")
    assert shown.code == 2
    assert shown.text == (
        "error: a recording in a file needs 'h5py'; install it with: pip install 'kido[record]'\n"
    )
    assert list(tmp_path.iterdir()) == []
