"""Coverage-guided fuzzing of a reader: pip install 'kido[fuzz]'; python tests/io/fuzz.py FORMAT [CORPUS] ...

FORMAT is one of those of `_fuzz_targets.py`, CORPUS a folder for what is found interesting, the rest options
of libFuzzer, as -max_total_time=60. Stops at the first input that gives neither a model nor a documented
error.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

with atheris.instrument_imports(include=["kido", "trimesh.exchange", "collada"]):
    from _fuzz_targets import TARGETS, words_of


_IMPORTS = 120.0
"""Time in which all may be imported [s]."""


def main() -> None:
    name, *rest = sys.argv[1:]
    target = TARGETS[name]
    samples = [path.read_bytes() for path in target.corpus]
    for sample in samples:
        target.run(sample, _IMPORTS)  # also imports, instrumented, what is imported when it is first used
    with tempfile.TemporaryDirectory() as folder:
        seeds, words = Path(folder) / "seeds", Path(folder) / "words"
        seeds.mkdir()
        for number, sample in enumerate(samples):
            (seeds / str(number)).write_bytes(sample)
        words.write_text("".join(f'"{_escaped(word)}"\n' for word in words_of(samples)))
        own = [argument for argument in rest if not argument.startswith("-")]
        options = [argument for argument in rest if argument.startswith("-")]
        limits = ["-timeout=20", "-rss_limit_mb=3000", "-max_len=20000"]
        limits += [f"-dict={words}"] if words.stat().st_size else []
        atheris.Setup([sys.argv[0], *limits, *options, *own, str(seeds)], lambda data: run(target, data))
        atheris.Fuzz()


def run(target, data: bytes) -> None:
    target.run(data)


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)


if __name__ == "__main__":
    main()
