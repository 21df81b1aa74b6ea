"""Anything, held by anything: no world diverges."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from _any_world import any_world

from kido.errors import NoEffectWarning
from kido.lcp import SemismoothNewton
from kido.typing import FloatArray
from kido.world import BoxedLCPSolver

FOUND = [1098, 3156, 3285]
"""That diverged once: what loops hardly let move was hardly more than rounding, and took forces of 1e7 N."""


def run(seed: int, seconds: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoEffectWarning)
        world = any_world(seed)
        world.step(round(seconds / world.time_step))
    for skeleton in world.skeletons:
        assert np.isfinite(skeleton.positions).all()
        assert not skeleton.num_dofs or np.abs(skeleton.velocities).max() < 1e5


@pytest.mark.parametrize("seed", FOUND)
def test_worlds_that_diverged_once_do_not(seed: int) -> None:
    run(seed, 1.5)


@pytest.mark.parametrize("steps", [170, 186])
def test_what_flies_is_held_as_what_stands(steps: int) -> None:
    """How errors of an arm that is held in contradictory ways are pushed hung on how fast it fell.

    One of these worlds gained 1e12 J in a step.
    """

    def next_positions(speed: float) -> FloatArray:
        world = any_world(900094)
        world.step(steps)
        humanoid = world.skeletons[1]
        for other in world.skeletons:
            if other is not humanoid:
                world.remove(other)
        world.gravity = (0.0, 0.0, 0.0)
        world.time_step = 1e-3
        velocities = np.array(humanoid.velocities)
        velocities[3:6] = humanoid.bodies[0].transform()[:3, :3].T @ [speed, -speed, speed]
        humanoid.velocities = velocities
        world.step()
        return humanoid.positions[6:]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoEffectWarning)
        np.testing.assert_allclose(next_positions(20.0), next_positions(0.0), atol=1e-9)


@pytest.mark.parametrize("seed", [5006, 5010, 5014, 5041])
def test_newton_finds_exact_cones_where_no_step_lowers_the_residual(seed: int) -> None:
    """Each ran out of 10 000 iterations once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoEffectWarning)
        world = any_world(seed)
        world.solver = BoxedLCPSolver(method=SemismoothNewton(), cones=True)
        world.step(120)
    assert world.num_steps == 120


def test_what_friction_has_almost_stopped_is_solved() -> None:
    """Its velocities were 1e-317 m/s after 66 steps, of which rounding leaves 1e-6."""
    run(900207, 0.2)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1000, 1500))
def test_no_world_of_anything_diverges(seed: int) -> None:
    run(seed, 1.0)
