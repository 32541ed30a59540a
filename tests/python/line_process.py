"""A script in another process that answers requests, a line of JSON each."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import IO, Any


class LineProcess:
    """The process of ``script``, called with ``--serve`` and the arguments."""

    def __init__(self, script: str, *arguments: str, log: IO[str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, script, "--serve", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )

    def call(self, *request: object) -> Any:  # noqa: ANN401
        """Send a request to the process, and give its answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(request), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit(self.why_ended())
        return json.loads(line)

    def why_ended(self) -> str:
        """Say why the process has ended, which it should not."""
        raise NotImplementedError
