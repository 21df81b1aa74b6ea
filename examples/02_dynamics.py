"""Forces and accelerations: hold an arm up, move it along a path, let it fall."""

from pathlib import Path

import numpy as np

import kido

arm = kido.load_tree(Path(__file__).parent / "arm.urdf")
q = arm.positions({"lift": np.pi / 2})

# Which torques hold the stretched arm still? [N m]
tau_hold = arm.gravity_forces(q)
for name, torque, limit in zip(arm.dof_names, tau_hold, arm.effort_limits, strict=True):
    print(f"{name:6} {torque:8.3f} N m of {limit:g}")

# The shoulder carries everything beyond it: weight times lever arm, and gravity turns positive about +y.
masses = np.array([4.0, 2.5, 0.8, 0.6, 0.7])
levers = np.array([0.2, 0.4 + 0.15, 0.7 + 0.02, 0.75 + 0.02, 0.8 + 0.05])
np.testing.assert_allclose(tau_hold[arm.dof_index("lift")], -9.81 * masses @ levers)

# Held like this, the arm does not accelerate.
at_rest = np.zeros(arm.num_dofs)
np.testing.assert_allclose(arm.forward_dynamics(q, at_rest, tau_hold), 0.0, atol=1e-10)

# Inverse dynamics: the torques of a motion. They are M(q) a + bias(q, v), parts that can be asked for.
rng = np.random.default_rng(1)
v, a = rng.uniform(-1.0, 1.0, (2, arm.num_dofs))
tau = arm.inverse_dynamics(q, v, a)
np.testing.assert_allclose(tau, arm.mass_matrix(q) @ a + arm.bias_forces(q, v), atol=1e-12)

# Forward dynamics is the way back.
np.testing.assert_allclose(arm.forward_dynamics(q, v, tau), a, atol=1e-10)

# A hand that pushes with 20 N down on the tool: wrenches are torque, then force, in axes of each body.
wrenches = np.zeros((arm.num_bodies, 6))
R_world_tool = arm.transform(q, "tool")[:3, :3]
wrenches[arm.body_index("tool"), 3:] = R_world_tool.T @ [0.0, 0.0, -20.0]
tau_push = arm.inverse_dynamics(q, at_rest, at_rest, wrenches)
extra = tau_push - tau_hold
print("20 N on the tool cost", extra.round(3), "N m more")
np.testing.assert_allclose(
    extra, -arm.jacobian(q, "tool", frame="world")[3:].T @ [0.0, 0.0, -20.0], atol=1e-12
)

# Let go: one second of falling, in steps of 1 ms. Without motors and friction the energy stays what it was.
start = arm.kinetic_energy(q, at_rest) + arm.potential_energy(q)
position, velocity, dt = q, at_rest, 1e-3
no_torque = np.zeros(arm.num_dofs)
for _ in range(1000):  # explicit midpoint
    halfway = velocity + dt / 2 * arm.forward_dynamics(position, velocity, no_torque)
    middle = arm.integrate(position, velocity, dt / 2)
    velocity = velocity + dt * arm.forward_dynamics(middle, halfway, no_torque)
    position = arm.integrate(position, halfway, dt)
kinetic = arm.kinetic_energy(position, velocity)
change = kinetic + arm.potential_energy(position) - start
print(f"after 1 s: {kinetic:.3f} J kinetic, the total has changed by {change:.1e} J")
assert kinetic > 1.0
assert abs(change) < 1e-3
