"""Closed loops: in one tree, between trees, to the world, redundant and contradictory ones."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from _mechanisms import WEIGHTLESS, G, box, momentum, pendulum, slider

import kido
from kido import (
    BallConstraint,
    BodyNode,
    CylindricalConstraint,
    DistanceConstraint,
    GearConstraint,
    RevoluteConstraint,
    RopeConstraint,
    Skeleton,
    WeldConstraint,
    World,
    gallery,
)
from kido.constraint import BodyConstraint
from kido.errors import EditError

CLOSURES = ("weld", "ball", "revolute", "cylindrical", "distance")


def closure(kind: str, first: BodyNode, second: BodyNode | None, rng: np.random.Generator) -> BodyConstraint:
    """A constraint of a kind, as both bodies stand, at a random point with a random axis."""
    point = first.transform()[:3, 3] + rng.uniform(-0.1, 0.1, 3)
    axis = rng.normal(size=3)
    if kind == "weld":
        return WeldConstraint(first, second)
    if kind == "ball":
        return BallConstraint(first, second, point=point)
    if kind == "revolute":
        return RevoluteConstraint(first, second, point=point, axis=axis)
    if kind == "cylindrical":
        return CylindricalConstraint(first, second, point=point, axis=axis)
    return DistanceConstraint(first, second, first_point=rng.uniform(-0.1, 0.1, 3))


def chain(seed: int, count: int = 8, name: str = "chain") -> Skeleton:
    """A branching chain of revolute and ball joints at random positions, moving."""
    rng = np.random.default_rng(seed)
    made = Skeleton(name)
    for i in range(count):
        at = rng.uniform(-0.3, 0.3, 3) + np.array([0.2, 0.0, 0.0])
        if i % 3 == 2:
            joint: kido.Joint = kido.BallJoint(f"{name}_{i}", T_parent_joint=at)
        else:
            joint = kido.RevoluteJoint(f"{name}_{i}", axis=rng.normal(size=3), T_parent_joint=at)
        parent = made.bodies[max(0, i - 1 - (i % 2))] if i else None
        spread = np.diag(rng.uniform(0.01, 0.03, 3) + 0.02)
        inertia = kido.Inertia(rng.uniform(0.5, 2.0), rng.uniform(-0.1, 0.1, 3), spread)
        body = made.add_body(f"{name}_body_{i}", parent, joint, inertia=inertia)
        body.collidable = False
    made.positions = rng.uniform(-0.5, 0.5, made.num_dofs)
    made.velocities = rng.uniform(-1.0, 1.0, made.num_dofs)
    made.damping = [0.05] * made.num_dofs
    return made


def gap(world: World, constraint: kido.constraint.Constraint) -> float:
    return float(np.abs(world.constraint_error(constraint)).max())


@pytest.mark.parametrize("kind", CLOSURES)
@pytest.mark.parametrize("seed", range(4))
def test_a_loop_within_one_tree_stays_closed(kind: str, seed: int) -> None:
    made = chain(seed)
    rng = np.random.default_rng(100 + seed)
    world = World([made])
    constraint = world.constraints.add(closure(kind, made.bodies[-1], made.bodies[2], rng))
    assert gap(world, constraint) < 1e-12
    worst = 0.0
    for _ in range(40):
        world.step(10)
        worst = max(worst, gap(world, constraint))
    assert worst < 2e-6
    assert world.unmet_constraints == []


@pytest.mark.parametrize("kind", CLOSURES)
@pytest.mark.parametrize("seed", range(3))
def test_loops_between_trees_and_to_the_world_stay_closed(kind: str, seed: int) -> None:
    first, second = chain(seed, name="first"), chain(seed + 10, name="second")
    crate = box("crate", origin=(0.3, 0.2, 0.1))
    crate.body(0).collidable = False
    rng = np.random.default_rng(200 + seed)
    world = World([first, second, crate])
    constraints = [
        closure(kind, first.bodies[-1], second.bodies[-1], rng),
        closure(kind, second.bodies[-2], None, rng),
        closure(kind, crate.body(0), first.bodies[-2], rng),
    ]
    for constraint in constraints:
        world.constraints.add(constraint)
    worst = 0.0
    for _ in range(40):
        world.step(10)
        worst = max(worst, max(gap(world, constraint) for constraint in constraints))
    assert worst < 1e-5
    assert world.unmet_constraints == []


def four_bar() -> tuple[World, list[RevoluteConstraint]]:
    """A planar four-bar linkage with its loop closed by a hinge, twice."""

    def bar(skeleton: Skeleton, name: str, parent: BodyNode | None, at: object, length: float) -> BodyNode:
        inertia = kido.Inertia(1.0, (length / 2, 0, 0), np.diag([1e-4, length**2 / 12, length**2 / 12]))
        joint = kido.RevoluteJoint(name, (0, 1, 0), T_parent_joint=at)  # type: ignore[arg-type]
        return skeleton.add_body(name, parent, joint, inertia=inertia)

    linkage = Skeleton("linkage")
    crank = bar(linkage, "crank", None, (0, 0, 0), 0.1)
    coupler = bar(linkage, "coupler", crank, (0.1, 0, 0), 0.3)
    rocker = bar(linkage, "rocker", None, (0.3, 0, 0), 0.2)
    across = np.hypot(0.3, 0.1)
    up = np.arccos((0.3**2 + across**2 - 0.2**2) / (2 * 0.3 * across)) - np.arctan2(0.1, 0.3)
    end = np.array([0.3 * np.cos(up), 0, 0.1 + 0.3 * np.sin(up)])
    linkage.positions = [-np.pi / 2, np.pi / 2 - up, -np.arctan2(end[2], end[0] - 0.3)]
    world = World([linkage])
    hinges = [RevoluteConstraint(coupler, rocker, point=end, axis=(0, 1, 0)) for _ in range(2)]
    for hinge in hinges:
        world.constraints.add(hinge)
    linkage.joint("crank").actuator = "servo"
    linkage.commands = {"crank": 5.0}
    return world, hinges


def test_a_redundant_loop_closed_twice_is_as_good_as_one() -> None:
    world, hinges = four_bar()
    worst = 0.0
    for k in range(100):
        world.step(10)
        if k > 10:
            worst = max(worst, *(gap(world, hinge) for hinge in hinges))
    assert world.skeletons[0].velocities[0] == pytest.approx(5.0, rel=1e-9)
    assert worst < 5e-6
    assert world.unmet_constraints == []


def test_a_loop_over_two_trees_and_one_tree_move_alike() -> None:
    """A pendulum of two links: as one tree, and as two trees that a hinge joins."""
    one = gallery.double_pendulum()
    one.damping = [0.0, 0.0]
    world = World([one])
    base, tip = one.bodies
    whole = Skeleton("upper")
    joint = kido.RevoluteJoint("top", axis=one.joint(0).axis, T_parent_joint=one.joint(0).T_parent_joint)
    upper = whole.add_body("upper", joint=joint, inertia=base.inertia)
    lower = Skeleton("lower")
    free = lower.add_body("lower", joint=kido.FreeJoint("loose"), inertia=tip.inertia)
    for made in (base, tip, upper, free):
        made.collidable = False
    one.positions = [0.4, 0.3]
    whole.positions = [0.4]
    free.parent_joint.set_transform(tip.transform())  # type: ignore[attr-defined]
    parted = World([whole, lower])
    axis = one.joint(1).axis
    hinge = RevoluteConstraint(free, upper, point=tip.transform()[:3, 3], axis=tip.transform()[:3, :3] @ axis)
    parted.constraints.add(hinge)
    for _ in range(5):
        world.step(100)
        parted.step(100)
        np.testing.assert_allclose(whole.positions, one.positions[:1], atol=2e-3)
        np.testing.assert_allclose(free.transform(), tip.transform(), atol=5e-3)


@pytest.mark.parametrize("kind", CLOSURES)
def test_two_free_bodies_keep_their_momentum_through_a_constraint(kind: str) -> None:
    """Also where they have slid along an axis far from where they were joined."""
    first, second = box("first"), box("second", mass=5.0, origin=(0.6, 0.3, -0.2))
    world = World([first, second], gravity=WEIGHTLESS)
    for made in (first, second):
        made.body(0).collidable = False
    axis = (1.0, 0.3, 0.2)
    world.constraints.add(
        CylindricalConstraint(first.body(0), second.body(0), point=(0.3, 0.1, 0.0), axis=axis)
        if kind == "cylindrical"
        else closure(kind, first.body(0), second.body(0), np.random.default_rng(0))
    )
    first.velocities = [1.0, 2.0, -1.0, 3.0, 1.0, -2.0]
    world.step()
    before = momentum([first, second])
    world.step(500)
    np.testing.assert_allclose(momentum([first, second]), before, atol=2e-3 * np.abs(before).max())


# ---- contradictions


def contradicted() -> tuple[World, Skeleton, list[WeldConstraint]]:
    """A box that is welded to the world in two places, 2 cm apart."""
    made = box()
    first = WeldConstraint(made.body(0))
    made.positions = [0.0, 0.0, 0.0, 0.02, 0.0, 0.0]
    second = WeldConstraint(made.body(0))
    world = World([made])
    for weld in (first, second):
        world.constraints.add(weld)
    return world, made, [first, second]


def test_what_contradicts_itself_is_solved_softly_and_reported() -> None:
    world, made, welds = contradicted()
    world.step(10)
    assert world.unmet_constraints == []
    world.step(490)
    unmet = world.unmet_constraints
    assert unmet and all(any(one.constraint is weld for weld in welds) for one in unmet)
    apart = sum(world.constraint_error(weld)[0] * sign for weld, sign in zip(welds, (1, -1), strict=True))
    assert apart == pytest.approx(0.02, abs=1e-9)
    assert max(np.abs(one.error).max() for one in unmet) > 5e-3
    assert 0.0 <= made.positions[3] <= 0.02
    assert np.abs(made.velocities).max() < 1e-6
    for weld in welds:
        assert np.isfinite(world.constraint_wrench(weld)).all()
    before = np.abs(world.constraint_wrench(welds[0])).max()
    world.step(2000)
    assert np.abs(world.constraint_wrench(welds[0])).max() == pytest.approx(before, rel=1e-2)


def test_a_contradiction_that_ends_is_forgotten() -> None:
    world, made, welds = contradicted()
    world.step(200)
    assert world.unmet_constraints
    world.constraints.remove(welds[1])
    world.step(200)
    assert world.unmet_constraints == []
    np.testing.assert_allclose(made.positions, 0.0, atol=1e-8)
    np.testing.assert_allclose(world.constraint_wrench(welds[0])[5], 2.0 * G, rtol=1e-6)


def test_gears_that_contradict_each_other_are_reported() -> None:
    a, b = slider("a"), slider("b")
    world = World([a, b], gravity=WEIGHTLESS)
    gears = [GearConstraint(b.dof(0), a.dof(0), offset=offset) for offset in (0.0, 0.1)]
    for gear in gears:
        world.constraints.add(gear)
    world.step(300)
    unmet = world.unmet_constraints
    assert unmet and all(isinstance(one.constraint, GearConstraint) for one in unmet)
    errors = [world.constraint_error(gear)[0] for gear in gears]
    assert errors[0] - errors[1] == pytest.approx(0.1, abs=1e-9)
    assert np.abs([*a.velocities, *b.velocities]).max() < 1e-6


@pytest.mark.parametrize("length", [0.3, 7.0])
def test_what_stands_too_badly_to_be_moved_is_reported(length: float) -> None:
    """Along a chain that hangs straight nothing moves its end."""
    chain = kido.gallery.chain(4)
    world = World([chain])
    rod = world.constraints.add(DistanceConstraint(chain.bodies[-1], length=length))
    world.step(10)
    assert world.unmet_constraints == []
    world.step(40)
    assert [one.constraint for one in world.unmet_constraints] == [rod]
    assert abs(world.unmet_constraints[0].error[0]) > 0.1


def test_ropes_that_are_slack_are_met() -> None:
    made = box()
    world = World([made], gravity=WEIGHTLESS)
    rope = world.constraints.add(RopeConstraint(made.body(0), second_point=(0.3, 0.0, 0.0), length=0.5))
    world.step(100)
    np.testing.assert_array_equal(world.constraint_error(rope), 0.0)
    assert world.unmet_constraints == []


# ---- bodies that stand, leave, and are not there


def test_bodies_that_stand_are_held_by_nothing() -> None:
    still, other = box("still"), box("other", origin=(1.0, 0.0, 0.0))
    still.mobile = other.mobile = False
    moving = pendulum()
    world = World([still, other, moving])
    for constraint in (
        WeldConstraint(still.body(0)),
        BallConstraint(still.body(0), other.body(0), point=(0, 0, 0)),
    ):
        world.constraints.add(constraint)
    still.positions = [0.0, 0.0, 0.0, 0.5, 0.0, 0.0]
    world.step(50)
    for constraint in world.constraints:
        np.testing.assert_array_equal(world.constraint_wrench(constraint), 0.0)
    assert {one.constraint for one in world.unmet_constraints} == set(world.constraints)
    assert moving.velocities[0] > 0.1


def test_a_skeleton_that_is_held_does_not_leave() -> None:
    made, other = box(), box("other", origin=(1.0, 0.0, 0.0))
    world = World([made, other])
    weld = world.constraints.add(WeldConstraint(made.body(0), other.body(0)))
    world.step(5)
    for held in (made, "other"):
        with pytest.raises(EditError, match=r"is held by <WeldConstraint"):
            world.remove(held)
    assert len(world.skeletons) == 2 and len(world.constraints) == 1
    world.step(5)
    world.constraints.remove(weld)
    world.remove(other)
    world.step(5)


def test_a_body_that_leaves_its_skeleton_is_named_at_the_step() -> None:
    made = gallery.double_pendulum()
    world = World([made])
    tip = made.bodies[-1]
    world.constraints.add(WeldConstraint(tip))
    world.step(2)
    before = made.positions[:1]
    tip.split("loose")
    with pytest.raises(EditError, match="WeldConstraint"):
        world.step()
    np.testing.assert_array_equal(made.positions[:1], before)


def test_what_is_not_of_the_world_is_refused_when_it_is_added() -> None:
    made, other = box(), box("other")
    world = World([made])
    gear = GearConstraint(slider("a").dof(0), slider("b").dof(0))
    for constraint in (WeldConstraint(other.body(0)), WeldConstraint(made.body(0), other.body(0)), gear):
        with pytest.raises(EditError, match="no skeleton of this world"):
            world.constraints.add(constraint)
    for wrong in (None, made, "weld"):
        with pytest.raises(TypeError, match="constraint"):
            world.constraints.add(wrong)  # type: ignore[type-var]
    with pytest.raises(EditError, match="none of this world's"):
        world.constraint_error(gear)
    assert len(world.constraints) == 0
    with pytest.raises(EditError, match="twice"):
        WeldConstraint(made.body(0), made.body(0))


def test_clones_and_pickles_close_the_same_loops() -> None:
    world, hinges = four_bar()
    world.step(100)
    copied = world.clone()
    for one in (world, copied):
        one.step(100)
    np.testing.assert_array_equal(world.skeletons[0].positions, copied.skeletons[0].positions)
    loaded = pickle.loads(pickle.dumps(world))
    loaded.step(100)
    assert max(gap(loaded, hinge) for hinge in loaded.constraints) < 1e-5
    assert all(hinge not in loaded.constraints for hinge in hinges)
    with pytest.raises(TypeError, match="pickle its world"):
        pickle.dumps(hinges[0])
