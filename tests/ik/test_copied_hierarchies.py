"""Hierarchies are cloned to other skeletons, copied and pickled, with all that users set."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from _hierarchies import aim, modules_of, near

import kido
from kido import InverseKinematics, gallery
from kido.errors import EditError, NoEffectWarning, UnknownNameError
from kido.ik import (
    CenterOfMass,
    CompositeIK,
    HierarchicalIK,
    IKFunction,
    JacobianTranspose,
    LookAt,
    PositionError,
    SearchSettings,
    WholeBodyIK,
)
from kido.optimize import (
    GaussNewtonSolver,
    GradientDescentSolver,
    LeastSquaresFunction,
    LevenbergMarquardtSolver,
    ModularFunction,
    NloptSolver,
    SciPySolver,
    Solver,
)

LEVELS = {"left_foot": 0, "right_foot": 0, "left_hand": 3}


def standing(kind: type = CompositeIK) -> Any:
    """A humanoid with its feet where they are, and a hand that has to move."""
    robot = gallery.humanoid()
    modules = modules_of(robot, LEVELS)
    aim({"left_hand": modules["left_hand"]}, near(robot, 0, 0.1))
    modules["left_hand"].error_method = PositionError()
    settings = SearchSettings(max_starts=2, max_iterations=30)
    if kind is WholeBodyIK:
        return WholeBodyIK(robot, settings=settings)
    return CompositeIK(robot, [modules[name] for name in reversed(LEVELS)], settings=settings)


def to_clone(whole: Any) -> Any:
    return whole.clone(whole.skeleton.clone())


def to_reloaded(whole: Any) -> Any:
    """A clone onto a robot that has no modules."""
    robot = gallery.humanoid()
    robot.positions = whole.skeleton.positions
    return whole.clone(robot)


def by_pickle(whole: Any) -> Any:
    return pickle.loads(pickle.dumps(whole))


COPIES = [to_clone, to_reloaded, copy.deepcopy, by_pickle]
Copy = Callable[[Any], Any]
every_copy = pytest.mark.parametrize("copied", COPIES)


def names_of(whole: HierarchicalIK) -> list[list[str]]:
    return [[module.node.name for module in level] for level in whole.levels]


def assert_same_answer(whole: Any, other: Any) -> None:
    __tracebackhide__ = True
    assert other.skeleton is not whole.skeleton
    before = whole.positions, other.positions
    assert other.solve() == whole.solve()
    np.testing.assert_array_equal(whole.positions, before[0])
    np.testing.assert_array_equal(other.positions, before[1])


@every_copy
@pytest.mark.parametrize("kind", [CompositeIK, WholeBodyIK])
def test_a_copy_has_its_own_modules_in_the_same_levels(kind: type, copied: Copy) -> None:
    whole = standing(kind)
    other = copied(whole)
    assert type(other) is kind and other.settings == whole.settings
    assert names_of(other) == names_of(whole)
    assert [m.node.name for m in other.modules] == [m.node.name for m in whole.modules]
    for module in other.modules:
        assert module.node.skeleton is other.skeleton and module not in whole.modules
        assert module.node.addon(InverseKinematics) is module
    assert_same_answer(whole, other)
    other.modules[0].target.set_translation((0.0, 0.0, 9.0))
    assert whole.solve().success and not other.solve().success


@every_copy
def test_what_modules_vary_comes_along(copied: Copy) -> None:
    whole = standing()
    robot = whole.skeleton
    hand, right, left = whole.modules
    hand.dofs = [dof for dof in hand.dofs if not dof.name.startswith("root")]
    hand.offset = (0.0, 0.02, 0.0)
    right.gradient_method = JacobianTranspose(component_clamp=0.1)
    left.active = False
    gaze = InverseKinematics.of(robot.bodies[-1])
    gaze.error_method, gaze.hierarchy_level = LookAt((0, 0, 1.0)), 7
    gaze.target = kido.SimpleFrame("seen", robot.end_effector("left_hand"))
    balance = InverseKinematics.of(robot.bodies[0])
    balance.error_method = CenterOfMass(linear_weights=(1.0, 1.0, 0.0))
    balance.use_whole_body()
    for module in (gaze, balance):
        whole.add(module)
    other = copied(whole)
    assert names_of(other) == names_of(whole)
    pair = {m.node.name: m for m in other.modules}
    assert [d.name for d in pair["left_hand"].dofs] == [d.name for d in hand.dofs]
    seen = pair[gaze.node.name].target
    assert other.modules[0].moves(seen) and not whole.modules[0].moves(seen)
    ours, theirs = whole.solve(), other.solve()
    np.testing.assert_allclose(theirs.positions, ours.positions, atol=1e-9)
    assert [t.node for t in theirs.tasks] == [t.node for t in ours.tasks]


# ---- objectives, problem and solver


class Upright(LeastSquaresFunction):
    """Joints near zero."""

    def residuals(self, x: Any) -> Any:
        return 0.1 * x


class Pelvis(IKFunction):
    """Height of a body above the lowest that is allowed, for the hierarchy."""

    def __init__(self, whole: Any, body: Any) -> None:
        self.whole, self.body = whole, body

    def value(self, x: Any) -> float:
        with self.whole.at(x):
            return float(0.5 - self.body.transform()[2, 3])

    def copied_to(self, ik: Any) -> Pelvis:
        return Pelvis(ik, ik.skeleton.body(self.body.name))


def bent(index: int, x: Any) -> float:
    return float(0.05 - x[index])


def changed() -> Any:
    whole = standing()
    knee = whole.skeleton.dof("left_knee").index if whole.skeleton.has_dof("left_knee") else 9
    whole.null_space_objective = Upright()
    whole.problem.inequality_constraints.add(Pelvis(whole, whole.skeleton.bodies[0]))
    whole.problem.inequality_constraints.add(ModularFunction(partial(bent, knee), name="bent"))
    whole.problem.upper_bounds = np.where(
        np.arange(whole.problem.dimension) == 7, 0.3, whole.problem.upper_bounds
    )
    whole.problem.add_seed(whole.positions)
    with pytest.warns(NoEffectWarning, match="max_starts, max_iterations of the search without effect"):
        whole.solver = SciPySolver(max_iterations=5)
    return whole


@every_copy
def test_objectives_problem_and_solver_come_along(copied: Copy) -> None:
    whole = changed()
    other = copied(whole)
    assert other.solver == whole.solver and isinstance(other.null_space_objective, Upright)
    problem = other.problem
    assert [f.name for f in problem.equality_constraints] == ["HierarchyErrors"]
    assert [f.name for f in problem.inequality_constraints] == ["Pelvis", "bent"]
    pelvis = problem.inequality_constraints[0]
    assert isinstance(pelvis, Pelvis) and pelvis.whole is other and pelvis.body is other.skeleton.bodies[0]
    assert problem.upper_bounds[7] == 0.3 and len(problem.seeds) == 1
    assert_same_answer(whole, other)
    x = near(whole.skeleton, 3, 0.1)
    values = other.problem.equality_values(x)
    np.testing.assert_array_equal(values, whole.problem.equality_values(x))
    whole.modules[0].target.set_translation((5.0, 5.0, 5.0))
    np.testing.assert_array_equal(other.problem.equality_values(x), values)
    whole.reset_problem()
    assert len(other.problem.inequality_constraints) == 2


SOLVERS: list[Solver] = [
    GradientDescentSolver(step_size=1.0, max_iterations=3),
    GaussNewtonSolver(max_iterations=2),
    LevenbergMarquardtSolver(max_iterations=2),
    SciPySolver(max_iterations=2),
    NloptSolver(max_iterations=3),
]


@every_copy
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.type_name)
def test_every_solver_comes_along(solver: Solver, copied: Copy) -> None:
    whole = standing(WholeBodyIK)
    with pytest.warns(NoEffectWarning, match=solver.type_name):
        whole.solver = solver
    if isinstance(solver, GaussNewtonSolver | LevenbergMarquardtSolver):
        whole.objective = Upright()
    assert_same_answer(whole, copied(whole))


def test_a_shallow_copy_is_another_hierarchy_of_the_same_modules() -> None:
    whole = standing()
    other = copy.copy(whole)
    assert other.skeleton is whole.skeleton and other.modules == whole.modules
    other.remove(other.modules[0])
    other.objective = Upright()
    assert len(whole.modules) == 3 and not whole.has_objectives


@pytest.mark.parametrize("take", [copy.deepcopy, lambda pair: pickle.loads(pickle.dumps(pair))])
def test_what_is_copied_together_stays_together(take: Callable[[Any], Any]) -> None:
    whole = standing()
    other = CompositeIK(whole.skeleton, whole.modules[:1])
    robot, first, second = take((whole.skeleton, whole, other))
    assert first.skeleton is robot is second.skeleton
    assert second.modules[0] is first.modules[0]
    assert robot.end_effector("left_hand").addon(InverseKinematics) is first.modules[0]


class Handed(CompositeIK):
    """A hierarchy of a user's that keeps parts of the skeleton and other things."""

    def __init__(self, skeleton: kido.Skeleton, modules: Any) -> None:
        super().__init__(skeleton, modules)
        self.first = modules[0]
        self.by_name = {"pelvis": skeleton.bodies[0], "gains": [1.0, 2.0]}

    @property
    def modules(self) -> tuple[InverseKinematics, ...]:
        return (self.first, *(m for m in super().modules if m is not self.first))


