"""`kido convert` and `kido diff`: a model in another format, and what differs between two."""

from __future__ import annotations

import json
import math
from pathlib import Path

from rich.console import Console

from kido import save
from kido.cli._console import print_heading, print_table
from kido.cli._files import ModelFile
from kido.cli._notes import note_rows
from kido.description import SceneDescription, differences
from kido.io import LoadReport
from kido.tree import number_text

__all__ = ["print_differences", "run_convert"]


def run_convert(console: Console, file: ModelFile, output: Path, as_json: bool) -> bool:
    """Write what a file holds to another one, and print what was lost on the way; whether nothing was."""
    _check_output(file.path, output)
    scene = _chosen(file)
    lost = LoadReport(output, save(scene, output))
    read = LoadReport(file.path, scene.all_diagnostics)
    if as_json:
        console.print(json.dumps({"read": read.to_dict(), "lost": lost.to_dict()}, indent=1), soft_wrap=True)
        return not (read.refused or lost.refused)
    if read.refused:
        print_table(console, "Not honoured", ("what", "where", "why"), note_rows(read.refused))
    if lost.diagnostics:
        rows = [(kind, why) for kind, _, why in note_rows(lost.diagnostics)]
        print_table(console, f"Not as it was in {output.name}", ("what", "why"), rows)
    return not (read.refused or lost.refused)


def print_differences(
    console: Console, first: ModelFile, second: ModelFile, tolerance: float, as_json: bool
) -> bool:
    """Print what differs between two files; whether nothing does."""
    found = differences(_chosen(first), _chosen(second), tolerance=tolerance)
    if as_json:
        listed = [
            {
                "place": one.place,
                "first": one.first,
                "second": one.second,
                "amount": None if one.amount is None or math.isinf(one.amount) else one.amount,
            }
            for one in found
        ]
        told = {"first": str(first.path), "second": str(second.path), "differences": listed}
        console.print(json.dumps(told, indent=1), soft_wrap=True)
    elif found:
        lines = [
            (one.place, one.first, one.second, "" if one.amount is None else number_text(one.amount))
            for one in found
        ]
        header = ("what", *_headings(first.path, second.path), "by")
        title = f"{len(found)} difference" + ("s" if len(found) > 1 else "")
        print_table(console, title, header, lines, numbers=("by",))
    else:
        print_heading(console, "No differences")
    return not found


def _check_output(source: Path, output: Path) -> None:
    """Raises ValueError where a file would take the place of the one that it is made of, or has no folder."""
    if output.exists() and output.samefile(source):
        raise ValueError(f"{output}: expected another file than the one that is converted")
    if not output.parent.is_dir():
        raise ValueError(f"{output}: there is no folder {str(output.parent)!r}")


def _headings(first: Path, second: Path) -> tuple[str, str]:
    """Names of two files, which are the whole paths where the files are called alike."""
    return (first.name, second.name) if first.name != second.name else (str(first), str(second))


def _chosen(file: ModelFile) -> SceneDescription:
    """All of a file, or the robot that is meant."""
    return file.scene() if file.robot is None else SceneDescription.of_robot(file.one_robot())
