"""IKFast libraries that throw, tell odd bytes, or answer what are no numbers; sources that are none."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from _ikfast import SOURCES, TARGET

from kido.errors import LibraryError
from kido.ik import IKFastLibrary

SOLVER = """
#include <cmath>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

struct Own : std::exception {
    const char* what() const noexcept override { return "its own reason"; }
};
struct Mute : std::exception {
    const char* what() const noexcept override { return nullptr; }
};

extern "C" {
int GetIkRealSize() { return 8; }
int GetIkType() { return 0x67000001; }
int GetNumJoints() { /* asked */ return 6; }
int GetNumFreeParameters() { return 0; }
const char* GetIkFastVersion() { return "0x1000004a"; }
bool ComputeIk(const double*, const double*, const double*, void*) { /* solve */ return false; }
void ComputeFk(const double*, double* p, double* R) {
    for (int i = 0; i < 9; ++i) R[i] = i % 4 == 0;
    for (int i = 0; i < 3; ++i) p[i] = 0.0;
    /* forward */
}
}"""
"""A library; a comment is where a test puts what goes wrong."""

Solver = Callable[[str, str], Path]

THROWN = {
    "a number": ("throw 42;", "the library raised what is no std::exception"),
    "a class of its own": ("throw Own();", "its own reason"),
    "nothing to say": ("throw Mute();", "the library raised an exception without a message"),
    "odd bytes": (r'throw std::runtime_error("caf\xe9 \xff");', "caf\N{REPLACEMENT CHARACTER}"),
    "a megabyte": ("throw std::runtime_error(std::string(1000000, 'x'));", "x" * 900),
}


@pytest.fixture
def solver(tmp_path: Path) -> Solver:
    """Compiles SOLVER with a text in place of another."""

    def compiled(old: str, new: str) -> Path:
        source, library = tmp_path / "solver.cpp", tmp_path / "solver.so"
        assert old in SOLVER
        source.write_text(SOLVER.replace(old, new))
        subprocess.run(["g++", "-shared", "-fPIC", "-o", library, source], check=True)
        return library

    return compiled


@pytest.mark.parametrize(("thrown", "message"), THROWN.values(), ids=THROWN)
def test_what_a_solver_throws_is_told_with_the_file(solver: Solver, thrown: str, message: str) -> None:
    library = IKFastLibrary(solver("/* solve */", thrown))
    with pytest.raises(LibraryError, match=rf"solver\.so: {message}") as caught:
        library.solve(TARGET)
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize(("thrown", "message"), THROWN.values(), ids=THROWN)
def test_what_a_library_throws_when_it_is_loaded_is_told(solver: Solver, thrown: str, message: str) -> None:
    with pytest.raises(LibraryError, match=rf"solver\.so: {message}") as caught:
        IKFastLibrary(solver("/* asked */", thrown))
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize(("thrown", "message"), THROWN.values(), ids=THROWN)
def test_what_forward_kinematics_throw_is_told(solver: Solver, thrown: str, message: str) -> None:
    library = IKFastLibrary(solver("/* forward */", thrown))
    with pytest.raises(LibraryError, match=rf"solver\.so: {message}"):
        library.forward(np.zeros(6))


def test_memory_that_a_solver_lacks_is_a_memory_error(solver: Solver) -> None:
    library = IKFastLibrary(solver("/* solve */", "throw std::bad_alloc();"))
    with pytest.raises(MemoryError):
        library.solve(TARGET)


@pytest.mark.parametrize("number", ["NAN", "INFINITY"])
@pytest.mark.parametrize("place", ["p[2]", "R[8]"])
def test_forward_kinematics_that_are_no_numbers_are_an_error(solver: Solver, place: str, number: str) -> None:
    library = IKFastLibrary(solver("/* forward */", f"{place} = {number};"))
    with pytest.raises(LibraryError, match=r"solver\.so: ComputeFk: expected a pose of finite numbers"):
        library.forward(np.zeros(6))


def test_a_version_of_odd_bytes_is_read(solver: Solver) -> None:
    library = IKFastLibrary(solver('"0x1000004a"', r'"v\xff"'))
    assert library.version == "v\N{REPLACEMENT CHARACTER}"


def test_a_library_may_have_a_name_of_any_bytes(solver: Solver, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/solver\xff.so"))
    solver("/* solve */", "").rename(path)
    assert IKFastLibrary(path).num_joints == 6


@pytest.mark.parametrize("name", ["good.so", "good.o", "good", "ikfast.h"])
def test_compiling_what_is_no_source_leaves_it_as_it_is(solver: Solver, name: str) -> None:
    path = solver("/* solve */", "").with_name(name)
    shutil.copy(path.with_name("solver.so"), path)
    before = path.read_bytes()
    with pytest.raises(LibraryError, match=rf"{name}: expected C\+\+ source \(\.cpp, .*\) to compile"):
        IKFastLibrary.compile(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("link", [False, True])
def test_a_source_is_not_overwritten_by_its_library(tmp_path: Path, link: bool) -> None:
    source, output = tmp_path / "arm.cpp", tmp_path / ("link.so" if link else "arm.cpp")
    shutil.copy(SOURCES / "arm.cpp", source)
    if link:
        output.symlink_to(source)
    with pytest.raises(ValueError, match=r"^output: expected another file than the source"):
        IKFastLibrary.compile(source, output=output, include=SOURCES)
    assert source.read_bytes() == (SOURCES / "arm.cpp").read_bytes()
