"""The functions behind `inspect`, `advise` and `reshred`, and what the command prints."""
