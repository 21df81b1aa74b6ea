"""All that is drawn of skeletons and worlds, for pictures, films and viewers alike."""

from __future__ import annotations

from kido.view._scene._as_surface import as_surface
from kido.view._scene._contact_items import fitted_forces
from kido.view._scene._geometry import Arrows, Geometry, Label, Lines, Points, Polyline, TriangleSurface
from kido.view._scene._item import DEFAULT_LAYERS, DrawnItem, Layer, checked_layers
from kido.view._scene._node_visual import Drawing, NodeVisual
from kido.view._scene._note_items import grid_spacing
from kido.view._scene._outline import extent, is_plane, reached_points, seen_points
from kido.view._scene._scene_change import SceneChange
from kido.view._scene._scene_graph import SceneGraph
from kido.view._scene._subject import (
    SceneLike,
    ScenePlayback,
    SceneRecording,
    SceneSource,
    is_recording,
)

__all__ = [
    "DEFAULT_LAYERS",
    "Arrows",
    "Drawing",
    "DrawnItem",
    "Geometry",
    "Label",
    "Layer",
    "Lines",
    "NodeVisual",
    "Points",
    "Polyline",
    "SceneChange",
    "SceneGraph",
    "SceneLike",
    "ScenePlayback",
    "SceneRecording",
    "SceneSource",
    "TriangleSurface",
    "as_surface",
    "checked_layers",
    "extent",
    "fitted_forces",
    "grid_spacing",
    "is_plane",
    "is_recording",
    "reached_points",
    "seen_points",
]
