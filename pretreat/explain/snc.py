"""A row of significant noncompliance worked step by step: each measurement, the counts, the shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat.averages.averages import Rules
from pretreat.averages.blocks import Block
from pretreat.explain import arithmetic
from pretreat.explain.recomputed import Places
from pretreat.listing import number
from pretreat.nondetects import RULES, Interval
from pretreat.relations import edges, violates
from pretreat.snc.counts import DAILY, ONE_A_MONTH

_Array = npt.NDArray[Any]

CHRONIC, TECHNICAL = 66, 33
FEDERAL_CITE = "403.8(f)(2)"
"""Percent, 40 CFR 403.8(f)(2)(viii)(A) and (B)."""
_ENDS: Final = ("bound", "limit_low", "limit_high")
_SHOWN: Final = 400
"""How many measurements are written out."""


@dataclass(frozen=True, eq=False)
class _Counted:
    """The measurements of a window, and which are over, proven and possible."""

    start: _Array
    end: _Array
    value: Interval
    over: tuple[_Array, _Array]
    trc: tuple[_Array, _Array]

    def sums(self) -> tuple[int, ...]:
        return (len(self.start), *(int(flags.sum()) for flags in (*self.over, *self.trc)))


def measurements(row: Mapping[Any, Any], limits: pd.DataFrame, places: Places) -> pd.DataFrame | None:
    """Return the measurements that a row of `snc` counts.

    Parameters
    ----------
    row, limits, places
        As `lines` takes them.

    Returns
    -------
    DataFrame or None
        `start`, `end`, `low`, `high`, `over` and `technical` (`yes`, `may be` or `""`); None where they do not come
        out of this report's results alone.
    """
    counted = _found(row, _limits(row, limits), places)
    if counted is None:
        return None
    frame = pd.DataFrame({"start": counted.start, "end": counted.end}).astype("datetime64[s]")
    frame["low"], frame["high"] = counted.value.low, counted.value.high
    for name, (proven, possible) in (("over", counted.over), ("technical", counted.trc)):
        frame[name] = np.where(proven, "yes", np.where(possible, "may be", ""))
    return frame.sort_values("start", kind="stable", ignore_index=True)


def lines(row: Mapping[Any, Any], limits: pd.DataFrame, places: Places) -> list[str]:
    """Return the working of a row of `snc`.

    Parameters
    ----------
    row : mapping
        A row of `columns.TABLES["snc"]`.
    limits : DataFrame
        As `columns.TABLES["limits"]`.
    places : Places
        The report's results.
    """
    mine = _limits(row, limits)
    counted = _found(row, mine, places)
    said = [
        "",
        "The rule",
        f"    {row['rule_cite']}, on limit {row['limit_cite']} of {row['limit_pack']} ({row['limit_id']})",
    ]
    for limit in mine.to_dict("records"):
        said.append(f"    {arithmetic.relation(limit)}")
        if np.isfinite(row["trc_factor"]) and limit["bound"] == "upper":
            said.append(f"    technical review: {_product(limit, row)}, at or above")
    if not np.isfinite(row["trc_factor"]):
        said.append(
            "    no technical review: there is none for pH, temperature, flashpoint and LEL, nor for a lower bound"
        )
    said += ["", "The measurements"]
    said += ["    " + line for line in _measurements(counted, mine)]
    return [*said, "", "The shares", *("    " + line for line in _shares(row)), *_answer(row)]


def _limits(row: Mapping[Any, Any], limits: pd.DataFrame) -> pd.DataFrame:
    same = np.ones(len(limits), dtype=bool)
    pairs = {"pack": "limit_pack", "limit_id": "limit_id", "facility": "facility", "outfall": "outfall"}
    for name, own in {**pairs, "parameter": "parameter", "statistic": "statistic"}.items():
        same &= (limits[name] == str(row[own])).to_numpy()
    found = limits[same]
    start, end = pd.Timestamp(row["window_start"]), pd.Timestamp(row["window_end"])
    return found[~(found["from"] >= end) & ~(found["until"] <= start)]


def _found(row: Mapping[Any, Any], mine: pd.DataFrame, places: Places) -> _Counted | None:
    """Return the measurements as they come out of the results, where they give the row's own counts."""
    if mine.empty:
        return None
    wanted = tuple(int(row[name]) for name in ("n", "n_over_low", "n_over_high", "n_trc_low", "n_trc_high"))
    known, nearest = places.known(str(row["limit_pack"])), None
    for nondetects in ("interval", *(rule for rule in RULES if rule != "interval")):
        for thirty in ("open", "calendar", "consecutive"):
            for strict in (True, False):
                counted = _count(
                    row, mine, places, replace(known, nondetects=nondetects, thirty_day=thirty), strict=strict
                )
                if counted is not None and counted.sums() == wanted:
                    return counted
                nearest = nearest or counted
    return None


