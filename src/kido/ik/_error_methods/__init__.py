"""Error methods: errors of a node relative to its target."""
