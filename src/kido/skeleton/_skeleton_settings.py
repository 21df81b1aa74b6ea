"""Name, gravity, time step and flags of a skeleton."""

from __future__ import annotations

from collections.abc import Mapping

from kido.description import Diagnostic
from kido.errors import EditError
from kido.skeleton._answers._answers import Answers
from kido.skeleton._mimic import Mimics
from kido.skeleton._nodes._addon import AddonManager
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import checked_flag, checked_name, checked_positive

__all__ = ["SkeletonSettings", "checked_gravity", "checked_step"]


class SkeletonSettings(AddonManager):
    """Settings of a skeleton as a whole, which can be set at any time."""

    __slots__ = (
        "_adjacent_body_check",
        "_diagnostics",
        "_mimics",
        "_mobile",
        "_name",
        "_self_collision_check",
    )

    _diagnostics: tuple[Diagnostic, ...]
    _mimics: Mimics
    _answers: Answers

    def _drop_tree(self) -> None:
        """Forget what was compiled."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """Name of this skeleton. Can be set."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = checked_name("name", name)
        self._drop_tree()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Doubts about the model file that this skeleton was loaded from; a clone has the same.

        Empty where the skeleton comes from no file.
        """
        return self._diagnostics

    # ---- constants

    @property
    def gravity(self) -> FloatArray:
        """Gravity (3,) in world axes [m/s^2]; read-only. Can be set."""
        return self._answers.gravity

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        self._answers.gravity = checked_gravity(gravity)
        self._drop_tree()

    @property
    def time_step(self) -> float:
        """Duration [s] of the step for which springs and dampers are implicit. Can be set."""
        return self._answers.time_step

    @time_step.setter
    def time_step(self, time_step: float) -> None:
        self._answers.time_step = checked_step(time_step)
        self._answers.dynamics_changed()

    # ---- flags

    @property
    def mobile(self) -> bool:
        """Whether simulation moves this skeleton. Can be set."""
        return self._mobile

    @mobile.setter
    def mobile(self, mobile: bool) -> None:
        self._mobile = checked_flag("mobile", mobile)
        self._answers.shapes_changed()

    @property
    def self_collision_check(self) -> bool:
        """Whether bodies of this skeleton can touch each other. Can be set."""
        return self._self_collision_check

    @self_collision_check.setter
    def self_collision_check(self, check: bool) -> None:
        self._self_collision_check = checked_flag("self_collision_check", check)
        self._answers.shapes_changed()

    @property
    def adjacent_body_check(self) -> bool:
        """Whether a body can touch its parent, where bodies can touch each other. Can be set."""
        return self._adjacent_body_check

    @adjacent_body_check.setter
    def adjacent_body_check(self, check: bool) -> None:
        self._adjacent_body_check = checked_flag("adjacent_body_check", check)
        self._answers.shapes_changed()

    @property
    def mimic_enforced(self) -> bool:
        """Whether joints with a `mimic` and the actuator type `mimic` follow their leaders.

        Wherever positions or velocities are set, a follower's position becomes multiplier * the leader's +
        offset, its velocity multiplier * the leader's. What is written to a follower itself has no effect.
        Accelerations and forces belong to dynamics, and are left alone. A joint whose leader is not in the
        skeleton follows nobody.

        Set: followers move at once. Raises EditError where joints follow each other in a cycle, or leader and
        follower have different numbers of dofs, or are ball or free joints.
        """
        return self._mimics.enforced

    @mimic_enforced.setter
    def mimic_enforced(self, enforced: bool) -> None:
        before = self._mimics.enforced
        self._mimics.enforced = checked_flag("mimic_enforced", enforced)
        try:
            self._mimics.changed()
        except EditError:
            self._mimics.enforced = before
            raise
        self._answers.dynamics_changed()

    @property
    def leading_dofs(self) -> Mapping[int, int]:
        """Index of the dof that leads, by the index of each dof that follows one; see `mimic_enforced`."""
        return self._mimics.leaders

    @property
    def dof_couplings(self) -> Mapping[int, tuple[int, float, float]]:
        """Leader, multiplier and offset [rad, m] of each dof that follows one, by its index: its position is
        multiplier * position of the leader + offset; see `mimic_enforced`."""
        return self._mimics.couplings

    def _keep_constants(self, name: str, gravity: FloatArray, time_step: float) -> None:
        self.name = name
        self.gravity = gravity
        self.time_step = time_step

    def _keep_flags(self, mobile: bool, self_collision_check: bool, adjacent_body_check: bool) -> None:
        self._mobile = mobile
        self._self_collision_check = self_collision_check
        self._adjacent_body_check = adjacent_body_check


def checked_gravity(gravity: ArrayLike) -> FloatArray:
    """Gravity (3,) [m/s^2]. Raises TypeError or ValueError."""
    return frozen_array("gravity", gravity, (3,), "m/s^2")


def checked_step(time_step: float) -> float:
    """A positive time step [s]. Raises TypeError or ValueError."""
    return checked_positive("time_step", time_step, "s")
