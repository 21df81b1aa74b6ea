"""Solutions of compiled IKFast solvers: two that stand in `ikfast/`, by either form of the interface."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from _arms import apart
from _ikfast import TARGET, Build
from _poses import placed, pose
from scipy.spatial.transform import RigidTransform, Rotation

import kido
from kido.errors import LibraryError
from kido.ik import IKFastLibrary, IKFastType

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

Echo = Callable[..., IKFastLibrary]


@pytest.fixture
def echo(build: Build, monkeypatch: pytest.MonkeyPatch) -> Echo:
    """The solver that tells what it was asked."""

    def loaded(
        *definitions: str, ik_type: IKFastType = IKFastType.TRANSFORM_6D, wrong: str = ""
    ) -> IKFastLibrary:
        monkeypatch.setenv("ECHO_TYPE", str(int(ik_type)))
        monkeypatch.setenv("ECHO_WRONG", wrong)
        return build("echo", *definitions)

    return loaded


def the_arm(*, free: bool = False) -> kido.FrameNode:
    """The tool of the arm that `ikfast/arm.cpp` solves."""
    joints: list[kido.Joint] = [kido.RevoluteJoint("tilt", axis=(1.0, 0.0, 0.0))] if free else []
    for i, (axis, rise) in enumerate([(Z, 0.0), (Y, 0.3), (Y, 0.4), (Z, 0.35), (Y, 0.0), (Z, 0.0)]):
        joints.append(kido.RevoluteJoint(f"q{i}", axis=axis, T_parent_joint=(0.0, 0.0, rise)))
    if free:
        joints.append(kido.PrismaticJoint("slide", axis=Z))
    arm, body = kido.Skeleton("arm"), None
    for joint in joints:
        body = arm.add_body(f"on {joint.name}", body, joint)
    assert body is not None
    return body.add_end_effector("tool", (0.0, 0.0, 0.1))


def forms(*definitions: str) -> pytest.MarkDecorator:
    """The older symbols and layout, and the newer."""
    cases = [pytest.param(definitions, id="older"), pytest.param(("NEWER", *definitions), id="newer")]
    return pytest.mark.parametrize("form", cases)


def assert_at(tool: kido.FrameNode, rows: np.ndarray, target: np.ndarray) -> None:
    """By kido's forward kinematics and by the product of elementary motions."""
    skeleton = tool.skeleton
    for q in rows:
        skeleton.positions = q
        np.testing.assert_allclose(tool.transform(), target, atol=1e-12)
        np.testing.assert_allclose(placed(tool, q), target, atol=1e-12)


@forms()
def test_every_solution_reaches_the_target_and_the_positions_that_made_it_are_one(
    build: Build, form: tuple[str, ...]
) -> None:
    library, tool = build("arm", *form), the_arm()
    for q in np.random.default_rng(1).uniform(-np.pi, np.pi, (25, 6)):
        target = placed(tool, q)
        rows = library.solve(target)
        assert rows.shape[1] == 6 and len(rows) in (4, 8)
        assert apart(rows, q).min() < 1e-7
        assert_at(tool, rows, target)


@forms("FREE")
def test_free_joints_keep_the_positions_given_in_their_order(build: Build, form: tuple[str, ...]) -> None:
    library, tool = build("arm", *form), the_arm(free=True)
    assert library.free_joints == (0, 7)
    rng = np.random.default_rng(2)
    for q in rng.uniform(-np.pi, np.pi, (15, 8)):
        q[7] = rng.uniform(-0.2, 0.2)
        target = placed(tool, q)
        rows = library.solve(target, [q[0], q[7]], near=rng.uniform(-1.0, 1.0, 8))
        assert np.all(rows[:, [0, 7]] == q[[0, 7]])
        assert apart(rows[:, 1:7], q[1:7]).min() < 1e-7
        assert_at(tool, rows, target)


