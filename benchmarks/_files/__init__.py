"""The benchmark of model files."""
