"""Jacobians and their derivatives: slopes of poses, and the velocities and accelerations that they give."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from _moving_skeletons import MAKERS, branched, set_moving, skeleton_of
from _random_trees import Array, along, assert_near, moving, random_transform, rate

import kido
from kido import WORLD

EXACT = 1e-12
DIFFERENCED = 1e-9
DIFFERENCED_TWICE = 1e-7
OFFSET = np.array([0.3, -0.2, 0.5])

OBSERVERS = ("none", "world", "body", "node", "ancestor", "stranger")
AXES = ("none", "world", "body", "frame")
FRAMES = ("body", "node", "frame", "world")


@cache
def skeleton() -> kido.Skeleton:
    return branched(5)


@cache
def node() -> kido.EndEffector:
    body = skeleton().body("body8")
    return body.add_end_effector("tool", random_transform(np.random.default_rng(0)))


@cache
def attached() -> kido.SimpleFrame:
    """At rest in a body, by way of another frame."""
    rng = np.random.default_rng(1)
    carrier = kido.SimpleFrame("carrier", skeleton().body("body7"), random_transform(rng))
    return kido.SimpleFrame("attached", carrier, random_transform(rng))


def frame_of(kind: str) -> kido.Frame | None:
    """A frame by what it is; all but the world move with the skeleton alone."""
    match kind:
        case "world":
            return WORLD
        case "body":
            return skeleton().body("body6")
        case "node":
            return node()
        case "frame":
            return attached()
        case "ancestor":
            return skeleton().body("body2")
        case "stranger":
            return skeleton().body("body10")
    return None


def at(positions: Array, ask: Callable[[], Array]) -> Array:
    """Answers at other positions."""
    s = skeleton()
    before = s.positions
    s.positions = positions
    try:
        return ask()
    finally:
        s.positions = before


def each(ask: Callable[[], Array]) -> Callable[[Array], Array]:
    """The question at each of several positions (k, num_dofs)."""
    return lambda rows: np.array([at(row, ask) for row in rows])


def pose(frame: kido.Frame, observer: kido.Frame | None) -> Array:
    """Pose relative to the observer, from poses in the world."""
    base = np.eye(4) if observer is None else observer.transform()
    return np.linalg.solve(base, frame.transform())


def turn(frame: kido.Frame, axes: kido.Frame | None) -> Array:
    """Rotation (3, 3) from a frame's axes to others; None is the frame."""
    if axes is None:
        return np.eye(3)
    return axes.transform()[:3, :3].T @ frame.transform()[:3, :3]


def twist(T: Array, slope: Array, offset: Array) -> Array:
    """Spatial velocity (6, ...) at a point, in the axes of T, of a slope (4, 4, ...) of T."""
    spin = np.tensordot(T[:3, :3].T, slope[:3, :3], 1)
    angular = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    point = np.einsum("ij...,j->i...", slope[:3, :3], offset) + slope[:3, 3]
    return np.concatenate([angular, np.tensordot(T[:3, :3].T, point, 1)])


def differenced(
    frame: kido.Frame, observer: kido.Frame | None, axes: kido.Frame | None, offset: Array
) -> Array:
    """The Jacobian by finite differences of poses."""
    s = skeleton()
    slope = along(s.tree, s.positions, each(lambda: pose(frame, observer)))
    J = twist(pose(frame, observer), slope, offset)
    R = turn(frame, axes)
    return np.concatenate([R @ J[:3], R @ J[3:]])


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("observer", OBSERVERS)
@pytest.mark.parametrize("kind", FRAMES)
def test_a_jacobian_is_the_slope_of_poses_whoever_moves_observes_and_gives_axes(
    kind: str, observer: str, axes: str
) -> None:
    frame = frame_of(kind)
    assert frame is not None
    options = {"relative_to": frame_of(observer), "in_coordinates_of": frame_of(axes)}
    for offset in (np.zeros(3), OFFSET):
        expected = differenced(frame, options["relative_to"], options["in_coordinates_of"], offset)
        assert_near(skeleton().jacobian(frame, offset, **options), expected, DIFFERENCED)
        in_axes = {**options, "in_coordinates_of": options["in_coordinates_of"] or frame}
        assert_near(skeleton().linear_jacobian(frame, offset, **in_axes), expected[3:], DIFFERENCED)
    assert_near(skeleton().angular_jacobian(frame, **in_axes), expected[:3], DIFFERENCED)


