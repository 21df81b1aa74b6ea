"""Pictures and films without a display: looks, frames, the way of a hand, sticks inside, contacts, a fall."""

import sys
import tempfile
from pathlib import Path

import numpy as np

import kido

robot = kido.gallery.humanoid()
quadruped = kido.gallery.quadruped()
quadruped.positions = {"root_rot_z": 0.5, "root_pos_x": 0.3, "root_pos_y": 1.1}  # beside the humanoid

hand = robot.end_effector("right_hand")
way = []
for angle in np.linspace(-0.4, -1.8, 40):  # [rad]
    robot.positions = {"right_shoulder_pitch": angle, "right_elbow": -0.9}  # [rad]
    way.append(hand.transform()[:3, 3])

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
scene = kido.render([robot, quadruped], folder / "scene.png", trajectories=[way])
frames = kido.render(
    robot, folder / "frames.png", frames=[hand], camera="front", sticks=True, size=(600, 800)
)

world = kido.World([kido.gallery.ground(), quadruped])
film = kido.film(world, folder / "falls.gif", duration=0.4, size=(320, 240), show=["contacts", "forces"])

assert world.time == 0.0  # a copy fell
assert scene.shape == (900, 1200, 3) and frames.shape == (800, 600, 3)
assert scene.std() > 5.0 and frames.std() > 5.0  # something is drawn
print(*sorted(path.name for path in folder.iterdir()))
