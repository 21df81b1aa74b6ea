"""An arm under a controller of its own, and what it pushes: listeners of the stages of a step."""

import numpy as np

import kido

arm = kido.gallery.arm7()
crate = kido.gallery.box((0.2, 0.2, 0.2), mass=2.0, name="crate")
crate.positions = [0.0, 0.0, 0.0, 1.5, 0.0, 0.1]  # rotation vector [rad], origin [m]
world = kido.World([kido.gallery.ground(), arm, crate])
wanted = np.array([0.3, 0.5, -0.2, 0.8, 0.1, 0.4, 0.0])
stiffness = np.array([200.0, 200.0, 200.0, 200.0, 5.0, 5.0, 5.0])  # [N m/rad]
loads, errors = [], []


def control(world: kido.World) -> None:
    """Computed before each step, from the state that it begins with."""
    arm.commands = (
        stiffness * (wanted - arm.positions) - 0.1 * stiffness * arm.velocities + arm.gravity_forces
    )


def record(world: kido.World) -> None:
    """What the ground carries of the crate, once impulses are known."""
    loads.append(sum(abs(contact.force[2]) for contact in world.contacts_of(crate)))


world.signals.before("detect").connect(control)
recording = world.signals.after("solve").connect(record)
world.signals.after("move").connect(lambda world: errors.append(np.abs(arm.positions - wanted).max()))
world.step(2000)
print(f"the arm ends {errors[-1]:.4f} rad from its aim, the ground carries {loads[-1]:.3f} N")
assert errors[-1] < 1e-2
assert np.isclose(loads[-1], 2.0 * 9.81, rtol=1e-3)

recording.disconnect()
world.step(10)
assert len(loads) == 2000
