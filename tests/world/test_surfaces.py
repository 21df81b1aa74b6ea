"""Surfaces that have more than friction and restitution, and how the surfaces of two shapes are combined."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from _looped import looped
from _scenes import (
    DIRECTIONS,
    KINDS,
    TIME_STEPS,
    G,
    as_kind,
    on_ground,
    origin,
    push,
    put,
    slope,
    spin,
    unit,
    velocity,
)

from kido import ShapeNode, Skeleton, Surface, WeldJoint, World, gallery
from kido.shape import Box
from kido.world import SurfaceRules

ALONG, ACROSS = 0.6, 0.3
MASS = 2.0


def ellipse(direction: float) -> float:
    """Coefficient of friction in a direction [rad] from the primary one."""
    return 1.0 / np.hypot(np.cos(direction) / ALONG, np.sin(direction) / ACROSS)


def skate(kind: str, turned: float = 0.4, **more: object) -> Skeleton:
    """A box at rest on z = 0 whose friction is ALONG in its own x direction, ACROSS in y."""
    surface = Surface(ALONG, friction_direction=(1.0, 0.0, 0.0), secondary_friction=ACROSS, **more)
    made = gallery.box((0.3, 0.2, 0.1), MASS, surface=surface)
    return put(as_kind(kind, made), (0.0, 0.0, 0.05), (0.0, 0.0, turned))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("direction, ratio", [(d, r) for d in DIRECTIONS for r in (0.999, 1.001)])
def test_anisotropic_friction_sticks_and_slips_at_its_ellipse(
    kind: str, time_step: float, direction: float, ratio: float
) -> None:
    turned = 0.4
    angle = np.arctan(ellipse(direction - turned) * ratio)
    made = skate(kind, turned)
    world = on_ground(made, gravity=slope(angle, direction), time_step=time_step)
    world.step(round(1.0 / time_step))
    if ratio < 1.0:
        assert np.linalg.norm(velocity(made)) < 1e-8
        assert np.linalg.norm(origin(made)[:2]) < 2e-4
    else:
        assert velocity(made) @ unit(direction) > 1e-3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("dof, mu", [(0, ALONG), (1, ACROSS)])
def test_anisotropic_friction_stops_along_its_axes(kind: str, time_step: float, dof: int, mu: float) -> None:
    for way in (1.0, -1.0):
        direction = unit(0.4 + dof * np.pi / 2) * way
        made = push(skate(kind), 2.0 * direction)
        on_ground(made, time_step=time_step).step(round(1.0 / time_step))
        assert origin(made) @ direction == pytest.approx(2.0**2 / (2.0 * mu * G), rel=5e-3)
        assert np.abs(made.velocities).max() < 1e-8


@pytest.mark.parametrize("kind", KINDS)
@looped("direction", DIRECTIONS)
def test_anisotropic_friction_takes_as_much_energy_as_the_ellipse_allows(kind: str, direction: float) -> None:
    made = push(skate(kind, 0.0), 3.0 * unit(direction))
    world = on_ground(made)
    world.step(5)
    way = velocity(made)[:2] / np.linalg.norm(velocity(made))
    weighed = np.array([ALONG, ACROSS]) ** 2 * way
    expected = -weighed / np.sqrt(way @ weighed) * MASS * G
    force = sum(c.force if c.first.skeleton is made else -c.force for c in world.contacts)
    np.testing.assert_allclose(force[:2], expected, atol=5e-3 * MASS * G)


@pytest.mark.parametrize("kind", KINDS)
def test_of_two_directions_that_of_the_lower_friction_counts(kind: str) -> None:
    ground = Surface(0.9, friction_direction=(0.0, 1.0, 0.0), secondary_friction=0.05)
    made = push(skate(kind, 0.0), (2.0, 0.0, 0.0))
    on_ground(made, surface=ground).step(1000)
    assert origin(made)[0] == pytest.approx(2.0**2 / (2.0 * ALONG * G), rel=5e-3)


@pytest.mark.parametrize("kind", KINDS)
@looped("force, along", [(f, d) for f in (0.5, 2.0) for d in (0, 1)])
def test_slip_is_a_velocity_by_force(kind: str, force: float, along: int) -> None:
    """DART's force dependent slip: v = F slip, while friction would hold."""
    slips = (0.2, 0.3)
    surface = Surface(1.0, friction_direction=(1, 0, 0), slip=slips[0], secondary_slip=slips[1])
    made = put(as_kind(kind, gallery.box((0.3, 0.2, 0.1), MASS, surface=surface)), (0.0, 0.0, 0.05))
    world = on_ground(made, gravity=(force / MASS * (along == 0), force / MASS * (along == 1), -G))
    world.step(8000)
    assert velocity(made)[along] == pytest.approx(slips[along] * force, rel=1e-3)
    assert abs(velocity(made)[1 - along]) < 1e-6


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
def test_a_conveyor_carries_at_its_speed(kind: str, time_step: float) -> None:
    belt = gallery.box((1.0, 4.0, 0.2), surface=Surface(0.5, velocity=(0.0, 1.5, 0.0)), name="belt")
    belt.positions = [0.0, 0.0, -np.pi / 2, 0.0, 0.0, -0.1]  # its y axis points along x
    belt.mobile = False
    made = put(as_kind(kind, gallery.box((0.2, 0.2, 0.1), MASS)), (-1.0, 0.0, 0.05))
    world = World([belt, made], time_step=time_step)
    world.step(round(0.1 / time_step))
    assert velocity(made)[0] == pytest.approx(0.5 * G * 0.1, rel=2e-2)
    world.step(round(0.9 / time_step))
    np.testing.assert_allclose(velocity(made), (1.5, 0.0, 0.0), atol=1e-6)
    assert np.abs(spin(made)).max() < 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_a_turntable_turns_what_stands_on_it(kind: str) -> None:
    surface = Surface(1.0, angular_velocity=(0.0, 0.0, 1.2))
    made = put(as_kind(kind, gallery.box((0.2, 0.2, 0.1), MASS)), (0.5, 0.0, 0.05))
    push(made, (0.0, 0.6, 0.0), (0.0, 0.0, 1.2))
    on_ground(made, surface=surface).step(1000)
    turned = origin(made)[:2]
    np.testing.assert_allclose(turned, 0.5 * unit(1.2)[:2], atol=5e-3)
    assert spin(made)[2] == pytest.approx(1.2, abs=1e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("time_step", TIME_STEPS)
@looped("direction", DIRECTIONS[::3])
def test_rolling_friction_slows_a_ball_as_its_torque_says(
    kind: str, time_step: float, direction: float
) -> None:
    """Rolling without sliding, a torque b m g slows it by (5/7) b g / r."""
    radius, rolling, speed = 0.1, 0.004, 1.0
    surface = Surface(1.0, rolling_friction=rolling)
    made = as_kind(kind, gallery.ball(radius, MASS, surface=surface))
    push(
        put(made, (0.0, 0.0, radius)),
        speed * unit(direction),
        np.cross([0, 0, 1], unit(direction)) * speed / radius,
    )
    world = on_ground(made, time_step=time_step)
    world.step(round(1.0 / time_step))
    slowed = 5.0 / 7.0 * rolling * G / radius
    np.testing.assert_allclose(velocity(made), (speed - slowed) * unit(direction), atol=5e-3 * slowed)
    world.step(round(4.0 / time_step))
    assert origin(made) @ unit(direction) == pytest.approx(speed**2 / (2.0 * slowed), rel=5e-3)
    assert np.abs(made.velocities).max() < 1e-8


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_torsional_friction_slows_a_ball_that_spins_on_the_spot(kind: str, way: float) -> None:
    """A torque b m g: the spin falls by b g / (2/5 r^2) a second."""
    radius, torsional, rate = 0.1, 0.002, 10.0
    surface = Surface(1.0, torsional_friction=torsional)
    made = put(as_kind(kind, gallery.ball(radius, MASS, surface=surface)), (0.0, 0.0, radius))
    push(made, (0.0, 0.0, 0.0), (0.0, 0.0, way * rate))
    world = on_ground(made)
    world.step(1000)
    slowed = torsional * G / (0.4 * radius**2)
    assert spin(made)[2] == pytest.approx(way * (rate - slowed), rel=5e-3)
    world.step(3000)
    assert np.abs(made.velocities).max() < 1e-8


@pytest.mark.parametrize("kind", KINDS)
def test_a_ball_with_rolling_friction_rests_on_a_slope_below_its_angle(kind: str) -> None:
    """It begins to roll where tan(angle) exceeds rolling / radius."""
    for ratio, rolls in ((0.99, False), (1.02, True)):
        surface = Surface(1.0, rolling_friction=0.01)
        made = put(as_kind(kind, gallery.ball(0.1, MASS, surface=surface)), (0.0, 0.0, 0.1))
        on_ground(made, gravity=slope(np.arctan(0.1 * ratio), 0.7)).step(2000)
        assert (velocity(made) @ unit(0.7) > 1e-2) == rolls


def stopping(world: World, made: Skeleton) -> float:
    push(made, (2.0, 0.0, 0.0))
    world.step(1500)
    return float(2.0**2 / (2.0 * G * origin(made)[0]))


def rested(friction: float) -> Skeleton:
    return put(gallery.box((0.3, 0.2, 0.1), MASS, surface=Surface(friction)), (0.0, 0.0, 0.05))


@pytest.mark.parametrize(
    "rule, expected", [("minimum", 0.2), ("maximum", 0.8), ("mean", 0.5), ("product", 0.16)]
)
def test_friction_of_a_pair_follows_the_rule(rule: str, expected: float) -> None:
    made = rested(0.2)
    world = on_ground(made, surface=Surface(0.8))
    world.surface_handler = SurfaceRules(friction=rule)
    assert stopping(world, made) == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize(
    "rule, expected", [("product", 0.32), ("maximum", 0.8), ("minimum", 0.4), ("mean", 0.6)]
)
def test_restitution_of_a_pair_follows_the_rule(rule: str, expected: float) -> None:
    made = put(gallery.ball(0.1, surface=Surface(restitution=0.4)), (0.0, 0.0, 0.15))
    push(made, (0.0, 0.0, -2.0))
    world = on_ground(made, surface=Surface(restitution=0.8), gravity=(0.0, 0.0, 0.0))
    world.surface_handler = SurfaceRules(restitution=rule)
    world.step(100)
    assert velocity(made)[2] == pytest.approx(2.0 * expected, rel=1e-6)


def test_a_function_says_how_two_shapes_meet_once_while_they_touch() -> None:
    asked = []

    def handler(first: ShapeNode, second: ShapeNode) -> Surface:
        asked.append({first.skeleton.name, second.skeleton.name})
        return Surface(0.25)

    made = rested(0.9)
    world = World([gallery.ground(), made], surface_handler=handler)
    assert stopping(world, made) == pytest.approx(0.25, rel=5e-3)
    assert asked == [{"ground", "box"}]
    put(made, (0.0, 0.0, 1.0))
    world.step(600)
    assert len(asked) == 2


def test_a_function_may_give_a_direction_and_a_velocity_in_the_frame_of_the_first() -> None:
    made = put(gallery.box((0.3, 0.2, 0.1), MASS), (0.0, 0.0, 0.05))

    def handler(first: ShapeNode, second: ShapeNode) -> Surface:
        assert first.skeleton.name == "ground"
        return Surface(0.5, velocity=(0.0, 0.7, 0.0))

    World([gallery.ground(), made], surface_handler=handler).step(1000)
    np.testing.assert_allclose(velocity(made), (0.0, 0.7, 0.0), atol=1e-6)


@pytest.mark.parametrize("count", [1, 50])
@pytest.mark.parametrize("wrong", ["raises", "gives"])
def test_what_a_function_raises_is_raised_by_step_and_nothing_moves(count: int, wrong: str) -> None:
    def handler(first: ShapeNode, second: ShapeNode) -> Surface:
        if wrong == "raises":
            raise LookupError("no such pair")
        return 0.5  # type: ignore[return-value]

    made = put(gallery.box((0.3, 0.2, 0.1), MASS), (0.0, 0.0, 0.06))
    world = World([gallery.ground(), made], surface_handler=handler)
    with pytest.raises(LookupError if wrong == "raises" else TypeError):
        for _ in range(100):
            world.step(count)
    before = origin(made)
    with pytest.raises((LookupError, TypeError)):
        world.step(count)
    np.testing.assert_array_equal(origin(made), before)
    world.surface_handler = None
    world.step(500)
    assert origin(made)[2] == pytest.approx(0.05, abs=1e-4)


def slippery(first: ShapeNode, second: ShapeNode) -> Surface:
    return Surface(0.1)


@pytest.mark.parametrize("handler", [slippery, SurfaceRules(friction="product")])
def test_copies_keep_the_handler(handler: object) -> None:
    world = World([gallery.ground()], surface_handler=handler)
    assert world.clone().surface_handler == handler
    assert pickle.loads(pickle.dumps(world)).surface_handler == handler


def test_a_clone_in_contact_goes_on_bit_for_bit_with_all_kinds_of_surfaces() -> None:
    made = [push(skate("rigid body", 0.3, rolling_friction=0.01, slip=0.01), (1.0, 0.5, 0.0))]
    made.append(put(gallery.ball(0.1, surface=Surface(rolling_friction=0.01)), (1.0, 1.0, 0.1)))
    push(made[1], (1.0, 0.0, 0.0))
    world = on_ground(*made, surface=Surface(0.9, velocity=(0.3, 0.0, 0.0)))
    world.step(100)
    clone, saved = world.clone(), world.snapshot()
    world.step(200)
    clone.step(200)
    after = [body.positions.copy() for body in made]
    for body, other in zip(made, clone.skeletons[1:], strict=True):
        np.testing.assert_array_equal(other.positions, body.positions)
    world.restore(saved)
    world.step(200)
    np.testing.assert_array_equal(made[0].positions, after[0])


@pytest.mark.parametrize(
    "name, number",
    [
        ("friction", -0.1),
        ("restitution", 1.1),
        ("secondary_friction", -0.1),
        ("slip", -1.0),
        ("secondary_slip", -1.0),
        ("rolling_friction", -1e-3),
        ("torsional_friction", -1e-3),
        ("friction_direction", (0.0, 0.0, 0.0)),
        ("velocity", (1.0, 2.0)),
        ("angular_velocity", (np.nan, 0.0, 0.0)),
    ],
)
def test_bad_surfaces_are_refused_by_name(name: str, number: object) -> None:
    more = {} if name == "friction_direction" else {"friction_direction": (1.0, 0.0, 0.0)}
    with pytest.raises(ValueError, match=name):
        Surface(**{name: number}, **more)


def test_friction_across_needs_a_direction() -> None:
    with pytest.raises(ValueError, match="friction_direction"):
        Surface(secondary_friction=0.1)


def test_a_handler_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="surface_handler"):
        World(surface_handler=0.5)


