"""Contact forces and joint forces that a motion needs."""

from __future__ import annotations

import numpy as np
import pytest
from _scenes import G, put
from scipy.optimize import minimize

import kido
from kido import Skeleton, gallery
from kido.world import ContactForces, FrictionContact

MASS = 2.0
CORNERS = [(x, y, -0.1) for x in (-0.2, 0.2) for y in (-0.15, 0.15)]


def block() -> Skeleton:
    """A block that stands on its corners."""
    return put(gallery.box((0.4, 0.3, 0.2), mass=MASS), (0.0, 0.0, 0.1))


def at_corners(
    made: Skeleton, friction: float = 0.5, normal: tuple[float, float, float] = (0, 0, 1)
) -> list[FrictionContact]:
    place = made.com()
    return [
        FrictionContact(made.body(0), tuple(place + corner), normal=normal, friction=friction)
        for corner in CORNERS
    ]


def assert_in_cones(found: ContactForces, contacts: list[FrictionContact]) -> None:
    for force, contact in zip(found.forces, contacts, strict=True):
        along = force @ contact.normal
        across = np.linalg.norm(force - along * np.asarray(contact.normal))
        assert along >= 0.0 and across <= contact.friction * along * (1.0 + 1e-12) + 1e-15


def test_a_block_at_rest_shares_its_weight() -> None:
    made = block()
    contacts = at_corners(made)
    found = kido.contact_inverse_dynamics(made, contacts)
    assert found.is_feasible
    np.testing.assert_allclose(found.forces, np.tile([0, 0, MASS * G / 4], (4, 1)), atol=1e-7)
    np.testing.assert_allclose(found.joint_forces, np.zeros(6), atol=1e-7)


@pytest.mark.parametrize("direction", [0.0, 0.4, 2.0, 4.5])
@pytest.mark.parametrize("ratio, feasible", [(0.999, True), (1.001, False)])
def test_friction_bounds_the_acceleration_in_every_direction(
    direction: float, ratio: float, feasible: bool
) -> None:
    """A point mass on one contact may be accelerated by mu g, and no more."""
    made = put(gallery.ball(0.1, mass=MASS), (0.0, 0.0, 0.1))
    contact = FrictionContact(made.body(0), (0.0, 0.0, 0.1), friction=0.5)
    wanted = ratio * 0.5 * G * np.array([np.cos(direction), np.sin(direction), 0.0])
    found = kido.contact_inverse_dynamics(made, [contact], [0, 0, 0, *wanted])
    assert found.is_feasible is feasible
    assert_in_cones(found, [contact])
    if feasible:
        np.testing.assert_allclose(found.forces[0], MASS * (wanted + np.array([0, 0, G])), atol=1e-6)
    else:
        assert 1e-4 < np.linalg.norm(found.residual) < 0.1


@pytest.mark.parametrize("seed", range(8))
def test_forces_are_the_smallest_within_the_exact_cones(seed: int) -> None:
    """Beside a general solver of nonlinear programs."""
    rng = np.random.default_rng(seed)
    made = put(block(), (0.3, -0.2, 0.5), rng.normal(size=3) * 0.2)
    contacts = [
        FrictionContact(
            made.body(0),
            tuple(made.com() + corner + rng.normal(size=3) * 0.02),
            normal=tuple(np.array([0, 0, 1.0]) + rng.normal(size=3) * 0.2),
            friction=0.3 + 0.4 * rng.random(),
        )
        for corner in CORNERS
    ]
    wanted = np.concatenate([rng.normal(size=3) * 2.0, rng.normal(size=3) * [1.0, 1.0, 0.5]])
    found = kido.contact_inverse_dynamics(made, contacts, wanted)
    assert found.is_feasible
    assert_in_cones(found, contacts)
    columns = np.concatenate([force_columns(made, c) for c in contacts], axis=1)
    needed = made.tree.inverse_dynamics(made.positions, made.velocities, wanted)
    np.testing.assert_allclose(columns @ found.forces.ravel(), needed, atol=1e-6)

    def room(f: np.ndarray) -> np.ndarray:
        rooms = []
        for force, contact in zip(f.reshape(-1, 3), contacts, strict=True):
            along = force @ contact.normal
            across = force - along * np.asarray(contact.normal)
            rooms += [along, (contact.friction * along) ** 2 - across @ across]
        return np.array(rooms)

    other = minimize(
        lambda f: 0.5 * f @ f,
        found.forces.ravel() + rng.normal(size=12) * 0.1,
        jac=lambda f: f,
        constraints=[
            {"type": "eq", "fun": lambda f: columns @ f - needed, "jac": lambda f: columns},
            {"type": "ineq", "fun": room},
        ],
        options={"maxiter": 500, "ftol": 1e-14},
        method="SLSQP",
    )
    assert other.success
    assert found.forces.ravel() @ found.forces.ravel() <= 2.0 * other.fun * (1.0 + 1e-7)


def force_columns(made: Skeleton, contact: FrictionContact) -> np.ndarray:
    """Generalized forces of unit forces at a contact: wrenches about the free joint's origin, in its axes."""
    T = made.body(0).transform()
    arm = np.asarray(contact.point) - T[:3, 3]
    wrenches = [np.concatenate([np.cross(arm, e), e]) for e in np.eye(3)]
    return np.stack([np.concatenate([T[:3, :3].T @ w[:3], T[:3, :3].T @ w[3:]]) for w in wrenches], axis=1)


