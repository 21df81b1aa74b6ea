"""Error methods as analytical methods need them."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from kido.ik._error_methods._error_method import ErrorMethod
from kido.optimize import real_array

__all__ = ["unclamped"]


def unclamped(method: ErrorMethod) -> ErrorMethod:
    """An error method without clamp, all of whose weights are 1 but for those that are 0.

    One that is no dataclass with fields `length_clamp` or `weights` stays as it is.
    """
    if not is_dataclass(method):
        return method
    known = {field.name for field in fields(method) if field.init}
    changes: dict[str, Any] = {}
    if "length_clamp" in known:
        changes["length_clamp"] = math.inf
    if "weights" in known and method.weights is not None:
        changes["weights"] = np.where(real_array("weights", method.weights) == 0.0, 0.0, 1.0)
    return replace(method, **changes) if changes else method
