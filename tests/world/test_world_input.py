"""Bad input: named at the call, and nothing is changed by it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import kido
from kido import ShapeNode, Skeleton, Surface, World, gallery
from kido.errors import NameTakenError, SingularMassError, UnknownNameError
from kido.shape import Mesh


def world() -> World:
    return World([gallery.ground(), gallery.box()])


@pytest.mark.parametrize(
    "settings, error, text",
    [
        ({"time_step": 0.0}, ValueError, "time_step"),
        ({"time_step": -1e-3}, ValueError, "time_step"),
        ({"time_step": np.nan}, ValueError, "time_step"),
        ({"time_step": "fast"}, TypeError, "time_step"),
        ({"gravity": (0.0, 0.0)}, ValueError, "gravity"),
        ({"gravity": (0.0, 0.0, np.inf)}, ValueError, "gravity"),
        ({"gravity": "down"}, (TypeError, ValueError), "gravity"),
        ({"name": ""}, ValueError, "name"),
        ({"name": 3}, TypeError, "name"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    settings: dict[str, object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        World(**settings)  # type: ignore[arg-type]
    made = world()
    before = made.time_step, made.gravity, made.name
    ((name, value),) = settings.items()
    with pytest.raises(error, match=text):
        setattr(made, name, value)
    assert (made.time_step, made.name) == (before[0], before[2])
    np.testing.assert_array_equal(made.gravity, before[1])


@pytest.mark.parametrize(
    "steps, error",
    [(-1, ValueError), (1.5, TypeError), ("many", TypeError), (None, TypeError), (True, TypeError)],
)
def test_numbers_of_steps_are_checked(steps: object, error: type[Exception]) -> None:
    made = world()
    with pytest.raises(error, match=r"^n: "):
        made.step(steps)  # type: ignore[arg-type]
    assert made.num_steps == 0


def test_what_is_no_skeleton_is_refused() -> None:
    made = world()
    for wrong in (None, "box", gallery.box().body(0), [gallery.ball()]):
        with pytest.raises(TypeError, match="skeleton: expected a Skeleton"):
            made.add(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="skeleton: expected a Skeleton"):
        World([gallery.box(), "ball"])  # type: ignore[list-item]
    assert len(made.skeletons) == 2


def test_a_world_may_be_of_one_skeleton() -> None:
    box = gallery.box()
    assert World(box).skeletons == (box,)
    with pytest.raises(TypeError, match="skeletons: expected a Skeleton or several, got int"):
        World(3)  # type: ignore[arg-type]


def test_names_are_taken_once() -> None:
    made = world()
    with pytest.raises(NameTakenError, match="box"):
        made.add(gallery.box())
    with pytest.raises(NameTakenError, match="box"):
        made.add(made.skeleton("box"))
    assert len(made.skeletons) == 2


def test_unknown_skeletons_are_named_with_those_there_are() -> None:
    made = world()
    with pytest.raises(UnknownNameError, match=r"ball.*ground.*box"):
        made.skeleton("ball")
    with pytest.raises(UnknownNameError, match="ball"):
        made.remove("ball")
    with pytest.raises(UnknownNameError, match="box"):
        made.remove(gallery.box())
    assert len(made.skeletons) == 2


def test_an_added_skeleton_gets_gravity_and_time_step() -> None:
    made = World(time_step=2e-3, gravity=(1.0, 0.0, -3.0))
    box = made.add(gallery.box())
    np.testing.assert_array_equal(box.gravity, (1.0, 0.0, -3.0))
    assert box.time_step == 2e-3
    made.gravity, made.time_step = (0.0, 0.0, -1.0), 1e-3
    np.testing.assert_array_equal(box.gravity, (0.0, 0.0, -1.0))
    assert box.time_step == 1e-3


def test_what_has_no_mass_is_named_before_anything_moves() -> None:
    made = world()
    massless = Skeleton("ghost")
    massless.add_body(
        "ghost",
        joint=kido.FreeJoint("ghost_joint"),
        inertia=kido.Inertia(0.0, (0.0, 0.0, 0.0), np.zeros((3, 3))),
    )
    made.add(massless)
    before = made.skeleton("box").positions
    with pytest.raises(SingularMassError, match="ghost"):
        made.step(3)
    assert made.num_steps == 0
    np.testing.assert_array_equal(made.skeleton("box").positions, before)
    made.remove(massless)
    made.step()


def test_a_mesh_that_cannot_be_read_is_named() -> None:
    made = world()
    box = gallery.box(name="crate")
    ShapeNode(box.body(0), "scan", Mesh("nowhere/scan.stl"))
    made.add(box)
    with pytest.raises(ValueError, match=r"scan: mesh .*nowhere/scan\.stl"):
        made.step()
    assert made.num_steps == 0


def test_commands_that_are_no_numbers_are_refused_where_they_are_set() -> None:
    box = gallery.box()
    for wrong in ([np.nan] * 6, [0.0] * 5, "up"):
        with pytest.raises((TypeError, ValueError), match="commands"):
            box.commands = wrong  # type: ignore[assignment]


@pytest.mark.parametrize(
    "settings", [{"friction": -0.1}, {"restitution": 1.1}, {"restitution": -0.1}, {"friction": np.nan}]
)
def test_surfaces_are_checked(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(settings))):
        Surface(**settings)


def test_contacts_are_values() -> None:
    made = world()
    made.step(10)
    contact = made.contacts[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        contact.depth = 0.0  # type: ignore[misc]
    depths = [c.depth for c in made.contacts]
    kept = made.contacts
    made.step(100)
    assert [c.depth for c in kept] == depths


def test_gravity_cannot_be_written_in_place() -> None:
    made = world()
    with pytest.raises(ValueError, match="read-only"):
        made.gravity[2] = 0.0


def test_a_world_says_what_it_is() -> None:
    assert repr(world()) == "<World 'world': 2 skeletons, 0 s>"
    assert not hasattr(world(), "__dict__")
    with pytest.raises(AttributeError):
        world().gravitation = 3  # type: ignore[attr-defined]


@pytest.mark.parametrize("shape", [kido.shape.Plane(), kido.shape.Mesh("a.stl")])
def test_a_rigid_body_needs_a_shape_with_a_volume(shape: kido.shape.Shape) -> None:
    with pytest.raises((TypeError, ValueError)):
        gallery.rigid_body(shape)


@pytest.mark.parametrize("mass", [0.0, -1.0, np.nan, np.inf])
def test_a_rigid_body_needs_a_mass(mass: float) -> None:
    with pytest.raises((TypeError, ValueError), match="mass"):
        gallery.box(mass=mass)


def test_worlds_are_copied_by_clone() -> None:
    made = world()
    made.step(5)
    copied = made.clone()
    assert copied.num_steps == 5
    assert copied.skeleton("box") is not made.skeleton("box")


def test_shapes_of_a_body_are_at_hand() -> None:
    crate = kido.gallery.box((0.3, 0.3, 0.3), mass=2.0)
    crate.body(0).shape_nodes[0].surface = kido.Surface(friction=0.6, restitution=0.1)
    assert crate.body(0).nodes(kido.ShapeNode) == crate.body(0).shape_nodes
    with pytest.raises(TypeError, match="mass"):
        kido.gallery.box(mass="heavy")  # type: ignore[arg-type]
