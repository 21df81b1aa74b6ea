"""The benchmark of trees: kinematics and dynamics of arrays."""
