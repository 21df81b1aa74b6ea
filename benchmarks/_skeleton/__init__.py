"""The benchmark of skeletons: set numbers of a robot, ask it something."""
