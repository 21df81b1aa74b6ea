"""The look at the web pages: it finds what is wrong with pages, and nothing in pages that are right."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
GOOD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width"></head><body>
<h1 id="top">kido</h1><a href="other.html#there">other</a><img src="dot.svg" alt="">
<math><mi>x</mi></math><a href="https://example.com/">elsewhere</a>{more}</body></html>"""
DOT = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><circle r="4"/></svg>'
FAULTS = {
    "<script>console.error('so not')</script>": "the console says: so not",
    "<script>undefined.x</script>": "error: Cannot read properties of undefined",
    "<a href='missing.html'>gone</a>": "a link to what is not there: missing.html",
    "<a href='other.html#nowhere'>gone</a>": "a link to an anchor that is not there: other.html#nowhere",
    "<img src='other.html' alt=''>": "a picture that is none: /other.html",
    "<video src='gone.mp4'></video>": "a link to what is not there: gone.mp4",
    "<div style='width: 600px'>wide</div>": "608 pixels wide on a phone, of 390",
    "<span class='arithmatex'>x</span>": "1 formulas are not rendered",
    "<script src='http://127.0.0.1:9/far.js'></script>": "loaded from elsewhere: http://127.0.0.1:9/far.js",
}


@pytest.fixture(scope="module")
def check_site() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_site", ROOT / ".ci" / "check_site.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_finds_what_is_wrong_and_nothing_else(check_site: ModuleType, tmp_path: Path) -> None:
    path = next(filter(None, map(shutil.which, check_site.BROWSERS)), None)
    if path is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    pages = {f"fault_{k}": (more, told) for k, (more, told) in enumerate(FAULTS.items())}
    (tmp_path / "dot.svg").write_text(DOT)
    for name, more in (("other", "<p id='there'></p>"), *((name, more) for name, (more, _) in pages.items())):
        (tmp_path / f"{name}.html").write_text(GOOD.format(more=more))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=180_000.0)
        complaints = check_site.complaints_of(tmp_path, browser, of_theme=False)
        browser.close()
    for name, (_, told) in pages.items():
        assert any(line.startswith(f"{name}.html: ") and told in line for line in complaints), (
            told,
            complaints,
        )
    assert not any(line.startswith("other.html: ") for line in complaints)
