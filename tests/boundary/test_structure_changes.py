"""Skeletons that are changed while they are asked: by functions of user joints, and by other threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from _processes import output_of

import kido
from kido.errors import EditError
from kido.skeleton._answers import _dynamics
from kido.skeleton._structure import Structure
from kido.skeleton._values._skeleton_state import SkeletonState

Edit = Callable[[kido.Skeleton], object]


class Meddler(kido.UserJoint):
    """A sliding joint whose function changes the skeleton that it is in."""

    num_dofs = 1
    edit: Edit | None = None
    when = "transform_of"

    def _meddle(self, function: str) -> None:
        if type(self).edit is not None and function == type(self).when:
            type(self).edit(robot[0])

    def transform_of(self, q: np.ndarray) -> np.ndarray:
        self._meddle("transform_of")
        T = np.eye(4)
        T[0, 3] = q[0]
        return T

    def jacobian_of(self, q: np.ndarray) -> np.ndarray:
        self._meddle("jacobian_of")
        return np.eye(6)[:, 3:4]

    def jacobian_derivative_of(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        self._meddle("jacobian_derivative_of")
        return np.zeros((6, 1))


robot: list[kido.Skeleton] = []


@pytest.fixture
def sliding() -> kido.Skeleton:
    """A robot that slides along x by a joint that meddles, below it a turning body."""
    skeleton = kido.Skeleton("sled")
    sled = skeleton.add_body("sled", joint=Meddler("slide"))
    skeleton.add_body("wheel", sled, kido.RevoluteJoint("axle"))
    robot[:] = [skeleton]
    Meddler.edit = None
    return skeleton


EDITS: dict[str, Edit] = {
    "gravity": lambda s: setattr(s, "gravity", (0.0, 0.0, -1.0)),
    "inertia": lambda s: setattr(s.body("wheel"), "mass", s.body("wheel").mass + 1.0),
    "remove": lambda s: s.body("sled").remove(),
    "remove below": lambda s: s.body("wheel").remove(),
    "positions": lambda s: setattr(s, "positions", s.positions + 1.0),
    "velocities": lambda s: setattr(s, "velocities", s.velocities + 1.0),
    "add": lambda s: s.add_body("more", s.body("wheel"), kido.WeldJoint("weld")),
}
ASKED: dict[str, Edit] = {
    "transform": lambda s: s.body("wheel").transform(),
    "jacobian": lambda s: s.body("wheel").jacobian(),
    "frame": lambda s: kido.SimpleFrame("eye", parent=s.body("wheel")).transform(),
    "whole": lambda s: s.jacobian(s.body("wheel")),
}


@pytest.mark.parametrize("when", ["transform_of", "jacobian_derivative_of"])
@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_function_of_a_user_joint_that_changes_its_skeleton_is_refused(
    sliding: kido.Skeleton, edit: Edit, asked: Edit, when: str
) -> None:
    Meddler.when = when
    sliding.positions = (0.5, 0.1)
    Meddler.edit = edit
    try:
        with pytest.raises(EditError, match="was changed while it was asked"):
            asked(sliding)
    finally:
        Meddler.edit = None


def test_after_a_refusal_answers_are_those_of_the_changed_skeleton(sliding: kido.Skeleton) -> None:
    sliding.positions = (0.5, 0.0)
    Meddler.edit = EDITS["positions"]
    with pytest.raises(EditError):
        sliding.body("sled").transform()
    Meddler.edit = None
    assert sliding.body("sled").transform()[0, 3] == sliding.positions[0] == 1.5


ADVICE = "keep other threads away while a skeleton is edited"

QUESTIONS: dict[str, Edit] = {
    **ASKED,
    "mass matrix": lambda s: s.mass_matrix,
    "forward dynamics": lambda s: s.compute_forward_dynamics(),
    "inverse dynamics": lambda s: s.compute_inverse_dynamics(),
    "energy": lambda s: s.kinetic_energy,
    "center of mass": lambda s: s.com(),
    "velocity of the center of mass": lambda s: s.com_linear_velocity(),
    "jacobian of the center of mass": lambda s: s.com_linear_jacobian(),
    "impulse": lambda s: s.impulse_response(s.body("wheel"), np.ones(6)),
    "integration": lambda s: s.integrate_positions(0.0),
    "joint": lambda s: s.joint("axle").relative_jacobian,
}
"""What needs the compiled tree."""


def welded(skeleton: kido.Skeleton) -> None:
    skeleton.body("arm").change_parent_joint_type(kido.WeldJoint)


STRUCTURE_EDITS: dict[str, Edit] = {
    "add": EDITS["add"],
    "remove": lambda s: s.body("arm").remove(),
    "joint": welded,
    "move": lambda s: s.body("arm").move_to(None),
}


def car() -> kido.Skeleton:
    skeleton = kido.Skeleton("car")
    chassis = skeleton.add_body("chassis", joint=kido.PrismaticJoint("slide"))
    skeleton.add_body("wheel", chassis, kido.RevoluteJoint("axle"))
    skeleton.add_body("arm", chassis, kido.RevoluteJoint("shoulder"))
    return skeleton


def kinds(skeleton: kido.Skeleton, questions: Mapping[str, Edit]) -> dict[str, type]:
    """What each question raises."""
    found = {}
    for name, question in questions.items():
        try:
            question(skeleton)
        except Exception as error:
            found[name] = type(error)
    return found


@pytest.mark.parametrize("edit", STRUCTURE_EDITS.values(), ids=STRUCTURE_EDITS)
def test_what_is_asked_in_the_midst_of_an_edit_is_refused(
    edit: Edit, monkeypatch: pytest.MonkeyPatch
) -> None:
    skeleton, found = car(), []
    place = Structure._place

    def asked_meanwhile(structure: Structure, *numbers: Any) -> None:
        found.append(kinds(skeleton, QUESTIONS))
        place(structure, *numbers)
        found.append(kinds(skeleton, QUESTIONS))

    monkeypatch.setattr(Structure, "_place", asked_meanwhile)
    edit(skeleton)
    assert [set(kinds.values()) for kinds in found] == [{EditError}] * 2
    assert [set(kinds) for kinds in found] == [set(QUESTIONS)] * 2


def test_what_is_edited_in_the_midst_of_an_edit_is_refused_and_nothing_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    skeleton, found = car(), []
    place = Structure._place

    def edited_meanwhile(structure: Structure, *numbers: Any) -> None:
        for edit in STRUCTURE_EDITS.values():
            with pytest.raises(EditError, match=ADVICE):
                edit(skeleton)
            found.append(edit)
        place(structure, *numbers)

    monkeypatch.setattr(Structure, "_place", edited_meanwhile)
    skeleton.add_body("trailer", skeleton.body("chassis"), kido.RevoluteJoint("hook"))
    assert len(found) == len(STRUCTURE_EDITS)
    assert [body.name for body in skeleton.bodies] == ["chassis", "wheel", "arm", "trailer"]
    assert skeleton.mass_matrix.shape == (4, 4)


@pytest.mark.parametrize("edit", ["remove", "joint"])
def test_positions_of_another_structure_than_the_tree_refuse_the_question(
    edit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    skeleton = car()

    def late(answers: Any) -> kido.Tree:
        tree: kido.Tree = answers.ready_tree()
        STRUCTURE_EDITS[edit](skeleton)
        return tree

    monkeypatch.setattr(_dynamics, "tree_as_it_is", late)
    with pytest.raises(EditError, match=ADVICE):
        skeleton.mass_matrix  # noqa: B018
    monkeypatch.undo()
    assert skeleton.mass_matrix.shape == (2, 2)


@pytest.mark.parametrize("edit", STRUCTURE_EDITS.values(), ids=STRUCTURE_EDITS)
def test_numbers_that_do_not_go_together_refuse_the_question_only_after_an_edit(
    edit: Edit, monkeypatch: pytest.MonkeyPatch
) -> None:
    skeleton, edits = car(), [edit]

    def unlike(state: SkeletonState) -> None:
        if edits:
            edits.pop()(skeleton)
        raise ValueError("numbers of two structures")

    monkeypatch.setattr(SkeletonState, "_check", unlike)
    with pytest.raises(EditError, match=ADVICE):
        skeleton.state  # noqa: B018
    with pytest.raises(ValueError, match="numbers of two structures"):
        skeleton.state  # noqa: B018


SHARED: dict[str, tuple[str, Edit]] = {
    "constants": ("dofs", lambda s: setattr(s, "damping", 0.5)),
    "rows": ("rows", lambda s: setattr(s.body("wheel"), "mass", 2.0)),
    "codes": ("codes", lambda s: setattr(s.body("wheel"), "gravity_mode", False)),
}
"""What a clone shares until one of the two writes it: the array, and what writes it."""


@pytest.mark.parametrize(("array", "write"), SHARED.values(), ids=SHARED)
def test_a_body_that_comes_while_a_shared_array_is_copied_stays_whole(array: str, write: Edit) -> None:
    skeleton = car()
    clone = skeleton.clone()
    data, others = skeleton._answers.data, []

    def add_wheel() -> None:
        skeleton.add_body("more", skeleton.body("wheel"), kido.RevoluteJoint("hub"))

    class Slow(np.ndarray):
        """Copied while another thread adds a body, or waits to."""

        def copy(self, *args: Any, **kwargs: Any) -> Any:
            copy = np.array(self)
            other = threading.Thread(target=add_wheel)
            others.append(other)
            other.start()
            other.join(0.2)
            return copy

    slow = getattr(data, array).view(Slow)
    slow.flags.writeable = False
    setattr(data, array, slow)
    with suppress(EditError):
        write(skeleton)
    for other in others:
        other.join()
    assert len(others) == 1
    assert [body.name for body in skeleton.bodies] == ["chassis", "wheel", "more", "arm"]
    skeleton.add_body("last", skeleton.body("arm"), kido.RevoluteJoint("end"))
    assert data.dofs.shape[1] == data.state.shape[1] == 5
    assert len(data.rows) == len(data.codes) == 5
    assert skeleton.mass_matrix.shape == (5, 5)
    assert clone.mass_matrix.shape == (3, 3)


THREADS = """
import sys, threading, time
import numpy as np
from _effort import examples
import kido

