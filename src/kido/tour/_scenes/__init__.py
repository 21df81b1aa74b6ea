"""The scenes of the tour, one a file."""
