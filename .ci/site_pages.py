"""What pages get when they become HTML: formulas as MathML, which browsers draw themselves, and pictures and
films in the colors of the page, light or dark."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

FORMULA = re.compile(r'<(span|div) class="arithmatex">\\(?:\(|\[)(.*?)\\(?:\)|\])</\1>', re.S)
MEDIUM = re.compile(r"<(img|video)\b[^>]*?\bsrc=\"([^\"]+)\"[^>]*?>(?:</video>)?")
DARK = "-dark"


def on_page_content(content: str, *, page: Any, config: Any, **_: Any) -> str:
    """The content of a page, called by mkdocs."""
    folder = Path(config["docs_dir"]) / Path(page.file.src_uri).parent
    content = FORMULA.sub(_formula, content)
    return MEDIUM.sub(lambda found: _both(found, folder), content)


def _formula(found: re.Match[str]) -> str:
    latex = html.unescape(found[2]).strip()
    return convert(latex, display="block" if found[1] == "div" else "inline")


def _both(found: re.Match[str], folder: Path) -> str:
    """A medium, and the one for dark pages where there is one beside it; pictures are loaded when seen."""
    tag, source = found[0], found[2]
    if found[1] == "img" and "loading=" not in tag:
        tag = tag.replace("<img", '<img loading="lazy"', 1)
    if not (folder / _dark(source)).exists():
        return tag
    dark = re.sub(r'\b(src|poster)="([^"]+)"', lambda one: f'{one[1]}="{_dark(one[2])}"', tag)
    return f'<span class="only-light">{tag}</span><span class="only-dark">{dark}</span>'


def _dark(source: str) -> str:
    stem, dot, suffix = source.rpartition(".")
    return f"{stem}{DARK}{dot}{suffix}"
