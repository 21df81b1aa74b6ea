"""A world as a notebook shows it."""

from __future__ import annotations

from collections.abc import Sequence

from kido.skeleton import Skeleton
from kido.tree import escaped, number_text

__all__ = ["world_html"]

_MOST = 20
"""Skeletons that are listed."""


def world_html(name: str, time: float, skeletons: Sequence[Skeleton], num_contacts: int) -> str:
    """Name, time [s], contacts and skeletons of a world as HTML; everything that comes from it is escaped."""
    listed = skeletons if len(skeletons) <= _MOST else skeletons[: _MOST - 1]
    rows = [_row(skeleton) for skeleton in listed]
    if len(listed) < len(skeletons):
        rows.append(f'<tr><td colspan="4">and {len(skeletons) - len(listed)} more</td></tr>')
    heading = "<tr><th>skeleton</th><th>bodies</th><th>dofs</th><th>mass [kg]</th></tr>"
    about = f"{number_text(time)} s, {num_contacts} contacts"
    return f"<div><b>World {escaped(name)}</b><p>{about}</p><table>{heading}{''.join(rows)}</table></div>"


def _row(skeleton: Skeleton) -> str:
    numbers = skeleton.num_bodies, skeleton.num_dofs, number_text(skeleton.mass)
    cells = "".join(f"<td>{cell}</td>" for cell in (escaped(skeleton.name), *numbers))
    return f"<tr>{cells}</tr>"
