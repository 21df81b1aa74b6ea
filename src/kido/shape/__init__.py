"""Geometry of bodies, for pictures and collision."""

from kido.shape._decompose import decompose
from kido.shape._height_field import HeightField
from kido.shape._mesh import Mesh
from kido.shape._mesh_cache import MeshCache, mesh_cache
from kido.shape._mesh_file import MESH_SUFFIXES, meters_of, read_mesh_scene, scene_parts
from kido.shape._mesh_solid import MeshSolid, hull_triangles, mesh_solid
from kido.shape._plane import Plane
from kido.shape._primitive import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from kido.shape._shape import Shape
from kido.shape._surface import Surface
from kido.shape._surface_rules import CombineRule, SurfaceRules
from kido.shape._triangles import Triangles, load_triangles
from kido.shape._up_axis import upright_transform

__all__ = [
    "MESH_SUFFIXES",
    "Box",
    "Capsule",
    "CombineRule",
    "Cone",
    "Cylinder",
    "Ellipsoid",
    "HeightField",
    "Mesh",
    "MeshCache",
    "MeshSolid",
    "Plane",
    "Shape",
    "Sphere",
    "Surface",
    "SurfaceRules",
    "Triangles",
    "decompose",
    "hull_triangles",
    "load_triangles",
    "mesh_cache",
    "mesh_solid",
    "meters_of",
    "read_mesh_scene",
    "scene_parts",
    "upright_transform",
]
