"""Configuration, state and properties of skeletons as values, and their files."""
