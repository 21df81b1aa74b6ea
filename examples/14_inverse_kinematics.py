"""Inverse kinematics: put a hand where it is wanted, follow what moves, solve for a thousand places."""

import math

import numpy as np

import kido
from kido import gallery

robot = gallery.arm7()
tool = robot.end_effector("tool")
ik = kido.InverseKinematics.of(tool)


def pointing_down(x, y, z):
    """A pose at a point [m], the tool's z axis down."""
    return np.array([[1.0, 0, 0, x], [0, -1, 0, y], [0, 0, -1, z], [0, 0, 0, 1]])


# Where is the tool to be? The target is a frame; `solve_and_apply` moves the robot there.
ik.target.set_transform(pointing_down(0.4, 0.15, 0.25))
result = ik.solve_and_apply()
print(result.message)
assert result.success
np.testing.assert_allclose(tool.transform(), ik.target.transform(), atol=2e-6)
assert (robot.positions >= robot.position_lower_limits).all()
assert (robot.positions <= robot.position_upper_limits).all()

# Targets can hang on anything that moves: here a workpiece on a turntable, followed for a tenth of a turn.
turntable = kido.SimpleFrame("turntable", transform=pointing_down(0.45, 0.0, 0.2) @ np.diag([1.0, -1, -1, 1]))
ik.target = kido.SimpleFrame("workpiece", turntable, pointing_down(0.08, 0.0, 0.1))
steps = []
for angle in np.linspace(0.0, 0.2 * np.pi, 30):
    turntable.relative_rotation = kido.math.so3_exp([0.0, 0.0, angle])
    before = robot.positions
    assert ik.solve_and_apply().success
    steps.append(np.abs(robot.positions - before).max())
np.testing.assert_allclose(tool.transform(), ik.target.transform(), atol=2e-6)
print(f"followed in steps of at most {max(steps[1:]):.3f} rad")
assert max(steps[1:]) < 0.1

# Seven joints for six numbers: one can be held, and stays bit for bit where it is.
held = robot.dof("joint_3")
ik.dofs = [dof for dof in robot.dofs if dof != held]
position = held.position
assert ik.solve_and_apply().success and held.position == position
ik.use_chain()

# A thousand poses in one call. The answers are those of single calls, bit for bit.
rng = np.random.default_rng(14)
somewhere = robot.clone()
targets = []
for q in robot.tree.random_positions(rng, 1000):
    somewhere.positions = q
    targets.append(somewhere.end_effector("tool").transform())
results = ik.solve_batch(np.array(targets))
print(f"{results.success.sum()} of {len(results)} reached, errors below {results.linear_error.max():.0e} m")
assert results.success.all()
ik.target = kido.SimpleFrame("the first", transform=targets[0])
np.testing.assert_array_equal(ik.solve().positions, results.positions[0])

# Out of reach is an answer, not an error: the positions that come nearest, and how near that is.
ik.error_method = kido.ik.TaskSpaceRegion(angular=(math.inf,) * 3)  # only the position counts
shoulder = robot.dof("joint_2").child_body.transform()[:3, 3]
direction = np.array([0.6, 0.0, 0.8])
ik.target.set_translation(shoulder + 2.0 * direction)
result = ik.solve_and_apply()
print(result.message)
assert not result.success
stretched = tool.transform()[:3, 3] - shoulder
np.testing.assert_allclose(np.cross(stretched, direction), 0.0, atol=1e-3)
np.testing.assert_allclose(result.linear_error, 2.0 - np.linalg.norm(stretched), atol=1e-5)
