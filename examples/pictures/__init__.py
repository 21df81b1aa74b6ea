"""Pictures and films of the web pages: `python -m examples.pictures` makes them anew."""
