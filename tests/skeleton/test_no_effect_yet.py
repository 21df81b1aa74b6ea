"""Settings that wait for simulation: they are taken, and warn."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import pytest

import kido
from _urdf import joint, link
from kido.errors import NoEffectWarning


@pytest.fixture
def arm() -> kido.Skeleton:
    arm = kido.Skeleton("arm")
    for name in ("upper", "lower"):
        arm.add_body(name, joint=kido.RevoluteJoint(name))
    return arm


def test_a_servo_warns_once_at_the_call_and_is_set(arm: kido.Skeleton) -> None:
    with pytest.warns(NoEffectWarning, match="servo of 'upper' does nothing yet") as caught:
        arm.joint("upper").actuator = "servo"
    assert len(caught) == 1 and Path(caught[0].filename) == Path(__file__)
    assert arm.joint("upper").actuator == "servo"


def test_options_warn_once_in_a_skeleton_and_out_of_one(arm: kido.Skeleton) -> None:
    with pytest.warns(NoEffectWarning, match="servo") as caught:
        kido.RevoluteJoint(actuator="servo")
    assert len(caught) == 1
    with pytest.warns(NoEffectWarning) as caught:
        arm.joint("lower").apply_options({"actuator": "servo", "coulomb_friction": 0.2})
    assert len(caught) == 2
    assert arm.joint("lower").actuator == "servo" and arm.joint("lower").coulomb_friction == 0.2


def test_friction_warns_where_it_is_not_zero(arm: kido.Skeleton) -> None:
    upper = arm.joint("upper")
    with pytest.warns(NoEffectWarning, match="coulomb_friction: does nothing yet") as caught:
        arm.coulomb_friction = 0.3
        arm.coulomb_friction = {"lower": 0.1}
        upper.coulomb_friction = [0.2]
        upper.dof(0).coulomb_friction = 0.4
        kido.skeleton.Group("group", arm.bodies).coulomb_friction = [0.1, 0.0]
    assert len(caught) == 5 and {Path(warning.filename) for warning in caught} == {Path(__file__)}
    arm.coulomb_friction = 0.0
    arm.coulomb_friction = {"lower": 0.0}
    upper.dof(0).coulomb_friction = 0.0


def test_self_collision_warns_where_it_is_switched_on(arm: kido.Skeleton) -> None:
    with pytest.warns(NoEffectWarning, match="self_collision_check: 'arm'") as caught:
        arm.self_collision_check = True
    assert len(caught) == 1 and arm.self_collision_check
    arm.self_collision_check = False


def test_copies_and_what_is_restored_do_not_warn(arm: kido.Skeleton) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoEffectWarning)
        arm.self_collision_check, arm.coulomb_friction = True, 0.3
        arm.joint("upper").actuator = "servo"
    twin = pickle.loads(pickle.dumps(arm))
    twin.properties = arm.clone().properties
    arm.body("upper").copy_to()
    arm.body("upper").change_parent_joint_type(kido.PrismaticJoint)
    assert arm.joint(0).actuator == twin.joint(0).actuator == "servo" and twin.self_collision_check


def test_friction_of_a_file_does_not_warn(tmp_path: Path) -> None:
    dynamics = '<dynamics friction="2"/>'
    file = tmp_path / "robot.urdf"
    parts = link("a") + link("b") + joint("j", "continuous", "a", "b", dynamics)
    file.write_text(f'<robot name="r">{parts}</robot>')
    assert kido.load(file).joint("j").coulomb_friction == 2.0