@pytest.mark.parametrize("kind", FRAMES)
def test_without_axes_linear_and_angular_jacobians_are_in_the_axes_of_the_world(kind: str) -> None:
    frame = frame_of(kind)
    assert frame is not None
    expected = differenced(frame, None, WORLD, OFFSET)
    assert_near(skeleton().linear_jacobian(frame, OFFSET), expected[3:], DIFFERENCED)
    assert_near(skeleton().angular_jacobian(frame), expected[:3], DIFFERENCED)


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("observer", OBSERVERS)
@pytest.mark.parametrize("kind", FRAMES)
def test_jacobians_and_their_derivatives_give_velocities_and_both_accelerations(
    kind: str, observer: str, axes: str
) -> None:
    s, frame = skeleton(), frame_of(kind)
    assert frame is not None
    v, a = s.velocities, s.accelerations
    options = {"relative_to": frame_of(observer), "in_coordinates_of": frame_of(axes)}
    J = s.jacobian(frame, OFFSET, **options)
    assert_near(J @ v, frame.spatial_velocity(OFFSET, **options), EXACT)
    dJ = s.jacobian_spatial_derivative(frame, OFFSET, **options)
    assert_near(J @ a + dJ @ v, frame.spatial_acceleration(OFFSET, **options), EXACT)
    J = np.concatenate([s.angular_jacobian(frame, **options), s.linear_jacobian(frame, OFFSET, **options)])
    assert_near(J[:3] @ v, frame.angular_velocity(**options), EXACT)
    assert_near(J[3:] @ v, frame.linear_velocity(OFFSET, **options), EXACT)
    dJ = s.jacobian_classic_derivative(frame, OFFSET, **options)
    assert_near(J[:3] @ a + dJ[:3] @ v, frame.angular_acceleration(**options), EXACT)
    assert_near(J[3:] @ a + dJ[3:] @ v, frame.linear_acceleration(OFFSET, **options), EXACT)
    assert_near(s.angular_jacobian_derivative(frame, **options), dJ[:3], 0.0)
    assert_near(s.linear_jacobian_derivative(frame, OFFSET, **options), dJ[3:], 0.0)


def poses_in_time(frame: kido.Frame, observer: kido.Frame | None) -> Callable[[float], Array]:
    s = skeleton()
    motion = moving(s.tree, s.positions, s.velocities, s.accelerations)
    return lambda t: at(motion(t)[0], lambda: pose(frame, observer))


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("observer", OBSERVERS)
@pytest.mark.parametrize("kind", ("body", "node", "frame"))
def test_the_classic_derivative_gives_the_second_derivative_of_a_points_position(
    kind: str, observer: str, axes: str
) -> None:
    s, frame = skeleton(), frame_of(kind)
    assert frame is not None
    seen_by, in_axes = frame_of(observer), frame_of(axes) or WORLD
    poses = poses_in_time(frame, seen_by)
    h = 2e-3
    points = [poses(k * h) @ [*OFFSET, 1.0] for k in (-2, -1, 0, 1, 2)]
    weights = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / (12.0 * h * h)
    second = (weights @ points)[:3]
    to_axes = turn(frame, in_axes) @ pose(frame, seen_by)[:3, :3].T
    options = {"relative_to": seen_by, "in_coordinates_of": in_axes}
    J, dJ = (
        s.linear_jacobian(frame, OFFSET, **options),
        s.linear_jacobian_derivative(frame, OFFSET, **options),
    )
    assert_near(J @ s.accelerations + dJ @ s.velocities, to_axes @ second, DIFFERENCED_TWICE)


@pytest.mark.parametrize("observer", OBSERVERS)
@pytest.mark.parametrize("kind", ("body", "node", "frame"))
def test_the_spatial_derivative_gives_the_rate_of_the_twist_in_the_frames_own_axes(
    kind: str, observer: str
) -> None:
    s, frame = skeleton(), frame_of(kind)
    assert frame is not None
    seen_by = frame_of(observer)
    poses = poses_in_time(frame, seen_by)

    def velocity(t: float) -> Array:
        return twist(poses(t), rate(lambda u: poses(t + u)), OFFSET)

    J = s.jacobian(frame, OFFSET, relative_to=seen_by)
    dJ = s.jacobian_spatial_derivative(frame, OFFSET, relative_to=seen_by)
    assert_near(J @ s.accelerations + dJ @ s.velocities, rate(velocity), DIFFERENCED_TWICE)


