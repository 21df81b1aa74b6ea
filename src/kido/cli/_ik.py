"""`kido ik`: positions that put a body of a model file at a target."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from kido.cli._answer_style import AnswerStyle
from kido.cli._branches import closed_form, closed_form_text, print_branches
from kido.cli._console import distance_left, print_heading, print_pairs, print_table
from kido.cli._dofs import DofNumbers, print_json_of, without_rounding
from kido.cli._follow import follow_file
from kido.cli._numbers import read_numbers
from kido.cli._prove import print_verdict
from kido.description import RobotDescription
from kido.ik import ClosedForm, IKResult, InverseKinematics, TaskSpaceRegion
from kido.math import quaternion_to_matrix
from kido.skeleton import Skeleton
from kido.tree import number_text
from kido.typing import FloatArray

__all__ = ["IKTask", "run_ik"]

_POSE = 7


@dataclass(frozen=True)
class IKTask:
    """A body, its target, and the options of the search.

    Attributes:
        body: name of the body.
        target: text of 3 numbers, a position [m], or of 7, with a quaternion x y z w; None: `path` has them.
        start: text of the positions to start from [rad, m]; None: those of the file.
        whole_body: whether all joints that move the body are moved, not those of its chain alone.
        every: whether every solution in closed form is printed, instead of one by search.
        timed: whether the time is printed.
        prove: whether it is proved that there is no posture, where there is none.
        path: file of poses that the body is to come through, one after the other.
        output: file that the positions of the path are written to.
        largest_change: of a joint from a pose of the path to the next that is no jump [rad, m].
        degrees: whether angles are read and printed in degrees; those of files are in radians.
        as_json: whether what is found is told in JSON.
    """

    body: str
    target: str | None = None
    start: str | None = None
    whole_body: bool = False
    every: bool = False
    timed: bool = True
    prove: bool = False
    path: Path | None = None
    output: Path | None = None
    largest_change: float = 0.5
    degrees: bool = False
    as_json: bool = False

    @property
    def style(self) -> AnswerStyle:
        """Style of answers."""
        return AnswerStyle(degrees=self.degrees, as_json=self.as_json, timed=self.timed)


def run_ik(console: Console, robot: RobotDescription, task: IKTask) -> bool:
    """Solve a task and print the solution; True if the target is reached within the limits.

    Raises UnknownNameError for an unknown body; ValueError for numbers that are no target or no start, for a
    body that no joint moves, and where `every` is set and there is no closed form; TypeError or ValueError
    as `GlobalIK.solve` does, where `prove` is set.
    """
    if task.path is not None:
        return _follow(console, robot, task, task.path)
    if task.target is None:
        raise ValueError("--target: expected a target, or --path with a file of poses")
    if task.output is not None:
        raise ValueError("--output: expected with --path only")
    numbers = read_numbers("--target", task.target, (3, _POSE), "x y z [m] or x y z qx qy qz qw")
    target = _pose(numbers)
    module = _module(Skeleton.from_description(robot), task)
    module.target.set_transform(target)
    _start(module, task)
    if task.prove:
        if task.every:
            raise ValueError("--all: expected either --all or --prove")
        _print_target(console, robot, module, numbers, task)
        return print_verdict(console, module, task.style, has_rotation=len(numbers) == _POSE)
    form = closed_form(module) if len(numbers) == _POSE else None
    if not task.every:
        _print_target(console, robot, module, numbers, task)
        return _search(console, module, form, task.style)
    if form is None:
        raise ValueError(f"--all: expected a target x y z qx qy qz qw, got {len(numbers)} numbers")
    if form.family is None:
        raise ValueError(f"--all: {task.body!r} has no closed form: {form.reason}")
    _print_target(console, robot, module, numbers, task)
    return print_branches(console, module, form, task.style)


def _follow(console: Console, robot: RobotDescription, task: IKTask, path: Path) -> bool:
    for given, option in ((task.target, "--target"), (task.every, "--all"), (task.prove, "--prove")):
        if given:
            raise ValueError(f"{option}: expected either {option} or --path")
    module = _module(Skeleton.from_description(robot), task)
    _start(module, task)
    change = math.radians(task.largest_change) if task.degrees else task.largest_change
    return follow_file(console, module, path, task.output, task.style, largest_change=change)


def _pose(numbers: Sequence[float]) -> FloatArray:
    pose = np.eye(4)
    pose[:3, 3] = numbers[:3]
    if len(numbers) == _POSE:
        if not any(numbers[3:]):
            raise ValueError("--target: expected a quaternion, got one of length 0")
        pose[:3, :3] = quaternion_to_matrix(numbers[3:])
    return pose


def _module(skeleton: Skeleton, task: IKTask) -> InverseKinematics:
    body = skeleton.body(task.body)
    if not body.chain_dofs:
        raise ValueError(f"--body: expected a body that joints move, got {body.name!r}")
    module = InverseKinematics.of(body)
    if task.whole_body:
        module.use_whole_body()
    return module


def _start(module: InverseKinematics, task: IKTask) -> None:
    if task.start is None:
        return
    skeleton, own = module.owner.skeleton, len(module.dofs)
    counts = (own, skeleton.num_dofs)
    unit = "deg" if task.degrees else "rad"
    meaning = f"{own} positions [{unit}, m], of the joints that move {module.owner.name!r}"
    if len(set(counts)) == 2:
        meaning += f", or {skeleton.num_dofs}, of all"
    numbers = read_numbers("--from", task.start, counts, meaning)
    if len(numbers) == own:
        module.positions = DofNumbers(module.dofs, degrees=task.degrees).read(numbers)
    else:
        skeleton.positions = DofNumbers(skeleton.dofs, degrees=task.degrees).read(numbers)


def _print_target(
    console: Console,
    robot: RobotDescription,
    module: InverseKinematics,
    numbers: Sequence[float],
    task: IKTask,
) -> None:
    if task.as_json:
        return
    print_heading(console, f"Target of {module.owner.name}, {robot.name}")
    pairs = [("position", f"{_text(numbers[:3])} m")]
    if len(numbers) == _POSE:
        pairs.append(("rotation", f"{_text(numbers[3:])} (x y z w)"))
    else:
        pairs.append(("rotation", "any"))
    start = DofNumbers(module.dofs, degrees=task.degrees).shown(module.positions)
    print_pairs(console, [*pairs, ("start", _text(start.tolist()))])


def _search(console: Console, module: InverseKinematics, form: ClosedForm | None, style: AnswerStyle) -> bool:
    if form is None:
        module.error_method = TaskSpaceRegion(angular=(math.inf,) * 3)
    module.solve()
    before = time.perf_counter()
    result = module.solve()
    seconds = time.perf_counter() - before
    if style.as_json:
        print_json_of(console, _told(module, result, form, seconds, style))
        return result.success
    _print_solution(console, module, result, style)
    print_heading(console, "Result")
    pairs = [("method", _method(result))]
    if form is not None:
        pairs.append(("closed form", closed_form_text(form)))
    angular = None if form is None else result.angular_error
    pairs.append(("distance left", distance_left(result.linear_error, angular, degrees=style.degrees)))
    if style.timed:
        pairs.append(("time", f"{seconds * 1e6:.0f} us"))
    print_pairs(console, pairs)
    console.print(_verdict(module.owner.name, result), soft_wrap=True)
    return result.success


def _told(
    module: InverseKinematics,
    result: IKResult,
    form: ClosedForm | None,
    seconds: float,
    style: AnswerStyle,
) -> dict[str, Any]:
    """Answer, for JSON."""
    return {
        "body": module.owner.name,
        "reached": result.success,
        "positions": DofNumbers(module.dofs, degrees=style.degrees).told(result.positions),
        "linear_error": result.linear_error,
        "angular_error": None if form is None else style.angle(result.angular_error),
        "method": _method(result),
        "closed_form": None if form is None else form.family,
    } | ({"seconds": seconds} if style.timed else {})


def _print_solution(
    console: Console, module: InverseKinematics, result: IKResult, style: AnswerStyle
) -> None:
    numbers = ("value", "lower", "upper")
    title = "Solution" if result.success else "Nearest found"
    rows = DofNumbers(module.dofs, degrees=style.degrees).rows(result.positions)
    print_table(console, title, ("dof", *numbers, "unit"), rows, numbers=numbers)


def _method(result: IKResult) -> str:
    start = "the given start" if result.start == 0 else f"random start {result.start}"
    return f"search from {start}, {result.iterations} iterations"


def _verdict(name: str, result: IKResult) -> str:
    if result.success:
        return f"reached: {name} is at the target, every joint within its limits"
    return f"not reached: {name} is out of reach of the target, or between limits that no start got around"


def _text(values: Sequence[float]) -> str:
    return " ".join(map(number_text, without_rounding(values).tolist()))