@every_copy
def test_a_hierarchy_of_a_users_own_finds_its_parts_again(copied: Copy) -> None:
    plain = standing()
    whole = Handed(plain.skeleton, plain.modules)
    whole.settings = plain.settings
    other = copied(whole)
    assert type(other) is Handed and other.first is other.modules[0]
    assert other.first.node.skeleton is other.skeleton
    assert other.by_name == {"pelvis": other.skeleton.bodies[0], "gains": [1.0, 2.0]}
    other.by_name["gains"].append(3.0)
    assert len(whole.by_name["gains"]) == 2
    assert_same_answer(whole, other)


# ---- modules that their nodes do not know of


def loosely_standing() -> CompositeIK:
    """A humanoid on a foot with its mass over it, told by two modules of one body, and a hand that moves."""
    robot = gallery.humanoid()
    torso, foot, hand = robot.body("torso"), robot.end_effector("left_foot"), robot.end_effector("left_hand")
    modules = [InverseKinematics(node) for node in (torso, torso, foot)]
    balance, upright, _ = modules
    balance.error_method = CenterOfMass(linear_weights=(1.0, 1.0, 0.0))
    balance.target.set_translation(robot.com() + np.array((0.01, 0.02, 0.0)))
    upright.error_method, upright.hierarchy_level = LookAt((0, 0, 1.0)), 2
    upright.target = kido.SimpleFrame("above", foot)
    upright.target.set_translation(upright.transform()[:3, 3] + (0.1, 0.0, 3.0))
    for module in modules:
        module.dofs = robot.dofs[:-2]
    attached = InverseKinematics.of(hand)
    attached.use_whole_body()
    attached.error_method, attached.hierarchy_level = PositionError(), 1
    attached.target.set_translation(attached.transform()[:3, 3] + (0.05, 0.02, -0.03))
    modules[1:1] = [attached]
    return CompositeIK(robot, modules, settings=SearchSettings(max_starts=3, max_iterations=40))


