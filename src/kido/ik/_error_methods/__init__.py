"""What is wanted of a node: error methods."""
