"""Joints of your own: a ladder that slides down a wall, and a four-bar linkage."""

import numpy as np

import kido
from kido import gallery
from kido.description import shape_inertia
from kido.shape import Capsule

LENGTH, MASS, GRAVITY = 4.0, 12.0, 9.81


class LadderJoint(kido.UserJoint):
    """One end on the floor z = 0, the other at the wall x = 0; q is the angle with the floor.

    The moving frame is in the middle, its x axis up along the ladder.
    """

    num_dofs = 1

    def transform_of(self, q):
        c, s = np.cos(q[0]), np.sin(q[0])
        x, z = LENGTH / 2 * c, LENGTH / 2 * s
        return np.array([[-c, 0, -s, x], [0, 1, 0, 0], [s, 0, -c, z], [0, 0, 0, 1]])

    def jacobian_of(self, q):
        c, s = np.cos(2 * q[0]), np.sin(2 * q[0])
        return np.array([[0, 1, 0, LENGTH / 2 * s, 0, -LENGTH / 2 * c]]).T

    def jacobian_derivative_of(self, q, v):
        c, s = np.cos(2 * q[0]), np.sin(2 * q[0])
        return np.array([[0, 0, 0, LENGTH * c, 0, LENGTH * s]]).T * v[0]


# The three functions have to belong together. `check` compares them with finite differences.
joint = LadderJoint("slip")
joint.check([1.1], [0.7])

scene = kido.Skeleton("scene")
along = np.eye(4)[[2, 1, 0, 3]] * [1, -1, 1, 1]  # a capsule's z axis along the ladder's x axis
thin = shape_inertia(Capsule(1e-3, LENGTH - 2e-3), MASS, along)
ladder = scene.add_body("ladder", joint=joint, inertia=thin)
top = ladder.add_end_effector("top", (LENGTH / 2, 0.0, 0.0))
foot = ladder.add_end_effector("foot", (-LENGTH / 2, 0.0, 0.0))

# It works like any joint: frames, Jacobians, dynamics. The equations stand in textbooks.
scene.positions, scene.velocities = [1.2], [-0.5]
np.testing.assert_allclose(top.transform()[0, 3], 0.0, atol=1e-15)
np.testing.assert_allclose(foot.transform()[2, 3], 0.0, atol=1e-15)
np.testing.assert_allclose(top.linear_velocity(), [0.0, 0.0, LENGTH * np.cos(1.2) * -0.5], atol=1e-14)
np.testing.assert_allclose(scene.mass_matrix, [[MASS * LENGTH**2 / 3]], rtol=1e-3)
np.testing.assert_allclose(scene.gravity_forces, [MASS * GRAVITY * LENGTH / 2 * np.cos(1.2)])

# Let it slip from rest. The wall pushes until the foot is too fast; there the ladder leaves the wall. That is
# where the top has fallen to two thirds of its height, wherever it began.
scene.positions, scene.velocities, dt = [1.3], [0.0], 1e-4
start = scene.potential_energy
while True:
    scene.compute_forward_dynamics()
    push = MASS * ladder.com_linear_acceleration()[0]  # of the wall [N]
    if push <= 0.0:
        break
    scene.integrate_velocities(dt)
    scene.integrate_positions(dt)
print(f"it leaves the wall at {np.degrees(scene.positions[0]):.2f} degrees")
np.testing.assert_allclose(np.sin(scene.positions[0]), 2.0 / 3.0 * np.sin(1.3), rtol=1e-3)
np.testing.assert_allclose(scene.kinetic_energy + scene.potential_energy, start, rtol=1e-3)

# The joint can stand anywhere in a robot, and goes where its body goes: a ladder on a cart.
truck = gallery.cart_pole()
truck.body("pole").remove()
ladder.copy_to(truck.body("cart"))
truck.velocities = {"rail": 2.0, "slip": 0.0}
np.testing.assert_allclose(truck.end_effector("foot").linear_velocity(), [2.0, 0.0, 0.0], atol=1e-14)
wanted = truck.clone()
wanted.accelerations = [1.0, 0.5]
wanted.compute_inverse_dynamics()
truck.forces = wanted.forces
truck.joint("rail").force_upper_limits = np.inf
truck.joint("rail").damping = 0.0
truck.compute_forward_dynamics()
np.testing.assert_allclose(truck.accelerations, [1.0, 0.5], atol=1e-9)

# The gallery has a four-bar linkage of this kind. Its tracer draws a coupler curve while the crank turns.
linkage = gallery.four_bar(crank=0.1, coupler=0.3, rocker=0.25, ground=0.3)
end, tracer = linkage.end_effector("rocker_end"), linkage.end_effector("tracer")
curve = []
for angle in np.linspace(0.0, 2.0 * np.pi, 73):
    linkage.positions = [angle]
    curve.append(tracer.transform()[:3, 3])
    np.testing.assert_allclose(np.linalg.norm(end.transform()[:3, 3] - [0.3, 0.0, 0.0]), 0.25)
print("the tracer stays between", np.min(curve, axis=0).round(3), "and", np.max(curve, axis=0).round(3), "m")
np.testing.assert_allclose(curve[0], curve[-1], atol=1e-14)

# Functions that do not belong together are found out.
wrong = LadderJoint()
wrong.jacobian_of = lambda q: -LadderJoint.jacobian_of(wrong, q)
try:
    wrong.check([1.1], [0.7])
except ValueError as error:
    print("as it should be:", error)
else:
    raise AssertionError("a wrong sign went unnoticed")
