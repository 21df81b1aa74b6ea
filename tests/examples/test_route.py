from __future__ import annotations

import numpy as np
import pytest

from _urdf import joint, link
from examples.demo.route import HOPS, POSES_PER_HOP, reachable_poses, route
from kido.ik import InverseKinematics
from kido.io import read_urdf_string
from kido.skeleton import Skeleton
from kido.typing import FloatArray

ABOVE = '<origin xyz="0 0 0.5"/>'


def about_y(lower: float, upper: float) -> str:
    return f'<axis xyz="0 1 0"/><limit lower="{lower}" upper="{upper}" velocity="1" effort="50"/>'


def planar_arm() -> InverseKinematics:
    """The module of a tip that turns about y, 0.5 m above an elbow 0.5 m above a shoulder."""
    parts = [
        *map(link, ("base", "upper", "lower", "tip")),
        joint("shoulder", "revolute", "base", "upper", about_y(-0.4, 0.2)),
        joint("elbow", "revolute", "upper", "lower", ABOVE + about_y(-2.0, 1.0)),
        joint("nail", "fixed", "lower", "tip", ABOVE),
    ]
    skeleton = Skeleton.from_description(read_urdf_string(f'<robot name="arm">{"".join(parts)}</robot>'))
    return InverseKinematics.of(skeleton.body("tip"))


def angles_of(poses: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Shoulder and elbow (k,) [rad] of the planar arm for poses (k, 4, 4) of its tip [m]."""
    whole = np.arctan2(poses[:, 0, 2], poses[:, 2, 2])
    elbow_place = poses[:, :3, 3] - 0.5 * poses[:, :3, 2]
    shoulder = np.arctan2(elbow_place[:, 0], elbow_place[:, 2])
    return shoulder, whole - shoulder


def test_a_route_goes_from_side_to_side_with_hops_in_between() -> None:
    module = planar_arm()
    module.positions = [0.0, 0.5]
    poses = route(module)
    assert len(poses) == HOPS * POSES_PER_HOP + 1
    shoulder, elbow = angles_of(poses)
    np.testing.assert_allclose(shoulder, np.linspace(-0.2, 0.2, len(poses)), atol=1e-12)
    np.testing.assert_allclose(elbow[::POSES_PER_HOP], 0.5 + 0.5 * 0.17, atol=1e-12)
    assert elbow.min() == pytest.approx(0.5 - 0.5 * 0.07, abs=1e-3)
    highest = np.flatnonzero((elbow[1:-1] < elbow[:-2]) & (elbow[1:-1] < elbow[2:]))
    assert len(highest) == HOPS


def test_a_route_from_a_limit_does_not_pass_it() -> None:
    module = planar_arm()
    module.positions = [0.2, 1.0]
    shoulder, elbow = angles_of(route(module))
    np.testing.assert_allclose(shoulder, 0.2, atol=1e-12)
    np.testing.assert_allclose(elbow, 1.0, atol=1e-12)


def test_random_targets_fill_the_ranges_of_the_joints() -> None:
    module = planar_arm()
    shoulder, elbow = angles_of(reachable_poses(module, np.random.default_rng(3), 500))
    for angles, lower, upper in ((shoulder, -0.4, 0.2), (elbow, -2.0, 1.0)):
        assert lower <= angles.min() < lower + 0.05 * (upper - lower)
        assert upper - 0.05 * (upper - lower) < angles.max() <= upper


def test_a_route_leaves_the_skeleton_where_it_is() -> None:
    module = planar_arm()
    module.positions = [0.1, -0.3]
    route(module)
    reachable_poses(module, np.random.default_rng(3), 10)
    np.testing.assert_array_equal(module.positions, [0.1, -0.3])
