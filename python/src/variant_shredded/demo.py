"""The demonstration that ``make demo [JSON=path]`` runs."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the demonstration."""
    sys.exit("the demo is not written yet")


if __name__ == "__main__":
    main()
