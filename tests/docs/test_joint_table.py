"""The page of conventions beside the table of joint types."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kido.description import JointType

PAGE = Path(__file__).parents[2] / "docs" / "conventions.md"
ROWS = {
    row[0]: row[1:]
    for line in PAGE.read_text().splitlines()
    if re.match(r"\| `\w+` \| \d \|", line)
    for row in [[cell.strip(" `") for cell in line.strip("|").split(" | ")]]
}


def test_the_page_lists_every_type_of_joint() -> None:
    assert list(ROWS) == [str(kind) for kind in JointType]


@pytest.mark.parametrize("kind", JointType)
def test_a_row_of_the_page_says_what_the_type_does(kind: JointType) -> None:
    dofs, motion, names = ROWS[str(kind)]
    coordinates = kind.spec.coordinates
    assert int(dofs) == len(coordinates)
    assert {unit for unit in ("rad", "m") if f"[{unit}]" in motion} == {c.unit for c in coordinates}
    if len(coordinates) > 1 and kind is not JointType.EULER:
        endings = re.findall(r"_\w+", names)
        assert (endings[0], endings[-1]) == (kind.spec.endings[0], kind.spec.endings[-1])
        assert "…" in names or len(endings) == len(coordinates)
