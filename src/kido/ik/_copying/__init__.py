"""Copies and pickles of modules and hierarchies: frames, functions, and what these hold."""
