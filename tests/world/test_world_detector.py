"""Worlds whose contacts another detector finds."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from _scenes import G, push, put, velocity

import kido
from kido.collision import CoalDetector, CollisionDetector, ContactPoints, NativeDetector
from kido.errors import EditError, UnsupportedShapeError
from kido.shape import Plane, Shape, Sphere
from kido.typing import ArrayLike
from kido.values import number, value


class Relay(CollisionDetector):
    """The native detector, asked through Python."""

    name = "a relay"

    def __init__(self) -> None:
        self.asked = 0

    def contacts(
        self, first: Shape, T_first: ArrayLike, second: Shape, T_second: ArrayLike, *, margin: float = 0.0
    ) -> ContactPoints:
        self.asked += 1
        return NativeDetector().contacts(first, T_first, second, T_second, margin=margin)


def boxes(detector: CollisionDetector | None, count: int = 3) -> kido.World:
    stack = [
        put(
            kido.gallery.box((0.3, 0.3, 0.2), mass=1.0, name=f"box_{k}"),
            (0.01 * k, 0, 0.1 + 0.2 * k),
            (0, 0, 0.2 * k),
        )
        for k in range(count)
    ]
    return kido.World([kido.gallery.ground(), *stack], detector=detector)


@pytest.mark.parametrize("detector", [Relay(), CoalDetector()], ids=lambda d: d.name)
def test_a_stack_rests(detector: CollisionDetector) -> None:
    world = boxes(detector)
    world.step(400)
    for k, box in enumerate(world.skeletons[1:]):
        assert box.positions[5] == pytest.approx(0.1 + 0.2 * k, abs=2e-4)
        assert np.abs(box.velocities).max() < 5e-3
    force = sum(contact.force[2] for contact in world.contacts if contact.first.skeleton.name == "box_0")
    below = sum(
        np.sign(contact.normal[2]) * contact.force[2]
        for contact in world.contacts
        if "ground" in (contact.first.skeleton.name, contact.second.skeleton.name)
    )
    assert abs(below) == pytest.approx(3 * G, rel=0.02) and force != 0.0


@pytest.mark.parametrize("detector", [Relay(), CoalDetector()], ids=lambda d: d.name)
def test_a_box_stops_where_friction_says(detector: CollisionDetector) -> None:
    box = push(put(kido.gallery.box((0.3, 0.2, 0.1), mass=1.0), (0, 0, 0.05), (0, 0, 0.3)), (2.0, 0.0, 0.0))
    box.body(0).shape_nodes[0].surface = kido.Surface(friction=0.5)
    world = kido.World([kido.gallery.ground(), box], detector=detector)
    world.step(600)
    assert box.positions[3] == pytest.approx(2.0**2 / (2 * 0.5 * G), rel=5e-3)
    assert np.abs(box.velocities).max() < 1e-6


def test_a_detector_is_asked_again_only_once_shapes_have_moved() -> None:
    relay = Relay()
    world = boxes(relay)
    world.step(100)
    settled = relay.asked
    assert settled >= 3
    world.step(300)
    assert relay.asked < settled + 60


def test_a_ball_slides_then_rolls_by_coal() -> None:
    ball = push(put(kido.gallery.ball(0.1, mass=1.0), (0, 0, 0.1)), (2.0, 0.0, 0.0))
    world = kido.World([kido.gallery.ground(), ball], detector=CoalDetector())
    world.step(400)
    np.testing.assert_allclose(velocity(ball), [2.0 * 5 / 7, 0.0, 0.0], atol=1e-3)


@value
class Bubble(Shape):
    """A ball that only its own detector knows."""

    size: float = number(unit="m", positive=True)


class Bubbles(CollisionDetector):
    """Bubbles on planes."""

    name = "bubbles"

    def contacts(
        self, first: Shape, T_first: ArrayLike, second: Shape, T_second: ArrayLike, *, margin: float = 0.0
    ) -> ContactPoints:
        if not isinstance(first, Plane) or not isinstance(second, Bubble):
            raise UnsupportedShapeError("these", "a pair", self.name)
        center = np.asarray(T_second)[:3, 3]
        depth = second.size - center[2]
        count = int(-depth <= margin)
        normal = np.array([[0.0, 0.0, -1.0]])[:count]
        whole = np.zeros(count, dtype=np.int64)
        return ContactPoints(
            whole,
            normal,
            np.array([[center[0], center[1], 0.0]])[:count],
            np.array([[center[0], center[1], -depth]])[:count],
            np.full(count, depth),
            whole,
        )

    def bounds(self, shape: Shape) -> tuple[ArrayLike, ArrayLike]:
        if not isinstance(shape, Bubble):
            return super().bounds(shape)
        return np.full(3, -shape.size), np.full(3, shape.size)


def bubble(name: str = "bubble") -> kido.Skeleton:
    made = kido.gallery.ball(0.1, mass=1.0, name=name)
    made.body(0).shape_nodes[0].shape = Bubble(0.1)
    return put(made, (0, 0, 0.15))


def test_a_shape_of_ones_own_with_a_detector_of_ones_own() -> None:
    ball = bubble()
    world = kido.World([kido.gallery.ground(), ball], detector=Bubbles())
    world.step(600)
    assert ball.positions[5] == pytest.approx(0.1, abs=1e-4)
    world.detector = None
    assert world.detector == NativeDetector()
    with pytest.raises(UnsupportedShapeError, match="Bubble"):
        world.step()
    world.detector = Bubbles()
    world.step(10)
    assert ball.positions[5] == pytest.approx(0.1, abs=1e-4)


def test_a_pair_that_the_detector_cannot_test_is_named() -> None:
    other = put(bubble("other"), (0.05, 0, 0.15))
    world = kido.World([kido.gallery.ground(), bubble(), other], detector=Bubbles())
    before = [skeleton.positions.tolist() for skeleton in world.skeletons]
    with pytest.raises(UnsupportedShapeError, match=r"Bubble and Bubble.*bubble\.\w+ and other\.\w+"):
        world.step()
    assert [skeleton.positions.tolist() for skeleton in world.skeletons] == before
    world.collision_filter.ignore(other, world.skeleton("bubble"))
    world.step()


@pytest.mark.parametrize("way", ["clone", "deepcopy", "pickle"])
def test_copies_have_the_detector(way: str) -> None:
    world = boxes(CoalDetector(most_contacts=7))
    world.step(20)
    if way == "pickle":
        copied = pickle.loads(pickle.dumps(world))
    else:
        copied = world.clone() if way == "clone" else copy.deepcopy(world)
    assert copied.detector == CoalDetector(most_contacts=7)
    world.step(20)
    copied.step(20)
    for ours, theirs in zip(world.skeletons, copied.skeletons, strict=True):
        np.testing.assert_array_equal(ours.positions, theirs.positions)


def test_what_follows_a_snapshot_is_the_same() -> None:
    world = boxes(Relay())
    world.step(30)
    saved = world.snapshot()
    push(world.skeletons[3], (0.5, 0.0, 0.0))
    world.step(40)
    first = [skeleton.positions.tobytes() for skeleton in world.skeletons]
    world.restore(saved)
    push(world.skeletons[3], (0.5, 0.0, 0.0))
    world.step(40)
    assert [skeleton.positions.tobytes() for skeleton in world.skeletons] == first


class Wrong(Relay):
    """Gives what it was told."""

    def __init__(self, change: object) -> None:
        super().__init__()
        self.change = change

    def contacts(self, *args: object, **options: object) -> ContactPoints:  # type: ignore[override]
        return self.change(super().contacts(*args, **options))  # type: ignore[operator, arg-type, no-any-return]


def _with(points: ContactPoints, **changes: object) -> ContactPoints:
    return ContactPoints(**{**vars(points), **changes})


@pytest.mark.parametrize(
    "change, error, message",
    [
        (lambda p: None, TypeError, "expected ContactPoints"),
        (lambda p: _with(p, normal=2 * p.normal), ValueError, "unit length"),
        (lambda p: _with(p, depth=p.depth * np.nan), ValueError, "finite"),
        (lambda p: _with(p, on_first=p.on_first[:, :2]), ValueError, "shape"),
    ],
)
def test_what_a_detector_gives_is_checked(change: object, error: type[Exception], message: str) -> None:
    world = boxes(Wrong(change), 1)
    with pytest.raises(error, match=f"a relay, contacts of .*ground.* and .*box_0.*{message}"):
        world.step()
    assert world.num_steps == 0


def test_an_error_of_a_detector_leaves_the_world_as_it_was() -> None:
    def fail(points: ContactPoints) -> ContactPoints:
        raise ArithmeticError("no")

    world = boxes(Wrong(fail), 2)
    before = [skeleton.positions.tolist() for skeleton in world.skeletons]
    with pytest.raises(ArithmeticError):
        world.step(5)
    assert [skeleton.positions.tolist() for skeleton in world.skeletons] == before and world.time == 0.0


def test_rollouts_ask_no_python() -> None:
    world = boxes(Relay(), 1)
    with pytest.raises(EditError, match="a relay"):
        kido.rollout(world, np.zeros((2, 3, 6)))


def test_a_detector_is_one() -> None:
    with pytest.raises(TypeError, match="detector"):
        kido.World(detector="coal")  # type: ignore[arg-type]
    world = kido.World(detector=NativeDetector())
    with pytest.raises(TypeError, match="detector"):
        world.detector = Sphere(1.0)  # type: ignore[assignment]
