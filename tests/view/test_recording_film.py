"""Pictures and films of real recordings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _look import RED, box_of, project, reddish

import kido
from kido.shape import Sphere

SIZE = (96, 72)
CAMERA = ((6.0, 0, 1.0), (0, 0, 1.0), (0, 0, 1))


def test_what_was_recorded_is_what_is_seen(tmp_path: Path) -> None:
    ball = kido.Skeleton("ball")
    body = ball.add_body("ball", joint=kido.FreeJoint(), inertia=kido.Inertia(1.0, moment=0.1 * np.eye(3)))
    body.add_shape_node(Sphere(0.2), name="ball", material=kido.description.Material("red", RED))
    ball.positions = [0, 0, 0, 0, 0, 0.4]
    world = kido.World([kido.gallery.ground(), ball])
    heights = [0.4]
    with kido.record(world, rate=100.0) as recording:
        for _ in range(100):
            ball.velocities = [0, 0, 0, 0, 0, 1.0]  # driven by code of the user's
            world.step(10)
            heights.append(float(ball.positions[5]))
    film = kido.film(recording, tmp_path / "run.mp4", rate=10.0, size=SIZE, camera=CAMERA)
    assert film.num_frames == 11
    end = project((0, 0, heights[-1]), CAMERA, SIZE)
    assert heights[-1] > 1.2
    assert np.abs(box_of(reddish(film.last_frame)).mean(axis=0) - end).max() < 1.0
    picture = kido.render(recording, size=SIZE, camera=CAMERA)
    assert np.abs(box_of(reddish(picture)).mean(axis=0) - end).max() < 1.0
    middle = kido.render(recording.at(0.5), size=SIZE, camera=CAMERA)
    there = project((0, 0, heights[50]), CAMERA, SIZE)
    assert np.abs(box_of(reddish(middle)).mean(axis=0) - there).max() < 1.0