@pytest.mark.parametrize("kind", FRAMES)
def test_in_world_axes_the_classic_derivative_is_the_rate_of_each_element(kind: str) -> None:
    s, frame = skeleton(), frame_of(kind)
    assert frame is not None
    motion = moving(s.tree, s.positions, s.velocities, s.accelerations)

    def jacobian(t: float) -> Array:
        return at(motion(t)[0], lambda: s.jacobian(frame, OFFSET, in_coordinates_of=WORLD))

    assert_near(s.jacobian_classic_derivative(frame, OFFSET), rate(jacobian), DIFFERENCED)


@pytest.mark.parametrize("kind", FRAMES)
def test_in_its_own_axes_the_spatial_derivative_is_the_rate_of_each_element(kind: str) -> None:
    s, frame = skeleton(), frame_of(kind)
    assert frame is not None
    motion = moving(s.tree, s.positions, s.velocities, s.accelerations)

    def jacobian(t: float) -> Array:
        return at(motion(t)[0], lambda: s.jacobian(frame, OFFSET))

    assert_near(s.jacobian_spatial_derivative(frame, OFFSET), rate(jacobian), DIFFERENCED)


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("kind", ("body", "node"))
def test_jacobians_of_a_body_or_node_have_the_columns_of_its_dependent_dofs_and_all_others_are_zero(
    kind: str, axes: str
) -> None:
    s, frame, in_axes = skeleton(), frame_of(kind), frame_of(axes)
    assert isinstance(frame, (kido.BodyNode, kido.EndEffector))
    dofs = frame.dependent_dof_indices
    assert 0 < len(dofs) < s.num_dofs
    assert [dof.index for dof in frame.dependent_dofs] == dofs
    for name in ("jacobian", "jacobian_spatial_derivative", "jacobian_classic_derivative"):
        for offset in (None, OFFSET):
            whole = getattr(s, name)(frame, offset, in_coordinates_of=in_axes)
            assert_near(getattr(frame, name)(offset, in_coordinates_of=in_axes), whole[:, dofs], 0.0)
            assert not np.delete(whole, dofs, axis=1).any()
    for name in ("linear_jacobian", "linear_jacobian_derivative"):
        whole = getattr(s, name)(frame, OFFSET, in_coordinates_of=in_axes)
        assert_near(getattr(frame, name)(OFFSET, in_coordinates_of=in_axes), whole[:, dofs], 0.0)
    for name in ("angular_jacobian", "angular_jacobian_derivative"):
        whole = getattr(s, name)(frame, in_coordinates_of=in_axes)
        assert_near(getattr(frame, name)(in_coordinates_of=in_axes), whole[:, dofs], 0.0)


def test_a_dof_moves_a_body_where_its_joint_is_on_the_way_to_the_root() -> None:
    s = skeleton()
    for body in s.bodies:
        above = {index for ancestor in body.ancestors() for index in ancestor.parent_joint.dof_indices}
        assert set(body.dependent_dof_indices) == above
        assert [body.depends_on(i) for i in range(s.num_dofs)] == [i in above for i in range(s.num_dofs)]


def test_relative_jacobians_leave_out_what_moves_both() -> None:
    s = skeleton()
    frame, observer = s.body("body6"), s.body("body5")
    J = s.jacobian(frame, OFFSET, relative_to=observer)
    own = list(frame.parent_joint.dof_indices)
    assert J[:, own].any()
    assert_near(np.delete(J, own, axis=1), np.zeros((6, s.num_dofs - len(own))), EXACT)


def test_a_frame_relative_to_itself_has_a_jacobian_of_zeros() -> None:
    frame = skeleton().body("body6")
    assert not skeleton().jacobian(frame, OFFSET, relative_to=frame).any()


