"""Gradient methods: steps of dofs that reduce an error."""
