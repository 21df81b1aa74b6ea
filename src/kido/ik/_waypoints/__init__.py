"""Waypoints and paths: one posture after the other."""
