"""The benchmark of pictures, films, the viewer, recordings and the command line."""
