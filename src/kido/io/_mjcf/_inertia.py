"""Inertia of bodies: as <inertial> says, or that of their geoms, within what the compiler allows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kido.description import Inertia, combined_inertia
from kido.io._mjcf._body import Body, Placed
from kido.io._mjcf._compiler import Compiler
from kido.io._mjcf._orientation import ORIENTATIONS, read_pose
from kido.typing import FloatArray

__all__ = ["body_inertia", "comes_from_geoms", "scaled_to"]


def comes_from_geoms(body: Body) -> bool:
    """Whether the geoms of a body decide its inertia, if it has any."""
    rule = body.scope.context.compiler.inertiafromgeom
    return rule == "true" or (rule == "auto" and body.inertial is None)


def body_inertia(body: Body, parts: Sequence[Inertia]) -> Inertia | None:
    """Inertia of a body in its own axes; None if it has no mass.

    `parts` are those of its geoms that count. Raises ModelFileError; records a diagnostic of kind "inertia"
    where no body can have it.
    """
    compiler, element = body.scope.context.compiler, body.element
    inertia = None
    if body.inertial is not None and not (parts and comes_from_geoms(body)):
        inertia = _explicit(body.inertial, compiler)
    elif parts and comes_from_geoms(body):
        with body.scope.context.file.at(element), np.errstate(over="ignore", invalid="ignore"):
            inertia = combined_inertia(parts)
    inertia = _bounded(inertia, compiler)
    problem = None if inertia is None else inertia.problem()
    if problem is not None:
        body.scope.context.file.note(element, "inertia", problem)
    return inertia


def scaled_to(inertias: list[Inertia | None], total: float) -> list[Inertia | None]:
    """The same inertias of density such that they have a mass together [kg]."""
    mass = sum(inertia.mass for inertia in inertias if inertia is not None)
    if mass <= 0.0:
        return inertias
    factor = total / mass
    return [
        None if each is None else Inertia(factor * each.mass, each.com, factor * each.moment)
        for each in inertias
    ]


def _explicit(placed: Placed, compiler: Compiler) -> Inertia:
    node = placed.node
    mass = node.number("mass")
    if mass < 0.0:
        raise node.error(f"mass: expected no negative mass [kg], got {mass:g}", "mass")
    pose = placed.T_body_frame @ read_pose(node, compiler)
    if node.has("fullinertia"):
        if any(node.has(name) for name in ORIENTATIONS) or node.has("diaginertia"):
            raise node.error("fullinertia: expected neither diaginertia nor an orientation beside it")
        xx, yy, zz, xy, xz, yz = node.floats("fullinertia", 6, 6)
        moment = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        moment = np.diag(node.numbers("diaginertia", (0.0, 0.0, 0.0)))
    R = pose[:3, :3]
    with node.file.at(node.element), np.errstate(over="ignore", invalid="ignore"):
        turned = R @ moment @ R.T
        return Inertia(mass, pose[:3, 3], turned / 2.0 + turned.T / 2.0)


def _bounded(inertia: Inertia | None, compiler: Compiler) -> Inertia | None:
    """Mass and principal moments of at least the compiler's bounds; balanced where it says so."""
    if compiler.boundmass == compiler.boundinertia == 0.0 and (
        inertia is None or not compiler.balanceinertia
    ):
        return inertia
    if inertia is None:
        inertia = Inertia(0.0)
    values, axes = np.linalg.eigh(inertia.moment)
    if compiler.balanceinertia and 2.0 * values.max() > values.sum():
        values = np.full(3, values.mean())
    bounded: FloatArray = np.maximum(values, compiler.boundinertia)
    moment = inertia.moment if (bounded == values).all() and not compiler.balanceinertia else None
    if moment is None:
        moment = (axes * bounded) @ axes.T
    return Inertia(max(inertia.mass, compiler.boundmass), inertia.com, (moment + moment.T) / 2.0)
