"""Coverage-guided fuzzing of the MJCF reader, by hand: pip install atheris; python fuzz_mjcf.py [CORPUS].

Stops at the first input that gives neither a scene nor a documented error.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["kido"]):
    from kido.errors import KidoError, ModelWarning
    from kido.io import read_mjcf_string

DATA = Path(__file__).with_name("data")


def read_one(data: bytes) -> None:
    try:
        read_mjcf_string(data.decode("utf-8", "surrogateescape"), directory=DATA)
    except KidoError:
        return


if __name__ == "__main__":
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", ModelWarning)
    read_one((DATA / "everything.xml").read_bytes())
    atheris.Setup(sys.argv, read_one)
    atheris.Fuzz()
