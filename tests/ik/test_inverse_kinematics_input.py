"""Bad input to modules: refused by name, before anything changed."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

import kido
from kido import InverseKinematics, SearchSettings, gallery
from kido.errors import UnknownNameError
from kido.ik import IKProperties

NAN = np.full((4, 4), np.nan)
MIRRORED = np.diag([1.0, 1.0, -1.0, 1.0])
SCALED = np.diag([2.0, 2.0, 2.0, 1.0])


@pytest.fixture
def ik() -> InverseKinematics:
    module = InverseKinematics.of(gallery.arm().end_effector("tool"))
    module.settings = SearchSettings(max_starts=3)
    return module


def state(ik: InverseKinematics) -> list[Any]:
    """All that a refused input must not change."""
    return [
        ik.owner.skeleton.positions.tolist(),
        ik.target.transform().tolist(),
        ik.target,
        ik.offset.tolist(),
        ik.settings,
        ik.dofs,
    ]


@pytest.mark.parametrize("bad", [NAN, MIRRORED, SCALED, np.eye(3), np.zeros((4, 4)), np.ones((2, 4, 4))])
def test_targets_that_are_no_pose_are_refused(ik: InverseKinematics, bad: np.ndarray) -> None:
    before = state(ik)
    with pytest.raises(ValueError, match=r"^transform: "):
        ik.target.set_transform(bad)
    assert state(ik) == before


@pytest.mark.parametrize(
    "bad", [NAN[None], MIRRORED[None], np.eye(4), np.zeros((2, 3)), np.ones((2, 2, 4, 4))]
)
def test_batches_of_what_are_no_poses_are_refused(ik: InverseKinematics, bad: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"^targets: "):
        ik.solve_batch(bad)


def test_text_is_no_batch(ik: InverseKinematics) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^targets: "):
        ik.solve_batch("here")


@pytest.mark.parametrize(
    "bad", [np.zeros(5), np.zeros((3, 6)), np.zeros((2, 5)), np.full(6, np.nan), np.full(6, np.inf)]
)
def test_starts_of_another_shape_or_not_finite_are_refused(ik: InverseKinematics, bad: np.ndarray) -> None:
    before = state(ik)
    with pytest.raises(ValueError, match=r"^starts: expected .*\[rad, m\], got"):
        ik.solve_batch(np.stack([np.eye(4)] * 2), bad)
    assert state(ik) == before


def test_a_start_that_is_no_number_is_refused(ik: InverseKinematics) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^starts: expected numbers"):
        ik.solve_batch(np.eye(4)[None], ["a"] * 6)


@pytest.mark.parametrize("bad", [[0.0, 0.0], np.zeros((1, 3)), [0.0, np.nan, 0.0], [np.inf, 0.0, 0.0]])
def test_offsets_that_are_no_point_are_refused(ik: InverseKinematics, bad: Any) -> None:
    before = state(ik)
    with pytest.raises(ValueError, match=r"^offset: expected .*\[m\], got"):
        ik.offset = bad
    assert state(ik) == before


@pytest.mark.parametrize("bad", [np.zeros(5), np.zeros((1, 6)), np.full(6, np.nan)])
def test_positions_of_another_number_are_refused(ik: InverseKinematics, bad: np.ndarray) -> None:
    before = state(ik)
    with pytest.raises(ValueError, match=r"^positions: expected .*\[rad, m\], got"):
        ik.positions = bad
    assert state(ik) == before


def test_dofs_that_cannot_be_chosen_are_refused_by_name(ik: InverseKinematics) -> None:
    robot = ik.owner.skeleton
    stranger = gallery.arm().dofs[0]
    before = state(ik)
    with pytest.raises(ValueError, match=r"^dofs: expected one or more different dofs, got \[\]"):
        ik.dofs = ()
    with pytest.raises(ValueError, match=r"^dofs: expected one or more different dofs"):
        ik.dofs = (robot.dofs[0], robot.dofs[0])
    with pytest.raises(
        ValueError, match=rf"^dofs: '{stranger.name}' belongs to another skeleton than 'tool'"
    ):
        ik.dofs = (stranger,)
    for wrong in ([0], [None], robot.joints, "elbow"):
        with pytest.raises(TypeError, match=r"^dofs: expected degrees of freedom or their names, got"):
            ik.dofs = wrong  # type: ignore[assignment]
    with pytest.raises(UnknownNameError, match=r"no dof named 'elbo'"):
        ik.dofs = ["elbo"]
    assert state(ik) == before


@pytest.mark.parametrize("part", [slice(0, 2), slice(2, 4), slice(4, 6), slice(0, 5)])
def test_a_part_of_a_rotation_is_refused(part: slice) -> None:
    scene = kido.Skeleton("scene")
    ik = InverseKinematics.of(scene.add_body("box", joint=kido.FreeJoint("root")))
    with pytest.raises(ValueError, match=r"^dofs: 'root_.*' move as one"):
        ik.dofs = scene.dofs[part]
    assert len(ik.dofs) == 6


def test_targets_and_settings_of_other_types_are_refused(ik: InverseKinematics) -> None:
    before = state(ik)
    for target in (np.eye(4), kido.WORLD, ik.owner):
        with pytest.raises(TypeError, match=r"^target: expected a SimpleFrame or None, got"):
            ik.target = target  # type: ignore[assignment]
    for settings in (None, {"seed": 1}):
        with pytest.raises(TypeError, match=r"^settings: expected SearchSettings, got"):
            ik.settings = settings  # type: ignore[assignment]
    assert state(ik) == before


def test_none_is_a_fresh_target_where_the_node_is(ik: InverseKinematics) -> None:
    old = ik.target
    old.set_translation((9.0, 0.0, 0.0))
    ik.target = None
    assert ik.target is not old
    np.testing.assert_array_equal(ik.target.transform(), ik.owner.transform())
    assert ik.solve().success


def test_only_what_has_a_place_has_a_module() -> None:
    robot = gallery.arm()
    for owner in (robot, robot.joints[0], kido.SimpleFrame("free"), None, "tool"):
        with pytest.raises(TypeError, match=r"^node: expected a body or a node that is a frame, got"):
            InverseKinematics.of(owner)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^owner: expected a body or a node that is a frame, got Skeleton"):
        robot.create_addon(InverseKinematics)


def test_a_dof_that_does_not_move_the_node_stays_where_it_is(ik: InverseKinematics) -> None:
    robot = ik.owner.skeleton
    finger = robot.add_body("finger", ik.dofs[2].child_body, kido.RevoluteJoint("side")).parent_joint.dofs[0]
    finger.position = 0.25
    ik.dofs = (finger, *ik.dofs)
    result = ik.solve()
    assert result.success and result.dof_names[0] == "side" and result.positions[0] == 0.25


def test_limits_that_contradict_each_other_are_refused_by_the_skeleton(ik: InverseKinematics) -> None:
    dof = ik.dofs[0]
    before = state(ik), dof.position_lower_limit
    with pytest.raises(ValueError, match=r"position_lower_limit"):
        dof.position_lower_limit = dof.position_upper_limit + 1.0
    assert (state(ik), dof.position_lower_limit) == before


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        *((name, -1.0) for name in ("damping",)),
        *((name, 0.0) for name in ("angular_tolerance", "linear_tolerance", "largest_step", "least_damping")),
        *((name, math.inf) for name in ("damping", "largest_step", "least_damping")),
        *((field.name, math.nan) for field in dataclasses.fields(SearchSettings) if field.name != "nearest"),
        *((name, 0) for name in ("max_starts", "max_iterations")),
        *((name, 2**31) for name in ("max_starts", "max_iterations")),
        *((name, 1.5) for name in ("max_starts", "max_iterations", "seed")),
        *(("seed", seed) for seed in (-1, 2**64, True)),
    ],
)
def test_settings_out_of_range_are_refused_by_name(name: str, bad: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: expected .*, got"):
        SearchSettings(**{name: bad})


@pytest.mark.parametrize("bad", ["1", None, True, [1.0]])
def test_settings_that_are_no_numbers_are_refused_by_name(bad: Any) -> None:
    with pytest.raises(TypeError, match=r"^linear_tolerance: expected a positive number, got"):
        SearchSettings(linear_tolerance=bad)


def test_the_largest_settings_are_accepted(ik: InverseKinematics) -> None:
    ik.settings = SearchSettings(max_iterations=2**31 - 1, seed=2**64 - 1)
    assert ik.solve().success


def test_properties_refuse_other_settings() -> None:
    with pytest.raises(TypeError, match=r"^settings: expected SearchSettings"):
        IKProperties(settings=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^offset: "):
        IKProperties(offset=(1.0, 2.0))
