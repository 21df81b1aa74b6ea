"""Writes reference/*.inc: values of the kernels' functions to 60 digits and more, computed by mpmath.

Run it with mpmath installed: `python native/test/generate_reference.py`. The files are committed; the native
tests only read them. Scalars are stored as two doubles, high + low, so errors below an ulp are measurable.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import product
from math import inf, nextafter, pi
from pathlib import Path

import mpmath as mp

FOLDER = Path(__file__).parent / "reference"
LARGEST_COMMON_ANGLE = 102943.0
SINGLE_WORST_ANGLE = 6381956970095103.0 * 2.0**797  # nearest of all doubles to a multiple of pi/2


def two_parts(value: mp.mpf) -> list[float]:
    high = float(value)
    return [high, float(value - mp.mpf(high))]


def row(numbers: Iterable[float]) -> str:
    return "{" + ", ".join(x.hex() for x in numbers) + "},\n"


def write(name: str, rows: Iterable[Iterable[float]]) -> None:
    text = "".join(row(numbers) for numbers in rows)
    (FOLDER / f"{name}.inc").write_text(f"// Made by generate_reference.py\n{text}")


def angles(rng: random.Random) -> Iterator[float]:
    for exponent in (-1074, -1022, -600, -60, -30, -27, -26, -20, -10, -5, -2, -1):
        yield 1.37 * 2.0**exponent
    for k in (1, 2, 3, 4, 5, 11, 355, 1000, 20860, 65535):
        for center in (k * pi / 2, k * pi / 4):
            yield from (nextafter(center, 0.0), center, nextafter(center, inf))
    limit = LARGEST_COMMON_ANGLE
    yield from (0.99 * limit, nextafter(limit, 0.0), limit, nextafter(limit, inf), 1.01 * limit)
    yield from (rng.uniform(-10.0, 10.0) for _ in range(50))
    yield from (rng.uniform(-1e5, 1e5) for _ in range(50))
    for _ in range(100):
        yield rng.choice((-1.0, 1.0)) * 10.0 ** rng.uniform(5.0, 308.0)
    yield from (2.0**k for k in range(50, 1024, 31))
    yield from (1e22, 1e308, 1.7976931348623157e308, SINGLE_WORST_ANGLE, -SINGLE_WORST_ANGLE)


def trig_rows() -> Iterator[list[float]]:
    with mp.workprec(1400):
        for x in angles(random.Random(1)):
            yield [x, *two_parts(mp.sin(mp.mpf(x))), *two_parts(mp.cos(mp.mpf(x)))]


def points(rng: random.Random) -> Iterator[tuple[float, float]]:
    """Pairs y, x on both sides of every branch of atan2, of all sizes."""
    for ratio in (7 / 16, 11 / 16, 1.0, 2.0**-27):
        for factor, flip in product((0.99, 1.0 - 2.0**-53, 1.0, 1.0 + 2.0**-52, 1.01), (False, True)):
            y, x = 3.7 * ratio * factor, 3.7
            yield (x, y) if flip else (y, x)
    for exponent in (900, -800):
        for factor, ratio in product((0.99, 1.01), (0.3, 0.6, 0.9)):
            size = factor * 2.0**exponent
            yield from ((ratio * size, size), (size, ratio * size))
    for y, x in product((5e-324, 3e-320, 1e-310, 1e-160, 1.0, 1e160, 1.7e308), repeat=2):
        yield y, x
    for _ in range(150):
        yield rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0)
    for _ in range(60):
        yield 10.0 ** rng.uniform(-300, 300), 10.0 ** rng.uniform(-300, 300)


def atan2_rows() -> Iterator[list[float]]:
    rng = random.Random(2)
    with mp.workdps(80):
        for y, x in points(rng):
            y, x = rng.choice((y, -y)), rng.choice((x, -x))
            yield [y, x, *two_parts(mp.atan2(mp.mpf(y), mp.mpf(x)))]


def skew(v: list[mp.mpf]) -> mp.matrix:
    x, y, z = v
    return mp.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def small_adjoint(x: list[mp.mpf]) -> mp.matrix:
    result = mp.zeros(6)
    result[:3, :3] = result[3:, 3:] = skew(x[:3])
    result[3:, :3] = skew(x[3:])
    return result


def series(generator: mp.matrix, offset: int) -> mp.matrix:
    """Sum of generator^n / (n + offset)!: exp for offset 0, the left Jacobian for 1."""
    term = mp.eye(generator.rows) / mp.factorial(offset)
    total = term.copy()
    for n in range(1, 150):
        term = term * generator / (n + offset)
        total += term
    return total


def rotation_vectors(rng: random.Random) -> Iterator[list[float]]:
    """Angles on both sides of the branches at theta^2 = 1e-4, 1, 4 and tan^2(theta/2) = 1e-9, and of pi."""
    branches = (1e-2, 1.0, 2.0, 4e-9**0.5)
    sizes = [angle * factor for angle in branches for factor in (0.99**0.5, 1.01**0.5)]
    sizes += [0.0, 1e-300, 1e-200, 1e-160, 1e-155, 1e-100, 1e-20, 1e-12, 1e-8, 1e-5, 1e-3, 0.1, 0.5, 1.5, 2.5]
    sizes += [3.0, pi - 1e-3, pi - 1e-8, pi - 1e-12, pi - 1e-15, pi, pi + 1e-12, pi + 1e-3, 4.0, 5.0, 6.0]
    for size in sizes:
        for axis in ([1.0, 0.0, 0.0], [0.6, 0.0, -0.8], [rng.gauss(0, 1) for _ in range(3)]):
            norm = sum(a * a for a in axis) ** 0.5
            yield [a / norm * size for a in axis]


def so3_rows() -> Iterator[list[float]]:
    """r, exp(r), left Jacobian, its inverse; matrices row by row."""
    with mp.workdps(60):
        for r in rotation_vectors(random.Random(3)):
            generator = skew([mp.mpf(a) for a in r])
            jacobian = series(generator, 1)
            matrices = series(generator, 0), jacobian, jacobian**-1
            yield r + [float(entry) for matrix in matrices for entry in matrix]


def se3_rows() -> Iterator[list[float]]:
    """x, translation of exp(x), lower left block of the left Jacobian and of its inverse; row by row."""
    rng = random.Random(4)
    with mp.workdps(60):
        for r in rotation_vectors(rng):
            x = r + [rng.gauss(0, 1) for _ in range(3)]
            exact = [mp.mpf(a) for a in x]
            jacobian = series(small_adjoint(exact), 1)
            translation = jacobian[:3, :3] * mp.matrix(exact[3:])
            blocks = jacobian[3:, :3], (jacobian**-1)[3:, :3]
            yield x + [float(a) for a in translation] + [float(a) for block in blocks for a in block]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    write("trig", trig_rows())
    write("atan2", atan2_rows())
    write("so3", so3_rows())
    write("se3", se3_rows())
