"""Check of a gradient method: its steps lower the errors of targets that are near."""

from __future__ import annotations

from typing import Any

import numpy as np

from kido.ik._query import IKQuery
from kido.ik._result import IKResult
from kido.ik._user_output import asked, check_positions, moved, pair_of, unchanged
from kido.typing import FloatArray

__all__ = ["check_gradient_method"]

_NEAR = 1e-3
"""How far the dofs are from where they put the node at its target [rad, m]."""
_NO_ERROR = 1e-12
"""Errors that are no error [-]."""
_FOLLOWING = 3
"""Steps after the first that are looked at of a method with state."""
_ROUNDING = 1e-6
"""Relative difference of errors that are the same [-]."""


def check_gradient_method(ik: IKQuery, samples: int) -> None:
    """Take one step of the gradient method of a module towards targets near the present positions and random
    ones, and look whether it comes nearer.

    Raises TypeError or ValueError that name the method and what is wrong with its step.
    """
    method, rng, steps = ik.gradient_method, np.random.default_rng(1), _Steps(ik)
    with unchanged(ik):
        for q in check_positions(ik, samples):
            _put_near(ik, q, rng)
            steps.check(q)
            _check_direct_result(ik)
    if steps.idle and not steps.taken:
        raise ValueError(
            f"{method.step_member}: expected steps that lower the error, got none at all from "
            f"{steps.idle} positions"
        )


def _put_near(ik: IKQuery, q: FloatArray, rng: np.random.Generator) -> None:
    """Move the skeleton to positions (n,) [rad, m], and the target to where the node is nearby."""
    skeleton = ik.node.skeleton
    skeleton.positions = moved(ik, q, _NEAR * rng.uniform(-1.0, 1.0, len(ik.dofs)))
    goal = ik.transform()
    skeleton.positions = q
    ik.target.set_transform(goal)


def _check_direct_result(ik: IKQuery) -> None:
    method, q = ik.gradient_method, ik.node.skeleton.positions.copy()
    result = method.solve_directly(ik)
    part = f"{method.name}.solve_directly"
    if result is not None and not isinstance(result, IKResult):
        raise TypeError(f"{part}: expected an IKResult or None, got {result!r}")
    if not np.array_equal(ik.node.skeleton.positions, q):
        raise ValueError(f"{part}: expected the skeleton to be left where it was, it is elsewhere")


class _Steps:
    """Steps of a gradient method, and how many of them moved anything."""

    def __init__(self, ik: IKQuery) -> None:
        self.ik, self.part = ik, ik.gradient_method.step_member
        self.taken = self.idle = 0

    def check(self, q: FloatArray) -> None:
        """Take one step from positions (n,) [rad, m]. Raises ValueError where it raises the error."""
        ik = self.ik
        error, J = ik.weighted_error_and_jacobian()
        size = float(np.linalg.norm(error))
        step = self._asked(error, J)
        self._check_following(q)
        if size <= _NO_ERROR:
            return
        made = J @ step
        if not step.any():
            self.idle += bool(np.linalg.norm(J.T @ error) > _ROUNDING * np.linalg.norm(J) * size)
            return
        self.taken += 1
        left = float(np.linalg.norm(error - made))
        if left <= (1.0 + _ROUNDING) * size:
            return
        after = self._size_after(q)
        if after > (1.0 + _ROUNDING) * size:
            self._refuse(q, size, after, float(error @ made))

    def _asked(self, error: FloatArray, J: FloatArray) -> FloatArray:
        """The first step (k,), asked for with a state of its own each time."""
        ik, method = self.ik, self.ik.gradient_method
        shape = (len(ik.dofs),)
        return asked(self.part, ik, lambda: self._pair(error, J, method.initial_state(ik))[0], shape)

    def _check_following(self, q: FloatArray) -> None:
        """Take steps from positions (n,) with the states that they leave. Raises ValueError where the same
        state gives different ones."""
        ik, method, skeleton = self.ik, self.ik.gradient_method, self.ik.node.skeleton
        state = method.initial_state(ik)
        if state is None:
            return
        for _ in range(_FOLLOWING):
            step, state = self._following(state)
            skeleton.positions = moved(ik, skeleton.positions, -method.limited(step))
        skeleton.positions = q

    def _following(self, state: Any) -> tuple[FloatArray, Any]:
        """The step (k,) from a state, which gives it twice, and the next state."""
        ik, (error, J) = self.ik, self.ik.weighted_error_and_jacobian()
        same = "at the same positions with the same state, which is to be left as it is"
        step = asked(self.part, ik, lambda: self._pair(error, J, state)[0], (len(ik.dofs),), same)
        return step, self._pair(error, J, state)[1]

    def _pair(self, error: FloatArray, J: FloatArray, state: Any) -> tuple[Any, Any]:
        """Velocities and the next state, as the method gives them. Raises TypeError for what is no pair."""
        return pair_of(self.part, self.ik.gradient_method.compute_step(self.ik, error, J, state))

    def _size_after(self, q: FloatArray) -> float:
        """Size of the weighted error after the whole step, with weights and clamp [-]."""
        ik, skeleton = self.ik, self.ik.node.skeleton
        positions = q.copy()
        positions[ik.dof_indices] -= ik.gradient()
        skeleton.positions = positions
        size = float(np.linalg.norm(ik.weighted_error()))
        skeleton.positions = q
        return size

    def _refuse(self, q: FloatArray, size: float, after: float, slope: float) -> None:
        why = (
            "which is the opposite sign: a step goes against it"
            if slope < 0.0
            else "which is too large, or not along the error"
        )
        raise ValueError(
            f"{self.part}: expected a step that lowers the error, got one from {size:.3g} to {after:.3g}, "
            f"{why}; at the positions {q[self.ik.dof_indices].round(6).tolist()}"
        )
