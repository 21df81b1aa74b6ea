"""Derivatives of dynamics: linearize an arm about a posture and stabilize it there."""

from pathlib import Path

import numpy as np
from scipy.linalg import expm, solve_continuous_are

import kido

arm = kido.load_tree(Path(__file__).parent / "arm.urdf")
n = arm.num_dofs
q0 = arm.positions({"lift": 0.5, "elbow": 0.8, "bend": 0.6})
v0 = np.zeros(n)
tau0 = arm.gravity_forces(q0)

# How the acceleration changes with positions, velocities and torques; the last is the inverse mass matrix.
da_dq, da_dv, da_dtau = arm.forward_dynamics_derivatives(q0, v0, tau0)
np.testing.assert_allclose(da_dtau @ arm.mass_matrix(q0), np.eye(n), atol=1e-10)

# They are exact; differences only come near.
step = 1e-6
for dof in range(n):
    nudge = step * np.eye(n)[dof]
    change = arm.forward_dynamics(q0 + nudge, v0, tau0) - arm.forward_dynamics(q0 - nudge, v0, tau0)
    np.testing.assert_allclose(da_dq[:, dof], change / (2 * step), atol=1e-5)

# The linear system x' = A x + B u of the deviations x = (q - q0, v), and its optimal feedback u = -K x.
# It weighs deviations of 1 rad and of 1 rad/s like accelerations of 20 rad/s^2 and 8 rad/s^2.
A = np.block([[np.zeros((n, n)), np.eye(n)], [da_dq, da_dv]])
B = np.vstack([np.zeros((n, n)), da_dtau])
print("fastest growth without control:", np.linalg.eigvals(A).real.max().round(2), "1/s")
Q = np.diag([20.0**2] * n + [8.0**2] * n)
R = da_dtau.T @ da_dtau
K = np.linalg.solve(R, B.T @ solve_continuous_are(A, B, Q, R))
assert np.linalg.eigvals(A).real.max() > 0.0
assert np.linalg.eigvals(A - B @ K).real.max() < 0.0

# The real arm, pushed off its posture, comes back the way the linear system says.
dt, steps = 1e-3, 1000
q, v = q0 + 1e-3 * np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0]), v0
x0 = np.concatenate([q - q0, v])
for _ in range(steps):
    tau = tau0 - K @ np.concatenate([arm.difference(q0, q), v])
    halfway = v + dt / 2 * arm.forward_dynamics(q, v, tau)
    middle = arm.integrate(q, v, dt / 2)
    tau = tau0 - K @ np.concatenate([arm.difference(q0, middle), halfway])
    v = v + dt * arm.forward_dynamics(middle, halfway, tau)
    q = arm.integrate(q, halfway, dt)
predicted = expm((A - B @ K) * dt * steps) @ x0
print("deviation after 1 s:", np.abs(q - q0).max(), "rad, predicted", np.abs(predicted[:n]).max(), "rad")
np.testing.assert_allclose(q - q0, predicted[:n], atol=1e-6)
assert np.abs(q - q0).max() < 0.5 * np.abs(x0).max()
