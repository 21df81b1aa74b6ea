"""Welds, bodies without mass, several roots, long chains and far places."""

from __future__ import annotations

import numpy as np
import pytest
from _random_trees import Robot, assert_near, build, random_inertia, random_transform, robots
from hypothesis import given
from scipy.spatial.transform import Rotation

import kido
from kido.description import Inertia, JointDescription, JointType, LinkDescription, RobotDescription
from kido.errors import SingularMassError

REVOLUTE, WELD = (JointType.REVOLUTE, "xyz"), (JointType.WELD, "xyz")


def merged(inertias: list[tuple[np.ndarray, Inertia]]) -> Inertia:
    """One inertia of several, each with the pose of its body."""
    mass = sum(inertia.mass for _, inertia in inertias)
    centers = [T[:3, :3] @ inertia.com + T[:3, 3] for T, inertia in inertias]
    com = sum(inertia.mass * c for (_, inertia), c in zip(inertias, centers, strict=True)) / mass
    moment = np.zeros((3, 3))
    for (T, inertia), center in zip(inertias, centers, strict=True):
        r = center - com
        moment += T[:3, :3] @ inertia.moment @ T[:3, :3].T
        moment += inertia.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return Inertia(mass, com, moment)


def arm_with_tools() -> tuple[kido.Tree, kido.Tree]:
    """An arm of two links, each with a tool welded on, on a welded base; and the same arm of merged links."""
    rng = np.random.default_rng(3)
    base, places = random_transform(rng), [random_transform(rng) for _ in range(4)]
    upper, lower, tools = random_inertia(rng), random_inertia(rng), [random_inertia(rng) for _ in range(2)]
    axes = rng.standard_normal((2, 3))
    links = [LinkDescription("base", random_inertia(rng)), LinkDescription("upper", upper)]
    links += [LinkDescription("lower", lower), *(LinkDescription(f"tool{i}", tools[i]) for i in range(2))]
    joints = [
        JointDescription("mount", "weld", None, "base", base),
        JointDescription("shoulder", "revolute", "base", "upper", places[0], axes=axes[0]),
        JointDescription("elbow", "revolute", "upper", "lower", places[1], axes=axes[1]),
        JointDescription("grip0", "weld", "upper", "tool0", places[2]),
        JointDescription("grip1", "weld", "lower", "tool1", places[3]),
    ]
    welded = kido.Tree.from_description(RobotDescription("arm", links, joints))
    links = [
        LinkDescription("upper", merged([(np.eye(4), upper), (places[2], tools[0])])),
        LinkDescription("lower", merged([(np.eye(4), lower), (places[3], tools[1])])),
    ]
    joints = [
        JointDescription("shoulder", "revolute", None, "upper", base @ places[0], axes=axes[0]),
        JointDescription("elbow", "revolute", "upper", "lower", places[1], axes=axes[1]),
    ]
    return welded, kido.Tree.from_description(RobotDescription("arm", links, joints))


def test_welded_bodies_add_no_links_and_change_no_dynamics() -> None:
    welded, single = arm_with_tools()
    assert (welded.num_bodies, welded.num_links, welded.num_dofs) == (5, 2, 2)
    assert (single.num_bodies, single.num_links) == (2, 2)
    q, v, a = np.random.default_rng(5).uniform(-1.0, 1.0, (3, 2))
    assert_near(welded.mass_matrix(q), single.mass_matrix(q), 1e-14)
    assert_near(welded.inverse_dynamics(q, v, a), single.inverse_dynamics(q, v, a), 1e-13)
    assert_near(welded.forward_dynamics(q, v, a), single.forward_dynamics(q, v, a), 1e-13)
    assert_near(welded.center_of_mass(q), single.center_of_mass(q), 1e-14)
    assert_near(welded.kinetic_energy(q, v), single.kinetic_energy(q, v), 1e-14)
    assert_near(welded.potential_energy(q), single.potential_energy(q), 1e-13)
    assert welded.total_mass == pytest.approx(single.total_mass, rel=1e-14)


def test_welded_bodies_stay_addressable() -> None:
    welded, _ = arm_with_tools()
    q, v, _ = np.random.default_rng(6).uniform(-1.0, 1.0, (3, 2))
    assert welded.body_names == ("base", "upper", "lower", "tool1", "tool0")
    T = welded.transform(q, "lower") @ welded.joint_transform(q, "grip1")
    assert_near(welded.transform(q, "tool1"), T, 1e-14)
    lever = T[:3, 3] - welded.transform(q, "lower")[:3, 3]
    lower, tool = (welded.velocity(q, v, body, frame="world") for body in ("lower", "tool1"))
    assert_near(tool[:3], lower[:3], 1e-14)
    assert_near(tool[3:], lower[3:] + np.cross(lower[:3], lever), 1e-14)
    wrenches = np.zeros((5, 6))
    wrenches[3] = [0.1, 0.2, 0.3, 1.0, 2.0, 3.0]
    still = np.zeros(2)
    loaded = welded.inverse_dynamics(q, still, still, wrenches) - welded.gravity_forces(q)
    assert_near(loaded, -welded.jacobian(q, "tool1", frame="body").T @ wrenches[3], 1e-13)


