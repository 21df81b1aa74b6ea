"""Copies of modules keep everything: through clones of the skeleton, of the module, copies and pickles."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from _parts import ERROR_METHODS, GRADIENT_METHODS, SOLVERS, Q

import kido
from kido import InverseKinematics, gallery
from kido.description import Mimic
from kido.errors import EditError
from kido.ik import (
    ErrorMethod,
    GradientMethod,
    IKFunction,
    IKMultiFunction,
    PositionError,
    SearchSettings,
)
from kido.optimize import (
    Function,
    LeastSquaresFunction,
    ModularFunction,
    SciPySolver,
    StackedFunction,
)


def module() -> InverseKinematics:
    """An arm of seven joints, some way from a target that it reaches."""
    ik = InverseKinematics.of(gallery.arm7().end_effector("tool"))
    ik.positions = Q
    ik.target.set_transform(ik.transform())
    ik.positions = Q + np.array([0.05, -0.04, 0.06, 0.03, -0.05, 0.04, 0.02])
    return ik


def by_skeleton(ik: InverseKinematics) -> InverseKinematics:
    return on(ik.node.skeleton.clone(), ik)


def by_deepcopy(ik: InverseKinematics) -> InverseKinematics:
    return on(copy.deepcopy(ik.node.skeleton), ik)


def by_pickle(ik: InverseKinematics) -> InverseKinematics:
    return on(pickle.loads(pickle.dumps(ik.node.skeleton)), ik)


def by_clone(ik: InverseKinematics) -> InverseKinematics:
    """A clone onto a robot of which nothing but the structure and the positions is the same."""
    robot = ik.node.skeleton.clone()
    node = robot.node(type(ik.node), ik.node.name)
    node.remove_addon(InverseKinematics)
    return ik.clone(node)


def on(robot: kido.Skeleton, ik: InverseKinematics) -> InverseKinematics:
    found = robot.node(type(ik.node), ik.node.name).addon(InverseKinematics)
    assert found is not None and found is not ik and robot is not ik.node.skeleton
    return found


COPIES = [by_skeleton, by_deepcopy, by_pickle, by_clone]
Copy = Callable[[InverseKinematics], InverseKinematics]
every_copy = pytest.mark.parametrize("copied", COPIES)


def assert_same_answer(ik: InverseKinematics, other: InverseKinematics) -> None:
    __tracebackhide__ = True
    before = ik.positions, other.positions
    ours, theirs = ik.solve(), other.solve()
    assert ours == theirs
    np.testing.assert_array_equal(ik.positions, before[0])
    np.testing.assert_array_equal(other.positions, before[1])


# ---- problems


class Upright(LeastSquaresFunction):
    """Joints near zero."""

    def residuals(self, x: Any) -> Any:
        return x

    def jacobian(self, x: Any) -> Any:
        return np.eye(len(x))


class Height(IKFunction):
    """Height of the module's node above a floor."""

    def __init__(self, ik: Any, floor: float = 0.3) -> None:
        self.ik, self.floor, self.parts = ik, floor, [ik.node.skeleton.bodies[2], ("floor", ik.target)]

    def value(self, x: Any) -> float:
        with self.ik.at(x):
            return float(self.floor - self.ik.transform()[2, 3])

    def copied_to(self, ik: Any) -> Height:
        return Height(ik, self.floor)


class Place(IKMultiFunction):
    """Where the module's node is, less where it shall be."""

    def __init__(self, ik: Any, place: Any) -> None:
        self.ik, self.place = ik, place

    def values(self, x: Any) -> Any:
        with self.ik.at(x):
            return self.ik.transform()[:3, 3] - self.place

    def copied_to(self, ik: Any) -> Place:
        return Place(ik, self.place)


def elbow_above(limit: float, x: Any) -> float:
    return float(limit - x[3])