sys.setswitchinterval(1e-6)
robot = kido.gallery.four_bar() if sys.argv[1] == "user joint" else kido.gallery.arm7()
middle = robot.bodies[len(robot.bodies) // 2]
over = threading.Event()
unexpected, seen = set(), set()


def edit():
    count = 0
    while not over.is_set():
        count += 1
        try:
            body = robot.add_body(f"more{count}", middle, kido.RevoluteJoint(f"joint{count}"))
            tip = robot.add_body(f"tip{count}", body, kido.FreeJoint(f"free{count}"))
            robot.gravity = (0.0, 0.0, -float(count))
            tip.change_parent_joint_type(kido.BallJoint)
            tip.move_to(robot.bodies[0])
            tip.remove()
            body.remove()
        except Exception as error:
            unexpected.add(f"{type(error).__name__}: {error}")


def last():
    return robot.bodies[-1]


QUESTIONS = {
    "body.transform": lambda: last().transform(),
    "body.transform(relative_to)": lambda: last().transform(relative_to=middle),
    "body.jacobian": lambda: middle.jacobian(),
    "body.jacobian_spatial_derivative": lambda: last().jacobian_spatial_derivative(),
    "body.spatial_acceleration": lambda: last().spatial_acceleration(),
    "body.dependent_dofs": lambda: last().dependent_dofs,
    "joint.positions": lambda: last().parent_joint.positions,
    "joint.relative_jacobian": lambda: last().parent_joint.relative_jacobian,
    "positions": lambda: robot.positions,
    "jacobian": lambda: robot.jacobian(last()),
    "mass_matrix": lambda: robot.mass_matrix,
    "inverse_mass_matrix": lambda: robot.inverse_mass_matrix,
    "gravity_forces": lambda: robot.gravity_forces,
    "kinetic_energy": lambda: robot.kinetic_energy,
    "compute_forward_dynamics": lambda: robot.compute_forward_dynamics(),
    "compute_inverse_dynamics": lambda: robot.compute_inverse_dynamics(),
    "integrate_positions": lambda: robot.integrate_positions(1e-6),
    "com": lambda: robot.com(),
    "com_linear_jacobian": lambda: robot.com_linear_jacobian(),
    "com_spatial_acceleration": lambda: robot.com_spatial_acceleration(),
    "damping": lambda: setattr(robot, "damping", 0.1),
    "state": lambda: robot.state,
    "configuration": lambda: robot.configuration(),
    "properties": lambda: robot.properties,
    "summary": lambda: robot.summary(),
    "clone": lambda: robot.clone(),
}


def ask():
    while not over.is_set():
        for name, question in QUESTIONS.items():
            try:
                question()
            except (kido.errors.EditError, kido.errors.RemovedError):
                pass
            except Exception as error:
                seen.add(f"{name}: {type(error).__name__}: {error}")


threads = [threading.Thread(target=f) for f in (edit, ask, ask)]
for thread in threads:
    thread.start()
time.sleep(min(4.0, examples(2)))
over.set()
for thread in threads:
    thread.join()
for question in QUESTIONS.values():
    question()
fresh = robot.clone()
fresh.positions = robot.positions = np.full(robot.num_dofs, 0.1)
fresh.commands = robot.commands = np.full(robot.num_dofs, 0.2)
fresh.compute_forward_dynamics()
robot.compute_forward_dynamics()
print(np.array_equal(fresh.bodies[-1].transform(), robot.bodies[-1].transform()))
print(np.array_equal(fresh.mass_matrix, robot.mass_matrix))
print(np.array_equal(fresh.accelerations, robot.accelerations))
print(sorted(seen)[:40], sorted(unexpected)[:5])
"""


@pytest.mark.parametrize("kind", ["built-in joints", "user joint"])
def test_threads_that_ask_and_edit_get_answers_or_errors_of_edits(kind: str) -> None:
    """The program ends, errors are those of edits, and what is asked once all is quiet is right."""
    assert output_of(THREADS, kind) == "True\nTrue\nTrue\n[] []\n"
