"""A world that several Python threads, or signal handlers, use at a time."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from _scenes import on_ground, put

import kido
from kido import Skeleton, World, gallery
from kido.errors import EditError

MANY = 10**9
USES: dict[str, Callable[[World], Any]] = {
    "step": World.step,
    "many steps": lambda world: world.step(1000),
    "contacts": lambda world: world.contacts,
    "snapshot": World.snapshot,
    "clone": World.clone,
    "rollout": lambda world: kido.rollout(world, np.zeros((1, 1, 6))),
}


def box_on_ground() -> World:
    return on_ground(put(gallery.box((0.2, 0.2, 0.2), name="box"), (0, 0, 0.1)))


class Stopped(Exception):
    """Ends a step from a signal handler."""


@contextmanager
def stepping(world: World, use: Callable[[], None]) -> Iterator[None]:
    """Steps the world without end in the main thread until `use`, in another one, has returned."""
    main = threading.get_ident()

    def stop(*_: object) -> None:
        raise Stopped

    def run() -> None:
        try:
            while not is_stepped(world):
                time.sleep(1e-3)
            use()
        finally:
            signal.pthread_kill(main, signal.SIGUSR1)

    before, user = signal.signal(signal.SIGUSR1, stop), threading.Thread(target=run)
    try:
        with pytest.raises(Stopped):
            user.start()
            world.step(MANY)
        yield
    finally:
        user.join()
        signal.signal(signal.SIGUSR1, before)


def is_stepped(world: World) -> bool:
    try:
        world.contacts  # noqa: B018
    except EditError:
        return True
    return False


def refused(world: World, use: Callable[[World], Any], seen: list[str]) -> None:
    """Uses a world that is being stepped."""
    try:
        use(world)
    except EditError as error:
        seen.append(str(error))


@pytest.mark.skipif(sys.platform == "win32", reason="has no pthread_kill")
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_world_that_is_being_stepped_is_not_to_be_used(use: Callable[[World], Any]) -> None:
    world, seen = box_on_ground(), list[str]()
    world.step()  # compiled
    with stepping(world, lambda: refused(world, use, seen)):
        assert seen == ["the world was used while it is being stepped, by another thread or a signal handler"]
    twin = box_on_ground()
    world.step()
    for _ in range(world.num_steps):
        twin.step()
    np.testing.assert_array_equal(world.skeletons[1].positions, twin.skeletons[1].positions)


@pytest.mark.skipif(sys.platform == "win32", reason="has no pthread_kill")
def test_a_signal_handler_is_refused_too_and_the_world_goes_on() -> None:
    world, seen = box_on_ground(), list[str]()
    world.step()

    def handle(*_: object) -> None:
        for use in (World.step, World.snapshot):
            refused(world, use, seen)
        raise Stopped

    before = signal.signal(signal.SIGVTALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.02)
        with pytest.raises(Stopped):
            world.step(MANY)
    finally:
        signal.signal(signal.SIGVTALRM, before)
    assert len(seen) == 2
    steps = world.num_steps
    world.step()
    assert world.num_steps == steps + 1


def swinging() -> tuple[World, Skeleton]:
    pendulum = gallery.pendulum()
    pendulum.positions = [1.0] * pendulum.num_dofs
    return World([pendulum]), pendulum


@pytest.mark.skipif(sys.platform == "win32", reason="has no pthread_kill")
def test_an_edit_that_a_refused_step_did_not_take_over_holds_from_the_next_one() -> None:
    world, pendulum = swinging()
    world.step()

    def brake() -> None:
        pendulum.dofs[0].damping = 50.0
        refused(world, World.step, [])

    with stepping(world, brake):
        pass
    pendulum.positions, pendulum.velocities = [1.0] * pendulum.num_dofs, [0.0] * pendulum.num_dofs
    twin = world.clone()
    fresh = World([pendulum.clone()])
    for each in (world, twin, fresh):
        each.step(10)
    for each in (twin, fresh):
        np.testing.assert_array_equal(pendulum.positions, each.skeletons[0].positions)


def test_rollouts_are_of_the_world_as_it_was_whatever_other_threads_do_to_it() -> None:
    world, pendulum = swinging()
    commands = np.random.default_rng(1).normal(size=(20, 300, pendulum.num_dofs))
    alone = kido.rollout(world.clone(), commands, threads=2)
    done = threading.Event()

    def disturb() -> None:
        for k in range(100_000):
            if done.is_set():
                return
            time.sleep(1e-4)
            pendulum.dofs[0].damping = 0.1 * (k % 7)
            pendulum.positions = [0.1 * (k % 5)] * pendulum.num_dofs
            world.step(3)

    got: list[kido.world.Rollouts] = []
    disturbing = threading.Thread(target=disturb)
    rolling = threading.Thread(target=lambda: got.append(kido.rollout(world, commands, threads=2)))
    rolling.start()
    disturbing.start()
    rolling.join()
    done.set()
    disturbing.join()
    assert np.isfinite(got[0].positions).all()
    again = kido.rollout(swinging()[0], commands, threads=1)
    np.testing.assert_array_equal(again.positions, alone.positions)


def test_numbers_too_large_for_native_code_are_told() -> None:
    world = box_on_ground()
    for _ in range(2):  # before and after it is compiled
        with pytest.raises(ValueError, match="n: expected at most 9223372036854775807 steps"):
            world.step(2**70)
    one = kido.rollout(world, np.zeros((2, 3, 6)), threads=2**70)
    np.testing.assert_array_equal(one.positions, kido.rollout(world, np.zeros((2, 3, 6))).positions)
