"""Parts of skeletons that are asked and set together."""
