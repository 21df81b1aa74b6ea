"""Dynamics of skeletons whose tree works in Python."""

from __future__ import annotations

import numpy as np

from kido._core import Actuator
from kido.skeleton._answers._answers import Answers
from kido.skeleton._data import (
    ACCELERATION,
    ACCELERATION_LOWER,
    ACCELERATION_UPPER,
    COMMAND,
    DAMPING,
    FORCE,
    FORCE_LOWER,
    FORCE_UPPER,
    REST_POSITION,
    STIFFNESS,
    VELOCITY_LOWER,
    VELOCITY_UPPER,
)
from kido.typing import FloatArray


def forward(answers: Answers) -> None:
    data, tree, h = answers.data, answers.ready_tree(), answers.time_step
    commands, v = data.state[COMMAND], answers.v
    driving = np.where(
        data.has_actuator(int(Actuator.FORCE)),
        np.clip(commands, answers.constant(FORCE_LOWER), answers.constant(FORCE_UPPER)),
        0.0,
    )
    accelerating = data.has_actuator(int(Actuator.ACCELERATION))
    locked = data.has_actuator(int(Actuator.LOCKED))
    moving = data.has_actuator(int(Actuator.VELOCITY))
    within = np.clip(commands, answers.constant(ACCELERATION_LOWER), answers.constant(ACCELERATION_UPPER))
    speed = np.clip(commands, answers.constant(VELOCITY_LOWER), answers.constant(VELOCITY_UPPER))
    given = np.where(accelerating, within, 0.0)
    given = np.where(moving | locked, (np.where(locked, 0.0, speed) - v) / h, given)
    prescribed = accelerating | moving | locked
    passive = _passive(answers)
    a, tau = tree.hybrid_dynamics(
        answers.q,
        v,
        driving + passive,
        given,
        data.wrenches if data.wrenches.any() else None,
        prescribed=prescribed,
        added_inertia=h * answers.constant(DAMPING) + h * h * answers.constant(STIFFNESS),
    )
    _write(answers, ACCELERATION, "accelerations", a)
    _write(answers, FORCE, "forces", np.where(prescribed, tau - passive, driving))


def inverse(answers: Answers, external: bool, damping: bool, springs: bool) -> None:
    data, h = answers.data, answers.time_step
    a = data.state[ACCELERATION].copy()
    wrenches = data.wrenches if external and data.wrenches.any() else None
    tau = answers.ready_tree().inverse_dynamics(answers.q, answers.v, a, wrenches)
    if damping:
        tau = tau + answers.constant(DAMPING) * (answers.v + h * a)
    if springs:
        tau = tau + answers.constant(STIFFNESS) * (h * h * a) - _springs(answers)
    _write(answers, FORCE, "forces", tau)


def changes(answers: Answers, impulses: FloatArray) -> FloatArray:
    zero = np.zeros(answers.data.num_dofs)
    change, _ = answers.ready_tree().hybrid_dynamics(
        answers.q, zero, impulses, zero, prescribed=answers.data.actuators >= 4, gravity=False
    )
    return change


def _springs(answers: Answers) -> FloatArray:
    tree = answers.ready_tree()
    ahead = tree.integrate(answers.q, answers.v, answers.time_step)
    return tree.spring_forces(ahead, answers.constant(REST_POSITION), answers.constant(STIFFNESS))


def _passive(answers: Answers) -> FloatArray:
    return -answers.constant(DAMPING) * answers.v + _springs(answers)


def _write(answers: Answers, row: int, name: str, values: FloatArray) -> None:
    answers.ready().set_part(row, 0, answers.data.num_dofs, name, values)