@every_copy
def test_modules_that_their_nodes_do_not_know_of_are_copied(copied: Copy) -> None:
    whole = loosely_standing()
    robot = whole.skeleton
    other = copied(whole)
    assert names_of(other) == names_of(whole)
    assert [module.properties for module in other.modules] == [module.properties for module in whole.modules]
    assert [len(module.dofs) for module in other.modules] == [len(module.dofs) for module in whole.modules]
    known = [module.node.addon(InverseKinematics) is module for module in other.modules]
    assert known == [False, True, False, False]
    assert other.modules[0].node is other.modules[2].node is other.skeleton.body("torso")
    assert not any(node.has_addon(InverseKinematics) for node in (robot.body("torso"), other.modules[0].node))
    assert_same_answer(whole, other)
    other.modules[0].target.set_translation((3.0, 0.0, 0.0))
    assert whole.solve().success and not other.solve().success


def test_a_shallow_copy_has_the_same_modules() -> None:
    whole = loosely_standing()
    other = copy.copy(whole)
    assert other.skeleton is whole.skeleton and other.modules == whole.modules
    other.remove(other.modules[0])
    assert len(whole.modules) == 4 and len(other.modules) == 3


@pytest.mark.parametrize("copied", [to_clone, by_pickle])
def test_a_module_that_was_taken_from_its_node_is_copied_without_it(copied: Copy) -> None:
    whole = standing()
    node = whole.modules[0].node
    node.remove_addon(InverseKinematics)
    other = copied(whole)
    assert other.modules[0].node.name == node.name
    assert other.modules[0].node.addon(InverseKinematics) is None
    assert_same_answer(whole, other)


# ---- what cannot be kept


@pytest.mark.parametrize("copied", COPIES)
def test_a_function_that_holds_the_hierarchy_or_its_skeleton_is_refused(copied: Copy) -> None:
    for hold in (
        lambda whole: ModularFunction(lambda x: float(whole.skeleton.positions @ x)),
        lambda whole: ModularFunction(partial(lambda body, x: 0.0, whole.skeleton.bodies[1])),
        lambda whole: whole.modules[0].problem.equality_constraints[0],
    ):
        whole = standing()
        function = hold(whole)
        if isinstance(function, ModularFunction):
            whole.objective = function
        else:
            whole.problem.equality_constraints.add(function)
        with pytest.raises(TypeError, match=r"^cannot (copy|save) .*(IKFunction|CompositeIK)"):
            copied(whole)


def test_a_skeleton_without_the_nodes_is_refused_and_left_as_it_was() -> None:
    whole = standing()
    robot = gallery.humanoid()
    robot.end_effector("right_foot").remove()
    with pytest.raises(UnknownNameError, match="right_foot"):
        whole.clone(robot)
    assert not any(node.has_addon(InverseKinematics) for node in robot.nodes(kido.EndEffector))
    with pytest.raises(TypeError, match=r"^skeleton: expected a Skeleton, got str"):
        whole.clone("robot")


def test_bounds_for_other_dofs_are_refused() -> None:
    whole = standing()
    whole.problem.upper_bounds = whole.problem.upper_bounds - 0.01
    robot = whole.skeleton.clone()
    robot.dofs[8].name = "other"
    with pytest.raises(EditError, match=r"^problem: its bounds and seeds are those of the dofs"):
        whole.clone(robot)


def test_a_module_that_a_node_has_there_is_taken_as_it_is() -> None:
    whole = standing()
    robot = whole.skeleton.clone()
    there = robot.end_effector("left_hand").addon(InverseKinematics)
    assert there is not None
    there.hierarchy_level = 9
    assert whole.clone(robot).modules[0] is there
    assert there.hierarchy_level == 9
