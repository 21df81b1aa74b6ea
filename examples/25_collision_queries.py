"""A laser scanner looks at boxes on hills; an arm looks for a way past them: rays, distances, sweeps."""

import numpy as np

import kido
from kido import collision
from kido.shape import Box, HeightField

x = np.linspace(-4.0, 4.0, 81)
X, Y = np.meshgrid(x, x)
terrain = kido.Skeleton("terrain")
terrain.mobile = False
ground = terrain.add_body("ground", None, kido.WeldJoint("ground"))
kido.ShapeNode(ground, "hills", HeightField(0.25 * np.sin(1.5 * X) * np.cos(1.2 * Y), (0.1, 0.1)))

boxes = []
for k in range(8):
    box = kido.gallery.box((0.5, 0.4, 0.3), mass=5.0, name=f"box_{k}")
    box.positions = [0.0, 0.0, 0.7 * k, 2.0 * np.cos(0.8 * k), 2.0 * np.sin(0.8 * k), 0.8]
    boxes.append(box)
world = kido.World([terrain, *boxes])
world.step(5000)
print(
    f"boxes rest on {len(world.contacts)} contacts, {1e3 * max(c.depth for c in world.contacts):.3f} mm deep"
)
assert max(np.abs(box.velocities).max() for box in boxes) < 1e-2

# A scanner 1 m above the middle: what does each ray meet, and where?
angles = np.linspace(0.0, 2.0 * np.pi, 720, endpoint=False)
rays = np.column_stack([np.cos(angles), np.sin(angles), np.full(720, -0.45)])
scan = collision.ray_cast([terrain, *boxes], (0.0, 0.0, 1.0), rays, 10.0)
seen = {scan.shapes[k].skeleton.name for k in scan.shape if k >= 0}
print(f"{np.isfinite(scan.distance).sum()} of 720 rays meet {len(seen)} things")
assert "terrain" in seen and len(seen) > 4
np.testing.assert_allclose(collision.distance(boxes[0], boxes[0].body(0)).distance, np.inf)  # no pair: itself

# Which of a thousand postures of an arm keep 5 cm from everything?
arm = kido.gallery.arm7()
q = np.random.default_rng(1).uniform(-1.5, 1.5, (1000, arm.num_dofs))
boxes[3].positions = [0.0, 0.0, 0.3, 0.5, 0.2, 0.5]  # into its way
clearance = collision.distance(arm, boxes, positions={arm: q})
good = np.flatnonzero(clearance.distance > 0.05)
assert 0 < len(good) < 1000
print(f"{len(good)} of 1000 postures keep 5 cm from the boxes, the nearest {clearance.distance.min():.2f} m")
arm.positions = q[good[0]]
np.testing.assert_allclose(collision.distance(arm, boxes).distance, clearance.distance[good[0]], atol=1e-12)

# How far may a tool move in each direction before it meets something?
tool = kido.gallery.box((0.1, 0.1, 0.1), mass=0.5, name="tool")
tool.positions = [0.0, 0.0, 0.0, 0.0, 0.0, 0.7]
ways = 3.0 * np.column_stack([np.cos(angles[::30]), np.sin(angles[::30]), np.full(24, -0.25)])
swept = collision.sweep(tool, [terrain, *boxes], ways)
free = 3.0 * np.minimum(swept.time, 1.0)
print(f"the tool moves {free.min():.2f} to {free.max():.2f} m")
assert free.min() < 2.9
for way, time in zip(ways, np.minimum(swept.time, 1.0), strict=True):
    tool.positions = [0.0, 0.0, 0.0, *(np.array([0.0, 0.0, 0.7]) + 0.99 * time * way)]
    assert collision.distance(tool, [terrain, *boxes]).distance > 0.0

# What ignores each other does not meet.
world.collision_filter.ignore(boxes[0], terrain)
world.step(600)
assert boxes[0].positions[5] < -0.5  # it fell through the ground

assert isinstance(boxes[0].body(0).shape_nodes[0].shape, Box)
