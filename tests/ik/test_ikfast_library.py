"""IKFast libraries: compiling them, loading them, and what is wrong with files that are none."""

from __future__ import annotations

import pickle
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from _ikfast import SOURCES, TARGET, Build

from kido.errors import LibraryError
from kido.ik import IKFastLibrary, IKFastType

STUB = """extern "C" {
int GetIkRealSize() { return 8; }
int GetIkType() { return 0x67000001; }
int GetNumJoints() { return 6; }
int GetNumFreeParameters() { return 1; }
int* GetFreeParameters() { static int index[] = {5, 5}; return index; }
bool ComputeIk(const double*, const double*, const double*, void*) { return false; }
}"""
"""As little as a library needs."""

Stub = Callable[..., Path]


@pytest.fixture
def stub(tmp_path: Path) -> Stub:
    """Writes and compiles STUB with one text in place of another."""

    def compiled(old: str = "", new: str = "") -> Path:
        source, library = tmp_path / "stub.cpp", tmp_path / "stub.so"
        source.write_text(STUB.replace(old, new) if old else STUB)
        subprocess.run(["g++", "-shared", "-fPIC", "-o", library, source], check=True)
        return library

    return compiled


def test_a_library_tells_what_it_is(build: Build) -> None:
    older, newer = build("arm"), build("arm", "NEWER", "FREE")
    assert (older.num_joints, newer.num_joints) == (6, 8)
    assert (older.free_joints, newer.free_joints) == ((), (0, 7))
    assert (older.version, newer.version) == ("61", "0x1000004c")
    assert (older.kinematics_hash, newer.kinematics_hash) == ("<robot:arm (5a2b)>", "5a2b")
    assert older.ik_type is IKFastType.TRANSFORM_6D
    assert older.has_forward_kinematics
    assert older.path.suffix == ".so"
    assert repr(newer) == f"<IKFastLibrary {newer.path.name!r}: TRANSFORM_6D, 8 joints, free [0, 7]>"


def test_what_a_library_does_not_tell_is_none(stub: Stub) -> None:
    library = IKFastLibrary(stub())
    assert library.version is None
    assert library.kinematics_hash is None
    assert not library.has_forward_kinematics
    assert library.free_joints == (5,)


def test_a_library_is_pickled_by_its_path(build: Build) -> None:
    library = build("arm", "FREE")
    copy = pickle.loads(pickle.dumps(library))
    assert copy.path == library.path
    np.testing.assert_array_equal(copy.solve(TARGET, [0.2, 0.1]), library.solve(TARGET, [0.2, 0.1]))


@pytest.mark.parametrize(
    "symbol", ["ComputeIk", "GetNumJoints", "GetNumFreeParameters", "GetIkRealSize", "GetIkType"]
)
def test_a_missing_symbol_is_named_with_the_file(stub: Stub, symbol: str) -> None:
    path = stub(f"{symbol}(", f"Other{symbol}(")
    with pytest.raises(LibraryError, match=rf"stub\.so: no symbol {symbol}; .*IKFAST_CLIBRARY") as caught:
        IKFastLibrary(path)
    assert caught.value.file == str(path)


def test_free_joints_without_their_indices_are_refused(stub: Stub) -> None:
    with pytest.raises(LibraryError, match="no symbol GetFreeIndices nor GetFreeParameters"):
        IKFastLibrary(stub("GetFreeParameters", "GetOthers"))


def test_a_library_without_free_joints_needs_no_indices(stub: Stub) -> None:
    library = IKFastLibrary(stub("{ return 1; }\nint* GetFreeParameters", "{ return 0; }\nint* GetOthers"))
    assert library.free_joints == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "return 8;",
            "return 4;",
            "expected a solver that computes with numbers of 8 bytes, got 4; .* double",
        ),
        ("return 6;", "return 0;", "GetNumJoints: expected a number from 1 to 64, got 0"),
        ("{ return 1;", "{ return 7;", "GetNumFreeParameters: expected a number from 0 to 6, got 7"),
        ("{ return 1;", "{ return 2;", "GetFreeParameters: expected different joints from 0 to 5, got 5"),
        ("{5, 5}", "{6, 5}", "GetFreeParameters: expected different joints from 0 to 5, got 6"),
        ("return index;", "return nullptr;", "GetFreeParameters: .*, got none"),
        ("0x67000001", "0x77000001", "GetIkType: expected one of IKFastType, got 0x77000001"),
    ],
)
def test_numbers_that_cannot_be_are_refused(stub: Stub, old: str, new: str, message: str) -> None:
    with pytest.raises(LibraryError, match=message):
        IKFastLibrary(stub(old, new))


def test_a_solver_of_float_numbers_is_refused(build: Build) -> None:
    with pytest.raises(LibraryError, match="numbers of 8 bytes, got 4"):
        build("arm", "REAL=float")


def test_a_file_that_is_no_library_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.so"
    path.write_text("not a library")
    with pytest.raises(
        LibraryError, match=r"notes\.so: expected a shared library, got .*: [a-z ]+$"
    ) as caught:
        IKFastLibrary(path)
    assert vars(pickle.loads(pickle.dumps(caught.value))) == vars(caught.value)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.so"):
        IKFastLibrary(tmp_path / "nowhere.so")


def test_what_a_library_wants_of_others_and_does_not_find_is_named(stub: Stub) -> None:
    path = stub("{ return false; }", "{ void dgeev_(); dgeev_(); return true; }")
    with pytest.raises(LibraryError, match=r"stub\.so: expected .*: undefined symbol: \w*dgeev_"):
        IKFastLibrary(path)


