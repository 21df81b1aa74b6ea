"""Postures that hands and feet leave free: four stands with the same constraints and different objectives."""

import sys
import tempfile
from pathlib import Path

import numpy as np

import kido
from kido.ik import InverseKinematics, WholeBodyIK
from kido.optimize import GradientDescentSolver, ModularFunction

robot = kido.gallery.humanoid()
robot.positions = {"left_elbow": -1.4, "right_elbow": -1.4, "root_pos_z": 0.76}  # [rad], [m]
start = robot.positions

modules = []
for level, limb in enumerate(("foot", "hand")):
    for side, y in (("left", 0.14), ("right", -0.14)):
        ik = InverseKinematics.of(robot.end_effector(f"{side}_{limb}"))
        ik.use_whole_body()
        ik.hierarchy_level = level
        modules.append(ik)
        if limb == "foot":
            ik.target.set_transform(np.eye(4))
            ik.target.set_translation((0.0, y, 0.0))  # flat on the floor

whole = WholeBodyIK(robot)
whole.solver = GradientDescentSolver(step_size=1.0, max_iterations=250)  # near enough to an optimum


def posture(goals):
    """Half the squared distances from where some dofs are wanted; the others stay about where they are."""
    wanted, weights = start.copy(), np.full(len(start), 0.02)
    for name, goal in goals.items():
        place = robot.dof(name).index
        wanted[place], weights[place] = goal, 20.0
    return ModularFunction(
        lambda x: 0.5 * float(weights @ (x - wanted) ** 2), lambda x: weights * (x - wanted), name="posture"
    )


stands = {
    "tall": {"root_pos_z": 0.81},
    "squatting": {"root_pos_z": 0.55},
    "to_the_right": {"root_pos_y": -0.13},
    "to_the_left": {"root_pos_y": 0.13},
}
folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
camera = ((3.2, 0.6, 1.3), (0.0, 0.0, 0.78), (0.0, 0.0, 1.0))
pelvis = {}
for name, goals in stands.items():
    robot.positions = start
    whole.null_space_objective = posture(goals)
    result = whole.solve_and_apply()
    assert result.success
    for ik in modules:
        np.testing.assert_allclose(ik.transform(), ik.target.transform(), atol=5e-6)
    pelvis[name] = robot.body("pelvis").transform()[:3, 3]
    print(f"{name}: the pelvis is at {pelvis[name].round(3)} m, hands and feet are where they were")
    picture = kido.render(robot, folder / f"{name}.png", camera=camera, size=(600, 800))
    assert picture.std() > 5.0  # something is drawn

assert pelvis["tall"][2] > 0.8 and pelvis["squatting"][2] < 0.6
assert pelvis["to_the_right"][1] < -0.1 and pelvis["to_the_left"][1] > 0.1
