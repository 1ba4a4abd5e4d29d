"""Excursions: how long a meter reads what a limit forbids, in one run or added up over a day or a month.

Documents limit the time and not the value alone: pH over 12.0 "for any period exceeding 30 minutes", over 10.0 "for
more than five hours daily or 70 hours monthly" (21 NYCRR 1960.5); below 5.5 for 15 minutes (King County WA, PUT
8-13-1); and where a permit adopts it, 40 CFR 401.17: one excursion of no more than 60 minutes, 7 h 26 min in
a calendar month (a fixed number: it is not scaled to the month's days).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, meters
from pretreat.limits.provisions import Bound, Limit, Limits
from pretreat.measurements.measure import COMPOSITE, Measured, spread
from pretreat.measurements.sample_types import UNTOLD, samples_of, taken
from pretreat.meters import metered, runs
from pretreat.meters.runs import Flags, Runs
from pretreat.meters.timed import DAY, Floats, Ints, Readings

TWO: Final = 2
"""How few readings a day can time anything."""
TOO_FAR: Final = "no two readings lie as close as one holds (max_gap)"
_VALUES: Final = (
    *("series", "statistic", "period_start", "period_end", "n", "n_nondetect", "low", "high", "low_open", "high_open"),
    *("sample_type", "rules", "reason", "first", "last", "limit"),
)


@dataclass(frozen=True, slots=True)
class _Ways:
    """Under which settings the readings are looked at."""

    means: bool
    max_gap: int
    day_begins: int
    nondetects: str
    estimated: str


@dataclass(frozen=True, slots=True)
class _Over:
    """The readings of one series that can be over, those of them that surely are, and the runs that they make."""

    places: Ints
    proven: Flags
    possible: Runs
    sure: Runs


def evaluate(
    measured: Measured,
    in_force: pd.DataFrame,
    settings: Mapping[str, str],
    limits: Limits,
    users: pd.DataFrame | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Time the excursions of all metered series, for every limit in force on a duration.

    Parameters
    ----------
    measured : Measured
        The measurements of all users.
    in_force : DataFrame
        The limits in force; those with the statistic `duration` are answered for, each.
    settings : mapping of str to str
        What the user decides over the packs: `reading`, `max_gap`, `sampling_day`.
    limits : Limits
        The packs that `in_force` refers to.
    users : DataFrame, optional
        `time_zone` of each place, for the days on which clocks change.

    Returns
    -------
    values : DataFrame
        Statistic `duration` (docs/architecture.md, `values`), `low` and `high` in minutes. For an excursion, one value
        a day with a reading: how long the longest excursion of that day had then lasted, the days before included.
        For minutes added up over a day or a calendar month, one value a day or month.
    not_evaluated : DataFrame
        Limits in force without timed readings.

    Notes
    -----
    Minutes are proven between two readings over, and possible up to the reading that bounds them (`runs`). A gap beside
    a reading over may hide more: an excursion's end is then open, and what is added up may hold the whole gap.

    Examples
    --------
    >>> from pretreat.measurements.measure import measure
    >>> nothing = pd.DataFrame(columns=["limit", "statistic"])
    >>> hour = pd.DataFrame({"facility": "A", "parameter": "pH", "start": [pd.Timestamp("2026-10-01")], "value": 7.0})
    >>> [len(table) for table in evaluate(measure(hour), nothing, {}, Limits(()))]
    [0, 0]
    """
    rows = np.flatnonzero((in_force["statistic"] == "duration").to_numpy())
    status = in_force["status"].astype(str).to_numpy()[rows] if "status" in in_force else np.full(len(rows), "")
    missing = (
        [metered.not_evaluated(in_force, rows[status != ""], status[status != ""])] if (status != "").any() else []
    )
    rows = rows[status == ""]
    found: list[pd.DataFrame] = []
    if len(rows):
        table = metered.series_table(measured)
        targets = metered.pairs(
            table,
            in_force,
            rows,
            lambda both: (both["parameter"] == both["parameter_x"]) & (both["fraction"] == both["fraction_x"]),
        )
        wanted = np.zeros(len(table), dtype=bool)
        wanted[targets["series"]] = True
        watched = metered.Meters(measured, wanted, metered.zones(users), TWO)
        why = dict.fromkeys(rows.tolist(), "no results")
        why |= dict.fromkeys(targets["row"].tolist(), "no timed readings")
        targets = targets[watched.position[targets["series"]] >= 0].reset_index(drop=True)
        unfit = _other_types(measured, in_force, targets)
        why |= dict(zip(targets["row"][unfit != ""].tolist(), unfit[unfit != ""].tolist(), strict=True))
        targets = targets[unfit == ""].reset_index(drop=True)
        why |= dict.fromkeys(targets["row"].tolist(), TOO_FAR)
        numbers = in_force["limit"].to_numpy()[targets["row"]]
        for number in np.unique(numbers):
            limit = limits.rows[int(number)]
            mine = targets[numbers == number]
            found.append(_timed(watched, limit, _ways(limit, in_force, mine, settings, limits), mine, in_force))
        judged = {row for part in found for row in part["limit"].tolist()}
        without = [row for row in why if row not in judged]
        missing.append(metered.not_evaluated(in_force, without, [why[row] for row in without]))
    return _joined(found, _VALUES), _joined(missing, columns.TABLES["not_evaluated"])


