"""Contacts of shapes that rest and tremble: the same points from test to test."""

from __future__ import annotations

import numpy as np
import pytest
from _solids import Floats, Solid, ball_points, box, capsule, cone, cylinder, hull, plane, prism_points
from scipy.spatial.transform import Rotation

from kido import _core

MARGIN = 1e-3
CUBE = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)])


def placed(height: float, angles: tuple[float, float, float] = (0.0, 0.0, 0.0), x: float = 0.0) -> Floats:
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler("xyz", angles).as_matrix()
    T[:3, 3] = [x, 0.01, height]
    return T


LYING = (np.pi / 2, 0.0, 0.3)
RESTING: dict[str, tuple[Solid, Floats, Solid, int]] = {
    "box on box": (box(0.1, 0.1, 0.1), placed(0.2), box(0.1, 0.1, 0.1), 4),
    "box on box, crosswise": (box(0.1, 0.1, 0.1), placed(0.2, (0, 0, np.pi / 4)), box(0.1, 0.1, 0.1), 4),
    "box over an edge": (box(0.1, 0.1, 0.1), placed(0.2, x=0.08), box(0.1, 0.1, 0.1), 4),
    "box on plane": (box(0.1, 0.1, 0.1), placed(0.1), plane(), 4),
    "box on its edge": (box(0.1, 0.1, 0.1), placed(np.sqrt(0.02), (np.pi / 4, 0, 0)), plane(), 2),
    "cylinder on plane": (cylinder(0.1, 0.1), placed(0.1), plane(), 4),
    "cylinder on box": (cylinder(0.1, 0.1), placed(0.2), box(0.3, 0.3, 0.1), 4),
    "cylinder over an edge": (cylinder(0.1, 0.1), placed(0.2, x=0.07), box(0.1, 0.3, 0.1), 4),
    "cylinder on cylinder": (cylinder(0.1, 0.1), placed(0.2, x=0.02), cylinder(0.1, 0.1), 4),
    "cylinder lying on plane": (cylinder(0.1, 0.1), placed(0.1, LYING), plane(), 2),
    "cylinder lying on box": (cylinder(0.1, 0.1), placed(0.2, LYING), box(0.3, 0.3, 0.1), 2),
    "capsule lying on plane": (capsule(0.1, 0.1), placed(0.1, LYING), plane(), 2),
    "capsule lying on box": (capsule(0.1, 0.1), placed(0.2, LYING), box(0.3, 0.3, 0.1), 2),
    "capsule on its end": (capsule(0.1, 0.1), placed(0.3), box(0.3, 0.3, 0.1), 1),
    "cone on box": (cone(0.1, 0.1), placed(0.2), box(0.3, 0.3, 0.1), 4),
    "cone lying on plane": (
        cone(0.1, 0.2),
        placed(0.2 * np.sin(np.arctan(0.25)), (0, np.pi / 2 + np.arctan(0.25), 0)),
        plane(),
        2,
    ),
    "hull on hull": (hull("cube", CUBE), placed(0.2), hull("cube", CUBE), 4),
    "hull on hull, crosswise": (hull("cube", CUBE), placed(0.2, (0, 0, 0.4)), hull("cube", CUBE), 4),
    "hull on box": (hull("prism", prism_points(8, 0.1, 0.1)), placed(0.2), box(0.3, 0.3, 0.1), 4),
    "hull on plane": (hull("prism", prism_points(8, 0.1, 0.1)), placed(0.1), plane(), 4),
    "stone on box": (hull("stone", ball_points(32, 0.1)), placed(0.1 + 0.09), box(0.3, 0.3, 0.1), 0),
}


def trembling(T: Floats, size: float, rng: np.random.Generator) -> Floats:
    moved = T.copy()
    moved[:3, :3] = T[:3, :3] @ Rotation.from_rotvec(rng.normal(size=3) * size).as_matrix()
    moved[:3, 3] += rng.normal(size=3) * 0.1 * size
    return moved


