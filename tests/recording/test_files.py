"""Files of recordings, whole or not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from _processes import LINUX, output_of
from _worlds import assert_same_course, falling

import kido
from kido.errors import MissingDependencyError, RecordingError


def recorded(path: Path, steps: int = 400) -> kido.Recording:
    world = falling()
    with kido.record(
        world, path, signals={"energy": ("energy", "J"), "com": lambda w: w.skeletons[1].com()}
    ) as it:
        world.step(steps // 2)
        it.mark("half", at=[1, 2.5])
        world.step(steps - steps // 2)
    return it


def assert_same_samples(one: kido.Recording, other: kido.Recording, count: int | None = None) -> None:
    """The first samples of both are the same, to the last bit."""
    n = len(other) if count is None else count
    assert np.array_equal(one.times[:n], other.times[:n])
    assert one.quantities == other.quantities
    for quantity in one.quantities:
        ours, theirs = one.series(quantity), other.series(quantity)
        if count is None:
            assert ours.columns == theirs.columns and ours.units == theirs.units
        for name in set(ours.columns) & set(theirs.columns):
            assert np.array_equal(ours.column(name)[:n], theirs.column(name)[:n], equal_nan=True), (
                quantity,
                name,
            )


def test_a_file_holds_what_memory_does(tmp_path: Path) -> None:
    world, twin = falling(), falling()
    with kido.record(world) as memory, kido.record(world, tmp_path / "run.h5") as file:
        world.step(333)
    twin.step(333)
    assert np.array_equal(world.skeletons[1].positions, twin.skeletons[1].positions)
    read = kido.load_recording(tmp_path / "run.h5")
    assert read.notes == () and len(read) == 18
    assert_same_samples(read, memory)
    assert_same_samples(file, memory)
    assert read.events == memory.events


def test_other_programs_find_names_and_units(tmp_path: Path) -> None:
    recorded(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as file:
        assert file.attrs["format"] == "kido recording" and file.attrs["version"] == 1
        part = file["parts/0"]
        assert part["time"].attrs["unit"] == "s"
        assert part["positions"].attrs["unit"] == "rad, m"
        names = [name.decode() for name in part["dof_names"]]
        assert names[:2] == list(part["positions"].attrs["columns"][:2])
        assert names[7] == "arm/joint_1" and part["dof_units"][7] == b"rad"
        assert part["signals/energy"].attrs["unit"] == "J"
        assert "force z [N]" in part["contact_numbers"].attrs["columns"]
        assert part.attrs["time_step"] == 1e-3 and part.attrs["began"] == "start"
        read = kido.load_recording(tmp_path / "run.h5")
        assert np.array_equal(part["time"][:], read.times)
        assert np.array_equal(part["positions"][:, 6:12], read.series("positions").values[:, 6:12])
        assert not part["commands"][:].any() and part["commands"].shape == (21, 24)
        assert np.array_equal(part["signals/com"][:], read.series("com").values)


def test_a_file_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    world = falling()
    with kido.record(world, tmp_path / "run.h5") as it:
        world.step(200)
        it.flush()
        said = output_of(
            "import kido, sys\n"
            "it = kido.load_recording(sys.argv[1])\n"
            "print(len(it), it.end_time, it.notes[0][:14], len(it.at(0.1).skeletons))",
            str(tmp_path / "run.h5"),
        )
        world.step(100)
    assert said.split("\n")[0] == "11 0.2 was not closed 4"
    assert kido.load_recording(tmp_path / "run.h5").notes == ()


KILLED = """
import kido, sys, time
from kido import gallery
sys.path[:0] = sys.argv[2:]
from _worlds import falling
world = falling()
with kido.record(world, sys.argv[1], rate=200.0, signals={"energy": "energy"}) as it:
    world.step()
    print("begins", flush=True)
    while True:
        world.step(20)
        if world.num_steps % 400 == 0:
            world.skeletons[-1].bodies[0].mass += 0.001
        print(time.time(), world.num_steps, flush=True)
