"""IKFast libraries as the gradient method of a module."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
from _ikfast import SOURCES, TARGET, Build
from _poses import assert_there, gap, placed, pose, turned, with_positions

import kido
from kido import InverseKinematics
from kido.errors import UnknownNameError
from kido.ik import IKFastMethod, Validity

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
NAMES = [f"q{i}" for i in range(6)]


def the_arm(*, free: bool = False) -> InverseKinematics:
    """The arm that `ikfast/arm.cpp` solves, on a base that stands somewhere."""
    arm = kido.Skeleton("arm")
    place = pose(turned(0.1, 0.2, 0.3), (0.4, -0.5, 0.6))
    body = arm.add_body("base", joint=kido.WeldJoint("mount", T_parent_joint=place))
    joints: list[kido.Joint] = [kido.RevoluteJoint("tilt", axis=(1.0, 0.0, 0.0))] if free else []
    for name, axis, rise in zip(NAMES, (Z, Y, Y, Z, Y, Z), (0.0, 0.3, 0.4, 0.35, 0.0, 0.0), strict=True):
        joints.append(kido.RevoluteJoint(name, axis=axis, T_parent_joint=(0.0, 0.0, rise)))
    if free:
        joints.append(kido.PrismaticJoint("slide", axis=Z))
    for joint in joints:
        body = arm.add_body(f"on {joint.name}", body, joint)
    return InverseKinematics.of(body.add_end_effector("tool", (0.0, 0.0, 0.1)))


def in_world(ik: InverseKinematics) -> np.ndarray:
    return ik.node.skeleton.body("base").transform() @ TARGET


def test_a_module_is_solved_by_a_library(build: Build) -> None:
    ik = the_arm()
    ik.gradient_method = method = IKFastMethod(build("arm"), NAMES)
    target = in_world(ik)
    ik.target.set_transform(target)
    result = ik.solve()
    assert_there(ik, result, target)
    assert result.method == "IKFastMethod" and result.iterations == 0
    found = method.solutions(ik)
    assert len(found) >= 4 and all(one.is_valid for one in found)
    for one in found:
        assert max(gap(placed(ik.node, with_positions(ik, one.positions)), target)) < 1e-9
    ik.positions = found[-1].positions + 0.1
    np.testing.assert_allclose(ik.gradient(), ik.positions - found[-1].positions, atol=1e-12)


def test_its_solutions_are_turned_into_limits_and_tagged(build: Build) -> None:
    ik = the_arm()
    ik.gradient_method = method = IKFastMethod(build("arm"), NAMES)
    ik.target.set_transform(in_world(ik))
    first = ik.dofs[0]
    free = sorted({round(float(one.positions[0]), 6) for one in method.solutions(ik)})
    assert len(free) == 2
    first.position_lower_limit = free[1] + 2 * np.pi - 0.2
    first.position_upper_limit = free[1] + 2 * np.pi + 0.2
    found = method.solutions(ik)
    half = len(found) // 2
    assert [one.validity for one in found] == [Validity.VALID] * half + [Validity.LIMIT_VIOLATED] * half
    assert found[0].positions[0] == pytest.approx(free[1] + 2 * np.pi, abs=1e-5)


def test_a_target_without_solution_is_a_result(build: Build) -> None:
    ik = the_arm()
    ik.gradient_method = IKFastMethod(build("arm"), NAMES)
    ik.target.set_transform(pose(position=(9.0, 0.0, 0.0)))
    result = ik.solve()
    assert not result and result.message.endswith("there is no solution")
    np.testing.assert_array_equal(result.positions, ik.positions)


def test_free_joints_stay_where_they_are_or_are_tried_where_they_may_be(build: Build) -> None:
    ik = the_arm(free=True)
    ik.gradient_method = method = IKFastMethod(build("arm", "FREE"), NAMES, ["tilt", "slide"])
    assert [dof.name for dof in method.analytical_dofs(ik)] == ["tilt", *NAMES, "slide"]
    for name, low, high in (("tilt", -0.4, 0.4), ("slide", 0.0, 0.9)):
        dof = ik.node.skeleton.dof(name)
        dof.position_lower_limit, dof.position_upper_limit = low, high
    ik.positions = [0.2, 0.0, 0.5, 0.5, 0.0, 0.5, 0.0, 0.1]
    with ik.at([0.2, 0.3, 0.4, 0.9, -0.5, 0.8, 0.2, 0.1]):
        near = ik.transform()
    ik.target.set_transform(near)
    result = ik.solve()
    assert_there(ik, result, near)
    assert result.positions[[0, 7]].tolist() == [0.2, 0.1]
    with ik.at([0.2, 0.3, 0.4, 0.3, 0.1, 0.2, 0.2, 0.8]):
        far = ik.transform()
    ik.target.set_transform(far)
    result = ik.solve()
    assert_there(ik, result, far)
    assert result.positions[7] > 0.5
    ik.dofs = [dof for dof in ik.dofs if dof.name != "slide"]
    assert not ik.solve(), "what the module does not move stays"


def test_a_base_can_be_named(build: Build) -> None:
    ik = the_arm()
    ik.target.set_transform(in_world(ik))
    ik.gradient_method = IKFastMethod(build("arm"), NAMES, base="base")
    assert ik.solve().success
    ik.gradient_method = IKFastMethod(build("arm"), NAMES, base="on q5")
    assert not ik.solve().success


def test_methods_are_values_of_their_file(build: Build, tmp_path: Path) -> None:
    library = build("arm")
    method = IKFastMethod(library, NAMES)
    assert method == IKFastMethod(library.path, NAMES)
    assert pickle.loads(pickle.dumps(method)) == method
    assert method.library.num_joints == 6
    ik = the_arm()
    ik.gradient_method = method
    copy = InverseKinematics.of(ik.node.skeleton.clone().node(kido.EndEffector, "tool"))
    copy.target.set_transform(in_world(copy))
    assert copy.solve().method == "IKFastMethod"
    with pytest.raises(FileNotFoundError):
        IKFastMethod(tmp_path / "none.so", NAMES)


def test_dofs_that_do_not_fit_the_library_are_refused(build: Build) -> None:
    with pytest.raises(ValueError, match=r"dofs: expected 6 dofs for <IKFastLibrary .*>, got \['q0'\]"):
        IKFastMethod(build("arm"), ["q0"])
    with pytest.raises(ValueError, match="free_dofs: expected 2 dofs"):
        IKFastMethod(build("arm", "FREE"), NAMES)
    with pytest.raises(ValueError, match="free_dofs: expected others than `dofs`"):
        IKFastMethod(build("arm", "FREE"), NAMES, ["q0", "slide"])
    ik = the_arm()
    with pytest.raises(UnknownNameError, match="p0"):
        ik.gradient_method = IKFastMethod(build("arm"), ["p0", *NAMES[1:]])
    ik.dofs = ik.dofs[1:]
    with pytest.raises(ValueError, match="expected dofs of the module of 'tool', got 'q0'"):
        ik.gradient_method = IKFastMethod(build("arm"), NAMES)


def test_a_method_takes_the_source_of_its_library(tmp_path: Path) -> None:
    for name in ("arm.cpp", "ikfast.h"):
        shutil.copy(SOURCES / name, tmp_path)
    source = tmp_path / "arm.cpp"
    ik = the_arm()
    ik.gradient_method = method = IKFastMethod(source, NAMES)
    assert method.path == source and method.library.path.parent == tmp_path
    ik.target.set_transform(in_world(ik))
    assert_there(ik, ik.solve(), in_world(ik))
    method.save(tmp_path / "method.json")
    assert IKFastMethod.load(tmp_path / "method.json") == method
    source.write_text("#define FREE\n" + source.read_text())
    with pytest.raises(ValueError, match="free_dofs: expected 2 dofs"):
        IKFastMethod(source, NAMES)
