"""Joints, and what drives them."""
