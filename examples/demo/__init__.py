"""The demo, which ``make demo [JSON=path]`` runs: it writes JSON shredded, and queries it."""
