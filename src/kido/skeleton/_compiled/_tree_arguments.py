"""Arguments and results of trees that work in Python, checked as native ones check theirs."""

from __future__ import annotations

from typing import TypeVar, cast

import numpy as np

from kido.typing import ArrayLike, FloatArray

__all__ = ["all_into", "checked_arguments", "into"]

Several = TypeVar("Several", bound=tuple[FloatArray, ...])

_UNITS = {
    "q": "rad, m",
    "q0": "rad, m",
    "q1": "rad, m",
    "v": "rad/s, m/s",
    "a": "rad/s^2, m/s^2",
    "tau": "N m, N",
    "wrenches": "N m, N",
}


def checked_arguments(
    num_dofs: int, num_bodies: int, arguments: dict[str, ArrayLike | None]
) -> list[FloatArray]:
    """Finite arrays of the right trailing shapes, leading shapes broadcasting; `wrenches` None is left out.

    Raises TypeError or ValueError, naming the argument.
    """
    arrays: list[FloatArray] = []
    leading: tuple[int, ...] = ()
    for name, values in arguments.items():
        if name == "wrenches" and values is None:
            continue
        shape = (num_bodies, 6) if name == "wrenches" else (num_dofs,)
        array = _finite(name, _numbers(name, values, shape), shape)
        own = array.shape[: -len(shape)]
        try:
            leading = np.broadcast_shapes(leading, own)
        except ValueError:
            before = f"that of the arguments before it, {leading}"
            raise ValueError(f"{name}: leading shape {own} does not broadcast with {before}") from None
        arrays.append(array)
    return arrays


def _expected(shape: tuple[int, ...]) -> str:
    return "(..., " + ", ".join(map(str, shape)) + ")"


def _numbers(name: str, values: ArrayLike | None, shape: tuple[int, ...]) -> FloatArray:
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):
        array = np.asarray(None)
    if not np.can_cast(array.dtype, np.float64, "same_kind"):
        came = type(values).__name__ + (f" of {array.dtype}" if isinstance(values, np.ndarray) else "")
        raise TypeError(f"{name}: expected numbers of shape {_expected(shape)} [{_UNITS[name]}], got {came}")
    return array.astype(np.float64, copy=False)


def _finite(name: str, array: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    if array.ndim < len(shape) or array.shape[array.ndim - len(shape) :] != shape:
        raise ValueError(f"{name}: expected shape {_expected(shape)} [{_UNITS[name]}], got {array.shape}")
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        place = tuple(bad[0].tolist())
        where = ", ".join(map(str, place))
        raise ValueError(f"{name}: expected finite numbers, got {array[place]} at [{where}]")
    return array


def into(result: FloatArray, out: FloatArray | None, name: str = "out") -> FloatArray:
    """The result, written into `out` where that is given.

    Raises TypeError or ValueError where it does not fit.
    """
    if out is None:
        return result
    expected = f"{name}: expected a writable, C-contiguous float64 array of shape {result.shape}"
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{expected}, got {type(out).__name__}")
    if out.dtype != np.float64:
        raise TypeError(f"{expected}, got {out.dtype}")
    if not out.flags.writeable:
        raise ValueError(f"{expected}, got a read-only array")
    if out.shape != result.shape:
        raise ValueError(f"{expected}, got {out.shape}")
    if not out.flags.c_contiguous:
        raise ValueError(f"{expected}, got a strided array")
    out[...] = result
    return out


def all_into(results: Several, out: tuple[FloatArray, ...] | None) -> Several:
    """The results, written into the arrays of `out` where that is given.

    Raises TypeError or ValueError where they do not fit.
    """
    if out is None:
        return results
    if not isinstance(out, tuple) or len(out) != len(results):
        raise TypeError(f"out: expected a tuple of {len(results)} arrays")
    pairs = zip(results, out, strict=True)
    return cast(Several, tuple(into(result, array, f"out[{i}]") for i, (result, array) in enumerate(pairs)))
