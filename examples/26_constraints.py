"""One scene for each constraint: how far from what it holds, and what it gives."""

import numpy as np

import kido


class OnCircle(kido.RowConstraint):
    """The origin of a body stays at a distance of 0.5 m from the world's y axis."""

    def rows(self) -> kido.Rows:
        body = self.skeletons[0].body(0)
        out = body.transform()[[0, 2], 3]
        length = np.linalg.norm(out)
        J = body.jacobian(in_coordinates_of=kido.WORLD)[3:]
        return kido.Rows(error=[length - 0.5], jacobian=[(out[0] * J[0] + out[1] * J[2]) / length])


def box(name="box"):
    made = kido.gallery.box((0.1, 0.1, 0.1), mass=2.0, name=name)
    made.positions = [0.0, 0.0, 0.0, 0.5, 0.0, 0.0]  # rotation vector [rad], origin [m]
    return made


def wheel(name):
    made = kido.Skeleton(name)
    inertia = kido.Inertia(1.0, (0.0, 0.0, 0.0), np.diag([0.1, 0.1, 0.1]))
    made.add_body(name, joint=kido.RevoluteJoint(f"{name}_axle", (0.0, 0.0, 1.0)), inertia=inertia)
    return made


body = (crate := box()).body(0)
soft = kido.Softness.of_frequency(3.0, damping_ratio=0.3)
center = (0.0, 0.0, 0.0)
constraints = [
    kido.WeldConstraint(body),
    kido.WeldConstraint(body, softness=soft),
    kido.BallConstraint(body, point=center),
    kido.RevoluteConstraint(body, point=center, axis=(0.0, 1.0, 0.0)),
    kido.CylindricalConstraint(body, point=center, axis=(0.0, 1.0, 0.0)),
    kido.DistanceConstraint(body, length=0.5),
    kido.RopeConstraint(body, length=0.5),
    kido.SpringConstraint(body, stiffness=200.0, damping=2.0, length=0.5),
    OnCircle(crate),
]
weight = 2.0 * 9.81
for constraint in constraints:
    crate.positions, crate.velocities = box().positions, np.zeros(6)
    world = kido.World([crate])
    world.constraints.add(constraint)
    world.step(1000)
    error = np.abs(world.constraint_error(constraint)).max()
    if isinstance(constraint, OnCircle):
        force = abs(world.constraint_force(constraint)[0])
    else:
        force = np.linalg.norm(world.constraint_wrench(constraint)[3:])
    is_soft = isinstance(constraint, kido.SpringConstraint) or constraint is constraints[1]
    print(f"{type(constraint).__name__:23}: {force:6.2f} N of {weight:.2f} N, off by {1e3 * error:.6f} mm")
    assert error < (0.2 if is_soft else 1e-5)
    assert world.unmet_constraints == []
    if constraint is constraints[0]:
        np.testing.assert_allclose(force, weight, rtol=1e-6)

# A gear: both wheels feel it.
motor, load = wheel("motor"), wheel("load")
world = kido.World([motor, load])
gear = world.constraints.add(kido.GearConstraint(load.dof(0), motor.dof(0), ratio=0.5))
motor.commands = [1.0]  # [N m]
world.step(1000)
print(f"GearConstraint         : {world.constraint_force(gear)[0]:.3f} N m on the follower")
np.testing.assert_allclose(motor.velocities, [1.0 / (0.1 + 0.25 * 0.1)], rtol=1e-6)
np.testing.assert_allclose(load.velocities, 0.5 * motor.velocities, rtol=1e-9)
