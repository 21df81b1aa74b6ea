"""Articulated bodies: kinematics, dynamics, inverse kinematics and contact simulation."""

from kido import description, errors, io, math, shape
from kido._core import num_threads, set_num_threads
from kido._load import load_tree
from kido.tree import Tree

__version__ = "0.1.0"

__all__ = [
    "Tree",
    "description",
    "errors",
    "io",
    "load_tree",
    "math",
    "num_threads",
    "set_num_threads",
    "shape",
]
