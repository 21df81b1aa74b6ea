"""Hands that touch a ball anywhere, turned in any way: the ball's center is at a point beside the hand."""

import math
import sys
import tempfile
from pathlib import Path

import numpy as np

import kido
from kido.description import Material
from kido.ik import LookAt, TaskSpaceRegion
from kido.shape import Sphere

radius = 0.14  # [m]
scene = kido.Skeleton("scene")
ball = scene.add_body("ball", joint=kido.TranslationalJoint("place"))
kido.ShapeNode(ball, "ball", Sphere(radius), material=Material("green", (0.30, 0.62, 0.33, 1.0)))
scene.positions = [0.38, 0.02, 1.16]

# The hands point along their -z axes. Where the point that is the ball's radius beyond the fingertips is at
# the center of the ball, they touch it. So three numbers are constrained; the hand may come from any side.
robot = kido.gallery.humanoid()
anywhere = TaskSpaceRegion(angular=(math.inf, math.inf, math.inf), linear=(0.0, 0.0, 0.0))
hands = []
for side in ("left", "right"):
    ik = kido.InverseKinematics.of(robot.end_effector(f"{side}_hand"))
    ik.offset = (0.0, 0.0, -radius)
    ik.target = kido.SimpleFrame("center", ball)
    ik.error_method = anywhere
    hands.append(ik)

# The head looks at what the hands do.
gaze = kido.InverseKinematics.of(robot.end_effector("gaze"))
gaze.target = kido.SimpleFrame("seen", ball)
gaze.error_method = LookAt(axis=(1.0, 0.0, 0.0))

for ik in (*hands, gaze):
    result = ik.solve_and_apply()
    print(f"{ik.node.name}: {result.message}")
    assert result.success

center = ball.transform()[:3, 3]
for ik in hands:
    tip = ik.node.transform()
    np.testing.assert_allclose(np.linalg.norm(tip[:3, 3] - center), radius, atol=2e-6)  # it touches
    np.testing.assert_allclose(-tip[:3, 2], (center - tip[:3, 3]) / radius, atol=1e-4)  # it points inward
sight = center - gaze.transform()[:3, 3]
np.testing.assert_allclose(gaze.transform()[:3, 0], sight / np.linalg.norm(sight), atol=2e-6)

# The ball rolls on, and the hands go with it.
places = []
for height in np.linspace(1.16, 1.28, 5):
    scene.positions = [0.38, 0.02, height]
    assert all(ik.solve_and_apply().success for ik in (*hands, gaze))
    places.append(hands[0].node.transform()[:3, 3])
assert places[-1][2] > places[0][2] + 0.05

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
camera = ((1.9, 1.25, 1.5), (0.16, 0.02, 1.14), (0.0, 0.0, 1.0))
picture = kido.render([robot, scene], folder / "ball.png", camera=camera, size=(900, 900))
assert picture.std() > 5.0  # something is drawn
