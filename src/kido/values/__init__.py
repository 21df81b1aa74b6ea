"""Frozen values: checked where they are made, compared and hashed by content, pickled, saved, loaded."""

from __future__ import annotations

from kido.values._content import hash_of_content, same_content
from kido.values._field import Array, Checked, Transform, array, checked, flag, items, number, read_only
from kido.values._frozen import frozen_content, is_frozen, require_frozen
from kido.values._registry import register, search_in
from kido.values._value import Value, value

__all__ = [
    "Array",
    "Checked",
    "Transform",
    "Value",
    "array",
    "checked",
    "flag",
    "frozen_content",
    "hash_of_content",
    "is_frozen",
    "items",
    "number",
    "read_only",
    "register",
    "require_frozen",
    "same_content",
    "search_in",
    "value",
]
