"""The verdict of `kido ik --prove`: a posture, or a proof that there is none."""

from __future__ import annotations

import math
from typing import Any

from rich.console import Console

from kido.cli._answer_style import AnswerStyle
from kido.cli._console import distance_left, print_heading, print_pairs, print_table
from kido.cli._dofs import DofNumbers, print_json_of
from kido.ik import GlobalIK, GlobalIKResult, InverseKinematics

__all__ = ["print_verdict"]


def print_verdict(
    console: Console, module: InverseKinematics, style: AnswerStyle, *, has_rotation: bool
) -> bool:
    """Print a posture that puts the module's body at its target, or the proof that there is none; True if
    there is one.

    Joints that the module does not move stand still. Raises as `GlobalIK.solve` does.
    """
    search = GlobalIK(module.owner.skeleton)
    target = module.target.transform()
    if has_rotation:
        search.add_world_pose_constraint(module.owner, target)
    else:
        search.add_world_position_constraint(module.owner, target[:3, 3])
    _hold_others(search, module)
    result = search.solve()
    bound = search.lower_bound() if result.infeasible else 0.0
    dofs = DofNumbers(module.dofs, degrees=style.degrees)
    positions = result.positions[[dof.index for dof in module.dofs]]
    if style.as_json:
        told = _told(module, result, bound, has_rotation, style)
        print_json_of(console, told | {"positions": dofs.told(positions)})
        return result.success
    title = "Posture" if result.success else "Nearest found"
    rows = dofs.rows(positions)
    numbers = ("value", "lower", "upper")
    print_table(console, title, ("dof", *numbers, "unit"), rows, numbers=numbers)
    print_heading(console, "Verdict")
    print_pairs(console, _pairs(result, bound, has_rotation, style))
    console.print(_text(module.owner.name, result), soft_wrap=True)
    return result.success


def _hold_others(search: GlobalIK, module: InverseKinematics) -> None:
    moved = set(module.dofs)
    for dof in module.owner.dependent_dofs:
        if dof not in moved and dof.index not in module.owner.skeleton.leading_dofs:
            q = float(module.owner.skeleton.positions[dof.index])
            search.add_joint_limits(dof, q, q)


def _told(
    module: InverseKinematics, result: GlobalIKResult, bound: float, has_rotation: bool, style: AnswerStyle
) -> dict[str, Any]:
    """The verdict, for JSON."""
    return {
        "body": module.owner.name,
        "reached": result.success,
        "proved_infeasible": result.infeasible,
        "proved_distance": bound if result.infeasible else None,
        "linear_error": result.linear_violation,
        "angular_error": style.angle(result.angular_violation) if has_rotation else None,
        "method": result.method,
        "boxes": result.nodes,
    } | ({"seconds": result.time} if style.timed else {})


def _pairs(
    result: GlobalIKResult, bound: float, has_rotation: bool, style: AnswerStyle
) -> list[tuple[str, str]]:
    angular = result.angular_violation if has_rotation else None
    pairs = [
        ("method", result.method),
        ("boxes looked at", str(result.nodes)),
        ("distance left", distance_left(result.linear_violation, angular, degrees=style.degrees)),
    ]
    if result.infeasible:
        pairs.append(("proved distance", _distance(bound, has_rotation, style)))
    if style.timed:
        pairs.append(("time", f"{result.time * 1e3:.3g} ms"))
    return pairs


def _distance(bound: float, has_rotation: bool, style: AnswerStyle) -> str:
    metres = math.floor(bound * 1e4) / 1e4
    if not has_rotation:
        return f"at least {metres:.4f} m"
    unit = "deg" if style.degrees else "rad"
    return f"at least {metres:.4f} m, or {style.angle(metres / 0.3):.4f} {unit}"


def _text(name: str, result: GlobalIKResult) -> str:
    if result.success:
        return f"reached: {name} is at the target, every joint within its limits"
    if result.infeasible:
        return f"proved: no posture within the limits puts {name} at the target"
    return f"undecided: {result.reason}"
