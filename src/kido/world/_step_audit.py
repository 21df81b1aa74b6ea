"""Energy and momentum of a time step, and where they came from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np

from kido.skeleton import SimulationView
from kido.typing import FloatArray
from kido.world._skeleton_step import SkeletonStep
from kido.world._soft_audit import PointContacts, point_steps

__all__ = ["Impulses", "StepAudit", "Work", "audit"]


@dataclass(frozen=True)
class Work:
    """Changes of the kinetic energy in a step, by cause [J].

    Attributes:
        gravity: minus what its potential energy gained.
        springs: of joints and of soft bodies with their gas, minus what their energy gained.
        actuators: of dofs.
        dampers: of joints and of soft bodies.
        joint_friction: of dofs.
        limits: of positions.
        contacts: between bodies, friction and restitution included.
        constraints: between bodies, what couples dofs, and what point masses are pinned to.
        external: forces on bodies and point masses from outside.
        numerical: the rest, which is what the integrator made of it; also what places of rest that yield
            take.
    """

    gravity: float = 0.0
    springs: float = 0.0
    actuators: float = 0.0
    dampers: float = 0.0
    joint_friction: float = 0.0
    limits: float = 0.0
    contacts: float = 0.0
    constraints: float = 0.0
    external: float = 0.0
    numerical: float = 0.0

    @property
    def total(self) -> float:
        """Their sum, the change of the kinetic energy [J]."""
        return float(sum(getattr(self, field.name) for field in fields(self)))


@dataclass(frozen=True, eq=False)
class Impulses:
    """Changes of the momentum in a step, by cause: angular about the world's origin, and linear (6,), in
    world axes [N m s, N s].

    Attributes:
        gravity: on all bodies.
        contacts, constraints: with what does not move; between bodies that move they cancel.
        external: forces on bodies from outside.
        root_joints: what the world applies through the skeletons' root joints, drives of free ones included.
        numerical: the rest, which is what the integrator made of it.
    """

    gravity: FloatArray
    contacts: FloatArray
    constraints: FloatArray
    external: FloatArray
    root_joints: FloatArray
    numerical: FloatArray


@dataclass(frozen=True, eq=False)
class StepAudit:
    """Energy and momentum of all skeletons that move or have soft bodies, over the last step.

    Attributes:
        time: at the end of the step [s].
        duration: of the step [s]; 0 where none was made.
        kinetic_energy, potential_energy: at the end [J]; potential in gravity and springs.
        kinetic_energy_gain, potential_energy_gain: over the step [J].
        work: where the kinetic energy came from.
        momentum: angular about the world's origin, and linear (6,), at the end [kg m^2/s, kg m/s].
        momentum_gain: over the step (6,).
        impulses: where the momentum came from.
    """

    time: float
    duration: float
    kinetic_energy: float
    potential_energy: float
    kinetic_energy_gain: float
    potential_energy_gain: float
    work: Work
    momentum: FloatArray
    momentum_gain: FloatArray
    impulses: Impulses

    @property
    def energy(self) -> float:
        """Kinetic and potential energy at the end [J]."""
        return self.kinetic_energy + self.potential_energy


def audit(
    time: float,
    duration: float,
    steps: Iterable[tuple[SimulationView, SkeletonStep]],
    contacts: PointContacts,
    gravity: FloatArray,
) -> StepAudit:
    """The audit of a step of skeletons that move; `contacts` are those on point masses, `gravity` (3,)
    [m/s^2]."""
    energies, work = np.zeros((2, 3)), {field.name: 0.0 for field in fields(Work)}
    momenta, impulses = np.zeros((2, 6)), {field.name: np.zeros(6) for field in fields(Impulses)}
    for view, step in steps:
        own = _energies(view, step)
        energies += own
        work["gravity"] += float(own[0, 1] - own[1, 1])
        work["springs"] += float(own[0, 2] - own[1, 2])
        for name, value in _work(view, step).items():
            work[name] += value
        for name, impulse in _impulses(view, step).items():
            impulses[name] += impulse
        momenta += [view.tree.momentum(*state) for state in _states(step)]
        for points in point_steps(view, step, contacts, gravity):
            own = points.energies()
            energies += own
            work["gravity"] += float(own[0, 1] - own[1, 1])
            work["springs"] += float(own[0, 2] - own[1, 2])
            for name, value in points.work().items():
                work[name] += value
            for name, impulse in points.impulses().items():
                impulses[name] += impulse
            momenta += points.momenta()
    gain, momentum_gain = _gain(energies), _gain(momenta)
    work["numerical"] = float(gain[0]) - sum(work.values())
    impulses["numerical"] = momentum_gain - sum(impulses.values())
    return StepAudit(
        time=time,
        duration=duration,
        kinetic_energy=float(energies[1, 0]),
        potential_energy=float(energies[1, 1:].sum()),
        kinetic_energy_gain=float(gain[0]),
        potential_energy_gain=float(gain[1:].sum()),
        work=Work(**work),
        momentum=momenta[1],
        momentum_gain=momentum_gain,
        impulses=Impulses(**impulses),
    )


def _gain(numbers: FloatArray) -> FloatArray:
    """The second row minus the first; nothing where they are the same, infinite ones too."""
    before, after = numbers
    return np.asarray(np.subtract(after, before, where=after != before, out=np.zeros_like(after)))


def _states(step: SkeletonStep) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Positions and velocities at the beginning and at the end."""
    return (step.positions, step.velocities), (step.end_positions, step.end_velocities)


def _energies(view: SimulationView, step: SkeletonStep) -> FloatArray:
    """Kinetic energy, potential energies in gravity and of springs (3), at beginning and end (2, 3) [J]."""
    return np.array([[view.tree.kinetic_energy(q, v), *view.potential_energies(q)] for q, v in _states(step)])


def _work(view: SimulationView, step: SkeletonStep) -> dict[str, float]:
    """Work of what is no potential: impulses by the velocities in the middle of the step."""
    v = step.mean_velocities
    bodies = view.tree.body_velocities(step.positions, v)
    return {
        "actuators": step.duration * float(step.actuators @ v),
        "dampers": step.duration * float(step.dampers @ v),
        "joint_friction": step.duration * float(step.joint_friction @ v),
        "limits": step.duration * float(step.limits @ v),
        "contacts": step.duration * float((step.contacts * bodies).sum()),
        "constraints": step.duration * float((step.constraints * bodies).sum() + step.couplings @ v),
        "external": step.duration * float((step.external * bodies).sum()),
    }


def _impulses(view: SimulationView, step: SkeletonStep) -> dict[str, FloatArray]:
    moving = view.moving_bodies[:, None]
    roots = np.zeros_like(step.joint_wrenches)
    for body in view.skeleton.bodies:
        parent = body.parent_body
        if moving[body.index] and (parent is None or not moving[parent.index]):
            roots[body.index] = step.joint_wrenches[body.index]
    return {
        "gravity": step.duration * view.weight(step.transforms),
        "contacts": step.duration * step.in_world(step.contacts * moving),
        "constraints": step.duration * step.in_world(step.constraints * moving),
        "external": step.duration * step.in_world(step.external * moving),
        "root_joints": step.duration * step.in_world(roots),
    }
