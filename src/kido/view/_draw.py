"""Drawing of surfaces by VTK without a display."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray
from kido.view._camera import ANGLE, Camera
from kido.view._ground import Ground
from kido.view._opengl import require_opengl
from kido.view._pyvista import load_pyvista
from kido.view._surface import Surface, joined

if TYPE_CHECKING:
    from pyvista import Plotter, PolyData

__all__ = ["Picture", "draw", "draw_shadow"]

_CREASE = 32.0
"""Angle between triangles above which their common edge is sharp [deg]."""
_LAYERS = 8
"""Number of transparent surfaces behind each other that are told apart."""
_FINE = 2
"""Pixels drawn along each side of a pixel of the picture."""
_SAMPLES = 4
"""Samples at each of these, where nothing is transparent."""
_GAMMA = 2.2
_LIGHT = np.linspace(0.0, 1.0, 256, dtype=np.float32) ** _GAMMA
"""Light of each number of a pixel, 1 for white."""
_MOST_FINE_PIXELS = 24_000_000
_SHINE = 0.35
"""Opacity of notes behind other surfaces, from 0 to 1."""
_MATERIAL = {"ambient": 0.32, "diffuse": 0.80, "specular": 0.22, "specular_power": 24.0}
_LAMPS = (((-1.3, 1.7, 2.2), 0.72), ((2.2, 0.4, 1.4), 0.26), ((0.3, 1.2, -2.0), 0.32))
"""Place (right, up, towards the camera) and strength of the main light, the fill, the one from behind."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Surfaces, floor and camera of a picture; `background` (3,) in [0, 1], `size` (width, height) [pixel].

    Notes are surfaces too; where others hide them, they shine through.
    """

    surfaces: Sequence[Surface]
    notes: Sequence[Surface]
    ground: Ground | None
    camera: Camera
    background: FloatArray
    size: tuple[int, int]

    def around(self, place: FloatArray) -> Picture:
        """The same picture in coordinates from `place` (3,) [m]. VTK draws in single precision."""
        shift = np.eye(4)
        shift[:3, 3] = -place
        return replace(
            self,
            surfaces=[part.moved(shift) for part in self.surfaces],
            notes=[part.moved(shift) for part in self.notes],
            ground=None if self.ground is None else self.ground.shifted(-place),
            camera=self.camera.shifted(-place),
        )


def draw(picture: Picture) -> NDArray[np.uint8]:
    """The pixels (height, width, 3).

    Raises:
        MissingDependencyError: pyvista is not installed.
        RenderError: this machine has no OpenGL.
    """
    picture = picture.around(picture.camera.target)
    width, height = picture.size
    fine = _FINE if width * height * _FINE**2 <= _MOST_FINE_PIXELS else 1
    with _plotter(width * fine, height * fine, picture.background) as plotter:
        _add_surfaces(plotter, [*picture.surfaces, *picture.notes])
        if picture.ground is not None:
            _add_ground(plotter, picture.ground)
        _light(plotter)
        _aim(plotter, picture.camera)
        pixels = plotter.screenshot(return_img=True)
        if any(len(note.triangles) for note in picture.notes):
            pixels = _with_hidden(pixels, _notes_alone(plotter, picture.notes), picture.background)
    return pixels if fine == 1 else _averaged(pixels, fine)


def draw_shadow(surfaces: Iterable[Surface], centre: FloatArray, half: float, pixels: int) -> FloatArray:
    """Coverage (pixels, pixels) of a square seen from above, from 0 to 1.

    Args:
        surfaces: flat ones, at z = 0.
        centre: (2,) of the square [m].
        half: half its edge [m].
        pixels: along each edge; rows from large to small y.
    """
    shape = joined(surfaces)
    with _plotter(pixels, pixels, np.ones(3)) as plotter:
        if len(shape.triangles):
            shift = np.eye(4)
            shift[:2, 3] = -centre
            plotter.add_mesh(_triangles(shape.moved(shift)), color="black", lighting=False)
        plotter.camera.parallel_projection = True
        plotter.camera.parallel_scale = half
        _aim(plotter, Camera(np.array([0.0, 0.0, 1.0]), np.zeros(3), np.array([0.0, 1.0, 0.0])))
        plotter.camera.clipping_range = (0.5, 1.5)
        image = plotter.screenshot(return_img=True)
    return 1.0 - np.asarray(image[..., 0], dtype=np.float64) / 255.0


@contextmanager
def _plotter(width: int, height: int, background: FloatArray) -> Iterator[Plotter]:
    pyvista = load_pyvista()
    require_opengl()
    with pyvista.vtk_verbosity("off"):
        plotter = pyvista.Plotter(off_screen=True, window_size=[width, height], lighting="none")
        try:
            plotter.set_background(background.tolist())
            plotter.disable_anti_aliasing()
            yield plotter
        finally:
            plotter.close()


def _notes_alone(plotter: Plotter, notes: Sequence[Surface]) -> NDArray[np.uint8]:
    """The same picture with nothing but notes."""
    for actor in list(plotter.actors.values()):
        actor.visibility = False
    _add(plotter, joined(notes), channels=3)
    return np.asarray(plotter.screenshot(return_img=True))


def _with_hidden(
    pixels: NDArray[np.uint8], notes: NDArray[np.uint8], background: FloatArray
) -> NDArray[np.uint8]:
    """The picture, and what it hides of the notes on a plain background."""
    covered = (notes != np.rint(255.0 * background).astype(np.uint8)).any(axis=-1)
    mixed = pixels.copy()
    seen, hidden = pixels[covered], notes[covered]
    mixed[covered] = np.rint(seen + _SHINE * (hidden.astype(np.float64) - seen)).astype(np.uint8)
    return mixed


def _averaged(pixels: NDArray[np.uint8], fine: int) -> NDArray[np.uint8]:
    """Each pixel the mean light of `fine` x `fine` pixels."""
    light = _LIGHT[pixels]
    total = sum(light[i::fine, j::fine] for i in range(fine) for j in range(fine))
    return np.asarray(np.rint(255.0 * (total / fine**2) ** (1.0 / _GAMMA)), dtype=np.uint8)


def _add_surfaces(plotter: Plotter, surfaces: Sequence[Surface]) -> None:
    drawn = [part for part in surfaces if len(part.triangles)]
    opaque = [part for part in drawn if part.is_opaque]
    transparent = [part for part in drawn if not part.is_opaque]
    if opaque:
        _add(plotter, joined(opaque), channels=3)
    if transparent:
        _add(plotter, joined(transparent), channels=4)
        plotter.enable_depth_peeling(_LAYERS)
    else:
        plotter.enable_anti_aliasing("msaa", multi_samples=_SAMPLES)


def _add(plotter: Plotter, surface: Surface, *, channels: int) -> None:
    mesh = _triangles(surface)
    mesh["rgba"] = np.rint(255.0 * surface.rgba[:, :channels]).astype(np.uint8)
    mesh = mesh.compute_normals(
        cell_normals=False, split_vertices=True, feature_angle=_CREASE, consistent_normals=False
    )
    plotter.add_mesh(mesh, scalars="rgba", rgb=True, smooth_shading=True, show_scalar_bar=False, **_MATERIAL)


def _triangles(surface: Surface) -> PolyData:
    pyvista = load_pyvista()
    return pyvista.PolyData.from_regular_faces(surface.points, surface.triangles)


def _add_ground(plotter: Plotter, ground: Ground) -> None:
    pyvista = load_pyvista()
    corners = ground.corners()
    floor = pyvista.PolyData.from_regular_faces(corners, [[0, 1, 2, 3]])
    floor.active_texture_coordinates = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    texture = pyvista.Texture(ground.image)
    texture.interpolate = True
    texture.mipmap = True
    plotter.add_mesh(floor, texture=texture, lighting=False, culling="back")


def _light(plotter: Plotter) -> None:
    pyvista = load_pyvista()
    for place, strength in _LAMPS:
        lamp = pyvista.Light(position=place, intensity=strength, light_type="camera light")
        plotter.add_light(lamp)


def _aim(plotter: Plotter, camera: Camera) -> None:
    plotter.camera.position = camera.position.tolist()
    plotter.camera.focal_point = camera.target.tolist()
    plotter.camera.up = camera.up.tolist()
    plotter.camera.view_angle = ANGLE
    plotter.renderer.reset_camera_clipping_range()
