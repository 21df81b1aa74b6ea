"""Pictures of skeletons and worlds without a display, and the scene that pictures, films and viewers show."""

from __future__ import annotations

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

__all__ = [
    "DEFAULT_LAYERS",
    "Arrows",
    "Drawing",
    "DrawnItem",
    "Label",
    "Layer",
    "Lines",
    "NodeVisual",
    "Points",
    "Polyline",
    "SceneChange",
    "SceneGraph",
    "SceneSource",
    "TriangleSurface",
    "as_surface",
    "render",
]
