"""Shadows on a floor, seen along the light from above."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from kido.typing import FloatArray
from kido.view._actors import move_points, triangle_data
from kido.view._floor import Floor
from kido.view._scene import DrawnItem, Label, TriangleSurface
from kido.view._vtk import load_vtk, quiet_vtk

__all__ = ["ShadowCaster"]

_SUN = np.array([-0.28, -0.42, -1.0])
"""Direction in which shadows fall."""
_BLURS = ((0.008, 0.22), (0.035, 0.20))
"""Standard deviation, by the size of what stands there, and strength of each part of the shadow."""
_COARSE = 0.5
"""Cells in which points of shapes become one, by the size of a pixel of the shadow."""
_SUNK = 1e-3
"""Depth under the floor at which what stands there still throws a shadow, by its size."""


class ShadowCaster:
    """Draws what stands on a floor as the light sees it.

    Each shape is sheared along the light, so that a view from above is one along the light; what is under the
    floor is cut off.
    """

    def __init__(self, floor: Floor, pixels: int, *, many: bool = False) -> None:
        """For a floor, with so many pixels along each edge; `many`: shapes are drawn many times, and made
        coarser before."""
        vtk = load_vtk()
        self._origin = np.array([*floor.center, floor.height])
        self._half, self._size, self._pixels = floor.half, floor.size, pixels
        self._cell = _COARSE * 2.0 * floor.half / pixels if many else 0.0
        self._props: dict[str, tuple[DrawnItem, Any, Any, FloatArray]] = {}
        self._renderer = vtk.vtkRenderer()
        with quiet_vtk():
            self._window = vtk.vtkRenderWindow()
            self._window.SetOffScreenRendering(1)
            self._window.SetMultiSamples(0)
            self._window.SetSize(pixels, pixels)
            self._window.AddRenderer(self._renderer)
        self._renderer.SetBackground(0.0, 0.0, 0.0)
        self._shear = np.eye(4)
        self._shear[:2, 2] = -_SUN[:2] / _SUN[2]

    def cast(self, items: Iterable[DrawnItem], poses: FloatArray) -> FloatArray:
        """Part of each pixel of the floor that items at poses (n, 4, 4) [m] cover, (k, k) in [0, 1]: rows
        from small to large y."""
        self._place(items, poses)
        return self._seen()

    def darkness(self, covered: FloatArray) -> FloatArray:
        """Part of the light that is missing (k, k), in [0, 1], of what `cast` gave; in any thread."""
        from scipy.ndimage import gaussian_filter

        pixel = 2.0 * self._half / self._pixels
        total = np.zeros((self._pixels, self._pixels), dtype=np.float32)
        for width, strength in _BLURS:
            total += strength * gaussian_filter(covered, width * self._size / pixel, mode="constant")
        return np.asarray(total)

    def close(self) -> None:
        """Give the window back."""
        self._window.Finalize()

    def _place(self, items: Iterable[DrawnItem], poses: FloatArray) -> None:
        present = set()
        for item, pose in zip(items, poses, strict=True):
            if not item.has_shadow or isinstance(item.geometry, Label):
                continue
            present.add(item.key)
            known = self._props.get(item.key)
            if known is not None and known[0] is not item and item.is_soft and item.deforms(known[0]):
                assert isinstance(item.geometry, TriangleSurface)
                middle = move_points(known[1].GetMapper().GetInput(), item.geometry)
                known = self._props[item.key] = (item, known[1], known[2], middle)
            if known is None or known[0] is not item:
                if known is not None:
                    self._renderer.RemoveActor(known[1])
                known = self._props[item.key] = (item, *self._added(item))
            moved = pose.copy()
            moved[:3, 3] += pose[:3, :3] @ known[3] - self._origin
            known[2].DeepCopy((self._shear @ moved).ravel().tolist())
        for key in self._props.keys() - present:
            self._renderer.RemoveActor(self._props.pop(key)[1])

    def _added(self, item: DrawnItem) -> tuple[Any, Any, FloatArray]:
        vtk = load_vtk()
        data, middle = triangle_data(item, self._cell)
        mapper, prop, matrix = vtk.vtkPolyDataMapper(), vtk.vtkActor(), vtk.vtkMatrix4x4()
        mapper.SetInputData(data)
        mapper.ScalarVisibilityOff()
        prop.SetMapper(mapper)
        prop.SetUserMatrix(matrix)
        prop.GetProperty().LightingOff()
        prop.GetProperty().SetColor(1.0, 1.0, 1.0)
        self._renderer.AddActor(prop)
        return prop, matrix, middle

    def _seen(self) -> FloatArray:
        if not self._props:
            return np.zeros((self._pixels, self._pixels), dtype=np.float32)
        vtk = load_vtk()
        camera, above = self._renderer.GetActiveCamera(), 10.0 * self._size
        camera.ParallelProjectionOn()
        camera.SetParallelScale(self._half)
        camera.SetPosition(0.0, 0.0, above)
        camera.SetFocalPoint(0.0, 0.0, 0.0)
        camera.SetViewUp(0.0, 1.0, 0.0)
        camera.SetClippingRange(1e-3 * above, above + _SUNK * self._size)
        with quiet_vtk():
            self._window.Render()
            found = vtk.vtkUnsignedCharArray()
            self._window.GetPixelData(0, 0, self._pixels - 1, self._pixels - 1, 0, found, 0)
        image = vtk.vtk_to_numpy(found).reshape(self._pixels, self._pixels, 3)
        return np.asarray(image[..., 0] / np.float32(255.0))