def changed() -> InverseKinematics:
    """A module whose problem has everything that a user may change."""
    ik = module()
    ik.error_method, ik.solver = PositionError(), SciPySolver(max_iterations=60)
    problem = ik.problem
    problem.objective = Upright()
    problem.upper_bounds = np.where(np.arange(7) == 1, 0.65, problem.upper_bounds)
    problem.inequality_constraints.add(Height(ik))
    problem.inequality_constraints.add(ModularFunction(partial(elbow_above, 1.1), name="elbow"))
    problem.seeds = [Q, Q + 0.1]
    return ik


@every_copy
def test_a_changed_problem_comes_along(copied: Copy) -> None:
    ik = changed()
    other = copied(ik)
    problem = other.problem
    assert problem is not ik.problem and not other.is_searched
    assert [f.name for f in problem.equality_constraints] == ["ErrorConstraint"]
    assert [f.name for f in problem.inequality_constraints] == ["Height", "elbow"]
    assert isinstance(problem.objective, Upright)
    assert problem.upper_bounds[1] == 0.65
    np.testing.assert_array_equal(problem.upper_bounds, ik.problem.upper_bounds)
    np.testing.assert_array_equal(problem.lower_bounds, ik.problem.lower_bounds)
    np.testing.assert_array_equal(problem.seeds, [Q, Q + 0.1])
    np.testing.assert_array_equal(problem.initial_guess, ik.problem.initial_guess)
    assert_same_answer(ik, other)
    result = other.solve()
    assert result.success and result.positions[1] <= 0.65 + 1e-9 and result.positions[3] >= 1.1 - 1e-6


@every_copy
def test_functions_of_the_copy_look_at_the_copy(copied: Copy) -> None:
    ik = changed()
    ik.solver = None
    other = copied(ik)
    height = other.problem.inequality_constraints[0]
    assert isinstance(height, Height) and height.ik is other and height.floor == 0.3
    assert height.parts == [other.node.skeleton.bodies[2], ("floor", other.target)]
    x = Q + 0.2
    before = other.problem.equality_values(x), other.problem.inequality_values(x)
    ik.target.set_translation((1.0, 2.0, 3.0))
    ik.positions = Q
    np.testing.assert_array_equal(other.problem.equality_values(x), before[0])
    np.testing.assert_array_equal(other.problem.inequality_values(x), before[1])
    other.target.set_translation((1.0, 2.0, 3.0))
    assert not np.allclose(other.problem.equality_values(x), before[0])


@every_copy
def test_copies_of_a_problem_change_by_themselves(copied: Copy) -> None:
    ik = changed()
    other = copied(ik)
    other.problem.inequality_constraints.clear()
    other.problem.clear_seeds()
    assert len(ik.problem.inequality_constraints) == 2 and len(ik.problem.seeds) == 2
    other.reset_problem()
    assert other.problem.upper_bounds[1] == other.position_limits[1][1]


@every_copy
def test_a_constraint_that_was_removed_stays_away(copied: Copy) -> None:
    ik = module()
    ik.problem.equality_constraints.clear()
    ik.problem.equality_constraints.add(Place(ik, np.array([0.4, 0.1, 0.5])))
    ik.problem.equality_constraints.add(
        StackedFunction([Height(ik), ModularFunction(partial(elbow_above, 1.0))])
    )
    names = [f.name for f in copied(ik).problem.equality_constraints]
    assert names == ["Place", "StackedFunction"]
    np.testing.assert_array_equal(copied(ik).problem.equality_values(Q), ik.problem.equality_values(Q))
    place = copied(ik).problem.equality_constraints[0]
    assert isinstance(place, Place) and place.ik is not ik


@every_copy
def test_parts_of_a_problem_that_follow_go_on_following(copied: Copy) -> None:
    ik = module()
    ik.problem.add_seed(Q)
    other = copied(ik)
    other.objective = Upright()
    assert other.problem.objective is other.objective
    dof = other.dofs[0]
    dof.position_upper_limit = 0.5
    assert other.problem.upper_bounds[0] == 0.5
    other.solver = SciPySolver()
    assert other.problem.equality_values(Q).shape == (6,)
    other.error_method = PositionError()
    assert other.problem.equality_values(Q + 0.1)[3:].any()


