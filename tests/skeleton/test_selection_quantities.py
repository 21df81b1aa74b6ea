"""Motion, mass and forces of selections, against frames, finite differences and identities."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from _moving_skeletons import add_wrenches, branched, set_moving, skeleton_of, with_springs
from _random_trees import Array, along, assert_near, moving, random_transform, rate

import kido
from kido.errors import SingularMassError

EXACT = 1e-12
DIFFERENCED = 1e-8
OFFSET = (0.3, -0.2, 0.5)


@pytest.fixture(scope="module")
def pair() -> tuple[kido.Skeleton, kido.Skeleton]:
    """Two moving skeletons with joints of every type, springs, dampers and wrenches."""
    one, two = branched(7), branched(8)
    return add_wrenches(with_springs(one)), add_wrenches(with_springs(two, 1), 1)


@pytest.fixture(scope="module")
def whole(pair: tuple[kido.Skeleton, kido.Skeleton]) -> kido.Group:
    """All bodies of both skeletons, mixed."""
    bodies = [body for both in zip(pair[0].bodies, pair[1].bodies, strict=True) for body in both]
    return kido.Group("whole", [bodies[i] for i in np.random.default_rng(0).permutation(len(bodies))])


@pytest.fixture(scope="module")
def some(pair: tuple[kido.Skeleton, kido.Skeleton]) -> kido.Group:
    """Every third dof, from the last to the first, of two skeletons."""
    dofs = [*pair[0].dofs[::3], *pair[1].dofs[::3]]
    return kido.Group("some", dofs=dofs[::-1])


def picked(group: kido.Group, quantity: Callable[[kido.Skeleton], Array]) -> Array:
    return np.array([quantity(dof.skeleton)[dof.index] for dof in group.dofs])


# ---- Jacobians


def test_jacobians_of_all_dofs_give_the_motion_between_frames_of_two_skeletons(
    pair: tuple[kido.Skeleton, kido.Skeleton], whole: kido.Group
) -> None:
    hand, other = pair[0].body(8), pair[1].body(6)
    node = hand.add_end_effector("tool", random_transform(np.random.default_rng(2)))
    asked = {"relative_to": other, "in_coordinates_of": pair[1].body(9)}
    v, a = whole.velocities, whole.accelerations
    J = whole.jacobian(node, OFFSET, **asked)
    assert_near(J @ v, node.spatial_velocity(OFFSET, **asked), EXACT)
    assert_near(
        whole.linear_jacobian(node, OFFSET, **asked) @ v, node.linear_velocity(OFFSET, **asked), EXACT
    )
    assert_near(whole.angular_jacobian(node, **asked) @ v, node.angular_velocity(**asked), EXACT)
    dJ = whole.jacobian_spatial_derivative(node, OFFSET, **asked)
    assert_near(J @ a + dJ @ v, node.spatial_acceleration(OFFSET, **asked), EXACT)
    linear = J[3:] @ a + whole.linear_jacobian_derivative(node, OFFSET, **asked) @ v
    assert_near(linear, node.linear_acceleration(OFFSET, **asked), EXACT)
    angular = J[:3] @ a + whole.angular_jacobian_derivative(node, **asked) @ v
    assert_near(angular, node.angular_acceleration(**asked), EXACT)
    both = J @ a + whole.jacobian_classic_derivative(node, OFFSET, **asked) @ v
    assert_near(both, np.concatenate([angular, linear]), EXACT)


def test_columns_stand_in_the_order_of_the_dofs(some: kido.Group) -> None:
    body = some.dofs[-1].skeleton.bodies[-1]
    J = some.jacobian(body)
    for column, dof in enumerate(some.dofs):
        expected = np.zeros(6)
        if dof.skeleton is body.skeleton and body.depends_on(dof):
            expected = body.jacobian()[:, body.dependent_dof_indices.index(dof.index)]
        assert np.array_equal(J[:, column], expected)
    assert J.any() and not J.any(axis=0).all()


# ---- matrices and forces


def test_matrices_are_rows_and_columns_with_zeros_between_skeletons(some: kido.Group) -> None:
    for name in ("mass_matrix", "augmented_mass_matrix"):
        matrix = getattr(some, name)
        for i, row in enumerate(some.dofs):
            for j, column in enumerate(some.dofs):
                same = row.skeleton is column.skeleton
                expected = getattr(row.skeleton, name)[row.index, column.index] if same else 0.0
                assert matrix[i, j] == expected


def test_inverse_mass_matrix_is_how_dofs_yield_while_others_are_locked() -> None:
    skeleton = branched(11)
    group = kido.Group("some", joints=skeleton.joints[1::2])
    for joint in skeleton.joints:
        if not group.has_joint(joint):
            joint.actuator = "locked"
    indices = [dof.index for dof in group.dofs]
    for column, index in enumerate(indices):
        change = skeleton.velocity_changes(np.eye(skeleton.num_dofs)[index])
        assert_near(group.inverse_mass_matrix[:, column], change[indices], 1e-10)


def test_inverses_undo_their_matrices(some: kido.Group) -> None:
    identity = np.eye(some.num_dofs)
    assert_near(some.inverse_mass_matrix @ some.mass_matrix, identity, 1e-10)
    assert_near(some.inverse_augmented_mass_matrix @ some.augmented_mass_matrix, identity, 1e-10)


def test_singular_mass_matrix_names_the_joints_without_inertia() -> None:
    skeleton = skeleton_of(("revolute", "revolute"), (-1, 0), seed=3)
    skeleton.body(1).inertia = None
    group = kido.Group("arm", skeleton.bodies)
    with pytest.raises(
        SingularMassError, match="'arm' is singular: no inertia moves with joint 'body1_joint'"
    ):
        group.inverse_mass_matrix  # noqa: B018 - asked for its error


@pytest.mark.parametrize(
    "name",
    [
        "coriolis_and_gravity_forces",
        "coriolis_forces",
        "gravity_forces",
        "external_forces",
        "constraint_forces",
        "spring_forces",
        "damping_forces",
    ],
)
def test_forces_are_those_of_the_selected_dofs(
    pair: tuple[kido.Skeleton, kido.Skeleton], some: kido.Group, name: str
) -> None:
    for skeleton in pair:
        skeleton.constraint_impulses = np.arange(1.0, skeleton.num_dofs + 1.0)
    forces = getattr(some, name)
    assert np.array_equal(forces, picked(some, lambda skeleton: getattr(skeleton, name)))
    assert forces.all() or name in ("external_forces", "gravity_forces", "coriolis_forces")
    assert forces.any()


# ---- mass and energy


def test_mass_questions_about_all_bodies_are_those_of_the_skeleton() -> None:
    skeleton = with_springs(branched(9))
    group, frame = kido.Group.of(skeleton), skeleton.body(5)
    assert group.mass == pytest.approx(skeleton.mass, rel=EXACT)
    assert_near(group.com(relative_to=frame), skeleton.com(relative_to=frame), EXACT)
    asked = {"relative_to": frame, "in_coordinates_of": skeleton.body(3)}
    for name in (
        "com_linear_velocity",
        "com_linear_acceleration",
        "com_spatial_velocity",
        "com_spatial_acceleration",
    ):
        assert_near(getattr(group, name)(**asked), getattr(skeleton, name)(**asked), 1e-11)
    assert group.kinetic_energy == pytest.approx(skeleton.kinetic_energy, rel=EXACT)
    assert group.potential_energy == pytest.approx(skeleton.potential_energy, rel=1e-11)
    assert group.lagrangian == pytest.approx(group.kinetic_energy - group.potential_energy, rel=EXACT)


def part_of_tree() -> tuple[kido.Skeleton, kido.Group]:
    """A skeleton, and a group of some of its bodies with all of its dofs."""
    skeleton = with_springs(branched(10))
    return skeleton, kido.Group("part", skeleton.bodies[2::3], dofs=skeleton.dofs)


def test_com_of_some_bodies_moves_as_finite_differences_say() -> None:
    skeleton, group = part_of_tree()
    q, v, a = skeleton.positions, skeleton.velocities, skeleton.accelerations
    masses = [body.mass for body in group.bodies]

    def com(positions: Array) -> Array:
        points = [
            skeleton.tree.transform(positions, body.index) @ [*body.local_com, 1.0] for body in group.bodies
        ]
        return np.average(points, axis=0, weights=masses)[:3]

    def many(positions: Array) -> Array:
        return np.stack([com(sample) for sample in positions])

    assert_near(group.com(), com(q), EXACT)
    J = along(skeleton.tree, q, many)
    order = [dof.index for dof in group.dofs]
    assert_near(group.com_linear_jacobian(), J[:, order], DIFFERENCED)
    motion = moving(skeleton.tree, q, v, a)
    assert_near(group.com_linear_velocity(), rate(lambda t: com(motion(t)[0])), DIFFERENCED)

    def velocity(t: float) -> Array:
        positions, velocities = motion(t)
        return along(skeleton.tree, positions, many) @ velocities

    assert_near(group.com_linear_acceleration(), rate(velocity), 1e-6)


def test_com_jacobians_and_derivatives_give_velocity_and_acceleration() -> None:
    skeleton, group = part_of_tree()
    axes = skeleton.body(4)
    v, a = group.velocities, group.accelerations
    asked = {"in_coordinates_of": axes}
    J, linear = group.com_jacobian(**asked), group.com_linear_jacobian(**asked)
    assert_near(J @ v, group.com_spatial_velocity(**asked), EXACT)
    assert_near(linear @ v, group.com_linear_velocity(**asked), EXACT)
    spatial = group.com_jacobian_spatial_derivative(**asked)
    assert_near(J @ a + spatial @ v, group.com_spatial_acceleration(**asked), EXACT)
    classic = group.com_linear_jacobian_derivative(**asked)
    assert_near(linear @ a + classic @ v, group.com_linear_acceleration(**asked), EXACT)


def test_energies_count_the_selected_bodies_and_the_springs_of_the_selected_dofs() -> None:
    skeleton = skeleton_of(("revolute", "prismatic", "revolute"), (-1, 0, 1), seed=4)
    set_moving(skeleton, 5)
    skeleton.spring_stiffness = [10.0, 20.0, 30.0]
    skeleton.rest_positions = [0.1, 0.2, 0.3]
    group = kido.Group("part", dofs=[skeleton.dof(2), skeleton.dof(0)])
    stretch = skeleton.positions - [0.1, 0.2, 0.3]
    assert group.kinetic_energy == 0.0
    springs = 5.0 * stretch[0] ** 2 + 15.0 * stretch[2] ** 2
    assert group.potential_energy == pytest.approx(springs, rel=EXACT)
    body = skeleton.body(1)
    group.add_body(body, with_dofs=False)
    height = -body.mass * float(skeleton.gravity @ body.com())
    assert group.potential_energy == pytest.approx(springs + height, rel=EXACT)
    assert group.kinetic_energy == pytest.approx(body.kinetic_energy, rel=EXACT)


def test_external_forces_are_cleared_on_the_selected_bodies_alone() -> None:
    skeleton = skeleton_of(("revolute", "revolute"), (-1, 0), seed=6)
    for body in skeleton.bodies:
        body.external_wrench = np.ones(6)
    kido.Group("one", [skeleton.body(1)]).clear_external_forces()
    assert skeleton.body(0).external_wrench.tolist() == [1.0] * 6
    assert not skeleton.body(1).external_wrench.any()
