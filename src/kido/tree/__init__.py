"""A robot compiled to constants, with kinematics and dynamics for one state or a million at once."""

from kido.description import EARTH_GRAVITY
from kido.tree._rows import (
    AXES,
    INERTIA,
    NUMBERS,
    PITCH,
    T_CHILD_JOINT,
    T_PARENT_JOINT,
    USER_TYPE,
    TreeRows,
    describe_rows,
    euler_code,
    inertia_numbers,
    type_code,
)
from kido.tree._summary import Summary, describe_summary, summarize
from kido.tree._table import Table, escaped, number_text
from kido.tree._tree import Tree
from kido.tree._user_motion import JointMotion

__all__ = [
    "AXES",
    "EARTH_GRAVITY",
    "INERTIA",
    "NUMBERS",
    "PITCH",
    "T_CHILD_JOINT",
    "T_PARENT_JOINT",
    "USER_TYPE",
    "JointMotion",
    "Summary",
    "Table",
    "Tree",
    "TreeRows",
    "describe_rows",
    "describe_summary",
    "escaped",
    "euler_code",
    "inertia_numbers",
    "number_text",
    "summarize",
    "type_code",
]