def test_compiling_writes_beside_the_source_and_finds_the_header_there(tmp_path: Path) -> None:
    for name in ("arm.cpp", "ikfast.h"):
        shutil.copy(SOURCES / name, tmp_path)
    library = IKFastLibrary.compile(tmp_path / "arm.cpp", options=["-O0"])
    assert library.path == tmp_path / "arm.so"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm.cpp", "arm.so", "ikfast.h"]


def test_compiling_takes_the_folder_of_the_header_and_replaces_a_library_in_use(tmp_path: Path) -> None:
    shutil.copy(SOURCES / "arm.cpp", tmp_path)
    source = tmp_path / "arm.cpp"
    first = IKFastLibrary.compile(source, include=SOURCES, options=["-O0"])
    second = IKFastLibrary.compile(source, include=SOURCES, options=["-O0", "-DFREE"])
    assert first.path == second.path
    assert (first.num_joints, second.num_joints) == (6, 8)
    assert len(first.solve(TARGET)) > 0 and len(second.solve(TARGET, [0.0, 0.0])) > 0


def test_what_the_compiler_says_is_in_the_error_and_nothing_is_left(tmp_path: Path) -> None:
    source = tmp_path / "broken.cpp"
    source.write_text("int broken( { return 0; }\n" + "nonsense;\n" * 60)
    with pytest.raises(LibraryError, match=r"failed with exit status 1\n.*broken\.cpp:1") as caught:
        IKFastLibrary.compile(source)
    assert caught.value.file == str(source)
    assert caught.value.message.endswith("more lines")
    assert [path.name for path in tmp_path.iterdir()] == ["broken.cpp"]
    shutil.copy(SOURCES / "arm.cpp", tmp_path)
    with pytest.raises(LibraryError, match=r"ikfast\.h"):
        IKFastLibrary.compile(tmp_path / "arm.cpp")


def test_compiling_says_what_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.cpp"):
        IKFastLibrary.compile(tmp_path / "nowhere.cpp")
    with pytest.raises(FileNotFoundError, match="no_folder"):
        IKFastLibrary.compile(SOURCES / "arm.cpp", output=tmp_path / "no_folder" / "arm.so")
    monkeypatch.setenv("CXX", "no-such-compiler -O0")
    with pytest.raises(LibraryError, match="the compiler 'no-such-compiler' cannot be run"):
        IKFastLibrary.compile(SOURCES / "arm.cpp", output=tmp_path / "arm.so")
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        LibraryError, match=r"no C\+\+ compiler found; install one of c\+\+, g\+\+, clang\+\+"
    ):
        IKFastLibrary.compile(SOURCES / "arm.cpp", output=tmp_path / "arm.so")


def copied_arm(folder: Path) -> Path:
    for name in ("arm.cpp", "ikfast.h"):
        shutil.copy(SOURCES / name, folder)
    return folder / "arm.cpp"


def test_a_source_is_compiled_beside_itself_once(tmp_path: Path) -> None:
    source = copied_arm(tmp_path)
    library = IKFastLibrary(source)
    assert library.path.parent == tmp_path and library.path.suffix == ".so"
    assert {file.name for file in tmp_path.iterdir()} == {"arm.cpp", "ikfast.h", library.path.name}
    by_hand = IKFastLibrary.compile(source, output=tmp_path / "own.so")
    np.testing.assert_array_equal(library.solve(TARGET), by_hand.solve(TARGET))
    written = library.path.stat().st_mtime_ns
    assert IKFastLibrary(source).path == library.path
    assert library.path.stat().st_mtime_ns == written
    assert pickle.loads(pickle.dumps(library)).path == library.path


def test_a_source_is_compiled_anew_once_it_or_its_header_changes(tmp_path: Path) -> None:
    source = copied_arm(tmp_path)
    first = IKFastLibrary(source)
    source.write_text("#define FREE\n" + source.read_text())
    second = IKFastLibrary(source)
    assert (first.num_joints, second.num_joints) == (6, 8) and first.path != second.path
    header = tmp_path / "ikfast.h"
    header.write_text(header.read_text() + "\n")
    assert IKFastLibrary(source).path not in (first.path, second.path)


def test_compiling_a_source_replaces_nothing_that_the_user_has(tmp_path: Path) -> None:
    source = copied_arm(tmp_path)
    (tmp_path / "arm.so").write_bytes(b"mine")
    before = source.read_bytes()
    assert IKFastLibrary(source).num_joints == 6
    assert (tmp_path / "arm.so").read_bytes() == b"mine" and source.read_bytes() == before


def test_a_source_that_does_not_compile_says_how_it_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "arm.cpp"
    shutil.copy(SOURCES / "arm.cpp", source)  # without its header
    with pytest.raises(LibraryError, match=r"(?s)IKFastLibrary\.compile\(source, .*include=.*ikfast\.h"):
        IKFastLibrary(source)
    assert list(tmp_path.iterdir()) == [source]
    with pytest.raises(FileNotFoundError, match=r"nowhere\.cpp"):
        IKFastLibrary(tmp_path / "nowhere.cpp")

    def refused(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryDirectory", refused)
    with pytest.raises(
        LibraryError, match=r"beside it: Permission denied; IKFastLibrary\.compile\(source, output="
    ):
        IKFastLibrary(source)
    monkeypatch.setenv("CXX", "")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(LibraryError, match="no C\\+\\+ compiler found; install one of"):
        IKFastLibrary(source)