@forms("FREE")
@pytest.mark.parametrize("bend", [0.0, np.pi])
def test_a_joint_that_a_singular_pose_leaves_open_takes_the_position_that_is_near(
    build: Build, form: tuple[str, ...], bend: float
) -> None:
    library, tool = build("arm", *form), the_arm(free=True)
    q = np.array([0.3, 0.4, -0.5, 0.8, 2.5, bend, 1.5, 0.1])
    target = placed(tool, q)
    open_at_zero = library.solve(target, q[[0, 7]])
    given = library.solve(target, q[[0, 7]], near=q)
    assert_at(tool, open_at_zero, target)
    assert_at(tool, given, target)
    open_rows = given[:, 4] == 2.5
    assert np.any(open_rows)
    assert np.all(open_at_zero[open_rows, 4] == 0.0)
    assert apart(given[open_rows], q).min() < 1e-7
    assert np.abs(given[open_rows, 6]).max() <= np.pi


def test_a_given_angle_keeps_its_turn_and_what_follows_is_within_one(build: Build) -> None:
    library, tool = build("arm"), the_arm()
    near = np.array([0.4, -0.5, 0.8, 20.0, 0.0, 0.0])
    target = placed(tool, near)
    rows = library.solve(target, near=near)
    assert_at(tool, rows, target)
    assert np.any(rows[:, 3] == 20.0)
    assert np.abs(rows[:, 5]).max() <= np.pi


@forms("FREE")
def test_forward_kinematics_are_those_of_kido(build: Build, form: tuple[str, ...]) -> None:
    library, tool = build("arm", *form), the_arm(free=True)
    for q in np.random.default_rng(3).uniform(-np.pi, np.pi, (10, 8)):
        np.testing.assert_allclose(library.forward(q), placed(tool, q), atol=1e-14)


def test_a_free_joint_that_is_open_too_takes_what_is_given_and_only_angles_are_brought_within_a_turn(
    echo: Echo,
) -> None:
    library = echo("FREE")
    (row,) = library.solve(TARGET, [4.0], near=np.full(12, 9.0))
    np.testing.assert_allclose(row[4:7], [4.0, 2.0, 2.0], atol=1e-14)
    (row,) = library.solve(TARGET, [-4.0], near=np.full(12, 9.0))
    np.testing.assert_allclose(row[4:7], [-4.0, 18.0 - 6.0 * np.pi, 18.0], atol=1e-14)


def test_a_target_out_of_reach_has_no_solutions(build: Build) -> None:
    rows = build("arm").solve(pose(position=(3.0, 0.0, 0.0)))
    assert rows.shape == (0, 6)


def test_targets_may_be_rigid_transforms_of_scipy(build: Build) -> None:
    target = RigidTransform.from_components([0.25, -0.35, 0.6], Rotation.from_rotvec([0.3, -0.5, 0.9]))
    rows = build("arm").solve(target)
    np.testing.assert_allclose(rows, build("arm").solve(TARGET), atol=1e-14)
    assert len(rows) > 0


R, P = TARGET[:3, :3], TARGET[:3, 3]
NONE = np.zeros(3)
POINT, DIRECTION, ROTATION = (P, np.zeros(9)), [*R[:, 2], *np.zeros(6)], R.ravel()
ASKED = {
    IKFastType.TRANSFORM_6D: (P, ROTATION),
    IKFastType.ROTATION_3D: (NONE, ROTATION),
    IKFastType.TRANSLATION_3D: POINT,
    IKFastType.DIRECTION_3D: (NONE, DIRECTION),
    IKFastType.RAY_4D: (P, DIRECTION),
    IKFastType.LOOKAT_3D: POINT,
    IKFastType.TRANSLATION_DIRECTION_5D: (P, DIRECTION),
    IKFastType.TRANSLATION_XY_2D: ([P[0], P[1], 0.0], np.zeros(9)),
    IKFastType.TRANSLATION_XY_ORIENTATION_3D: ([P[0], P[1], np.arctan2(R[1, 0], R[0, 0])], np.zeros(9)),
}
"""Translation and rotation that a solver of each type is given: see ComputeIk in ikfast.h."""


