"""Skeletons that are changed while they are asked: by functions of user joints, and by other threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from _processes import output_of

import kido
from kido.errors import EditError

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


THREADS = """
import sys, threading, time
import numpy as np
import kido

sys.setswitchinterval(1e-6)
robot = kido.gallery.four_bar() if sys.argv[1] == "user joint" else kido.gallery.arm7()
middle = robot.bodies[len(robot.bodies) // 2]
over = threading.Event()
unexpected = []


def edit():
    count = 0
    while not over.is_set():
        count += 1
        try:
            body = robot.add_body(f"more{count}", middle, kido.RevoluteJoint(f"joint{count}"))
            robot.gravity = (0.0, 0.0, -float(count))
            body.remove()
        except Exception as error:
            unexpected.append(f"{type(error).__name__}: {error}")


def ask():
    n = 0
    while not over.is_set():
        for question in (robot.bodies[-1].transform, middle.jacobian, lambda: robot.mass_matrix,
                         lambda: robot.positions, lambda: robot.bodies[-1].spatial_acceleration()):
            try:
                question()
                n += 1
            except (kido.errors.EditError, kido.errors.RemovedError, ValueError, IndexError):
                pass
            except Exception as error:
                seen.add(f"{type(error).__name__}: {error}")


seen = set()
threads = [threading.Thread(target=f) for f in (edit, ask, ask)]
for thread in threads:
    thread.start()
time.sleep(2.0)
over.set()
for thread in threads:
    thread.join()
fresh = robot.clone()
fresh.positions = robot.positions = np.full(robot.num_dofs, 0.1)
print(np.array_equal(fresh.bodies[-1].transform(), robot.bodies[-1].transform()))
print(sorted(seen)[:40], unexpected[:5])
"""


@pytest.mark.parametrize("kind", ["built-in joints", "user joint"])
def test_threads_that_ask_and_edit_get_answers_or_errors(kind: str) -> None:
    """The program ends, errors are those of edits and arguments, and what is asked once all is quiet is
    right."""
    assert output_of(THREADS, kind) == "True\n[] []\n"
