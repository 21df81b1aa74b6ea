"""Kinematics and dynamics of real robots, in numbers and pictures: `python -m examples.demo`."""
