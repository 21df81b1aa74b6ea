"""The search for positions with many starts: native, and in Python for what the native one does not know."""