def test_bodies_welded_to_the_world_do_not_move() -> None:
    welded, _ = arm_with_tools()
    q, v, a = np.random.default_rng(7).uniform(-1.0, 1.0, (3, 2))
    assert (welded.transform(q, "base") == welded.transform(0.0 * q, "base")).all()
    assert not welded.velocity(q, v, "base").any()
    assert not welded.acceleration(q, v, a, "base").any()
    assert not welded.jacobian(q, "base").any()
    assert not welded.jacobian_derivative(q, v, "base").any()
    wrenches = np.zeros((5, 6))
    wrenches[0] = 100.0
    assert (welded.inverse_dynamics(q, v, a, wrenches) == welded.inverse_dynamics(q, v, a)).all()


def massless_leaf() -> kido.Tree:
    return build([REVOLUTE, REVOLUTE, REVOLUTE], [-1, 0, 1], [False, False, True], 0).tree


def test_a_massless_leaf_has_no_forward_dynamics() -> None:
    tree = massless_leaf()
    q, v, tau = np.random.default_rng(8).uniform(-1.0, 1.0, (3, 3))
    for ask in (
        lambda: tree.forward_dynamics(q, v, tau),
        lambda: tree.inverse_mass_matrix(q),
        lambda: tree.forward_dynamics_derivatives(q, v, tau),
        lambda: tree.forward_dynamics(np.tile(q, (20, 1)), v, tau),
        lambda: tree.inverse_mass_matrix(np.tile(q, (20, 1))),
    ):
        with pytest.raises(SingularMassError, match="joint2"):
            ask()


def test_the_error_of_a_massless_leaf_names_robot_and_joint() -> None:
    with pytest.raises(SingularMassError) as caught:
        massless_leaf().inverse_mass_matrix(np.zeros(3))
    assert caught.value.joints == ("joint2",)
    assert caught.value.owner == "random"


def test_a_massless_leaf_has_kinematics_and_inverse_dynamics() -> None:
    tree = massless_leaf()
    bare = build([REVOLUTE, REVOLUTE], [-1, 0], [False, False], 0).tree
    q, v, a = np.random.default_rng(9).uniform(-1.0, 1.0, (3, 3))
    assert np.isfinite(tree.forward_kinematics(q)).all()
    tau = tree.inverse_dynamics(q, v, a)
    assert_near(tau[2], 0.0, 1e-14)
    assert bare.num_dofs == 2
    M = tree.mass_matrix(q)
    assert_near(M[2], np.zeros(3), 1e-14)
    by_q, _, mass = tree.inverse_dynamics_derivatives(q, v, a)
    assert np.isfinite(by_q).all()
    assert_near(mass, M, 1e-14)


@given(robots(max_bodies=3), robots(max_bodies=3))
def test_trees_on_several_roots_do_not_feel_each_other(first: Robot, second: Robot) -> None:
    """Two robots in one tree: block diagonal mass, and each its own forces."""
    links = [LinkDescription(f"b{link.name}", link.inertia) for link in second.description.links]
    joints = [
        JointDescription(
            f"b{j.name}",
            j.type,
            None if j.parent is None else f"b{j.parent}",
            f"b{j.child}",
            j.T_parent_joint,
            j.T_child_joint,
            j.axes,
            pitch=j.pitch,
            euler_order=j.euler_order,
            dynamics=j.dynamics,
        )
        for j in second.description.joints
    ]
    a, b = first.description, second.description
    both = RobotDescription("both", [*a.links, *links], [*a.joints, *joints])
    tree = kido.Tree.from_description(both, gravity=first.tree.gravity)
    n = first.tree.num_dofs
    states = [np.concatenate(pair) for pair in zip(first.state(), second.state(), strict=True)]
    parts = [np.split(x, [n]) for x in states]
    expected = [
        robot.tree.inverse_dynamics(*(p[i] for p in parts)) for i, robot in enumerate((first, second))
    ]
    assert_near(tree.inverse_dynamics(*states), np.concatenate(expected), 1e-13)
    expected = [
        robot.tree.forward_dynamics(*(p[i] for p in parts)) for i, robot in enumerate((first, second))
    ]
    assert_near(tree.forward_dynamics(*states), np.concatenate(expected), 1e-13)
    mass = tree.mass_matrix(states[0])
    assert not mass[:n, n:].any()
    assert not tree.inverse_mass_matrix(states[0])[:n, n:].any()
    assert len(b.links) + len(a.links) == tree.num_bodies


