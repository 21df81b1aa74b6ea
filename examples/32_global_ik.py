"""Where a hand gets behind the back: a posture for each place, or a proof that there is none."""

import numpy as np

import kido

robot = kido.gallery.humanoid()
torso, hand = robot.body("torso"), robot.end_effector("left_hand")

verdicts = []
for height in np.linspace(0.3, -0.3, 7):  # along the spine [m]
    search = kido.ik.GlobalIK(robot)
    search.add_relative_position_constraint(hand, torso, (-0.15, 0.0, height), tolerance=0.01)
    verdict = search.solve()
    verdicts.append(verdict)
    print(f"{height:5.2f} m: {verdict}")
    if verdict:
        robot.positions = verdict.positions
        there = hand.transform(relative_to=torso)[:3, 3]
        assert np.abs(there - (-0.15, 0.0, height)).max() < 0.01 + 1e-6
        assert (robot.position_lower_limits <= verdict.positions).all()
    else:
        print(f"         it misses by at least {search.lower_bound():.3f} m, whatever the joints do")

assert all(verdict.success or verdict.infeasible for verdict in verdicts)

# Both hands at once, on a stick of 0.5 m across the back.
search = kido.ik.GlobalIK(robot)
for side, y in (("left", 0.25), ("right", -0.25)):
    hand = robot.end_effector(f"{side}_hand")
    search.add_relative_position_constraint(hand, torso, (-0.15, y, 0.1), tolerance=0.01)
print("both hands:", search.solve())
