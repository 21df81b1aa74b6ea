"""Pickles of skeletons with modules of inverse kinematics."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import kido
from kido import InverseKinematics
from kido.optimize import GaussNewtonSolver


def module() -> InverseKinematics:
    ik = InverseKinematics.of(kido.gallery.arm7().end_effector("tool"))
    ik.owner.skeleton.positions = [0.2, 0.6, -0.3, 1.2, 0.4, 0.8, 0.1]
    return ik


def sent(ik: InverseKinematics) -> InverseKinematics:
    skeleton = pickle.loads(pickle.dumps(ik.owner.skeleton))
    found = skeleton.end_effector("tool").addon(InverseKinematics)
    assert found is not None and found is not ik
    return found


def test_a_pickled_robot_solves_for_the_same_target() -> None:
    ik = module()
    ik.target.set_translation((0.3, 0.2, 0.5))
    ik.settings = kido.SearchSettings(max_starts=3)
    for solve in (ik.solve, None):
        if solve is not None:
            solve()
        copy = sent(ik)
        np.testing.assert_array_equal(copy.target.transform(), ik.target.transform())
        assert copy.solve() == ik.solve()
        assert copy.track(time_budget=10.0) == ik.track(time_budget=10.0)


def test_rule_names_solver_and_reference_frame_come_along() -> None:
    ik = module()
    ik.use_whole_body()
    assert [dof.name for dof in sent(ik).dofs] == [dof.name for dof in ik.dofs]
    names = [dof.name for dof in ik.dofs[4:1:-1]]
    ik.dofs = names
    ik.solver = GaussNewtonSolver()
    ik.reference_frame = ik.owner.skeleton.bodies[2]
    copy = sent(ik)
    assert [dof.name for dof in copy.dofs] == names
    assert copy.solver == ik.solver
    assert copy.reference_frame is copy.owner.skeleton.bodies[2]


def test_a_target_on_a_body_is_on_the_body_of_the_copy() -> None:
    ik = module()
    robot = ik.owner.skeleton
    target = kido.SimpleFrame("cup", robot.bodies[3])
    target.relative_translation = (0.1, 0.2, 0.3)
    target.relative_spatial_velocity = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    ik.target = target
    copy = sent(ik)
    assert copy.target.parent_frame is copy.owner.skeleton.bodies[3]
    np.testing.assert_array_equal(copy.target.relative_transform, target.relative_transform)
    np.testing.assert_array_equal(copy.target.relative_spatial_velocity, target.relative_spatial_velocity)


def test_a_target_that_moves_with_something_else_is_named() -> None:
    ik = module()
    table = kido.SimpleFrame("table")
    ik.target = kido.SimpleFrame("cup", table)
    with pytest.raises(TypeError, match=r"^cannot save the target of 'tool': it moves with 'cup'"):
        pickle.dumps(ik.owner.skeleton)
