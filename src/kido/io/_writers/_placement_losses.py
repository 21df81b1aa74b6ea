"""Losses of a shape besides its geometry, pose and look."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import fields
from pathlib import PurePath

import numpy as np

from kido.description import LinkDescription, ShapePlacement
from kido.io._writers._file_names import MSH
from kido.io._writers._losses import Losses
from kido.shape import Box, Surface

__all__ = ["report_link", "report_mesh_file", "report_placement_fields", "report_surface", "shape_label"]

_USUAL = ShapePlacement(None, Box((1.0, 1.0, 1.0)))
_SMOOTH = Surface()


def shape_label(link: LinkDescription, placed: ShapePlacement) -> str:
    """Name of a shape, or that of its link, for reports."""
    return placed.name or link.name


def report_placement_fields(
    link: LinkDescription, placed: ShapePlacement, tag: str, losses: Losses, has: Container[str] = ()
) -> None:
    """Report surface, categories, and the material of a collision shape; `has` names what the format has."""
    label = shape_label(link, placed)
    if "surface" not in has and placed.surface not in (None, _SMOOTH):
        losses.ignored(tag, label, "its surface")
    categories = (placed.category, placed.collides_with)
    if "category" not in has and categories != (_USUAL.category, _USUAL.collides_with):
        losses.ignored(tag, label, "with which categories it collides")
    if "material" not in has and tag == "collision" and placed.material is not None:
        losses.ignored(tag, label, "the material of a collision shape")


def report_mesh_file(label: str, file: str, losses: Losses) -> None:
    """Report the name of a mesh file that readers of the format do not know."""
    if file.lower().endswith(MSH):
        losses.doubted("mesh", label, f"{PurePath(file).name!r}: a format that MuJoCo reads, and no other")


def report_link(link: LinkDescription, losses: Losses) -> None:
    """Report what no format has of a link."""
    if link.soft is not None:
        losses.ignored("link", link.name, "its soft skin")


def report_surface(label: str, surface: Surface, losses: Losses, has: Container[str]) -> None:
    """Report the fields of a surface that are not as usual; `has` names those that the format has."""
    for field in fields(surface):
        value, usual = getattr(surface, field.name), getattr(_SMOOTH, field.name)
        if field.name not in has and not np.array_equal(value, usual):
            losses.ignored("surface", label, f"its {field.name.replace('_', ' ')}")
