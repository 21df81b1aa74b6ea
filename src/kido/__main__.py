"""`python -m kido` is the command `kido`."""

from __future__ import annotations

from kido.cli import main

if __name__ == "__main__":
    main()
