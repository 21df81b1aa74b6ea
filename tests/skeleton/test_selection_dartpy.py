"""Chains and linkages of random trees: the bodies that DART chooses, and what it says of them."""

from __future__ import annotations

import dartpy as dart
import numpy as np
import pytest
from _moving_skeletons import set_moving, skeleton_of
from _random_trees import assert_near
from hypothesis import given
from hypothesis import strategies as st

import kido
from kido import ExpansionPolicy, LinkageCriteria, LinkageTarget, LinkageTerminal
from kido.math import motion_cross

DartCriteria = dart.dynamics.LinkageCriteria

TOLERANCE = 1e-11
KINDS = ("weld", "revolute", "prismatic", "universal", "ball", "translational")
"""Joints whose velocities mean the same in both."""


def isometry(T: np.ndarray) -> dart.math.Isometry3:
    pose = dart.math.Isometry3()
    pose.set_rotation(T[:3, :3])
    pose.set_translation(T[:3, 3])
    return pose


def in_dart(skeleton: kido.Skeleton) -> dart.dynamics.Skeleton:
    """The same bodies on the same joints, in the same state."""
    twin = dart.dynamics.Skeleton(skeleton.name)
    twin.setGravity(skeleton.gravity)
    twin.setTimeStep(skeleton.time_step)
    for body in skeleton.bodies:
        joint = body.parent_joint
        create = getattr(twin, f"create{type(joint).__name__}AndBodyNodePair")
        parent = body.parent_body
        made, other = create() if parent is None else create(twin.getBodyNode(parent.name))
        other.setName(body.name)
        made.setName(joint.name)
        made.setTransformFromParentBodyNode(isometry(joint.T_parent_joint))
        made.setTransformFromChildBodyNode(isometry(joint.T_child_joint))
        other.setInertia(dart.dynamics.Inertia(body.mass, body.local_com, body.moment_of_inertia))
        if isinstance(joint, kido.RevoluteJoint | kido.PrismaticJoint):
            made.setAxis(joint.axis)
        if isinstance(joint, kido.UniversalJoint):
            made.setAxis1(joint.axis1)
            made.setAxis2(joint.axis2)
        for i in range(joint.num_dofs):
            made.setSpringStiffness(i, joint.spring_stiffness[i])
            made.setRestPosition(i, joint.rest_positions[i])
            made.setDampingCoefficient(i, joint.damping[i])
    twin.setPositions(skeleton.positions)
    twin.setVelocities(skeleton.velocities)
    twin.setAccelerations(skeleton.accelerations)
    return twin


@st.composite
def structures(draw: st.DrawFn) -> tuple[kido.Skeleton, dart.dynamics.Skeleton]:
    """One tree of up to nine bodies, some on free joints."""
    parents = [-1]
    for i in range(1, draw(st.integers(2, 9))):
        parents.append(draw(st.integers(max(0, i - 3), i - 1)))
    kinds = [draw(st.sampled_from(("revolute", "revolute", "revolute", "free"))) for _ in parents]
    skeleton = skeleton_of(kinds, parents, seed=0)
    return skeleton, in_dart(skeleton)


def names(bodies: object) -> list[str]:
    return [body.getName() for body in bodies]  # type: ignore[attr-defined]


@given(structures(), st.booleans())
def test_chains_between_all_pairs_are_those_of_dart(
    trees: tuple[kido.Skeleton, dart.dynamics.Skeleton], include: bool
) -> None:
    skeleton, twin = trees
    for start in skeleton.bodies:
        for target in skeleton.bodies:
            chain = kido.Chain(start, target, include_upstream_parent_joint=include)
            first, last = twin.getBodyNode(start.name), twin.getBodyNode(target.name)
            expected = dart.dynamics.ChainCriteria(first, last, include).satisfy()
            assert [body.name for body in chain.bodies] == names(expected)
            assert chain.is_still_chain


def drawn_target(
    data: st.DataObject, skeleton: kido.Skeleton, twin: dart.dynamics.Skeleton, chain: bool
) -> tuple[LinkageTarget, object]:
    name = data.draw(st.sampled_from([body.name for body in skeleton.bodies]))
    policy = data.draw(st.sampled_from(list(ExpansionPolicy)))
    theirs = DartCriteria.Target(twin.getBodyNode(name), getattr(DartCriteria, policy.name), chain)
    return LinkageTarget(skeleton.body(name), policy, chain), theirs


@given(structures(), st.data())
def test_linkages_are_those_of_dart(
    trees: tuple[kido.Skeleton, dart.dynamics.Skeleton], data: st.DataObject
) -> None:
    skeleton, twin = trees
    chain = data.draw(st.booleans())
    start = drawn_target(data, skeleton, twin, chain)
    targets = [drawn_target(data, skeleton, twin, chain) for _ in range(data.draw(st.integers(0, 2)))]
    ends = (
        [] if chain else data.draw(st.lists(st.sampled_from([b.name for b in skeleton.bodies]), max_size=2))
    )
    terminals = {name: data.draw(st.booleans()) for name in ends}
    criteria = dart.dynamics.ChainCriteria(twin.getBodyNode(0), twin.getBodyNode(0)).convert()
    criteria.mStart = start[1]
    criteria.mTargets = [theirs for _, theirs in targets]
    criteria.mTerminals = [DartCriteria.Terminal(twin.getBodyNode(n), i) for n, i in terminals.items()]
    ours = LinkageCriteria(
        start[0],
        [mine for mine, _ in targets],
        [LinkageTerminal(skeleton.body(name), inclusive) for name, inclusive in terminals.items()],
    )
    assert [body.name for body in ours.bodies()] == names(criteria.satisfy())


