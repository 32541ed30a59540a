#!/bin/bash
# Loads events of JSONBench and runs its queries; see README.md.
set -euo pipefail
cd "$(dirname "$0")"

data=${1:-~/data/bluesky}
success=${2:-success.log}
error=${3:-error.log}
prefix=${4:-_m6i.8xlarge}

if [ -z "${SIZE:-}" ]; then
  echo "Number of events: 1m (default), 10m, 100m, 1000m or all"
  read -r SIZE
fi

if [ ! -x venv/bin/python ]; then
  python3 -m venv venv
  venv/bin/python -m pip install --quiet "${WHEEL:-variant-shredded}" "pyspark>=4.1,<4.4"
fi

sizes=${SIZE:-1m}
[ "$sizes" = all ] && sizes="1m 10m 100m 1000m"
for size in $sizes; do
  if venv/bin/python run.py "$data" "$size" "${prefix}_bluesky_$size" 2>>"$error"; then
    echo "bluesky_$size: done" | tee -a "$success"
  else
    echo "bluesky_$size: failed, see $error" >&2
    exit 1
  fi
done
