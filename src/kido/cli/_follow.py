"""`kido ik --path`: joint positions through many poses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from kido.cli._answer_style import AnswerStyle
from kido.cli._console import print_heading, print_pairs
from kido.cli._dofs import DofNumbers, print_json_of
from kido.cli._numbers import read_numbers
from kido.cli._progress import progress_bar
from kido.ik import InverseKinematics, JointPath, TaskSpaceRegion, follow_path
from kido.math import quaternion_to_matrix
from kido.tree import number_text
from kido.typing import FloatArray

__all__ = ["follow_file"]

_POSITION, _POSE = 3, 7


def follow_file(
    console: Console,
    module: InverseKinematics,
    poses: Path,
    output: Path | None,
    style: AnswerStyle,
    *,
    largest_change: float,
) -> bool:
    """Bring a module's body through the poses of a file and write the positions of its dofs; True if all are
    reached without a jump.

    Raises ValueError, naming file and line, for what are no poses, and OSError for files that cannot be read
    or written.
    """
    targets, has_rotation = read_poses(poses)
    if not has_rotation:
        module.error_method = TaskSpaceRegion(angular=(math.inf,) * 3)
    hidden = Console(quiet=True) if style.as_json else console
    with progress_bar(hidden, "following", len(targets)) as advance:
        path = follow_path(module, targets, largest_change=largest_change, progress=advance)
    if output is not None:
        _write(path, output)
    if style.as_json:
        print_json_of(console, _told(path, module, output, style))
        return path.success
    print_heading(console, f"Path of {module.owner.name}, {len(path)} poses")
    print_pairs(console, _pairs(path, module, style))
    console.print(path.message, soft_wrap=True)
    if output is not None:
        console.print(f"written: {output}", soft_wrap=True)
    return path.success


def read_poses(file: Path) -> tuple[FloatArray, bool]:
    """Poses (n, 4, 4) of a file, one a line, x y z [m] or x y z qx qy qz qw, and whether these have a
    rotation. A first line of words, empty lines and those that begin with # are left out.

    Raises ValueError, naming file and line, and OSError.
    """
    rows = list(_rows(file))
    if not rows:
        raise ValueError(f"{file}: expected poses, got none")
    count = len(rows[0])
    poses = np.repeat(np.eye(4)[None], len(rows), axis=0)
    poses[:, :3, 3] = [row[:3] for row in rows]
    if count == _POSE:
        poses[:, :3, :3] = quaternion_to_matrix([row[3:] for row in rows])
    return poses, count == _POSE


def _rows(file: Path) -> Iterator[list[float]]:
    counts: tuple[int, ...] = (_POSITION, _POSE)
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{file}: expected text, got bytes that are none") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#") or (number == 1 and _is_header(line)):
            continue
        meaning = "x y z [m] or x y z qx qy qz qw" if len(counts) > 1 else f"{counts[0]} numbers, as before"
        row = read_numbers(f"{file}:{number}", line, counts, meaning)
        if len(row) == _POSE and not any(row[3:]):
            raise ValueError(f"{file}:{number}: expected a quaternion, got one of length 0")
        counts = (len(row),)
        yield row


def _is_header(line: str) -> bool:
    words = line.replace(",", " ").split()
    return all(word[:1].isalpha() and word.lower() not in ("nan", "inf", "infinity") for word in words)


def _write(path: JointPath, output: Path) -> None:
    lines = [",".join(path.dof_names), *(",".join(map(repr, row)) for row in path.positions.tolist())]
    output.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _told(
    path: JointPath, module: InverseKinematics, output: Path | None, style: AnswerStyle
) -> dict[str, Any]:
    """The path, for JSON."""
    dofs = DofNumbers(module.dofs, degrees=style.degrees)
    return {
        "body": module.owner.name,
        "success": path.success,
        "message": path.message,
        "reached": path.reached.tolist(),
        "jumps": [int(jump) for jump in path.jumps],
        "dofs": list(path.dof_names),
        "units": list(dofs.units),
        "positions": dofs.shown(path.positions).tolist(),
        "written": None if output is None else str(output),
    }


def _pairs(path: JointPath, module: InverseKinematics, style: AnswerStyle) -> list[tuple[str, str]]:
    dofs = DofNumbers(module.dofs, degrees=style.degrees)
    changes = np.abs(dofs.shown(path.changes))
    pairs = [("reached", f"{int(path.reached.sum())} of {len(path)}"), ("jumps", str(len(path.jumps)))]
    if len(changes):
        worst = int(np.argmax(changes.max(axis=0)))
        pairs.append(
            (
                "largest change",
                f"{number_text(float(changes.max()))} {dofs.units[worst]}, of {path.dof_names[worst]}",
            )
        )
    return pairs