def _other_types(measured: Measured, in_force: pd.DataFrame, targets: pd.DataFrame) -> npt.NDArray[np.object_]:
    """Return why readings are not of the type that a limit is for; `""` where they are."""
    said = np.full(len(targets), "", dtype=object)
    if "sample_type" not in in_force:
        return said
    kinds = in_force["sample_type"].astype(str).to_numpy()[targets["row"].to_numpy(dtype=np.int64)]
    for at in np.flatnonzero(kinds != ""):
        code = int(targets["series"].iloc[at])
        mine = slice(int(measured.bounds[code]), int(measured.bounds[code + 1]))
        own = None if measured.sample_type is None else measured.sample_type[mine]
        own = np.zeros(mine.stop - mine.start, dtype=np.int8) if own is None else own[own != COMPOSITE]
        samples = samples_of(kinds[at])
        if not taken(own, len(own), samples).all():
            said[at] = f"the readings are not all of the type that the limit is for ({kinds[at]})"
        elif samples & UNTOLD and (own == 0).any():
            said[at] = f"the limit is for a {kinds[at]}, and the sample type is not given"
    return said


def _ways(
    limit: Limit, in_force: pd.DataFrame, targets: pd.DataFrame, settings: Mapping[str, str], limits: Limits
) -> _Ways:
    def chosen(name: str) -> str:
        row = int(targets["row"].iloc[0])
        return str(in_force[name].iloc[row]) if name in in_force else metered.setting(name, limit, limits, settings)

    return _Ways(
        chosen("reading") == "mean",
        meters.seconds(chosen("max_gap")),
        metered.clock(chosen("sampling_day")),
        chosen("nondetects"),
        chosen("estimated"),
    )


def _timed(
    watched: metered.Meters, limit: Limit, ways: _Ways, targets: pd.DataFrame, in_force: pd.DataFrame
) -> pd.DataFrame:
    """Return the values of one limit, for each series that it is in force for."""
    log = watched.log(ways.nondetects, ways.estimated)
    days = watched.days(log, ways.max_gap, ways.day_begins)
    per = limit.duration.per if limit.duration is not None else "event"
    parts = []
    position = watched.position[targets["series"]]
    for at in np.unique(position).tolist():
        group = targets[position == at]
        mine = days[days["series"] == at].reset_index(drop=True)
        over = _over(log, at, limit.bounds, ways)
        first, last = _evidence(log, over, mine, limit.bounds)
        if per == "event":
            low, high = _longest(log, over, mine, ways)
        else:
            low, high = (_of_days(mine, part) for part in _summed(log, over, mine, ways, per))
        values = pd.DataFrame({"n": mine["n"], "low": low, "high": high, "first": first, "last": last})
        values["period_start"] = mine["day"].to_numpy().astype("datetime64[s]")
        values["period_end"] = values["period_start"].to_numpy() + np.timedelta64(DAY, "s")
        if per == "month":
            values = _months(values, _summed(log, over, mine, ways, per))
        values["series"] = np.int32(log.series[at])
        if per != "month":  # one reading alone, not over, times nothing
            values = values[_paired(log, mine, ways.max_gap) | (values["high"].to_numpy() > 0)]
        if not _paired(log, mine, ways.max_gap).any():
            continue
        for row in group["row"]:
            since, until = (in_force[name].iloc[row] for name in ("from", "until"))
            inside = np.ones(len(values), dtype=bool)
            inside &= True if pd.isna(since) else (values["period_end"] > since).to_numpy()
            inside &= True if pd.isna(until) else (values["period_start"] < until).to_numpy()
            parts.append(values[inside].assign(limit=np.int32(row), since=since))
    found = _joined(parts, [*_VALUES, "since"])
    # Where a limit is in force in two parts of a period (a fact changed), the later part is held against it.
    found = found.sort_values("since", na_position="first", kind="stable")
    found = found.drop_duplicates(["series", "period_start"], keep="last").sort_index(ignore_index=True)
    constant: dict[str, Any] = {
        "statistic": "duration",
        "n_nondetect": 0,
        "low_open": False,
        "high_open": False,
        "sample_type": "",
        "rules": np.int16(0),
        "reason": np.where(np.isinf(found["high"].to_numpy()), "no reading within the gap allowed bounds it", ""),
    }
    return found.assign(**constant)[list(_VALUES)]


