"""Edit a robot: mount a gripper, take parts off, copy and split, change joints; everything follows."""

import numpy as np

import kido
from kido import gallery

robot = gallery.arm7()
tool = robot.end_effector("tool")

# Mount a gripper: its body moves over from a skeleton of its own, carried by a fresh joint.
gripper = gallery.gripper()
mount = kido.WeldJoint("gripper_mount", T_parent_joint=tool.relative_transform)
gripper.body("gripper").move_to(robot.body("link_7"), joint=mount)
print(robot, "and what is left of the other:", gripper)
assert (robot.num_dofs, gripper.num_bodies) == (9, 0)
grasp = robot.end_effector("grasp")
T = grasp.transform(relative_to=tool)
np.testing.assert_allclose(T[:3, 3], [0.0, 0.0, 0.1175], atol=1e-15)

# Positions went along: the fingers are as far open as they were.
np.testing.assert_allclose(robot.joint("left_slide").positions, 0.04)
mass = robot.mass

# What if a longer finger were welded on? Try it with a copy; the robot stays what it is.
trial = robot.clone("trial")
finger = trial.body("left_finger")
finger.parent_joint.T_parent_joint = finger.parent_joint.T_parent_joint[:3, 3] + [0.0, 0.0, 0.02]
finger.mass *= 1.5
assert trial.mass > robot.mass == mass

# Changed constants count at once: a heavier finger takes more torque of the arm.
extra = trial.gravity_forces - robot.gravity_forces
print("the trial takes", np.abs(extra[:7]).max().round(3), "N m more at most")
assert np.abs(extra[:7]).max() > 0.1

# Another wrist: the last link moves over to the forearm, on a ball joint; what was between them is removed.
wrist = trial.body("link_7")
wrist.move_to(trial.body("link_4"), joint=kido.BallJoint("wrist", T_parent_joint=(0.0, 0.0, 0.39)))
trial.body("link_5").remove()
print(trial, "has joints", ", ".join(joint.name for joint in trial.joints))
assert trial.num_dofs == 4 + 3 + 2

# A joint of another type takes over name and place.
slide = trial.body("right_finger").change_parent_joint_type(kido.RevoluteJoint)
slide.axis = (1.0, 0.0, 0.0)
assert (slide.name, trial.joint("right_slide")) == ("right_slide", slide)

# Split: the arm beyond the elbow becomes a robot of its own, on a free joint that is put where it was.
before = robot.body("link_4").transform()
forearm = robot.body("link_4").split("forearm", joint=kido.FreeJoint("root"))
forearm.joint("root").set_transform(before)
print(forearm, "and", robot)
np.testing.assert_allclose(forearm.body("link_4").transform(), before, atol=1e-14)
np.testing.assert_allclose(forearm.mass + robot.mass, mass)
assert robot.num_dofs == 3
assert forearm.end_effector("grasp") is grasp  # what was attached to bodies came along

# Copy: two forearms on one stump. Names stay unique; whoever listens hears what was renamed.
renamed = []
connection = robot.name_changed.connect(lambda part, old, new: renamed.append((old, new)))
for side in (-0.2, 0.2):
    joint = kido.RevoluteJoint(f"elbow_{side:+}", axis=(0, 1, 0), T_parent_joint=(0.0, side, 0.2))
    forearm.body("link_4").copy_to(robot.body("link_3"), joint=joint)
print(robot, "renamed", len(renamed), "parts, as", " to ".join(renamed[0]))
assert robot.num_bodies == 4 + 2 * forearm.num_bodies
assert robot.has_body("link_4") and robot.has_body("link_4(1)")
first, second = robot.body("left_finger").transform(), robot.body("left_finger(1)").transform()
np.testing.assert_allclose((second - first)[:3, :3], 0.0, atol=1e-14)
np.testing.assert_allclose(np.linalg.norm((second - first)[:3, 3]), 0.4)

# An edit that makes no sense is refused before anything has changed; what was removed says so.
try:
    robot.body("link_1").move_to(robot.body("link_3"))
except kido.errors.EditError as error:
    print("as it should be:", error)
else:
    raise AssertionError("a body was moved under itself")
gone = robot.body("gripper(1)")
gone.remove()
try:
    gone.transform()
except kido.errors.RemovedError as error:
    print("as it should be:", error)
else:
    raise AssertionError("a removed body answered")
