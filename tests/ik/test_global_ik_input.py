"""Wrong input of global inverse kinematics raises at the call, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from _looped import looped
from _processes import interrupted
from _reach import planar

import kido
from kido.ik import GlobalIK

Call = Callable[[GlobalIK, kido.EndEffector], object]
CUBE = (np.concatenate([np.eye(3), -np.eye(3)]), np.ones(6))
OPEN = (np.eye(3), np.ones(3))


def _foreign(search: GlobalIK, _: kido.EndEffector) -> None:
    search.add_world_position_constraint(planar().end_effector("tool"), (0, 0, 0))


REFUSED: dict[str, tuple[Call, type[Exception], str]] = {
    "foreign frame": (_foreign, ValueError, "frame: expected a frame of the skeleton 'planar'"),
    "no frame": (lambda s, t: s.add_world_position_constraint(None, (0, 0, 0)), TypeError, "frame"),
    "text": (lambda s, t: s.add_world_position_constraint("tool", (0, 0, 0)), TypeError, "expected a frame"),
    "shape": (lambda s, t: s.add_world_position_constraint(t, (0, 0)), ValueError, r"position: .*\(3,\)"),
    "NaN": (lambda s, t: s.add_world_position_constraint(t, (0, 0, np.nan)), ValueError, "position"),
    "tolerance 0": (
        lambda s, t: s.add_world_position_constraint(t, (0, 0, 0), tolerance=0.0),
        ValueError,
        "tolerance: expected positive",
    ),
    "angle 0": (
        lambda s, t: s.add_world_orientation_constraint(t, np.eye(3), tolerance=0.0),
        ValueError,
        "tolerance: expected a positive number",
    ),
    "half a pose": (
        lambda s, t: s.add_world_pose_constraint(t, np.eye(4), angular_tolerance=-1.0),
        ValueError,
        "tolerance",
    ),
    "neither": (lambda s, t: s.add_world_position_constraint(t), ValueError, "position: expected either"),
    "both": (
        lambda s, t: s.add_world_position_constraint(t, (0, 0, 0), lower=(0, 0, 0)),
        ValueError,
        "position: expected either",
    ),
    "tolerance of a box": (
        lambda s, t: s.add_world_position_constraint(t, lower=(0, 0, 0), tolerance=1.0),
        ValueError,
        "tolerance: expected none",
    ),
    "lower above upper": (
        lambda s, t: s.add_world_position_constraint(t, lower=(0, 0, 1), upper=(1, 1, 0)),
        ValueError,
        "lower <= upper",
    ),
    "no rotation": (
        lambda s, t: s.add_world_orientation_constraint(t, 2.0 * np.eye(3)),
        ValueError,
        "rotation",
    ),
    "rotations": (
        lambda s, t: s.add_world_orientation_constraint(t, np.stack([np.eye(3)] * 2)),
        ValueError,
        r"rotation: expected shape \(3, 3\)",
    ),
    "dof": (lambda s, t: s.add_joint_limits("nothing", 0.0, 1.0), kido.errors.UnknownNameError, "nothing"),
    "number of a dof": (lambda s, t: s.add_joint_limits(0, 0.0, 1.0), TypeError, "dof: expected a dof"),
    "foreign dof": (lambda s, t: s.add_joint_limits(planar().dofs[0], 0.0, 1.0), ValueError, "of another"),
    "limits crossed": (lambda s, t: s.add_joint_limits("j0", 1.0, 0.0), ValueError, "lower <= upper"),
    "limits beyond": (lambda s, t: s.add_joint_limits("j0", 4.0, 5.0), ValueError, "expected some within"),
    "guess": (lambda s, t: s.set_initial_guess((0.0,)), ValueError, r"positions: .*\(2,\)"),
    "no region": (lambda s, t: s.add_point_in_one_of_regions(t, []), ValueError, "one or more regions"),
    "no vertex": (lambda s, t: s.add_point_in_one_of_regions(t, [np.zeros((0, 3))]), ValueError, "vertex"),
    "flat vertices": (
        lambda s, t: s.add_point_in_one_of_regions(t, [(0, 0, 0)]),
        ValueError,
        r"regions\[0\]",
    ),
    "regions of none": (lambda s, t: s.add_point_in_one_of_regions(t, 3), TypeError, "regions"),
    "endless polytope": (
        lambda s, t: s.add_sphere_in_one_of_polytopes(t, 0.1, [CUBE, OPEN]),
        ValueError,
        r"polytopes\[1\]: expected a bounded region",
    ),
    "negative radius": (lambda s, t: s.add_sphere_in_one_of_polytopes(t, -1, [CUBE]), ValueError, "radius"),
    "no pair": (lambda s, t: s.add_sphere_in_one_of_polytopes(t, 1, [np.eye(3)]), TypeError, "pair of A"),
    "rows": (
        lambda s, t: s.add_sphere_in_one_of_polytopes(t, 1, [(np.eye(3), np.ones(2))]),
        ValueError,
        "as many offsets",
    ),
    "normal of length 0": (
        lambda s, t: s.add_sphere_in_one_of_polytopes(t, 1, [(np.zeros((1, 3)), np.ones(1))]),
        ValueError,
        "nonzero normals",
    ),
}


@looped("name", REFUSED)
def test_wrong_constraints_are_refused_and_nothing_is_added(name: str) -> None:
    call, kind, message = REFUSED[name]
    search = GlobalIK(planar())
    tool = search.skeleton.end_effector("tool")
    search.add_world_position_constraint(tool, (0.7, 0.0, 0.0))
    with pytest.raises(kind, match=message):
        call(search, tool)
    assert search.num_constraints == 1
    assert search.solve().success


@looped(
    "options, message",
    [
        ({"time_budget": 0.0}, "time_budget"),
        ({"time_budget": np.inf}, "time_budget"),
        ({"max_nodes": 0}, "max_nodes"),
        ({"resolution": -1.0}, "resolution"),
        ({"seed": -1}, "seed"),
    ],
)
def test_numbers_out_of_range_are_refused(options: dict[str, float], message: str) -> None:
    search = GlobalIK(planar())
    search.add_world_position_constraint(search.skeleton.end_effector("tool"), (0.7, 0.0, 0.0))
    with pytest.raises(ValueError, match=message):
        search.solve(**options)


def test_tolerances_that_no_search_can_keep_are_refused() -> None:
    for options in ({"linear_tolerance": 1e-9}, {"angular_tolerance": 0.0}):
        with pytest.raises(ValueError, match=next(iter(options))):
            GlobalIK(planar(), **options)
    with pytest.raises(TypeError, match="skeleton: expected a Skeleton"):
        GlobalIK(planar().tree)


def test_a_problem_without_constraints_is_refused() -> None:
    with pytest.raises(ValueError, match="constraints: expected one or more"):
        GlobalIK(planar()).solve()


def test_sliding_joints_without_limits_are_named() -> None:
    robot = kido.Skeleton("rail")
    body = robot.add_body("cart", None, kido.PrismaticJoint("rail", (1, 0, 0)))
    search = GlobalIK(robot)
    search.add_world_position_constraint(body, (0.5, 0.0, 0.0))
    with pytest.raises(ValueError, match=r"'rail'.*add_joint_limits"):
        search.solve()
    search.add_joint_limits("rail", -1.0, 1.0)
    assert search.solve().success


CALL = """
import kido
robot = kido.gallery.arm7()
search = kido.ik.GlobalIK(robot)
search.add_world_position_constraint(robot.end_effector("tool"), (0.0, 0.9, 0.95))
R = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
search.add_world_orientation_constraint(robot.end_effector("tool"), R, tolerance=1.0)
print("begin", flush=True)
try:
    while True:
        search.solve(time_budget=100.0)
except KeyboardInterrupt:
    print("stopped")
"""


def test_ctrl_c_ends_a_proof() -> None:
    seconds, printed = interrupted(CALL)
    assert "stopped" in printed
    assert seconds < 2.0
