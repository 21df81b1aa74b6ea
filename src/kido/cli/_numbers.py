"""Options with a variable number of values."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["joined_numbers", "read_numbers"]

_OPTIONS = ("--target", "--from")


def read_numbers(option: str, text: str, counts: Sequence[int], meaning: str) -> list[float]:
    """The numbers of a text, separated by blanks or commas.

    Raises ValueError for what are not finite numbers, and for another count than one of `counts`.
    """
    words = text.replace(",", " ").split()
    for word in words:
        if not math.isfinite(_number(word)):
            raise ValueError(f"{option}: expected finite numbers, got {word!r}")
    if len(words) not in counts:
        raise ValueError(f"{option}: expected {meaning}, got {len(words)} numbers")
    return [float(word) for word in words]


def joined_numbers(args: list[str]) -> list[str]:
    """Words of a command line, the numbers that follow `--target` and `--from` joined to one word."""
    joined: list[str] = []
    open_option = False
    for word in args:
        is_number = not math.isnan(_number(word)) or word.lower() in ("nan", "-nan")
        if open_option and is_number and joined[-1] not in _OPTIONS:
            joined[-1] += f" {word}"
            continue
        open_option = word in _OPTIONS or (open_option and is_number)
        joined.append(word)
    return joined


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return math.nan
