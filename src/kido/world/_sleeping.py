"""Sleep of bodies that rest, which are left out of steps."""

from __future__ import annotations

import math

from kido.values import Value, checked_part, number, value

__all__ = ["Sleeping", "checked_sleeping", "sleeping_numbers"]


@value
class Sleeping(Value):
    """Conditions of sleep of islands: bodies that hang together by contacts, constraints and gears, all of
    which have been slow for a while.

    What sleeps stops where it is and is left out of steps; its contacts and forces stay what they were. It
    wakes, with its island, when something awake touches it, and when positions, velocities, commands or what
    acts on it are set to something else. Skeletons whose velocities or accelerations are commanded, with user
    joints or under a `RowConstraint` never sleep.

    Attributes:
        after: time for which everything in an island has to be slow [s].
        linear: speed below which the origin of a link, or the center of a rigid body, is slow [m/s].
        angular: angular speed below which a body is slow [rad/s].

    Raises TypeError or ValueError naming the argument.
    """

    after: float = number(unit="s", positive=True, default=0.5)
    linear: float = number(unit="m/s", positive=True, default=0.01)
    angular: float = number(unit="rad/s", positive=True, default=0.05)


def checked_sleeping(sleeping: Sleeping | bool | None) -> Sleeping | None:
    """Conditions that a user gave: True stands for the defaults, False and None for none. Raises
    TypeError."""
    if sleeping is None or isinstance(sleeping, bool):
        return Sleeping() if sleeping else None
    return checked_part("sleeping", Sleeping, sleeping, or_none=", a bool or None")


def sleeping_numbers(sleeping: Sleeping | None) -> tuple[float, float, float]:
    """As native code takes it: time [s], speeds [m/s, rad/s]."""
    return (math.inf, 0.0, 0.0) if sleeping is None else (sleeping.after, sleeping.linear, sleeping.angular)
