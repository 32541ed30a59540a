"""Implements the commands `load`, `inspect`, `advise` and `reshred`, and what they print."""
