"""Packs written in a few lines, for tests."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from pretreat import packs
from pretreat.errors import Fault
from pretreat.limits.facts import Condition
from pretreat.limits.provisions import Limits, Pack
from pretreat.limits.selection import in_force

HEAD = '[document]\ntitle = "Made"\ncite = "§ 1"\n[settings]\nunstated = "instantaneous"\n'


def write(folder: Path, text: str, name: str = "made.toml", head: str = HEAD) -> Path:
    path = folder / name
    path.write_text(head + text, encoding="utf-8")
    return path


def pack(folder: Path, text: str, head: str = HEAD) -> Pack:
    return packs.load(write(folder, text, head=head)).packs[0]


def faults(folder: Path, text: str, head: str = HEAD) -> list[Fault]:
    return packs.lint([write(folder, text, head=head)])


def codes(folder: Path, text: str, head: str = HEAD) -> list[str]:
    return [fault.code for fault in faults(folder, text, head=head)]


def force(
    limits: Limits,
    *,
    start: str = "2026-01-01",
    end: str = "2027-01-01",
    settings: dict[str, str] | None = None,
    **user: str,
) -> pd.DataFrame:
    """What is in force for one user, as a frame with text columns."""
    frame, _ = in_force(limits, pd.DataFrame([{"facility": "Acme", **user}]), start, end, settings=settings)
    return frame.astype(dict.fromkeys(frame.select_dtypes("category"), object))


def answer(condition: Condition) -> str:
    """Some answer that meets a condition."""
    if condition.span is not None:
        low, high = condition.span.low, condition.span.high
        if low is not None and high is not None:
            return str((low + high) / 2)
        return str(high - 1 if low is None else low + 1)
    return "(another)" if condition.negated else sorted(condition.words)[0]
