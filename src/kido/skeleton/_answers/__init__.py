"""Answers about whole skeletons, computed from their data."""
