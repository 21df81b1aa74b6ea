from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from kido.errors import (
    DescriptionError,
    KidoError,
    LibraryError,
    MissingDependencyError,
    ModelFileError,
    ModelWarning,
    NoClosedFormError,
    SingularMassError,
    UnknownNameError,
)

ERRORS = [
    UnknownNameError("body", "pand_hand", ["panda_hand", "panda_link1"], "panda"),
    ModelFileError("robot.urdf", 12, "<joint name='elbow'>", "axis: expected 3 numbers, got 'a b'"),
    DescriptionError("expected unique names", "link", "base"),
    SingularMassError(["elbow", "wrist"], "arm"),
    MissingDependencyError("viser", "view", "the viewer"),
    LibraryError(Path("arm.so"), "no symbol ComputeIk"),
    NoClosedFormError("hand", "no three axes meet"),
]
BUILTIN_KIN = [KeyError, ValueError, ValueError, ValueError, ImportError, ValueError, ValueError]


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_errors_survive_pickling_with_message_and_data(error: KidoError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_errors_have_one_root(error: KidoError) -> None:
    assert isinstance(error, KidoError)


@pytest.mark.parametrize(
    ("error", "builtin"),
    list(
        zip(
            ERRORS,
            [KeyError, ValueError, ValueError, ValueError, ImportError, ValueError, ValueError],
            strict=True,
        )
    ),
    ids=lambda e: getattr(e, "__name__", ""),
)
def test_errors_are_caught_as_their_builtin_kin(error: KidoError, builtin: type[Exception]) -> None:
    assert isinstance(error, builtin)


def test_unknown_name_suggests_the_nearest_without_key_error_quotes() -> None:
    assert str(ERRORS[0]) == "no body named 'pand_hand' in 'panda'; did you mean 'panda_hand'?"


def test_unknown_name_suggests_at_most_three() -> None:
    text = str(UnknownNameError("joint", "leg_1", [f"leg_{i}" for i in range(2, 9)]))
    assert text.count("leg_") == 1 + 3


def test_unknown_name_far_from_all_lists_the_first_valid_ones() -> None:
    text = str(UnknownNameError("joint", "zzz", [f"a{i}" for i in range(10)], "arm"))
    assert "valid names: 'a0', 'a1', 'a2', 'a3', 'a4', 'a5' and 4 more" in text


def test_unknown_name_says_when_there_are_none() -> None:
    assert str(UnknownNameError("joint", "x", [])) == "no joint named 'x'; there are none"


def test_model_file_error_names_file_line_and_element() -> None:
    assert str(ERRORS[1]) == "robot.urdf:12: <joint name='elbow'>: axis: expected 3 numbers, got 'a b'"


def test_model_file_error_leaves_out_what_is_unknown() -> None:
    assert (
        str(ModelFileError("robot.urdf", None, None, "the file is empty")) == "robot.urdf: the file is empty"
    )


def test_singular_mass_error_names_the_joints() -> None:
    expected = "mass matrix of 'arm' is singular: no inertia moves with joints 'elbow', 'wrist'"
    assert str(ERRORS[3]) == expected


def test_missing_dependency_gives_the_install_command() -> None:
    assert str(ERRORS[4]) == "the viewer needs 'viser'; install it with: pip install 'kido[view]'"


def test_model_warning_is_a_user_warning() -> None:
    assert issubclass(ModelWarning, UserWarning)
