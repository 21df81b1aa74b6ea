"""Prose of the pages: links, paths, commands, layers and lists. The code in it is run by conftest.py."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from test_layers import LAYERS

import kido

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GUIDES = sorted(DOCS.glob("*.md"))
PROSE = [*sorted(ROOT.glob("*.md")), *GUIDES, *sorted(DOCS.glob("api/*.md"))]
RUN = [ROOT / "README.md", *GUIDES]
FOR_DEVELOPERS = [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]
LARGEST_PICTURE = 200_000

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
MADE = ("build/", "site/", "demo/", ".venv")
"""Places of things that only exist once they are made."""

named = {"ids": lambda path: str(path.relative_to(ROOT))}


def anchors(page: Path) -> set[str]:
    """Anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", page.read_text()), re.M)
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip()) for heading in headings}


def commands(page: Path) -> Iterator[str]:
    """Shell commands of a page, in blocks and in the text."""
    text = page.read_text()
    for language, body in BLOCK.findall(text):
        if language in ("bash", "console"):
            yield from (line.removeprefix("$ ").partition("#")[0].strip() for line in body.splitlines())
    yield from (code for code in CODE.findall(BLOCK.sub("", text)) if code.startswith("make "))


def paths(page: Path) -> Iterator[str]:
    """Files and folders that the text of a page names."""
    for code in CODE.findall(BLOCK.sub("", page.read_text())):
        if re.fullmatch(r"[\w./-]+", code) and (code.endswith("/") or re.search(r"/.*\.\w+$", code)):
            yield code


@pytest.mark.parametrize("page", RUN, **named)
def test_every_block_of_code_checks_what_it_shows(page: Path) -> None:
    blocks = BLOCK.findall(page.read_text())
    followers = [*(language for language, _ in blocks), ""][1:]
    for (language, body), follower in zip(blocks, followers, strict=True):
        if language == "python":
            assert "assert" in body or "assert_allclose" in body or follower == "text", body


@pytest.mark.parametrize("page", PROSE, **named)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(BLOCK.sub("", page.read_text())):
        if not target.startswith("https://"):
            name, _, anchor = target.partition("#")
            linked = page if not name else page.parent / name
            assert linked.exists(), target
            assert not anchor or anchor in anchors(linked), target


@pytest.mark.parametrize("page", PROSE, **named)
def test_make_targets_exist(page: Path) -> None:
    rules = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M)
    targets = [command.split()[1] for command in commands(page) if command.startswith("make ")]
    assert {target for target in targets if not target.startswith(MADE)} <= set(rules)


SOURCES = ("src/kido/io", "src/kido/cli", "src/kido/skeleton")


@pytest.mark.parametrize("page", FOR_DEVELOPERS, **named)
def test_files_and_folders_exist(page: Path) -> None:
    bases = [ROOT / base for base in ("", "tests", "src/kido", *SOURCES, "native/include/kido")]
    places = [path for path in paths(page) if not path.startswith(MADE)]
    assert len(places) > 10
    assert [path for path in places if not any((base / path).exists() for base in bases)] == []


def test_the_architecture_shows_the_layers_that_hold() -> None:
    section = (ROOT / "ARCHITECTURE.md").read_text().partition("## Layers")[2]
    _, block = next(iter(BLOCK.findall(section)))
    shown = [tuple(re.split(r"  +", line)[0].split(" | ")) for line in block.splitlines()]
    here = {path.stem for path in (ROOT / "src/kido").iterdir()} | {"_core"}
    existing = [tuple(name for name in names if name in here) for names in LAYERS]
    assert shown == [names for names in existing if names]


def test_the_architecture_names_every_folder() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    for parent in ("src/kido", "native", "native/include/kido"):
        for folder in (ROOT / parent).iterdir():
            if folder.is_dir() and folder.name not in ("__pycache__", "include") and folder.name[0] != ".":
                assert f"`{parent}/{folder.name}/`" in text


def test_every_public_module_has_a_reference_page() -> None:
    shown = {
        name for page in DOCS.glob("api/*.md") for name in re.findall(r"^::: (\S+)$", page.read_text(), re.M)
    }
    whole = {
        f"{way}.{name}"
        for module in (getattr(kido, name) for name in kido.__all__)
        if isinstance(module, ModuleType) and module.__name__ in shown
        for name in module.__all__
        for way in ("kido", module.__name__)
    }
    public = {
        f"kido.{name}" if name in kido.__all__ else f"kido.{module}.{name}"
        for module in ("", *(name for name in kido.__all__ if isinstance(getattr(kido, name), ModuleType)))
        for name in (getattr(kido, module).__all__ if module else kido.__all__)
        if not isinstance(getattr(kido, name, None), ModuleType)
    }
    assert public - shown - whole == set()
    assert {name for name in shown if not resolves(name)} == set()


def resolves(name: str) -> bool:
    """Whether a dotted name leads to something public."""
    found: object = kido
    for part in name.split(".")[1:]:
        if part not in getattr(found, "__all__", ()):
            return False
        found = getattr(found, part)
    return True


def test_every_page_stands_in_the_navigation() -> None:
    listed = re.findall(r"^ +- (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)
    assert sorted(listed) == sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))


def test_the_first_page_links_every_guide_and_the_reference() -> None:
    linked = {
        target.partition("#")[0] for target in LINK.findall(BLOCK.sub("", (DOCS / "index.md").read_text()))
    }
    assert {page.name for page in GUIDES} - {"index.md"} - linked == set()
    assert "api/index.md" in linked


def test_pictures_are_small_and_used() -> None:
    text = "".join(page.read_text() for page in PROSE)
    for picture in (*(DOCS / "images").rglob("*.*"), *(DOCS / "films").iterdir()):
        assert picture.stat().st_size < LARGEST_PICTURE
        shown = picture.with_stem(picture.stem.removesuffix("-dark"))
        assert shown.exists()  # the one for light pages, which stands in the text
        assert shown.relative_to(DOCS).as_posix() in text


def test_every_example_is_shown_with_its_first_sentence() -> None:
    text = " ".join((DOCS / "examples.md").read_text().split())
    examples = sorted((ROOT / "examples").glob("[0-9]*.py"))
    for number, example in enumerate(examples, 1):
        said = ast.get_docstring(ast.parse(example.read_text())) or ""
        first = re.match(r".*?\.(?=\s|$)", said, re.S)
        assert first is not None
        shown = f"![Example {number:02d}](images/examples/{number:02d}.webp) {first[0]} `{example.name}`"
        assert shown in text, shown
    assert text.count("images/examples/") == len(examples)


def test_the_changelog_begins_with_this_version() -> None:
    versions = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert versions[0] == kido.__version__


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "benchmarks.md"], **named)
def test_benchmark_results_have_one_place(page: Path) -> None:
    text = page.read_text()
    assert text.count("<!-- benchmark -->") == text.count("<!-- /benchmark -->") == 1
    assert text.index("<!-- benchmark -->") < text.index("<!-- /benchmark -->")


def test_the_examples_of_the_readme_are_short() -> None:
    examples = [
        body for language, body in BLOCK.findall((ROOT / "README.md").read_text()) if language == "python"
    ]
    for example, most in zip(examples, [18, 15, 10, 10, 20, 10], strict=True):
        assert len(example.splitlines()) <= most
    assert len(examples) == 6
