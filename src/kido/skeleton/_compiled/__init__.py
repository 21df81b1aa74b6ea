"""Trees of skeletons, native and extended."""
