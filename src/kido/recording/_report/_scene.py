"""Scene of a replay in a page: shapes, and where their bodies are."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kido.collision import field_triangles
from kido.errors import KidoError
from kido.math import matrix_to_quaternion
from kido.recording._playback import Playback, PlaybackSource
from kido.shape import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    HeightField,
    Mesh,
    Plane,
    Shape,
    Sphere,
    load_triangles,
)
from kido.skeleton import BodyNode, ShapeNode, Skeleton
from kido.typing import FloatArray

__all__ = ["scene_of"]

_RATE = 30.0
"""Pictures a second of recorded time."""
_MOST_PICTURES = 1200
_MOST_TRIANGLES = 150_000
"""Of all meshes; finer ones are drawn coarser."""
_GREY = (0.72, 0.74, 0.78, 1.0)
_GROUND = (0.93, 0.93, 0.91, 1.0)


def scene_of(recording: PlaybackSource, start: float, end: float) -> dict[str, Any]:
    """Shapes, poses of bodies and contacts over time, as JSON has them."""
    count = int(min(_MOST_PICTURES, max(2, round((end - start) * _RATE) + 1)))
    times = np.linspace(start, end, count)
    playback = Playback(recording, start)
    bodies: dict[tuple[str, str], dict[str, Any]] = {}
    contacts: list[list[float]] = []
    for picture, time in enumerate(times.tolist()):
        playback.time = time
        for skeleton in playback.skeletons:
            for body in skeleton.bodies:
                key = skeleton.name, body.name
                if key not in bodies:
                    bodies[key] = {"shapes": _shapes(body), "poses": np.full((count, 7), np.nan)}
                if bodies[key]["shapes"]:
                    bodies[key]["poses"][picture] = _pose(body.transform())
        contacts.append(
            [
                round(x, 5)
                for contact in playback.contacts
                if contact.force.any()
                for x in (*contact.point.tolist(), *contact.force.tolist())
            ]
        )
    shown = [{"name": "/".join(key), **told} for key, told in bodies.items() if told["shapes"]]
    _thin_out([shape for one in shown for shape in one["shapes"]])
    for one in shown:
        poses = one["poses"]
        fixed = np.isfinite(poses).all() and (poses == poses[0]).all()
        one["poses"] = _packed(poses[:1] if fixed else poses, np.float32)
    return {"times": times.tolist(), "bodies": shown, "contacts": contacts}


def _pose(T: FloatArray) -> FloatArray:
    return np.concatenate([T[:3, 3], matrix_to_quaternion(T[:3, :3])])


def _shapes(body: BodyNode) -> list[dict[str, Any]]:
    """The visual shapes of a body; where its skeleton has none, those that collide."""
    skeleton: Skeleton = body.skeleton
    visual = any(node.visual for other in skeleton.bodies for node in other.shape_nodes)
    found = []
    for node in body.shape_nodes:
        if node.visual if visual else node.collision:
            shape = _shape(node)
            if shape is not None:
                found.append(shape)
    return found


def _shape(node: ShapeNode) -> dict[str, Any] | None:
    try:
        told = _geometry(node.shape)
    except (KidoError, OSError, ValueError):
        return None  # a mesh that is missing or broken
    default = _GROUND if isinstance(node.shape, Plane | HeightField) else _GREY
    color = default if node.material is None else node.material.rgba
    told["color"] = [round(float(x), 4) for x in np.asarray(color)]
    told["pose"] = _pose(np.asarray(node.relative_transform)).tolist()
    return told


def _geometry(shape: Shape) -> dict[str, Any]:
    if isinstance(shape, Box):
        return {"kind": "box", "size": np.asarray(shape.size).tolist()}
    if isinstance(shape, Sphere):
        return {"kind": "ball", "radii": [shape.radius] * 3}
    if isinstance(shape, Ellipsoid):
        return {"kind": "ball", "radii": np.asarray(shape.radii).tolist()}
    if isinstance(shape, Capsule):
        return {"kind": "turned", "profile": _capsule(shape.radius, shape.length)}
    if isinstance(shape, Cylinder):
        r, h = shape.radius, shape.length / 2.0
        return {"kind": "turned", "profile": [[0.0, -h], [r, -h], [r, h], [0.0, h]]}
    if isinstance(shape, Cone):
        r, h = shape.radius, shape.length / 2.0
        return {"kind": "turned", "profile": [[0.0, -h], [r, -h], [0.0, h]]}
    if isinstance(shape, Plane):
        return {"kind": "plane", "normal": np.asarray(shape.normal).tolist(), "offset": shape.offset}
    if isinstance(shape, HeightField):
        triangles = field_triangles(shape)
        return {"kind": "mesh", "vertices": triangles.vertices, "triangles": triangles.triangles}
    if isinstance(shape, Mesh):
        found = load_triangles(shape).joined
        return {"kind": "mesh", "vertices": found.vertices, "triangles": found.triangles}
    raise ValueError(f"no picture of a {type(shape).__name__}")


def _capsule(radius: float, length: float) -> list[list[float]]:
    """Radius and height of points from bottom to top."""
    angles = np.linspace(-np.pi / 2.0, 0.0, 7)
    lower = [[radius * np.cos(a), radius * np.sin(a) - length / 2.0] for a in angles]
    return lower + [[r, -z] for r, z in reversed(lower)]


# ---- meshes


def _thin_out(shapes: list[dict[str, Any]]) -> None:
    """Draw meshes coarser where there are too many triangles, and pack their numbers."""
    meshes = [shape for shape in shapes if shape["kind"] == "mesh"]
    total = sum(len(shape["triangles"]) for shape in meshes)
    for shape in meshes:
        vertices, triangles = np.asarray(shape["vertices"]), np.asarray(shape["triangles"])
        if total > _MOST_TRIANGLES and len(triangles) > 500:
            share = len(triangles) * _MOST_TRIANGLES / total
            vertices, triangles = _clustered(vertices, triangles, max(500, int(share)))
        shape["vertices"] = _packed(vertices, np.float32)
        shape["triangles"] = _packed(triangles, np.uint32)


def _clustered(vertices: FloatArray, triangles: NDArray[Any], most: int) -> tuple[FloatArray, NDArray[Any]]:
    """A mesh with at most so many triangles: points in one cell of a grid become one.

    Rossignac and Borrel, Multi-resolution 3D approximations for rendering complex scenes (1993).
    """
    low, size = vertices.min(axis=0), float(np.ptp(vertices, axis=0).max())
    cells = 128
    while True:
        place = np.floor((vertices - low) * (cells / size)).astype(np.int64)
        _, own = np.unique(place, axis=0, return_inverse=True)
        own = own.reshape(-1)
        count = np.bincount(own)
        joined = np.stack([np.bincount(own, vertices[:, k]) / count for k in range(3)], axis=1)
        index = own[triangles]
        a, b, c = index.T
        index = np.unique(index[(a != b) & (b != c) & (c != a)], axis=0)
        if len(index) <= most or cells <= 4:
            return joined, index
        cells = int(cells * 0.8)


def _packed(numbers: Any, dtype: Any) -> str:
    return b64encode(np.ascontiguousarray(numbers, dtype=dtype).tobytes()).decode()
