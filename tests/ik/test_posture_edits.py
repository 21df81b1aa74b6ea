"""A posture problem whose skeletons are edited between calls answers as one that is made after the edits."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import numpy as np
import pytest
from _posture_parts import constraints, costs, two_skeletons

import kido
from kido.description import Mimic
from kido.errors import UnknownNameError
from kido.ik import PostureProblem
from kido.skeleton import PrismaticJoint, Skeleton


def heavier(humanoid: Skeleton, _: Skeleton) -> None:
    humanoid.body("torso").mass = 17.0


def under_less_gravity(humanoid: Skeleton, _: Skeleton) -> None:
    humanoid.gravity = (0.0, 1.0, -5.0)


def limited(humanoid: Skeleton, arm: Skeleton) -> None:
    for dof in (humanoid.dofs[9], arm.dofs[2]):
        dof.position_lower_limit, dof.position_upper_limit = -0.05, 0.02


def locked(_: Skeleton, arm: Skeleton) -> None:
    arm.dofs[1].joint.actuator = "locked"


def longer(_: Skeleton, arm: Skeleton) -> None:
    T = np.eye(4)
    T[:3, 3] = 0.03, -0.02, 0.1
    joint = arm.bodies[3].parent_joint
    joint.T_parent_joint = T @ joint.T_parent_joint


def moved(humanoid: Skeleton, _: Skeleton) -> None:
    humanoid.body("right_hand").move_to(humanoid.body("torso"))


def rearranged(humanoid: Skeleton, _: Skeleton) -> None:
    humanoid.body("left_foot").change_parent_joint_type(PrismaticJoint)


EDITS = (heavier, under_less_gravity, limited, locked, longer, moved, rearranged)


def as_if_new(problem: PostureProblem) -> None:
    """Raises where the problem differs from one that is made now."""
    made = PostureProblem(problem.skeletons)
    for term in (*problem.constraints, *problem.costs):
        made.add(term)
    assert problem.violations() == made.violations()
    assert problem.cost() == made.cost()
    found, other = (p.solve(max_starts=1, max_iterations=5, time_budget=None) for p in (problem, made))
    np.testing.assert_array_equal(found.positions, other.positions)
    np.testing.assert_array_equal(found.forces, other.forces)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_an_edited_problem_is_one_that_is_made_anew(edit: Callable[[Skeleton, Skeleton], None]) -> None:
    both = two_skeletons()
    problem, rng = PostureProblem(both), np.random.default_rng(0)
    for term in (*constraints(*both, rng), *costs(*both, rng)):
        problem.add(term)
    problem.set_positions(0.1 * rng.normal(size=problem.num_dofs))
    before = problem.violations(), problem.cost()
    edit(*both)
    as_if_new(problem)
    if edit not in (limited, locked):
        assert (problem.violations(), problem.cost()) != before
    problem.remove(problem.constraints[3])
    as_if_new(problem)


def test_a_term_that_an_edit_leaves_without_its_body_is_named_and_can_be_removed() -> None:
    humanoid, arm = two_skeletons()
    problem = PostureProblem((humanoid, arm))
    kept = problem.add_position_constraint(humanoid.body("left_hand"), [0, 0, 0], [1, 1, 1])
    lost = problem.add_position_constraint(arm.bodies[-1], [0, 0, 0], [1, 1, 1])
    problem.solve(max_starts=1)
    arm.bodies[-1].remove()
    with pytest.raises(UnknownNameError, match="link_7"):
        problem.solve()
    problem.remove(lost)
    assert problem.constraints == (kept,)
    as_if_new(problem)


def _mimic(robot: Skeleton) -> None:
    robot.joint("joint_5").mimic = Mimic("joint_2", -0.5, 0.1)
    robot.joint("joint_5").actuator = "mimic"
    robot.mimic_enforced = True


def _other_mimic(robot: Skeleton) -> None:
    robot.joint("joint_5").mimic = Mimic("joint_3", 0.7, 0.0)


def _lock(robot: Skeleton) -> None:
    robot.joint("joint_4").actuator = "locked"


def _lock_another(robot: Skeleton) -> None:
    robot.joint("joint_4").actuator = "force"
    robot.joint("joint_1").actuator = "locked"


def _limit(robot: Skeleton) -> None:
    robot.joint("joint_2").position_upper_limits = [0.2]


def _heavier_base(robot: Skeleton) -> None:
    robot.body("base").mass = 30.0


def _slide(robot: Skeleton) -> None:
    robot.body("link_6").change_parent_joint_type(PrismaticJoint)


def _finger(robot: Skeleton) -> None:
    robot.add_body("finger", robot.bodies[-1], kido.RevoluteJoint("finger", axis=(1, 0, 0)))


def _walk(robot: Skeleton) -> None:
    robot.joint("joint_1").positions = [0.4]


def test_problems_of_one_skeleton_see_its_edits() -> None:
    """What is kept from one problem to the next of a skeleton holds for a clone, which nobody asked."""
    robot = kido.gallery.make("arm7")
    edits = (_mimic, _lock, _limit, _other_mimic, _lock_another, _heavier_base, _slide, _walk, _finger)

    def asked(one: Skeleton) -> tuple[object, ...]:
        problem = PostureProblem(one)
        hand = one.body("link_7")
        problem.add_position_constraint(hand, [0.3, 0.1, 0.5], [0.4, 0.2, 0.6])
        problem.add_center_of_mass_cost([0.05, 0.0, 0.4])
        problem.add_posture_cost(np.full(one.num_dofs, 0.3))
        found = problem.solve(max_starts=2, time_budget=None)
        return found.positions.tolist(), found.status, problem.cost(), problem.violations()

    answers = [asked(robot)]
    for edit in edits:
        edit(robot)
        answers.append(asked(robot))
        assert answers[-1] == asked(robot)
        assert answers[-1] == asked(robot.clone())
        assert answers[-1] != answers[-2]


def test_a_skeleton_goes_when_its_problems_have_gone() -> None:
    robot = kido.gallery.make("arm7")
    PostureProblem(robot)
    gone = weakref.ref(robot)
    del robot
    gc.collect()
    assert gone() is None
