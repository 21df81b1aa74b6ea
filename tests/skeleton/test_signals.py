"""Signals and their listeners."""

from __future__ import annotations

import sys

import pytest

import kido
from kido.skeleton import Signal


def test_all_listeners_are_told_and_the_first_exception_is_raised() -> None:
    signal: Signal[[int]] = Signal()
    heard: list[object] = []

    def failing(number: int) -> None:
        raise KeyError(f"first {number}")

    def failing_too(number: int) -> None:
        raise ValueError(f"second {number}")

    for listener in (failing, heard.append, failing_too, heard.append):
        signal.connect(listener)
    with pytest.raises(KeyError, match="first 3") as caught:
        signal.emit(3)
    assert heard == [3, 3]
    if sys.version_info >= (3, 11):
        assert caught.value.__notes__ == ["another listener raised ValueError: second 3"]


def test_an_edit_is_done_where_a_listener_raises_and_others_are_told() -> None:
    robot = kido.Skeleton("robot")
    body = robot.add_body("box")
    heard: list[str] = []

    def failing(*_: object) -> None:
        raise RuntimeError("deaf")

    robot.name_changed.connect(failing)
    robot.name_changed.connect(lambda part, old, new: heard.append(new))
    robot.structure_changed.connect(failing)
    robot.structure_changed.connect(lambda _: heard.append("structure"))
    with pytest.raises(RuntimeError, match="deaf"):
        body.name = "crate"
    with pytest.raises(RuntimeError, match="deaf"):
        body.remove()
    assert heard == ["crate", "structure"] and robot.num_bodies == 0


def test_listeners_of_both_skeletons_are_told_of_a_move_and_of_new_names() -> None:
    source, target = kido.Skeleton("source"), kido.Skeleton("target")
    for robot in (source, target):
        robot.add_body("box")
    heard: list[str] = []

    def failing(*_: object) -> None:
        raise RuntimeError("deaf")

    for robot in (source, target):
        robot.structure_changed.connect(failing)
        robot.name_changed.connect(failing)
        robot.structure_changed.connect(lambda changed: heard.append(changed.name))
    with pytest.raises(RuntimeError, match="deaf"):
        source.body("box").move_to(skeleton=target)
    assert heard == ["source", "target"] and target.has_body("box(1)")


def test_interruption_is_not_kept_back() -> None:
    signal: Signal[[]] = Signal()
    heard: list[int] = []

    def stop() -> None:
        raise KeyboardInterrupt

    signal.connect(stop)
    signal.connect(lambda: heard.append(1))
    with pytest.raises(KeyboardInterrupt):
        signal.emit()
    assert heard == []
