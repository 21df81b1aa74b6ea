"""A humanoid on two feet with a hand at a place, in balance and without collision: kido beside Drake."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kido
from benchmarks._posture._arms_contest import Score
from kido.collision import CollisionFilter, distance
from kido.ik import PostureProblem, PostureResult
from kido.skeleton import ShapeNode, Skeleton

FloatArray = NDArray[np.float64]

FEET, HAND = ("left_foot", "right_foot"), "right_hand"
BOUND, INFLUENCE = 0.01, 0.05
"""Least distance, and how far beyond it pairs count [m]."""

_COLLIDING = ("torso", "head", "left_forearm", "right_forearm", "left_thigh", "right_thigh", "right_hand")
_AREA = np.array([[-0.05, 0.12], [-0.1, 0.1]])
"""Of the centre of mass: x, y [m]."""


def humanoid() -> Skeleton:
    """kido's, with collision shapes on some bodies only, so that both libraries test the same pairs."""
    robot = kido.gallery.make("humanoid")
    for node in robot.nodes(ShapeNode):
        node.collision = node.body.name in _COLLIDING
    return robot


def places(count: int, seed: int = 0) -> FloatArray:
    """Of the hand (count, 3) [m]."""
    rng = np.random.default_rng(seed)
    return rng.uniform([0.2, -0.45, 0.7], [0.5, 0.05, 1.3], (count, 3))


class KidoHumanoid:
    """One problem, whose hand has another place for each target."""

    def __init__(self) -> None:
        self.robot = robot = humanoid()
        self._problem = problem = PostureProblem(robot)
        for name in FEET:
            T = robot.body(name).transform()
            problem.add_position_constraint(robot.body(name), T[:3, 3], T[:3, 3])
            problem.add_orientation_constraint(robot.body(name), rotation=T[:3, :3])
        problem.add_center_of_mass_constraint([*_AREA[:, 0], -np.inf], [*_AREA[:, 1], np.inf])
        free = distance(robot, filter=CollisionFilter(self_collisions=True)).shapes
        self.pairs = [pair for pair in free if distance(*pair).distance > BOUND]
        problem.add_minimum_distance_lower_bound_constraint(BOUND, INFLUENCE, pairs=self.pairs)
        problem.add_posture_cost(robot.positions, np.r_[np.zeros(6), np.ones(robot.num_dofs - 6)])

    def solve(self, place: FloatArray) -> PostureResult:
        """One start."""
        constraint = self._problem.add_position_constraint(self.robot.body(HAND), place, place)
        try:
            return self._problem.solve(max_starts=1)
        finally:
            self._problem.remove(constraint)


class DrakeHumanoid:
    """The same robot from a URDF; rolls and pitches of the root are free, as in kido."""

    def __init__(self, robot: Skeleton, pairs: list[Any], folder: Path, solver: str) -> None:
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
        from pydrake.solvers import IpoptSolver, SnoptSolver
        from pydrake.systems.framework import DiagramBuilder

        path = folder / "humanoid.urdf"
        kido.io.save(robot.to_description(), path)
        builder: Any = DiagramBuilder()
        self.plant, scene = AddMultibodyPlantSceneGraph(builder, 0.0)
        Parser(self.plant).AddModels(str(path))
        self.plant.Finalize()
        self._keep_pairs(scene, pairs)
        self.diagram = builder.Build()
        self.root = self.diagram.CreateDefaultContext()
        self.context = self.plant.GetMyMutableContextFromRoot(self.root)
        self.solver = {"SNOPT": SnoptSolver, "IPOPT": IpoptSolver}[solver]()
        self._place_root(robot)

    def _keep_pairs(self, scene: Any, pairs: list[Any]) -> None:
        """Let only those bodies meet that do in kido's problem."""
        from pydrake.geometry import CollisionFilterDeclaration, GeometrySet

        wanted = {frozenset((a.body.name, b.body.name)) for a, b in pairs}
        filters = scene.collision_filter_manager()
        shapes = {}
        for index in self.plant.GetBodyIndices(self.plant.GetModelInstanceByName("humanoid")):
            body = self.plant.get_body(index)
            shapes[body.name()] = self.plant.GetCollisionGeometriesForBody(body)
        bodies = list(shapes)
        for i, a in enumerate(bodies):
            for b in bodies[:i]:
                if frozenset((a, b)) not in wanted:
                    declaration = CollisionFilterDeclaration()
                    declaration.ExcludeBetween(GeometrySet(shapes[a]), GeometrySet(shapes[b]))
                    filters.Apply(declaration)

    def _place_root(self, robot: Skeleton) -> None:
        from pydrake.math import RigidTransform

        root = self.plant.GetBodyByName(robot.root_bodies[0].name)
        self.plant.SetFreeBodyPose(self.context, root, RigidTransform(robot.root_bodies[0].transform()))
        for dof in robot.dofs[6:]:
            self.plant.GetJointByName(dof.joint.name).set_angle(self.context, dof.position)
        self.start = self.plant.GetPositions(self.context).copy()

    def solve(self, place: FloatArray) -> tuple[bool, float]:
        """Whether one start reached it, and the cost."""
        from pydrake.math import RotationMatrix
        from pydrake.multibody.inverse_kinematics import ComInPolyhedronConstraint, InverseKinematics

        plant, world = self.plant, self.plant.world_frame()
        ik = InverseKinematics(plant, self.context)
        q, prog = ik.q(), ik.prog()
        plant.SetPositions(self.context, self.start)
        zero = np.zeros(3)
        for name in FEET:
            frame = plant.GetFrameByName(name)
            T = frame.CalcPoseInWorld(self.context)
            ik.AddPositionConstraint(frame, zero, world, T.translation(), T.translation())
            ik.AddOrientationConstraint(world, T.rotation(), frame, RotationMatrix(), 1e-3)
        ik.AddPositionConstraint(plant.GetFrameByName(HAND), zero, world, place, place)
        area = ComInPolyhedronConstraint(
            plant, None, world, np.eye(3)[:2], _AREA[:, 0], _AREA[:, 1], self.context
        )
        prog.AddConstraint(area, q)
        ik.AddMinimumDistanceLowerBoundConstraint(BOUND, INFLUENCE)
        prog.AddQuadraticErrorCost(np.diag(np.r_[np.zeros(7), np.ones(len(self.start) - 7)]), self.start, q)
        result = self.solver.Solve(prog, self.start, None)
        return result.is_success(), float(result.get_optimal_cost())


def measure_kido(count: int) -> tuple[Score, list[float], KidoHumanoid]:
    """One start each."""
    own, score, costs = KidoHumanoid(), Score(), []
    own.solve(places(1)[0])
    for place in places(count):
        before = time.perf_counter()
        result = own.solve(place)
        score.one.append(time.perf_counter() - before)
        score.one_right.append(result.success)
        costs.append(result.cost)
    return score, costs, own


def measure_drake(own: KidoHumanoid, folder: Path, solver: str, count: int) -> tuple[Score, list[float]]:
    """One start each."""
    peer, score, costs = DrakeHumanoid(own.robot, own.pairs, folder, solver), Score(), []
    for place in places(count):
        before = time.perf_counter()
        right, cost = peer.solve(place)
        score.one.append(time.perf_counter() - before)
        score.one_right.append(right)
        costs.append(cost)
    return score, costs
