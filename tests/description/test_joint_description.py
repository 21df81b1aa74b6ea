from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import RigidTransform, Rotation

from kido.description import (
    EULER_ORDERS,
    Calibration,
    JointDescription,
    JointDynamics,
    JointLimits,
    JointType,
    Mimic,
    Safety,
    planar_axes,
)
from kido.errors import DescriptionError

AXES = {1: [[0.0, 0.0, 1.0]], 2: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]}
DOFS = {
    "weld": 0,
    "revolute": 1,
    "prismatic": 1,
    "screw": 1,
    "universal": 2,
    "euler": 3,
    "ball": 3,
    "planar": 3,
    "translational": 3,
    "translational2d": 2,
    "free": 6,
}


def joint(joint_type: str = "revolute", **changes: object) -> JointDescription:
    axes = AXES.get(JointType(joint_type).num_axes, [])
    return JointDescription("j", joint_type, None, "a", **{"axes": axes, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(("joint_type", "dofs"), list(DOFS.items()))
def test_every_type_sizes_its_arrays_by_its_degrees_of_freedom(joint_type: str, dofs: int) -> None:
    made = joint(joint_type)
    assert made.num_dofs == dofs
    assert made.limits.lower.shape == made.limits.acceleration.shape == (dofs,)
    assert made.dynamics.damping.shape == made.dynamics.rest_position.shape == (dofs,)
    assert made.axes.shape == (made.type.num_axes, 3)


@pytest.mark.parametrize("joint_type", list(DOFS))
def test_every_type_pickles_and_compares_by_value(joint_type: str) -> None:
    made = joint(joint_type, mimic=Mimic("k", 2.0), calibration=Calibration(0.1), safety=Safety(-1.0, 1.0))
    copy = pickle.loads(pickle.dumps(made))
    assert copy == made
    assert hash(copy) == hash(made)
    assert not copy.T_parent_joint.flags.writeable


def test_types_of_the_table_are_complete() -> None:
    assert set(DOFS) == {str(member) for member in JointType}


def test_joints_of_another_placement_differ() -> None:
    assert joint() != joint(T_parent_joint=np.diag([1.0, -1.0, -1.0, 1.0]))


def test_defaults_bound_nothing_and_resist_nothing() -> None:
    made = joint()
    assert made.limits == JointLimits([-math.inf], [math.inf], [math.inf], [math.inf], [math.inf])
    assert made.dynamics == JointDynamics([0.0], [0.0], [0.0], [0.0], [0.0])


def test_one_number_stands_for_all_degrees_of_freedom() -> None:
    made = joint("ball", limits=JointLimits(lower=-1.0, upper=[1.0, 2.0, 3.0]), dynamics=JointDynamics(0.5))
    assert made.limits.lower.tolist() == [-1.0, -1.0, -1.0]
    assert made.limits.upper.tolist() == [1.0, 2.0, 3.0]
    assert made.dynamics.damping.tolist() == [0.5, 0.5, 0.5]


def test_axes_are_normalised() -> None:
    assert np.allclose(joint(axes=[[0.0, 3.0, 4.0]]).axes, [[0.0, 0.6, 0.8]], rtol=1e-15)


def test_a_single_axis_may_be_a_vector() -> None:
    assert joint(axes=[0.0, 2.0, 0.0]).axes.tolist() == [[0.0, 1.0, 0.0]]


@given(st.integers(0, 2**32 - 1))
def test_planar_axes_cross_to_the_normal(seed: int) -> None:
    normal = np.random.default_rng(seed).normal(size=3)
    first, second = planar_axes(normal)
    assert np.allclose(np.cross(first, second), normal / np.linalg.norm(normal), atol=2e-15)
    assert abs(first @ second) < 1e-15


@pytest.mark.parametrize("normal", list(np.vstack([np.eye(3), -np.eye(3)])))
def test_planar_axes_of_coordinate_normals_are_exact(normal: np.ndarray) -> None:
    first, second = planar_axes(normal)
    assert np.cross(first, second).tolist() == normal.tolist()


def test_planar_axes_of_z_are_x_and_y() -> None:
    assert planar_axes([0.0, 0.0, 2.0]).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


@pytest.mark.parametrize("joint_type", ["planar", "translational2d"])
def test_skew_translation_axes_are_refused(joint_type: str) -> None:
    with pytest.raises(DescriptionError, match="axes: expected orthogonal axes"):
        joint(joint_type, axes=[[1.0, 0.0, 0.0], [0.1, 1.0, 0.0]])


def test_nearly_orthogonal_translation_axes_become_orthogonal() -> None:
    first, second = joint("planar", axes=[[1.0, 0.0, 0.0], [1e-8, 1.0, 0.0]]).axes
    assert first @ second == 0.0


def test_universal_axes_may_be_skew() -> None:
    made = joint("universal", axes=[[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    assert np.allclose(made.axes[0] @ made.axes[1], math.sqrt(0.5))


def test_rigid_transforms_of_scipy_are_accepted() -> None:
    pose = RigidTransform.from_components([1.0, 2.0, 3.0], Rotation.from_euler("z", 0.3))
    assert np.array_equal(joint(T_child_joint=pose).T_child_joint, pose.as_matrix())


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_all_twelve_euler_orders_are_accepted(order: str) -> None:
    assert joint("euler", euler_order=order).euler_order == order


def test_there_are_twelve_euler_orders_without_repeated_neighbours() -> None:
    expected = {a + b + c for a in "xyz" for b in "xyz" for c in "xyz" if a != b and b != c}
    assert set(EULER_ORDERS) == expected and len(EULER_ORDERS) == 12


SHEAR = np.eye(4)
SHEAR[0, 1] = 1e-3
MOVED_LAST_ROW = np.eye(4)
MOVED_LAST_ROW[3, 0] = 1.0


@pytest.mark.parametrize(
    ("joint_type", "changes", "message"),
    [
        ("hinge", {}, "type: expected one of weld, revolute"),
        ("revolute", {"axes": [[0.0, 0.0, 0.0]]}, "axes: expected a nonzero vector"),
        ("revolute", {"axes": [[0.0, 0.0, math.nan]]}, "axes: expected finite"),
        ("revolute", {"axes": AXES[2]}, r"axes: expected shape \(1, 3\) of a revolute joint, got \(2, 3\)"),
        ("weld", {"axes": AXES[1]}, r"axes: expected shape \(0, 3\)"),
        ("revolute", {"T_parent_joint": np.eye(3)}, r"T_parent_joint: expected shape \(4, 4\), got \(3, 3\)"),
        ("revolute", {"T_parent_joint": SHEAR}, "T_parent_joint: expected a rotation"),
        ("revolute", {"T_child_joint": np.diag([1.0, 1.0, -1.0, 1.0])}, "T_child_joint: expected a rotation"),
        ("revolute", {"T_child_joint": MOVED_LAST_ROW}, "T_child_joint: expected a last row"),
        ("screw", {"pitch": math.inf}, r"pitch: expected finite numbers \[m\]"),
        ("euler", {"euler_order": "xxy"}, "euler_order: expected one of xyz"),
        ("revolute", {"limits": JointLimits([0.0, 0.0], 1.0)}, r"limits.lower: expected shape \(1,\), got"),
        ("ball", {"dynamics": JointDynamics([0.0, 0.0])}, r"dynamics.damping: expected shape \(3,\), got"),
        ("revolute", {"dof_names": ["a", "b"]}, "dof_names: expected 1 different names"),
        ("universal", {"dof_names": ["a", "a"]}, "dof_names: expected 2 different names"),
    ],
)
def test_malformed_joints_are_refused(joint_type: str, changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        if joint_type in DOFS:
            joint(joint_type, **changes)
        else:
            JointDescription("j", joint_type, None, "a")


def test_unnamed_joints_are_refused() -> None:
    with pytest.raises(DescriptionError, match="name: expected a nonempty string"):
        JointDescription("", "weld", None, "a")


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"lower": 1.0, "upper": 0.0}, "expected lower <= upper"),
        ({"lower": math.inf}, "expected lower <= upper"),
        ({"upper": -math.inf}, "expected lower <= upper"),
        ({"lower": math.nan}, "lower: expected numbers, not NaN"),
        ({"velocity": -1.0}, "velocity: expected no negative number"),
        ({"effort": [-1.0]}, "effort: expected no negative number"),
        ({"acceleration": math.nan}, "acceleration: expected numbers"),
    ],
)
def test_impossible_limits_are_refused(limits: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        JointLimits(**limits)


def test_equal_limits_lock_a_joint_and_are_allowed() -> None:
    assert JointLimits(0.5, 0.5).lower == 0.5


@pytest.mark.parametrize("field", ["damping", "friction", "stiffness"])
@pytest.mark.parametrize("bad", [-1.0, math.inf, math.nan])
def test_impossible_dynamics_are_refused(field: str, bad: float) -> None:
    with pytest.raises(ValueError, match=f"{field}: expected"):
        JointDynamics(**{field: bad})


def test_rest_position_may_be_negative() -> None:
    assert JointDynamics(rest_position=-1.0).rest_position == -1.0


@pytest.mark.parametrize(
    "make",
    [
        lambda x: Mimic("a", x),
        lambda x: Mimic("a", 1.0, x),
        lambda x: Calibration(x),
        lambda x: Calibration(None, x),
        lambda x: Safety(x),
        lambda x: Safety(k_velocity=x),
    ],
)
@pytest.mark.parametrize("bad", [math.inf, math.nan])
def test_non_finite_couplings_are_refused(make: object, bad: float) -> None:
    with pytest.raises(ValueError, match="expected finite numbers"):
        make(bad)  # type: ignore[operator]
