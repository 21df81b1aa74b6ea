"""Impulses on bodies: constraint impulses, what they make of velocities, and impulses applied at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest
from _moving_skeletons import branched
from _random_trees import Array, assert_near

import kido
from kido.description import Inertia
from kido.errors import RemovedError, SingularMassError
from kido.frame import SimpleFrame

every_seed = pytest.mark.parametrize("seed", range(4))
SOLVED = 1e-9


def point_jacobian(s: kido.Skeleton, body: kido.BodyNode, point: Array) -> Array:
    """Of a point of a body, given in its coordinates: angular and linear, world axes, by finite differences
    of poses along the group."""
    tree, q, J = s.tree, s.positions, np.empty((6, s.num_dofs))
    pose = body.transform()
    for k in range(s.num_dofs):
        ends = []
        for h in (1e-6, -1e-6):
            s.positions = tree.integrate(q, h * np.eye(s.num_dofs)[k], 1.0)
            ends.append(body.transform())
        R = (ends[0][:3, :3] - ends[1][:3, :3]) @ pose[:3, :3].T / 2e-6
        J[:3, k] = R[2, 1], R[0, 2], R[1, 0]
        J[3:, k] = ((ends[0] - ends[1]) @ [*point, 1.0])[:3] / 2e-6
    s.positions = q
    return J


@every_seed
def test_a_constraint_impulse_is_the_transposed_jacobian_times_it(seed: int) -> None:
    s, rng = branched(seed), np.random.default_rng(seed)
    total = np.zeros(s.num_dofs)
    for body in s.bodies[1::3]:
        impulse, angular, point = rng.uniform(-1.0, 1.0, (3, 3))
        body.add_constraint_impulse(impulse, point, angular_impulse=angular)
        total += point_jacobian(s, body, point).T @ np.concatenate([angular, impulse])
    assert_near(s.constraint_impulses, total, 1e-7)
    assert_near(s.constraint_velocity_changes, np.linalg.solve(s.mass_matrix, s.constraint_impulses), SOLVED)


@every_seed
def test_impulse_forward_dynamics_adds_the_changes_and_clearing_ends_them(seed: int) -> None:
    s, rng = branched(seed), np.random.default_rng(seed)
    s.velocities = rng.uniform(-1.0, 1.0, s.num_dofs)
    v = s.velocities
    s.bodies[-1].add_constraint_impulse(rng.uniform(-1.0, 1.0, 3))
    assert (s.velocities == v).all()
    change = s.constraint_velocity_changes
    assert np.abs(change).max() > 1e-3
    s.compute_impulse_forward_dynamics()
    assert_near(s.velocities, v + change, SOLVED)
    s.clear_constraint_impulses()
    assert not s.constraint_impulses.any() and not s.constraint_velocity_changes.any()
    before = s.velocities
    s.compute_impulse_forward_dynamics()
    assert (s.velocities == before).all()


def test_an_applied_impulse_gives_what_pinocchio_gives() -> None:
    model = pin.buildSampleModelManipulator()
    data, rng = model.createData(), np.random.default_rng(3)
    s = kido.Skeleton("arm")
    body = None
    for i in range(1, model.njoints):
        own, place = model.inertias[i], model.jointPlacements[i].homogeneous
        axis = {"JointModelRX": (1, 0, 0), "JointModelRY": (0, 1, 0), "JointModelRZ": (0, 0, 1)}
        joint = kido.RevoluteJoint(model.names[i], axis[model.joints[i].shortname()], T_parent_joint=place)
        inertia = Inertia(own.mass, own.lever, own.inertia)
        body = s.add_body(f"link{i}", body, joint, inertia=inertia)
    assert body is not None
    q = rng.uniform(-1.0, 1.0, model.nq)
    s.positions = q
    impulse, point, angular = rng.uniform(-1.0, 1.0, (3, 3))
    pin.computeJointJacobians(model, data, q)
    J = pin.getJointJacobian(model, data, model.njoints - 1, pin.LOCAL_WORLD_ALIGNED)  # linear, angular
    arm = data.oMi[model.njoints - 1].rotation @ point
    M = pin.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    expected = np.linalg.solve(M, J.T @ np.concatenate([impulse, angular + np.cross(arm, impulse)]))
    body.apply_impulse(impulse, point, angular_impulse=angular)
    assert_near(s.velocities, expected, SOLVED)
    assert not s.constraint_impulses.any()


def test_axes_and_places_of_impulses_may_be_of_any_frame() -> None:
    wanted = None
    for axes, in_world in ((None, False), ("own", False), ("frame", True)):
        s = branched(2)
        body = s.bodies[5]
        s.velocities = np.zeros(s.num_dofs)
        impulse, angular, offset = np.array([[0.3, -1.0, 0.7], [1.0, 0.2, -0.4], [0.1, 0.3, -0.2]])
        T = body.transform()
        frame = SimpleFrame("turned")
        frame.set_transform(np.array([[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1.0]]))
        R = {None: np.eye(3), "own": T[:3, :3], "frame": frame.transform()[:3, :3]}[axes]
        body.apply_impulse(
            R.T @ impulse,
            (T @ [*offset, 1.0])[:3] if in_world else offset,
            angular_impulse=R.T @ angular,
            in_coordinates_of={None: None, "own": body, "frame": frame}[axes],
            offset_in_world=in_world,
        )
        wanted = s.velocities if wanted is None else wanted
        assert_near(s.velocities, wanted, SOLVED)
    assert np.abs(wanted).max() > 1e-2


def test_kinematic_joints_do_not_yield_to_impulses_on_bodies() -> None:
    s = branched(1)
    s.joints[0].actuator = kido.ActuatorType.LOCKED
    held = [dof.index for dof in s.joints[0].dofs]
    v = s.velocities
    s.bodies[-1].apply_impulse((1.0, 2.0, 3.0))
    assert (s.velocities[held] == v[held]).all() and (s.velocities != v).any()


@pytest.mark.parametrize("skeleton", ["box", "pendulum"])
def test_an_impulse_holds_from_the_next_step_of_a_world_on(skeleton: str) -> None:
    s = kido.gallery.box((0.1, 0.2, 0.3), mass=2.0) if skeleton == "box" else kido.gallery.pendulum()
    world = kido.World([s], gravity=(0.0, 0.0, 0.0))
    world.step(10)
    body = s.bodies[-1]
    body.apply_impulse((1.0, 1.0, 0.5), (0.0, 0.0, -0.5))
    v = s.velocities
    assert np.abs(v).max() > 0.1
    energy = world.kinetic_energy
    world.step()
    assert abs(world.kinetic_energy - energy) < 1e-2 * energy
    assert_near(s.velocities, v, 1e-2 * float(np.abs(v).max()))
    world.step(100)
    assert np.abs(s.positions).max() > 0.01


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda b: b.apply_impulse((1.0, 2.0)), ValueError, r"^impulse: expected shape \(3,\) \[N s\]"),
        (lambda b: b.add_constraint_impulse((1.0, 2.0, np.inf)), ValueError, r"^impulse: expected finite"),
        (lambda b: b.apply_impulse((1, 2, 3), (0.0,)), ValueError, r"^offset: expected shape \(3,\) \[m\]"),
        (
            lambda b: b.apply_impulse((1, 2, 3), angular_impulse=3.0),
            ValueError,
            r"^angular_impulse: expected shape \(3,\) \[N m s\]",
        ),
        (lambda b: b.apply_impulse((1, 2, 3), in_coordinates_of="hand"), TypeError, r"^in_coordinates_of"),
        (lambda b: b.apply_impulse((1, 2, 3), offset_in_world=1), TypeError, r"^offset_in_world"),
    ],
)
def test_bad_impulses_on_bodies_are_named_and_change_nothing(
    call: Callable[[kido.BodyNode], None], error: type[Exception], match: str
) -> None:
    s = branched(1)
    v = s.velocities
    with pytest.raises(error, match=match):
        call(s.bodies[2])
    assert (s.velocities == v).all() and not s.constraint_impulses.any()


def test_massless_dofs_and_removed_bodies_are_told() -> None:
    s = kido.Skeleton("s")
    joint = kido.PrismaticJoint("slide", (0, 0, 1))
    body = s.add_body("body", joint=joint, inertia=None)
    with pytest.raises(SingularMassError):
        body.apply_impulse((0, 0, 1))
    body.add_constraint_impulse((0, 0, 1))
    assert (s.constraint_impulses == [1.0]).all()
    with pytest.raises(SingularMassError):
        s.compute_impulse_forward_dynamics()
    body.remove()
    with pytest.raises(RemovedError):
        body.apply_impulse((0, 0, 1))
