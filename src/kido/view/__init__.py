"""Skeletons and worlds in browsers and in pictures, and the scene that all of these show."""

from __future__ import annotations

from kido.view._camera import Orbit
from kido.view._render import render
from kido.view._scene import (
    DEFAULT_LAYERS,
    Arrows,
    Drawing,
    DrawnItem,
    Label,
    Layer,
    Lines,
    NodeVisual,
    Points,
    Polyline,
    SceneChange,
    SceneGraph,
    SceneSource,
    TriangleSurface,
    as_surface,
)
from kido.view._viewer._viewer import Viewer

__all__ = [
    "DEFAULT_LAYERS",
    "Arrows",
    "Drawing",
    "DrawnItem",
    "Label",
    "Layer",
    "Lines",
    "NodeVisual",
    "Orbit",
    "Points",
    "Polyline",
    "SceneChange",
    "SceneGraph",
    "SceneSource",
    "TriangleSurface",
    "Viewer",
    "as_surface",
    "render",
]
