"""Operations that are timed, and the ratio to the fastest peer that each is to reach."""

from __future__ import annotations

ABA = "forward dynamics (ABA)"
RNEA = "inverse dynamics (RNEA)"
CRBA = "mass matrix (CRBA)"
MINV = "inverse mass matrix"
FK = "FK of all bodies"
HAND = "FK of one body"
JACOBIAN = "one-body Jacobian"
DERIVATIVES_FD = "derivatives of forward dynamics"
DERIVATIVES_ID = "derivatives of inverse dynamics"

OWN_JACOBIAN = "Jacobian of its own dofs"
RELATIVE_VELOCITY = "relative velocity"
RELATIVE_ACCELERATION = "relative acceleration"
ABA_SPRINGS = "forward dynamics, springs and dampers"
ABA_ACTUATORS = "forward dynamics, actuators"
CACHED_TRANSFORM = "transform again"
CACHED_MASS = "mass matrix again"

SINGLE = (ABA, RNEA, CRBA, MINV, FK, HAND, JACOBIAN, DERIVATIVES_FD, DERIVATIVES_ID)
BATCH = (ABA, RNEA, CRBA, MINV, FK, HAND, JACOBIAN)
LINEAR = (ABA, RNEA, FK)
"""Operations whose cost is proportional to the number of bodies."""

_SMALL = ("panda", "ur5")
_KINEMATICS = (FK, HAND, JACOBIAN)


INPUTS: dict[str, tuple[str, ...]] = {
    ABA: ("q", "v", "tau"),
    RNEA: ("q", "v", "a"),
    CRBA: ("q",),
    MINV: ("q",),
    FK: ("q",),
    HAND: ("q",),
    JACOBIAN: ("q",),
    DERIVATIVES_FD: ("q", "v", "tau"),
    DERIVATIVES_ID: ("q", "v", "a"),
    OWN_JACOBIAN: ("q",),
    RELATIVE_VELOCITY: ("q", "v"),
    RELATIVE_ACCELERATION: ("q", "v", "a"),
    ABA_SPRINGS: ("q", "v", "tau"),
    ABA_ACTUATORS: ("q", "v", "tau"),
    CACHED_TRANSFORM: (),
    CACHED_MASS: (),
}
"""Arrays of a state that each operation takes, in order."""


def single_target(operation: str, robot: str) -> float | None:
    """Ratio to reach for one call from Python; None where the row only informs."""
    if operation == DERIVATIVES_ID:
        return None
    if operation in _KINEMATICS or (robot in _SMALL and operation != DERIVATIVES_FD):
        return 1.2
    return 2.0


def batch_target(operation: str) -> float:
    """Ratio to reach for a batch on one core."""
    return 4.0 if operation in _KINEMATICS else 10.0


def result_doubles(operation: str, dofs: int, bodies: int) -> int:
    """Numbers in the result of one sample."""
    per_sample = {
        ABA: dofs,
        RNEA: dofs,
        CRBA: dofs * dofs,
        MINV: dofs * dofs,
        FK: 16 * bodies,
        HAND: 16,
        JACOBIAN: 6 * dofs,
    }
    return per_sample[operation]
