"""Joints written in Python: the answers of built-in ones everywhere, and mechanisms with own formulas."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from _methods import METHODS, Method, at_body
from _moving_skeletons import add_wrenches, branched, skeleton_of, with_springs
from _own_joints import (
    Axes,
    Bars,
    Cam,
    FourBarCoupler,
    OwnScrew,
    OwnUniversal,
    frames_of,
    own,
    with_own_joints,
)
from _random_trees import Array, Robot, assert_near, random_transform, rate

import kido
from kido import WORLD, Inertia
from kido.errors import SingularMassError

EXACT = 1e-11
SOLVED = 1e-9
DIFFERENCED = 1e-7

KINDS = (
    "universal",
    "free",
    "revolute",
    "weld",
    "screw",
    "ball",
    "universal",
    "prismatic",
    "revolute",
    "planar",
)

DEEP = 7
"""A body that four own joints move, of the skeleton of seed 2: revolute, universal twice, screw."""

every_seed = pytest.mark.parametrize("seed", range(3))


def pair(seed: int) -> tuple[kido.Skeleton, kido.Skeleton]:
    """A moving skeleton with springs, dampers and wrenches, and the same with joints written in Python."""
    built_in = with_springs(branched(seed, KINDS), seed)
    written = with_own_joints(built_in)
    for s in (built_in, written):
        add_wrenches(s, seed)
        s.commands = np.random.default_rng(seed).uniform(-3.0, 3.0, s.num_dofs)
    assert sum(isinstance(joint, kido.UserJoint) for joint in written.joints) == 5
    assert not any(isinstance(joint, kido.UserJoint) for joint in built_in.joints)
    assert type(written.tree) is type(built_in.tree) is kido.Tree
    return built_in, written


# ---- the state of a skeleton


@every_seed
def test_frames_move_as_with_built_in_joints(seed: int) -> None:
    built_in, written = pair(seed)
    for ours, theirs in zip(frames_of(written), frames_of(built_in), strict=True):
        assert_near(ours.transform(), theirs.transform(), EXACT)
        for name in (
            "spatial_velocity",
            "spatial_acceleration",
            "linear_acceleration",
            "angular_acceleration",
        ):
            assert_near(getattr(ours, name)(), getattr(theirs, name)(), EXACT)
        observers = (written.body("body4"), built_in.body("body4"))
        for name in ("linear_velocity", "spatial_acceleration"):
            got = getattr(ours, name)((0.1, 0.2, 0.3), relative_to=observers[0], in_coordinates_of=WORLD)
            expected = getattr(theirs, name)(
                (0.1, 0.2, 0.3), relative_to=observers[1], in_coordinates_of=WORLD
            )
            assert_near(got, expected, EXACT)


@every_seed
def test_jacobians_and_their_derivatives_are_those_of_built_in_joints(seed: int) -> None:
    built_in, written = pair(seed)
    offset = (0.3, -0.2, 0.1)
    for ours, theirs in zip(frames_of(written), frames_of(built_in), strict=True):
        for name in ("jacobian", "jacobian_spatial_derivative", "jacobian_classic_derivative"):
            assert_near(getattr(written, name)(ours, offset), getattr(built_in, name)(theirs, offset), EXACT)
            observers = (written.body("body3"), built_in.body("body3"))
            got = getattr(written, name)(ours, offset, relative_to=observers[0])
            assert_near(got, getattr(built_in, name)(theirs, offset, relative_to=observers[1]), EXACT)
    for ours, theirs in zip(written.bodies, built_in.bodies, strict=True):
        assert ours.dependent_dof_indices == theirs.dependent_dof_indices
        for name in ("jacobian", "jacobian_spatial_derivative", "jacobian_classic_derivative"):
            assert_near(getattr(ours, name)(offset), getattr(theirs, name)(offset), EXACT)
    for name in ("com_jacobian", "com_jacobian_spatial_derivative", "com_linear_jacobian_derivative"):
        assert_near(getattr(written, name)(), getattr(built_in, name)(), EXACT)


@every_seed
def test_joints_answer_as_built_in_ones(seed: int) -> None:
    built_in, written = pair(seed)
    for ours, theirs in zip(written.joints, built_in.joints, strict=True):
        assert ours.dof_names == theirs.dof_names
        assert ours.dof_indices == theirs.dof_indices
        others = theirs.positions + 0.2
        for name in ("relative_transform_at", "relative_jacobian_at"):
            assert_near(getattr(ours, name)(others), getattr(theirs, name)(others), EXACT)
        for name in (
            "relative_transform",
            "relative_jacobian",
            "relative_jacobian_time_derivative",
            "relative_spatial_velocity",
            "relative_spatial_acceleration",
        ):
            assert_near(getattr(ours, name), getattr(theirs, name), EXACT)


QUANTITIES = (
    "mass_matrix",
    "inverse_mass_matrix",
    "augmented_mass_matrix",
    "inverse_augmented_mass_matrix",
    "coriolis_and_gravity_forces",
    "coriolis_forces",
    "gravity_forces",
    "external_forces",
    "spring_forces",
    "damping_forces",
    "transmitted_wrenches",
    "kinetic_energy",
    "potential_energy",
    "lagrangian",
    "spring_displacements",
)
QUESTIONS = (
    "com",
    "com_linear_velocity",
    "com_linear_acceleration",
    "com_spatial_velocity",
    "com_spatial_acceleration",
    "linear_momentum",
    "angular_momentum",
)


@every_seed
def test_all_quantities_of_a_skeleton_are_those_with_built_in_joints(seed: int) -> None:
    built_in, written = pair(seed)
    for name in QUANTITIES:
        assert_near(getattr(written, name), getattr(built_in, name), SOLVED)
    for name in QUESTIONS:
        assert_near(getattr(written, name)(), getattr(built_in, name)(), EXACT)


@every_seed
def test_forward_inverse_and_impulse_dynamics_are_those_with_built_in_joints(seed: int) -> None:
    built_in, written = pair(seed)
    for s in (built_in, written):
        for joint, actuator in zip(
            s.joints, ("force", "velocity", "force", "locked", "acceleration"), strict=False
        ):
            joint.actuator = actuator
        s.compute_forward_dynamics()
    assert_near(written.accelerations, built_in.accelerations, SOLVED)
    assert_near(written.forces, built_in.forces, SOLVED)
    p = np.random.default_rng(seed).uniform(-1.0, 1.0, built_in.num_dofs)
    assert_near(written.velocity_changes(p), built_in.velocity_changes(p), SOLVED)
    for s in (built_in, written):
        s.accelerations = p
        s.compute_inverse_dynamics(
            with_external_forces=True, with_damping_forces=True, with_spring_forces=True
        )
    assert_near(written.forces, built_in.forces, SOLVED)


@every_seed
def test_simulations_go_the_same_way(seed: int) -> None:
    built_in, written = pair(seed)
    for _ in range(5):
        for s in (built_in, written):
            s.compute_forward_dynamics()
            s.integrate_velocities(0.01)
            s.integrate_positions(0.01)
    assert_near(written.positions, built_in.positions, SOLVED)
    assert_near(written.velocities, built_in.velocities, 1e-8)


# ---- the compiled tree


def extended(seed: int) -> tuple[Robot, kido.Tree]:
    built_in, written = pair(seed)
    return Robot(None, built_in.tree, np.random.default_rng(seed)), written.tree  # type: ignore[arg-type]


def arguments(method: Method, robot: Robot, leading: tuple[int, ...]) -> list[Array]:
    """Random arrays for the call; any position will do."""
    sizes = {"wrenches": (robot.tree.num_bodies, 6)}
    return [
        robot.rng.uniform(-1.0, 1.0, (*leading, *sizes.get(name, (robot.tree.num_dofs,))))
        for name in method.arrays
    ]


@pytest.mark.parametrize("leading", [(), (2, 1)])
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_every_method_of_the_tree_answers_as_with_built_in_joints(
    method: Method, leading: tuple[int, ...]
) -> None:
    robot, tree = extended(2)
    method = at_body(method, DEEP)
    arrays = arguments(method, robot, leading)
    expected = method.results(robot.tree, *arrays)
    got = method.results(tree, *arrays)
    tolerance = DIFFERENCED if "derivatives" in method.name else SOLVED
    for ours, theirs in zip(got, expected, strict=True):
        assert_near(ours, theirs, tolerance)
    buffers = [np.empty_like(array) for array in expected]
    method(tree, *arrays, out=buffers[0] if len(buffers) == 1 else tuple(buffers))
    for buffer, ours in zip(buffers, got, strict=True):
        assert_near(buffer, ours, 0.0)


@pytest.mark.parametrize("joint", range(10))
def test_joint_methods_of_the_tree_answer_for_every_joint_by_index_and_name(joint: int) -> None:
    robot, tree = extended(2)
    q, v = robot.rng.uniform(-1.0, 1.0, (2, 4, tree.num_dofs))
    for key in (joint, tree.joint_names[joint]):
        assert_near(tree.joint_transform(q, key), robot.tree.joint_transform(q, joint), EXACT)
        assert_near(tree.motion_subspace(q, key), robot.tree.motion_subspace(q, joint), EXACT)
        got = tree.motion_subspace_derivative(q, v, key)
        assert_near(got, robot.tree.motion_subspace_derivative(q, v, joint), EXACT)
    assert tree.joint_dofs(tree.joint_names[joint]) == robot.tree.joint_dofs(tree.joint_names[joint])


def test_leading_shapes_broadcast() -> None:
    robot, tree = extended(0)
    n = tree.num_dofs
    q, v, a = (robot.rng.uniform(-1.0, 1.0, shape) for shape in ((2, 1, n), (3, n), (n,)))
    for name in ("inverse_dynamics", "forward_dynamics"):
        got = getattr(tree, name)(q, v, a)
        assert got.shape == (2, 3, n)
        assert_near(got, getattr(robot.tree, name)(q, v, a), SOLVED)
    assert_near(tree.integrate(q, v, 0.1), robot.tree.integrate(q, v, 0.1), EXACT)
    assert_near(tree.integrate(q, v), robot.tree.integrate(q, v), EXACT)
    assert_near(tree.difference(q, v), robot.tree.difference(q, v), EXACT)


def test_hybrid_dynamics_of_batches_takes_prescribed_dofs_added_inertia_and_no_gravity() -> None:
    robot, tree = extended(1)
    n = tree.num_dofs
    q, v, tau, a = robot.rng.uniform(-1.0, 1.0, (4, 3, n))
    wrenches = robot.rng.uniform(-1.0, 1.0, (3, tree.num_bodies, 6))
    prescribed = robot.rng.uniform(size=n) < 0.4
    inertia = robot.rng.uniform(0.0, 1.0, n)
    for gravity in (True, False):
        options = {"added_inertia": inertia, "gravity": gravity}
        got = tree.hybrid_dynamics(q, v, tau, a, wrenches, prescribed=prescribed, **options)
        expected = robot.tree.hybrid_dynamics(q, v, tau, a, wrenches, prescribed=prescribed, **options)
        for ours, theirs in zip(got, expected, strict=True):
            assert_near(ours, theirs, SOLVED)
        buffers = np.empty((3, n)), np.empty((3, n))
        tree.hybrid_dynamics(q, v, tau, a, wrenches, prescribed=prescribed, **options, out=buffers)
        for buffer, ours in zip(buffers, got, strict=True):
            assert_near(buffer, ours, 0.0)


def test_a_tree_with_own_joints_knows_its_sizes_and_names() -> None:
    robot, tree = extended(1)
    for name in ("num_dofs", "num_bodies", "total_mass", "dof_names", "body_names", "joint_names"):
        assert getattr(tree, name) == getattr(robot.tree, name)
    assert [tree.dof_index(name) for name in tree.dof_names] == list(range(tree.num_dofs))
    q = tree.positions({tree.dof_names[-1]: 0.5})
    assert q.shape == (tree.num_dofs,)
    assert q[-1] == 0.5


def test_random_positions_keep_the_limits_of_own_and_built_in_joints() -> None:
    s = with_own_joints(
        skeleton_of(["revolute", "prismatic", "free", "universal", "screw"], [-1, 0, 1, 2, 3], 0)
    )
    s.joint(0).set_position_limits(0.2, 0.3)
    s.joint(1).set_position_limits(-0.2, 0.1)
    s.joint(3).set_position_limits([0.5, -np.inf], [np.inf, -4.0])
    q = s.tree.random_positions(np.random.default_rng(0), (2000,))
    assert q.shape == (2000, 11)
    lower, upper = s.position_lower_limits, s.position_upper_limits
    assert (q >= lower).all() and (q <= upper).all()
    assert (np.ptp(q, axis=0) > 0.09).all()
    assert_near(np.ptp(q[:, [8, 9, 10]], axis=0), [np.pi, np.pi, 2 * np.pi], 0.02)
    one = s.tree.random_positions(np.random.default_rng(0))
    assert one.shape == (11,)


def test_trees_of_different_own_joints_are_different_and_of_the_same_ones_equal() -> None:
    def tree(joint: kido.UserJoint) -> kido.Tree:
        s = kido.Skeleton("s")
        s.add_body("body", joint=joint)
        return s.tree

    same = tree(OwnScrew("joint", Axes(lead=0.1)))
    assert same == tree(OwnScrew("joint", Axes(lead=0.1)))
    assert hash(same) == hash(tree(OwnScrew("joint", Axes(lead=0.1))))
    assert same != tree(OwnScrew("joint", Axes(lead=0.2)))
    assert same != tree(Cam("joint"))


def test_a_tree_with_own_joints_survives_pickling() -> None:
    robot, tree = extended(1)
    back = pickle.loads(pickle.dumps(tree))
    q, v = robot.rng.uniform(-1.0, 1.0, (2, tree.num_dofs))
    assert back == tree
    assert_near(back.bias_forces(q, v), tree.bias_forces(q, v), 0.0)


def test_a_tree_keeps_the_joint_that_it_was_compiled_with() -> None:
    s = kido.Skeleton("s")
    joint = OwnScrew("joint", Axes(lead=0.1))
    body = s.add_body("body", joint=joint)
    tree = s.tree
    s.positions = [1.0]
    joint.properties = Axes(lead=0.4)
    assert_near(body.transform()[2, 3], 0.4, EXACT)
    assert_near(tree.transform([1.0], 0)[2, 3], 0.1, EXACT)


# ---- a cam


def cam(mass: float = 2.0) -> kido.Skeleton:
    s = kido.Skeleton("cam")
    s.add_body("follower", joint=Cam("cam"), inertia=Inertia(mass, (0.1, 0.0, 0.2), 0.1 * np.eye(3)))
    return s


@pytest.mark.parametrize("angle", [-2.0, 0.3, 1.0, 4.0])
def test_a_cams_follower_moves_and_weighs_as_its_lift_says(angle: float) -> None:
    s, m, g = cam(), 2.0, 9.81
    v, a, tau = 1.7, -0.4, 3.0
    s.positions, s.velocities, s.accelerations = [angle], [v], [a]
    lift, slope, curve = (Cam.lift(angle, order) for order in range(3))
    body = s.body("follower")
    assert_near(body.transform()[:3, 3], [0.0, 0.0, lift], EXACT)
    assert_near(body.linear_velocity(), [0.0, 0.0, slope * v], EXACT)
    assert_near(body.linear_acceleration(), [0.0, 0.0, slope * a + curve * v * v], EXACT)
    assert_near(body.jacobian(), [[0.0]] * 5 + [[slope]], EXACT)
    assert_near(body.jacobian_classic_derivative(), [[0.0]] * 5 + [[curve * v]], EXACT)
    assert_near(s.mass_matrix, [[m * slope**2]], EXACT)
    assert_near(s.coriolis_forces, [m * slope * curve * v * v], EXACT)
    assert_near(s.gravity_forces, [m * g * slope], EXACT)
    assert_near(s.kinetic_energy, 0.5 * m * (slope * v) ** 2, EXACT)
    assert_near(s.potential_energy, m * g * (lift + 0.2), EXACT)
    s.commands = [tau]
    s.compute_forward_dynamics()
    expected = (tau - m * slope * curve * v * v - m * g * slope) / (m * slope**2)
    assert_near(s.accelerations, [expected], SOLVED)
    carried = m * (slope * expected + curve * v * v + g)
    assert_near(s.transmitted_wrench(body), [0.0, -0.1 * carried, 0.0, 0.0, 0.0, carried], SOLVED)


def test_a_freely_turning_cam_keeps_its_energy() -> None:
    s = cam()
    s.add_body("wheel", s.body("follower"), kido.RevoluteJoint("wheel"))
    s.positions, s.velocities = [0.4, 0.0], [1.0, 2.0]
    s.compute_forward_dynamics()
    q, v, a = s.positions, s.velocities, s.accelerations

    def energy(t: float) -> float:
        s.positions, s.velocities = q + v * t + 0.5 * a * t * t, v + a * t
        return s.kinetic_energy + s.potential_energy

    assert_near(rate(energy, 1e-4), 0.0, DIFFERENCED)


def test_where_its_lift_is_flat_a_cam_alone_cannot_be_accelerated() -> None:
    s = kido.Skeleton("flat")
    s.add_body("body", joint=OwnFlat("flat"))
    with pytest.raises(SingularMassError):
        s.compute_forward_dynamics()
    with pytest.raises(SingularMassError):
        _ = s.inverse_mass_matrix


class OwnFlat(Cam):
    """A cam that lifts nothing."""

    @staticmethod
    def lift(angle: float, order: int = 0) -> float:
        """Zero."""
        return 0.0


# ---- a four-bar coupler


def coupler_pose(bars: Bars, crank: float) -> tuple[complex, float]:
    """The crank's end and the coupler's angle, from the meeting points of two circles."""
    end = bars.crank * np.exp(1j * crank)
    span = bars.ground - end
    d = abs(span)
    along = (bars.coupler**2 - bars.rocker**2 + d * d) / (2.0 * d)
    height = np.sqrt(bars.coupler**2 - along**2)
    return end, float(np.angle(span / d * complex(along, height)))


def four_bar() -> kido.Skeleton:
    s = kido.Skeleton("four-bar", gravity=(0.0, -9.81, 0.0))
    inertia = Inertia(1.5, (0.45, 0.1, 0.0), np.diag([0.1, 0.2, 0.25]))
    s.add_body("coupler", joint=FourBarCoupler("linkage"), inertia=inertia)
    return s


@pytest.mark.parametrize("crank", [-2.5, -0.7, 0.4, 1.5, 3.0])
def test_a_four_bar_coupler_moves_and_weighs_as_its_geometry_says(crank: float) -> None:
    """Lagrange's equation of one coordinate: M a + M' v^2 / 2 + V' = tau, by differences of the geometry."""
    s, bars = four_bar(), Bars()
    v, a = 1.3, 0.6
    s.positions, s.velocities, s.accelerations = [crank], [v], [a]

    def center(q: float) -> Array:
        end, angle = coupler_pose(bars, q)
        p = end + np.exp(1j * angle) * complex(0.45, 0.1)
        return np.array([p.real, p.imag, angle])

    def inertia(q: float) -> float:
        slope = rate(lambda s: center(q + s))
        return float(1.5 * slope[:2] @ slope[:2] + 0.25 * slope[2] ** 2)

    end, angle = coupler_pose(bars, crank)
    T = s.body("coupler").transform()
    assert_near(T[:2, 3], [end.real, end.imag], EXACT)
    assert_near(T[:2, 0], [np.cos(angle), np.sin(angle)], EXACT)
    slope = rate(lambda s: center(crank + s))
    body = s.body("coupler")
    assert_near(body.com_linear_velocity(), [*slope[:2] * v, 0.0], DIFFERENCED)
    assert_near(body.angular_velocity(), [0.0, 0.0, slope[2] * v], DIFFERENCED)
    curve = rate(lambda t: rate(lambda s: center(crank + t + s)))
    second = slope * a + curve * v * v
    assert_near(body.com_linear_acceleration(), [*second[:2], 0.0], DIFFERENCED)
    assert_near(body.angular_acceleration(), [0.0, 0.0, second[2]], DIFFERENCED)
    assert_near(s.mass_matrix, [[inertia(crank)]], DIFFERENCED)
    assert_near(s.coriolis_forces, [0.5 * rate(lambda s: inertia(crank + s)) * v * v], DIFFERENCED)
    assert_near(s.gravity_forces, [1.5 * 9.81 * slope[1]], DIFFERENCED)


