"""Questions to skeletons, and what kido is to reach."""

from __future__ import annotations

from benchmarks._operations import (
    ABA,
    ABA_ACTUATORS,
    ABA_SPRINGS,
    CACHED_MASS,
    CACHED_TRANSFORM,
    CRBA,
    HAND,
    JACOBIAN,
    OWN_JACOBIAN,
    RELATIVE_ACCELERATION,
    RELATIVE_VELOCITY,
)

QUESTIONS = {
    HAND: "set q, transform",
    JACOBIAN: "set q, Jacobian of all dofs",
    OWN_JACOBIAN: "set q, Jacobian of its dofs",
    RELATIVE_VELOCITY: "set q, v, relative velocity",
    RELATIVE_ACCELERATION: "set q, v, a, relative acceleration",
    ABA: "set q, v, forces, forward dynamics",
    ABA_SPRINGS: "the same with springs, dampers",
    ABA_ACTUATORS: "the same, every third dof accelerated",
    CRBA: "set q, mass matrix",
    CACHED_TRANSFORM: "transform asked again",
    CACHED_MASS: "mass matrix asked again",
}
"""Every question, and its name in the tables."""

TIME_STEP = 1e-3
"""Step over which springs and dampers are implicit [s]."""

STIFFNESS, DAMPING = 20.0, 0.5
"""Of each dof but those of a free root [N m/rad, N/m], [N m s/rad, N s/m]."""

EVERY = 3
"""Of so many dofs one is given its acceleration, not its force; none of a free root."""

RIVALS = ("dartpy", "drake")
"""The libraries that the target is about."""

TARGET = 2.0
"""Ratio to each rival that every row is to reach, but those that only inform."""

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

MOST_OVER_KERNEL = 1e-6
"""Time that forward dynamics of a skeleton may take beyond its tree's [s]."""

LONG_CHAIN = 5000
"""Bodies of a chain that is loaded."""

MOST_LOADING = 1.0
"""Time to load it [s]."""
