"""Where tests find things."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Optional test data outside the repository; ask for files of it through the fixture ``shared``.
SHARED = Path(os.environ.get("VARIANT_SHREDDED_SHARED") or ROOT.parent / "shared")
