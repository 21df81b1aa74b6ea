"""A humanoid carries a box: its hands come first, then its stance, then where it looks."""

import sys
import tempfile
from pathlib import Path

import numpy as np

import kido
from kido.description import Material
from kido.ik import CenterOfMass, InverseKinematics, LookAt, SearchSettings, WholeBodyIK
from kido.shape import Box

robot = kido.gallery.humanoid()
robot.positions = {"left_elbow": -1.2, "right_elbow": -1.2}  # [rad]


def pose(x_axis, y_axis, position):
    """A pose (4, 4) by two of its axes and its position [m]."""
    T = np.eye(4)
    T[:3, :3] = np.transpose([x_axis, y_axis, np.cross(x_axis, y_axis)])
    T[:3, 3] = position
    return T


def module(node, level):
    """A module that may move all that moves its node."""
    ik = InverseKinematics.of(node)
    ik.use_whole_body()
    ik.hierarchy_level = level
    return ik


# What is carried is a skeleton of its own. Targets hang on it, so that they go where it goes.
box = kido.Skeleton("box")
load = box.add_body("box", joint=kido.FreeJoint("free"))
kido.ShapeNode(load, "box", Box((0.24, 0.30, 0.20)), material=Material("card", (0.72, 0.55, 0.36, 1.0)))

# Level 0: the palms on the sides of the box, the fingers forward.
for side, y in (("left", 0.165), ("right", -0.165)):
    hand = module(robot.end_effector(f"{side}_hand"), 0)
    hand.target = kido.SimpleFrame(f"{side}_grip", load, pose((0, 0, 1), (0, 1, 0), (0.03, y, 0.0)))

# Level 1: the feet where they are, and the center of mass above the middle between them.
feet = [module(robot.end_effector(f"{side}_foot"), 1) for side in ("left", "right")]
middle = np.mean([foot.transform()[:3, 3] for foot in feet], axis=0) + np.array([0.03, 0.0, 0.0])
balance = module(robot.body("pelvis"), 1)
balance.dofs = robot.dofs
balance.error_method = CenterOfMass(linear_weights=(1.0, 1.0, 0.0))  # its height does not matter
balance.target.set_translation(middle)

# Level 2: the camera looks at the box.
gaze = module(robot.end_effector("gaze"), 2)
gaze.error_method = LookAt()
gaze.target = kido.SimpleFrame("seen", load)

settings = SearchSettings(max_starts=80, time_budget=10.0)  # twenty times as patient as by default
whole = WholeBodyIK(robot, settings=settings)  # all modules of the skeleton
print(
    *(
        f"level {level}: {', '.join(ik.node.name for ik in members)}"
        for level, members in enumerate(whole.levels)
    )
)

places = {
    "carried": (0.0, (0.36, 0.0, 0.95)),
    "to_the_left": (0.7, (0.30, 0.24, 1.15)),
    "near_the_floor": (-0.3, (0.36, -0.05, 0.36)),
}
folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
for name, (yaw, place) in places.items():
    box.positions = [0.0, 0.0, yaw, *place]
    result = whole.solve_and_apply()
    print(f"{name}: {result.message}")
    assert result.success
    assert (robot.positions >= robot.position_lower_limits).all()
    assert (robot.positions <= robot.position_upper_limits).all()
    for ik in whole.modules:
        if ik is not balance and ik is not gaze:
            np.testing.assert_allclose(ik.transform(), ik.target.transform(), atol=2e-6)
    np.testing.assert_allclose(robot.com()[:2], middle[:2], atol=2e-6)
    eye = gaze.node.transform()
    np.testing.assert_allclose(np.cross(eye[:3, 0], load.transform()[:3, 3] - eye[:3, 3]), 0.0, atol=3e-6)
    camera = ((2.3, -1.7, 1.4), (0.1, 0.0, 0.75), (0.0, 0.0, 1.0))
    picture = kido.render(
        [robot, box], folder / f"{name}.png", frames=[gaze.node], camera=camera, size=(700, 800)
    )
    assert picture.std() > 5.0  # something is drawn

# Out of reach, the first levels get what they want, and the last ones what is left.
box.positions = [0.0, 0.0, 0.0, 0.36, 0.0, 0.95]
gaze.target = kido.SimpleFrame("behind", transform=pose((1, 0, 0), (0, 1, 0), (-3.0, 0.0, 1.0)))
result = whole.solve_and_apply()
print(result.message)
assert [task.success for task in result.tasks] == [True] * 5 + [False]
