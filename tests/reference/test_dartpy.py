"""DART's conventions of joints, and its dynamics, on robots built in code in both libraries."""

from __future__ import annotations

import dartpy as dart
import numpy as np
import pytest
from _random_trees import Robot, assert_near, build
from numpy.typing import NDArray

import kido
from kido.description import Inertia, JointDescription, JointType, LinkDescription, RobotDescription

EXACT = 1e-13
DYNAMICS = 1e-10

MAKERS = {
    JointType.WELD: "WeldJoint",
    JointType.REVOLUTE: "RevoluteJoint",
    JointType.PRISMATIC: "PrismaticJoint",
    JointType.SCREW: "ScrewJoint",
    JointType.UNIVERSAL: "UniversalJoint",
    JointType.EULER: "EulerJoint",
    JointType.BALL: "BallJoint",
    JointType.PLANAR: "PlanarJoint",
    JointType.TRANSLATIONAL: "TranslationalJoint",
    JointType.TRANSLATIONAL2D: "TranslationalJoint2D",
    JointType.FREE: "FreeJoint",
}
SAME_VELOCITY = [kind for kind in MAKERS if kind not in (JointType.FREE, JointType.TRANSLATIONAL2D)]
"""All but two: the free joint, whose velocity DART has in the parent's axes, and translational2d, whose
Jacobian in DART is not the derivative of its transform where the child's offset turns."""

Array = NDArray[np.float64]


def set_axes(joint: dart.dynamics.Joint, description: JointDescription) -> None:
    axes = description.axes
    match description.type:
        case JointType.REVOLUTE | JointType.PRISMATIC | JointType.SCREW:
            joint.setAxis(axes[0])
        case JointType.UNIVERSAL:
            joint.setAxis1(axes[0])
            joint.setAxis2(axes[1])
        case JointType.PLANAR | JointType.TRANSLATIONAL2D:
            joint.setArbitraryPlane(axes[0], axes[1])
    if description.type is JointType.SCREW:
        joint.setPitch(description.pitch)


def transform(T: Array) -> dart.math.Isometry3:
    pose = dart.math.Isometry3()
    pose.set_rotation(T[:3, :3])
    pose.set_translation(T[:3, 3])
    return pose


def skeleton(robot: Robot) -> dart.dynamics.Skeleton:
    """The same robot in DART; euler joints must be of order xyz, the only one that dartpy can set."""
    result = dart.dynamics.Skeleton("robot")
    result.setGravity(robot.tree.gravity)
    bodies = {}
    for description in robot.description.depth_first_joints():
        create = getattr(
            result, f"create{MAKERS[description.type].removesuffix('Joint')}JointAndBodyNodePair", None
        )
        create = create or getattr(result, f"create{MAKERS[description.type]}AndBodyNodePair")
        joint, body = create() if description.parent is None else create(bodies[description.parent])
        bodies[description.child] = body
        joint.setName(description.name)
        joint.setTransformFromParentBodyNode(transform(description.T_parent_joint))
        joint.setTransformFromChildBodyNode(transform(description.T_child_joint))
        set_axes(joint, description)
        inertia = robot.description.link(description.child).inertia
        assert inertia is not None
        body.setInertia(dart.dynamics.Inertia(inertia.mass, inertia.com, inertia.moment))
    return result


def pair(kind: JointType, seed: int) -> tuple[Robot, dart.dynamics.Skeleton]:
    robot = build([(JointType.REVOLUTE, "xyz"), (kind, "xyz")], [-1, 0], [False, False], seed)
    return robot, skeleton(robot)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", MAKERS)
def test_a_joint_has_the_transform_of_dart(kind: JointType, seed: int) -> None:
    robot, other = pair(kind, seed)
    q = robot.positions()
    other.setPositions(q)
    got = robot.tree.joint_transform(q, 1)
    assert_near(got, other.getJoint(1).getRelativeTransform().matrix(), EXACT)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", [kind for kind in SAME_VELOCITY if kind is not JointType.WELD])
def test_a_joint_has_the_motion_subspace_of_dart_and_its_derivative(kind: JointType, seed: int) -> None:
    robot, other = pair(kind, seed)
    q, v, _ = robot.state()
    other.setPositions(q)
    other.setVelocities(v)
    joint = other.getJoint(1)
    assert_near(robot.tree.motion_subspace(q, 1), np.reshape(joint.getRelativeJacobian(), (6, -1)), EXACT)
    expected = np.reshape(joint.getRelativeJacobianTimeDeriv(), (6, -1))
    assert_near(robot.tree.motion_subspace_derivative(q, v, 1), expected, EXACT)