@pytest.mark.parametrize("first", [0.0, np.pi / 2])
def test_shapes_that_share_a_surface_have_it_each_in_their_own_axes(first: float) -> None:
    """One of two boxes slides along its friction's direction, the other across it, whichever comes first."""
    surface = Surface(0.1, friction_direction=(1.0, 0.0, 0.0), secondary_friction=1.0)
    boxes = []
    for k, turned in enumerate((first, np.pi / 2 - first)):
        box = put(gallery.box((0.2, 0.2, 0.1), MASS, name=f"box{k}", surface=surface), (0.0, 3.0 * k, 0.05))
        pose = np.eye(4)
        pose[:2, :2] = [[np.cos(turned), -np.sin(turned)], [np.sin(turned), np.cos(turned)]]
        box.body(0).shape_nodes[0].relative_transform = pose
        boxes.append(push(box, (1.0, 0.0, 0.0)))
    on_ground(*boxes).step(300)
    along, across = boxes if first == 0.0 else boxes[::-1]
    assert velocity(along)[0] == pytest.approx(1.0 - 0.1 * G * 0.3, rel=1e-2)
    assert np.linalg.norm(velocity(across)) < 1e-6


@pytest.mark.parametrize("turned", [0.0, np.pi / 2])
def test_belts_that_share_a_surface_run_each_along_their_own_axes(turned: float) -> None:
    belt, ends = Surface(1.0, velocity=(0.5, 0.0, 0.0)), []
    for k, angle in enumerate((0.0, turned)):
        base = Skeleton(f"belt{k}")
        base.mobile = False
        pose = np.eye(4)
        pose[:3, :3] = [[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]]
        pose[:3, 3] = 0.0, 3.0 * k, -0.05
        ShapeNode(
            base.add_body("belt", None, WeldJoint("belt")), "belt", Box((2.0, 2.0, 0.1)), pose, surface=belt
        )
        ends.append(
            (base, put(gallery.box((0.1, 0.1, 0.1), MASS, name=f"box{k}"), (0.0, 3.0 * k, 0.05)), angle)
        )
    World([skeleton for base, box, _ in ends for skeleton in (base, box)]).step(400)
    for _, box, angle in ends:
        np.testing.assert_allclose(velocity(box), [0.5 * np.cos(angle), 0.5 * np.sin(angle), 0.0], atol=1e-6)
