"""Skeletons and worlds in browsers and in pictures, and the scene that all of these show."""

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
from kido.view._viewer._gizmo import Gizmo
from kido.view._viewer._viewer import Viewer
from kido.view._viewer._widgets import Plot, Widget

__all__ = [
    "DEFAULT_LAYERS",
    "Arrows",
    "Drawing",
    "DrawnItem",
    "Film",
    "Gizmo",
    "Label",
    "Layer",
    "Lines",
    "NodeVisual",
    "Orbit",
    "Plot",
    "Points",
    "Polyline",
    "SceneChange",
    "SceneGraph",
    "ScenePlayback",
    "SceneRecording",
    "SceneSource",
    "TriangleSurface",
    "Viewer",
    "Widget",
    "as_surface",
    "film",
    "notebook_png",
    "render",
]
