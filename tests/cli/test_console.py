from __future__ import annotations

import re

import pytest

from kido.cli import decimals, make_console, number_text, print_table


@pytest.mark.parametrize("columns", [20, 60, 400])
def test_a_terminal_shows_cells_whole_however_narrow_it_is(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(columns))
    name = "".join(f"part{i:03}" for i in range(20))
    print_table(make_console(), "Parts", ("name",), [(name,)])
    plain = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert name in re.sub(r"\s", "", plain)
    assert max(map(len, plain.splitlines())) <= columns


def test_columns_of_numbers_are_aligned_right_and_others_left(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(make_console(), "T", ("name", "size"), [("a", "1"), ("long", "1000000")], numbers=("size",))
    assert capsys.readouterr().out == "\nT\nname     size\na           1\nlong  1000000\n"


def test_zero_has_no_sign() -> None:
    assert (number_text(-0.0), decimals(-0.0001), decimals(-0.0006)) == ("0", "0.000", "-0.001")
