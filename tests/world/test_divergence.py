"""Numbers that are no longer finite: named, and the state before is kept."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from _scenes import KINDS, as_kind, on_ground, origin, push, put

import kido
from kido import Skeleton, World, gallery
from kido.errors import DivergedError


def exploding(kind: str) -> Skeleton:
    if kind == "chain":
        made = gallery.double_pendulum()
        made.velocities = [1e200] * made.num_dofs
        return made
    return push(put(as_kind(kind, gallery.box()), (0.0, 0.0, 5.0)), (0.0, 0.0, 0.0), (1e300, 1e300, 1e250))


@pytest.mark.parametrize("kind", [*KINDS, "chain"])
def test_a_world_that_diverges_stands_as_it_did_before(kind: str) -> None:
    made = exploding(kind)
    other = put(gallery.ball(0.1), (3.0, 0.0, 0.1))
    world = on_ground(other, time_step=2e-3)
    world.step(100)
    world.add(made)
    state = [np.array(x) for s in (made, other) for x in (s.positions, s.velocities, s.accelerations)]
    with pytest.raises(DivergedError, match=r"'world' diverged: after 0\.2 s") as caught:
        world.step(5)
    assert caught.value.time == world.time == pytest.approx(0.2)
    assert caught.value.world == "world"
    assert caught.value.skeleton == made.name
    assert caught.value.body in [body.name for body in made.bodies]
    assert world.num_steps == 100
    after = [x for s in (made, other) for x in (s.positions, s.velocities, s.accelerations)]
    for now, before in zip(after, state, strict=True):
        np.testing.assert_array_equal(now, before)


@pytest.mark.parametrize("kind", [*KINDS, "chain"])
def test_a_world_goes_on_once_what_diverged_is_slowed_down(kind: str) -> None:
    made = exploding(kind)
    carried = put(gallery.box((0.2, 0.2, 0.2), name="carried"), (3.0, 0.0, 0.1))
    world = on_ground(carried)
    world.step(200)
    world.add(made)
    made.velocities = np.zeros(made.num_dofs)
    world.step(20)
    made.velocities = exploding(kind).velocities
    with pytest.raises(DivergedError):
        world.step()
    made.velocities = np.zeros(made.num_dofs)
    world.step(100)
    assert np.isfinite(made.positions).all()
    assert origin(carried)[2] == pytest.approx(0.1, abs=1e-4)


def test_a_world_that_diverged_goes_back_to_its_snapshot() -> None:
    made = gallery.double_pendulum()
    world = World([made])
    world.step(10)
    saved, expected = world.snapshot(), made.positions
    made.velocities = [1e200, -1e200]
    with pytest.raises(DivergedError):
        world.step(10)
    world.restore(saved)
    np.testing.assert_array_equal(made.positions, expected)
    world.step(10)
    assert world.num_steps == 20


def test_the_body_that_diverges_is_named() -> None:
    world = on_ground(*(put(gallery.ball(0.1, name=f"ball {i}"), (i, 0.0, 0.5)) for i in range(5)))
    world.step(10)
    push(world.skeleton("ball 3"), (0.0, 0.0, 0.0), (1e300, 1e300, 1e250))
    with pytest.raises(DivergedError, match=r"velocities of 'ball 3', body 'ball 3', are no longer finite"):
        world.step()
    error = DivergedError(0.5, "world", "robot", "hand")
    copied = pickle.loads(pickle.dumps(error))
    assert (copied.skeleton, copied.body, str(copied)) == ("robot", "hand", str(error))
    assert str(DivergedError(0.5, "w")) == "'w' diverged: after 0.5 s its velocities are no longer finite"


def test_the_tip_of_a_chain_that_is_pulled_apart_is_named() -> None:
    made = gallery.chain(6)
    made.velocities = [0.0] * (made.num_dofs - 1) + [1e200]
    with pytest.raises(DivergedError) as caught:
        World([gallery.ball(0.1), made]).step(3)
    assert caught.value.skeleton == made.name
    assert caught.value.body == made.bodies[-1].name


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused_where_they_are_set(wrong: float) -> None:
    box = put(gallery.box(), (0.0, 0.0, 1.0))
    world = on_ground(box)
    before = [np.array(x) for x in (box.positions, box.velocities, box.commands)]
    for name in ("positions", "velocities", "commands"):
        with pytest.raises(ValueError, match=name):
            setattr(box, name, [0.0] * 5 + [wrong])
    with pytest.raises(ValueError, match="command"):
        box.dof(0).command = wrong
    with pytest.raises(ValueError, match="force"):
        box.body(0).add_external_force((wrong, 0.0, 0.0))
    with pytest.raises(ValueError, match="commands"):
        kido.rollout(world, np.full((1, 2, 6), wrong))
    for now, then in zip((box.positions, box.velocities, box.commands), before, strict=True):
        np.testing.assert_array_equal(now, then)
    world.step(10)
    assert np.isfinite(box.positions).all()


@pytest.mark.parametrize("integrator", list(kido.world.Integrator))
@pytest.mark.parametrize("speed", [1e80, 1e120, 1e160])
def test_nothing_moves_where_a_skeleton_diverges_within_its_integrator(
    integrator: kido.world.Integrator, speed: float
) -> None:
    """Neither free bodies nor skeletons that come before it, nor itself."""
    chain = gallery.double_pendulum()
    ball = push(put(gallery.ball(0.1), (0.0, 0.0, 3.0)), (1.0, 0.0, 0.0))
    tree = as_kind("tree", put(gallery.ball(0.1, name="tree"), (2.0, 0.0, 3.0)))
    world = World([ball, tree, chain])
    world.integrator = integrator
    world.step(10)
    chain.velocities = [speed, -speed]
    before = [skeleton.positions.tobytes() + skeleton.velocities.tobytes() for skeleton in world.skeletons]
    with pytest.raises(DivergedError):
        world.step()
    after = [skeleton.positions.tobytes() + skeleton.velocities.tobytes() for skeleton in world.skeletons]
    assert after == before
    assert world.num_steps == 10