def long_chain(count: int) -> kido.Tree:
    inertia = Inertia(0.1, (0.0, 0.0, -0.02), np.diag([2e-3, 2e-3, 1e-3]))
    links = [LinkDescription(f"link{i}", inertia) for i in range(count)]
    step = np.eye(4)
    step[:3, 3] = (0.0, 0.01, -0.05)
    axes = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.6, 0.8)]
    joints = [
        JointDescription(
            f"j{i}", "revolute", f"link{i - 1}" if i else None, f"link{i}", step, axes=axes[i % 3]
        )
        for i in range(count)
    ]
    return kido.Tree.from_description(RobotDescription("chain", links, joints))


def test_a_chain_of_a_thousand_bodies() -> None:
    tree = long_chain(1000)
    q, v, a = np.random.default_rng(10).uniform(-1.0, 1.0, (3, 1000)) * [[1.0], [0.1], [0.1]]
    tau = tree.inverse_dynamics(q, v, a)
    assert_near(tree.forward_dynamics(q, v, tau), a, 1e-8)
    T, step = np.eye(4), np.eye(4)
    step[:3, 3] = (0.0, 0.01, -0.05)
    axes = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.6, 0.8)]
    expected = []
    for i, angle in enumerate(q):
        turn = np.eye(4)
        turn[:3, :3] = Rotation.from_rotvec(angle * np.array(axes[i % 3])).as_matrix()
        T = T @ step @ turn
        expected.append(T)
    assert_near(tree.forward_kinematics(q), expected, 1e-11)
    assert_near(tree.jacobian(q, 999) @ v, tree.velocity(q, v, 999), 1e-10)
    unit = np.eye(1000)[500]
    column = tree.inverse_dynamics(q, v, unit) - tree.bias_forces(q, v)
    assert_near(tree.mass_matrix(q)[500], column, 1e-10)


def test_dynamics_do_not_lose_digits_far_from_the_origin() -> None:
    """A free robot at 10 km: what does not depend on the place is as it is at the origin."""
    robot = build(
        [(JointType.FREE, "xyz"), REVOLUTE, REVOLUTE, (JointType.BALL, "xyz")], [-1, 0, 1, 0], [False] * 4, 2
    )
    tree, (q, v, a) = robot.tree, robot.state()
    far = q.copy()
    far[3:6] = [1e4, -1e4, 1e4]
    wrenches = robot.rng.uniform(-1.0, 1.0, (4, 6))
    for name, arguments in {
        "inverse_dynamics": (v, a, wrenches),
        "forward_dynamics": (v, a, wrenches),
        "bias_forces": (v,),
        "mass_matrix": (),
        "inverse_mass_matrix": (),
        "gravity_forces": (),
        "kinetic_energy": (v,),
        "com_velocity": (v,),
        "com_acceleration": (v, a),
        "com_jacobian": (),
        "centroidal_momentum": (v,),
        "centroidal_momentum_matrix": (),
        "body_velocities": (v,),
        "body_accelerations": (v, a),
    }.items():
        method = getattr(tree, name)
        assert_near(method(far, *arguments), method(q, *arguments), 1e-10)
    for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        method = getattr(tree, name)
        for there, here in zip(method(far, v, a, wrenches), method(q, v, a, wrenches), strict=True):
            assert_near(there, here, 1e-10)


def test_a_robot_without_dofs_answers() -> None:
    tree = build([WELD, WELD], [-1, 0], [False, False], 0).tree
    empty = np.zeros(0)
    assert tree.forward_kinematics(empty).shape == (2, 4, 4)
    assert tree.jacobian(empty, 1).shape == (6, 0)
    assert tree.forward_dynamics(empty, empty, empty).shape == (0,)
    assert tree.inverse_mass_matrix(np.zeros((5, 0))).shape == (5, 0, 0)
    assert tree.kinetic_energy(empty, empty) == 0.0
    assert not tree.momentum(empty, empty).any()
    assert tree.total_mass == 0.0


def test_a_robot_without_bodies_answers() -> None:
    tree = kido.Tree.from_description(RobotDescription("nothing", [], []))
    assert (tree.num_bodies, tree.num_dofs, tree.num_links) == (0, 0, 0)
    assert tree.forward_kinematics(np.zeros((3, 0))).shape == (3, 0, 4, 4)
    assert tree.mass_matrix(np.zeros(0)).shape == (0, 0)


def test_no_mass_has_no_center() -> None:
    tree, q = build([WELD], [-1], [False], 0).tree, np.zeros(0)
    questions = {"center_of_mass": 1, "com_jacobian": 1, "centroidal_momentum_matrix": 1}
    questions |= {"mean_jacobian": 1, "mean_jacobian_derivative": 2}
    questions |= {"com_velocity": 2, "centroidal_momentum": 2, "com_acceleration": 3}
    for name, count in questions.items():
        with pytest.raises(ValueError, match="no moving body has mass"):
            getattr(tree, name)(*[q] * count)
    assert tree.potential_energy(q) == 0.0
