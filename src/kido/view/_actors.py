"""Items as VTK draws them."""

from __future__ import annotations

from collections import OrderedDict
from enum import Enum
from typing import Any

import numpy as np

from kido.typing import FloatArray
from kido.view._color import DARK, GREY
from kido.view._film_surfaces import coarse, is_closed, thinned
from kido.view._lamps import SPECULAR_POWER, light_opaque
from kido.view._scene import DrawnItem, Geometry, Label, TriangleSurface, as_surface
from kido.view._vtk import load_vtk

__all__ = ["Actor", "Kind", "move_points", "triangle_data"]

_LIGHT, _NOTE_LIGHT = (0.32, 0.80, 0.22), (0.62, 0.50, 0.08)
"""Ambient, diffuse and specular part of the light that bodies and notes give back; the colors of notes say
something, and are to be told apart in the shade too."""
_MOST_TRIANGLES = 4_000_000
"""Triangles of all surfaces that are kept as VTK has them."""
_FEW, _WORTH = 2000, 0.9
"""Triangles below which a surface is drawn as it is, and the part of them that thinning has to save."""
_PAPER = 1.0
"""Opacity behind labels."""


class Kind(Enum):
    """Kinds of parts of a scene: bodies; notes, which shine through them; labels, which stand before all."""

    BODY = "body"
    NOTE = "note"
    LABEL = "label"


class Actor:
    """An item among the props of a renderer."""

    __slots__ = ("_clip", "_is_clipped", "_lift", "_matrix", "item", "kind", "prop")

    def __init__(
        self, item: DrawnItem, fine: int, clip: Any, *, many: bool = False, cell: float = 0.0
    ) -> None:
        """For an item.

        Args:
            item: what is drawn.
            fine: pixels that are drawn along each side of one of the picture.
            clip: plane of VTK under which nothing is drawn.
            many: whether it is drawn many times; then backs that nobody sees are found, and left out.
            cell: size of details that need not be kept [m].
        """
        self.item = item
        self.kind = Kind.NOTE if item.is_note else Kind.BODY
        if isinstance(item.geometry, Label):
            self.kind = Kind.LABEL
        self._lift = np.zeros(3)
        self._matrix = None
        self._clip, self._is_clipped = clip, False
        self.prop = (
            self._label(item.geometry, fine) if isinstance(item.geometry, Label) else self._solid(item, cell)
        )
        if many and self.kind is Kind.BODY and not self.is_translucent and _DATA.is_closed(item.geometry):
            self.prop.GetProperty().BackfaceCullingOn()

    @property
    def is_translucent(self) -> bool:
        """Whether something is seen through it."""
        if isinstance(self.item.geometry, Label):
            return False
        if self.item.rgba is not None:
            return bool(self.item.rgba[3] < 1.0)
        colors = getattr(self.item.geometry, "colors", None)
        return colors is not None and bool((colors[:, 3] < 1.0).any())

    def deform(self, item: DrawnItem) -> bool:
        """Draw an item in place of the present one, if that differs only in where its points are; whether it
        does."""
        if not (item.is_soft and item.deforms(self.item)):
            return False
        assert isinstance(item.geometry, TriangleSurface)
        self.item, self._lift = item, move_points(self.prop.GetMapper().GetInput(), item.geometry)
        return True

    def place(self, pose: FloatArray, level: float) -> None:
        """Put it at a pose (4, 4) [m]; what reaches below a level [m] is cut off there by the plane."""
        if self._matrix is None:
            self.prop.SetPosition(*pose[:3, 3].tolist())
            return
        lifted = pose.copy()
        lifted[:3, 3] += pose[:3, :3] @ self._lift
        self._matrix.DeepCopy(lifted.ravel().tolist())
        reaches_below = self.prop.GetBounds()[4] < level
        if reaches_below != self._is_clipped:
            self._is_clipped = reaches_below
            mapper = self.prop.GetMapper()
            mapper.AddClippingPlane(self._clip) if reaches_below else mapper.RemoveAllClippingPlanes()

    def _solid(self, item: DrawnItem, cell: float) -> Any:
        vtk = load_vtk()
        if item.is_soft or cell == 0.0:
            data, self._lift = triangle_data(item)
        else:
            data, self._lift = _DATA.thinned(item.geometry, cell)
        mapper, prop = vtk.vtkPolyDataMapper(), vtk.vtkActor()
        mapper.SetInputData(data)
        prop.SetMapper(mapper)
        if not self.is_translucent:
            light_opaque(prop.GetShaderProperty())
        look = prop.GetProperty()
        look.SetInterpolationToPhong()
        ambient, diffuse, specular = _NOTE_LIGHT if item.is_note else _LIGHT
        look.SetAmbient(ambient)
        look.SetDiffuse(diffuse)
        look.SetSpecular(specular)
        look.SetSpecularPower(SPECULAR_POWER)
        own = item.rgba is None and data.GetPointData().GetScalars() is not None
        mapper.SetScalarVisibility(own)
        if not own:
            *rgb, opacity = (GREY if item.rgba is None else item.rgba).tolist()
            look.SetColor(*rgb)
            look.SetOpacity(opacity)
        self._matrix = vtk.vtkMatrix4x4()
        prop.SetUserMatrix(self._matrix)
        return prop

    def _label(self, label: Label, fine: int) -> Any:
        vtk = load_vtk()
        prop = vtk.vtkBillboardTextActor3D()
        prop.SetInput(label.text)
        text = prop.GetTextProperty()
        text.SetFontSize(round(label.height * fine))
        text.SetColor(*(DARK if self.item.rgba is None else self.item.rgba)[:3].tolist())
        text.SetBackgroundColor(1.0, 1.0, 1.0)
        text.SetBackgroundOpacity(_PAPER)
        text.SetJustificationToCentered()
        text.SetVerticalJustificationToCentered()
        return prop


