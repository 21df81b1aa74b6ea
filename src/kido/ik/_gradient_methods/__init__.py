"""Which way joints move to make an error smaller: gradient methods."""
