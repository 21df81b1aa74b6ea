"""Drawing of scenes by VTK without a display."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray
from kido.view._actors import Actor, Kind
from kido.view._camera import Camera
from kido.view._compositing import composed
from kido.view._crop import Crop
from kido.view._floor import Floor, FloorView
from kido.view._lamps import LAMPS
from kido.view._opengl import require_opengl
from kido.view._scene import DrawnItem
from kido.view._shadow import ShadowCaster
from kido.view._vtk import load_vtk, quiet_vtk

__all__ = ["Canvas"]

Pixels = NDArray[np.uint8]

_LAYERS = 6
"""Number of transparent surfaces behind each other that are told apart."""
_MOST_FINE_PIXELS = 24_000_000
_FAR = 1e30
"""Where a plane cuts nothing off [m]."""
_SUNK = 1e-4
"""Depth under the floor down to which something is seen, by the size of what stands there."""


class Canvas:
    """Draws one picture after the other; what stays in the scene is not made anew.

    VTK draws what is in the scene; the floor, which is smooth, is computed once for each pixel. A canvas
    belongs to the thread that made it.
    """

    def __init__(
        self,
        crop: Crop,
        background: FloatArray,
        floor: Floor | None,
        *,
        fine: int,
        shadow_pixels: int,
        many: bool = False,
        cell: float = 0.0,
    ) -> None:
        """A canvas for pictures in whose crop something is drawn; the rest is a color (3,) and the floor.
        `fine`: pixels drawn along each side of one; `many`: whether each item is drawn many times; `cell`:
        size of details of surfaces that need not be kept then [m].

        Raises:
            MissingDependencyError: VTK is not installed.
            RenderError: this machine has no OpenGL.
        """
        vtk = load_vtk()
        require_opengl()
        self._crop, self._floor, self._many, self._cell = crop, floor, many, cell
        self._fine = fine if crop.width * crop.height * fine**2 <= _MOST_FINE_PIXELS else 1
        self._plain = np.empty((crop.whole[1], crop.whole[0], 3), dtype=np.uint8)
        self._plain[:] = np.rint(255.0 * background)
        self._view: tuple[Camera, FloorView] | None = None
        self._actors: dict[str, Actor] = {}
        self._renderer = vtk.vtkRenderer()
        self._renderer.SetBackground(0.0, 0.0, 0.0)
        self._renderer.SetBackgroundAlpha(0.0)
        self._renderer.SetAutomaticLightCreation(False)
        self._renderer.SetMaximumNumberOfPeels(_LAYERS)
        self._renderer.SetOcclusionRatio(0.0)
        self._clip = vtk.vtkPlane()
        self._level = -_FAR
        self._add_lamps()
        with quiet_vtk():
            self._window = vtk.vtkRenderWindow()
            self._window.SetOffScreenRendering(1)
            self._window.SetMultiSamples(0)
            self._window.SetAlphaBitPlanes(1)
            self._window.SetDPI(72)
            self._window.SetSize(crop.width * self._fine, crop.height * self._fine)
            self._window.AddRenderer(self._renderer)
        self._caster = None if floor is None else ShadowCaster(floor, shadow_pixels, many=many)

    def close(self) -> None:
        """Give the windows back; nothing can be drawn any more."""
        with quiet_vtk():
            self._window.Finalize()
            if self._caster is not None:
                self._caster.close()

    def draw(self, items: Sequence[DrawnItem], poses: FloatArray, camera: Camera) -> Callable[[], Pixels]:
        """Draw items at poses (n, 4, 4) [m]. What is returned puts the pixels (height, width, 3) together, in
        any thread."""
        behind = self._behind(items, poses, camera)
        self._aim_clip(camera)
        self._place(items, poses)
        self._renderer.SetUseDepthPeeling(any(actor.is_translucent for actor in self._actors.values()))
        self._aim(camera)
        kinds = {actor.kind for actor in self._actors.values()}
        drawn = self._shot({Kind.BODY, Kind.NOTE})
        notes = self._shot({Kind.NOTE}) if Kind.NOTE in kinds else None
        labels = self._shot({Kind.LABEL}) if Kind.LABEL in kinds else None

        def picture() -> Pixels:
            image = behind()
            place = self._crop.rows, self._crop.columns
            image[place] = composed(image[place], drawn, notes, labels, self._fine)
            return image

        return picture

    def _behind(self, items: Sequence[DrawnItem], poses: FloatArray, camera: Camera) -> Callable[[], Pixels]:
        """A function that gives the floor with its shadow, or the plain background, in any thread."""
        floor, caster = self._floor, self._caster
        if floor is None or caster is None or not floor.is_below(camera):
            return self._plain.copy
        if self._view is None or not self._view[0].is_same(camera):
            self._view = camera, FloorView(floor, camera, self._crop.whole)
        view, covered = self._view[1], caster.cast(items, poses)
        return lambda: view.shaded(caster.darkness(covered))

    # ---- what is on it

    def _place(self, items: Sequence[DrawnItem], poses: FloatArray) -> None:
        present = set()
        for item, pose in zip(items, poses, strict=True):
            present.add(item.key)
            actor = self._actors.get(item.key)
            if actor is None or (actor.item is not item and not actor.deform(item)):
                if actor is not None:
                    self._renderer.RemoveViewProp(actor.prop)
                actor = self._actors[item.key] = Actor(
                    item, self._fine, self._clip, many=self._many, cell=self._cell
                )
                self._renderer.AddViewProp(actor.prop)
            actor.place(pose, self._level)
            actor.prop.VisibilityOn()  # the range of depths is that of what is visible
        for key in self._actors.keys() - present:
            self._renderer.RemoveViewProp(self._actors.pop(key).prop)

    def _add_lamps(self) -> None:
        for place, strength in LAMPS:
            lamp = load_vtk().vtkLight()
            lamp.SetLightTypeToCameraLight()
            lamp.SetPosition(*place)
            lamp.SetIntensity(strength)
            self._renderer.AddLight(lamp)

    def _aim(self, camera: Camera) -> None:
        eye = self._renderer.GetActiveCamera()
        eye.SetPosition(*camera.position.tolist())
        eye.SetFocalPoint(*camera.target.tolist())
        eye.SetViewUp(*camera.up.tolist())
        eye.SetViewAngle(self._crop.angle)
        eye.SetWindowCenter(*self._crop.offset)
        self._renderer.ResetCameraClippingRange()

    def _aim_clip(self, camera: Camera) -> None:
        """Choose the height under which nothing is drawn."""
        floor = self._floor
        seen = floor is not None and floor.is_below(camera)
        self._level = floor.height - _SUNK * floor.size if seen and floor is not None else -_FAR
        self._clip.SetNormal(0.0, 0.0, 1.0)
        self._clip.SetOrigin(0.0, 0.0, self._level)

    # ---- pixels

    def _shot(self, kinds: set[Kind]) -> Pixels:
        """Picture of some kinds (fine height, fine width, 4), rows from the top."""
        vtk = load_vtk()
        for actor in self._actors.values():
            actor.prop.SetVisibility(actor.kind in kinds)
        width, height = self._crop.width * self._fine, self._crop.height * self._fine
        found = vtk.vtkUnsignedCharArray()
        with quiet_vtk():
            self._window.Render()
            self._window.GetRGBACharPixelData(0, 0, width - 1, height - 1, 0, found, 0)
        return np.asarray(vtk.vtk_to_numpy(found).reshape(height, width, 4)[::-1])
