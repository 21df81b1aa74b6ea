"""Copies of a world under commands of their own."""

from __future__ import annotations

from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np
import pytest
from _processes import output_of
from _scenes import G, on_ground, put

import kido
from kido import World, gallery
from kido.errors import EditError
from kido.world import (
    BodyPose,
    BodyVelocity,
    ContactCount,
    ContactWrench,
    Energy,
    Rollouts,
    RolloutSensor,
    StateBatch,
)


def falling() -> World:
    """A humanoid that touches the ground and a box that will fall on it."""
    robot = gallery.humanoid()
    robot.positions = robot.positions + np.eye(robot.num_dofs)[5] * -0.02
    world = on_ground(robot, put(gallery.box((0.2, 0.2, 0.2), name="crate"), (0.0, 0.0, 1.9)))
    world.step(10)
    return world


def all_sensors(world: World) -> dict[str, RolloutSensor]:
    robot, crate = world.skeleton("humanoid"), world.skeleton("crate")
    return {
        "hand": BodyPose(robot.bodies[-1]),
        "foot velocity": BodyVelocity(robot.bodies[3]),
        "crate": BodyPose(crate.body(0)),
        "robot touches": ContactWrench(robot),
        "crate touches": ContactWrench(crate.body(0).shape_nodes[0]),
        "foot touches": ContactWrench(robot.bodies[3]),
        "ground": ContactWrench(world.skeleton("ground")),
        "points": ContactCount(robot),
        "crate points": ContactCount(crate.body(0)),
        "energy": Energy(),
        "kinetic": Energy("kinetic"),
        "potential": Energy("potential"),
    }


def some_commands(world: World, n: int, count: int) -> np.ndarray:
    dofs = sum(s.num_dofs for s in world.skeletons)
    return np.random.default_rng(3).normal(scale=2.0, size=(n, count, dofs))


def command(world: World, numbers: np.ndarray) -> None:
    robot, crate = world.skeleton("humanoid"), world.skeleton("crate")
    robot.commands, crate.commands = numbers[: robot.num_dofs], numbers[robot.num_dofs :]


