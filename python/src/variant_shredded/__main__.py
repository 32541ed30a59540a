"""Runs the command line: ``python -m variant_shredded``."""

import sys

from variant_shredded.cli import main

if __name__ == "__main__":
    sys.exit(main())
