from __future__ import annotations

from collections.abc import Iterator

import pytest
from _effort import EFFORT, examples
from hypothesis import HealthCheck, settings

import kido
from kido import _core

settings.register_profile(
    "kido",
    max_examples=examples(30),
    deadline=None,
    derandomize=EFFORT == 1,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("kido")


@pytest.fixture(scope="session", autouse=True)
def cache_of_meshes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests keep what they compute of meshes in a folder of their own, not in the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KIDO_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def runtime() -> Iterator[None]:
    """Number of threads and instruction set are what they were once the test is over."""
    threads, instructions = kido.num_threads(), _core.instruction_set()
    yield
    kido.set_num_threads(threads)
    _core.set_instruction_set(instructions)
