"""The benchmark of complementarity problems."""
