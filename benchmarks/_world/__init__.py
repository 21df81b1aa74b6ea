"""Simulation: the same scenes in kido and its peers."""