def _paired(log: Readings, days: pd.DataFrame, max_gap: int) -> Flags:
    """Say which days have two readings that lie no further apart than one holds."""
    first, last = days["first"].to_numpy(), days["last"].to_numpy()
    gap = np.diff(log.elapsed)
    close = np.concatenate([[0], np.cumsum((gap > 0) & (gap <= max_gap))])
    pairs: Flags = close[np.maximum(last - 1, first)] > close[first]
    return pairs


def _over(log: Readings, at: int, bounds: tuple[Bound, ...], ways: _Ways) -> _Over:
    """Find the readings of a series that one of the bounds forbids."""
    left, right = log.bounds[at], log.bounds[at + 1]
    low, high = log.low[left:right], log.high[left:right]
    sure, can = np.zeros(right - left, dtype=bool), np.zeros(right - left, dtype=bool)
    for bound in bounds:
        if bound.side == "inside":
            sure |= (low > bound.low) & (high < bound.high)
            can |= (high > bound.low) & (low < bound.high)
        elif bound.side == "upper":
            sure |= runs.beyond(low, bound.high, bound.operator)
            can |= runs.beyond(high, bound.low, bound.operator)
        else:
            sure |= runs.beyond(high, bound.low, bound.operator)
            can |= runs.beyond(low, bound.high, bound.operator)
    for one, again in zip(log.once, log.again, strict=True):  # which came first is unknown: sure only if both are
        if left <= one < right:
            sure[[one - left, again - left]] = sure[one - left] & sure[again - left]
            can[[one - left, again - left]] = can[one - left] | can[again - left]
    places = left + np.flatnonzero(can)
    proven = sure[places - left]
    possible = runs.find(log, places, proven, ways.max_gap, means=ways.means)
    certain = places[proven]
    return _Over(
        places,
        proven,
        possible,
        runs.find(log, certain, np.ones(len(certain), dtype=bool), ways.max_gap, means=ways.means),
    )


def _longest(log: Readings, over: _Over, days: pd.DataFrame, ways: _Ways) -> tuple[Floats, Floats]:
    """Return for each day how long its longest excursion had lasted by then [min], at least and at most."""
    last = days["last"].to_numpy() - 1
    midnight = days["day"].to_numpy().astype("datetime64[s]").view(np.int64) + DAY
    ends = log.elapsed[last] + midnight - log.start[last]  # of each day, on the even axis

    def longest(found: Runs, until: Ints, since: Ints, whole: Floats) -> Floats:
        run, day = _run_days(found, last)
        length = (until[day] - since[run]) / 60
        length[np.isinf(whole[run])] = np.inf
        final = np.append(run[1:] != run[:-1], True)[: len(run)]
        length[final] = whole[run][final]
        answer = np.zeros(len(days))
        np.maximum.at(answer, day, length)
        return answer

    sure, possible = over.sure, over.possible
    low = longest(sure, ends if ways.means else log.elapsed[last], log.elapsed[sure.first], sure.minutes_low)
    before = log.elapsed[possible.first - (possible.begun & (not ways.means))]
    return low, longest(possible, ends, before, possible.minutes_high)


def _run_days(found: Runs, last: Ints) -> tuple[Ints, Ints]:
    """Return each pair of a run and a day that it has readings on; `last` is each day's last reading."""
    one, other = np.searchsorted(last, found.first), np.searchsorted(last, found.last)
    counts = (other - one + 1).astype(np.int64)
    return np.repeat(np.arange(len(found)), counts), spread(one.astype(np.int64), counts)


