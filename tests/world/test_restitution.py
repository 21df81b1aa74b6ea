"""Restitution, and overlap that is pushed out without a bounce."""

from __future__ import annotations

import numpy as np
import pytest
from _looped import looped
from _scenes import KINDS, TIME_STEPS, G, as_kind, on_ground, origin, push, put, spin, unit, velocity

from kido import Skeleton, Surface, World, gallery, rollout
from kido.math import so3_exp
from kido.world import Energy

RADIUS = 0.1


def bouncing_ball(kind: str, restitution: float, height: float) -> Skeleton:
    """A ball at a height above z = 0 [m]."""
    made = gallery.ball(RADIUS, 1.5, surface=Surface(restitution=restitution))
    return put(as_kind(kind, made), (0.0, 0.0, RADIUS + height))


def speed_at_ground(made: Skeleton) -> float:
    """Speed with which a ball met the ground, or will, without impacts in between [m/s]."""
    return float(np.sqrt(velocity(made) @ velocity(made) + 2.0 * G * (origin(made)[2] - RADIUS)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("restitution, height", [(e, h) for e in (0.3, 0.5, 0.8, 1.0) for h in (0.1, 0.31, 0.5, 1.0)])
def test_a_ball_leaves_with_its_restitution_times_its_speed(
    kind: str, time_step: float, restitution: float, height: float
) -> None:
    made = bouncing_ball(kind, restitution, height)
    world = on_ground(made, surface=Surface(restitution=1.0), time_step=time_step)
    before = speed_at_ground(made)
    world.step(int((np.sqrt(2.0 * height / G) + 0.02) / time_step))
    assert velocity(made)[2] > 0.0
    assert speed_at_ground(made) == pytest.approx(restitution * before, rel=5e-3)


@pytest.mark.parametrize("kind", KINDS)
@looped("restitution, time_step", [(e, h) for e in (0.3, 0.5, 0.8, 1.0) for h in TIME_STEPS])
def test_without_gravity_a_ball_comes_back_with_its_restitution_times_its_speed(
    kind: str, restitution: float, time_step: float
) -> None:
    made = push(bouncing_ball(kind, restitution, 0.1003), (0.4, 0.0, -2.0))
    surface = Surface(friction=0.0, restitution=1.0)
    on_ground(made, surface=surface, gravity=(0.0, 0.0, 0.0), time_step=time_step).step(int(0.1 / time_step))
    np.testing.assert_allclose(velocity(made), (0.4, 0.0, 2.0 * restitution), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@looped("height", np.linspace(0.1, 0.13, 9).tolist())
def test_friction_stops_what_slides_at_the_time_of_the_impact(kind: str, height: float) -> None:
    """On a slope; for the rest of the step, and no longer, gravity makes its lowest point slide again."""
    surface, time_step, down = Surface(friction=2.0, restitution=0.5), 5e-3, 5.0
    made = put(as_kind(kind, gallery.ball(RADIUS, 1.5, surface=surface)), (0.0, 0.0, RADIUS + height))
    ground = Surface(friction=2.0, restitution=1.0)
    world = on_ground(made, surface=ground, gravity=(down, 0.0, -G), time_step=time_step)
    while velocity(made)[2] <= 0.0:
        world.step()
    sliding = velocity(made) + np.cross(spin(made), (0.0, 0.0, -RADIUS))
    assert 0.0 < sliding[0] < 1.05 * down * time_step


def over_bounces(made: Skeleton, time_step: float, count: int = 100) -> tuple[float, float]:
    """Largest and last energy over some bounces, in shares of the first."""
    world = on_ground(made, surface=Surface(restitution=1.0), time_step=time_step)
    steps = round(60.0 / time_step)
    out = rollout(world, np.zeros((1, steps, made.num_dofs)), sensors={"energy": Energy()}, threads=1)
    rises = (so3_exp(out.positions[0, :, :3]) @ out.velocities[0, :, 3:6, None])[:, 2, 0] > 0.0
    bounces = np.flatnonzero(rises & ~np.append(False, rises[:-1]))
    last = bounces[count - 1] if len(bounces) >= count else steps - 1
    energy = np.append(world.energy, out.sensors["energy"][0, : last + 1])
    return energy.max() / energy[0], energy[-1] / energy[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("shape", ["ball", "box"])
def test_what_falls_flat_and_elastic_keeps_its_energy_over_a_hundred_bounces(
    kind: str, time_step: float, friction: float, shape: str
) -> None:
    surface = Surface(friction=friction, restitution=1.0)
    made = gallery.ball(0.1, surface=surface) if shape == "ball" else gallery.box([0.2] * 3, surface=surface)
    highest, last = over_bounces(put(as_kind(kind, made), (0.0, 0.0, 0.2)), time_step)
    assert highest <= 1.0 + 1e-12
    assert last == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("friction, turn", [(mu, r) for mu in (0.0, 0.5) for r in ((0.3, 0.2, 0.0), (0.0, 0.7, 0.1))])
def test_a_tilted_elastic_box_gains_no_energy_over_a_hundred_bounces(
    kind: str, time_step: float, friction: float, turn: tuple[float, float, float]
) -> None:
    surface = Surface(friction=friction, restitution=1.0)
    made = put(as_kind(kind, gallery.box((0.3, 0.2, 0.1), surface=surface)), (0.0, 0.0, 0.4), turn)
    highest, _ = over_bounces(push(made, (0.3, 0.0, 0.0)), time_step)
    assert highest <= 1.0 + 1e-6


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("friction, restitution", [(mu, e) for mu in (0.05, 0.2) for e in (0.0, 0.5, 1.0)])
def test_friction_of_an_impact_has_the_size_of_the_cone(
    kind: str, time_step: float, friction: float, restitution: float
) -> None:
    """A ball that strikes obliquely and slides throughout loses mu (1 + e) v of its tangential speed."""
    surface = Surface(friction=friction, restitution=restitution)
    made = as_kind(kind, gallery.ball(0.1, surface=surface))
    push(put(made, (0.0, 0.0, 0.1503)), (3.0, 0.0, -2.0))
    world = on_ground(made, surface=Surface(restitution=1.0), gravity=(0, 0, 0), time_step=time_step)
    world.step(round(0.05 / time_step))
    lost = friction * (1.0 + restitution) * 2.0
    np.testing.assert_allclose(velocity(made), (3.0 - lost, 0.0, 2.0 * restitution), atol=2e-3)
    np.testing.assert_allclose(spin(made), (0.0, 2.5 * lost / 0.1, 0.0), atol=2e-2 * 2.5 * lost / 0.1)


@pytest.mark.parametrize("kind", KINDS)
def test_restitution_of_a_pair_is_the_product_of_both(kind: str) -> None:
    made = push(bouncing_ball(kind, 0.8, 0.05), (0.0, 0.0, -2.0))
    on_ground(made, surface=Surface(restitution=0.5), gravity=(0.0, 0.0, 0.0)).step(100)
    assert velocity(made)[2] == pytest.approx(0.8, rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", ["ball", "box"])
@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_without_restitution_nothing_bounces(kind: str, shape: str, time_step: float) -> None:
    made = gallery.ball(0.1) if shape == "ball" else gallery.box((0.2, 0.2, 0.2))
    height = 0.4
    put(as_kind(kind, made), (0.0, 0.0, 0.1 + height))
    world = on_ground(made, time_step=time_step)
    world.step(int((np.sqrt(2.0 * height / G)) / time_step) + 2)
    for _ in range(round(0.3 / time_step)):
        world.step()
        assert origin(made)[2] < 0.1 + 2e-4
    assert origin(made)[2] == pytest.approx(0.1, abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
@looped("height, restitution", [(h, e) for h in (0.1, 0.1003, 0.2, 0.31, 0.5) for e in (0.5, 0.8)])
def test_a_box_that_falls_flat_leaves_with_its_restitution(
    kind: str, height: float, restitution: float
) -> None:
    made = gallery.box((0.2, 0.2, 0.2), surface=Surface(restitution=restitution))
    put(as_kind(kind, made), (0.0, 0.0, 0.1 + height))
    world = on_ground(made, surface=Surface(restitution=1.0))
    falling = 0.0
    while velocity(made)[2] <= falling:
        falling = velocity(made)[2]
        world.step()
    assert velocity(made)[2] / -falling == pytest.approx(restitution, abs=0.01)
    assert np.linalg.norm(made.velocities[:2]) < 1e-9


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", ["ball", "box"])
@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_an_overlap_of_5_cm_is_gone_after_half_a_second_without_popping(
    kind: str, shape: str, time_step: float
) -> None:
    made = gallery.ball(0.1) if shape == "ball" else gallery.box((0.2, 0.2, 0.2))
    put(as_kind(kind, made), (0.0, 0.0, 0.05))
    world = on_ground(made, time_step=time_step)
    highest = -1.0
    for _ in range(round(0.5 / time_step)):
        world.step()
        highest = max(highest, origin(made)[2])
    assert origin(made)[2] == pytest.approx(0.1, abs=1e-5)
    assert highest < 0.1 + 0.006
    assert np.abs(made.velocities).max() < 1e-4


@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("ratio, restitution", [(r, e) for r in (1.0, 3.0, 0.2) for e in (0.0, 0.5, 1.0)])
def test_two_balls_part_as_masses_and_restitution_say(
    time_step: float, ratio: float, restitution: float
) -> None:
    """Central impact in a slanting direction: momentum, and relative speed times restitution."""
    surface = Surface(friction=0.0, restitution=np.sqrt(restitution))
    first = gallery.ball(0.1, 1.0, name="first", surface=surface)
    second = gallery.ball(0.1, ratio, name="second", surface=surface)
    along = unit(0.7)
    push(put(first, -0.2 * along), 2.0 * along)
    put(second, 0.2 * along)
    world = World([first, second], gravity=(0.0, 0.0, 0.0), time_step=time_step)
    world.step(round(0.3 / time_step))
    common = 2.0 / (1.0 + ratio)
    np.testing.assert_allclose(
        velocity(first), (common - restitution * 2.0 * ratio / (1.0 + ratio)) * along, atol=1e-3
    )
    np.testing.assert_allclose(velocity(second), (common + restitution * common) * along, atol=1e-3)


@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("gap", [0.0, 1e-4, 0.011])
def test_a_cradle_of_two_passes_all_of_its_momentum(time_step: float, gap: float) -> None:
    surface = Surface(friction=0.0, restitution=1.0)
    balls = [gallery.ball(0.1, name=f"ball_{i}", surface=surface) for i in range(2)]
    put(balls[0], (-0.3 - gap, 0.0, 0.0))
    push(balls[0], (1.0, 0.0, 0.0))
    World(balls, gravity=(0.0, 0.0, 0.0), time_step=time_step).step(round(0.5 / time_step))
    speeds = [velocity(ball)[0] for ball in balls]
    np.testing.assert_allclose(speeds, [0.0, 1.0], atol=1e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
@pytest.mark.parametrize("gap", [0.0, 1e-4, 0.0021])
@pytest.mark.parametrize("striking", [1, 2])
def test_a_cradle_of_five_passes_momentum_to_as_many_as_strike(
    kind: str, time_step: float, gap: float, striking: int
) -> None:
    surface = Surface(friction=0.0, restitution=1.0)
    balls = [as_kind(kind, gallery.ball(0.1, name=f"ball_{i}", surface=surface)) for i in range(5)]
    for i, ball in enumerate(balls):
        put(ball, ((0.2 + gap) * i - (0.3 if i < striking else 0.0), 0.0, 0.0))
        push(ball, (1.0 if i < striking else 0.0, 0.0, 0.0))
    World(balls, gravity=(0.0, 0.0, 0.0), time_step=time_step).step(round(0.6 / time_step))
    speeds = [velocity(ball)[0] for ball in balls]
    np.testing.assert_allclose(speeds, [0.0] * (5 - striking) + [1.0] * striking, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_force_of_an_impact_is_its_impulse_over_the_step(kind: str) -> None:
    made = push(bouncing_ball(kind, 0.5, 0.0501), (0.0, 0.0, -2.0))
    world = on_ground(made, surface=Surface(friction=0.0, restitution=1.0), gravity=(0.0, 0.0, 0.0))
    impulse = np.zeros(3)
    for _ in range(100):
        world.step()
        for contact in world.contacts:
            impulse += contact.force * (1e-3 if contact.first.skeleton is made else -1e-3)
    np.testing.assert_allclose(impulse, (0.0, 0.0, 1.5 * 3.0), atol=1e-9)
