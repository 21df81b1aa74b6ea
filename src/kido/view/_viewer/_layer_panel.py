"""Checkboxes for what is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kido.view._scene import Layer, SceneGraph
from kido.view._viewer._widgets import Widget, Widgets

if TYPE_CHECKING:
    from viser import ViserServer

__all__ = ["LayerPanel"]

_OFFERED = {
    Layer.VISUAL: "shapes",
    Layer.COLLISION: "collision shapes",
    Layer.INERTIA: "inertia",
    Layer.STICKS: "joints and sticks",
    Layer.FRAMES: "frames",
    Layer.CONTACTS: "contacts",
    Layer.FORCES: "contact forces",
    Layer.CENTER_OF_MASS: "center of mass",
    Layer.SUPPORT: "support polygon",
    Layer.TRAJECTORIES: "trajectories",
    Layer.LABELS: "names",
}


class LayerPanel:
    """Checkboxes for the layers of a scene."""

    __slots__ = ("_boxes", "_scene")

    def __init__(self, server: ViserServer, widgets: Widgets, scene: SceneGraph) -> None:
        self._scene = scene
        with server.gui.add_folder("Show", expand_by_default=False):
            self._boxes: dict[Layer, Widget[bool]] = {
                layer: widgets.checkbox(label, layer in scene.layers, self._setter(layer))
                for layer, label in _OFFERED.items()
            }
        self._boxes[Layer.FRAMES].value = bool(scene.frames)

    def refresh(self) -> None:
        """Show the layers as they are now."""
        for layer, box in self._boxes.items():
            shown = layer in self._scene.layers
            box.value = shown and (layer is not Layer.FRAMES or bool(self._scene.frames))

    def _setter(self, layer: Layer) -> Callable[[bool], None]:
        def show(wanted: bool) -> None:
            layers = set(self._scene.layers) - {layer}
            self._scene.layers = [*layers, layer] if wanted else list(layers)
            if layer is Layer.FRAMES and wanted and not self._scene.frames:
                self._scene.frames = True  # of all bodies, where none were named

        return show