def one_body(kind: str, **options: object) -> kido.Tree:
    joint = JointDescription("joint", kind, None, "body", **options)  # type: ignore[arg-type]
    return kido.Tree.from_description(RobotDescription("r", [LinkDescription("body", Inertia(1.0))], [joint]))


def test_half_a_turn_of_a_screw_of_pitch_a_tenth_is_five_centimetres() -> None:
    tree = one_body("screw", axes=(0.0, 0.0, 1.0), pitch=0.1)
    T = tree.transform([np.pi], "body")
    assert_near(T[:3, 3], [0.0, 0.0, 0.05], 1e-16)
    other = dart.dynamics.Skeleton("r")
    joint, body = other.createScrewJointAndBodyNodePair()
    joint.setAxis([0.0, 0.0, 1.0])
    joint.setPitch(0.1)
    other.setPositions([np.pi])
    assert_near(T, body.getWorldTransform().matrix(), EXACT)


def test_a_planar_joint_slides_first_and_turns_then() -> None:
    """So that its first velocity is along the world's x, however it has turned."""
    tree = one_body("planar", axes=[(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    velocity = tree.velocity([0.3, 0.2, 1.0], [1.0, 0.0, 0.0], "body", frame="world")
    assert_near(velocity, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0], 1e-15)


def test_a_balls_position_moves_and_differs_as_in_dart() -> None:
    robot = build([(JointType.BALL, "xyz")], [-1], [False], 0)
    other = skeleton(robot)
    q, v, target = robot.state()
    other.setPositions(q)
    other.setVelocities(v)
    other.integratePositions(0.3)
    assert_near(robot.tree.integrate(q, v, 0.3), other.getPositions(), EXACT)
    expected = other.getJoint(0).getPositionDifferences(target, q)
    assert_near(robot.tree.difference(q, target), expected, EXACT)


def test_dofs_have_the_names_of_dart() -> None:
    """But the third of a planar joint, which DART leaves unnamed."""
    kinds = [kind for kind in MAKERS if kind is not JointType.PLANAR]
    robot = build([(kind, "xyz") for kind in kinds], list(range(-1, len(kinds) - 1)), [False] * len(kinds), 0)
    other = skeleton(robot)
    assert robot.tree.dof_names == tuple(other.getDof(i).getName() for i in range(other.getNumDofs()))


@pytest.mark.parametrize("seed", range(4))
def test_a_chain_of_all_joints_has_the_dynamics_of_dart(seed: int) -> None:
    kinds = [(kind, "xyz") for kind in SAME_VELOCITY]
    order = np.random.default_rng(seed).permutation(len(kinds))
    parents, massless = list(range(-1, len(kinds) - 1)), [False] * len(kinds)
    robot = build([kinds[i] for i in order], parents, massless, seed, geared=False)  # DART has no armature
    tree, other, (q, v, a) = robot.tree, skeleton(robot), robot.state()
    other.setPositions(q)
    other.setVelocities(v)
    assert_near(tree.mass_matrix(q), other.getMassMatrix(), DYNAMICS)
    assert_near(tree.bias_forces(q, v), other.getCoriolisAndGravityForces(), DYNAMICS)
    assert_near(tree.gravity_forces(q), other.getGravityForces(), DYNAMICS)
    assert_near(tree.kinetic_energy(q, v), other.computeKineticEnergy(), DYNAMICS)
    other.setForces(a)
    other.computeForwardDynamics()
    assert_near(tree.forward_dynamics(q, v, a), other.getAccelerations(), 1e-8)
    last = other.getBodyNode(other.getNumBodyNodes() - 1)
    J = tree.jacobian(q, tree.num_bodies - 1, (0.1, 0.2, 0.3))
    assert_near(J, other.getJacobian(last, [0.1, 0.2, 0.3]), DYNAMICS)
    J = tree.jacobian(q, tree.num_bodies - 1, (0.1, 0.2, 0.3), "world")
    assert_near(J, other.getWorldJacobian(last, [0.1, 0.2, 0.3]), DYNAMICS)
    # DART's derivative in body axes is not elementwise; what it says of the acceleration is the same.
    dJ = tree.jacobian_derivative(q, v, tree.num_bodies - 1, (0.1, 0.2, 0.3), "body", classic=False)
    assert_near(dJ @ v, other.getJacobianSpatialDeriv(last, [0.1, 0.2, 0.3]) @ v, DYNAMICS)
    dJ = tree.jacobian_derivative(q, v, tree.num_bodies - 1, (0.1, 0.2, 0.3), "world")
    assert_near(dJ, other.getJacobianClassicDeriv(last, [0.1, 0.2, 0.3]), DYNAMICS)