def _summed(log: Readings, over: _Over, days: pd.DataFrame, ways: _Ways, per: str) -> tuple[pd.Series, pd.Series]:
    """Return the minutes over of each day, added up, at least and at most; the index is the day's first instant."""
    sure = over.places[over.proven]
    if ways.means:
        low, high = (
            _shared(log.start[at], runs.lasts(log, ways.max_gap, at), ways.day_begins) for at in (sure, over.places)
        )
        return low, high
    left, right = int(days["first"].iloc[0]), int(days["last"].iloc[-1]) - 1
    step = np.unique(np.concatenate([over.places - 1, over.places]))
    step = step[(step >= left) & (step < right)]
    begin, length = log.start[step], log.elapsed[step + 1] - log.elapsed[step]
    both = np.isin(step, sure) & np.isin(step + 1, sure) & (length <= ways.max_gap)
    low = _shared(begin[both], length[both], ways.day_begins)
    # Before the first reading and after the last nothing is known, for the rest of the day or month.
    unit: Literal["M", "D"] = "M" if per == "month" else "D"
    edge = np.array([log.start[left], log.start[right]]) - ways.day_begins
    period = edge.astype("datetime64[s]").astype(f"datetime64[{unit}]")
    opens, closes = (
        (period + np.timedelta64(n, unit)).astype("datetime64[s]").astype(np.int64) + ways.day_begins for n in (0, 1)
    )
    unseen = np.isin([left, right], over.places)
    begin = np.concatenate([begin, np.array([opens[0], log.start[right]])[unseen]])
    length = np.concatenate([length, np.array([log.start[left] - opens[0], closes[1] - log.start[right]])[unseen]])
    return low, _shared(begin, length, ways.day_begins)


def _shared(begin: Ints, length: Ints, day_begins: int) -> pd.Series:
    """Share stretches of time (wall-clock begin, true length [s]) out to days [min]."""
    first = (begin - day_begins) // DAY
    counts = np.maximum((begin + length - 1 - day_begins) // DAY - first + 1, 1)
    day = spread(first, counts)
    start = day * DAY + day_begins
    begins, ends = np.repeat(begin, counts), np.repeat(begin + length, counts)
    part = np.maximum(np.minimum(ends, start + DAY) - np.maximum(begins, start), 0) / 60
    return pd.Series(part, index=start.astype("datetime64[s]")).groupby(level=0).sum()


def _of_days(days: pd.DataFrame, minutes: pd.Series) -> Floats:
    return minutes.reindex(days["day"].to_numpy().astype("datetime64[s]"), fill_value=0.0).to_numpy(dtype=np.float64)


def _months(values: pd.DataFrame, minutes: tuple[pd.Series, pd.Series]) -> pd.DataFrame:
    """Add days up to calendar months; the evidence is that of the day with the most minutes."""
    month = values["period_start"].to_numpy().astype("datetime64[M]").astype("datetime64[s]")
    by_month = values.assign(month=month)
    worst = by_month.sort_values(["low", "high"], kind="stable").groupby("month", sort=True)[["first", "last"]].last()
    begins = worst.index.to_numpy()
    low, high = (
        part.groupby(part.index.to_numpy().astype("datetime64[M]").astype("datetime64[s]")).sum() for part in minutes
    )
    return pd.DataFrame(
        {
            "n": by_month.groupby("month", sort=True)["n"].sum().to_numpy(),
            "low": low.reindex(begins, fill_value=0.0).to_numpy(),
            "high": high.reindex(begins, fill_value=0.0).to_numpy(),
            "first": worst["first"].to_numpy(),
            "last": worst["last"].to_numpy(),
            "period_start": begins.astype("datetime64[s]"),
            "period_end": (begins.astype("datetime64[M]") + np.timedelta64(1, "M")).astype("datetime64[s]"),
        }
    )


def _evidence(log: Readings, over: _Over, days: pd.DataFrame, bounds: tuple[Bound, ...]) -> tuple[Ints, Ints]:
    """Return the measurements of each day's longest run, else its most extreme reading: rows, half open."""
    down = bool(bounds) and bounds[0].side == "lower"
    first = np.empty(len(days), dtype=np.int64)
    for n, (left, right) in enumerate(zip(days["first"], days["last"], strict=True)):
        part = log.low[left:right] if down else log.high[left:right]
        first[n] = left + int(np.argmin(part) if down else np.argmax(part))
    last = first.copy()
    order = np.lexsort((over.possible.minutes_high, over.possible.minutes_low))
    ends = days["last"].to_numpy() - 1
    run, day = _run_days(over.possible, ends)
    rank = np.argsort(order)[run]
    by = np.lexsort((rank, day))  # the longest run of each day comes last, and is the one that stays
    first[day[by]] = over.possible.first[run[by]]
    last[day[by]] = np.minimum(over.possible.last[run[by]], ends[day[by]])
    return log.span(first, last)


def _joined(parts: list[pd.DataFrame], names: Any) -> pd.DataFrame:
    full = [part for part in parts if len(part)]
    if full:
        return pd.concat(full, ignore_index=True)
    return pd.DataFrame({name: columns.missing(name, 0) for name in names})
