"""The command in processes of its own, many and quickly: each is forked from a server that has imported everything."""

from __future__ import annotations

import multiprocessing
import os
import sys
from pathlib import Path

CONTEXT = multiprocessing.get_context("forkserver" if hasattr(os, "fork") else "spawn")
if hasattr(os, "fork"):
    CONTEXT.set_forkserver_preload(
        ["pretreat.cli", "pretreat.pieces", "pretreat.record", "pretreat.report.page", "pretreat.report.workbook"]
    )


def _command(arguments: list[str], stderr: str) -> None:
    from pretreat.cli import main

    for path, stream in ((os.devnull, sys.__stdout__), (stderr, sys.__stderr__)):
        with Path(path).open("w", encoding="utf-8") as file:
            os.dup2(file.fileno(), stream.fileno())
    main(arguments, prog_name="pretreat")


class Run:
    """A running `pretreat`, which can be killed."""

    def __init__(self, arguments: list[str], stderr: Path | str = os.devnull) -> None:
        self.process = CONTEXT.Process(target=_command, args=(arguments, str(stderr)), daemon=True)
        self.process.start()

    def running(self) -> bool:
        return self.process.is_alive()

    def kill(self) -> int:
        """Kill it at once, and return how it ended: -9, or 0 where it had ended before."""
        self.process.kill()
        return self.wait()

    def wait(self) -> int:
        self.process.join()
        code = self.process.exitcode
        assert code is not None
        return code


def ran(arguments: list[str]) -> None:
    """Run the command to its end, which must be a good one."""
    assert Run(arguments).wait() == 0, arguments
