"""Colors in a picture, and the pixel of a point by a pinhole camera."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

import kido
from kido.description import Material

RED, GREEN, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)
SIZE = (320, 240)


def block(
    shape: kido.shape.Shape, place: ArrayLike = (0, 0, 0), rgba: ArrayLike | None = RED, **options: bool
) -> kido.Skeleton:
    """A skeleton of one welded body with one shape."""
    skeleton = kido.Skeleton("block")
    body = skeleton.add_body("body", None, kido.WeldJoint(T_parent_joint=place))
    material = None if rgba is None else Material("paint", rgba)
    kido.ShapeNode(body, "shape", shape, material=material, **options)
    return skeleton


def project(
    points: ArrayLike, camera: tuple[ArrayLike, ArrayLike, ArrayLike], size: tuple[int, int]
) -> NDArray:
    """Column and row (..., 2) of points (..., 3); 30 degrees lie between the upper and the lower edge."""
    position, target, up = (np.asarray(vector, dtype=float) for vector in camera)
    forward = (target - position) / np.linalg.norm(target - position)
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    ways = np.asarray(points, dtype=float) - position
    depth = ways @ forward
    scale = size[1] / 2.0 / np.tan(np.radians(15.0))
    return np.stack(
        [size[0] / 2 + scale * (ways @ right) / depth, size[1] / 2 + scale * (ways @ down) / depth], -1
    )


def covered(image: NDArray, background: int = 255) -> NDArray:
    """Where a picture without floor shows something."""
    return (np.abs(image.astype(int) - background) > 40).any(axis=-1)


def box_of(mask: NDArray) -> NDArray:
    """First and last column and row (2, 2) where a mask is true, as edges of pixels."""
    rows, columns = np.nonzero(mask)
    return np.array([[columns.min(), rows.min()], [columns.max() + 1, rows.max() + 1]])


def reddish(image: NDArray) -> NDArray:
    """Where red is more than twice as bright as green and blue."""
    return dominated(image, 0)


def dominated(image: NDArray, channel: int) -> NDArray:
    """Where a channel is more than twice as bright as the others."""
    bright = image.astype(int)
    others = np.delete(bright, channel, axis=-1).max(axis=-1)
    return (bright[..., channel] > 60) & (bright[..., channel] > 2 * others)


def orange(image: NDArray) -> NDArray:
    """Where joints of stick figures are."""
    r, g, b = np.moveaxis(image.astype(int), -1, 0)
    return (r > 1.4 * g) & (g > 1.3 * b) & (r > 90)
