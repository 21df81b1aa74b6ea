"""How much of what is random is tried: once for a change, many times at night."""

from __future__ import annotations

import os

EFFORT = int(os.environ.get("KIDO_TEST_EFFORT", "1"))
"""How many times as many examples as for a change; new ones each time where it is more than one."""


def examples(count: int) -> int:
    """`count` examples for a change, more at night."""
    return EFFORT * count
