"""When moving shapes meet: formulas, and distances at many times."""

from __future__ import annotations

import numpy as np
import pytest
from _effort import examples
from _solids import SOLIDS, Floats, Solid, poses
from scipy.spatial.transform import Rotation

from kido import _core
from kido.errors import UnsupportedShapeError

COUNT = examples(40)
STEPS = np.linspace(0.0, 1.0, 401)
BOUNDED = SOLIDS[:-1]


def between(start: Floats, end: Floats, times: Floats) -> Floats:
    """Poses (n, times, 4, 4): origins along lines, axes about one axis."""
    T = np.zeros((len(start), len(times), 4, 4))
    T[..., 3, 3] = 1.0
    T[..., :3, 3] = start[:, None, :3, 3] + times[:, None] * (end - start)[:, None, :3, 3]
    turn = Rotation.from_matrix(end[:, :3, :3] @ start[:, :3, :3].transpose(0, 2, 1)).as_rotvec()
    for k, vector in enumerate(turn):
        T[k, :, :3, :3] = Rotation.from_rotvec(times[:, None] * vector).as_matrix() @ start[k, :3, :3]
    return T


@pytest.mark.parametrize("b", SOLIDS, ids=lambda s: s.name)
@pytest.mark.parametrize("a", [BOUNDED[0], BOUNDED[2], BOUNDED[3], BOUNDED[6]], ids=lambda s: s.name)
def test_nothing_overlaps_before_the_meeting_and_all_that_overlaps_meets(a: Solid, b: Solid) -> None:
    start, end = poses(COUNT, 2.0, 1), poses(COUNT, 2.0, 2)
    T_b, T_b_end = poses(COUNT, 0.3, 3), poses(COUNT, 0.3, 4)
    if b.name == "plane":
        T_b_end = T_b  # a plane that turns has no bound
    time, distance, normal, on_a, on_b = _core.sweep(a.shape, start, end, b.shape, T_b, T_b_end, 1e-6)
    along = _core.distance(a.shape, between(start, end, STEPS), b.shape, between(T_b, T_b_end, STEPS))[0]
    met = np.isfinite(time)
    assert 0.05 < met.mean() <= 1.0
    for k in range(COUNT):
        before = (time[k] if met[k] else 2.0) - 1e-9 > STEPS
        assert (along[k, before] > -1e-9).all()
    inside = along.min(axis=1) < -1e-6
    assert met[inside].all()
    first = met & (along[:, 0] > 1e-6)
    assert (np.abs(distance[first]) <= 1.1e-6).all() and (time[met & (along[:, 0] <= 0)] == 0.0).all()
    np.testing.assert_allclose((on_a - on_b)[first], (normal * distance[:, None])[first], rtol=0, atol=1e-12)


def test_balls_meet_when_the_quadratic_equation_says() -> None:
    rng = np.random.default_rng(5)
    p, q = rng.uniform(-1, 1, (500, 3)) * 3, rng.uniform(-1, 1, (500, 3)) * 3
    T = np.tile(np.eye(4), (500, 1, 1))
    end = T.copy()
    T[:, :3, 3], end[:, :3, 3] = p, q
    ball = _core.CollisionShape("sphere", [0.5])
    time = _core.sweep(ball, T, end, ball, np.eye(4), np.eye(4), 1e-9)[0]
    d = q - p
    a, b, c = (d * d).sum(1), (p * d).sum(1), (p * p).sum(1) - 1.0
    root = (-b - np.sqrt(np.maximum(b * b - a * c, 0))) / a
    meets = (c > 0) & (b * b > a * c) & (root >= 0) & (root <= 1)
    grazing = np.abs(b * b - a * c) < 1e-3 * a
    inside = c <= 0
    clear = ~grazing & ~inside
    np.testing.assert_array_equal(np.isfinite(time)[clear], meets[clear])
    np.testing.assert_allclose(time[clear & meets], root[clear & meets], rtol=0, atol=1e-7)
    assert (time[inside] == 0.0).all()


def test_a_thin_wall_is_not_passed_through() -> None:
    wall = _core.CollisionShape("box", [1e-4, 1.0, 1.0])
    bullet = _core.CollisionShape("sphere", [1e-3])
    start, end = np.eye(4), np.eye(4)
    start[0, 3], end[0, 3] = -100.0, 100.0
    time = _core.sweep(bullet, start, end, wall, np.eye(4), np.eye(4), 1e-6)[0]
    assert time == pytest.approx((100.0 - 1e-3 - 1e-4) / 200.0, abs=1e-8)


def test_a_turning_rod_meets_a_post() -> None:
    rod, post = _core.CollisionShape("capsule", [0.01, 1.0]), _core.CollisionShape("sphere", [0.05])
    start, end, place = np.eye(4), np.eye(4), np.eye(4)
    start[:3, :3] = Rotation.from_rotvec([0, np.pi / 2, 0]).as_matrix()  # along x
    end[:3, :3] = Rotation.from_rotvec([0, 0, np.pi / 2]).as_matrix() @ start[:3, :3]
    angle = 1.0
    place[:2, 3] = 0.8 * np.cos(angle), 0.8 * np.sin(angle)
    time = _core.sweep(rod, start, end, post, place, place, 1e-9)[0]
    assert time * np.pi / 2 == pytest.approx(angle - np.arcsin(0.06 / 0.8), abs=1e-6)


def test_a_plane_that_turns_is_refused() -> None:
    plane, ball = _core.CollisionShape("plane", []), _core.CollisionShape("sphere", [0.1])
    T = np.eye(4)
    T[2, 3] = 1.0
    turned = np.eye(4)
    turned[:3, :3] = Rotation.from_rotvec([0.1, 0, 0]).as_matrix()
    with pytest.raises(UnsupportedShapeError):
        _core.sweep(ball, T, T, plane, np.eye(4), turned, 1e-6)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan])
def test_a_tolerance_is_positive(bad: float) -> None:
    ball = _core.CollisionShape("sphere", [0.1])
    with pytest.raises(ValueError, match="tolerance"):
        _core.sweep(ball, np.eye(4), np.eye(4), ball, np.eye(4), np.eye(4), bad)
