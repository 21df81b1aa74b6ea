"""What is fuzzed: every reader of files, with files to begin with.

`tests/io/data/fuzz/<format>/` holds sound samples, and what fuzzing found once ("found_..."): every run of
the tests reads it, as it is and changed at random.
"""

from __future__ import annotations

import random
import re
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import kido
from kido.errors import KidoError, ModelWarning
from kido.io import read_scene
from kido.shape import Mesh, load_triangles

DATA = Path(__file__).with_name("data")
CORPUS = DATA / "fuzz"
LONGEST_MESSAGE = 4000
"""Characters of an error: a page."""
LONGEST_READ = 10.0
"""Of a file of some kilobytes [s]."""


def read_model(path: Path) -> None:
    """A scene of a file, and the world of it."""
    scene = read_scene(path)
    for placed in scene.robots:
        for joint in placed.robot.joints:
            assert np.isfinite(joint.T_parent_joint).all()
    kido.World.from_description(scene)


def read_saved(path: Path) -> None:
    """The world of one of kido's own files."""
    kido.load_world(path, mesh_folder=path.parent / "meshes")


def read_mesh(path: Path) -> None:
    """The triangles of a mesh."""
    surface = load_triangles(Mesh(path))
    assert np.isfinite(surface.vertices).all()
    assert not surface.triangles.size or surface.triangles.min() >= 0
    assert not surface.triangles.size or surface.triangles.max() < len(surface.vertices)


@dataclass
class Target:
    """A format: its suffix, what reads it, samples beside the corpus, a folder of files that they name."""

    suffix: str
    read: Callable[[Path], None]
    more: tuple[str, ...] = ()
    beside: str = ""
    folder: tempfile.TemporaryDirectory[str] = field(default_factory=tempfile.TemporaryDirectory)

    def __post_init__(self) -> None:
        if self.beside:
            shutil.copytree(DATA / self.beside, self.folder.name, dirs_exist_ok=True)

    @property
    def corpus(self) -> list[Path]:
        """All files to begin with."""
        kept = sorted((CORPUS / self.suffix).glob("*"))
        return [*(DATA.parent / name for name in self.more), *kept]

    def run(self, data: bytes, longest: float = LONGEST_READ) -> str:
        """Read bytes as a file; what became of them: "read", or the message of a documented error.

        Everything else that is raised is a fault, as is an error longer than a page, and more than
        `longest` [s].
        """
        path = Path(self.folder.name) / f"fuzz.{self.suffix}"
        path.write_bytes(data)
        start = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", ModelWarning)
                self.read(path)
            outcome = "read"
        except (KidoError, OSError) as error:
            outcome = f"{type(error).__name__}: {error}"
        assert len(outcome) < LONGEST_MESSAGE, f"a message of {len(outcome)} characters"
        seconds = time.process_time() - start
        assert seconds < longest, f"{seconds:.1f} s for {len(data)} bytes"
        return outcome


TARGETS = {
    "urdf": Target("urdf", read_model, ("sample.urdf",)),
    "sdf": Target("sdf", read_model, ("data/sdf/sample.sdf", "data/sdf/workcell.sdf"), "sdf/models"),
    "skel": Target("skel", read_model, ("sample.skel", "data/joints.skel", "data/shapes.skel")),
    "mjcf": Target("mjcf", read_model, ("data/everything.xml",), "."),
    "json": Target("json", read_saved),
    **{name: Target(name, read_mesh) for name in ("stl", "obj", "ply", "off", "dae", "gltf", "glb", "msh")},
}

_WORDS = re.compile(rb"[A-Za-z_$][\w:.$-]{1,40}")
_TOKENS = (
    *(b"", b"0", b"-1", b"1e308", b"-1e308", b"1e-320", b"1e999", b"nan", b"inf", b"99999999999999999999"),
    *(b"<", b">", b'"', b"&", b"<!--", b"<![CDATA[", b"\0", b"\xff\xfe", b"../", b"/dev/zero", b"file://"),
    *(b"[", b"{", b"null", b"\xff\xff\xff\xff", b"\x80", b" ", b"\n"),
)


def words_of(samples: list[bytes]) -> list[bytes]:
    """The words that stand in files."""
    return sorted({word for sample in samples for word in _WORDS.findall(sample)})


def changed(samples: list[bytes], count: int, seed: int = 0) -> Iterator[bytes]:
    """Files that are changed at random: cut, spliced, with words of the format and hostile ones put in."""
    rng = random.Random(seed)
    words = [*words_of(samples), *_TOKENS]
    for _ in range(count):
        data = rng.choice(samples)
        for _ in range(rng.choice((1, 1, 2, 4))):
            data = _changed(data, samples, words, rng)
        yield data


def _changed(data: bytes, samples: list[bytes], words: list[bytes], rng: random.Random) -> bytes:
    at = rng.randint(0, len(data))
    to = min(len(data), at + rng.choice((1, 2, 4, 16, 200)))
    match rng.randrange(7):
        case 0:
            return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
        case 1:
            return data[:at] + rng.choice(words) + data[to:]
        case 2:
            found = list(_WORDS.finditer(data))
            word = rng.choice(found) if found else None
            return data if word is None else data[: word.start()] + rng.choice(words) + data[word.end() :]
        case 3:
            return data[:at] + data[to:]
        case 4:
            other = rng.choice(samples)
            start = rng.randint(0, len(other))
            return data[:at] + other[start : start + to - at] + data[to:]
        case 5:
            place = rng.randint(0, len(data))
            return data[:place] + data[at:to] + data[place:]
        case _:
            return data[:at]
