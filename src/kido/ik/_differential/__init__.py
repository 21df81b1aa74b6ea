"""Velocities that serve tasks within limits."""
