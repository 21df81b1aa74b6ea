"""Signatures of native functions, for `inspect.signature` and whatever builds on it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

__all__ = ["native_signature"]

_ARRAY = re.compile(r"\bndarray\[[^\]]*\]")
"""Type of an array as nanobind writes it, which is no Python."""


def native_signature(function: Callable[..., Any], bound: bool) -> inspect.Signature:
    """The signature that a native function or method was declared with.

    It is read from the declaration whenever it is asked for, so that calls cost nothing. That of a bound
    method has no `self`. Annotations are strings, as in the modules of kido.
    """
    declaration = _ARRAY.sub("numpy.ndarray", function.__nb_signature__[0][0])  # type: ignore[attr-defined]
    names: dict[str, Any] = {}
    exec(f"from __future__ import annotations\n{declaration}: ...", names)
    signature = inspect.signature(names[function.__name__])
    if bound:
        parameters = list(signature.parameters.values())[1:]
        signature = signature.replace(parameters=parameters)
    return signature
