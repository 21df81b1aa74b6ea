"""A humanoid falls over beside a pile of boxes and balls: contact, friction, energy, a snapshot."""

import numpy as np

import kido

surface = kido.Surface(friction=0.7, restitution=0.2)
robot = kido.gallery.humanoid()
world = kido.World([kido.gallery.ground(), robot], time_step=1e-3)
rng = np.random.default_rng(0)
for i in range(12):
    name = f"thing_{i}"
    if i % 3:
        thing = kido.gallery.box((0.2, 0.15, 0.1), mass=1.0, name=name, surface=surface)
    else:
        thing = kido.gallery.ball(0.08, mass=0.5, name=name, surface=surface)
    place = np.array([1.2, 0.0, 0.3 + 0.2 * i]) + rng.uniform(-0.05, 0.05, 3)
    thing.positions = [*rng.uniform(-0.5, 0.5, 3), *place]  # rotation vector [rad], origin [m]
    world.add(thing)

saved, before = world.snapshot(), world.energy
world.step(200)  # nothing was touched yet but the soles
print(f"after {world.time:.1f} s: {len(world.contacts)} contacts")
world.step(4800)

deepest = max(contact.depth for contact in world.contacts)
force = np.zeros(3)  # of the ground on all others [N]
for contact in world.contacts:
    if contact.second.skeleton.name == "ground":
        force += contact.force
    elif contact.first.skeleton.name == "ground":
        force -= contact.force
weight = 9.81 * sum(skeleton.mass for skeleton in world.skeletons if skeleton.mobile)
print(f"at rest after {world.time:.0f} s: deepest contact {1e3 * deepest:.3f} mm")
print(f"the ground carries {force[2]:.0f} N of {weight:.0f} N, {before - world.energy:.0f} J are gone")
assert deepest < 1e-3
np.testing.assert_allclose(force, [0.0, 0.0, weight], atol=0.03 * weight)
assert world.energy < before

# The same once more, bit for bit.
end = robot.positions
world.restore(saved)
world.step(5000)
assert (robot.positions == end).all()
