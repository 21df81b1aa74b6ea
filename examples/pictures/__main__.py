"""Makes pictures and films of the web pages anew, in `docs/`: all, or those whose names are given.

python -m examples.pictures 21 33 hero soft simulation tour films
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

from examples.pictures._examples import PICTURES, example_names
from examples.pictures._films import FILMS, filmed
from examples.pictures._hero import hero
from examples.pictures._simulation import simulation
from examples.pictures._soft import soft
from examples.pictures._style import STYLES, Canvas, Pixels
from examples.pictures._tour import tour

DOCS = Path(__file__).parents[2] / "docs"
TILE = (480, 360)
"""Size of the picture of an example [pixel]."""
HERO = (1400, 620)
WIDE = (900, 600)
TOUR = 1400
"""Width of the picture of the tour [pixel]."""


def write(image: Pixels, path: Path, quality: int = 84) -> None:
    """A picture as WebP."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(image).save(path, quality=quality, method=6)


def write_examples(numbers: list[int]) -> None:
    """The picture of each example, in both styles."""
    for number in numbers:
        for style in STYLES:
            image = PICTURES[number](Canvas(style, TILE), example_names(number))
            write(image, DOCS / "images" / "examples" / f"{number:02d}{style.suffix}.webp")
        print(number, flush=True)


def write_hero() -> None:
    """The picture that the home page opens with, in both styles."""
    for style in STYLES:
        write(hero(Canvas(style, HERO)), DOCS / "images" / f"hero{style.suffix}.webp", quality=88)


def write_soft() -> None:
    """The picture of soft bodies, in both styles."""
    for style in STYLES:
        write(soft(Canvas(style, TILE)), DOCS / "images" / f"soft{style.suffix}.webp")


def write_simulation() -> None:
    """The picture of the page on simulation, in both styles."""
    for style in STYLES:
        write(simulation(Canvas(style, WIDE)), DOCS / "images" / f"simulation{style.suffix}.webp")


def write_tour() -> None:
    """The picture that the README opens with."""
    write(tour(TOUR), DOCS / "images" / "tour.webp", quality=88)


def write_films(names: list[str]) -> None:
    """Films in both styles, each with its last frame, which is there before it plays."""
    folder = DOCS / "films"
    folder.mkdir(exist_ok=True)
    for name in names:
        for style in STYLES:
            path = folder / f"{name}{style.suffix}.mp4"
            film = filmed(name, style, path)
            write(film.last_frame, path.with_suffix(".webp"))
        print(name, f"{path.stat().st_size / 1e3:.0f} kB", flush=True)


def main(names: list[str]) -> None:
    """Make what is named."""
    numbers = [int(name) for name in names if name.isdigit()]
    write_examples(numbers or ([] if names else list(PICTURES)))
    write_films([name for name in FILMS if not names or name in names or "films" in names])
    if not names or "hero" in names:
        write_hero()
    if not names or "soft" in names:
        write_soft()
    if not names or "simulation" in names:
        write_simulation()
    if not names or "tour" in names:
        write_tour()


if __name__ == "__main__":
    main(sys.argv[1:])