def test_jacobians_follow_the_positions() -> None:
    s = branched(7)
    frame = s.body(5)
    stale = [s.jacobian(frame), s.jacobian_classic_derivative(frame), s.com_jacobian()]
    set_moving(s, 99)
    fresh = set_moving(branched(7), 99)
    for got, expected, old in zip(
        [s.jacobian(frame), s.jacobian_classic_derivative(frame), s.com_jacobian()],
        [
            fresh.jacobian(fresh.body(5)),
            fresh.jacobian_classic_derivative(fresh.body(5)),
            fresh.com_jacobian(),
        ],
        stale,
        strict=True,
    ):
        assert_near(got, expected, 0.0)
        assert np.abs(got - old).max() > 1e-3


# ---- center of mass


def com(s: kido.Skeleton) -> Array:
    """Center of mass (3,) from poses, masses and centers of the bodies."""
    T = np.array([body.transform() for body in s.bodies])
    masses = np.array([body.mass for body in s.bodies])
    points = np.einsum("bij,bj->bi", T[:, :3, :3], [body.local_com for body in s.bodies]) + T[:, :3, 3]
    return np.asarray(masses @ points / masses.sum())


@pytest.mark.parametrize("axes", AXES)
def test_the_jacobian_of_the_center_of_mass_is_the_slope_of_its_position(axes: str) -> None:
    s, in_axes = skeleton(), frame_of(axes)
    R = np.eye(3) if in_axes is None else in_axes.transform()[:3, :3].T
    expected = R @ along(s.tree, s.positions, each(lambda: com(s)))
    assert_near(s.com(), com(s), EXACT)
    assert_near(s.com_linear_jacobian(in_coordinates_of=in_axes), expected, DIFFERENCED)
    assert_near(s.com_jacobian(in_coordinates_of=in_axes)[3:], expected, DIFFERENCED)


def test_the_derivative_of_the_com_jacobian_is_the_rate_of_each_element() -> None:
    s = skeleton()
    motion = moving(s.tree, s.positions, s.velocities, s.accelerations)
    expected = rate(lambda t: at(motion(t)[0], s.com_linear_jacobian))
    assert_near(s.com_linear_jacobian_derivative(), expected, DIFFERENCED)


@pytest.mark.parametrize("axes", AXES)
def test_com_jacobians_give_the_velocity_and_acceleration_of_the_center_of_mass(axes: str) -> None:
    s, options = skeleton(), {"in_coordinates_of": frame_of(axes)}
    v, a = s.velocities, s.accelerations
    assert_near(s.com_linear_jacobian(**options) @ v, s.com_linear_velocity(**options), EXACT)
    J, dJ = s.com_jacobian(**options), s.com_jacobian_spatial_derivative(**options)
    assert_near(J @ v, s.com_spatial_velocity(**options), EXACT)
    assert_near(J @ a + dJ @ v, s.com_spatial_acceleration(**options), EXACT)
    J, dJ = s.com_linear_jacobian(**options), s.com_linear_jacobian_derivative(**options)
    assert_near(J @ a + dJ @ v, s.com_linear_acceleration(**options), EXACT)


@pytest.mark.parametrize("observer", OBSERVERS)
@pytest.mark.parametrize("axes", AXES)
def test_motion_of_the_center_of_mass_is_seen_by_any_observer(observer: str, axes: str) -> None:
    s, seen_by, in_axes = skeleton(), frame_of(observer), frame_of(axes)
    base = seen_by or WORLD
    motion = moving(s.tree, s.positions, s.velocities, s.accelerations)

    def position(t: float) -> Array:
        return at(motion(t)[0], lambda: np.linalg.solve(base.transform(), [*com(s), 1.0])[:3])

    h = 2e-3
    weights = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / (12.0 * h * h)
    second = weights @ [position(k * h) for k in (-2, -1, 0, 1, 2)]
    R = (in_axes or WORLD).transform()[:3, :3].T @ base.transform()[:3, :3]
    options = {"relative_to": seen_by, "in_coordinates_of": in_axes}
    assert_near(s.com(relative_to=seen_by), position(0.0), EXACT)
    assert_near(s.com_linear_velocity(**options), R @ rate(position), DIFFERENCED)
    assert_near(s.com_linear_acceleration(**options), R @ second, DIFFERENCED_TWICE)


# ---- joints