def _count(
    row: Mapping[Any, Any], mine: pd.DataFrame, places: Places, rules: Rules, *, strict: bool
) -> _Counted | None:
    start, end = (
        int(np.datetime64(pd.Timestamp(row[name]), "s").astype(np.int64)) for name in ("window_start", "window_end")
    )
    place = (str(row["facility"]), str(row["outfall"]), str(row["parameter"]), str(mine["fraction"].iloc[0]))
    statistic = str(row["statistic"])
    asked = statistic if statistic in (*DAILY, *ONE_A_MONTH, "instantaneous") else DAILY[0]
    unit, bound = str(mine["unit"].iloc[0]), str(mine["bound"].iloc[0])
    parts = [_values(block, start, end) for block in places.series(place, unit, asked, rules, bound)]
    if not parts:
        return None
    begins, ends = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    low, high, low_open, high_open = (np.concatenate([part[i] for part in parts]) for i in range(2, 6))
    value = Interval(low, high, low_open, high_open)
    sides = zip(*(mine[name].tolist() for name in _ENDS), strict=True)
    limits = [(side == "upper", lowest, highest) for side, lowest, highest in sides]
    over = _any(value, limits, strict=strict, factor=1.0)
    trc = _any(value, [limit for limit in limits if limit[0]], strict=False, factor=float(row["trc_factor"]))
    return _Counted(begins, ends, value, over, trc)


def _values(block: Block, start: int, end: int) -> tuple[_Array, ...]:
    """Return the spans and values of a block whose last instant lies in a window."""
    begin, finish = block.span()
    last = np.where(finish > begin, finish - 1, finish)
    inside = (last >= start) & (last < end)
    if block.refused is not None:
        inside &= block.refused == 0
    value = block.value
    return tuple(a[inside] for a in (begin, finish, value.low, value.high, value.opened("low"), value.opened("high")))


def _any(
    value: Interval, limits: Sequence[tuple[bool, float, float]], *, strict: bool, factor: float
) -> tuple[_Array, _Array]:
    """Return which values are over any of some limits times a factor: proven, and possible.

    A limit is whether it is an upper one, and its ends.
    """
    proven, possible = np.zeros(len(value.low), dtype=bool), np.zeros(len(value.low), dtype=bool)
    if np.isnan(factor):
        return proven, possible
    for upper, low, high in limits:
        edge = edges(np.array([strict]), np.array([upper]), np.array([low * factor]), np.array([high * factor]))
        sure, maybe = violates(value, edge, upper=upper)
        proven, possible = proven | sure, possible | maybe
    return proven, possible


def _measurements(counted: _Counted | None, mine: pd.DataFrame) -> list[str]:
    if counted is None:
        return ["they do not come out of this report's results alone (a sum, a load, or averages that were reported)"]
    unit = str(mine["unit"].iloc[0])
    said = []
    for i in range(min(len(counted.start), _SHOWN)):
        marks = [
            _mark(flags[0][i], flags[1][i], what)
            for flags, what in ((counted.over, "over"), (counted.trc, "technical review"))
        ]
        told = ", ".join(mark for mark in marks if mark)
        said.append(f"{_when(counted, i)}: {arithmetic.interval(counted.value, i)} {unit}{f': {told}' if told else ''}")
    more = len(counted.start) - _SHOWN
    return [*said, f"and {more:,} more"] if more > 0 else said


def _mark(proven: bool, possible: bool, what: str) -> str:
    return what if proven else f"{what}?" if possible else ""


def _when(counted: _Counted, i: int) -> str:
    start, end = counted.start[i], counted.end[i]
    stamp = np.datetime64(int(start), "s")
    if start == end:
        return str(stamp).replace("T", " ")[:16].removesuffix(" 00:00")
    day = str(stamp.astype("datetime64[D]"))
    return day if end - start <= 90_000 else day[:7]


def _product(limit: Mapping[Any, Any], row: Mapping[Any, Any]) -> str:
    factor = float(row["trc_factor"])
    low, high = (float(limit[name]) for name in ("limit_low", "limit_high"))
    parts = [
        f"{number(end)} × {number(factor)} = {number(end * factor)} {limit['unit']}"
        for end in dict.fromkeys((low, high))
    ]
    return " to ".join(parts)


def _shares(row: Mapping[Any, Any]) -> list[str]:
    over = _share(row, "over the limit", "over", CHRONIC)
    said = [f"{over}: chronic {row['chronic']}"]
    if np.isfinite(row["trc_factor"]):
        said.append(f"{_share(row, 'technical review', 'trc', TECHNICAL)}: technical review {row['trc']}")
    return said


def _share(row: Mapping[Any, Any], what: str, counted: str, percent: int) -> str:
    low, high, n = (int(row[name]) for name in (f"n_{counted}_low", f"n_{counted}_high", "n"))

    def share(k: int) -> str:
        return f"{k} of {n} = {number(round(100 * k / n, 6))} %"

    found = share(low) if low == high else f"from {share(low)} to {share(high)}"
    # The tables do not hold a local wording's shares: only the federal ones can be said here.
    cite = str(row["rule_cite"])
    enough = f"{percent} % or more is enough in {cite}" if FEDERAL_CITE in cite else f"held against the share of {cite}"
    return f"{what}: {found}; {enough}"


def _answer(row: Mapping[Any, Any]) -> list[str]:
    user = {
        "yes": "a significant user",
        "no": "no significant user: the two criteria do not apply",
        "unknown": "a user whose class is not known: computed, never published",
    }
    return ["", f"Significant noncompliance: {row['snc']} ({user[str(row['significant_user'])]})"]