class InPlace(Executor):
    """Does everything at once, in this process."""

    def submit(self, function, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        done: Future = Future()
        done.set_result(function(*args, **kwargs))
        return done


def assert_same(a: Rollouts, b: Rollouts) -> None:
    for name in ("times", "positions", "velocities", "accelerations", "steps_done"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert set(a.sensors) == set(b.sensors)
    for name, numbers in a.sensors.items():
        np.testing.assert_array_equal(numbers, b.sensors[name])


@pytest.mark.parametrize("hold, every", [(1, 1), (4, 3), (5, 10), (7, 100)])
def test_rollouts_keep_what_a_world_would_have_done(hold: int, every: int) -> None:
    """Bit for bit, every sensor beside what the world itself says."""
    world = falling()
    commands = some_commands(world, 3, 20)
    out = kido.rollout(world, commands, hold=hold, every=every, sensors=all_sensors(world))
    kept = 20 * hold // every
    assert out.positions.shape == out.accelerations.shape == (3, kept, commands.shape[2])
    np.testing.assert_allclose(out.times, 1e-3 * every * np.arange(1, kept + 1))
    own = world.clone()
    robot, crate = own.skeleton("humanoid"), own.skeleton("crate")
    seen = all_sensors(own)
    for step in range(20 * hold):
        command(own, commands[1, step // hold])
        own.step()
        if (step + 1) % every:
            continue
        row = (1, step // every)
        for name in ("positions", "velocities", "accelerations"):
            expected = np.concatenate([getattr(robot, name), getattr(crate, name)])
            np.testing.assert_array_equal(getattr(out, name)[row], expected)
        hand, foot = seen["hand"].body, seen["foot velocity"].body
        np.testing.assert_allclose(out.sensors["hand"][row], hand.transform(), atol=1e-12)
        np.testing.assert_allclose(
            out.sensors["foot velocity"][row], foot.spatial_velocity(in_coordinates_of=kido.WORLD), atol=1e-12
        )
        for name in ("robot touches", "crate touches", "foot touches", "ground"):
            expected = own.contact_wrench(seen[name].part, about=(0, 0, 0) if name == "ground" else None)
            np.testing.assert_allclose(out.sensors[name][row], expected, rtol=1e-9, atol=1e-9)
        loaded = [c for c in own.contacts_of(crate) if c.force.any()]
        assert out.sensors["crate points"][row] == len(loaded)
        np.testing.assert_allclose(out.sensors["energy"][row], own.energy, rtol=1e-12)
        np.testing.assert_allclose(out.sensors["kinetic"][row], own.kinetic_energy, rtol=1e-12)
        np.testing.assert_allclose(out.sensors["potential"][row], own.potential_energy, rtol=1e-12)
    assert (out.steps_done == 20 * hold).all() and world.num_steps == 10


@pytest.mark.parametrize("hold", [1, 3])
@pytest.mark.parametrize("executor", [None, InPlace()])
def test_forces_that_wait_for_the_next_step_act_in_the_first_one(
    hold: int, executor: Executor | None
) -> None:
    world = falling()
    world.skeleton("crate").body(0).add_external_force((200.0, 0.0, 300.0))
    world.skeleton("humanoid").bodies[3].add_external_torque((0.0, 20.0, 0.0))
    commands = some_commands(world, 2, 4)
    out = kido.rollout(world, commands, hold=hold, executor=executor)
    for step in range(4 * hold):
        command(world, commands[1, step // hold])
        world.step()
        q = np.concatenate([world.skeleton(name).positions for name in ("humanoid", "crate")])
        np.testing.assert_array_equal(out.positions[1, step], q)


def test_the_number_of_threads_does_not_matter() -> None:
    world = falling()
    commands = some_commands(world, 9, 30)
    one, two, many = (
        kido.rollout(world, commands, threads=n, every=5, sensors=all_sensors(world)) for n in (1, 2, 20)
    )
    assert_same(one, two)
    assert_same(one, many)


def test_a_command_holds_for_a_whole_rollout() -> None:
    box = put(gallery.box(mass=2.0), (0.0, 0.0, 5.0))
    out = kido.rollout(World([box]), [[[0, 0, 0, 0, 0, 2.0 * (G + 1.0)]]], hold=500, every=500)
    np.testing.assert_allclose(out.velocities[0, 0, 5], 0.5, rtol=1e-9)
    np.testing.assert_allclose(out.accelerations[0, 0, 5], 1.0, rtol=1e-9)


def test_a_copy_that_diverges_leaves_the_others_and_their_sensors_alone() -> None:
    made = gallery.double_pendulum()
    world = World([made])
    velocities = np.array([[0.1, 0.0], [1e200, 0.0], [0.2, 0.0]])
    start = (np.zeros((3, 2)), velocities)
    out = kido.rollout(
        world,
        np.zeros((3, 10, 2)),
        start,
        sensors={"energy": Energy(), "tip": BodyPose(made.bodies[-1]), "count": ContactCount(made)},
    )
    assert out.steps_done.tolist() == [10, 0, 10]
    for numbers in (out.positions, out.velocities, out.accelerations, *list(out.sensors.values())[:2]):
        assert np.isnan(numbers[1]).all() and np.isfinite(numbers[[0, 2]]).all()
    assert (out.sensors["count"] == 0).all()


@dataclass(frozen=True)
class Height(RolloutSensor):
    """Height of the center of mass of the first skeleton that moves."""

    skeleton: kido.Skeleton

    def read(self, states: StateBatch) -> np.ndarray:
        q, _, _ = states.of(self.skeleton)
        return self.skeleton.tree.center_of_mass(q)[:, 2]


def test_sensors_of_ones_own_are_asked_once_for_all_states() -> None:
    box = put(gallery.box(), (0.0, 0.0, 5.0))
    out = kido.rollout(World([box]), np.zeros((2, 100, 6)), sensors={"height": Height(box)})
    np.testing.assert_allclose(
        out.sensors["height"], 5.0 - 0.5 * G * out.times[None] ** 2 * [[1], [1]], rtol=1e-6
    )


def test_skeletons_that_do_not_move_stand_still_in_sensors() -> None:
    table = put(gallery.box((1.0, 1.0, 0.2), name="table"), (0.0, 0.0, -0.1), (0.0, 0.0, 0.5))
    table.mobile = False
    box = put(gallery.box((0.2, 0.2, 0.2), mass=2.0), (0.0, 0.0, 0.1))
    world = World([table, box])
    world.step(300)
    out = kido.rollout(
        world,
        np.zeros((1, 1, 6)),
        hold=10,
        sensors={
            "pose": BodyPose(table.body(0)),
            "wrench": ContactWrench(table),
            "points": ContactCount(table),
        },
    )
    np.testing.assert_allclose(out.sensors["pose"][0, -1], table.body(0).transform(), atol=1e-15)
    np.testing.assert_allclose(out.sensors["wrench"][0, -1, 3:], [0, 0, -2.0 * G], atol=1e-3)
    assert (out.sensors["points"] == 4).all()


# ---- over executors


@pytest.mark.parametrize("samples", [1, 5, 40])
def test_an_executor_gives_what_this_process_gives(samples: int) -> None:
    world = falling()
    commands = some_commands(world, samples, 10)
    q = np.tile(np.concatenate([s.positions for s in world.skeletons[1:]]), (samples, 1))
    start = (q, np.random.default_rng(5).normal(size=q.shape))
    sensors = all_sensors(world)
    here = kido.rollout(world, commands, start, hold=2, every=4, sensors=sensors)
    with ThreadPoolExecutor(2) as pool:
        for executor in (InPlace(), pool):
            there = kido.rollout(world, commands, start, hold=2, every=4, sensors=sensors, executor=executor)
            assert_same(here, there)


def test_no_samples_are_no_work_for_an_executor() -> None:
    world = falling()
    out = kido.rollout(world, some_commands(world, 0, 5), executor=InPlace(), sensors={"e": Energy()})
    assert out.positions.shape[:2] == (0, 5) and out.sensors["e"].shape == (0, 5)


def test_processes_give_what_this_process_gives() -> None:
    world = falling()
    commands = some_commands(world, 6, 10)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        there = kido.rollout(world, commands, sensors={"energy": Energy()}, executor=pool)
    assert_same(there, kido.rollout(world, commands, sensors={"energy": Energy()}))


def test_errors_of_an_executor_come_back_and_nothing_is_left_to_do() -> None:
    class Failing(InPlace):
        submitted = 0

        def submit(self, function, /, *args, **kwargs):  # type: ignore[no-untyped-def]
            Failing.submitted += 1
            if Failing.submitted == 3:
                raise RuntimeError("the cluster is gone")
            return super().submit(function, *args, **kwargs)

    world = falling()
    with pytest.raises(RuntimeError, match="the cluster is gone"):
        kido.rollout(world, some_commands(world, 8, 3), executor=Failing())
    assert kido.rollout(world, some_commands(world, 1, 3)).steps_done.tolist() == [3]


# ---- bad input


@pytest.mark.parametrize(
    "wrong, error, text",
    [
        ({"hold": 0}, ValueError, "hold: expected 1 or above, got 0"),
        ({"every": -1}, ValueError, "every: expected 1 or above, got -1"),
        ({"every": 1.5}, TypeError, "every"),
        ({"threads": 0}, ValueError, "threads"),
        ({"executor": "dask"}, TypeError, r"executor: expected a concurrent\.futures\.Executor, got str"),
        ({"sensors": {"x": "energy"}}, TypeError, r"sensors\['x'\]: expected a RolloutSensor, got str"),
        ({"states": (np.zeros((2, 6)), np.zeros((1, 6)))}, ValueError, r"states\[0\]"),
        ({"states": (np.zeros((1, 6)), np.full((1, 6), np.nan))}, ValueError, r"states\[1\]"),
    ],
)
def test_arguments_are_named(wrong: dict[str, object], error: type[Exception], text: str) -> None:
    world = World([gallery.box()])
    with pytest.raises(error, match=text):
        kido.rollout(world, np.zeros((1, 5, 6)), **wrong)  # type: ignore[arg-type]


def test_sensors_belong_to_the_world() -> None:
    world, other = World([gallery.box()]), gallery.ball()
    for sensor in (BodyPose(other.body(0)), ContactWrench(other), ContactCount(other.body(0).shape_nodes[0])):
        with pytest.raises(ValueError, match=r"sensors\['x'\]: 'ball.*' belongs to no skeleton of the world"):
            kido.rollout(world, np.zeros((1, 5, 6)), sensors={"x": sensor})
    with pytest.raises(TypeError, match="part: expected a Skeleton, BodyNode or ShapeNode"):
        ContactWrench("box")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="kind: expected 'total'"):
        Energy("heat")
    with pytest.raises(ValueError, match="frame: expected"):
        BodyVelocity(other.body(0), "sideways")


def test_commands_have_the_shape_of_the_world() -> None:
    world = World([gallery.box()])
    with pytest.raises(ValueError, match="commands"):
        kido.rollout(world, np.zeros((1, 5, 7)))
    with pytest.raises(TypeError, match="world: expected a World"):
        kido.rollout(gallery.box(), np.zeros((1, 5, 6)))  # type: ignore[arg-type]
    with pytest.raises(EditError, match="user joints"):
        kido.rollout(World([gallery.cam()]), np.zeros((1, 5, 1)))


DASK = """
import os, signal, threading, time, warnings
warnings.simplefilter("ignore")
import numpy as np
from distributed import Client, LocalCluster
import kido

robot = kido.gallery.humanoid()
world = kido.World([kido.gallery.ground(), robot])
commands = np.random.default_rng(0).normal(size=(16, 500, robot.num_dofs))
settings = {"hold": 4, "every": 500, "sensors": {"touches": kido.world.ContactWrench(robot)}}
expected = kido.rollout(world, commands, **settings)

with LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
    before = set(client.run(os.getpid).values())
    def lose():
        while not any(client.processing().values()):
            time.sleep(0.01)
        os.kill(min(before), signal.SIGKILL)
    thief = threading.Thread(target=lose)
    thief.start()
    out = kido.rollout(world, commands, executor=client.get_executor(), **settings)
    thief.join()
    after = set(client.run(os.getpid).values())
names = ("positions", "velocities", "accelerations")
same = all(np.array_equal(getattr(out, name), getattr(expected, name)) for name in names)
same &= np.array_equal(out.sensors["touches"], expected.sensors["touches"])
print(f"same: {same}, workers lost: {len(before - after)}")
"""


def test_a_dask_cluster_that_loses_a_worker_gives_the_same() -> None:
    """A local cluster of two processes, one of which is killed while it works."""
    assert output_of(DASK).splitlines()[-1] == "same: True, workers lost: 1"
