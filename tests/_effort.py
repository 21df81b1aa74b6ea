"""Effort of random tests: once for a change, many times at night."""

from __future__ import annotations

import os

EFFORT = int(os.environ.get("KIDO_TEST_EFFORT", "1"))
"""Factor on the number of examples; above 1 they are new ones each time."""


def examples(count: int) -> int:
    """`count` examples for a change, more at night."""
    return EFFORT * count
