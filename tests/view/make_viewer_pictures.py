"""Makes the pictures of docs/viewer.md by the code of that page, in a headless Chromium.

    python tests/view/make_viewer_pictures.py

runs the page's blocks from top to bottom, and where a picture stands looks at what `viewer` is by then.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from _browser import Window, chromium
from PIL import Image

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "viewer.md"
PART = re.compile(
    r"^```python\n(?P<code>.*?)^```$|^!\[[^]]*\]\((?P<picture>images/viewer-[^)]+)\)$", re.M | re.S
)
SIZE = (1040, 660)
COLORS = 128


def main() -> None:
    os.chdir(ROOT)
    namespace: dict[str, Any] = {}
    with chromium() as browser:
        for part in PART.finditer(PAGE.read_text()):
            if part["code"] is not None:
                exec(compile(part["code"], str(PAGE), "exec"), namespace)
                continue
            window = Window(browser, namespace["viewer"], SIZE)
            window.frames(5.0)
            picture = Image.fromarray(window.picture())
            picture.quantize(COLORS).save(PAGE.parent / part["picture"], optimize=True)
            window.page.close()


if __name__ == "__main__":
    main()
