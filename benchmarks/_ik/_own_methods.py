"""Error and gradient methods that a user writes in Python, inside the search, and by themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter_ns

import numpy as np

import kido
from benchmarks._ik._arms import TOOL
from benchmarks._ik._contest import Contest
from benchmarks._ik._judge import FloatArray
from benchmarks._ik._timing import Timed, one_by_one
from benchmarks._peers._kido_ik import KidoArm
from benchmarks._table import Table, duration
from kido.math import so3_left_jacobian_inverse, so3_log

ARM = "panda"
BOTH = "both"
"""The case of both methods; the aims are about one."""

_MOST = 5.0
_LEAST = 1e-6
_SAMPLES, _ROUNDS = 100, 7


class OwnError(kido.ik.ErrorMethod):
    """The node's pose relative to the target: a rotation vector and a displacement, in world axes."""

    def compute_error(self, ik: kido.ik.IKQuery) -> FloatArray:
        """Rotation vector [rad], displacement [m] (6,)."""
        return _difference(ik.transform(), ik.target.transform())

    def compute_jacobian(self, ik: kido.ik.IKQuery) -> FloatArray:
        """Derivative (6, k)."""
        return _derivative(ik.transform(), ik.target.transform(), ik.jacobian())


class OwnGradient(kido.ik.GradientMethod):
    """Least squares, damped by the square of the error."""

    def compute_gradient(self, ik: kido.ik.IKQuery, error: FloatArray, jacobian: FloatArray) -> FloatArray:
        """Velocities (k,) of the dofs."""
        return _damped(error, jacobian)


@dataclass(frozen=True)
class Own:
    """What became of the targets.

    Attributes:
        timed: calls with restarts.
        success: share of the targets that are reached.
        iteration: time of an iteration of those that the first start reached [s].
        alone: the same mathematics by itself [s].
    """

    timed: Timed
    success: float
    iteration: float
    alone: float

    @property
    def overhead(self) -> float:
        """What the search adds to an iteration [s]."""
        return self.iteration - self.alone


def measure(contest: Contest) -> dict[str, Own]:
    """Own error method, own gradient method, and both."""
    solver = contest.solvers["kido"]
    assert isinstance(solver, KidoArm)
    error, gradient = _error_alone(contest, solver), _gradient_alone(contest, solver)
    cases: dict[str, tuple[bool, bool, float]] = {
        "own error method": (True, False, error),
        "own gradient method": (False, True, gradient),
        BOTH: (True, True, error + gradient),
    }
    return {name: _own(contest, solver, *case) for name, case in cases.items()}


def table(found: dict[str, Own]) -> Table:
    """One row for each kind."""
    rows = [
        [
            name,
            f"{100 * own.success:.4g} %",
            *own.timed.text.split(", "),
            *(duration(own.iteration), duration(own.alone), duration(max(own.overhead, 0.0))),
        ]
        for name, own in found.items()
    ]
    columns = ["", "success", "median", "95th percentile", "iteration", "mathematics alone", "overhead"]
    notes = [
        "error method: rotation vector, displacement, their Jacobian; gradient method: damped least squares",
        "iteration: time over iterations, the least of some calls, median of targets that one start reaches",
        "mathematics alone: the same in numpy with Tree.transform and Tree.jacobian; of the gradient method",
        "its own function",
    ]
    return Table(f"Methods of the user's own in Python, {ARM}", columns, rows, notes)


def _own(contest: Contest, solver: KidoArm, error: bool, gradient: bool, alone: float) -> Own:
    module = solver.module(kido.SearchSettings())
    if error:
        module.error_method = OwnError()
    if gradient:
        module.gradient_method = OwnGradient()
    module.positions = contest.arm.middle

    def answer(target: FloatArray) -> kido.ik.IKResult:
        module.target.set_transform(target)
        return module.solve()

    timed = one_by_one(answer, [(target,) for target in contest.targets], _MOST)
    answers = [result.positions for result in timed.answers]
    reached = contest.judge.reached(contest.targets[: len(answers)], answers)
    return Own(timed, float(reached.mean()), _iteration(answer, contest.targets), alone)


def _iteration(answer: Callable[[FloatArray], kido.ik.IKResult], targets: FloatArray) -> float:
    """Median over targets that the first start reaches of the least time over iterations [s]."""
    times = []
    for target in targets[:_SAMPLES]:
        result = answer(target)
        if result.success and result.start == 0 and result.iterations:
            times.append(_least(answer, [(target,)]) / result.iterations)
    return float(np.median(times)) if times else np.inf


def _error_alone(contest: Contest, solver: KidoArm) -> float:
    """Error and Jacobian at random positions, of numpy and the tree [s]."""
    tree, arm = solver.skeleton.tree, contest.arm
    rows = np.random.default_rng(5).uniform(arm.lower, arm.upper, (_SAMPLES, arm.dofs))

    def once(q: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
        T = tree.transform(q, TOOL)
        J = tree.jacobian(q, TOOL, frame="world")
        return _difference(T, target), _derivative(T, target, J)

    return _least(once, list(zip(rows, contest.targets, strict=False)))


def _gradient_alone(contest: Contest, solver: KidoArm) -> float:
    """The step at random positions [s]."""
    tree, arm = solver.skeleton.tree, contest.arm
    rows = np.random.default_rng(5).uniform(arm.lower, arm.upper, (_SAMPLES, arm.dofs))
    jacobians = [tree.jacobian(q, TOOL, frame="world") for q in rows]
    targets = np.resize(contest.targets, (_SAMPLES, 4, 4))
    errors = [_difference(tree.transform(q, TOOL), T) for q, T in zip(rows, targets, strict=True)]
    return _least(_damped, list(zip(errors, jacobians, strict=True)))


def _least(function: Callable[..., object], arguments: list[tuple[FloatArray, ...]]) -> float:
    """Time of a call [s]: the least of some rounds, of each the mean over the arguments."""
    times = []
    for _ in range(_ROUNDS):
        begin = perf_counter_ns()
        for row in arguments:
            function(*row)
        times.append((perf_counter_ns() - begin) / len(arguments))
    return min(times) * 1e-9


def _difference(T: FloatArray, target: FloatArray) -> FloatArray:
    turn = so3_log(T[:3, :3] @ target[:3, :3].T)
    return np.concatenate([turn, T[:3, 3] - target[:3, 3]])


def _derivative(T: FloatArray, target: FloatArray, J: FloatArray) -> FloatArray:
    turn = so3_log(T[:3, :3] @ target[:3, :3].T)
    return np.concatenate([so3_left_jacobian_inverse(turn) @ J[:3], J[3:]])


def _damped(error: FloatArray, jacobian: FloatArray) -> FloatArray:
    damping = 0.1 * (error @ error) + _LEAST
    square = jacobian @ jacobian.T
    square.flat[:: len(error) + 1] += damping
    return np.asarray(jacobian.T @ np.linalg.solve(square, error))
