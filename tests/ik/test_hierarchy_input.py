"""Bad input to hierarchies: refused by name, before anything changed; users' parts that answer wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from _hierarchies import LIMBS, aim, modules_of, near

import kido
from kido import InverseKinematics, SearchSettings, gallery
from kido.errors import EditError, RemovedError
from kido.ik import (
    CompositeIK,
    ErrorMethod,
    GradientMethod,
    HierarchicalIK,
    TaskSpaceRegion,
    WholeBodyIK,
)
from kido.optimize import ModularFunction


class Wrong(ErrorMethod):
    """Answers with what it is given."""

    def __init__(self, error: Any, jacobian: Any = None) -> None:
        self._error, self._jacobian = error, jacobian

    def compute_error(self, ik: InverseKinematics) -> Any:
        return self._error

    def compute_jacobian(self, ik: InverseKinematics) -> Any:
        return self._jacobian


class Failing(TaskSpaceRegion):
    """Raises once the skeleton has moved."""

    def region(self, ik: InverseKinematics) -> None:
        return None

    def compute_error(self, ik: InverseKinematics) -> Any:
        if ik.node.skeleton.positions[0] != 0.0:
            raise RuntimeError("moved")
        return super().compute_error(ik)


class WrongGradient(GradientMethod):
    def __init__(self, gradient: Any) -> None:
        self._gradient = gradient

    def compute_gradient(self, ik: InverseKinematics, error: Any, jacobian: Any) -> Any:
        return self._gradient


@pytest.fixture
def whole() -> WholeBodyIK:
    robot = gallery.humanoid()
    modules = modules_of(robot, LIMBS)
    q = near(robot, 0)
    q[0] += 0.3
    aim(modules, q)
    return WholeBodyIK(robot)


@pytest.mark.parametrize("kind", [WholeBodyIK, CompositeIK])
@pytest.mark.parametrize("bad", [None, "humanoid", gallery.arm().tree])
def test_only_skeletons_have_hierarchies(kind: type[HierarchicalIK], bad: Any) -> None:
    with pytest.raises(TypeError, match=f"^skeleton: expected a Skeleton, got {type(bad).__name__}$"):
        kind(bad)


def test_settings_are_search_settings(whole: WholeBodyIK) -> None:
    with pytest.raises(TypeError, match=r"^settings: expected SearchSettings, got int"):
        WholeBodyIK(whole.skeleton, settings=3)  # type: ignore[arg-type]
    before = whole.settings
    with pytest.raises(TypeError, match=r"^settings: expected SearchSettings, got dict"):
        whole.settings = {}  # type: ignore[assignment]
    assert whole.settings is before and before == SearchSettings(max_starts=200, time_budget=0.5)


@pytest.mark.parametrize("name", ["objective", "null_space_objective"])
def test_objectives_are_functions(whole: WholeBodyIK, name: str) -> None:
    given = ModularFunction(lambda x: float(x @ x))
    setattr(whole, name, given)
    with pytest.raises(
        TypeError, match=rf"^{name}: expected a Function or None, got function; .*ModularFunction"
    ):
        setattr(whole, name, lambda x: 0.0)
    assert getattr(whole, name) is given


def test_solvers_are_solvers(whole: WholeBodyIK) -> None:
    with pytest.raises(TypeError, match=r"^solver: expected a Solver or None, got str"):
        whole.solver = "slsqp"  # type: ignore[assignment]
    assert whole.solver is None


@pytest.mark.parametrize("bad", [np.zeros(3), np.full(36, np.nan), np.zeros((1, 36)), ["a"] * 36])
def test_positions_of_another_shape_or_not_finite_are_refused(whole: WholeBodyIK, bad: Any) -> None:
    before = whole.positions
    assert len(before) == 36
    with pytest.raises((TypeError, ValueError), match=r"^positions: expected"):
        whole.positions = bad
    with pytest.raises((TypeError, ValueError), match=r"^positions: expected"), whole.at(bad):
        pass
    np.testing.assert_array_equal(whole.positions, before)


def test_members_are_modules_of_the_skeleton() -> None:
    robot, other = gallery.humanoid(), gallery.humanoid()
    own = InverseKinematics.of(robot.body("head"))
    composite = CompositeIK(robot, [own])
    with pytest.raises(TypeError, match=r"^module: expected InverseKinematics, got BodyNode"):
        composite.add(robot.body("head"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^module: 'head' belongs to another skeleton"):
        composite.add(InverseKinematics.of(other.body("head")))
    with pytest.raises(ValueError, match=r"^module: 'head' belongs to another skeleton"):
        CompositeIK(robot, [own, InverseKinematics.of(other.body("head"))])
    with pytest.raises(ValueError, match=r"^module: expected one of this hierarchy's"):
        composite.remove(InverseKinematics.of(robot.body("torso")))
    assert composite.modules == (own,)


def test_modules_that_left_the_skeleton_are_named() -> None:
    robot = gallery.humanoid()
    composite = CompositeIK(robot, modules_of(robot, {"left_hand": 0, "left_foot": 0}).values())
    before = robot.positions
    arm = robot.body("left_shoulder_pitch_link").split("arm")
    for ask in (composite.solve, composite.solve_and_apply, composite.step, lambda: composite.levels):
        with pytest.raises(EditError, match=r"^modules: 'left_hand' is not in 'humanoid' any more"):
            ask()
    assert robot.num_dofs + arm.num_dofs == len(before)
    composite.remove(composite.modules[0])
    assert composite.solve().success


def test_modules_of_removed_bodies_say_so_unless_they_take_no_part() -> None:
    robot = gallery.humanoid()
    modules = modules_of(robot, {"left_hand": 0, "left_foot": 0})
    composite = CompositeIK(robot, modules.values())
    robot.body("left_forearm").remove()
    with pytest.raises(RemovedError, match="left_hand"):
        composite.solve()
    with pytest.raises(RemovedError):
        CompositeIK(robot, [modules["left_hand"]])
    modules["left_hand"].active = False
    assert composite.solve().success


def test_dofs_that_were_removed_are_named() -> None:
    robot = gallery.humanoid()
    ik = InverseKinematics.of(robot.body("head"))
    ik.dofs = [*ik.dofs, *robot.body("left_hand").parent_joint.dofs]
    composite = CompositeIK(robot, [ik])
    robot.body("left_hand").remove()
    with pytest.raises(RemovedError):
        composite.solve()


@pytest.mark.parametrize(
    ("method", "match"),
    [
        (Wrong(np.zeros((2, 2))), r"Wrong\.compute_error: expected shape"),
        (Wrong("far"), r"Wrong\.compute_error: expected"),
        (Wrong(np.ones(3), np.zeros((2, 30))), r"Wrong\.compute_jacobian: expected shape \(3, 7\)"),
        (Wrong(np.ones(3), None), r"Wrong\.compute_jacobian: expected"),
    ],
)
def test_what_an_error_method_does_wrong_is_named(method: ErrorMethod, match: str) -> None:
    robot = gallery.humanoid()
    ik = InverseKinematics.of(robot.end_effector("left_hand"))
    before = robot.positions
    ik.error_method = method
    whole = WholeBodyIK(robot)
    with pytest.raises((TypeError, ValueError), match=match):
        whole.solve()
    np.testing.assert_array_equal(robot.positions, before)


@pytest.mark.parametrize("bad", [np.zeros(3), np.full(36, np.nan), "left", None])
def test_what_a_gradient_method_does_wrong_is_named(whole: WholeBodyIK, bad: Any) -> None:
    before = whole.positions
    whole.modules[0].gradient_method = WrongGradient(bad)
    with pytest.raises((TypeError, ValueError), match=r"^WrongGradient\.compute_gradient: expected"):
        whole.solve()
    np.testing.assert_array_equal(whole.positions, before)


@pytest.mark.parametrize("search", [True, False])
def test_the_skeleton_is_where_it_was_after_a_part_has_raised(whole: WholeBodyIK, search: bool) -> None:
    whole.modules[-1].error_method = Failing()
    if not search:
        whole.null_space_objective = ModularFunction(lambda x: float(x @ x), lambda x: 2.0 * x)
    before = whole.positions
    with pytest.raises(RuntimeError, match="moved"):
        whole.solve_and_apply()
    np.testing.assert_array_equal(whole.positions, before)


@pytest.mark.parametrize("name", ["objective", "null_space_objective"])
@pytest.mark.parametrize("bad", [np.zeros(3), "down", None])
def test_what_an_objective_does_wrong_is_named(whole: WholeBodyIK, name: str, bad: Any) -> None:
    before = whole.positions
    setattr(whole, name, ModularFunction(lambda x: 0.0, lambda x: bad, name="wrong"))
    with pytest.raises((TypeError, ValueError), match="wrong"):
        whole.solve()
    np.testing.assert_array_equal(whole.positions, before)


@pytest.mark.parametrize("far", [1e6, 1e12])
def test_targets_far_beyond_everything_are_an_outcome(whole: WholeBodyIK, far: float) -> None:
    whole.settings = SearchSettings(max_starts=2)
    whole.modules[0].target.set_translation((far, -far, far))
    held = whole.skeleton.body("pelvis").parent_joint.dofs
    for ik in whole.modules:
        ik.dofs = [dof for dof in ik.dofs if dof not in held]
    result = whole.solve()
    assert not result.success and np.isfinite(result.positions).all()
    errors = [task.linear_error for task in result.tasks]
    np.testing.assert_allclose(max(errors), far * math.sqrt(3.0), rtol=1e-5)


def test_levels_are_counted_from_zero(whole: WholeBodyIK) -> None:
    ik = whole.modules[0]
    for bad in (-1, 1.0, True, "first"):
        with pytest.raises(ValueError, match=r"^hierarchy_level: expected an integer"):
            ik.hierarchy_level = bad  # type: ignore[assignment]
    assert ik.hierarchy_level in (0, 1, 2) and isinstance(whole, kido.ik.HierarchicalIK)
