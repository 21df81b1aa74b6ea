"""Whatever bytes a file holds, reading it gives a model or a documented error, in bounded time.

The same targets are fuzzed by `make fuzz`, guided by coverage; what it found is kept in `data/fuzz/`.
"""

from __future__ import annotations

import pytest
from _effort import EFFORT, examples
from _fuzz_targets import TARGETS, changed


@pytest.mark.parametrize("name", TARGETS)
def test_the_corpus_is_read_or_refused(name: str) -> None:
    target = TARGETS[name]
    outcomes = {path.name: target.run(path.read_bytes()) for path in target.corpus}
    samples = [outcome for file, outcome in outcomes.items() if not file.startswith("found_")]
    assert samples
    assert set(samples) == {"read"}


@pytest.mark.parametrize("name", TARGETS)
def test_changed_files_are_read_or_refused(name: str) -> None:
    target = TARGETS[name]
    samples = [path.read_bytes() for path in target.corpus]
    seed = 0 if EFFORT == 1 else None
    outcomes = set()
    for data in changed(samples, examples(120), seed):
        try:
            outcomes.add(target.run(data))
        except Exception as error:
            raise AssertionError(f"{name}: {error!r} of {data!r}") from error
    assert len(outcomes) > 2
