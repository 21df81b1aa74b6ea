"""What is attached to bodies and other parts."""
