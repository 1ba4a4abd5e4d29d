"""The values that the limits in force ask for: each statistic once for each distinct set of averaging settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, meters, parameters
from pretreat.averages.averages import AVERAGES, DAILY, Averages, Rules
from pretreat.averages.blocks import Block
from pretreat.averages.readings import counts, daily_extremes, instantaneous
from pretreat.averages.reported import reported
from pretreat.held import Held
from pretreat.limits.provisions import Readings
from pretreat.limits.selection import Limit
from pretreat.measurements.measure import Measured
from pretreat.measurements.sample_types import UNTOLD, samples_of
from pretreat.settings import WEEKDAYS, default

Ints = npt.NDArray[Any]

_ALL_TYPES: Final = 2 * UNTOLD
TELLING: Final = (
    "thirty_day", "sampling_day", "nondetects", "estimated", "max_gap", "week_starts", "daily_weighting",
    "complete_day",
)  # fmt: skip
"""The settings that change an average; `rounding` and `reading_window` change what is made of it later."""


@dataclass(frozen=True)
class Asked:
    """Values in blocks, and the averages that they come from, by the number of their rules."""

    blocks: tuple[Block, ...]
    averages: Mapping[int, Averages]


def rules(in_force: pd.DataFrame, settings: Mapping[str, str]) -> tuple[npt.NDArray[np.int16], tuple[Rules, ...]]:
    """Return the averaging rules of each limit in force, by number, and the distinct rules.

    Parameters
    ----------
    in_force : DataFrame
        With the columns of `settings.AVERAGING`; a column that is missing has its default.
    settings : mapping of str to str
        `max_gap`, where it is given.

    Examples
    --------
    >>> rules(pd.DataFrame({"nondetects": ["half", "half"]}), {})[1][0].nondetects
    'half'
    """
    key = np.zeros(len(in_force), dtype=np.int64)
    levels = []
    kinds, types = columns.codes(in_force, "sample_type")
    statistics, statistic_names = columns.codes(in_force, "statistic")
    averaged = np.isin(statistic_names.astype(str), AVERAGES)
    typed = np.array([samples_of(str(text)) for text in types], dtype=np.int64)
    samples = np.where(averaged[statistics], typed[kinds], 0) if len(in_force) else key
    for name in TELLING:
        own, names = columns.codes(in_force, name)
        words = [str(word) or settings.get(name) or default(name) for word in names]
        levels.append(words)
        key = key * len(words) + own
    key = key * _ALL_TYPES + samples
    distinct, number = np.unique(key, return_inverse=True)
    found = []
    for code in distinct.tolist():
        rest, own_samples = divmod(code, _ALL_TYPES)
        words = []
        for level in reversed(levels):
            rest, place = divmod(rest, len(level))
            words.append(level[place])
        thirty, day, nondetects, estimated, gap, week, weighting, complete = reversed(words)
        hours, minutes = (int(part) for part in day.split(":"))
        found.append(
            Rules(
                nondetects,
                estimated,
                hours * 3600 + minutes * 60,
                meters.seconds(gap),
                thirty,
                own_samples,
                WEEKDAYS.index(week),
                weighting == "flow",
                float(complete),
            )
        )
    return number.astype(np.int16), tuple(found)


def values(
    measured: Measured,
    held: Held,
    made_under: Sequence[Rules],
    limit_rows: Sequence[Limit] = (),
    *,
    also: Sequence[Held] = (),
    daily_too: bool = False,
    dates: tuple[int, int] | None = None,
) -> Asked:
    """Return the values that the limits ask for.

    Parameters
    ----------
    measured : Measured
        The measurements.
    held : Held
        The limits in force, matched to the series.
    made_under : sequence of Rules
        The distinct averaging rules.
    limit_rows : sequence of Limit
        What `in_force["limit"]` points to: how readings are counted.
    also : sequence of Held
        The same limits, held against other series: parts and wholes.
    daily_too : bool
        Whether daily values are made of every series with an average (significant noncompliance counts them).
    dates : tuple of int, optional
        The seconds of a period given by its first and last day: a month's average belongs to it where any of its daily
        values does.
    """
    size = len(measured.series)
    code, names = columns.codes(measured.series, "parameter")
    plain = np.array([parameters.get(str(name)).averaged for name in names], dtype=bool)[code]
    blocks: list[Block] = []
    averages: dict[int, Averages] = {}
    for index, rule in enumerate(made_under):
        wanted = {
            name: np.logical_or.reduce([one.asked(name, index, size) for one in (held, *also)])
            for name in (*AVERAGES, "instantaneous")
        }
        averaged = np.logical_or.reduce([wanted[name] for name in AVERAGES]) & plain
        if averaged.any():
            made = Averages(measured, rule, index, averaged)
            made.dates = dates
            made.lower_wanted = bool(held.asked("30-day average", index, size, "lower").any())
            averages[index] = made
            for name in AVERAGES:
                asked = wanted[name] & plain
                if asked.any() or (daily_too and name == DAILY[0] and not wanted[DAILY[1]].any()):
                    blocks += made.blocks(name)
        for side in ("upper", "lower"):
            extreme = held.asked("daily maximum", index, size, side) & ~plain
            if extreme.any():
                blocks += daily_extremes(measured, rule, index, extreme, "daily maximum", side)
        if wanted["instantaneous"].any():
            blocks += instantaneous(measured, rule, index, wanted["instantaneous"])
        blocks += _counts(measured, held, rule, index, limit_rows)
        blocks += reported(measured, rule, index)
    return Asked(tuple(blocks), averages)


def _counts(measured: Measured, held: Held, rule: Rules, index: int, limit_rows: Sequence[Limit]) -> list[Block]:
    """Count readings over a level, once for each distinct way of counting."""
    rows = np.flatnonzero(held.of("reading count") & (held.rules == index) & (held.series >= 0))
    if not len(rows):
        return []
    frame = held.frame.iloc[rows]
    level = frame["level"].astype(str).to_numpy()
    how = [_how(limit_rows, frame, place) for place in range(len(rows))]
    window = frame["reading_window"].astype(str).to_numpy() if "reading_window" in frame else np.full(len(rows), "open")
    blocks = []
    ways = list(zip(level.tolist(), how, window.tolist(), held.samples[rows].tolist(), strict=True))
    for way in dict.fromkeys(ways):
        mine = rows[[other == way for other in ways]]
        over, readings, within, samples = way
        span = None if within in ("open", "") else meters.seconds(within)
        if readings is not None and readings.within is not None:
            span = round(readings.within * 60)
        while len(mine):  # a series that several rows ask for (spans of time) is counted for each
            series, first = np.unique(held.series[mine], return_index=True)
            blocks += counts(
                measured,
                replace(rule, samples=samples),
                index,
                series,
                mine[first].astype(np.int32),
                over,
                successive=bool(readings and readings.successive),
                apart=round(readings.apart * 60) if readings else 0,
                window=span,
                among=readings.among if readings else None,
            )
            mine = np.delete(mine, first)
    return blocks


def _how(limit_rows: Sequence[Limit], frame: pd.DataFrame, place: int) -> Readings | None:
    if not limit_rows or "limit" not in frame:
        return None
    return limit_rows[int(frame["limit"].to_numpy()[place])].readings
