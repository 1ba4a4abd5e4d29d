"""Averages that reach over the edge of a season, or over the day on which a limit begins or ends.

No document that we know says which limit such an average is for. It is tried under each that was in force while it was
sampled, and the verdict is what these agree on (limits/README.md, "Rows"; docs/decisions/0021-limits-for-samples.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat.averages.blocks import Block
from pretreat.compare.verdicts import LONGER
from pretreat.held import SIDES, Held

Ints = npt.NDArray[Any]

_SAME = ("pack", "kind", "level", "unit", "parameter", "sample_type")


def crossing(blocks: Sequence[Block], held: Held) -> tuple[pd.DataFrame, list[Block]]:
    """Return limits for averages that reach over an edge, and these averages, each for its limit.

    Parameters
    ----------
    blocks : sequence of Block
        The values.
    held : Held
        The limits in force.

    Returns
    -------
    rows : DataFrame
        Further rows of `in_force`, to stand behind the others: from the lowest to the highest of the limits that were
        in force while the average was sampled; the far end is missing where there was none for a part of that time.
    blocks : list of Block
        The averages, whose `limits` are the positions of these rows.
    """
    tables: list[pd.DataFrame] = []
    made: list[Block] = []
    size = len(held.frame)
    for block in blocks:
        if block.statistic not in LONGER or block.limits is not None or not len(block):
            continue
        for side, name in enumerate(SIDES):
            if block.bound not in ("", name):
                continue
            fits = held.of(block.statistic) & (held.rules == block.rules) & (held.series >= 0) & (held.side == side)
            pairs = _pairs(block, held, np.flatnonzero(fits))
            if pairs.empty:
                continue
            found = pairs.groupby(["value", "thing"], sort=True)["row"].agg(tuple).reset_index()
            codes, distinct = pd.factorize(found["row"])
            value = found["value"].to_numpy()
            first, last = (ends[value] for ends in block.extent())
            begin = np.full(len(distinct), np.iinfo(np.int64).max)
            end = np.full(len(distinct), np.iinfo(np.int64).min)
            np.minimum.at(begin, codes, first)
            np.maximum.at(end, codes, last)
            limits = [_limit(held, rows, *ends) for rows, *ends in zip(distinct, begin, end, strict=True)]
            tables += limits
            made.append(_picked(block, value, (size + codes).astype(np.int32)))
            size += len(limits)
    return (pd.concat(tables, ignore_index=True) if tables else held.frame.iloc[:0]), made


def _pairs(block: Block, held: Held, rows: Ints) -> pd.DataFrame:
    """Return the values that a limit was in force for a part of, and these limits, in the order of their dates."""
    first, last = block.extent()
    nothing = pd.DataFrame({"value": [], "thing": [], "row": []})
    if not len(rows):
        return nothing
    edged = ((held.start[rows] > first.min()) & (held.start[rows] <= last.max())) | (
        (held.until[rows] > first.min()) & (held.until[rows] <= last.max())
    )
    rows = rows[edged]
    if not len(rows):
        return nothing
    at = np.flatnonzero(np.isin(block.series, held.series[rows]))
    values = pd.DataFrame({"value": at, "series": block.series[at], "first": first[at], "last": last[at]})
    frame = held.frame.iloc[rows]
    key = [frame[name].astype(str).to_numpy() for name in _SAME if name in frame]
    limits = pd.DataFrame({"row": rows, "series": held.series[rows]})
    limits["thing"] = pd.MultiIndex.from_arrays(key).factorize()[0] if key else 0
    limits["start"], limits["until"] = held.start[rows], held.until[rows]
    both = values.merge(limits, on="series")
    over = (both["start"] <= both["last"]) & (both["until"] > both["first"])
    whole = (both["start"] <= both["first"]) & (both["until"] > both["last"])
    return both[over & ~whole].sort_values(["value", "thing", "start"], kind="stable")[["value", "thing", "row"]]


def _limit(held: Held, rows: tuple[int, ...], first: int, last: int) -> pd.DataFrame:
    """Return the row for averages sampled from `first` to `last` under several limits, in the order of their dates."""
    several = list(rows)
    row = held.frame.iloc[[several[-1]]].copy()
    start, until = held.start[several], held.until[several]
    covered = start[0] <= first and until.max() > last and bool((start[1:] <= np.maximum.accumulate(until)[:-1]).all())
    low, high = float(held.low[several].min()), float(held.high[several].max())
    if not covered and held.side[several[0]] == SIDES.index("lower"):
        low = np.nan
    elif not covered:
        high = np.nan
    row["limit_low"], row["limit_high"] = low, high
    inner = [edge for edge in np.unique(np.concatenate([start, until])) if first < edge <= last]
    edges = ", ".join(str(np.datetime64(int(edge), "s").astype("datetime64[D]")) for edge in inner)
    said = f"the average reaches over {edges}, when its limit {'changes' if covered else 'begins or ends'}"
    for name in ("reason", "status"):
        texts = held.frame[name].iloc[several].astype(str) if name in held.frame else pd.Series([""])
        own = [text for text in dict.fromkeys(texts) if text]
        row[name] = pd.Series(
            ["; ".join([*own, said]) if name == "reason" else own[0] if own else ""], index=row.index, dtype=object
        )
    # In force for nothing but the averages that name it.
    edge = np.datetime64(int(inner[0]), "s")
    row["from"], row["until"] = edge, edge
    return row


def _picked(block: Block, at: Ints, limits: npt.NDArray[np.int32]) -> Block:
    """Return some values, each for one limit."""
    return replace(block.take(at), limits=limits)
