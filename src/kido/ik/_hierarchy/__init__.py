"""Inverse kinematics of several nodes at once, in levels of priority."""
