"""Looks at the web pages in a headless Chromium, as on a phone and on a desk:

    python .ci/check_site.py site

Complains of errors in the console, of what is loaded from elsewhere, of links, anchors, pictures and films
that are not there, of formulas that are not rendered, and of pages that are wider than the window.
"""

from __future__ import annotations

import json
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

from playwright.sync_api import Browser, Page, sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTHS = {"on a desk": (1280, 900), "on a phone": (390, 844)}
INDEX = "**/search_index.json"
PATIENCE = 180_000.0
"""How long a browser may take on a machine that has much else to do [ms]."""
QUERY = "inertia"
"""Something that the search has to find."""

SEEN = """async () => {
  for (const image of document.images) image.loading = 'eager';
  await Promise.all([...document.images].map(image => image.decode().catch(() => null)));
  return {
    links: [...document.querySelectorAll('a[href]')].map(a => a.href),
    media: [...document.querySelectorAll('[src], [poster]')].flatMap(e => [e.src, e.poster].filter(Boolean)),
    broken: [...document.images].filter(e => e.naturalWidth === 0).map(e => e.src),
    ids: [...document.querySelectorAll('[id]')].map(e => e.id),
    formulas: document.querySelectorAll('.arithmatex, merror').length,
  };
}"""
WIDTH = "document.documentElement.scrollWidth"


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files, and logs nothing."""

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which a folder is served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class SiteCheck:
    """What there is to complain of in the pages of a folder.

    Attributes:
        complaints: one line each.
    """

    def __init__(self, folder: Path, address: str, page: Page) -> None:
        self.complaints: list[str] = []
        self._folder, self._address, self._page = folder, address, page
        self._name = ""
        self._ids: dict[str, set[str]] = {}
        self._links: list[tuple[str, str]] = []
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self._complain(f"error: {error}"))
        page.on("request", self._asked)
        page.on("response", lambda one: one.status >= 400 and self._complain(f"{one.status}: {one.url}"))

    def check(self) -> None:
        """Look at all pages, then at where their links lead.

        They get an empty index of the search, which takes longer to read than all else.
        """
        index = self._folder / "search" / "search_index.json"
        empty = (json.loads(index.read_text()) if index.exists() else {}) | {"docs": []}
        self._page.route(INDEX, lambda route: route.fulfill(json=empty))
        for path in sorted(self._folder.rglob("*.html")):
            if path.name != "404.html":
                self._name = path.relative_to(self._folder).as_posix()
                self._look()
        self._page.unroute(INDEX)
        for name, link in self._links:
            self._name = name
            self._follow(link)

    def check_search(self) -> None:
        """Type a word into the search of the first page."""
        self._name = "index.html"
        self._resize("on a desk")
        self._page.goto(f"{self._address}/index.html")
        self._page.click(".md-search__input")
        self._page.keyboard.type(QUERY)
        try:
            self._page.wait_for_selector(".md-search-result__item")
        except Exception:
            self._complain(f"the search finds nothing about {QUERY!r}")

    def check_colors(self) -> None:
        """Look at the first page as those see it who like it light, and dark."""
        self._name = "index.html"
        for scheme, shown, hidden in (("light", "light", "dark"), ("dark", "dark", "light")):
            self._page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            self._page.goto(f"{self._address}/index.html")
            for kind, wanted in ((shown, True), (hidden, False)):
                first = self._page.locator(f".only-{kind}").first
                if first.is_visible() is not wanted:
                    self._complain(f"pictures for {kind} pages on a {scheme} one: expected seen {wanted}")

    def _look(self) -> None:
        self._resize("on a desk")
        self._page.goto(f"{self._address}/{self._name}", wait_until="domcontentloaded")
        seen = self._page.evaluate(SEEN)
        self._ids[self._name] = set(seen["ids"])
        self._links += [(self._name, link) for link in (*seen["links"], *seen["media"])]
        for source in seen["broken"]:
            self._complain(f"a picture that is none: {source}")
        if seen["formulas"]:
            self._complain(f"{seen['formulas']} formulas are not rendered")
        for where, (width, _) in WIDTHS.items():
            self._resize(where)
            wide = self._page.evaluate(WIDTH)
            if wide > width:
                self._complain(f"{wide} pixels wide {where}, of {width}")

    def _resize(self, where: str) -> None:
        width, height = WIDTHS[where]
        self._page.set_viewport_size({"width": width, "height": height})

    def _follow(self, link: str) -> None:
        address, anchor = urldefrag(link)
        if not address.startswith(f"{self._address}/"):
            return  # elsewhere
        name = unquote(address.removeprefix(f"{self._address}/")).partition("?")[0] or "index.html"
        if not (self._folder / name).is_file():
            self._complain(f"a link to what is not there: {name}")
        elif anchor and name in self._ids and unquote(anchor) not in self._ids[name]:
            self._complain(f"a link to an anchor that is not there: {name}#{anchor}")

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self._complain(f"the console says: {message.text}")

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self._address, "data:", "blob:")):
            self._complain(f"loaded from elsewhere: {request.url}")

    def _complain(self, text: str) -> None:
        line = f"{self._name}: {text.replace(self._address, '')}"
        if line not in self.complaints:
            self.complaints.append(line)


def complaints_of(folder: Path, browser: Browser, *, of_theme: bool = True) -> list[str]:
    """What there is to complain of in a folder of pages; `of_theme`: of search and colors, too."""
    with served(folder) as address:
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        check = SiteCheck(folder, address, page)
        check.check()
        if of_theme:
            check.check_search()
            check.check_colors()
        page.close()
    return check.complaints


def main(folder: Path) -> int:
    """Print the complaints; 1 where there are any."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        print("no Chromium on this machine: nobody has looked at the pages")
        return 0
    start = time.perf_counter()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=PATIENCE)
        complaints = complaints_of(folder, browser)
        browser.close()
    for complaint in complaints:
        print(complaint)
    count = len(list(folder.rglob("*.html")))
    print(f"{count} pages looked at in {time.perf_counter() - start:.0f} s, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
