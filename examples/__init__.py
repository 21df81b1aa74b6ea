"""Examples: each numbered file runs by itself; the demo runs by `python -m examples.demo`."""
