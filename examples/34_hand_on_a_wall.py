"""A humanoid stands on two feet with a hand on a wall: balance, gaze and no collision, in one problem."""

import numpy as np

import kido
from kido.collision import CollisionFilter, distance
from kido.ik import CenterOfMassConstraint, PostureProblem, SupportContact

robot = kido.gallery.humanoid()
wall = kido.gallery.ground(normal=(-1.0, 0.0, 0.0), offset=-0.55)
wall.name = "wall"
feet = [robot.body("left_foot"), robot.body("right_foot")]
hand, head = robot.body("right_hand"), robot.body("head")

problem = PostureProblem([robot, wall])

# The feet stay on the floor, one a little ahead.
for foot, step in zip(feet, (0.0, -0.12), strict=True):
    pose = foot.transform()
    place = pose[:3, 3] + [step, 0.0, 0.0]
    problem.add_position_constraint(foot, place, place)
    problem.add_orientation_constraint(foot, rotation=pose[:3, :3])

# The hand touches the wall somewhere between shoulder and hip; the head looks at it.
palm = min(hand.shape_nodes, key=lambda node: node.relative_transform[2, 3])
touch = problem.add_distance_constraint(palm, wall.bodies[0].shape_nodes[0], 0.0, 0.0)
problem.add_position_constraint(hand, [-np.inf, -0.4, 1.05], [np.inf, -0.1, 1.25])
problem.add_gaze_target_constraint(head, (1, 0, 0), (0, 0, 0), 0.25, target_frame=hand)

# Forces at the soles and at the hand hold it; the centre of mass stays above the feet.
soles = [(x, y, -0.08) for x in (-0.06, 0.12) for y in (-0.04, 0.04)]
contacts = [SupportContact(foot, sole, friction=0.6) for foot in feet for sole in soles]
contacts.append(SupportContact(hand, normal=(-1, 0, 0), friction=0.5, min_normal_force=20.0))
problem.add_static_equilibrium_constraint(contacts, skeleton=robot)
stance = [(x + step, y + side) for step, side in ((0.0, 0.09), (-0.12, -0.09)) for x, y, _ in soles]
problem.add(CenterOfMassConstraint.of_polygon(stance, margin=0.02, skeleton=robot))

# No two parts are nearer than 5 mm, but those that touch by themselves.
pairs = [
    pair
    for pair in distance(robot, filter=CollisionFilter(self_collisions=True)).shapes
    if distance(*pair).distance > 0.005
]
problem.add_minimum_distance_lower_bound_constraint(0.005, 0.05, pairs=pairs)
problem.add_posture_cost(problem.positions, 0.1)

result = problem.solve(time_budget=60.0)
print(result)
assert result.success
problem.set_positions(result)

push = -result.forces[-1, 0]
share = result.forces[:, 2].sum() / (9.81 * robot.mass)
print(f"the wall pushes back with {push:.0f} N, all contacts carry {share:.3f} of the weight")
assert push > 19.9
assert abs(share - 1.0) < 1e-3
assert abs(touch.value(problem.skeletons)[0]) < 1e-6
print(f"the nearest parts are {min(distance(*pair).distance for pair in pairs) * 1e3:.0f} mm apart")

# What cannot be is told: with the hand 2 m up, these constraints pull against each other.
problem.add_position_constraint(hand, [-np.inf, -np.inf, 2.0], [np.inf, np.inf, 2.0])
verdict = problem.solve(max_starts=3)
print(f"2 m up: {verdict.status}; {verdict.violations[0]}")
assert not verdict
