"""A robot compiled to constants, with kinematics and dynamics for one state or a million at once."""

from kido.description import EARTH_GRAVITY
from kido.tree._rows import (
    AXES,
    INERTIA,
    NUMBERS,
    PITCH,
    T_CHILD_JOINT,
    T_PARENT_JOINT,
    TreeRows,
    default_dof_names,
    describe_rows,
    euler_code,
    inertia_numbers,
    type_code,
)
from kido.tree._tree import Tree

__all__ = [
    "AXES",
    "EARTH_GRAVITY",
    "INERTIA",
    "NUMBERS",
    "PITCH",
    "T_CHILD_JOINT",
    "T_PARENT_JOINT",
    "Tree",
    "TreeRows",
    "default_dof_names",
    "describe_rows",
    "euler_code",
    "inertia_numbers",
    "type_code",
]