"""


@pytest.mark.skipif(not LINUX, reason="kills a process")
@pytest.mark.parametrize("after", [0.7, 1.3, 2.1, 3.0])
def test_a_killed_process_loses_no_more_than_the_last_second(after: float, tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    folders = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path), *folders],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    ) as program:
        assert program.stdout is not None and program.stdout.readline() == "begins\n"
        time.sleep(after)
        program.send_signal(signal.SIGKILL)
        lines = program.stdout.read().splitlines()[:-1]
    known = [(float(a), int(b)) for a, b in (line.split() for line in lines)]
    seen = known[-2][0] if len(known) > 1 else 0.0  # it looked at the clock since
    long_ago = [steps for when, steps in known if when < seen - 1.0]
    it = kido.load_recording(path)
    assert "was not closed" in it.notes[0]
    if long_ago:
        assert len(it) > 0 and it.end_time >= 1e-3 * max(long_ago) - 0.005
    twin = falling()
    twin.step(200)
    if len(it) > 0 and it.end_time > 0.2:
        assert_same_course(it.world_at(0.2), twin)


def test_a_file_that_is_cut_off_opens_as_far_as_it_is_whole(tmp_path: Path) -> None:
    path, cut = tmp_path / "run.h5", tmp_path / "cut.h5"
    world = falling()
    with kido.record(world, path, rate=500.0) as whole:
        for _ in range(8):
            world.step(250)
            whole.flush()
    content, counts = path.read_bytes(), []
    for share in (0.02, 0.3, 0.5, 0.7, 0.8, 0.9, 0.97, 0.999):
        cut.write_bytes(content[: int(share * len(content))])
        try:
            it = kido.load_recording(cut)
        except RecordingError as error:
            assert "whole" in str(error) and str(cut) in str(error)
            counts.append(0)
            continue
        assert "is cut off" in it.notes[0]
        counts.append(len(it))
        if len(it):
            assert_same_samples(it, whole, len(it))
        else:
            with pytest.raises(RecordingError, match="holds no samples"):
                it.plot()
        if len(it) > 20:
            twin = falling()
            twin.step(10)
            assert_same_course(it.world_at(0.01), twin)
    assert counts == sorted(counts) and counts[0] == 0 and counts[-1] > 300


def test_a_newer_file_opens_as_far_as_it_is_known(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    whole = recorded(path)
    with h5py.File(path, "r+") as file:
        file.attrs["version"] = 2
        streams = file["streams"]
        told = json.loads(bytes(streams["parts"][:]))
        told["layout"]["weather"] = "rain"
        line = np.frombuffer(json.dumps(told).encode() + b"\n", dtype=np.uint8)
        streams["parts"].resize(len(line), axis=0)
        streams["parts"][:] = line
        streams.create_dataset("humidity", (22,), maxshape=(None,), chunks=(8,), data=np.ones(22))
    it = kido.load_recording(path)
    assert "newer kido (format 2)" in it.notes[0] and "weather" in it.notes[1]
    assert_same_samples(it, whole)


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "text.h5"
    text.write_text("no HDF5")
    other = tmp_path / "other.h5"
    with h5py.File(other, "w") as file:
        file["x"] = 1
    for path, reason in ((text, "does not begin as HDF5"), (other, "another HDF5 file")):
        with pytest.raises(RecordingError, match=reason):
            kido.load_recording(path)
    with pytest.raises(FileNotFoundError):
        kido.load_recording(tmp_path / "none.h5")
    with pytest.raises(TypeError, match="path"):
        kido.load_recording(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="trusted"):
        kido.load_recording(other, trusted=1)  # type: ignore[arg-type]


def test_files_that_cannot_be_made_raise_at_the_call(tmp_path: Path) -> None:
    world = falling()
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: .*none/run\.h5"):
        kido.record(world, tmp_path / "none" / "run.h5")
    with kido.record(world, tmp_path / "run.h5"), pytest.raises(OSError):
        kido.record(world, tmp_path / "run.h5")
    world.step(10)


FULL = """
import kido, os, resource, signal, sys
sys.path[:0] = sys.argv[2:]
from _worlds import falling
from kido.errors import RecordingError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
world = falling()
it = kido.record(world, sys.argv[1], rate=1000.0, keyframe_interval=0.001)
limit = os.path.getsize(sys.argv[1]) + 100_000  # room in the file is reserved
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    for _ in range(40):
        world.step(100)
        it.flush()