def test_joint_forces_and_contact_forces_give_the_acceleration() -> None:
    """Forward dynamics beside them, of a humanoid that moves on both feet."""
    robot = gallery.humanoid()
    rng = np.random.default_rng(2)
    robot.velocities = rng.normal(size=robot.num_dofs) * 0.1
    contacts = [
        FrictionContact(foot, tuple(foot.transform()[:3, 3] + [x, y, 0.0]), friction=0.7)
        for foot in (robot.body("left_foot"), robot.body("right_foot"))
        for x in (-0.05, 0.1)
        for y in (-0.03, 0.03)
    ]
    wanted = np.zeros(robot.num_dofs)
    wanted[5] = 1.0
    wanted[6:] = rng.normal(size=robot.num_dofs - 6) * 0.1
    found = kido.contact_inverse_dynamics(robot, contacts, wanted)
    assert found.is_feasible
    assert_in_cones(found, contacts)
    assert np.abs(found.joint_forces[:6]).max() < 1e-6
    wrenches = np.zeros((robot.num_bodies, 6))
    for contact, force in zip(contacts, found.forces, strict=True):
        T = contact.body.transform()
        turned = T[:3, :3].T @ force
        arm = T[:3, :3].T @ (np.asarray(contact.point) - T[:3, 3])
        wrenches[contact.body.index] += np.concatenate([np.cross(arm, turned), turned])
    tau = found.joint_forces + robot.spring_forces + robot.damping_forces
    got = robot.tree.forward_dynamics(robot.positions, robot.velocities, tau, wrenches)
    np.testing.assert_allclose(got, wanted, atol=1e-5)


def test_what_is_driven_can_be_said() -> None:
    """A cart with a pole that nothing drives: it falls, and rails do not help."""
    made = gallery.cart_pole()
    made.positions = [0.0, 0.3]
    free = kido.contact_inverse_dynamics(made, [])
    assert free.is_feasible and free.forces.shape == (0, 3)
    found = kido.contact_inverse_dynamics(made, [], driven=[True, False])
    assert not found.is_feasible and found.residual.shape == (1,)
    np.testing.assert_allclose(found.residual[0], found.joint_forces[1])
    pole = made.bodies[-1]
    tip = tuple(pole.transform()[:3, 3] + pole.transform()[:3, :3] @ pole.inertia.com)
    sides = ((1, 0, 0), (-1, 0, 0), (0, 0, 1))
    held = [FrictionContact(pole, tip, normal=axis, friction=0.0) for axis in sides]
    assert kido.contact_inverse_dynamics(made, held, driven=[True, False]).is_feasible


def test_without_contact_a_free_body_falls() -> None:
    made = block()
    found = kido.contact_inverse_dynamics(made, [], [0, 0, 0, 0, 0, -G])
    assert found.is_feasible
    assert not kido.contact_inverse_dynamics(made, []).is_feasible


def test_contacts_that_pull_are_not_found() -> None:
    made = block()
    found = kido.contact_inverse_dynamics(made, at_corners(made), [0, 0, 0, 0, 0, -2.0 * G])
    assert not found.is_feasible
    np.testing.assert_allclose(found.forces, np.zeros((4, 3)), atol=1e-12)


def test_forces_from_outside_are_carried_too() -> None:
    made = block()
    made.body(0).add_external_force((0.0, 0.0, -10.0))
    found = kido.contact_inverse_dynamics(made, at_corners(made))
    np.testing.assert_allclose(found.forces.sum(axis=0), [0, 0, MASS * G + 10.0], atol=1e-6)


def test_arguments_are_named() -> None:
    made, other = block(), gallery.ball()
    with pytest.raises(TypeError, match="skeleton: expected a Skeleton, got BodyNode"):
        kido.contact_inverse_dynamics(made.body(0), [])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"contacts\[0\]: expected a FrictionContact, got str"):
        kido.contact_inverse_dynamics(made, ["foot"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"contacts\[0\]: body 'ball' is none of 'box'"):
        kido.contact_inverse_dynamics(made, [FrictionContact(other.body(0), (0, 0, 0))])
    with pytest.raises(ValueError, match="accelerations"):
        kido.contact_inverse_dynamics(made, [], [0.0] * 5)
    with pytest.raises(ValueError, match="driven: expected 6 truth values"):
        kido.contact_inverse_dynamics(made, [], driven=[True])
    for wrong, text in [
        ({"normal": (0, 0, 0)}, "normal: expected a direction"),
        ({"friction": -0.1}, "friction: expected 0 or above"),
        ({"friction": np.nan}, "friction"),
        ({"point": (0, 0)}, "point"),
    ]:
        with pytest.raises(ValueError, match=text):
            FrictionContact(**{"body": made.body(0), "point": (0, 0, 0)} | wrong)
    with pytest.raises(TypeError, match="body: expected a BodyNode"):
        FrictionContact(made, (0, 0, 0))  # type: ignore[arg-type]
