"""Recorders beside what a user does: errors, Ctrl-C, several of them, what is asked of them meanwhile."""

from __future__ import annotations

import pickle
from pathlib import Path
from time import sleep

import numpy as np
import pytest
from _processes import interrupted, output_of
from _worlds import falling, numbers_of

import kido
from kido import World, gallery
from kido.errors import DivergedError, EditError, UnknownNameError
from kido.recording import RecordingPart
from kido.recording._layout import PartLayout, ShapeNames
from kido.recording._series import series_of
from kido.recording._settings import RecordSettings
from kido.recording._tables import MemoryStore
from kido.recording._tracks import part_tables
from kido.world import WorldObserver

HERE = str(Path(__file__).parent), str(Path(__file__).parents[1])


@pytest.mark.parametrize("steps", [1, 3, 1000])
@pytest.mark.parametrize("rate", [1.0, 50.0, 1000.0, np.inf])
def test_a_recorded_world_goes_as_one_that_is_not(steps: int, rate: float) -> None:
    world, twin = falling(), falling()
    with kido.record(world, rate=rate, accelerations=True) as it:
        for _ in range(60 // steps + 1):
            world.step(steps)
            twin.step(steps)
    assert numbers_of(world) == numbers_of(twin)
    every = {1.0: 1000, 50.0: 20}.get(rate, 1)
    expected = sorted({*range(0, world.num_steps + 1, every), world.num_steps})
    assert it.parts[0].steps.tolist() == expected
    assert np.array_equal(it.times, 1e-3 * np.array(expected))


def test_samples_are_what_a_world_says_at_that_time() -> None:
    world = falling()
    world.constraints.add(
        kido.WeldConstraint(world.skeleton("low").bodies[0], world.skeleton("high").bodies[0])
    )
    arm = world.skeleton("arm")
    arm.commands = [0.0] * 6 + [0.5, 0.2, -0.1] + [0.0] * 3
    said = []
    with kido.record(world, rate=100.0, accelerations=True, signals={"energy": "energy"}) as it:
        for _ in range(30):
            world.step(10)
            forces = world.joint_forces(arm)
            wrench = world.constraint_wrench(next(iter(world.constraints)))
            pulled = [float(np.linalg.norm(part)) for part in (wrench[3:], wrench[:3])]
            carried = [world.contact_wrench(skeleton)[5] for skeleton in world.skeletons[1:]]
            deepest = max((contact.depth for contact in world.contacts), default=0.0)
            said.append((arm.positions, arm.accelerations, forces, pulled, carried, deepest, world.energy))
    for sample, (q, a, forces, pulled, carried, deepest, energy) in enumerate(said, start=1):
        assert np.array_equal(it.positions(arm)[sample], q)
        assert np.array_equal(it.series("accelerations", "arm").values[sample], a)
        for name, own in (
            ("actuator", forces.actuators),
            ("friction", forces.friction),
            ("limit", forces.limits),
        ):
            recorded = it.series(f"{name}_forces", "arm").values[sample]
            known = np.isfinite(recorded)
            assert np.allclose(recorded[known], own[known], rtol=1e-12, atol=1e-14)
            assert known.sum() == (11 if name == "actuator" else 12)
        assert np.allclose(it.series("constraint_forces").values[sample], pulled, rtol=1e-12)
        assert np.isclose(it.series("energy").values[sample, 0], energy, rtol=1e-14)
        assert np.isclose(
            it.series("contact_depths").values[sample, 0], max(deepest, 0.0), rtol=1e-6, atol=1e-12
        )
        contacts = it.contacts_at(0.01 * sample)
        for k, name in enumerate(("arm", "low", "high")):
            up = sum(
                (c.first.skeleton.name == name) * c.force[2] - (c.second.skeleton.name == name) * c.force[2]
                for c in contacts
            )
            assert np.isclose(up, carried[k], rtol=1e-5, atol=1e-4)
    assert np.isnan(it.series("actuator_forces", "arm").column("joint_2")).all()
    assert any(np.nanmax(np.abs(it.series(f"{n}_forces").values)) > 0.0 for n in ("limit", "friction"))


def test_several_recorders_look_at_one_world() -> None:
    world, twin = falling(), falling()
    with kido.record(world, rate=100.0) as first:
        world.step(35)
        with kido.record(world, rate=1000.0) as second:
            world.step(25)
            with pytest.raises(EditError, match="looks at"):
                world.attach(second._recorder)  # type: ignore[arg-type]
        world.step(15)
    twin.step(75)
    assert numbers_of(world) == numbers_of(twin)
    assert first.parts[0].steps.tolist() == [0, 10, 20, 30, 40, 50, 60, 70, 75]
    assert second.parts[0].steps.tolist() == list(range(35, 61))
    both = np.isin(second.parts[0].steps, [40, 50, 60])
    assert np.array_equal(second.positions("arm")[both], first.positions("arm")[4:7])


def test_an_error_in_the_block_is_kept_and_raised() -> None:
    world = falling()
    with pytest.raises(RuntimeError, match="mine"), kido.record(world) as it:
        world.step(50)
        raise RuntimeError("mine")
    assert not it.is_open and it.end_time == 0.05
    assert it.events[-1].kind == "error" and it.events[-1].text == "RuntimeError: mine"


def test_a_world_that_diverges_is_recorded_up_to_there() -> None:
    world = World([gallery.ball(0.1, 1.0, name="ball")])
    with pytest.raises(DivergedError), kido.record(world) as it:
        world.step(30)
        world.skeletons[0].velocities = [0, 0, 0, 1e308, 1e308, 1e308]
        world.step(100)
    assert it.events[-1].text.startswith("DivergedError")
    assert len(it) >= 2 and np.isfinite(it.positions("ball")).all()
    world.skeletons[0].velocities = np.zeros(6)
    world.step(10)
    assert it.end_time < world.time


def test_a_signal_that_raises_does_so_after_a_whole_step() -> None:
    def faulty(world: World) -> float:
        if world.num_steps >= 40:
            raise ZeroDivisionError("in the signal")
        return world.time

    world, twin = falling(), falling()
    with kido.record(world, signals={"faulty": faulty}) as it:
        with pytest.raises(ZeroDivisionError, match="in the signal"):
            world.step(100)
        assert world.num_steps == 40
        with pytest.raises(ZeroDivisionError):
            world.step(100)
        with pytest.raises(ZeroDivisionError):
            it.close()
    twin.step(60)
    assert numbers_of(world) == numbers_of(twin)
    assert it.parts[0].steps.tolist() == [0, 20]
    assert np.array_equal(it.series("faulty").values[:, 0], it.times)


def test_signals_may_not_edit_or_step_the_world() -> None:
    def edit(world: World) -> float:
        world.skeletons[1].bodies[0].mass = 2.0
        return 0.0

    def step(world: World) -> float:
        world.step()
        return 0.0

    for function, reason in ((edit, "edited the world"), (step, "used while")):
        world = falling()
        with pytest.raises(EditError, match=reason), kido.record(world, signals={"bad": function}):
            world.step(50)


def test_signals_change_their_shape_between_parts() -> None:
    world = falling()
    with kido.record(world, signals={"masses": (lambda w: [s.mass for s in w.skeletons], "kg")}) as it:
        world.step(40)
        world.remove("high")
        world.step(40)
    assert [part.layout.signals[0].shape for part in it.parts] == [(4,), (3,)]
    series = it.series("masses")
    assert series.units == ("kg",) * 4 and np.isnan(series.values[-1, 3])
    assert it.events[-1].text == "removed high"


def test_marks_are_kept_with_their_data() -> None:
    world = falling()
    with kido.record(world) as it:
        it.mark("begin")
        world.step(25)
        made = it.mark("push", force=[1.0, 2.0], why="test")
        assert it.events[-1] == made
        for text, data, error in (
            ("", {}, ValueError),
            (3, {}, TypeError),
            ("x", {"y": object()}, TypeError),
        ):
            with pytest.raises(error):
                it.mark(text, **data)  # type: ignore[arg-type]
    assert [(event.time, event.text) for event in it.events] == [(0.0, "begin"), (0.025, "push")]
    assert dict(it.events[1].data) == {"force": [1.0, 2.0], "why": "test"}
    with pytest.raises(RuntimeError, match="closed"):
        it.mark("late")


def test_closing_twice_does_no_harm(tmp_path: Path) -> None:
    world = falling()
    it = kido.record(world, tmp_path / "run.h5")
    world.step(30)
    it.close()
    count = len(it)
    it.close()
    it.flush()
    world.step(30)
    assert len(it) == count == 3 and it.end_time == 0.03


def test_a_world_without_steps_is_one_sample(tmp_path: Path) -> None:
    for path in (None, tmp_path / "run.h5"):
        with kido.record(falling(), path) as it:
            pass
        assert it.times.tolist() == [0.0]
    empty = World()
    with kido.record(empty, tmp_path / "empty.h5") as it:
        empty.step(40)
    assert kido.load_recording(tmp_path / "empty.h5").times.tolist() == [0.0, 0.02, 0.04]
    assert it.world_at(0.03).num_steps == 30 and it.series("positions").values.shape == (3, 0)


def test_copies_and_pickles_of_a_world_are_not_recorded() -> None:
    world = falling()
    with kido.record(world) as it:
        world.step(20)
        for copy in (world.clone(), pickle.loads(pickle.dumps(world))):
            copy.step(40)
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(it)
    assert it.end_time == 0.02


def test_a_recording_can_be_asked_while_it_goes_on() -> None:
    world = falling()
    with kido.record(world) as it:
        for k in range(1, 6):
            world.step(20)
            assert it.end_time == pytest.approx(0.02 * k) and it.is_open
            assert it.world_at(0.01).num_steps == 10
    assert not it.is_open


def test_interpolation_turns_about_one_axis_and_meets_the_samples() -> None:
    ball = gallery.ball(0.1, 1.0, name="ball")
    ball.velocities = [8.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    world = World([ball], gravity=(0, 0, 0))
    with kido.record(world, rate=4.0) as it:
        world.step(1000)
    for time in np.linspace(0.0, 1.0, 41):
        found = it.at(time).skeletons[0]
        true = kido.math.so3_exp([8.0 * time, 0.0, 0.0])
        assert np.allclose(found.bodies[0].transform()[:3, :3], true, atol=1e-9)
        assert np.allclose(found.bodies[0].transform()[:3, 3], [time, 0, 0], atol=1e-9)
    for sample, time in enumerate(it.times):
        assert np.array_equal(it.at(time).skeletons[0].positions, it.positions("ball")[sample])
    moved = it.playback()
    moved.time = 0.6
    assert moved.time == 0.6 and moved.skeletons[0].positions[3] == pytest.approx(0.6)
    moved.time = 99.0
    assert moved.time == 1.0
    with pytest.raises(ValueError, match="time"):
        it.at(1.1)


def test_slices_hold_what_is_between_two_times() -> None:
    world = falling()
    with kido.record(world, rate=100.0) as it:
        world.step(50)
        it.mark("late")
        world.step(50)
    part = it[0.02:0.06]
    assert np.allclose(part.times, [0.02, 0.03, 0.04, 0.05, 0.06]) and part.events == it.events
    assert np.array_equal(part.positions("arm"), it.positions("arm")[2:7])
    assert part[0.03:].times[0] == pytest.approx(0.03) and part[:0.03].events == ()
    assert np.array_equal(
        part.series("contact_forces").values,
        it.series("contact_forces").values[2:7][:, : len(part.series("contact_forces").columns)],
    )
    assert part.world_at(0.045).num_steps == 45
    with pytest.raises(ValueError, match="in order"):
        it[3.0:2.0]
    with pytest.raises(TypeError):
        it[3]  # type: ignore[index]


def test_two_runs_are_compared() -> None:
    runs = []
    for k in range(3):
        world = falling()
        with kido.record(world, rate=100.0) as it:
            world.step(50)
            if k == 2:
                world.skeleton("low").velocities = world.skeleton("low").velocities + 1e-3
            world.step(50)
        runs.append(it)
    same, other = runs[0].compare(runs[1]), runs[0].compare(runs[2])
    assert not same and same.samples == 11 and same.first_time is None
    assert other and other.first_time == pytest.approx(0.06)
    assert {column.name.split("/")[0] for column in other.columns if column.first_time < 0.065} == {"low"}
    largest = max(column.largest for column in other.columns)
    assert not runs[0].compare(runs[2], tolerance=largest)
    assert runs[0].compare(runs[2][:0.08]).notes[0].endswith("samples of the first run have no counterpart")


def test_unknown_names_are_told() -> None:
    world = falling()
    with kido.record(world) as it:
        world.step(20)
    with pytest.raises(UnknownNameError, match="positions"):
        it.series("position")
    with pytest.raises(UnknownNameError, match="arm"):
        it.positions("arms")
    with pytest.raises(UnknownNameError):
        it.series("positions").column("x")


@pytest.mark.parametrize(
    ("arguments", "error", "name"),
    [
        ({"rate": 0.0}, ValueError, "rate"),
        ({"rate": "fast"}, TypeError, "rate"),
        ({"keyframe_interval": -1.0}, ValueError, "keyframe_interval"),
        ({"contacts": 1}, TypeError, "contacts"),
        ({"signals": [1]}, TypeError, "signals"),
        ({"signals": {"a/b": "energy"}}, ValueError, "a/b"),
        ({"signals": {"positions": "energy"}}, ValueError, "positions"),
        ({"signals": {"x": 3}}, TypeError, "x"),
        ({"signals": {"x": ("energy", 3)}}, TypeError, "unit"),
        ({"meshes": "none"}, ValueError, "meshes"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, object], error: type[Exception], name: str) -> None:
    with pytest.raises(error, match=name):
        kido.record(falling(), **arguments)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="world"):
        kido.record(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="observer"):
        falling().attach(3)  # type: ignore[arg-type]
    assert issubclass(kido.world.WorldObserver, WorldObserver)


CTRL_C = """
import kido, sys, time
sys.path[:0] = sys.argv[2:]
from _worlds import falling
world = falling()
rate = float("inf") if "inf" in sys.argv[1] else 50.0
it = kido.record(world, sys.argv[1], rate=rate, signals={"t": "time"})
print("steps", flush=True)
try:
    with it:
        world.step(10**9)
except KeyboardInterrupt:
    pass
read = kido.load_recording(sys.argv[1])
whole = abs(read.end_time - world.time) < 1e-9 and (read.series("t").values[:, 0] == read.times).all()
print(whole, read.notes, len(read) > 10, read.events[-1].text.startswith("KeyboardInterrupt"))
"""


@pytest.mark.parametrize("name", ["run.h5", "inf.h5"])
def test_ctrl_c_ends_a_step_and_leaves_a_whole_file(name: str, tmp_path: Path) -> None:
    seconds, said = interrupted(CTRL_C, str(tmp_path / name), *HERE, after=0.8)
    assert said.strip() == "True () True True"
    assert seconds < 5.0


def test_ctrl_c_as_a_recorder_waits_for_its_file_comes_once_all_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = falling()
    recorder = kido.record(world, tmp_path / "run.h5")
    world.step(100)
    slept: list[float] = []

    def interrupted_once(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 1:
            raise KeyboardInterrupt
        sleep(seconds)

    monkeypatch.setattr("time.sleep", interrupted_once)
    with pytest.raises(KeyboardInterrupt):
        recorder.flush()
    monkeypatch.undo()
    assert kido.load_recording(tmp_path / "run.h5").end_time == pytest.approx(world.time)
    recorder.close()


FORKED = """
import kido, os, sys
sys.path[:0] = sys.argv[2:]
from _worlds import falling
world = falling()
with kido.record(world, sys.argv[1]) as it:
    world.step(100)
    child = os.fork()
    if child == 0:
        world.step(500)
        os._exit(0)
    os.waitpid(child, 0)
    world.step(100)
print(kido.load_recording(sys.argv[1]).end_time)
"""


def test_a_forked_process_does_not_write_to_the_file(tmp_path: Path) -> None:
    assert output_of(FORKED, str(tmp_path / "run.h5"), *HERE) == "0.2\n"


def test_a_recorder_that_is_never_closed_is_at_the_end_of_the_program(tmp_path: Path) -> None:
    output_of(
        "import kido, sys\nsys.path[:0] = sys.argv[2:]\nfrom _worlds import falling\n"
        "world = falling()\nit = kido.record(world, sys.argv[1])\nworld.step(55)",
        str(tmp_path / "run.h5"),
        *HERE,
    )
    it = kido.load_recording(tmp_path / "run.h5")
    assert it.end_time == 0.055 and it.notes == ()


def test_contact_forces_are_those_between_two_bodies() -> None:
    world = falling()
    with kido.record(world, rate=100.0) as it:
        for sample in range(1, 31):
            world.step(10)
            sums: dict[frozenset[str], np.ndarray] = {}
            for contact in world.contacts:
                ends = [f"{node.skeleton.name}/{node.body.name}" for node in (contact.first, contact.second)]
                sign = 1.0 if ends[0] < ends[1] else -1.0
                sums[frozenset(ends)] = sums.get(frozenset(ends), np.zeros(3)) + sign * contact.force
            series = it.series("contact_forces")
            for name, value in zip(series.columns, series.values[sample], strict=True):
                expected = np.linalg.norm(sums.get(frozenset(name.split(" - ")), np.zeros(3)))
                assert np.isclose(value, expected, rtol=1e-5, atol=1e-6)
    assert len(series.columns) == 3


def test_forces_of_contacts_that_are_told_either_way_round_are_one_sum() -> None:
    layout = PartLayout(shapes=(ShapeNames("a", "x", "s"), ShapeNames("b", "y", "s")))
    part = MemoryStore("made").add_part(layout, part_tables(layout, RecordSettings()))
    numbers = np.zeros((2, 10))
    numbers[:, 6:9] = [[3.0, 0.0, 0.0], [0.0, -4.0, 0.0]]
    for name, rows in (
        ("time", np.zeros(1)),
        ("contact_counts", np.array([2])),
        ("contact_shapes", np.array([[0, 1], [1, 0]])),
        ("contact_numbers", numbers),
    ):
        part.tables[name].append(rows)
    numbers[1, 6:9] = [1.0, 0.0, 0.0]
    series = series_of("made", [RecordingPart(0, part)], "contact_forces", None)
    assert series.columns == ("a/x - b/y",) and series.values.tolist() == [[5.0]]
    part.tables["contact_counts"].append(np.array([2]))
    part.tables["contact_shapes"].append(np.array([[0, 1], [1, 0]]))
    part.tables["contact_numbers"].append(numbers)
    part.tables["time"].append(np.ones(1))
    series = series_of("made", [RecordingPart(0, part)], "contact_forces", None)
    assert series.values.tolist() == [[5.0], [2.0]]


def test_velocities_between_samples_are_those_of_a_steady_fall() -> None:
    ball = kido.gallery.ball(0.1, 1.0)
    world = kido.World([ball])
    with kido.record(world, rate=20.0) as it:
        world.step(300)
    for time in (0.05, 0.062, 0.123, 0.299):
        (fallen,) = it.at(time).skeletons
        np.testing.assert_allclose(fallen.velocities[3:], (0.0, 0.0, -9.81 * time), atol=1e-12)


@pytest.mark.parametrize(("speeds", "largest", "when"), [((1.0, 0.5), 0.1, 0.1), ((0.5, 1.0), 0.1, 0.2)])
def test_of_runs_with_several_parts_the_largest_difference_is_told(
    speeds: tuple[float, float], largest: float, when: float
) -> None:
    runs = []
    for moves in (0.0, 1.0):
        ball = kido.gallery.ball(0.1, 1.0)
        world = kido.World([ball], gravity=(0.0, 0.0, 0.0))
        ball.velocities = [0.0, 0.0, 0.0, moves * speeds[0], 0.0, 0.0]
        with kido.record(world, rate=100.0) as it:
            world.step(100)
            ball.bodies[0].mass = 2.0  # an edit: another part
            ball.positions, ball.velocities = np.zeros(6), [0.0, 0.0, 0.0, moves * speeds[1], 0.0, 0.0]
            world.step(100)
        runs.append(it)
    assert len(runs[0].parts) == 2
    place = next(one for one in runs[0].compare(runs[1]).columns if one.quantity == "positions")
    assert place.largest == pytest.approx(largest, abs=1e-12)
    assert place.largest_time == pytest.approx(when)
