"""Solutions that are computed, not searched: analytical methods."""