def moving_pair(seed: int) -> tuple[kido.Skeleton, dart.dynamics.Skeleton]:
    rng = np.random.default_rng(seed)
    parents = [-1, 0, 1, 2, 3, 2, 5, 6, 1]
    skeleton = skeleton_of([KINDS[i] for i in rng.integers(len(KINDS), size=9)], parents, seed)
    skeleton.spring_stiffness = rng.uniform(10.0, 20.0, skeleton.num_dofs)
    skeleton.damping = rng.uniform(1.0, 2.0, skeleton.num_dofs)
    set_moving(skeleton, seed)
    return skeleton, in_dart(skeleton)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("start", "target"), [(0, 4), (4, 0), (7, 2), (2, 7)])
def test_chains_say_what_those_of_dart_say(seed: int, start: int, target: int) -> None:
    """DART's spatial derivative of a Jacobian is that of an observer at rest, in the axes of the body."""
    skeleton, twin = moving_pair(seed)
    ours = kido.Chain(skeleton.body(start), skeleton.body(target), include_upstream_parent_joint=True)
    theirs = dart.dynamics.Chain(
        twin.getBodyNode(skeleton.body(start).name), twin.getBodyNode(skeleton.body(target).name), True
    )
    assert [body.name for body in ours.bodies] == names(theirs.getBodyNodes())
    assert [dof.name for dof in ours.dofs] == [dof.getName() for dof in theirs.getDofs()]
    assert_near(ours.positions, theirs.getPositions(), 0.0)
    assert_near(ours.velocities, theirs.getVelocities(), 0.0)
    assert_near(ours.mass_matrix, theirs.getMassMatrix(), TOLERANCE)
    assert_near(ours.augmented_mass_matrix, theirs.getAugMassMatrix(), TOLERANCE)
    assert_near(ours.coriolis_forces, theirs.getCoriolisForces(), TOLERANCE)
    assert_near(ours.gravity_forces, theirs.getGravityForces(), TOLERANCE)
    assert_near(ours.coriolis_and_gravity_forces, theirs.getCoriolisAndGravityForces(), TOLERANCE)
    hand = skeleton.body(8 if seed % 2 else target)
    other = twin.getBodyNode(hand.name)
    offset = np.array([0.1, -0.2, 0.3])
    assert_near(ours.jacobian(hand, offset), theirs.getJacobian(other, offset), TOLERANCE)
    assert_near(ours.linear_jacobian(hand, offset), theirs.getLinearJacobian(other, offset), TOLERANCE)
    J, V = theirs.getJacobian(other, offset), other.getSpatialVelocity(offset)
    elementwise = theirs.getJacobianSpatialDeriv(other, offset) - motion_cross(V, J.T).T
    assert_near(ours.jacobian_spatial_derivative(hand, offset), elementwise, TOLERANCE)
    classic = theirs.getLinearJacobianDeriv(other, offset)
    assert_near(ours.linear_jacobian_derivative(hand, offset), classic, TOLERANCE)
    assert_near(ours.angular_jacobian_derivative(hand), theirs.getAngularJacobianDeriv(other), TOLERANCE)


@pytest.mark.parametrize("seed", range(4))
def test_chains_weigh_and_move_as_those_of_dart(seed: int) -> None:
    skeleton, twin = moving_pair(seed)
    ours = kido.Chain(skeleton.body(4), skeleton.body(2), include_upstream_parent_joint=True)
    theirs = dart.dynamics.Chain(
        twin.getBodyNode(skeleton.body(4).name), twin.getBodyNode(skeleton.body(2).name), True
    )
    assert ours.mass == pytest.approx(theirs.getMass(), rel=TOLERANCE)
    assert_near(ours.com(), theirs.getCOM(), TOLERANCE)
    assert_near(ours.com_linear_velocity(), theirs.getCOMLinearVelocity(), TOLERANCE)
    assert_near(ours.com_linear_acceleration(), theirs.getCOMLinearAcceleration(), TOLERANCE)
    assert_near(ours.com_spatial_velocity(), theirs.getCOMSpatialVelocity(), TOLERANCE)
    assert_near(ours.com_jacobian(), theirs.getCOMJacobian(), TOLERANCE)
    assert_near(ours.com_linear_jacobian(), theirs.getCOMLinearJacobian(), TOLERANCE)
    assert_near(ours.com_linear_jacobian_derivative(), theirs.getCOMLinearJacobianDeriv(), TOLERANCE)
    assert ours.kinetic_energy == pytest.approx(theirs.computeKineticEnergy(), rel=TOLERANCE)
