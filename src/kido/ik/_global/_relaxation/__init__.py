"""The mixed-integer convex relaxation of inverse kinematics in maximal coordinates."""
