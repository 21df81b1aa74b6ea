"""Tasks and components that have room: steps keep these where they are only while the others get on."""

from __future__ import annotations

import numpy as np
import pytest

import kido
from kido import InverseKinematics, SearchSettings, gallery
from kido.ik import CompositeIK, ErrorMethod, LookAt, OrientationError, TaskSpaceRegion

AHEAD = (0.0, 0.0, 1.0)


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("seed", range(8))
def test_tasks_with_room_do_not_take_the_dofs_that_others_need(seed: int, level: int) -> None:
    """Fifteen rows for six joints, of which five are equations; one start has to do."""
    rng = np.random.default_rng(seed)
    robot = gallery.arm()
    robot.positions = reached = rng.uniform(0.3, 1.2, 6)
    methods: dict[str, ErrorMethod] = {
        "pitch": OrientationError(),
        "flange": LookAt(AHEAD),
        "forearm": LookAt(AHEAD, half_angle=0.3),
        "wrist": TaskSpaceRegion([0.3] * 3, [0.1] * 3),
    }
    modules = []
    for name, method in methods.items():
        module = InverseKinematics(robot.body(name))
        module.use_whole_body()
        module.error_method = method
        module.hierarchy_level = level * (name in ("forearm", "wrist"))
        target = module.transform()
        if isinstance(method, LookAt):
            target[:3, 3] += 2.0 * target[:3, 2]
        module.target.set_transform(target)
        modules.append(module)
    robot.positions = reached + rng.uniform(-0.3, 0.3, 6)
    settings = SearchSettings(max_starts=1, mirrors=0, time_budget=60.0)
    result = CompositeIK(robot, modules, settings=settings).solve()
    assert result.success, result.message
    robot.positions = result.positions
    np.testing.assert_allclose(
        modules[0].transform()[:3, :3], modules[0].target.transform()[:3, :3], atol=2e-6
    )
    sights = [module.target.transform()[:3, 3] - module.transform()[:3, 3] for module in modules[1:3]]
    for module, sight, widest in zip(modules[1:3], sights, (0.0, 0.3), strict=True):
        axis = module.transform()[:3, 2]
        assert np.arctan2(np.linalg.norm(np.cross(axis, sight)), axis @ sight) <= widest + 2e-6


def planar(joints: int) -> InverseKinematics:
    """A hinged chain 1 m long, in a plane."""
    robot, body = kido.Skeleton("planar"), None
    for i in range(joints):
        place = (1.0 / joints, 0.0, 0.0) if i else None
        joint = kido.RevoluteJoint(f"q{i}", axis=(0, 0, 1), T_parent_joint=place)
        body = robot.add_body(f"link{i}", body, joint)
        body.mass = 1.0
    assert body is not None
    robot.position_lower_limits, robot.position_upper_limits = -2.5, 2.5
    return InverseKinematics.of(body.add_end_effector("tip", (1.0 / joints, 0.0, 0.0)))


@pytest.mark.parametrize("from_center", [False, True])
def test_a_component_with_room_stays_where_it_is_while_the_others_get_on(from_center: bool) -> None:
    robot, rng, turned = gallery.arm(), np.random.default_rng(0), []
    ik = InverseKinematics.of(robot.body("flange"))
    ik.error_method = TaskSpaceRegion(angular=(0.3, 0.3, 0.3), from_center=from_center)
    ik.settings = SearchSettings(max_starts=1, mirrors=0)
    for _ in range(40):
        robot.positions = rng.uniform(0.4, 1.2, 6)
        target, away = ik.transform(), rng.normal(size=3)
        target[:3, 3] += 0.05 * away / np.linalg.norm(away)
        ik.target.set_transform(target)
        result = ik.solve()
        assert result.success
        robot.positions = result.positions
        cosine = 0.5 * (np.trace(ik.transform()[:3, :3].T @ target[:3, :3]) - 1.0)
        turned.append(np.arccos(min(cosine, 1.0)))
    assert np.median(turned) < 0.01 and max(turned) < 0.07  # all of 0.3 and more would do


@pytest.mark.parametrize("in_levels", [False, True])
@pytest.mark.parametrize(("joints", "missed"), [(2, 8), (3, 0), (4, 0)])
def test_a_component_with_room_does_not_take_the_dofs_that_others_need(
    joints: int, missed: int, in_levels: bool
) -> None:
    """A place is to be reached by one start, a direction within bounds beside it."""
    ik, rng, failures = planar(joints), np.random.default_rng(1), 0
    ik.error_method = TaskSpaceRegion(angular=(1e-6, 1e-6, 0.3), from_center=False)
    ik.settings = SearchSettings(max_starts=1, mirrors=0)
    levels = CompositeIK(ik.node.skeleton, [ik], settings=ik.settings)
    for _ in range(300):
        reached = rng.uniform(-2.0, 2.0, joints)
        start = reached + rng.uniform(-0.5, 0.5, joints)
        ik.positions = reached
        angle, target = rng.uniform(-0.285, 0.285), ik.transform()
        target[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]] @ target[:2, :2]
        ik.target.set_transform(target)
        ik.positions = start
        failures += not (levels.solve().success if in_levels else ik.solve().success)
    assert failures <= missed


@pytest.mark.parametrize(("room", "missed"), [(0.3, 20), (0.05, 4)])
def test_narrow_bounds_are_no_room(room: float, missed: int) -> None:
    """What is fixed within 1e-6 stays fixed where a direction is released; starts are anywhere."""
    ik, rng, failures = planar(2), np.random.default_rng(1), 0
    ik.error_method = TaskSpaceRegion(angular=(1e-6, 1e-6, room), from_center=False)
    ik.settings = SearchSettings(max_starts=1, mirrors=3)
    for _ in range(600):
        ik.positions = rng.uniform(-2.4, 2.4, 2)
        start, target = rng.uniform(-2.4, 2.4, 2), ik.transform()
        angle = rng.uniform(-0.95, 0.95) * room
        target[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]] @ target[:2, :2]
        ik.target.set_transform(target)
        ik.positions = start
        failures += not ik.solve().success
    assert failures <= missed