except RecordingError as error:
    print("nothing more is recorded" in str(error), world.num_steps % 100 == 0)
steps = world.num_steps
world.step(50)
print(world.num_steps - steps)
it.close()
it.close()
"""


@pytest.mark.skipif(not LINUX, reason="sets a limit")
def test_a_full_disk_ends_the_recording_and_not_the_simulation(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    folders = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
    assert output_of(FULL, str(path), *folders).split() == ["True", "True", "50"]
    it = kido.load_recording(path)
    assert len(it) > 100
    twin = falling()
    with kido.record(twin, rate=1000.0) as whole:
        twin.step(len(it))
    for name in ("arm", "low"):
        assert np.array_equal(it.positions(name), whole.positions(name)[: len(it)])


GROWING = """
import os, resource, sys
import kido

def resident():
    with open("/proc/self/statm") as numbers:
        return int(numbers.read().split()[1]) * resource.getpagesize()

box = kido.gallery.box((0.2, 0.2, 0.2), mass=1.0)
box.positions = [0.0, 0.0, 0.0, 0.0, 0.0, 0.1]
world, before = kido.World([kido.gallery.ground(), box]), 0
with kido.record(world, sys.argv[1], rate=1000.0):
    for k in range(7):
        world.step(100_000)
        before = resident() if k == 2 else before
    print(resident() - before, os.path.getsize(sys.argv[1]))
"""


@pytest.mark.nightly
@pytest.mark.skipif(not LINUX, reason="reads /proc")
def test_memory_stays_as_it_is_while_a_file_grows(tmp_path: Path) -> None:
    grown, size = map(int, output_of(GROWING, str(tmp_path / "run.h5")).split())
    assert size > 200e6
    assert grown < 6e6


def test_compressed_files_are_smaller_and_the_same(tmp_path: Path) -> None:
    world = falling()
    with (
        kido.record(world, tmp_path / "plain.h5", rate=1000.0),
        kido.record(world, tmp_path / "packed.h5", rate=1000.0, compression="gzip"),
    ):
        world.step(1000)
    plain, packed = (kido.load_recording(tmp_path / f"{name}.h5") for name in ("plain", "packed"))
    assert_same_samples(packed, plain)
    assert os.path.getsize(tmp_path / "packed.h5") < 0.8 * os.path.getsize(tmp_path / "plain.h5")
    with pytest.raises(ValueError, match="compression"):
        kido.record(world, tmp_path / "other.h5", compression="zip")


def test_without_h5py_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    world = falling()
    for act in (
        lambda: kido.record(world, tmp_path / "run.h5"),
        lambda: kido.load_recording(tmp_path / "run.h5"),
    ):
        with pytest.raises(MissingDependencyError, match=r"pip install 'kido\[record\]'"):
            act()
    with kido.record(world) as it:
        world.step(40)
    assert len(it) == 3


def test_importing_kido_imports_neither_h5py_nor_matplotlib() -> None:
    said = output_of(
        "import sys, kido\n"
        "from kido import gallery\n"
        "world = kido.World([gallery.ground()])\n"
        "with kido.record(world): world.step(3)\n"
        "print([name for name in ('h5py', 'matplotlib') if name in sys.modules])"
    )
    assert said == "[]\n"
