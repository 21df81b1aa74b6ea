"""The simulated world: contact, time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kido._later import found_later
from kido.world._block_solver import BlockSolver
from kido.world._contact import Contact
from kido.world._contact_sums import ContactSupport, contact_support
from kido.world._custom_integrator import CustomIntegrator, SmoothMotion
from kido.world._frames import WorldFrames
from kido.world._impulse_solver import BoxedLCPSolver, ImpulseSolver
from kido.world._integrator import Integrator
from kido.world._joint_forces import JointForces
from kido.world._observers import InputKind, WatchedWorld, WorldObserver
from kido.world._pair_surfaces import PairSurface, PairSurfaces
from kido.world._saved_world import SavedFilter, SavedNumbers, SavedWorld
from kido.world._skeleton_step import SkeletonStep
from kido.world._sleeping import Sleeping
from kido.world._snapshot import Snapshot
from kido.world._stages import Stage, StageSignals
from kido.world._step_audit import Impulses, StepAudit, Work
from kido.world._step_problem import StepProblem
from kido.world._surface_rules import CombineRule, SurfaceRules
from kido.world._unmet import UnmetConstraint
from kido.world._world import World

if TYPE_CHECKING:
    from kido.world._contact_inverse_dynamics import (
        ContactForces,
        FrictionContact,
        contact_inverse_dynamics,
    )
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

__all__ = [
    "BlockSolver",
    "BodyPose",
    "BodyVelocity",
    "BoxedLCPSolver",
    "CombineRule",
    "Contact",
    "ContactCount",
    "ContactForces",
    "ContactSupport",
    "ContactWrench",
    "CustomIntegrator",
    "Energy",
    "FrictionContact",
    "ImpulseSolver",
    "Impulses",
    "InputKind",
    "Integrator",
    "JointForces",
    "PairSurface",
    "PairSurfaces",
    "RolloutSensor",
    "Rollouts",
    "SavedFilter",
    "SavedNumbers",
    "SavedWorld",
    "SkeletonStep",
    "Sleeping",
    "SmoothMotion",
    "Snapshot",
    "Stage",
    "StageSignals",
    "StateBatch",
    "StepAudit",
    "StepProblem",
    "SurfaceRules",
    "UnmetConstraint",
    "WatchedWorld",
    "Work",
    "World",
    "WorldFrames",
    "WorldObserver",
    "contact_inverse_dynamics",
    "contact_support",
    "rollout",
]

_LATER = {
    "ContactForces": "kido.world._contact_inverse_dynamics",
    "FrictionContact": "kido.world._contact_inverse_dynamics",
    "contact_inverse_dynamics": "kido.world._contact_inverse_dynamics",
    "Rollouts": "kido.world._rollout",
    "rollout": "kido.world._rollout",
    "BodyPose": "kido.world._rollout_sensors",
    "BodyVelocity": "kido.world._rollout_sensors",
    "ContactCount": "kido.world._rollout_sensors",
    "ContactWrench": "kido.world._rollout_sensors",
    "Energy": "kido.world._rollout_sensors",
    "RolloutSensor": "kido.world._rollout_sensors",
    "StateBatch": "kido.world._rollout_sensors",
}
"""Names whose modules are imported when they are first used: what is only loaded or reported needs none."""

__getattr__ = found_later(__name__, _LATER)


def __dir__() -> list[str]:
    return sorted(__all__)
