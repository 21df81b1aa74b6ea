from __future__ import annotations

import subprocess
import sys

import kido


def test_dir_shows_public_names_and_nothing_that_the_module_imports() -> None:
    assert set(dir(kido)) == {*kido.__all__, "__version__"}
    assert not {"Any", "TYPE_CHECKING", "import_module", "annotations"} & set(dir(kido))
    assert all(hasattr(kido, name) for name in dir(kido))


def test_dir_imports_nothing() -> None:
    code = "import sys, kido; before = set(sys.modules); dir(kido); print(set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
