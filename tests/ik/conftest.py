from __future__ import annotations

import pytest
from _ikfast import SOURCES, Build

from kido.ik import IKFastLibrary


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compiles a source of `ikfast/` with definitions, once, and loads it, each time."""
    folder = tmp_path_factory.mktemp("ikfast")

    def loaded(name: str, *definitions: str) -> IKFastLibrary:
        library = folder / "_".join((name, *definitions, ".so"))
        if not library.exists():
            options = ["-O0", *(f"-D{definition}" for definition in definitions)]
            return IKFastLibrary.compile(SOURCES / f"{name}.cpp", output=library, options=options)
        return IKFastLibrary(library)

    return loaded
