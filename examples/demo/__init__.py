"""What ``make demo [JSON=path]`` runs: JSON in, shredded Parquet out, queries on it."""
