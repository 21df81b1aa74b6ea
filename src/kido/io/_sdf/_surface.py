"""The <surface> element: friction, restitution, and who touches whom."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from kido.io._sdf._file import SdfFile, content
from kido.io._xml import Element, shown
from kido.shape import Surface

__all__ = ["ALL_BITS", "BITMASKS", "USUAL", "ContactSurface", "read_surface"]

ALL_BITS = 0xFFFF
"""Category of a collision that names none, and the categories that it touches: bitmasks have 16 bits."""

USUAL = 1, 0xFFFFFFFF
"""Category and what it touches of collisions in files that have no bitmasks at all."""

BITMASKS = ("collide_bitmask", "category_bitmask")

_PATCH = 3.0 * math.pi / 16.0
_SHARED = 256
"""Surfaces that are shared by the collisions that have them."""


class ContactSurface(NamedTuple):
    """Surface of a collision, and what it touches."""

    surface: Surface | None
    category: int
    collides_with: int


class _Coulomb(NamedTuple):
    """Friction and slip along `direction` and across it; without a direction, everywhere alike."""

    mu: float = 1.0
    mu2: float | None = None
    slip: float = 0.0
    slip2: float | None = None
    direction: tuple[float, ...] | None = None


def read_surface(file: SdfFile, collision: Element, default: tuple[int, int]) -> ContactSurface:
    """The surface of a <collision>, whose bits are `default` where it has none; raises ModelFileError."""
    element = collision.find("surface")
    if element is None:
        return ContactSurface(None, *default)
    file.ignore_rest(element, ("friction", "bounce", "contact"))
    restitution = _restitution(file, element)
    category, collides_with = _bitmasks(file, element, default)
    with file.at(element):
        surface = _surface(file, element.find("friction"), restitution)
    return ContactSurface(surface, category, collides_with)


def _restitution(file: SdfFile, surface: Element) -> float:
    bounce = surface.find("bounce")
    if bounce is None:
        return 0.0
    file.ignore_rest(bounce, ("restitution_coefficient",))
    return file.child_number(bounce, "restitution_coefficient", 0.0)


def _bitmasks(file: SdfFile, surface: Element, default: tuple[int, int]) -> tuple[int, int]:
    contact = surface.find("contact")
    if contact is None:
        return default
    file.ignore_rest(contact, BITMASKS)
    if all(contact.find(tag) is None for tag in BITMASKS):
        return default
    collides_with = _bitmask(file, contact, "collide_bitmask", ALL_BITS)
    category = _bitmask(file, contact, "category_bitmask", collides_with)
    if category != collides_with:
        either = "where the category of one is among the bits of the other"
        both = "where the category of each is among those of the other"
        file.note(contact, "substituted", f"category_bitmask: collisions touch {both}, not already {either}")
    return category, collides_with


def _bitmask(file: SdfFile, contact: Element, tag: str, default: int) -> int:
    element = contact.find(tag)
    if element is None:
        return default
    text = content(element)
    try:
        bits = int(text, 0)
    except ValueError:
        bits = -1
    if not 0 <= bits <= 0xFFFFFFFF or "_" in text:
        raise file.error(element, f"expected a set of 16 bits, got {shown(text)}")
    return bits & ALL_BITS


def _surface(file: SdfFile, friction: Element | None, restitution: float) -> Surface | None:
    """The surface; None where it is as surfaces are by default."""
    coulomb = _Coulomb()
    torsional = 0.0
    if friction is not None:
        file.ignore_rest(friction, ("ode", "bullet", "torsional"))
        torsional = _torsional(file, friction.find("torsional"))
        ode, bullet = friction.find("ode"), friction.find("bullet")
        if ode is not None:
            coulomb = _coulomb(file, ode, ("mu", "mu2", "slip1", "slip2"))
            if bullet is not None:
                file.ignore(bullet, "friction is that of <ode>")
        elif bullet is not None:
            coulomb = _coulomb(file, bullet, ("friction", "friction2"))
    return _shared_surface(coulomb, restitution, torsional)


@lru_cache(maxsize=_SHARED)
def _shared_surface(coulomb: _Coulomb, restitution: float, torsional: float) -> Surface | None:
    if coulomb == _Coulomb() and restitution == torsional == 0.0:
        return None
    mu, mu2, slip, slip2, direction = coulomb
    return Surface(
        mu,
        restitution,
        friction_direction=direction,
        secondary_friction=mu2,
        slip=slip,
        secondary_slip=slip2,
        torsional_friction=torsional,
    )


def _coulomb(file: SdfFile, element: Element, tags: tuple[str, ...]) -> _Coulomb:
    """Friction and slip along and across a direction; without one, the first ones count everywhere."""
    file.ignore_rest(element, (*tags, "fdir1"))
    mu, mu2, slip, slip2 = (
        file.child_number(element, tag, default) if tag else default
        for tag, default in zip((*tags, "", "")[:4], (1.0, 1.0, 0.0, 0.0), strict=True)
    )
    direction = file.child_numbers(element, "fdir1", 3, (0.0, 0.0, 0.0))
    if any(direction):
        return _Coulomb(mu, mu2, slip, slip2, direction)
    for tag, first, second in zip(tags[1::2], (mu, slip), (mu2, slip2), strict=False):
        child = element.find(tag)
        if child is not None and second != first:
            file.note(child, "substituted", f"{first:g} in every direction: there is no <fdir1>")
    return _Coulomb(mu, None, slip)


def _torsional(file: SdfFile, element: Element | None) -> float:
    """Torque by normal force [m] of a round patch under the pressure of Hertz: 3 pi / 16 mu a."""
    if element is None:
        return 0.0
    file.ignore_rest(element, ("coefficient", "use_patch_radius", "patch_radius"))
    if not file.child_flag(element, "use_patch_radius", True):
        file.note(element, "ignored", "use_patch_radius: ignored: contacts have no radius by depth")
        return 0.0
    radius = file.child_number(element, "patch_radius", 0.0)
    return _PATCH * radius * file.child_number(element, "coefficient", 1.0)
