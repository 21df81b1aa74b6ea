"""How often a viewer sends what, and what waits."""

from __future__ import annotations

import time
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from _listener import Listener

import kido
from kido.view._viewer import _viewer
from kido.view._viewer._turns import Turns


@pytest.mark.parametrize("count", [1, 7, 50])
@pytest.mark.parametrize("rate", [10.0, 60.0, 1000.0])
def test_everyone_has_a_turn_in_each_period_and_few_in_one_frame(count: int, rate: float) -> None:
    turns = Turns(0.2)
    assert turns.take(count, 0.0) == list(range(count))
    taken = [turns.take(count, 1.0 / rate) for _ in range(round(2.0 * rate))]
    assert max(map(len, taken)) <= np.ceil(count / (0.2 * rate))
    found = Counter(k for some in taken for k in some)
    assert sorted(found) == list(range(count))
    assert all(9 <= times <= 11 for times in found.values())


def test_all_have_a_turn_after_a_pause_and_when_their_number_changes() -> None:
    turns = Turns(0.2)
    turns.take(5, 0.0)
    assert sorted(turns.take(5, 3.0)) == [0, 1, 2, 3, 4]
    assert sorted(turns.take(2, 3.0)) == [0, 1]
    assert turns.take(3, 0.0) == []


def test_sliders_follow_the_joints_some_in_each_frame() -> None:
    robot = kido.gallery.humanoid()
    with kido.Viewer(robot, port=0) as viewer:
        listener = Listener(viewer)
        names = {m["uuid"]: m["props"]["label"] for m in listener.of_type("GuiSliderMessage")}
        del listener.windows[:]
        robot.positions = robot.positions + 0.1
        listener.frames(0.6)
        moved = [[m for m in window if m["type"] == "GuiUpdateMessage"] for _, window in listener.windows]
        heard = {names[m["uuid"]] for some in moved for m in some if m["uuid"] in names}
        following = {robot.dofs[k].name for k in robot.leading_dofs}
        own = {d.name for d in robot.dofs if d.joint.num_dofs == 1}
        assert own - following <= heard
        assert len([some for some in moved if some]) > 3


def test_a_joint_that_goes_between_two_looks_at_its_slider_is_left_out() -> None:
    arm = kido.gallery.arm()
    with kido.Viewer(arm, port=0) as viewer:
        listener = Listener(viewer)
        del listener.windows[:]
        gone = arm.dofs[-1].name
        arm.bodies[-1].remove()
        for _ in range(40):
            viewer.update()
        listener.frames(0.5)
        sliders = {m["props"]["label"] for m in listener.of_type("GuiSliderMessage")}
        assert arm.dofs[0].name in sliders and gone not in sliders
        assert not viewer.errors


def test_frames_are_sent_at_once_up_to_sixty_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    with kido.Viewer(kido.gallery.arm(), port=0) as viewer:
        now, sent = [time.perf_counter() + 1.0], []
        monkeypatch.setattr(_viewer, "time", SimpleNamespace(perf_counter=lambda: now[0]))
        monkeypatch.setattr(viewer._server.viser, "flush", lambda: sent.append(now[0]))
        for rate, frames, least, most in ((60.0, 60, 60, 60), (30.0, 30, 30, 30), (1000.0, 1000, 50, 80)):
            del sent[:]
            for _ in range(frames):
                now[0] += 1.0 / rate
                viewer.update()
            assert least <= len(sent) <= most
