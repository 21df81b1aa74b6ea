from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import kido


def test_dir_shows_public_names_and_nothing_that_the_module_imports() -> None:
    assert set(dir(kido)) == {*kido.__all__, "__version__"}
    assert not {"Any", "TYPE_CHECKING", "import_module", "annotations"} & set(dir(kido))
    assert all(hasattr(kido, name) for name in dir(kido))


def test_dir_of_modules_shows_their_public_names_alone() -> None:
    modules = [item for name in kido.__all__ if isinstance(item := getattr(kido, name), ModuleType)]
    assert len(modules) > 15
    others = (importlib.import_module(f"kido.{name}") for name in ("cli", "tour", "tree", "typing"))
    for module in (*modules, *others):
        shown = {name for name in dir(module) if not name.startswith("_")}
        assert shown == set(module.__all__), module.__name__
        assert all(hasattr(module, name) for name in shown)


def test_dir_imports_nothing() -> None:
    code = "import sys, kido; before = set(sys.modules); dir(kido); print(set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_each_package_can_be_imported_first() -> None:
    packages = [name for name in kido.__all__ if isinstance(getattr(kido, name), ModuleType)]
    code = (
        "import sys\n"
        "for name in sys.argv[1:]:\n"
        "    __import__('kido.' + name)\n"
        "    for module in [m for m in sys.modules if m.partition('.')[0] == 'kido' and m != 'kido._core']:\n"
        "        del sys.modules[module]\n"
    )
    subprocess.run([sys.executable, "-c", code, *packages], check=True)


def test_importing_kido_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import kido; print(sorted(set(sys.modules) - before))"
    place = {**os.environ, "PYTHONPATH": str(Path(kido.__file__).parents[1])}  # which `-S` would not find
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=place
    )
    imported = set(ast.literal_eval(done.stdout))
    assert not imported & {"numpy", "typing", "kido._core", "kido.errors"}


@pytest.mark.parametrize(
    ("kind", "package"),
    [("WeldConstraint", "kido.constraint"), ("Frame", "kido.frame"), ("IKResult", "kido.ik")],
)
def test_a_name_is_the_one_of_its_package(kind: str, package: str) -> None:
    assert getattr(kido, kind) is getattr(importlib.import_module(package), kind)
    with pytest.raises(AttributeError, match="module 'kido' has no attribute 'Skelton'"):
        _ = kido.Skelton
