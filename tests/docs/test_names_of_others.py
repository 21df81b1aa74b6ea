"""Tables of names on the pages for those who come from elsewhere: every name on both sides exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import dartpy
import mujoco
import mujoco.rollout
import pinocchio
import pytest

import kido

DOCS = Path(__file__).parents[2] / "docs"

KIDO = {
    "kido": kido,
    "skeleton": kido.Skeleton,
    "body": kido.BodyNode,
    "joint": kido.Joint,
    "dof": kido.DegreeOfFreedom,
    "frame": kido.SimpleFrame,
    "world": kido.World,
    "tree": kido.Tree,
    "ik": kido.InverseKinematics,
}
DART = {
    **{
        name: getattr(dartpy.dynamics, name)
        for name in ("Skeleton", "BodyNode", "Joint", "DegreeOfFreedom", "SimpleFrame", "InverseKinematics")
    },
    "World": dartpy.simulation.World,
    "CollisionGroup": dartpy.collision.CollisionGroup,
    **{name: getattr(dartpy.constraint, name) for name in ("BallJointConstraint", "WeldJointConstraint")},
}
OTHERS: dict[str, dict[str, Any]] = {
    "dart": DART,
    "pinocchio": {"pinocchio": pinocchio},
    "mujoco": {"mujoco": mujoco, "MjModel": mujoco.MjModel, "MjData": mujoco.MjData},
}


def rows(page: str) -> Iterator[tuple[str, str]]:
    """Names of another library and of kido, of the table under "Names"."""
    text = (DOCS / f"coming-from-{page}.md").read_text()
    table = text.partition("## Names")[2].partition("## ")[0]
    yield from re.findall(r"^\| `([\w.]+)` \| `([\w.]+)` \|", table, re.M)


def leads_somewhere(name: str, roots: dict[str, Any]) -> bool:
    """Whether a dotted name whose first part is a root exists."""
    root, *parts = name.split(".")
    if root not in roots:
        return False
    try:
        reduce(getattr, parts, roots[root])
    except AttributeError:
        return False
    return True


@pytest.mark.parametrize("page", OTHERS)
def test_names_of_both_sides_exist(page: str) -> None:
    found = list(rows(page))
    assert len(found) > 25
    missing = [other for other, _ in found if not leads_somewhere(other, OTHERS[page])]
    missing += [own for _, own in found if not leads_somewhere(own, KIDO)]
    assert missing == []


def test_names_that_do_not_exist_are_found() -> None:
    assert not leads_somewhere("skeleton.positionz", KIDO)
    assert not leads_somewhere("pinocchio.rneaa", OTHERS["pinocchio"])
