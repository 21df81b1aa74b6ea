"""The benchmark of inverse kinematics: poses of arms, all libraries on the same files and targets."""
