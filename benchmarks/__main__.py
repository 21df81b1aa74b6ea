"""kido beside its peers: `python -m benchmarks` with `tree`, `skeleton`, `ik`, `global` and others."""

import argparse
import importlib
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

from benchmarks._harness import main  # noqa: E402  (numerical libraries read them when they are imported)

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks", add_help=False)
    parser.add_argument(
        "subsystem",
        choices=("tree", "skeleton", "ik", "global", "posture", "lcp", "world", "soft", "files", "view"),
    )
    chosen, arguments = parser.parse_known_args()
    main(importlib.import_module(f"benchmarks._{chosen.subsystem}._run").SUBSYSTEM, arguments)
