"""Inverse kinematics of one body or node: its module and the parts of it."""
