"""What skeletons are asked, and what kido is to reach."""

from __future__ import annotations

from _operations import CRBA, HAND, JACOBIAN

OWN_JACOBIAN = "Jacobian of its own dofs"
RELATIVE_VELOCITY = "relative velocity"
RELATIVE_ACCELERATION = "relative acceleration"
CACHED_TRANSFORM = "transform again"
CACHED_MASS = "mass matrix again"

QUESTIONS = {
    HAND: "set q, transform",
    JACOBIAN: "set q, Jacobian of all dofs",
    OWN_JACOBIAN: "set q, Jacobian of its dofs",
    RELATIVE_VELOCITY: "set q, v, relative velocity",
    RELATIVE_ACCELERATION: "set q, v, a, relative acceleration",
    CRBA: "set q, mass matrix",
    CACHED_TRANSFORM: "transform asked again",
    CACHED_MASS: "mass matrix asked again",
}
"""Every question, and its name in the tables."""

INPUTS: dict[str, tuple[str, ...]] = {
    HAND: ("q",),
    JACOBIAN: ("q",),
    OWN_JACOBIAN: ("q",),
    RELATIVE_VELOCITY: ("q", "v"),
    RELATIVE_ACCELERATION: ("q", "v", "a"),
    CRBA: ("q",),
    CACHED_TRANSFORM: (),
    CACHED_MASS: (),
}
"""Arrays of a state that are set before each question."""

OBSERVERS = {
    "panda": "panda_link4",
    "ur5": "forearm_link",
    "g1": "right_wrist_yaw_link",
    "talos": "arm_right_7_link",
}
"""The body from which the motion of the hand is seen, by robot."""

RIVALS = ("dartpy", "drake")
"""The libraries that the target is about."""

TARGET = 2.0
"""How many times faster than each rival every row is to be, but those that only inform."""

INFORMING = (CACHED_MASS,)

MOST_CACHED = 0.6e-6
"""Time of a transform asked again [s]."""

MOST_RELATIVE_ACCELERATION = 3e-6
"""Time of a relative acceleration of talos [s]."""

MOST_EDIT = 1e-3
"""Time to move a branch of 50 bodies' skeleton and to ask it [s]."""

MOST_CLONES = 1.0
"""Time of 1000 clones of it [s]."""

MOST_BYTES = 100e3
"""Memory of one of it [bytes]."""
