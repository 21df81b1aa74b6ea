"""The simulated world: contact, time."""

from __future__ import annotations

from kido.world._contact import Contact
from kido.world._contact_sums import ContactSupport
from kido.world._integrator import Integrator
from kido.world._rollout import Rollouts, rollout
from kido.world._rollout_sensors import (
    BodyPose,
    BodyVelocity,
    ContactCount,
    ContactWrench,
    Energy,
    RolloutSensor,
    StateBatch,
)
from kido.world._skeleton_step import SkeletonStep
from kido.world._step_audit import Impulses, StepAudit, Work
from kido.world._world import Snapshot, World

__all__ = [
    "BodyPose",
    "BodyVelocity",
    "Contact",
    "ContactCount",
    "ContactSupport",
    "ContactWrench",
    "Energy",
    "Impulses",
    "Integrator",
    "RolloutSensor",
    "Rollouts",
    "SkeletonStep",
    "Snapshot",
    "StateBatch",
    "StepAudit",
    "Work",
    "World",
    "rollout",
]
