"""Several tasks, some of which have room: steps keep these where they are only while the others get on."""

from __future__ import annotations

import numpy as np
import pytest

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
