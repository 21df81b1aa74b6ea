"""Soft bodies in recordings: replays, films and worlds at a time show them deformed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from _soft_bodies import soft_body

import kido
from kido.typing import FloatArray

EVERY = 10


def falling() -> kido.World:
    """A soft cube above the ground, and a stick that is not soft."""
    cube = soft_body(place=(0.0, 0.0, 0.25), vertex_stiffness=15.0, edge_stiffness=30.0)
    box = kido.gallery.box((0.1, 0.1, 0.1), 0.2)
    box.positions = (0, 0, 0, 1.0, 0, 0.3)
    return kido.World([kido.gallery.ground(), box, cube], time_step=2e-3)


def soft_of(skeletons: tuple[kido.Skeleton, ...]) -> kido.SoftBodyNode:
    body = skeletons[2].bodies[0]
    assert isinstance(body, kido.SoftBodyNode)
    return body


@pytest.fixture(scope="module", params=["memory", "file"])
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    """A recording, and what the points were like at its samples, seen beside it."""
    world = falling()
    path = None if request.param == "memory" else tmp_path_factory.mktemp("soft") / "soft.h5"
    recorder = kido.record(world, path, rate=1.0 / (EVERY * world.time_step))
    seen: dict[float, FloatArray] = {}
    with recorder:
        seen[0.0] = soft_of(world.skeletons).displacements
        for _ in range(20):
            world.step(EVERY)
            seen[round(world.time, 9)] = soft_of(world.skeletons).displacements
    return recorder if path is None else kido.load_recording(path), seen


def test_replays_show_points_where_they_were(recorded) -> None:  # type: ignore[no-untyped-def]
    recording, seen = recorded
    playback = recording.playback()
    assert np.abs(seen[0.4]).max() > 2e-3
    for time in (0.4, 0.2, 0.1, 0.0, 0.36):
        playback.time = time
        np.testing.assert_allclose(soft_of(playback.skeletons).displacements, seen[time], atol=1e-7)
    playback.time = 0.39
    between = 0.5 * (seen[0.38] + seen[0.4])
    np.testing.assert_allclose(soft_of(playback.skeletons).displacements, between, atol=1e-7)
    found = soft_of(recording.skeletons_at(0.4))
    np.testing.assert_allclose(found.displacements, seen[0.4], atol=1e-7)


def test_worlds_at_a_time_have_their_points(recorded) -> None:  # type: ignore[no-untyped-def]
    recording, seen = recorded
    exact = recording.world_at(0.3)
    np.testing.assert_array_equal(soft_of(exact.skeletons).displacements, seen[0.3])
    rough = recording.world_at(0.3, exact=False)
    np.testing.assert_allclose(soft_of(rough.skeletons).displacements, seen[0.3], atol=1e-7)


def test_films_of_recordings_show_the_shape_deformed(recorded, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    recording, seen = recorded
    del seen
    frames = []
    playback = recording.playback()
    for time in (0.0, 0.4):
        playback.time = time
        shown = list(playback.skeletons)
        deformed = kido.render(shown, size=(160, 120), camera=((1.2, -1.2, 0.5), (0, 0, 0.2), (0, 0, 1)))
        body = soft_of(playback.skeletons)
        body.reset_points()
        rest = kido.render(shown, size=(160, 120), camera=((1.2, -1.2, 0.5), (0, 0, 0.2), (0, 0, 1)))
        frames.append(int((np.asarray(deformed) != np.asarray(rest)).sum()))
    assert frames[0] == 0 and frames[1] > 50
