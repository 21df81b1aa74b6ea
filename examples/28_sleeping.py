"""A wall of boxes falls asleep, tells the same forces at no cost, and wakes where a ball hits it."""

import numpy as np

import kido
from kido.world import Sleeping

walls = []
for wall in range(2):
    for i in range(5):
        box = kido.gallery.box((0.2, 0.3, 0.2), mass=3.0, name=f"wall{wall}_{i}")
        box.positions = [0.0, 0.0, 0.0, 2.0 * wall, 0.0, 0.1 + 0.2 * i]  # rotation vector [rad], origin [m]
        walls.append(box)
world = kido.World([kido.gallery.ground(), *walls], sleeping=Sleeping(after=0.3))

world.step(1000)
print(f"after {world.time:.1f} s {len(world.sleeping_skeletons)} of {len(walls)} boxes sleep")
assert world.sleeping_skeletons == tuple(walls)

# Contacts are still told, and the ground carries what it did.
forces = np.array([contact.force for contact in world.contacts])
world.step(1_000_000)
assert np.array_equal(forces, [contact.force for contact in world.contacts])
weight = world.contact_wrench(walls[0])[5]
print(f"after {world.time:.0f} s contacts still carry the lowest box with {weight:.1f} N")
np.testing.assert_allclose(weight, 3.0 * 9.81, rtol=1e-2)

# A ball wakes the wall that it hits, as a whole, and the other sleeps on.
ball = kido.gallery.ball(0.1, mass=5.0, name="ball")
ball.positions = [0.0, 0.0, 0.0, -3.0, 0.0, 0.6]
world.add(ball)  # another world: all are awake
ball.body(0).gravity_mode = False
world.step(1000)
assert len(world.sleeping_skeletons) == len(walls) + 1  # the ball hangs still, too
ball.velocities = [0.0, 0.0, 0.0, 4.0, 0.0, 0.0]
world.step(800)
awake = {box.name.split("_")[0] for box in walls if not world.is_sleeping(box)}
print(f"the ball has hit: {', '.join(sorted(awake))} is awake")
assert awake == {"wall0"}
