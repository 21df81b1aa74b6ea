"""A hand where it is wanted, as it is wanted: all six components of its pose are constrained."""

import sys
import tempfile
from pathlib import Path

import numpy as np

import kido
from kido.description import Material
from kido.shape import Box, Cylinder

# A tray to carry: where the hand holds it is a frame, on it and turned with it.
tray = kido.Skeleton("tray")
plate = tray.add_body("plate", joint=kido.FreeJoint("place"))
wood, steel = Material("wood", (0.80, 0.62, 0.38, 1.0)), Material("steel", (0.66, 0.69, 0.72, 1.0))
kido.ShapeNode(plate, "plate", Box((0.30, 0.22, 0.02)), material=wood)
kido.ShapeNode(plate, "cup", Cylinder(0.035, 0.10), (0.05, 0.03, 0.06), material=steel)
tray.positions = {"place_pos_x": 0.44, "place_pos_y": 0.30, "place_pos_z": 1.02}

# The default error method wants the target's pose. The hand points along its -z axis, and its palm is normal
# to y: it is to point forward under the plate, the palm up.
robot = kido.gallery.humanoid()
hand = robot.end_effector("left_hand")
ik = kido.InverseKinematics.of(hand)
under = np.array([[0.0, 0.0, -1.0, 0.02], [1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, -0.03], [0, 0, 0, 1]])
ik.target = kido.SimpleFrame("grip", plate, under)

result = ik.solve_and_apply()
print(result.message)
assert result.success and len(ik.dofs) == 7
np.testing.assert_allclose(hand.transform(), plate.transform() @ under, atol=2e-6)

# One joint more than there are constraints: the elbow can still swing. Positions of the other joints stay.
swung = ik.positions
ik.dofs[2].position += 0.3  # of the upper arm, about itself
assert ik.solve_and_apply().success
print(f"another solution, {np.abs(ik.positions - swung).max():.2f} rad away")
np.testing.assert_allclose(hand.transform(), ik.target.transform(), atol=2e-6)
assert np.abs(ik.positions - swung).max() > 0.05

# The target is on the tray: where that goes, the hand goes.
for height, turn in ((1.05, 0.1), (1.08, 0.2), (1.11, 0.3)):
    tray.positions = {"place_pos_z": height, "place_rot_z": turn}
    assert ik.solve_and_apply().success
    np.testing.assert_allclose(hand.transform(), plate.transform() @ under, atol=2e-6)

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
camera = ((1.25, 2.0, 1.2), (0.2, 0.1, 1.12), (0.0, 0.0, 1.0))
picture = kido.render([robot, tray], folder / "hand.png", camera=camera, frames=[ik.target], size=(900, 900))
assert picture.std() > 5.0  # something is drawn
