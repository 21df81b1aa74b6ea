"""Every solution of an arm that has a closed form."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from kido.cli._answer_style import AnswerStyle
from kido.cli._console import decimals, distance_left, print_heading, print_pairs, print_table
from kido.cli._dofs import DofNumbers, print_json_of
from kido.description import Coordinate
from kido.ik import ClosedForm, ClosedFormSolutions, InverseKinematics, wrapped_into_limits
from kido.math import inverse_transform
from kido.tree import number_text
from kido.typing import FloatArray

__all__ = ["closed_form", "closed_form_text", "print_branches"]


def closed_form(module: InverseKinematics) -> ClosedForm:
    """Closed form of the module's chain; its `family` is None where there is none."""
    base = module.dofs[0].joint.parent_body
    return ClosedForm(module.owner.skeleton.tree, module.owner.name, base=None if base is None else base.name)


def closed_form_text(form: ClosedForm) -> str:
    """Family of a closed form, or the reason why there is none, as a text."""
    return f"none: {form.reason}" if form.family is None else f"{form.family}; --all lists its solutions"


def print_branches(console: Console, module: InverseKinematics, form: ClosedForm, style: AnswerStyle) -> bool:
    """Print every solution; True if one is within the limits.

    Of seven joints one is locked at the position that a search gives it.
    """
    base = module.dofs[0].joint.parent_body
    target = module.target.transform()
    in_base = target if base is None else inverse_transform(base.transform()) @ target
    near = module.positions if form.locked_dof is None else module.solve().positions
    form.solve(in_base, near=near)
    before = time.perf_counter()
    found = form.solve(in_base, near=near)
    seconds = time.perf_counter() - before
    q, inside = _wrapped(module, found.positions)
    inside &= found.reached
    if style.as_json:
        print_json_of(console, _told(module, form, found, q, inside, seconds, style))
        return bool(inside.any())
    _print_rows(console, module, found, q, inside, style)
    print_heading(console, "Result")
    pairs = [("method", f"closed form, {form.family}")]
    if form.locked_dof is not None:
        name = module.dofs[form.locked_dof].name
        held = style.angle(float(near[form.locked_dof]))
        pairs.append(("held", f"{name} at {number_text(held)}, as a search left it"))
    angular, linear = found.errors.max(axis=0).tolist()
    pairs.append(("distance left", distance_left(linear, angular, degrees=style.degrees)))
    if style.timed:
        pairs.append(("time", f"{seconds * 1e6:.0f} us"))
    print_pairs(console, pairs)
    console.print(_verdict(module.owner.name, found, int(inside.sum())), soft_wrap=True)
    return bool(inside.any())


def _wrapped(module: InverseKinematics, positions: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Positions (k, n), shifted by whole turns into the limits where possible, and whether they are (k,)."""
    lower = np.array([dof.position_lower_limit for dof in module.dofs])
    upper = np.array([dof.position_upper_limit for dof in module.dofs])
    turns = [dof.coordinate is Coordinate.ANGLE for dof in module.dofs]
    q = wrapped_into_limits(positions, lower, upper, module.positions, turns)
    inside: NDArray[np.bool_] = np.all((q >= lower) & (q <= upper), axis=1)
    return q, inside


def _print_rows(
    console: Console,
    module: InverseKinematics,
    found: ClosedFormSolutions,
    positions: FloatArray,
    inside: NDArray[np.bool_],
    style: AnswerStyle,
) -> None:
    dofs = DofNumbers(module.dofs, degrees=style.degrees)

    def rows() -> Iterator[tuple[str, ...]]:
        for i, (q, good) in enumerate(zip(dofs.shown(positions), inside, strict=True), start=1):
            values = (decimals(value, 6) for value in q.tolist())
            yield str(i), *values, "yes" if good else "no"

    names = [f"{dof.name} [{unit}]" for dof, unit in zip(module.dofs, dofs.units, strict=True)]
    numbers = ("#", *names)
    title = "Every solution" if found.reached else "Nearest found"
    print_table(console, title, (*numbers, "within limits"), rows(), numbers=numbers)


def _told(
    module: InverseKinematics,
    form: ClosedForm,
    found: ClosedFormSolutions,
    positions: FloatArray,
    inside: NDArray[np.bool_],
    seconds: float,
    style: AnswerStyle,
) -> dict[str, Any]:
    """All solutions, for JSON."""
    dofs = DofNumbers(module.dofs, degrees=style.degrees)
    angular, linear = found.errors.max(axis=0).tolist()
    return {
        "body": module.owner.name,
        "reached": bool(inside.any()),
        "closed_form": form.family,
        "solutions": [
            {"positions": dofs.told(q), "within_limits": bool(good)}
            for q, good in zip(positions, inside, strict=True)
        ],
        "linear_error": linear,
        "angular_error": style.angle(angular),
    } | ({"seconds": seconds} if style.timed else {})


def _verdict(name: str, found: ClosedFormSolutions, inside: int) -> str:
    if not found.reached:
        return f"not reached: {name} is out of reach of the target"
    count = len(found.positions)
    solutions = "1 solution" if count == 1 else f"{count} solutions"
    if not inside:
        return f"not reached: {solutions}, none within the limits"
    return f"reached: {solutions}, {inside} within the limits"
