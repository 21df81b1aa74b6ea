"""Real robots as skeletons against Pinocchio: wrenches in joints, relative Jacobians, energies, momenta."""

from __future__ import annotations

import warnings

import numpy as np
import pinocchio as pin
import pytest
from _pinocchio_map import ANGULAR_FIRST, Array, Pair, State, pair, spatial
from _random_trees import assert_near

import kido
from _robots import robot_files
from kido.errors import ModelWarning

SOLVED = 1e-9
ROBOTS = [("panda", "fixed"), ("talos_full_v2", "free"), ("solo12", "free")]


def load(name: str, root: str) -> tuple[kido.Skeleton, Pair, State]:
    """A robot whose file has this name, as a skeleton in a random state and in Pinocchio."""
    file = next(path for path in robot_files() if path.endswith(f"/{name}.urdf"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        skeleton = kido.load(robot_files()[file], root=root, mimic=False)
    both = pair(file, root)
    state = both.state(3)
    skeleton.positions, skeleton.velocities, skeleton.accelerations = state.q, state.v, state.a
    return skeleton, both, state


@pytest.mark.parametrize(("name", "root"), ROBOTS)
def test_joints_transmit_the_wrenches_of_pinocchio(name: str, root: str) -> None:
    skeleton, both, state = load(name, root)
    model, data = both.model, both.data
    rng = np.random.default_rng(0)
    forces = pin.StdVec_Force()
    loads: dict[int, Array] = {}
    moving = {both.joint(joint.name): joint.child_body for joint in skeleton.joints if joint.num_dofs}
    for index in range(model.njoints):
        load_on_body = np.zeros(6)
        if index in moving:
            load_on_body = rng.uniform(-5.0, 5.0, 6)
            moving[index].external_wrench = load_on_body
        loads[index] = load_on_body
        forces.append(pin.Force(load_on_body[ANGULAR_FIRST]))
    tau = pin.rnea(model, data, state.pin_q, state.pin_v, state.pin_a, forces)
    for index, body in moving.items():
        assert_near(skeleton.transmitted_wrench(body), spatial(data.f[index].vector), SOLVED)
    skeleton.compute_inverse_dynamics(with_external_forces=True)
    assert_near(skeleton.forces, both.forces(tau), SOLVED)


@pytest.mark.parametrize(("name", "root"), ROBOTS)
def test_relative_jacobians_are_differences_of_those_of_pinocchio_at_one_point(name: str, root: str) -> None:
    skeleton, both, state = load(name, root)
    model, data = both.model, both.data
    pin.computeJointJacobians(model, data, state.pin_q)
    pin.updateFramePlacements(model, data)
    frame, observer = skeleton.bodies[-1], skeleton.bodies[skeleton.num_bodies // 2]

    def spatial_jacobian(body: kido.BodyNode) -> Array:
        found = pin.getFrameJacobian(model, data, both.body_frames[body.index], pin.WORLD)
        return both.columns(found)

    about_origin = spatial_jacobian(frame) - spatial_jacobian(observer)
    T = frame.transform()
    R, p = T[:3, :3], T[:3, 3]
    linear = about_origin[3:] - np.cross(p[:, None], about_origin[:3], axis=0)
    expected = np.concatenate([R.T @ about_origin[:3], R.T @ linear])
    assert_near(skeleton.jacobian(frame, relative_to=observer), expected, SOLVED)


@pytest.mark.parametrize(("name", "root"), ROBOTS)
def test_energies_and_the_center_of_mass_are_those_of_pinocchio(name: str, root: str) -> None:
    skeleton, both, state = load(name, root)
    model, data = both.model, both.data
    pin.ccrba(model, data, state.pin_q, state.pin_v)
    assert_near(skeleton.linear_momentum(), data.hg.linear, SOLVED)
    assert_near(
        skeleton.kinetic_energy, pin.computeKineticEnergy(model, data, state.pin_q, state.pin_v), SOLVED
    )
    moving = pin.centerOfMass(model, data, state.pin_q, state.pin_v, state.pin_a)
    if root == "free":
        assert_near(skeleton.com(), moving, SOLVED)
        assert_near(skeleton.angular_momentum(), data.hg.angular, SOLVED)
        assert_near(skeleton.com_linear_acceleration(), data.acom[0], SOLVED)
        gravity = pin.computePotentialEnergy(model, data, state.pin_q)
        assert_near(skeleton.potential_energy, gravity, SOLVED)
