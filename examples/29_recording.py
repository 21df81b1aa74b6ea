"""A falling humanoid is recorded, looked at, and simulated on from the moment before it was pushed."""

import tempfile
from pathlib import Path

import numpy as np

import kido

file = Path(tempfile.mkdtemp()) / "run.h5"
robot = kido.gallery.humanoid()
world = kido.World([kido.gallery.ground(), robot])
pelvis = robot.body("pelvis")

with kido.record(world, file, signals={"height": (lambda w: pelvis.transform()[2, 3], "m")}) as recording:
    world.step(400)
    recording.mark("push", force=[600.0, 0.0, 0.0])  # [N]
    for _ in range(100):
        pelvis.add_external_force([600.0, 0.0, 0.0])
        world.step()
    world.step(500)

# What happened, with names and units.
run = kido.load_recording(file)
height = run.series("height")
print(f"{len(run)} samples over {run.duration:g} s; the pelvis comes down from {height.values[0, 0]:.2f} m")
print(f"to {height.values[-1, 0]:.2f} {height.units[0]}; {run.events[0].text} at {run.events[0].time:g} s")
contacts = run.contacts_at(run.end_time)
carried = sum(contact.force[2] for contact in contacts if contact.first.skeleton.name == "humanoid")
carried -= sum(contact.force[2] for contact in contacts if contact.second.skeleton.name == "humanoid")
print(f"{len(contacts)} contacts carry {carried:.0f} N of {robot.mass * 9.81:.0f} N")

# The world as it stood, to the last bit: what would have been without the push?
again = run.world_at(0.95)
again.step(50)
assert np.array_equal(again.skeleton("humanoid").positions, robot.positions)
calm = run.world_at(0.4)
calm.step(600)
moved = robot.com()[0] - calm.skeleton("humanoid").com()[0]
print(f"the push has moved it by {moved:.2f} m")
assert moved > 0.05

# Pictures and a page with a replay, which opens without a server.
run.plot("height", "contact_forces", path=file.with_suffix(".png"))
run.report(file.with_suffix(".html"), title="A humanoid is pushed")
print("wrote", *sorted(path.name for path in file.parent.iterdir()))
