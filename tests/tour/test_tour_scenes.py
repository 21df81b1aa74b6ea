"""Scenes of the tour: what is seen there happens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kido
from kido.errors import UnknownNameError
from kido.tour import SCENES, Stage, TourScene, Trails, scene_of

PLACES = ((0.5, -0.2), (0.5, 0.2))
"""Where the hand builds its towers [m]."""
STEPS_OF_A_TOWER = 12_000


def made(name: str) -> tuple[Stage, kido.World]:
    stage = scene_of(name).make()
    assert stage.world is not None
    return stage, stage.world


class Panel:
    """A panel without a viewer: it keeps what a scene puts into it, by label."""

    def __init__(self, stage: Stage) -> None:
        self.calls: dict[str, Any] = {}
        stage.panel(self)  # type: ignore[arg-type]

    def add_slider(
        self, label: str, low: float, high: float, *, value: float, on_change: Any = None, **_: Any
    ):
        self.calls[label] = on_change
        return self

    def add_checkbox(self, label: str, value: bool, *, on_change: Any = None) -> None:
        self.calls[label] = on_change

    def add_choice(self, label: str, options: Any, *, on_change: Any) -> None:
        self.calls[label] = on_change

    def add_button(self, label: str, on_click: Any) -> None:
        self.calls[label] = on_click

    def add_plot(self, label: str, call: Any, **_: Any) -> None:
        self.calls[label] = call

    def play(self) -> None:
        """Nothing plays."""

    value = 5.0


def test_scenes_have_names_titles_and_texts_of_their_own() -> None:
    assert len(SCENES) >= 12
    for key in ("name", "title", "text"):
        assert len({getattr(scene, key) for scene in SCENES}) == len(SCENES)
    assert all(scene.text.endswith(".") and len(scene.text) < 200 for scene in SCENES)
    with pytest.raises(UnknownNameError, match="newtons_cradle"):
        scene_of("newtons_cradl")


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_each_scene_is_made_anew_and_plays(scene: TourScene) -> None:
    stage = scene.make()
    assert scene.make().what is not stage.what
    world = stage.world
    if world is not None:
        world.step(round(0.2 / world.time_step))
        assert all(np.isfinite(skeleton.positions).all() for skeleton in world.skeletons)
        assert world.unmet_constraints == []


def test_the_humanoid_reaches_up_with_its_feet_on_the_ground_and_its_weight_over_them() -> None:
    stage = scene_of("humanoid").make()
    robot = stage.what
    assert isinstance(robot, kido.Skeleton)
    feet = [robot.end_effector(f"{side}_foot") for side in ("left", "right")]
    hand = robot.end_effector("left_hand")
    before, start = [foot.transform().copy() for foot in feet], hand.transform()[:3, 3].copy()
    stage.pose()
    assert hand.transform()[2, 3] > start[2] + 0.4
    for foot, pose in zip(feet, before, strict=True):
        np.testing.assert_allclose(foot.transform(), pose, atol=1e-5)
    middle = np.mean([pose[:2, 3] for pose in before], axis=0)
    assert np.abs(robot.com()[:2] - middle).max() < 0.04


def test_the_arm_follows_a_line_longer_than_its_reach() -> None:
    stage = scene_of("arm_on_track").make()
    (line,) = stage.drawn
    assert np.ptp(line[:, 1]) > 2.0
    stage.pose()
    assert isinstance(stage.what, kido.Skeleton)
    tool = stage.what.end_effector("tool").transform()[:3, 3]
    assert np.linalg.norm(line - tool, axis=1).min() < 0.03
    assert abs(stage.what.dof("slide").position) > 0.2


def test_the_pyramid_stands_until_the_ball_comes() -> None:
    stage, world = made("stacked_boxes")
    boxes = [skeleton for skeleton in world.skeletons if skeleton.name.startswith("box")]
    before = np.array([box.com() for box in boxes])
    world.step(1000)
    assert np.abs([box.com() for box in boxes] - before).max() < 2e-3
    stage.pose()
    world.step(1000)
    assert (np.linalg.norm([box.com() for box in boxes] - before, axis=1) > 0.05).sum() > 8


def test_soft_fingers_lift_a_box_and_put_it_back() -> None:
    _, world = made("soft_grasping")
    gripper, box = world.skeleton("soft gripper"), world.skeleton("box")
    pads = [body for body in gripper.bodies if isinstance(body, kido.SoftBodyNode)]
    heights = []
    for _ in range(6):
        world.step(1000)
        heights.append(float(box.com()[2]))
        if 2.0 < world.time < 4.5:  # pads alone hold it
            names = {contact.first.skeleton.name for contact in world.contacts}
            assert names | {contact.second.skeleton.name for contact in world.contacts} == {
                "soft gripper",
                "box",
            }
            for pad in pads:
                assert 1e-3 < np.abs(pad.displacements[:, 1]).max() < 8e-3
    assert max(heights) == pytest.approx(0.19, abs=0.01)
    assert heights[-1] == pytest.approx(0.03, abs=1e-3)
    np.testing.assert_allclose(box.com()[:2], 0.0, atol=5e-3)


def test_a_humanoid_stands_on_soft_soles_and_bears_a_ball() -> None:
    stage, world = made("soft_soles")
    robot = next(skeleton for skeleton in world.skeletons if skeleton.num_dofs > 6)
    soles = [body for body in robot.bodies if isinstance(body, kido.SoftBodyNode)]
    start = robot.com()
    world.step(2000)
    assert np.linalg.norm(robot.com() - start) < 0.02
    assert all(0.5e-3 < np.abs(sole.displacements[:, 2]).max() < 5e-3 for sole in soles)
    own = {sole.skin_node for sole in soles}
    lift = sum(
        contact.force[2] * (1.0 if contact.first in own else -1.0)
        for contact in world.contacts
        if contact.first in own or contact.second in own
    )
    assert lift == pytest.approx(9.81 * robot.mass, rel=0.02)
    Panel(stage).calls["Throw a ball at it"]()
    world.step(2000)
    assert robot.com()[2] > start[2] - 0.05


@pytest.mark.parametrize("count", [1, 2, 3])
def test_as_many_balls_fly_off_a_cradle_as_came(count: int) -> None:
    stage, world = made("newtons_cradle")
    panel = Panel(stage)
    panel.calls["balls pulled aside"](str(count))
    balls = [skeleton for skeleton in world.skeletons if skeleton.name.startswith("ball")]
    energy, highest = world.energy, np.zeros(len(balls))
    for _ in range(60):
        world.step(40)
        if world.time > 0.45:
            highest = np.maximum(highest, [-ball.positions[0] for ball in balls])
    assert world.energy == pytest.approx(energy, abs=0.02 * abs(energy))
    assert (highest[-count:] > 0.6).all()
    assert (highest[:-count] < 0.1).all()


def test_the_linkage_walks_with_its_loops_closed_and_its_deck_level() -> None:
    _, world = made("walking_linkage")
    frame = world.skeletons[-1].body("frame")
    start = frame.transform().copy()
    world.step(1500)
    T = frame.transform()
    assert start[0, 3] - T[0, 3] > 0.5
    assert abs(T[1, 3]) < 0.1
    assert T[2, 2] > np.cos(0.1)
    errors = [np.abs(world.constraint_error(constraint)).max() for constraint in world.constraints]
    assert len(errors) == 24
    assert max(errors) < 1e-3


def standing(world: kido.World, place: tuple[float, float]) -> bool:
    """Whether the three boxes of the hand stand upon each other, in a place."""
    boxes = sorted((one.com() for one in world.skeletons if one.name.endswith("box")), key=lambda c: c[2])
    goals = [(*place, 0.0225 + 0.045 * level) for level in range(3)]
    return bool(np.abs(np.array(boxes) - goals).max() < 0.01)


def test_the_hand_builds_four_towers_here_and_there_and_lets_go_of_each() -> None:
    _, world = made("hand_grasping")
    robot = world.skeletons[1]
    for turn in range(4):
        assert not standing(world, PLACES[(turn + 1) % 2])
        world.step(STEPS_OF_A_TOWER)
        assert standing(world, PLACES[(turn + 1) % 2])
        assert world.contacts_of(robot) == []


@pytest.mark.parametrize("moment", [1.2, 2.1, 3.0])
def test_the_hand_picks_up_what_was_knocked_over_at_any_moment(moment: float) -> None:
    stage, world = made("hand_grasping")
    world.step(round(1000 * moment))
    Panel(stage).calls["Knock the tower over"]()
    world.step(500)
    assert not standing(world, PLACES[0])
    world.step(3 * STEPS_OF_A_TOWER - world.num_steps)
    assert standing(world, PLACES[1])


def test_a_box_that_was_put_elsewhere_is_fetched_and_one_out_of_reach_is_left_there() -> None:
    _, world = made("hand_grasping")
    world.step(2500)  # the first one is in the air
    boxes = [one for one in world.skeletons if one.name.endswith("box")]
    boxes[0].positions = [0.0, 0.0, 0.4, 0.42, 0.05, 0.0225]
    boxes[1].positions = [0.0, 0.0, 0.0, 2.0, 2.0, 0.0225]
    boxes[2].positions = [0.0, 0.0, -0.7, 0.6, -0.1, 0.0225]
    for box in boxes:
        box.velocities = np.zeros(6)
    world.step(2 * STEPS_OF_A_TOWER - world.num_steps)
    heights = sorted(box.com()[2] for box in boxes if np.abs(box.com()[:2] - PLACES[0]).max() < 0.01)
    np.testing.assert_allclose(heights, [0.0225, 0.0675], atol=2e-3)
    np.testing.assert_allclose(boxes[1].com(), [2.0, 2.0, 0.0225], atol=1e-3)


def test_the_hand_goes_on_from_a_moment_that_the_world_is_taken_back_to() -> None:
    _, world = made("hand_grasping")
    world.step(1700)
    snapshot = world.snapshot()
    world.step(2000)
    after = [np.array(one.positions) for one in world.skeletons]
    world.step(1234)
    world.restore(snapshot)
    world.step(2000)
    for one, expected in zip(world.skeletons, after, strict=True):
        assert np.array_equal(one.positions, expected)


def test_the_quadruped_trots_to_the_top_and_turns_around() -> None:
    _, world = made("quadruped_on_slope")
    trunk = world.skeletons[-1].body("trunk")
    world.step(9000)
    T = trunk.transform()
    assert T[0, 3] > 2.8
    assert T[2, 3] > 0.6
    world.step(4000)
    T = trunk.transform()
    assert T[0, 0] < -0.9
    assert T[2, 2] > 0.9


def test_double_pendulums_part_though_each_keeps_its_energy() -> None:
    _, world = made("double_pendulums")
    pendulums = world.skeletons[1:]
    energies = [pendulum.kinetic_energy + pendulum.potential_energy for pendulum in pendulums]
    angles = np.array([pendulum.positions for pendulum in pendulums])
    assert np.ptp(angles, axis=0)[0] == pytest.approx(0.011)
    world.step(500)
    assert np.ptp([p.positions for p in pendulums], axis=0).max() < 0.1
    world.step(5500)
    assert np.ptp([p.positions for p in pendulums], axis=0).max() > 1.0
    np.testing.assert_allclose(
        [p.kinetic_energy + p.potential_energy for p in pendulums], energies, rtol=1e-3
    )


def test_the_biped_stands_a_ball_that_throws_it_down_without_its_balance() -> None:
    heights = {}
    for balanced in (True, False):
        stage, world = made("balancing")
        panel = Panel(stage)
        panel.calls["balance"](balanced)
        panel.calls["Throw a ball at it"]()
        world.step(1500)
        heights[balanced] = world.skeleton("humanoid").com()[2]
    assert heights[True] > 0.8
    assert heights[False] < 0.5


def test_the_real_robot_stands_a_push_that_throws_it_down_without_its_balance() -> None:
    heights = {}
    for impulse, balanced in ((10.0, True), (10.0, False), (-6.0, True)):
        stage, world = made("g1")
        robot = world.skeletons[1]
        assert robot.num_dofs == 35
        panel = Panel(stage)
        panel.value = impulse
        panel.calls["balance"](balanced)
        world.step(250)
        assert np.abs(robot.com_linear_velocity()).max() < 0.01
        panel.calls["Push its chest"]()
        world.step(1250)
        heights[impulse, balanced] = robot.com()[2]
    assert heights[10.0, True] > 0.65
    assert heights[10.0, False] < 0.4
    assert heights[-6.0, True] > 0.65


def test_the_pole_is_upright_where_the_cart_is_to_be() -> None:
    stage, world = made("cart_pole")
    panel = Panel(stage)
    panel.calls["goal of the cart [m]"](0.6)
    world.step(6000)
    robot = world.skeleton("cart_pole")
    np.testing.assert_allclose(robot.positions, [0.6, 0.0], atol=0.02)
    panel.calls["Tap the pole"]()
    world.step(100)
    assert abs(robot.positions[1]) > 0.02
    world.step(6000)
    np.testing.assert_allclose(robot.positions, [0.6, 0.0], atol=0.02)


def test_the_wall_stands_until_the_ball_comes() -> None:
    _, world = made("wrecking_ball")
    bricks = [skeleton for skeleton in world.skeletons if skeleton.name.startswith("brick")]
    before = np.array([brick.com() for brick in bricks])
    world.step(500)
    assert np.abs([brick.com() for brick in bricks] - before).max() < 5e-3
    world.step(2000)
    assert (np.linalg.norm([brick.com() for brick in bricks] - before, axis=1) > 0.1).mean() > 0.5


def test_the_motor_of_the_gears_lifts_the_weight_by_the_ratio_of_the_gears() -> None:
    stage, world = made("planetary_gears")
    gears, weight = world.skeletons
    world.step(1000)
    ratio, radius = 1.0 + 48.0 / 18.0, 0.12
    assert gears.dof("sun").position == pytest.approx(ratio * gears.dof("carrier").position, rel=1e-6)
    assert weight.positions[0] == pytest.approx(radius * gears.dof("carrier").position, rel=1e-6)
    friction = 0.02 * 2.5 * (1.0 + 1.0 / ratio**2 + 3.0 * (48.0 / 15.0 / ratio) ** 2)  # of the axles
    torque = Panel(stage).calls["torque of the motor [N m]"]()
    assert torque == pytest.approx(20.0 * 9.81 * radius / ratio + friction, rel=0.01)


def test_ragdolls_come_down_the_stairs_within_their_limits() -> None:
    _, world = made("ragdolls")
    dolls = [skeleton for skeleton in world.skeletons if skeleton.name.startswith("doll")]
    heights = [doll.com()[2] for doll in dolls]
    for _ in range(30):
        world.step(50)
        for doll in dolls:
            below = doll.position_lower_limits - doll.positions
            above = doll.positions - doll.position_upper_limits
            assert max(below.max(), above.max()) < 0.02
    assert all(doll.com()[2] < height - 0.8 for doll, height in zip(dolls, heights, strict=True))


def test_dominoes_fall_one_after_the_other_to_the_last() -> None:
    _, world = made("dominoes")
    pieces = world.skeletons[1:]

    def fallen() -> np.ndarray:
        return np.array([abs(piece.bodies[0].transform()[2, 2]) < 0.8 for piece in pieces])

    world.step(1000)
    half = fallen()
    assert 5 < half.sum() < 80
    assert half[: half.sum()].all()
    world.step(4000)
    assert fallen().all()
    assert len(world.sleeping_skeletons) > 60


def test_trails_follow_a_world_back_in_time() -> None:
    ball = kido.gallery.ball()
    world = kido.World([ball], time_step=0.01)
    trails = Trails(world, [(ball.bodies[0], (0.0, 0.0, 0.0))], seconds=1.0, interval=0.1)
    assert not trails.see()
    assert trails.lines == []
    middle = None
    for i in range(20):
        world.step(10)
        assert trails.see()
        if i == 9:
            middle = world.snapshot()
    (line,) = trails.lines
    times = 2.0 + np.arange(-len(line) + 1, 1) * 0.1
    np.testing.assert_allclose(line[:, 2], -0.5 * 9.81 * times**2, atol=1e-9)
    assert times[0] == pytest.approx(1.0, abs=0.11)
    world.restore(middle)
    assert trails.see()
    (line,) = trails.lines
    assert line[-1, 2] == pytest.approx(-0.5 * 9.81)
