"""Postures under constraints."""
