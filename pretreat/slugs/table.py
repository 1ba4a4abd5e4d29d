"""The table of slugs: each run's verdict, what leaves it open, its names and its id."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns
from pretreat.limits.provisions import Slug
from pretreat.meters import runs
from pretreat.meters.timed import Floats
from pretreat.slugs.rule import Definition


def verdicts(low: Floats, high: Floats, slug: Slug) -> npt.NDArray[np.object_]:
    """Judge runs by the minutes that are proven and those that are possible.

    Examples
    --------
    >>> verdicts(np.array([15.0, 16.0, 14.0]), np.array([17.0, 18.0, 15.0]), Slug(minutes=15)).tolist()
    ['undetermined', 'exceeds', 'complies']
    """
    sign = ">=" if slug.minutes_inclusive else ">"
    possible = runs.beyond(high, slug.minutes, sign)
    return np.where(
        runs.beyond(low, slug.minutes, sign), "exceeds", np.where(possible, "undetermined", "complies")
    ).astype(object)


def reasons(frame: pd.DataFrame, found: runs.Runs, definition: Definition, baseline: list[str]) -> list[str]:
    """Say how each run's baseline was made, and what leaves its length open."""
    gap = definition.max_gap / 60
    reasons = []
    for verdict, begun, ended, low, high, made in zip(
        frame["verdict"], found.begun, found.ended, found.minutes_low, found.minutes_high, baseline, strict=True
    ):
        words = []
        if verdict == "undetermined":
            sides = [side for side, there in (("before", begun), ("after", ended)) if not there]
            open_end = f"no reading within {gap:g} min {' or '.join(sides)} it"
            words.append(open_end if sides else f"between {low:g} and {high:g} min")
        reasons.append("; ".join([*words, made]))
    return reasons


def named(frame: pd.DataFrame, in_force: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Give each run its names and an id that stays the same from run to run."""
    rows, series = frame["limit"].to_numpy(), frame["series"].to_numpy()
    for name in ("pack", "limit_id", "cite"):
        frame[name] = in_force[name].astype(str).to_numpy()[rows]
    for name in ("facility", "outfall", "parameter", "fraction", "unit"):
        frame[name] = table[name].to_numpy()[series]
    when = frame["start"].dt.strftime("%Y-%m-%dT%H:%M:%S")
    names = ("pack", "limit_id", "facility", "outfall", "parameter", "fraction", "unit")
    text = pd.Series(["\x1f".join(row) for row in zip(*(frame[name] for name in names), when, strict=True)], dtype=str)
    again = text.groupby(text).cumcount()
    text = text.where(again == 0, text + "\x1f" + again.astype(str))
    frame.insert(0, "slug_id", ["slug-" + hashlib.sha256(one.encode()).hexdigest()[:12] for one in text])
    ordered = [*columns.TABLES["slugs"], *(name for name in frame if name not in columns.TABLES["slugs"])]
    return frame[ordered].sort_values(list(columns.SORTED_BY["slugs"]), kind="stable", ignore_index=True)


def month(slugs: pd.DataFrame) -> npt.NDArray[np.int64]:
    """Return the calendar month of each run's last reading."""
    return slugs["last_reading"].to_numpy().astype("datetime64[M]").astype(np.int64)