def test_a_four_bar_linkage_carries_other_bodies_and_can_be_a_branch() -> None:
    s = four_bar()
    tip = s.add_body("tip", s.body("coupler"), kido.BallJoint("wrist", T_parent_joint=(0.9, 0.0, 0.0)))
    s.positions, s.velocities = [0.8, 0.1, 0.2, 0.3], [1.0, 0.2, 0.3, 0.4]
    q, v = s.positions, s.velocities

    def position(t: float) -> Array:
        s.positions = s.tree.integrate(q, v, t)
        return tip.transform()[:3, 3]

    expected = rate(position)
    s.positions = q
    assert_near(tip.linear_velocity(), expected, DIFFERENCED)
    assert tip.dependent_dof_indices == [0, 1, 2, 3]


# ---- making and checking


@pytest.mark.parametrize("joint", [OwnScrew(None, Axes(lead=0.3)), OwnUniversal(), Cam(), FourBarCoupler()])
def test_functions_that_belong_together_pass_the_check(joint: kido.UserJoint) -> None:
    rng = np.random.default_rng(0)
    joint.check(rng.uniform(-1.0, 1.0, joint.num_dofs), rng.uniform(-1.0, 1.0, joint.num_dofs))


class WrongJacobian(Cam):
    """Its Jacobian has the wrong sign."""

    def jacobian_of(self, q: Array) -> Array:
        return -super().jacobian_of(q)


