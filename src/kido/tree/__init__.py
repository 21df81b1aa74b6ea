"""A robot compiled to constants, with kinematics and dynamics for one state or a million at once."""

from kido.tree._tree import EARTH_GRAVITY, Tree

__all__ = ["EARTH_GRAVITY", "Tree"]
