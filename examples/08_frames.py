"""Frames: how anything moves, seen from anything else, in the axes of anything else."""

import numpy as np

import kido
from kido import gallery

robot = gallery.humanoid()
rng = np.random.default_rng(8)
robot.positions = robot.positions + rng.uniform(-0.2, 0.2, robot.num_dofs)
robot.velocities = rng.normal(size=robot.num_dofs)
robot.accelerations = rng.normal(size=robot.num_dofs)
pelvis, upper_arm, hand = robot.body("pelvis"), robot.body("left_upper_arm"), robot.end_effector("left_hand")
gaze = robot.end_effector("gaze")

# Where is the hand, seen from the upper arm? How does a point 5 cm beyond it move, in the axes of the pelvis?
T_upper_arm_hand = hand.transform(relative_to=upper_arm)
v = hand.linear_velocity((0.0, 0.0, -0.05), relative_to=upper_arm, in_coordinates_of=pelvis)
a = hand.linear_acceleration((0.0, 0.0, -0.05), relative_to=upper_arm, in_coordinates_of=pelvis)
print("hand in the upper arm:", T_upper_arm_hand[:3, 3].round(3), "m")
print("its finger tips move with", v.round(3), "m/s and", a.round(3), "m/s^2")

# Nobody has to write down what that takes: both frames turn, so there are Coriolis and centripetal terms.
in_world = {"in_coordinates_of": kido.WORLD}
w, alpha = upper_arm.angular_velocity(), upper_arm.angular_acceleration()
arm = hand.transform()[:3, 3] - upper_arm.transform()[:3, 3]
v_seen = hand.linear_velocity(relative_to=upper_arm, **in_world)
total = hand.linear_acceleration() - upper_arm.linear_acceleration()
coriolis = 2.0 * np.cross(w, v_seen) + np.cross(w, np.cross(w, arm)) + np.cross(alpha, arm)
a_seen = hand.linear_acceleration(relative_to=upper_arm, **in_world)
print("of", total.round(2), "m/s^2 the turning of the upper arm makes", coriolis.round(2))
np.testing.assert_allclose(a_seen, total - coriolis, atol=1e-10)

# The shape of the arm between the two is all that matters: the motion of the root changes nothing.
robot.joint("root").velocities = np.zeros(6)
np.testing.assert_allclose(hand.linear_velocity(relative_to=upper_arm, **in_world), v_seen, atol=1e-12)

# A frame of the scene: a ball that flies past. It can be set relative to any frame, and asked like any other.
ball = kido.SimpleFrame("ball")
ball.set_translation((1.0, 0.2, 0.0), relative_to=gaze)
ball.set_classic_derivatives(linear_velocity=(-3.0, 0.0, 1.0), linear_acceleration=robot.gravity)
seen = ball.linear_velocity(relative_to=gaze, in_coordinates_of=gaze)
print("the camera sees the ball move with", seen.round(3), "m/s")
dt = 1e-6
before = ball.transform(relative_to=gaze)[:3, 3]
ball.relative_translation = ball.relative_translation + dt * ball.linear_velocity()
robot.integrate_positions(dt)
np.testing.assert_allclose((ball.transform(relative_to=gaze)[:3, 3] - before) / dt, seen, atol=1e-4)

# Once caught, it moves with the hand: the frame is attached, and stays where it was.
ball.set_parent_frame(hand, keep_world_transform=True)
ball.set_classic_derivatives()
grip = ball.transform(relative_to=hand)
robot.positions = {"left_elbow": -1.2}
np.testing.assert_allclose(ball.transform(relative_to=hand), grip, atol=1e-14)
np.testing.assert_allclose(ball.angular_velocity(), hand.angular_velocity(), atol=1e-14)


# A frame of your own says three things about itself; here a carousel that turns with time.
class Carousel(kido.Frame):
    time, speed = 0.0, 0.5  # [s], [rad/s]

    @property
    def relative_transform(self):
        angle = self.speed * self.time
        T = np.eye(4)
        T[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        return T

    @property
    def relative_spatial_velocity(self):
        return np.array([0.0, 0.0, self.speed, 0.0, 0.0, 0.0])

    @property
    def relative_spatial_acceleration(self):
        return np.zeros(6)


carousel = Carousel("carousel")
horse = kido.SimpleFrame("horse", carousel)
horse.relative_translation = (4.0, 0.0, 1.0)
carousel.time = 2.0
print("the horse is at", horse.transform()[:3, 3].round(3), "m")
np.testing.assert_allclose(horse.transform()[:3, 3], [4.0 * np.cos(1.0), 4.0 * np.sin(1.0), 1.0])
np.testing.assert_allclose(np.linalg.norm(horse.linear_acceleration()), 4.0 * 0.5**2)
np.testing.assert_allclose(horse.linear_velocity(relative_to=carousel), 0.0, atol=1e-15)

# A frame that would move with itself is refused.
try:
    carousel.set_parent_frame(horse)
except kido.errors.FrameError as error:
    print("as it should be:", error)
else:
    raise AssertionError("a circle of frames was accepted")
