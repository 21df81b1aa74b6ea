"""The benchmark of soft bodies."""
