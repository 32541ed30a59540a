#!/bin/bash
# Loads events of JSONBench and runs its queries; see README.md.
set -euo pipefail
cd "$(dirname "$0")"

choice=${1:-ask}
data=${2:-~/data/bluesky}
success=${3:-success.log}
error=${4:-error.log}
prefix=${5:-_m6i.8xlarge}

if [ "$choice" = ask ]; then
  printf '%s\n' "Number of events:" "1) 1m (default)" "2) 10m" "3) 100m" "4) 1000m" "5) all"
  read -r choice
fi
case $choice in
  "" | 1) sizes=1m ;;
  2) sizes=10m ;;
  3) sizes=100m ;;
  4) sizes=1000m ;;
  5) sizes="1m 10m 100m 1000m" ;;
  *) echo "The choice is 1, 2, 3, 4 or 5, not $choice." >&2; exit 1 ;;
esac

# The file says what is installed; it is missing if an installation has failed.
package=${WHEEL:-variant-shredded}
if [ "$(cat venv/.done 2>/dev/null)" != "$package" ] || [ "$package" -nt venv/.done ]; then
  python3 -m venv --clear venv
  venv/bin/python -m pip install --quiet "$package" "pyspark>=4.1,<4.4"
  echo "$package" >venv/.done
fi

for size in $sizes; do
  if venv/bin/python run.py "$data" "$size" "${prefix}_bluesky_$size" 2>>"$error"; then
    echo "bluesky_$size: done" | tee -a "$success"
  else
    echo "bluesky_$size: failed, see $error" >&2
    exit 1
  fi
done
