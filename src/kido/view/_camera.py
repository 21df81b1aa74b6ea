"""The camera of a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Value, number, value

__all__ = ["ANGLE", "Camera", "CameraLike", "Orbit", "make_camera"]

ANGLE = 30.0
"""Angle between the upper and the lower edge of a picture, as the camera sees them [deg]."""


@value
class Orbit(Value):
    """A camera that looks at the middle of what is seen.

    Attributes:
        azimuth: of the camera about z, from x on, counterclockwise seen from above [deg].
        elevation: above the horizon, within -90 and 90 [deg].
        zoom: 1 shows everything well in view, 2 all of it twice as large.
    """

    azimuth: float = number(unit="deg", default=37.0)
    elevation: float = number(unit="deg", default=22.0)
    zoom: float = number(positive=True, default=1.0)

    def _check(self) -> None:
        if not -90.0 <= self.elevation <= 90.0:
            raise ValueError(f"elevation: expected -90 to 90 [deg], got {self.elevation:g}")


CameraLike: TypeAlias = str | Orbit | tuple[ArrayLike, ArrayLike, ArrayLike] | None
"""Name of a view; orbit; position, target, up; None is "iso"."""

_UP = (0.0, 0.0, 1.0)
_VIEWS = {
    "iso": ((1.0, 0.75, 0.5), _UP),
    "front": ((1.0, 0.0, 0.0), _UP),
    "back": ((-1.0, 0.0, 0.0), _UP),
    "left": ((0.0, 1.0, 0.0), _UP),
    "right": ((0.0, -1.0, 0.0), _UP),
    "side": ((0.0, -1.0, 0.0), _UP),
    "top": ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0)),
}
"""Direction from what is seen to the camera, and what is up."""

_MARGIN = 0.88
"""Part of the picture that is filled, in the direction in which it is filled most."""
_PARALLEL = 1e-9
_STEPS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """Camera at `position` (3,) [m] that looks at `target` (3,) [m]; `up` (3,) points up in the picture."""

    position: FloatArray
    target: FloatArray
    up: FloatArray

    def is_same(self, other: Camera) -> bool:
        """Whether both see the same."""
        ours, theirs = ((c.position, c.target, c.up) for c in (self, other))
        return all(map(np.array_equal, ours, theirs))


def make_camera(camera: CameraLike, points: FloatArray, aspect: float) -> Camera:
    """The camera that was asked for.

    Args:
        camera: name of a view, from which all `points` are well in view, or position, target and up.
        points: (k, 3) what has to be seen [m].
        aspect: width of the picture by its height.

    Raises:
        ValueError: unknown name, or vectors that give no direction.
    """
    if camera is None or isinstance(camera, str):
        name = "iso" if camera is None else camera
        if name not in _VIEWS:
            known = ", ".join(map(repr, _VIEWS))
            raise ValueError(f"camera: expected {known} or (position, target, up), got {camera!r}")
        direction, up = _VIEWS[name]
        return _fitted(np.array(direction), np.array(up), points, aspect)
    if isinstance(camera, Orbit):
        return _orbiting(camera, points, aspect)
    try:
        position, target, up_vector = camera
    except (TypeError, ValueError):
        raise ValueError(
            f"camera: expected a name, an Orbit or (position, target, up), got {camera!r}"
        ) from None
    return _checked(position, target, up_vector)


def _orbiting(orbit: Orbit, points: FloatArray, aspect: float) -> Camera:
    azimuth, elevation = math.radians(orbit.azimuth), math.radians(orbit.elevation)
    level = np.array([math.cos(azimuth), math.sin(azimuth), 0.0])
    direction = math.cos(elevation) * level + math.sin(elevation) * np.array(_UP)
    up = math.cos(elevation) * np.array(_UP) - math.sin(elevation) * level
    fitted = _fitted(direction, up, points, aspect)
    back = fitted.position - fitted.target
    return Camera(fitted.target + back / orbit.zoom, fitted.target, fitted.up)


def _checked(position: ArrayLike, target: ArrayLike, up: ArrayLike) -> Camera:
    made = Camera(
        frozen_array("camera position", position, (3,), "m"),
        frozen_array("camera target", target, (3,), "m"),
        frozen_array("camera up", up, (3,)),
    )
    back = made.position - made.target
    if not back.any():
        raise ValueError(f"camera target: expected another place than the position, got {target!r}")
    cross = np.cross(back / np.linalg.norm(back), made.up)
    if np.linalg.norm(cross) <= _PARALLEL * np.linalg.norm(made.up):
        raise ValueError(f"camera up: expected a direction across the view, got {made.up.tolist()}")
    return made


def _fitted(direction: FloatArray, up: FloatArray, points: FloatArray, aspect: float) -> Camera:
    """The nearest camera in a direction for which all points are in the inner part of the picture."""
    axes = _axes(direction, up)
    right, height, depth = axes @ points.T
    slope = math.tan(math.radians(ANGLE / 2.0)) * _MARGIN
    distance = max(_nearest(right, depth, slope * aspect), _nearest(height, depth, slope))
    x, y = (_centre(across, distance - depth) for across in (right, height))
    position = np.array([x, y, distance]) @ axes
    target = np.array([x, y, 0.5 * (depth.min() + depth.max())]) @ axes
    return Camera(position, target, axes[1])


def _nearest(across: FloatArray, depth: FloatArray, slope: float) -> float:
    """Depth of the nearest camera, anywhere across, that sees all points within `slope` to both sides."""
    one_side = float((across + slope * depth).max())
    other_side = float((-across + slope * depth).max())
    return 0.5 * (one_side + other_side) / slope


def _centre(across: FloatArray, distance: FloatArray) -> float:
    """Place of the camera for which the outermost points on both sides are equally far from the middle.

    Each step does so for the two points that are outermost before it.
    """
    place = 0.5 * float(across.min() + across.max())
    for _ in range(_STEPS):
        slopes = (across - place) / distance
        first, last = int(slopes.argmin()), int(slopes.argmax())
        near, far = sorted((float(distance[first]), float(distance[last])))
        place += float(slopes[first] + slopes[last]) * near * far / (near + far)
    return place


def _axes(back: FloatArray, up: FloatArray) -> FloatArray:
    z = back / np.linalg.norm(back)
    x = np.cross(up, z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z])
