"""Optimization problems of modules and hierarchies, their solvers' answers, and what is done without one."""
