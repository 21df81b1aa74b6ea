"""A cart on a rail with a pole that has to be balanced."""

from __future__ import annotations

from kido.gallery._parts import BLUE, ORANGE, ORIGIN, X, Y, add_link, block, hinge, positive, rod, slide
from kido.skeleton import ActuatorType, Skeleton

__all__ = ["cart_pole"]


def cart_pole(pole_length: float = 1.0, cart_mass: float = 1.0, pole_mass: float = 0.1) -> Skeleton:
    """A cart that is pushed along x, and a pole on it that nothing drives. At 0 the pole stands upright.

    Args:
        pole_length: of the uniform pole [m].
        cart_mass: [kg].
        pole_mass: [kg].

    Returns:
        The skeleton: bodies "cart" and "pole", joints "rail" and "pivot"; positive angles lean towards x.

    Raises:
        ValueError: a length or mass that is not positive.
    """
    length = positive("pole_length", pole_length, "m")
    robot = Skeleton("cart_pole")
    rail = slide("rail", X, ORIGIN, (-2.4, 2.4), force=30.0, damping=0.1)
    body = block((0.3, 0.2, 0.12), material=BLUE)
    cart = add_link(robot, "cart", None, rail, positive("cart_mass", cart_mass, "kg"), body)
    pivot = hinge("pivot", Y, (0.0, 0.0, 0.06))
    pivot.actuator = ActuatorType.PASSIVE
    pole = rod(ORIGIN, (0.0, 0.0, length), 0.015, ORANGE)
    add_link(robot, "pole", cart, pivot, positive("pole_mass", pole_mass, "kg"), pole)
    return robot
