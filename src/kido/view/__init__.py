"""Pictures of skeletons and worlds without a display, and the scene that pictures, films and viewers show."""

from __future__ import annotations

from kido.view._camera import Orbit
from kido.view._film import Film, film
from kido.view._notebook import notebook_png
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
    ScenePlayback,
    SceneRecording,
    SceneSource,
    TriangleSurface,
    as_surface,
)

__all__ = [
    "DEFAULT_LAYERS",
    "Arrows",
    "Drawing",
    "DrawnItem",
    "Film",
    "Label",
    "Layer",
    "Lines",
    "NodeVisual",
    "Orbit",
    "Points",
    "Polyline",
    "SceneChange",
    "SceneGraph",
    "ScenePlayback",
    "SceneRecording",
    "SceneSource",
    "TriangleSurface",
    "as_surface",
    "film",
    "notebook_png",
    "render",
]
