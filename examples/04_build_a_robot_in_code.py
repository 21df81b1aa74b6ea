"""Describe a robot in code, without a file: a cart on a rail that carries a pendulum."""

import numpy as np

import kido
from kido.description import Inertia, JointDescription, JointLimits, LinkDescription, RobotDescription

CART, BOB, LENGTH, GRAVITY = 2.0, 0.5, 0.8, 9.81

# Links: a cart, and a point mass at the end of a massless rod along -z of its link.
cart = LinkDescription("cart", Inertia(CART))
pendulum = LinkDescription("pendulum", Inertia(BOB, com=[0.0, 0.0, -LENGTH]))

# Joints: each names its parent link, None for the world, and its child link.
rail = JointDescription(
    "rail", "prismatic", None, "cart", axes=[1.0, 0.0, 0.0], limits=JointLimits(lower=-2.0, upper=2.0)
)
pivot = JointDescription("pivot", "revolute", "cart", "pendulum", axes=[0.0, -1.0, 0.0])

robot = RobotDescription("cart_pole", [cart, pendulum], [rail, pivot])
tree = kido.Tree.from_description(robot, gravity=[0.0, 0.0, -GRAVITY])
print(tree)

# The mass matrix of a cart-pole stands in every textbook.
for angle in (0.0, 0.7, np.pi / 2, 3.0):
    coupling = BOB * LENGTH * np.cos(angle)
    textbook = [[CART + BOB, coupling], [coupling, BOB * LENGTH**2]]
    np.testing.assert_allclose(tree.mass_matrix([0.3, angle]), textbook, atol=1e-14)

# Small swings with the cart held: omega = sqrt(g / l).
stiffness = (tree.gravity_forces([0.0, 1e-6])[1] - tree.gravity_forces([0.0, -1e-6])[1]) / 2e-6
omega = np.sqrt(stiffness / tree.mass_matrix([0.0, 0.0])[1, 1])
print(f"period of a small swing: {2 * np.pi / omega:.4f} s")
np.testing.assert_allclose(omega, np.sqrt(GRAVITY / LENGTH), rtol=1e-9)

# Other joints are as easy: the same pendulum on a ball joint, and the cart free in space.
ball = RobotDescription("spherical", [pendulum], [JointDescription("ball", "ball", None, "pendulum")])
print(kido.Tree.from_description(ball).dof_names)
floating = kido.Tree.from_description(robot.with_root("free"))
assert floating.num_dofs == 6 + 1

# A robot that cannot be is refused where it is made.
try:
    RobotDescription("broken", [cart], [rail, pivot])
except kido.errors.DescriptionError as error:
    print("as it should be:", error)
else:
    raise AssertionError("a joint to a link that is not there was accepted")