@pytest.mark.parametrize("name", RESTING)
@pytest.mark.parametrize("depth", [-1e-5, 0.0, 2e-5, 4e-4])
def test_points_of_resting_shapes_stay_the_same(name: str, depth: float) -> None:
    a, T, b, points = RESTING[name]
    rng = np.random.default_rng(1)
    T = T.copy()
    T[2, 3] -= depth
    memory = _core.PairMemory()
    ground = np.eye(4)
    first = None
    for _ in range(60):
        found = _core.collide(
            a.shape, trembling(T, 1e-6, rng), b.shape, trembling(ground, 1e-7, rng), MARGIN, memory
        )
        count, normal, on_a, on_b, gap, feature = found
        if points == 0 and count == 0:
            continue
        if first is None:
            first = found
        assert count == (points or first[0])
        np.testing.assert_allclose(normal, first[1], rtol=0, atol=2e-4)
        np.testing.assert_array_equal(feature, first[5])
        np.testing.assert_allclose(on_a[:count], first[2][:count], rtol=0, atol=1e-3)
        np.testing.assert_allclose(on_b[:count], first[3][:count], rtol=0, atol=1e-3)
        np.testing.assert_allclose(gap[:count], first[4][:count], rtol=0, atol=1e-5)
    assert first is not None or points == 0


@pytest.mark.parametrize("name", [n for n in RESTING if RESTING[n][3] == 4])
def test_the_points_of_a_face_carry_what_stands_on_it(name: str) -> None:
    a, T, b, _ = RESTING[name]
    count, normal, _, on_b, gap, _ = _core.collide(a.shape, T, b.shape, np.eye(4), MARGIN)
    np.testing.assert_allclose(normal, [0.0, 0.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(gap, 0.0, atol=1e-9)
    middle = on_b[:count, :2].mean(axis=0)
    # Every direction along the face has a point well ahead, and one well behind.
    for angle in np.linspace(0.0, 2 * np.pi, 16, endpoint=False):
        ahead = (on_b[:, :2] - middle) @ [np.cos(angle), np.sin(angle)]
        assert ahead.max() > 0.02


@pytest.mark.parametrize("solid", [box(0.1, 0.1, 0.1), hull("cube", CUBE)], ids=lambda s: s.name)
def test_the_last_axis_is_kept_while_another_is_only_a_little_better(solid: Solid) -> None:
    """A body at the edge of another leaves it upwards, as before, though sideways is a little shorter."""

    def axis(sideways: float, upwards: float, memory: _core.PairMemory) -> tuple[float, float, float]:
        T = placed(0.2 - upwards, x=0.2 - sideways)
        _core.collide(solid.shape, T, solid.shape, np.eye(4), MARGIN, memory)
        return memory.axis

    memory = _core.PairMemory()
    assert axis(0.05, 1e-5, memory) == pytest.approx((0.0, 0.0, 1.0))
    assert axis(2e-4, 3e-4, memory) == pytest.approx((0.0, 0.0, 1.0))
    assert axis(2e-4, 3e-4, _core.PairMemory()) == pytest.approx((1.0, 0.0, 0.0))
    assert axis(2e-4, 0.03, memory) == pytest.approx((1.0, 0.0, 0.0))


@pytest.mark.parametrize(
    "pair", [("cylinder", "box"), ("hull", "box"), ("hull", "hull"), ("cylinder", "cylinder")]
)
def test_what_rolls_over_is_followed_without_a_jump_of_depth(pair: tuple[str, str]) -> None:
    """With a memory, the depth of a body that turns on another is that without one."""
    shapes = {
        "cylinder": cylinder(0.1, 0.1),
        "box": box(0.3, 0.3, 0.1),
        "hull": hull("stone", ball_points(32, 0.1)),
    }
    a, b = (shapes[name] for name in pair)
    memory = _core.PairMemory()
    for angle in np.linspace(0.0, 2.0, 400):
        T = np.eye(4)
        T[:3, :3] = Rotation.from_euler("xy", [angle, 0.2 * angle]).as_matrix()
        T[2, 3] = 0.5
        for _ in range(20):
            height, upward, *_ = _core.distance(a.shape, T, b.shape, np.eye(4))
            T[2, 3] -= (height + 2e-4) / upward[2]
        count, normal, _, _, gap, _ = _core.collide(a.shape, T, b.shape, np.eye(4), MARGIN, memory)
        exact, n, *_ = _core.distance(a.shape, T, b.shape, np.eye(4))
        assert count > 0 and -3e-4 < exact < -1e-4
        assert np.nanmin(gap) == pytest.approx(exact, abs=1e-5)
        # Of hulls another direction may be about as good.
        assert normal @ n > (0.9 if pair == ("hull", "hull") else 0.999)
