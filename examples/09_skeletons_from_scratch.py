"""Build a skeleton in code, a tower crane, and ask it what a crane driver wants to know."""

import numpy as np

import kido
from kido.description import combined_inertia, shape_inertia
from kido.shape import Box, Cylinder, Sphere

# A body is added with the joint that carries it. Inertias come from shapes here; they can be any numbers.
crane = kido.Skeleton("crane", gravity=(0.0, 0.0, -9.81))
mast = crane.add_body(
    "mast", joint=kido.WeldJoint("foundation"), inertia=shape_inertia(Box((2.0, 2.0, 40.0)), 30e3)
)
mast.parent_joint.T_parent_joint = (0.0, 0.0, 20.0)  # the middle of the mast is 20 m above the ground


def shifted(x):
    T = np.eye(4)
    T[0, 3] = x
    return T


beam, ballast = Box((60.0, 1.5, 1.5)), Box((3.0, 2.0, 2.0))
jib = crane.add_body(
    "jib",
    mast,
    kido.RevoluteJoint("slew", axis=(0, 0, 1), T_parent_joint=(0.0, 0.0, 21.0), damping=2e4),
    inertia=combined_inertia(
        [shape_inertia(beam, 12e3, shifted(15.0)), shape_inertia(ballast, 15e3, shifted(-14.0))]
    ),
)
trolley = crane.add_body(
    "trolley",
    jib,
    kido.PrismaticJoint("travel", axis=(1, 0, 0), position_lower_limits=3.0, position_upper_limits=44.0),
    inertia=shape_inertia(Box((2.0, 1.5, 0.5)), 600.0),
)
rope = crane.add_body("rope", trolley, kido.UniversalJoint("swing", damping=50.0), inertia=None)
load = crane.add_body(
    "load",
    rope,
    kido.PrismaticJoint("hoist", axis=(0, 0, -1), position_lower_limits=1.0, position_upper_limits=38.0),
    inertia=shape_inertia(Sphere(0.8), 4000.0),
)
hook = load.add_end_effector("hook", (0.0, 0.0, 0.8))
for body, shape in ((mast, Box((2.0, 2.0, 40.0))), (load, Sphere(0.8)), (trolley, Cylinder(0.5, 0.5))):
    body.add_shape_node(shape)

crane.positions = {"slew": 0.5, "travel": 30.0, "hoist": 20.0}
print(crane, "with dofs", ", ".join(dof.name for dof in crane.dofs))
print(f"it weighs {crane.mass / 1e3:.1f} t, the load hangs at {load.com().round(2)} m")
place = [30.0 * np.cos(0.5), 30.0 * np.sin(0.5), 41.0 - 20.0]
np.testing.assert_allclose(load.transform()[:3, 3], place, atol=1e-12)

# How much does the foundation carry? The wrench that the mast's joint applies on it, about the mast's middle.
crane.compute_inverse_dynamics()  # at rest: velocities and accelerations are zero
wrench = crane.transmitted_wrench(mast)
print(f"the foundation carries {wrench[5] / 1e3:.0f} kN, and a moment of {wrench[:2].round(-3) / 1e3} kN m")
np.testing.assert_allclose(wrench[3:], [0.0, 0.0, 9.81 * crane.mass], atol=1e-6)
np.testing.assert_allclose(wrench[:2], np.cross(crane.com() - mast.com(), wrench[3:])[:2], rtol=1e-9)

# Where has the trolley to be for the ballast to keep the balance? Ask for the center of mass.
for travel in np.linspace(3.0, 44.0, 5):
    crane.positions = {"travel": travel}
    print(
        f"   trolley at {travel:5.2f} m: center of mass {crane.com(relative_to=jib)[0]:+.3f} m from the mast"
    )
moment = 15e3 * 14.0 - 12e3 * 15.0  # [kg m]
crane.positions = {"travel": moment / (4000.0 + 600.0)}
np.testing.assert_allclose(crane.com()[:2], 0.0, atol=1e-12)

# The load swings like a pendulum of the rope's length.
crane.positions = {"slew": 0.0, "travel": 30.0, "hoist": 20.0}
for name in ("slew", "travel", "hoist"):
    crane.dof(name).joint.actuator = "locked"
inertia = crane.mass_matrix[2, 2]
step = 1e-4
restoring = []
for angle in (step, -step):
    crane.positions = {crane.joint("swing").dof_names[0]: angle}
    restoring.append(crane.gravity_forces[2])
omega = np.sqrt((restoring[0] - restoring[1]) / (2.0 * step) / inertia)
print(f"it swings once in {2 * np.pi / omega:.2f} s")
np.testing.assert_allclose(2 * np.pi / omega, 2 * np.pi * np.sqrt(20.0 / 9.81), rtol=1e-3)

# Slew and travel at once: how fast is the hook? Its Jacobian, a column for each dof above it, says so too.
crane.positions = {crane.joint("swing").dof_names[0]: 0.0}
crane.velocities = {"slew": 0.05, "travel": 0.5}
print("the hook moves with", hook.linear_velocity().round(3), "m/s")
np.testing.assert_allclose(hook.linear_velocity(), [0.5, 30.0 * 0.05, 0.0], atol=1e-12)
np.testing.assert_allclose(
    hook.jacobian(in_coordinates_of=kido.WORLD)[3:] @ crane.velocities, [0.5, 1.5, 0.0]
)

# What no crane can have is refused at once, and nothing is changed.
try:
    load.mass = -1.0
except ValueError as error:
    print("as it should be:", error)
    assert load.mass == 4000.0
else:
    raise AssertionError("a negative mass was accepted")
