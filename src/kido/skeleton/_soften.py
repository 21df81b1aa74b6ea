"""Soft bodies made of rigid ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from kido.description import SoftSkin
from kido.errors import DescriptionError, EditError
from kido.shape import Mesh, Shape, hull_triangles, load_triangles
from kido.skeleton._body import BodyNode
from kido.skeleton._core_inertia import core_of
from kido.skeleton._nodes._shipped_nodes import ShapeNode
from kido.skeleton._soft_body import SkinNode, SoftBodyNode
from kido.typing import FloatArray
from kido.values import checked_positive

__all__ = ["soften"]

_MOST_SHARE = 0.5
"""Share of a body's mass that its skin has at most."""
_HALVINGS = 20


def soften(
    body: BodyNode,
    *,
    thickness: float,
    stiffness: float,
    damping_ratio: float = 0.1,
    shape_node: ShapeNode | None = None,
    divisions: Iterable[int] | None = None,
    radius: float | None = None,
) -> SoftBodyNode:
    """Make the surface of a body soft, as a layer of an elastic material on a rigid core.

    Point masses stand on the body's shape, which touches nothing itself any more; the body's inertia stays
    what it is, for the points take their share of it: that of the layer in the volume, at most half, and less
    where no core could have the rest. Points are tied to the body by springs of stiffness E A / t for the
    area A around them, as a layer of thickness t and Young's modulus E bears a load (Winkler's foundation),
    and to their neighbors by E t / 6, half of the layer's stiffness in shear.

    Args:
        body: a rigid body with a box, sphere, ellipsoid, cylinder or mesh that touches others.
        thickness: t of the layer [m].
        stiffness: E, Young's modulus [Pa]: rubber 1e6 to 1e7, foam 1e4 to 1e5.
        damping_ratio: of each point on its spring.
        shape_node: the shape that becomes soft; None: the only one that touches others.
        divisions: how finely the shape is divided, as of `SoftSkin.of_shape`; None: its default.
        radius: points touch others as balls of this radius [m]; None: a tenth of the thickness.

    Returns:
        The same body.

    Raises:
        EditError: the body has a skin, or no or several shapes that touch others.
        DescriptionError: a mesh that is open or cuts itself; one that touches as its convex hull is taken
            as that.
        TypeError, ValueError: naming the argument.
    """
    if not isinstance(body, BodyNode):
        raise TypeError(f"body: expected a BodyNode, got {type(body).__name__}")
    if isinstance(body, SoftBodyNode):
        raise EditError(f"body {body.name!r} has a skin already")
    t, E = checked_positive("thickness", thickness), checked_positive("stiffness", stiffness)
    ratio = checked_positive("damping_ratio", damping_ratio)
    node = _touching(body, shape_node)
    reach = 0.1 * t if radius is None else checked_positive("radius", radius)
    layer = SoftSkin.of_shape(
        _surface(node.shape), 1.0, divisions=divisions, transform=node.relative_transform, radius=reach
    )
    areas, volume = _areas(layer), _volume(layer)
    skin = _fitting(body, layer, min(_MOST_SHARE, t * float(areas.sum()) / volume))
    vertex = E * areas / t
    damping = 2.0 * ratio * np.sqrt(vertex * skin.mass)
    skin = replace(skin, vertex_stiffness=vertex, edge_stiffness=E * t / 6.0, damping=damping)
    name = body._node_name(SkinNode, None)
    SkinNode(body, name, skin, material=node.material, visual=node.visual, surface=node.surface)
    node.properties = replace(node.properties, collision=False, visual=False)
    assert isinstance(body, SoftBodyNode)
    return body


def _touching(body: BodyNode, node: ShapeNode | None) -> ShapeNode:
    if node is not None:
        if not isinstance(node, ShapeNode):
            raise TypeError(f"shape_node: expected a ShapeNode, got {type(node).__name__}")
        if node.body is not body:
            raise EditError(f"shape_node: {node.name!r} belongs to {node.body.name!r}")
        return node
    found = [node for node in body.shape_nodes if node.collision]
    if len(found) != 1:
        names = ", ".join(repr(node.name) for node in found) or "none"
        raise EditError(
            f"body {body.name!r}: expected one shape that touches, got {names}: name it by `shape_node`"
        )
    return found[0]


def _surface(shape: Shape) -> Shape:
    """The shape as it touches others."""
    if not isinstance(shape, Mesh) or not shape.convex:
        return shape
    points = np.unique(load_triangles(shape).vertices, axis=0)
    faces = hull_triangles(points)
    used, index = np.unique(faces, return_inverse=True)
    return Mesh(None, vertices=points[used], triangles=index.reshape(-1, 3), convex=False)


def _areas(skin: SoftSkin) -> FloatArray:
    """Area (n,) around each point [m^2]."""
    a, b, c = (skin.points[skin.faces[:, k]] for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6.0
    return np.asarray(np.bincount(skin.faces.ravel(), np.repeat(areas, 3), skin.num_points), dtype=np.float64)


def _volume(skin: SoftSkin) -> float:
    corners = skin.points[skin.faces] - skin.points.mean(axis=0)
    return float((corners[:, 0] * np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0)


def _fitting(body: BodyNode, skin: SoftSkin, share: float) -> SoftSkin:
    """The skin with a share of the body's mass, as large as leaves an inertia that a core can have."""
    shares = skin.mass / skin.mass.sum()
    for halvings in range(_HALVINGS):
        fitting = replace(skin, mass=body.mass * share * 0.5**halvings * shares)
        try:
            core_of(body.inertia, fitting, body.name)
        except ValueError:
            continue
        return fitting
    raise DescriptionError(f"body {body.name!r}: its inertia leaves nothing for points on its surface")
