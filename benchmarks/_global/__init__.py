"""Benchmark of global inverse kinematics."""