class WrongDerivative(OwnUniversal):
    """The derivative of its Jacobian has the wrong sign."""

    def jacobian_derivative_of(self, q: Array, v: Array) -> Array:
        return -super().jacobian_derivative_of(q, v)


class WrongShape(Cam):
    """Its Jacobian lacks a row."""

    def jacobian_of(self, q: Array) -> Array:
        return super().jacobian_of(q)[:5]


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        (WrongJacobian(), "^jacobian_of: expected what finite differences give within 1e-05, got .* off"),
        (WrongDerivative(None, Axes((1.0, 0.0, 0.0))), "^jacobian_derivative_of: expected what finite"),
        (WrongShape("cam"), r"^'cam': jacobian_of: expected shape \(6, 1\), got \(5, 1\)"),
    ],
)
def test_functions_that_do_not_belong_together_are_named_by_the_check(
    joint: kido.UserJoint, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        joint.check(np.full(joint.num_dofs, 0.5), np.full(joint.num_dofs, 0.7))


def test_what_a_function_gives_in_another_shape_is_named_where_it_is_asked() -> None:
    s = kido.Skeleton("s")
    s.add_body("body", joint=WrongShape("cam"))
    for ask in (
        lambda: s.body("body").transform(),
        lambda: s.mass_matrix,
        lambda: s.tree.jacobian([0.1], 0),
        lambda: s.tree.body_velocities([[0.1]], [[0.2]]),
    ):
        with pytest.raises(ValueError, match=r"^'cam': jacobian_of: expected shape \(6, 1\), got \(5, 1\)"):
            ask()


class NotFinite(Cam):
    """Its pose is not finite."""

    @staticmethod
    def lift(angle: float, order: int = 0) -> float:
        """Not a number."""
        return float("nan")


class Crooked(Cam):
    """Its pose is not one of a rigid body."""

    def transform_of(self, q: Array) -> Array:
        return 2.0 * super().transform_of(q)


@pytest.mark.parametrize("kind", [NotFinite, Crooked])
def test_a_pose_that_no_body_can_have_is_named_where_it_is_asked(kind: type[kido.UserJoint]) -> None:
    s = kido.Skeleton("s")
    s.add_body("body", joint=kind("cam"))
    for ask in (lambda: s.body("body").transform(), lambda: s.tree.forward_kinematics([0.1])):
        with pytest.raises(ValueError, match=r"^'cam': transform_of: expected"):
            ask()


def test_a_class_that_lacks_a_function_or_dofs_is_refused() -> None:
    class NoDofs(Cam):
        num_dofs = 0

    class NoTransform(kido.UserJoint):
        num_dofs = 1

    with pytest.raises(TypeError, match=r"^NoDofs: num_dofs: expected 1 to 6, got 0"):
        NoDofs()
    with pytest.raises(TypeError, match=r"^NoTransform: a joint of your own defines transform_of"):
        NoTransform()
    with pytest.raises(TypeError, match=r"^properties of a OwnScrew: expected a Axes"):
        OwnScrew("joint", 3)


def test_own_joints_are_copied_with_their_properties() -> None:
    s = with_own_joints(skeleton_of(["screw", "universal"], [-1, 0], 3))
    s.positions = [0.5, -0.2, 0.7]
    copy = s.clone("copy")
    assert [type(joint) for joint in copy.joints] == [OwnScrew, OwnUniversal]
    assert copy.joint(0).properties == s.joint(0).properties
    assert_near(copy.body(1).transform(), s.body(1).transform(), 0.0)
    copy.positions = [0.1, 0.2, 0.3]
    assert_near(s.positions, [0.5, -0.2, 0.7], 0.0)
    moved = s.body(1).copy_to(s.body(0))
    assert_near(moved.transform(), s.body(1).transform(), 0.0)


def test_own_joints_have_springs_limits_and_offsets_as_any() -> None:
    T = random_transform(np.random.default_rng(0))
    joint = Cam(
        "cam", spring_stiffness=20.0, rest_positions=0.1, damping=2.0, T_parent_joint=T, T_child_joint=T
    )
    s = kido.Skeleton("s", gravity=(0.0, 0.0, 0.0))
    body = s.add_body("body", joint=joint)
    s.positions, s.velocities = [0.6], [0.5]
    lift = np.eye(4)
    lift[2, 3] = Cam.lift(0.6)
    assert_near(body.transform(), T @ lift @ np.linalg.inv(T), EXACT)
    assert_near(s.spring_forces, [-10.0], EXACT)
    h, slope, curve = s.time_step, Cam.lift(0.6, 1), Cam.lift(0.6, 2)
    s.compute_forward_dynamics()
    force = -2.0 * 0.5 - 20.0 * (0.5 + h * 0.5) - slope * curve * 0.25
    assert_near(s.accelerations, [force / (slope**2 + h * 2.0 + h * h * 20.0)], SOLVED)


def test_the_functions_are_asked_once_for_each_change() -> None:
    asked: list[float] = []

    class Counted(Cam):
        def transform_of(self, q: Array) -> Array:
            asked.append(float(q[0]))
            return super().transform_of(q)

    s = kido.Skeleton("s")
    body = s.add_body("body", joint=Counted("cam"))
    ask: Callable[[], object] = body.transform
    for _ in range(3):
        ask()
        body.jacobian()
    s.positions = [0.4]
    ask()
    ask()
    assert asked == [0.0, 0.4]


def test_every_kind_that_has_a_twin_is_replaced_by_it() -> None:
    s = skeleton_of(["revolute", "screw", "universal", "ball"], [-1, 0, 1, 2], 0)
    assert [type(own(joint)).__name__ for joint in s.joints] == [
        "OwnScrew",
        "OwnScrew",
        "OwnUniversal",
        "NoneType",
    ]


@pytest.mark.parametrize("count", [None, 5])
def test_forward_dynamics_of_a_linkage_undo_its_inverse_dynamics(count: int | None) -> None:
    """Screws that turn and change in their link, with a branch behind them."""
    s = four_bar()
    s.add_body("tip", s.body("coupler"), kido.BallJoint("wrist", T_parent_joint=(0.9, 0.0, 0.0)))
    shape = (4,) if count is None else (count, 4)
    q, v, a = np.random.default_rng(0).uniform(-0.9, 0.9, (3, *shape))
    assert_near(s.tree.forward_dynamics(q, v, s.tree.inverse_dynamics(q, v, a)), a, SOLVED)
