"""Films: what is in their frames, how many there are, and what they leave as it was."""

from __future__ import annotations

import re
import subprocess
import threading
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from _look import BLUE, RED, block, box_of, covered, dominated, project, reddish
from _processes import PATIENCE
from PIL import Image, ImageSequence

import kido
from kido.shape import Box, Sphere
from kido.view import _canvas
from kido.view._film_file import film_file

SIZE = (96, 72)
CAMERA = ((6.0, 0, 1.0), (0, 0, 1.0), (0, 0, 1))


def falling_ball() -> kido.World:
    ball = kido.Skeleton("ball")
    body = ball.add_body("ball", joint=kido.FreeJoint(), inertia=kido.Inertia(1.0, moment=0.1 * np.eye(3)))
    body.add_shape_node(Sphere(0.2), name="ball", material=kido.description.Material("red", RED))
    ball.positions = [0, 0, 0, 0, 0, 1.8]
    return kido.World([ball])


def frames_of_mp4(path: Path) -> tuple[float, np.ndarray]:
    """Rate [1/s] and frames (n, height, width, 3) of a film, as ffmpeg decodes it."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE)
    stream = next(line for line in done.stderr.decode().splitlines() if "Video: h264" in line)
    width, height = map(int, re.search(r", (\d+)x(\d+)", stream).groups())
    rate = float(re.search(r", ([\d.]+) fps", stream).group(1))
    return rate, np.frombuffer(done.stdout, dtype=np.uint8).reshape(-1, height, width, 3)


def frames_of_gif(path: Path) -> tuple[list[np.ndarray], int]:
    """Frames, and how long one is shown [ms]."""
    with Image.open(path) as image:
        frames = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(image)]
        return frames, image.info["duration"]


def test_a_world_falls_in_its_film_as_it_does_in_time(tmp_path: Path) -> None:
    world = falling_ball()
    before = world.snapshot()
    path = tmp_path / "fall.mp4"
    film = kido.film(
        world, path, duration=0.5, rate=20.0, size=SIZE, camera=CAMERA, ground=False, background="black"
    )
    assert world.time == 0.0 and world.num_steps == 0
    world.restore(before)
    rate, frames = frames_of_mp4(path)
    assert frames.shape[1:3] == SIZE[::-1] and rate == 20.0
    assert len(frames) == film.num_frames == 11 and film.duration == pytest.approx(0.55)
    for k, frame in enumerate(frames):
        middle = box_of(covered(frame, 0)).mean(axis=0)
        height = 1.8 - 0.5 * 9.81 * (k / 20.0) ** 2
        assert np.abs(middle - project((0, 0, height), CAMERA, SIZE)).max() < 1.2
    assert np.abs(frames[-1].astype(int) - film.last_frame).mean() < 4.0
    assert path.read_bytes() == film.data
    assert [file.name for file in tmp_path.iterdir()] == ["fall.mp4"]


def test_slow_motion_shows_less_of_the_world(tmp_path: Path) -> None:
    slow = kido.film(falling_ball(), duration=0.2, rate=20.0, speed=0.25, size=SIZE, ground=False)
    assert slow.num_frames == 17 and slow.suffix == ".mp4"


def test_a_skeleton_takes_positions_and_keeps_its_own(tmp_path: Path) -> None:
    skeleton = kido.Skeleton("slider")
    body = skeleton.add_body("body", joint=kido.PrismaticJoint(axis=(0, 1, 0)))
    kido.ShapeNode(body, "box", Box((0.3, 0.3, 0.3)), material=kido.description.Material("red", RED))
    skeleton.positions = [0.25]
    places = np.linspace(-1, 1, 5)[:, None]
    path = tmp_path / "slide.gif"
    camera = ((6.0, 0, 0), (0, 0, 0), (0, 0, 1))
    film = kido.film(
        skeleton, path, positions=places, rate=25.0, size=SIZE, camera=camera, ground=False, frames=[body]
    )
    assert skeleton.positions == [0.25]
    frames, delay = frames_of_gif(path)
    assert len(frames) == film.num_frames == 5 and delay == 40
    assert film.rate == 25.0
    for y, shown in zip(places[:, 0], frames, strict=True):
        middle = box_of(covered(shown)).mean(axis=0)
        assert np.abs(middle - project((0, y, 0), camera, SIZE)).max() < 6  # the axes reach further


def test_the_axes_of_a_frame_go_with_the_copy_that_is_filmed() -> None:
    skeleton = kido.Skeleton("slider")
    body = skeleton.add_body("body", joint=kido.PrismaticJoint(axis=(0, 1, 0)))
    node = kido.FrameNode(body, "hand", (0, 0, 0.2))
    kido.ShapeNode(body, "box", Box((0.1, 0.8, 1.2)), (-0.5, 0, 0))
    camera, size = ((4.0, 0, 0), (0, 0, 0), (0, 0, 1)), (640, 480)
    film = kido.film(skeleton, positions=[[-1.0], [1.0]], size=size, camera=camera, frames=[node])
    column = np.nonzero(dominated(film.last_frame, 2))[1].mean()  # of the axis z
    assert abs(column - project((0, 1.0, 0.2), camera, size)[0]) < 3


class Playback:
    """A ball that rises by 1 m/s, as a playback of a recording has it."""

    time = 0.0

    def __init__(self) -> None:
        self._ball = falling_ball().skeletons[0]

    @property
    def skeletons(self) -> tuple[kido.Skeleton, ...]:
        self._ball.positions = [0, 0, 0, 0, 0, self.time]
        return (self._ball,)

    @property
    def contacts(self) -> list[kido.Contact]:
        return []


class Recording:
    start_time, end_time = 0.5, 1.5

    def playback(self) -> Playback:
        return Playback()


def test_a_recording_is_replayed_from_its_start_to_its_end() -> None:
    camera, size = ((6.0, 0, 1.0), (0, 0, 1.0), (0, 0, 1)), (96, 72)
    film = kido.film(Recording(), rate=10.0, speed=0.5, size=size, camera=camera, ground=False)
    assert film.num_frames == 21
    top = box_of(reddish(film.last_frame)).mean(axis=0)
    assert np.abs(top - project((0, 0, 1.5), camera, size)).max() < 1.0
    half = kido.film(Recording(), rate=10.0, duration=0.5, size=size, camera=camera, ground=False)
    assert half.num_frames == 6
    middle = box_of(reddish(half.last_frame)).mean(axis=0)
    assert np.abs(middle - project((0, 0, 1.0), camera, size)).max() < 1.0
    picture = kido.render(Recording(), size=size, camera=camera, ground=False)
    assert np.abs(box_of(reddish(picture)).mean(axis=0) - project((0, 0, 1.5), camera, size)).max() < 1.0


def test_named_cameras_see_all_that_happens() -> None:
    film = kido.film(falling_ball(), duration=0.6, rate=10.0, size=SIZE, camera="front", ground=False)
    (_, top), (_, bottom) = box_of(reddish(film.last_frame))
    assert bottom > 0.8 * SIZE[1] and top > 0.5 * SIZE[1]


def test_arrows_that_reach_beyond_what_has_to_be_seen_are_drawn_in_films() -> None:
    cube = kido.Skeleton("cube")
    inertia = kido.Inertia(1.0, moment=0.01 * np.eye(3))
    body = cube.add_body("cube", joint=kido.FreeJoint(), inertia=inertia)
    kido.ShapeNode(body, "shape", Box((0.2, 0.2, 0.2)))
    cube.positions, cube.velocities = [0, 0, 0, 0, 0, 0.1], [0, 0, 0, 0, 0, -5.0]
    world = kido.World([cube, block(Box((0.2, 0.2, 0.1)), (0, 0, -0.05), rgba=BLUE)])
    options = {"show": ["forces"], "camera": "front", "size": (320, 240), "ground": False}
    film = kido.film(world, duration=0.001, rate=1000.0, **options)
    above = reddish(film.last_frame)[:20]
    assert above.any(axis=1).all()


def test_render_makes_a_film_by_the_name_of_its_file(tmp_path: Path) -> None:
    image = kido.render(falling_ball(), tmp_path / "fall.gif", duration=0.2, size=SIZE)
    assert image.shape == (SIZE[1], SIZE[0], 3)
    assert len(frames_of_gif(tmp_path / "fall.gif")[0]) == 8  # frames of 0.03 s, the nearest to 1/30


def test_sizes_that_a_format_does_not_have_are_rounded_up(tmp_path: Path) -> None:
    film = kido.film(falling_ball(), tmp_path / "odd.mp4", duration=0.1, size=(97, 71))
    _, frames = frames_of_mp4(tmp_path / "odd.mp4")
    assert frames.shape[1:3] == (72, 98) and film.last_frame.shape == (71, 97, 3)


def test_films_show_themselves_and_can_be_saved(tmp_path: Path) -> None:
    film = kido.film(falling_ball(), duration=0.1, size=SIZE)
    assert film._repr_html_().startswith("<video ") and "data:video/mp4;base64," in film._repr_html_()
    assert b"ftyp" in film.data[:12]
    film.save(tmp_path / "kept.mp4")
    assert (tmp_path / "kept.mp4").read_bytes() == film.data
    with pytest.raises(ValueError, match=r"path: expected a name that ends in \.mp4, got 'kept\.gif'"):
        film.save(tmp_path / "kept.gif")
    assert "data" not in repr(film)


def test_nothing_is_left_of_a_film_that_fails(tmp_path: Path) -> None:
    world = falling_ball()
    world.skeletons[0].bodies[0].parent_joint.velocities = np.full(6, 1e200)
    with pytest.raises(kido.errors.KidoError):
        kido.film(world, tmp_path / "lost.mp4", duration=0.5, size=SIZE)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".mp4", ".gif"])
@pytest.mark.parametrize("begun", [False, True])
def test_a_thread_that_adds_to_a_film_that_was_given_up_adds_nothing(
    begun: bool, suffix: str, tmp_path: Path
) -> None:
    frame = np.zeros((72, 96, 3), dtype=np.uint8)
    file = film_file(tmp_path / f"film{suffix}", 20.0)
    with pytest.raises(KeyboardInterrupt), file:
        if begun:
            file.add(frame)
        raise KeyboardInterrupt
    file.add(frame)
    assert not list(tmp_path.iterdir())


def test_ctrl_c_as_the_second_thread_begins_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, begun = threading.Thread.start, []

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        if thread.name.startswith("kido film"):
            begun.append(thread)
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        kido.film(falling_ball(), tmp_path / "fall.mp4", duration=1.0, rate=20.0, size=SIZE)
    begun[0].join(PATIENCE)
    assert not begun[0].is_alive() and not list(tmp_path.iterdir())


def test_an_error_while_a_frame_is_put_together_ends_the_film(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the thread that does so while the next one is drawn."""
    together, done = _canvas.composed, []

    def failing(*layers: object) -> np.ndarray:
        done.append(threading.current_thread())
        if len(done) == 3:
            raise MemoryError("no room for a frame")
        return together(*layers)

    monkeypatch.setattr(_canvas, "composed", failing)
    with pytest.raises(MemoryError, match="no room for a frame"):
        kido.film(falling_ball(), tmp_path / "fall.mp4", duration=1.0, rate=20.0, size=SIZE)
    assert not list(tmp_path.iterdir())
    assert len(done) <= 3 + 2 and threading.current_thread() not in done
    before = set(threading.enumerate())
    assert not any("kido film" in thread.name for thread in before)


