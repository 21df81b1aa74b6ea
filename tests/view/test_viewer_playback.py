"""A world that is played: time, history, springs."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido.errors import DivergedError
from kido.view._viewer._body_pull import BodyPull
from kido.view._viewer._history import History
from kido.view._viewer._playback import Playback


def falling() -> kido.World:
    box = kido.gallery.box()
    box.positions = [0, 0, 0, 0, 0, 2.0]
    return kido.World([kido.gallery.ground(), box])


def test_time_passes_as_on_the_clock_times_the_speed() -> None:
    playback = Playback(falling())
    playback.advance(0.02)
    assert playback.world.num_steps == 0
    playback.play()
    for _ in range(10):
        playback.advance(0.0105)
    assert playback.world.num_steps == 105
    playback.speed = 0.5
    playback.play()
    for _ in range(10):
        playback.advance(0.0101)
    assert playback.world.num_steps == 105 + 50
    playback.pause()
    playback.advance(0.1)
    assert playback.world.num_steps == 155


def test_a_long_frame_is_not_made_up_for() -> None:
    playback = Playback(falling())
    playback.play()
    playback.advance(60.0)
    assert 0 < playback.world.num_steps <= 100


def test_going_back_and_on_is_the_same_to_the_last_bit() -> None:
    playback = Playback(falling())
    world = playback.world
    playback.play()
    for _ in range(60):
        playback.advance(0.02)
    end, last = world.time, world.skeletons[1].positions.copy()
    assert playback.seek(0.5)
    assert world.time == pytest.approx(0.5, abs=0.021)
    assert not playback.playing
    world.step(round((end - world.time) / world.time_step))
    assert np.array_equal(world.skeletons[1].positions, last)
    playback.reset()
    assert world.time == 0.0
    assert world.skeletons[1].positions[5] == 2.0


def test_playing_on_from_the_middle_forgets_what_came_after() -> None:
    playback = Playback(falling())
    playback.play()
    for _ in range(60):
        playback.advance(0.02)
    playback.seek(0.4)
    assert playback.history.end > 1.0
    playback.play()
    playback.advance(0.02)
    assert playback.history.end == playback.world.time < 0.5
    for moment in (0.8, 1.0, 1.2):
        playback.seek(moment)
        assert playback.world.time < 0.5


def test_an_edit_begins_a_new_history() -> None:
    playback = Playback(falling())
    playback.play()
    for _ in range(10):
        playback.advance(0.02)
    playback.world.skeletons[1].bodies[0].mass = 3.0
    assert not playback.seek(0.1)
    assert playback.history.start == playback.world.time
    playback.play()
    playback.advance(0.02)
    assert playback.seek(0.0)


def test_a_history_stays_small_and_reaches_back_to_the_beginning() -> None:
    world, history = falling(), History(most=16)
    history.begin(world)
    for _ in range(500):
        world.step()
        history.add(world)
        assert len(history) <= 16
    assert history.start == 0.0
    assert history.end > 0.4
    snapshot = history.at(0.25)
    assert snapshot is not None
    assert 0.17 < snapshot.time <= 0.25


def test_a_world_that_cannot_be_simulated_can_be_looked_at() -> None:
    skeleton = kido.Skeleton("weightless")
    skeleton.add_body("body", None, kido.RevoluteJoint()).inertia = None
    playback = Playback(kido.World([skeleton]))
    playback.play()
    with pytest.raises(kido.errors.SingularMassError):
        playback.advance(0.02)
    assert not playback.playing


def test_what_diverges_stands_still() -> None:
    world = falling()
    playback = Playback(world)
    playback.play()
    world.skeletons[1].velocities = np.full(6, 1e200)
    with pytest.raises(DivergedError):
        for _ in range(100):
            playback.advance(0.02)
    assert not playback.playing


def free_ball(mass: float) -> kido.World:
    ball = kido.gallery.ball()
    ball.bodies[0].mass = mass
    return kido.World([ball], gravity=(0, 0, 0))


@pytest.mark.parametrize("mass", [0.1, 50.0])
def test_a_pulled_body_comes_to_the_target_without_swinging_whatever_its_mass(mass: float) -> None:
    world = free_ball(mass)
    body = world.skeletons[0].bodies[0]
    pull = BodyPull(body, body.transform()[:3, 3])
    pull.target = body.transform()[:3, 3] + (0.05, 0.0, 0.0)
    start, ways = body.transform()[0, 3], []
    for _ in range(1500):
        pull.apply()
        world.step()
        ways.append(body.transform()[0, 3] - start)
    omega, t = 2.0 * np.pi * 2.0, 0.1  # critically damped at 2 Hz
    assert ways[99] == pytest.approx(0.05 * (1.0 - (1.0 + omega * t) * np.exp(-omega * t)), rel=0.03)
    assert max(ways) < 0.05 + 1e-9
    assert ways[-1] == pytest.approx(0.05, abs=1e-5)


def test_the_spring_pulls_at_the_point_that_was_grabbed() -> None:
    world = free_ball(1.0)
    body = world.skeletons[0].bodies[0]
    point = body.transform()[:3, 3] + (0.0, 0.05, 0.0)
    pull = BodyPull(body, point)
    pull.target = point + np.array([0.1, 0.0, 0.0])
    pull.apply()
    force = pull.force
    assert force[0] > 0.0
    wrench = body.external_wrench
    assert wrench[:3] == pytest.approx(np.cross((0.0, 0.05, 0.0), force))
    world.step()
    assert body.angular_velocity()[2] < 0.0