def test_a_function_is_copied_once() -> None:
    ik = module()
    ik.objective = ik.problem.objective = Height(ik)
    for copied in COPIES:
        other = copied(ik)
        assert other.objective is other.problem.objective is not ik.objective


@dataclass(frozen=True)
class Weighted(IKFunction):
    """A frozen function that says itself how it is pickled."""

    ik: Any
    weight: float

    def value(self, x: Any) -> float:
        return self.weight * float(x @ x)

    def copied_to(self, ik: Any) -> Weighted:
        return Weighted(ik, self.weight)

    def __getstate__(self) -> dict[str, Any]:
        return {"weight": self.weight}

    def __setstate__(self, state: dict[str, Any]) -> None:
        object.__setattr__(self, "weight", state["weight"])


@every_copy
def test_a_function_may_say_itself_how_it_is_pickled(copied: Copy) -> None:
    ik = module()
    ik.null_space_objective = Weighted(ik, 0.7)
    other = copied(ik)
    function = other.null_space_objective
    assert isinstance(function, Weighted) and function.ik is other and function.weight == 0.7


# ---- what cannot be kept


class Bound(Function):
    """A function that holds something."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def value(self, x: Any) -> float:
        return 0.0


def closing_over(held: Any) -> ModularFunction:
    return ModularFunction(lambda x: float(np.sum(held.skeleton.positions)))


def inside(held: Any) -> ModularFunction:
    def value(x: Any) -> float:
        return max((lambda y: float(held.transform()[0, 0] + y))(part) for part in x)

    return ModularFunction(value)


def by_default(held: Any) -> ModularFunction:
    def value(x: Any, *, node: Any = held) -> float:
        return float(node.transform()[2, 3])

    return ModularFunction(value)


HOLDERS: list[Callable[[Any], Function]] = [
    Bound,
    lambda held: Bound({"deep": [(held,)]}),
    closing_over,
    inside,
    by_default,
    lambda held: ModularFunction(partial(lambda body, x: 0.0, held)),
    lambda held: ModularFunction(Bound(held).value),
]
ROBOT: kido.Skeleton


def test_a_function_that_holds_a_part_of_the_skeleton_is_refused_by_every_copy() -> None:
    for hold in HOLDERS:
        for put in ("objective", "null_space_objective", "constraint", "problem's objective"):
            ik = module()
            function = hold(ik.node)
            if put == "constraint":
                ik.problem.equality_constraints.add(function)
            elif put == "problem's objective":
                ik.problem.objective = function
            else:
                setattr(ik, put, function)
            for copied in COPIES:
                if copied is by_clone:
                    continue
                with pytest.raises(TypeError, match=r"^cannot \w+ .* holds <EndEffector 'tool'>.*IKFunc"):
                    copied(ik)


@pytest.mark.parametrize("held", ["skeleton", "body", "dof", "joint", "module", "target", "frame", "global"])
def test_every_part_of_a_skeleton_is_seen(held: str) -> None:
    global ROBOT
    ik = module()
    robot = ROBOT = ik.node.skeleton
    parts: dict[str, Any] = {
        "skeleton": robot,
        "body": robot.bodies[1],
        "dof": robot.dofs[2],
        "joint": robot.joints[1],
        "module": ik,
        "target": ik.target,
        "frame": kido.SimpleFrame("on it", robot.bodies[1]),
    }
    if held == "global":
        ik.objective = ModularFunction(lambda x: float(ROBOT.positions @ x))
    else:
        ik.objective = Bound(parts[held])
    for copy_it in (robot.clone, lambda: pickle.dumps(robot)):
        with pytest.raises(TypeError, match=r"^cannot \w+ the objective: .* stays behind; derive"):
            copy_it()
    clean = kido.gallery.arm7()
    with pytest.raises(TypeError, match=r"^cannot copy the objective"):
        ik.clone(clean.end_effector("tool"))
    assert not clean.end_effector("tool").has_addon(InverseKinematics)


def test_what_is_no_part_of_the_skeleton_may_be_held() -> None:
    ik, other = module(), module()
    box = kido.SimpleFrame("box", transform=np.eye(4))
    ik.objective = Bound([ik.node.skeleton.tree, other.node, box, ik.node.skeleton.name, np.arange(3)])
    assert by_skeleton(ik).objective is ik.objective


def test_a_clone_on_the_same_skeleton_may_hold_its_parts_but_not_the_module() -> None:
    ik = module()
    body = ik.node.skeleton.bodies[-1]
    ik.objective = Bound(body)
    assert ik.clone(body).objective is ik.objective
    ik.objective = Bound(ik)
    before = body.addon(InverseKinematics)
    with pytest.raises(TypeError, match=r"^cannot copy the objective: Bound holds <InverseKinematics"):
        ik.clone(body)
    assert body.addon(InverseKinematics) is before is not None


class Kept(IKFunction):
    """A function whose copy looks at the original."""

    def __init__(self, ik: Any) -> None:
        self.ik = ik

    def value(self, x: Any) -> float:
        return 0.0

    def copied_to(self, ik: Any) -> Kept:
        return self


def test_a_copy_that_looks_at_the_original_is_refused() -> None:
    ik = module()
    ik.objective = Kept(ik)
    with pytest.raises(TypeError, match=r"what Kept\.copied_to gives holds <Inverse.*shall look"):
        by_skeleton(ik)


def test_an_attribute_out_of_sight_is_refused_in_pickles() -> None:
    ik = module()
    height = Height(ik)
    height.parts = [Bound(ik.node)]
    ik.objective = height
    by_skeleton(ik)
    with pytest.raises(TypeError, match=r"^cannot save the objective: Height holds <End.*__getstate__"):
        by_pickle(ik)


def test_the_error_of_another_module_is_refused() -> None:
    ik = module()
    elbow = InverseKinematics.of(ik.node.skeleton.bodies[4])
    elbow.dofs = ik.dofs
    ik.problem.equality_constraints.add(elbow.problem.equality_constraints[0])
    for copied in (by_skeleton, by_pickle):
        with pytest.raises(TypeError, match=r"equality constraint 1: ErrorConstraint of .*CompositeIK"):
            copied(ik)


@dataclass(frozen=True)
class Near(ErrorMethod):
    """An error method that holds a body."""

    body: Any

    def compute_error(self, ik: InverseKinematics) -> Any:
        return np.zeros(6)


@dataclass(frozen=True)
class Leaning(GradientMethod):
    """A gradient method that holds a body."""

    body: Any

    def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
        return jacobian.T @ error


@pytest.mark.parametrize(("part", "kind"), [("error_method", Near), ("gradient_method", Leaning)])
def test_a_method_that_holds_a_body_is_refused(part: str, kind: type) -> None:
    ik = module()
    setattr(ik, part, kind(ik.node.skeleton.bodies[2]))
    for copied in (by_skeleton, by_pickle):
        with pytest.raises(TypeError, match=rf"^cannot \w+ {part}: {kind.__name__} holds .*keep its name"):
            copied(ik)


def test_an_order_of_solutions_that_looks_at_the_skeleton_is_refused() -> None:
    ik = InverseKinematics.of(kido.load("examples/arm.urdf").body("tool"))
    robot = ik.node.skeleton
    ik.gradient_method = kido.ik.ClosedFormMethod(better=lambda a, b, _: bool(robot.positions @ a > 0.0))
    with pytest.raises(TypeError, match=r"^cannot copy gradient_method: ClosedFormMethod holds <Skeleton"):
        robot.clone()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, pickle.dumps])
def test_a_module_that_is_pickled_alone_names_what_to_pickle(duplicate: Callable[[object], object]) -> None:
    with pytest.raises(
        TypeError, match=r"^cannot pickle InverseKinematics of <.*> alone: pickle the skeleton"
    ):
        duplicate(module())


def test_a_module_that_is_copied_alone_names_its_clone() -> None:
    with pytest.raises(TypeError, match=r"^cannot copy InverseKinematics of <.*> alone: .*`clone` it onto"):
        copy.copy(module())


# ---- other dofs


def test_numbers_for_dofs_that_a_copy_does_not_move_are_refused_where_they_are_used() -> None:
    ik = module()
    ik.dofs = ik.dofs[2:5]
    ik.problem.upper_bounds = ik.problem.upper_bounds - 0.1
    forearm = ik.node.skeleton.bodies[4].copy_as("part")
    other = InverseKinematics.of(forearm.end_effector("tool"))
    with pytest.raises(EditError, match=r"^problem: its bounds and seeds are for 3 dofs, of which "):
        other.solve()
    other.reset_problem()
    other.solve()


def test_numbers_come_along_where_the_same_dofs_are_copied() -> None:
    ik = module()
    ik.dofs = ik.dofs[4:]
    ik.problem.upper_bounds = ik.problem.upper_bounds - 0.1
    for robot in (ik.node.skeleton.clone(), ik.node.skeleton.bodies[0].copy_as("whole")):
        other = InverseKinematics.of(robot.end_effector("tool"))
        np.testing.assert_array_equal(other.problem.upper_bounds, ik.problem.upper_bounds)


def test_numbers_are_not_cloned_to_dofs_of_other_names() -> None:
    robot = gallery.humanoid()
    left = InverseKinematics.of(robot.end_effector("left_hand"))
    right = robot.end_effector("right_hand")
    left.problem.inequality_constraints.add(ModularFunction(partial(elbow_above, -5.0)))
    assert len(left.clone(right).problem.inequality_constraints) == 1
    kept = right.addon(InverseKinematics)
    left.problem.lower_bounds = left.problem.lower_bounds + 0.01
    with pytest.raises(EditError, match=r"^problem: its bounds and seeds are those of the dofs"):
        left.clone(right)
    assert right.addon(InverseKinematics) is kept


# ---- combinations


@every_copy
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("method", ERROR_METHODS)
def test_every_error_method_and_solver_comes_along(method: str, solver: str, copied: Copy) -> None:
    ik = module()
    ik.error_method, ik.solver = ERROR_METHODS[method], SOLVERS[solver]
    if ik.solver is None:
        ik.settings = SearchSettings(max_starts=3, max_iterations=20)
    other = copied(ik)
    assert other.error_method == ik.error_method and other.solver == ik.solver
    assert_same_answer(ik, other)


@every_copy
@pytest.mark.parametrize("method", GRADIENT_METHODS)
def test_every_gradient_method_comes_along(method: str, copied: Copy) -> None:
    ik = module()
    if method == "inverse":
        ik.dofs = ik.dofs[:6]
    ik.gradient_method = GRADIENT_METHODS[method]
    assert_same_answer(ik, copied(ik))


@every_copy
def test_an_analytical_method_comes_along(copied: Copy) -> None:
    ik = InverseKinematics.of(kido.load("examples/arm.urdf").body("tool"))
    ik.target.set_transform(ik.transform())
    ik.positions = ik.positions + 0.1
    ik.gradient_method = kido.ik.ClosedFormMethod()
    robot = ik.node.skeleton.clone()
    if copied is by_clone:
        robot.body("tool").remove_addon(InverseKinematics)
        other = ik.clone(robot.body("tool"))
    elif copied is by_pickle:
        found = pickle.loads(pickle.dumps(ik.node.skeleton)).body("tool").addon(InverseKinematics)
        other = found
    else:
        other = InverseKinematics.of(robot.body("tool"))
    assert_same_answer(ik, other)


@every_copy
@pytest.mark.parametrize("carrier", ["world", "own body", "own node"])
def test_targets_under_everything_come_along(carrier: str, copied: Copy) -> None:
    ik = module()
    robot = ik.node.skeleton
    pose = ik.target.transform()
    parents: dict[str, Any] = {
        "world": kido.WORLD,
        "own body": robot.bodies[2],
        "own node": robot.bodies[2].add_end_effector("camera", np.eye(4)),
    }
    ik.target = kido.SimpleFrame("goal", parents[carrier])
    ik.target.set_transform(pose)
    ik.problem.inequality_constraints.add(ModularFunction(partial(elbow_above, 0.5)))
    other = copied(ik)
    np.testing.assert_allclose(other.target.transform(), pose, atol=1e-15)
    parent = other.target.parent_frame
    assert parent.is_world or (parent is not ik.target.parent_frame and other.moves(other.target))
    ik.solver = other.solver = SciPySolver(max_iterations=30)
    answers = ik.solve(), other.solve()
    np.testing.assert_allclose(answers[0].positions, answers[1].positions, atol=1e-12)


def test_a_target_on_another_skeleton_is_shared_by_clones_and_refused_by_pickles() -> None:
    ik, table = module(), gallery.arm7()
    ik.target = kido.SimpleFrame("goal", table.bodies[3])
    for copied in (by_skeleton, by_deepcopy, by_clone):
        other = copied(ik)
        assert other.target.parent_frame is table.bodies[3] and other.target is not ik.target
    with pytest.raises(TypeError, match=r"^cannot save the target of 'tool': it moves with 'link_3'"):
        by_pickle(ik)


@every_copy
def test_named_dofs_with_frozen_ones_come_along(copied: Copy) -> None:
    ik = changed()
    ik.reset_problem()
    ik.dofs = [ik.dofs[i].name for i in (5, 1, 3, 0, 2)]
    ik.problem.inequality_constraints.add(Height(ik, 0.2))
    other = copied(ik)
    assert [dof.name for dof in other.dofs] == [dof.name for dof in ik.dofs]
    assert ik.solve(frozen=ik.dofs[1:2]) == other.solve(frozen=other.dofs[1:2])


def test_the_problem_of_a_skeleton_whose_nodes_were_removed_comes_along() -> None:
    ik = module()
    robot = ik.node.skeleton
    marker = robot.bodies[3].add_end_effector("marker", np.eye(4))
    gone = InverseKinematics.of(marker)
    gone.problem.add_seed(gone.positions)
    ik.problem.add_seed(Q)
    marker.remove()
    for copied in COPIES:
        other = copied(ik)
        assert len(other.problem.seeds) == 1
        assert [node.name for node in other.node.skeleton.nodes(kido.EndEffector)] == ["tool"]


@every_copy
def test_robots_with_joints_that_follow_come_along(copied: Copy) -> None:
    robot = kido.Skeleton("arm")
    body = None
    for k, leader in enumerate((None, None, "q1", None)):
        joint = kido.RevoluteJoint(f"q{k}", axis=np.eye(3)[k % 3], T_parent_joint=(0.0, 0.1, 0.3))
        if leader is not None:
            joint.apply_options({"mimic": Mimic(leader), "actuator": "mimic"})
        body = robot.add_body(f"b{k}", body, joint)
    assert body is not None
    node = body.add_end_effector("tool", np.eye(4))
    robot.mimic_enforced = True
    robot.positions = [0.3, 0.2, 0.2, -0.4]
    ik = InverseKinematics.of(node)
    ik.dofs = ("q0", "q3")
    ik.target.set_translation((0.1, 0.2, 0.7))
    ik.error_method = PositionError()
    ik.problem.upper_bounds = [0.4, 0.5]
    other = copied(ik)
    assert [dof.name for dof in other.dofs] == ["q0", "q3"]
    np.testing.assert_array_equal(other.problem.upper_bounds, [0.4, 0.5])
    assert_same_answer(ik, other)
