"""Two welds on a chain that cannot both be met: it rests in between, and both are reported."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido import FreeJoint, Inertia, RevoluteJoint, Skeleton, WeldConstraint, World
from kido.lcp import Dantzig, Lemke, ProjectedGaussSeidel
from kido.math import so3_exp
from kido.world import BlockSolver, BoxedLCPSolver

SOLVERS = {
    "blocks": BlockSolver(),
    "Dantzig": BoxedLCPSolver(method=Dantzig()),
    "Lemke": BoxedLCPSolver(method=Lemke()),
    "ProjectedGaussSeidel": BoxedLCPSolver(method=ProjectedGaussSeidel()),
}
AWAY: dict[str, list[tuple[int, tuple[float, float, float], tuple[float, float, float]]]] = {
    "one link": [(3, (0.1, 0.0, 0.0), (0.0, 0.0, 0.0)), (3, (-0.1, 0.0, 0.05), (0.0, 0.0, 0.0))],
    "turned": [(3, (0.0, 0.0, 0.0), (0.0, 0.6, 0.0)), (3, (0.0, 0.0, 0.0), (0.3, -0.6, 0.0))],
    "two links": [(1, (0.2, 0.0, 0.0), (0.0, 0.0, 0.0)), (3, (-0.3, 0.2, 0.4), (0.0, 0.0, 0.0))],
}


def chain(free: bool, spatial: bool, damping: float) -> Skeleton:
    """Four links of 1 m and 1 kg that hang from the origin, or free."""
    made, body = Skeleton("chain"), None
    for i in range(4):
        axis = (1, 0, 0) if spatial and i % 2 == 0 else (0, 1, 0)
        place = (0.0, 0.0, -1.0 if i else 0.0)
        joint = FreeJoint("root") if free and i == 0 else RevoluteJoint(f"j{i}", axis, T_parent_joint=place)
        inertia = Inertia(1.0, (0.0, 0.0, -0.5), np.diag([1.0, 1.0, 0.01]) / 12.0)
        body = made.add_body(f"link{i}", body, joint, inertia=inertia)
        if not isinstance(joint, FreeJoint):
            made.joints[i].dofs[0].damping = damping
    return made


def welded(made: Skeleton, away: str, time_step: float, solver: str) -> World:
    """Links welded to the world, moved and turned [m, rad] from where they are."""
    world = World([made], time_step=time_step, solver=SOLVERS[solver])
    for link, shift, turn in AWAY[away]:
        frame = np.eye(4)
        frame[:3, 3], frame[:3, :3] = shift, so3_exp(turn)
        body = made.bodies[link]
        world.constraints.add(WeldConstraint.from_frames(body, None, second_frame=frame @ body.transform()))
    return world


def largest_force(world: World) -> float:
    return max(float(np.abs(world.constraint_wrench(weld)).max()) for weld in world.constraints)  # type: ignore[arg-type]


@pytest.mark.parametrize("spatial", [False, True], ids=["planar", "spatial"])
@pytest.mark.parametrize("time_step", [1e-3, 2e-3, 5e-3])
@pytest.mark.parametrize("away", AWAY)
def test_a_chain_that_hangs_rests_between_its_welds(away: str, time_step: float, spatial: bool) -> None:
    made = chain(False, spatial, 2.0)
    world = welded(made, away, time_step, "blocks")
    for _ in range(round(8.0 / time_step / 20)):
        world.step(20)
        assert world.kinetic_energy < 20.0
        assert largest_force(world) < 1e5
    assert largest_force(world) < 5e3
    before = made.positions
    world.step(100)
    np.testing.assert_allclose(made.positions, before, atol=1e-3)
    assert np.abs(made.velocities).max() < 2e-2
    assert len(world.unmet_constraints) == 2


@pytest.mark.parametrize("spatial", [False, True], ids=["planar", "spatial"])
@pytest.mark.parametrize("time_step", [1e-3, 2e-3, 5e-3])
@pytest.mark.parametrize("away", AWAY)
def test_a_free_chain_without_damping_swings_and_does_not_fly_apart(
    away: str, time_step: float, spatial: bool
) -> None:
    """What falls over above its welds has 80 J to swing with."""
    made = chain(True, spatial, 0.0)
    world = welded(made, away, time_step, "blocks")
    for _ in range(round(6.0 / time_step / 20)):
        world.step(20)
        assert world.kinetic_energy < 400.0
    assert len(world.unmet_constraints) == 2


@pytest.mark.parametrize("solver", ["Dantzig", "Lemke", "ProjectedGaussSeidel"])
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("away", ["one link", "two links"])
def test_solvers_of_matrices_rest_as_well(away: str, free: bool, solver: str) -> None:
    made = chain(free, False, 2.0)
    world = welded(made, away, 5e-3, solver)
    for _ in range(10):
        world.step(20)
        assert world.kinetic_energy < 50.0
        assert largest_force(world) < 1e5
    assert len(world.unmet_constraints) == 2
    assert isinstance(world.solver, kido.world.BoxedLCPSolver)


def random_welds(seed: int) -> tuple[Skeleton, list[WeldConstraint]]:
    """A chain of 2 to 6 links, two of them welded up to 0.4 m and 0.6 rad from their places."""
    random = np.random.default_rng(seed)
    count, free, spatial = int(random.integers(2, 7)), bool(random.integers(2)), bool(random.integers(2))
    made, body = Skeleton("chain"), None
    for i in range(count):
        axis = (1, 0, 0) if spatial and i % 2 == 0 else (0, 1, 0)
        place = (0.0, 0.0, -1.0 if i else 0.0)
        joint = FreeJoint("root") if free and i == 0 else RevoluteJoint(f"j{i}", axis, T_parent_joint=place)
        inertia = Inertia(1.0, (0.0, 0.0, -0.5), np.diag([1.0, 1.0, 0.01]) / 12.0)
        body = made.add_body(f"link{i}", body, joint, inertia=inertia)
    welds = []
    for _ in range(2):
        body, frame = made.bodies[random.integers(count)], np.eye(4)
        frame[:3, 3], frame[:3, :3] = random.uniform(-0.4, 0.4, 3), so3_exp(random.uniform(-0.6, 0.6, 3))
        welds.append(WeldConstraint.from_frames(body, None, second_frame=frame @ body.transform()))
    return made, welds


@pytest.mark.parametrize("time_step", [1e-3, 2e-3, 5e-3])
@pytest.mark.parametrize("seed", [44])
def test_random_welds_add_no_energy(seed: int, time_step: float) -> None:
    """Forces of 1e9 N stood against each other, and what was left of them in motion threw the links about."""
    made, welds = random_welds(seed)
    world = World([made], time_step=time_step)
    for weld in welds:
        world.constraints.add(weld)
    before = world.energy
    for _ in range(round(2.0 / time_step / 20)):
        world.step(20)
        assert world.energy < before + 50.0
        assert largest_force(world) < 1e5
    assert len(world.unmet_constraints) == 2
