"""The simulated world: contact, time."""

from __future__ import annotations

from kido.world._contact import Contact
from kido.world._integrator import Integrator
from kido.world._joint_forces import JointForces
from kido.world._rollout import Rollouts, rollout
from kido.world._unmet import UnmetConstraint
from kido.world._world import Snapshot, World

__all__ = [
    "Contact",
    "Integrator",
    "JointForces",
    "Rollouts",
    "Snapshot",
    "UnmetConstraint",
    "World",
    "rollout",
]
