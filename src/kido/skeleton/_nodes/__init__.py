"""Nodes of bodies, and addons of every part."""