@pytest.mark.parametrize("ik_type", ASKED, ids=lambda ik_type: ik_type.name)
def test_each_type_of_solver_is_asked_what_it_wants(echo: Echo, ik_type: IKFastType) -> None:
    library = echo(ik_type=ik_type)
    assert library.ik_type is ik_type
    np.testing.assert_allclose(library.solve(TARGET), [np.concatenate(ASKED[ik_type])], atol=1e-14)


def test_the_newer_layout_is_read_and_read_back_through_every_function(echo: Echo) -> None:
    rows = echo("NEWER").solve(TARGET)
    np.testing.assert_allclose(rows, [np.concatenate(ASKED[IKFastType.TRANSFORM_6D])], atol=1e-14)


@pytest.mark.parametrize("ik_type", sorted(set(IKFastType) - set(ASKED)), ids=lambda ik_type: ik_type.name)
def test_types_that_want_what_no_pose_says_are_refused_by_name(echo: Echo, ik_type: IKFastType) -> None:
    library = echo(ik_type=ik_type)
    with pytest.raises(ValueError, match=rf"target: expected .* pose .*, got {ik_type.name}$"):
        library.solve(TARGET)


def test_the_known_types_are_sixteen_with_the_numbers_of_ikfast() -> None:
    assert len(IKFastType) == 16
    assert [number & 0xFF for number in IKFastType] == list(range(1, 17))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("length", "a solution has 312 bytes, expected 288 or 384 for 12 joints"),
        ("open joint", "a solution leaves joint 12 open, of 12"),
        ("open joint below", "a solution leaves joint -1 open, of 12"),
        ("source", "a solution refers to open joint 0 of 0"),
    ],
)
def test_answers_that_are_no_solutions_are_an_error(echo: Echo, wrong: str, message: str) -> None:
    library = echo(wrong=wrong)
    with pytest.raises(LibraryError, match=message) as caught:
        library.solve(TARGET)
    assert caught.value.file == str(library.path)


def test_solutions_that_are_not_finite_are_left_out(echo: Echo) -> None:
    rows = echo(wrong="infinite").solve(TARGET)
    assert len(rows) == 1 and np.all(np.isfinite(rows))


def test_what_a_solver_raises_is_an_error_with_its_words(build: Build) -> None:
    with pytest.raises(LibraryError, match="the arm is tired"):
        build("arm", "RAISES").solve(TARGET)


@pytest.mark.parametrize(
    ("target", "free", "near", "message"),
    [
        (np.full((4, 4), np.nan), [0, 0], None, "target: expected finite numbers"),
        (np.eye(3), [0, 0], None, r"target: expected shape \(\.\.\., 4, 4\)"),
        (np.eye(4)[[1, 0, 2, 3]], [0, 0], None, "target: .*rotation"),
        (np.stack([TARGET, TARGET]), [0, 0], None, r"target: expected shape \(4, 4\) \[m\], got \(2, 4, 4\)"),
        (TARGET, [], None, r"free: expected shape \(2,\) \[rad, m\], got \(0,\)"),
        (TARGET, [0, 0, 0], None, r"free: expected shape \(2,\) \[rad, m\], got \(3,\)"),
        (TARGET, [0, np.inf], None, "free: expected finite numbers"),
        (TARGET, [0, 0], np.zeros(6), r"near: expected shape \(8,\) \[rad, m\], got \(6,\)"),
        (TARGET, [0, 0], np.full(8, np.nan), "near: expected finite numbers"),
    ],
)
def test_wrong_arguments_are_refused(
    build: Build, target: np.ndarray, free: list[float], near: np.ndarray | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        build("arm", "FREE").solve(target, free, near=near)


def test_forward_kinematics_refuse_wrong_positions_and_say_where_there_are_none(
    build: Build, echo: Echo
) -> None:
    with pytest.raises(ValueError, match=r"positions: expected shape \(6,\) \[rad, m\], got \(5,\)"):
        build("arm").forward(np.zeros(5))
    with pytest.raises(ValueError, match="positions: expected finite numbers"):
        build("arm").forward(np.full(6, np.nan))
    with pytest.raises(ValueError, match="forward: expected a library with ComputeFk"):
        echo().forward(np.zeros(12))