def triangle_data(item: DrawnItem, cell: float = 0.0) -> tuple[Any, FloatArray]:
    """The geometry of an item as VTK has it, and the point (3,) that it was moved by to the origin [m];
    coarser where `cell` [m] is not zero and its points stay where they are, as `coarse` does it.

    VTK draws in single precision, which is enough around the origin.
    """
    if item.is_soft:  # the data are its own, as `move_points` changes them
        return _poly_data(as_surface(item.geometry))
    return _poly_data(coarse(as_surface(item.geometry), cell)) if cell > 0.0 else _DATA.of(item.geometry)


def move_points(data: Any, surface: TriangleSurface) -> FloatArray:
    """Have data of VTK the points and normals of a surface, whose triangles they have; the point (3,) that it
    was
    moved by to the origin [m]."""
    points, middle = _around_origin(surface)
    places = load_vtk().vtkPoints()
    places.SetData(_copied(points))
    data.SetPoints(places)
    _set_normals(data, surface)
    data.Modified()
    return middle


class _KeptData:
    """Surfaces as VTK has them, by identity; those used longest ago go first."""

    def __init__(self) -> None:
        self._found: OrderedDict[int, tuple[Geometry, Any, FloatArray]] = OrderedDict()
        self._count = 0
        self._closed: dict[int, bool] = {}

    def is_closed(self, geometry: Geometry) -> bool:
        """Whether nobody outside sees the back of a surface, which is asked about once."""
        if id(geometry) not in self._found:
            return is_closed(as_surface(geometry))
        if id(geometry) not in self._closed:
            self._closed[id(geometry)] = is_closed(as_surface(geometry))
        return self._closed[id(geometry)]

    def thinned(self, geometry: Geometry, cell: float) -> tuple[Any, FloatArray]:
        """A surface that looks the same where `cell` [m] is less than a pixel."""
        surface = as_surface(geometry)
        few = thinned(surface, cell) if len(surface.triangles) >= _FEW else surface
        return self.of(geometry) if len(few.triangles) > _WORTH * len(surface.triangles) else _poly_data(few)

    def of(self, geometry: Geometry) -> tuple[Any, FloatArray]:
        known = self._found.get(id(geometry))
        if known is not None:
            self._found.move_to_end(id(geometry))
            return known[1], known[2]
        surface = as_surface(geometry)
        made = _poly_data(surface)
        if isinstance(geometry, TriangleSurface):
            self._found[id(geometry)] = geometry, *made
            self._count += len(surface.triangles)
            while self._count > _MOST_TRIANGLES and len(self._found) > 1:
                oldest, _, _ = self._found.popitem(last=False)[1]
                self._closed.pop(id(oldest), None)
                self._count -= len(as_surface(oldest).triangles)
        return made


_DATA = _KeptData()


def _poly_data(surface: TriangleSurface) -> tuple[Any, FloatArray]:
    vtk = load_vtk()
    data, cells = vtk.vtkPolyData(), vtk.vtkCellArray()
    offsets = np.arange(0, 3 * len(surface.triangles) + 1, 3)
    cells.SetData(_copied(offsets), _copied(surface.triangles.ravel()))
    middle = move_points(data, surface)
    data.SetPolys(cells)
    if surface.colors is not None:
        channels = 4 if (surface.colors[:, 3] < 1.0).any() else 3
        rgba = np.rint(255.0 * surface.colors[:, :channels]).astype(np.uint8)
        data.GetPointData().SetScalars(_copied(rgba))
    return data, middle


def _around_origin(surface: TriangleSurface) -> tuple[Any, FloatArray]:
    """Points (k, 3) beside the middle of those of a surface, in single precision, and that middle (3,)
    [m]."""
    points = surface.points
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0)) if len(points) else np.zeros(3)
    return np.asarray(points - middle, dtype=np.float32), middle


def _set_normals(data: Any, surface: TriangleSurface) -> None:
    if surface.normals is not None:
        data.GetPointData().SetNormals(_copied(np.asarray(surface.normals, dtype=np.float32)))


def _copied(array: Any) -> Any:
    return load_vtk().numpy_to_vtk(np.ascontiguousarray(array), deep=True)
