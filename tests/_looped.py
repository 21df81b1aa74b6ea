"""Many cases in one test: each is run, and the test names all that fail."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]
Case = tuple[Any, ...]


def looped(
    names: str,
    values: Iterable[Any] | Callable[[], Iterable[Any]],
    ids: Callable[[Any], object] | Iterable[str] = str,
) -> Callable[[Test], Test]:
    """`pytest.mark.parametrize`, but all cases are one test.

    It is for thousands of cases of some microseconds, which would spend more time in pytest than in kido.
    The cases share the test's fixtures.

    Args:
        names: arguments, separated by commas; of several, each of `values` is a tuple.
        values: the cases, at least one; or a function that makes them when the test is run.
        ids: names of the cases, or what makes a name of a value.
    """
    arguments = [name.strip() for name in names.split(",")]

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            __tracebackhide__ = True
            chosen = values() if callable(values) else values
            cases = [(value,) if len(arguments) == 1 else tuple(value) for value in chosen]
            labels = [_label(case, ids) for case in cases] if callable(ids) else list(ids)
            _run_all(functools.partial(test, **fixtures), arguments, cases, labels)

        signature = inspect.signature(test)
        left = [p for p in signature.parameters.values() if p.name not in arguments]
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorate


def _label(case: Case, make: Callable[[Any], object]) -> str:
    return "-".join(str(make(value)) for value in case)


def _run_all(test: Test, arguments: list[str], cases: Sequence[Case], labels: Sequence[str]) -> None:
    __tracebackhide__ = True
    if not cases:
        raise AssertionError("expected at least one case")
    failures: dict[str, BaseException] = {}
    for label, case in zip(labels, cases, strict=True):
        try:
            test(**dict(zip(arguments, case, strict=True)))
        except (Exception, pytest.fail.Exception) as error:
            failures[label] = error
    if failures:
        lines = (f"{label}: {type(error).__name__}: {error}" for label, error in failures.items())
        told = textwrap.indent("\n".join(lines), "  ")
        first = next(iter(failures.values()))
        raise AssertionError(f"{len(failures)} of {len(cases)} cases fail:\n{told}") from first