@pytest.mark.parametrize("kind", [kind for kind in MAKERS if kind != "weld"])
def test_a_joints_jacobian_is_the_slope_of_its_transform_and_its_derivative_the_rate_of_that(
    kind: str,
) -> None:
    s = set_moving(skeleton_of(["revolute", kind], [-1, 0], seed=3), 5)
    joint, tree = s.joint(1), s.tree
    dofs = list(joint.dof_indices)

    def transforms(rows: Array) -> Array:
        return np.array([joint.relative_transform_at(row[dofs]) for row in rows])

    slope = along(tree, s.positions, transforms)[..., dofs]
    J = twist(joint.relative_transform, slope, np.zeros(3))
    assert_near(joint.relative_jacobian, J, DIFFERENCED)
    assert_near(J @ joint.velocities, joint.relative_spatial_velocity, DIFFERENCED)
    motion = moving(tree, s.positions, s.velocities, s.accelerations)
    expected = rate(lambda t: joint.relative_jacobian_at(motion(t)[0][dofs]))
    dJ = joint.relative_jacobian_time_derivative
    assert_near(dJ, expected, DIFFERENCED)
    acceleration = J @ joint.accelerations + dJ @ joint.velocities
    assert_near(joint.relative_spatial_acceleration, acceleration, DIFFERENCED)


@pytest.mark.parametrize("kind", MAKERS)
def test_a_joint_answers_at_positions_that_are_given_without_taking_them(kind: str) -> None:
    s = set_moving(skeleton_of(["revolute", kind], [-1, 0], seed=3), 5)
    joint, present = s.joint(1), s.positions
    others = joint.positions + 0.1
    T, J = joint.relative_transform_at(others), joint.relative_jacobian_at(others)
    assert (s.positions == present).all()
    joint.positions = others
    assert_near(T, joint.relative_transform, 0.0)
    assert_near(J, joint.relative_jacobian, 0.0)
    assert_near(T, s.body(1).transform(relative_to=s.body(0)), EXACT)


@pytest.mark.parametrize("count", [0, 2])
def test_a_joint_refuses_positions_of_another_size(count: int) -> None:
    joint = skeleton_of(["revolute"], [-1], 0).joint(0)
    for ask in (joint.relative_transform_at, joint.relative_jacobian_at):
        with pytest.raises(
            ValueError, match=rf"^positions: expected shape \(1,\) \[rad, m\], got \({count},\)$"
        ):
            ask(np.zeros(count))


# ---- bad input


@pytest.mark.parametrize("name", ["jacobian", "linear_jacobian", "jacobian_spatial_derivative"])
def test_what_is_no_frame_is_a_type_error_that_names_the_argument(name: str) -> None:
    s = skeleton()
    ask, body = getattr(s, name), s.body(0)
    with pytest.raises(TypeError, match=r"^frame: expected a Frame or the name of one, got int"):
        ask(0)
    with pytest.raises(TypeError, match=r"^relative_to: expected a Frame"):
        ask(body, relative_to=0)
    with pytest.raises(TypeError, match=r"^in_coordinates_of: expected a Frame"):
        ask(body, in_coordinates_of=0)


@pytest.mark.parametrize("offset", [(0.0, 0.0), (0.0, np.nan, 0.0)])
def test_an_offset_that_is_not_three_finite_numbers_is_named(offset: tuple[float, ...]) -> None:
    s = skeleton()
    for ask in (s.jacobian, s.linear_jacobian, s.jacobian_spatial_derivative, s.jacobian_classic_derivative):
        with pytest.raises(ValueError, match=r"^offset: expected"):
            ask(s.body(3), offset)
    with pytest.raises(ValueError, match=r"^offset: expected"):
        s.body(3).jacobian(offset)


def test_com_questions_refuse_what_is_no_frame() -> None:
    s = skeleton()
    for ask in (s.com, s.com_linear_velocity, s.com_linear_acceleration, s.com_spatial_velocity):
        with pytest.raises(TypeError, match=r"^relative_to: expected a Frame, got int"):
            ask(relative_to=0)
    for ask in (s.com_jacobian, s.com_linear_jacobian, s.linear_momentum, s.angular_momentum):
        with pytest.raises(TypeError, match=r"^in_coordinates_of: expected a Frame, got int"):
            ask(in_coordinates_of=0)