@pytest.mark.parametrize(
    ("what", "options", "error", "message"),
    [
        (falling_ball, {}, ValueError, r"duration: expected the time that is simulated \[s\], got None"),
        (falling_ball, {"duration": -1.0}, ValueError, "duration: expected a positive number"),
        (falling_ball, {"duration": 1.0, "positions": [[0]]}, ValueError, "positions: expected None for a w"),
        (falling_ball, {"duration": 1e9}, ValueError, "duration: expected at most 100000 frames"),
        (falling_ball, {"duration": 1.0, "speed": 0.0}, ValueError, "speed: expected a positive number"),
        (falling_ball, {"duration": 1.0, "rate": 0.0}, ValueError, "rate: expected a positive number"),
        (lambda: block(Sphere(0.1)), {}, ValueError, "positions: expected those of each frame"),
        (lambda: block(Sphere(0.1), rgba=BLUE), {"duration": 1.0, "positions": [[]]}, ValueError, "duration"),
        (
            lambda: [block(Sphere(0.1))],
            {"duration": 1.0},
            TypeError,
            "what: expected a World, a Skeleton or a rec",
        ),
    ],
)
def test_what_makes_no_film_is_refused(
    tmp_path: Path, what: object, options: dict, error: type, message: str
) -> None:
    with pytest.raises(error, match=message):
        kido.film(what(), tmp_path / "film.mp4", size=SIZE, **options)
    assert not list(tmp_path.iterdir())
