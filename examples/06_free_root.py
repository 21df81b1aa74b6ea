"""A robot that floats in space: momentum is what nothing inside it can change."""

from pathlib import Path

import numpy as np

import kido

arm = kido.load_tree(Path(__file__).parent / "arm.urdf", root="free", gravity=[0.0, 0.0, 0.0])
print(arm)
print("dofs:", ", ".join(arm.dof_names))

# The first six velocities are the twist of the base in its own axes, angular first; the arm starts at rest.
q, v = arm.positions({"lift": 0.4, "elbow": 0.9}), np.zeros(arm.num_dofs)
com = arm.center_of_mass(q)

# Motors move the joints for a second. Torques act between bodies, so they drive no dof of the root.
rng = np.random.default_rng(6)
dt = 2.5e-4
for i in range(4000):
    tau = np.zeros(arm.num_dofs)
    tau[6:] = 0.2 * np.sin(2 * np.pi * i * dt) * np.array([1.0, -1.0, 1.0, 0.02, 0.05, 0.01])
    halfway = v + dt / 2 * arm.forward_dynamics(q, v, tau)
    middle = arm.integrate(q, v, dt / 2)
    v = v + dt * arm.forward_dynamics(middle, halfway, tau)
    q = arm.integrate(q, halfway, dt)

# The base has turned and moved, for the arm pushes against it ...
turned = np.linalg.norm(arm.transform(q, "base")[:3, :3] - np.eye(3))
print(f"the joints moved by up to {np.abs(q[6:] - [0.0, 0.4, 0.9, 0.0, 0.0, 0.0]).max():.3f} rad")
print(f"the base turned by {np.degrees(np.linalg.norm(q[:3])):.2f} degrees")
assert turned > 1e-3

# ... but momentum is zero as before, and the center of mass stays where it was.
momentum = arm.centroidal_momentum(q, v)
print("angular and linear momentum:", np.abs(momentum[:3]).max(), np.abs(momentum[3:]).max())
np.testing.assert_allclose(momentum, 0.0, atol=2e-6)
np.testing.assert_allclose(arm.center_of_mass(q), com, atol=2e-6)

# The centroidal momentum matrix maps velocities to it; its linear rows are mass times com Jacobian.
A = arm.centroidal_momentum_matrix(q)
np.testing.assert_allclose(A @ v, momentum, atol=1e-12)
np.testing.assert_allclose(A[3:], arm.total_mass * arm.com_jacobian(q), atol=1e-12)

# Rotations live on a group: positions move by `integrate`, and `difference` finds the velocity between two.
target = arm.random_positions(rng)
arrived = arm.integrate(q, arm.difference(q, target), 1.0)
np.testing.assert_allclose(arm.transform(arrived, "tool"), arm.transform(target, "tool"), atol=1e-12)
