"""Global inverse kinematics: a posture, or a proof that there is none."""
