"""Load a robot from its URDF file and ask where its parts are and how they move.

Run with `python examples/01_load_and_ask.py`. Tables of the bodies and joints: `kido info examples/arm.urdf`.
"""

from pathlib import Path

import numpy as np

import kido

arm = kido.load_tree(Path(__file__).parent / "arm.urdf")
print(arm)
print("bodies:", ", ".join(arm.body_names))
print("dofs:  ", ", ".join(arm.dof_names))

# Positions are one number for each degree of freedom [rad, m]; those not named are zero.
q = arm.positions({"lift": 0.6, "elbow": 0.9, "bend": 0.4})

# Where is the tool? A 4 x 4 matrix that maps its coordinates to the world's.
T_world_tool = arm.transform(q, "tool")
print("tool at", T_world_tool[:3, 3].round(4), "m")

# The three joints that bend have parallel axes, so plane trigonometry gives the same place.
lift, elbow, bend = 0.6, 0.9, 0.4
angles = np.cumsum([lift, elbow, bend])
lengths = np.array([0.4, 0.35, 0.17])
by_hand = [np.sum(lengths * np.sin(angles)), 0.0, 0.3 + np.sum(lengths * np.cos(angles))]
np.testing.assert_allclose(T_world_tool[:3, 3], by_hand, atol=1e-14)

# How fast is it when the first joint turns with 1 rad/s? Velocities: angular [rad/s], then linear [m/s], in
# the axes of the body unless `frame` says otherwise.
v = np.zeros(arm.num_dofs)
v[arm.dof_index("turn")] = 1.0
velocity = arm.velocity(q, v, "tool", frame="world")
print("velocity", velocity.round(4))
np.testing.assert_allclose(velocity[:3], [0.0, 0.0, 1.0], atol=1e-14)
np.testing.assert_allclose(velocity[3:], np.cross([0.0, 0.0, 1.0], by_hand), atol=1e-14)

# The Jacobian maps joint velocities to that of the tool. Its columns are finite differences of the pose.
J = arm.jacobian(q, "tool", frame="world")
step = 1e-6
for dof in range(arm.num_dofs):
    nudge = np.zeros(arm.num_dofs)
    nudge[dof] = step
    ahead, behind = arm.transform(q + nudge, "tool"), arm.transform(q - nudge, "tool")
    np.testing.assert_allclose(J[3:, dof], (ahead - behind)[:3, 3] / (2 * step), atol=1e-9)

# A name that does not exist is an error that suggests the right one.
try:
    arm.transform(q, "tol")
except kido.errors.UnknownNameError as error:
    print("as it should be:", error)
    assert "'tool'" in str(error)
else:
    raise AssertionError("an unknown name was accepted")
