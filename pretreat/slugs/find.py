"""Slugs: discharges that exceed, for longer than some minutes, some multiple of the average of normal operation.

The federal slug (40 CFR 403.8(f)(2)(vi)) has no number. Many local laws print one: longer than 15 minutes, more than
five times the average 24-hour concentration or flow during normal operation (Little Valley NY; NH Env-Wq 1202.66;
Marshalltown IA). What a pack prints is its `Slug`; a pack that prohibits slugs and defines none is not evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from pretreat import columns
from pretreat.averages.blocks import REFUSED, TOO_FEW_READINGS
from pretreat.limits.provisions import Limits
from pretreat.measurements.measure import Measured
from pretreat.meters import metered, runs
from pretreat.meters.timed import DAY, READINGS_A_DAY, Floats, Ints, Readings, holds
from pretreat.slugs import baselines
from pretreat.slugs import rule as slug_rule
from pretreat.slugs import table as slug_table
from pretreat.slugs.baselines import Baselines

_VALUES: Final = "series statistic period_start period_end n n_nondetect low high low_open high_open sample_type rules "
_DAY_COLUMNS: Final = (
    *("facility", "outfall", "parameter", "day", "covered", "length", "average"),
    *("left_out", "pack", "limit_id"),
)
_VALUE_COLUMNS: Final = f"{_VALUES}reason first last limit refused".split()
_TOO_FEW: Final = REFUSED.index(TOO_FEW_READINGS)


@dataclass(frozen=True, slots=True)
class Examined:
    """What came of a look at the meters.

    Parameters
    ----------
    slugs : DataFrame
        One row a run above the multiple: the table `slugs`, and besides `fraction`, `limit_id`, `above_baseline`
        (volume or mass above the baseline [unit × day]), `series`, `limit` (row of `in_force`), `first` and `last`
        (rows of the measurements, half open).
    counts : DataFrame
        Counts of each month, statistic `slug` (docs/architecture.md, `values`).
    not_evaluated : DataFrame
        Where the rule could not be held against anything.
    days : DataFrame
        Each day of each metered series: `facility`, `outfall`, `parameter`, `day`, `covered`, `length` [s], `average`,
        `left_out` (why it is no day of normal operation; `""` where it is one), `pack`, `limit_id`.
    """

    slugs: pd.DataFrame
    counts: pd.DataFrame
    not_evaluated: pd.DataFrame
    days: pd.DataFrame


def evaluate(
    measured: Measured,
    in_force: pd.DataFrame,
    settings: Mapping[str, str],
    limits: Limits,
    users: pd.DataFrame | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Find the slugs of all metered series, under every pack's definition.

    Parameters
    ----------
    measured : Measured
        The measurements of all users.
    in_force : DataFrame
        The limits in force; those with the statistic `slug` are answered for, each.
    settings : mapping of str to str
        What the user decides over the packs: `reading`, `max_gap`, `complete_day`, `baseline`, `baseline_days`, ...
    limits : Limits
        The packs, for the definitions that `in_force` refers to.
    users : DataFrame, optional
        `time_zone` of each place, for the days on which clocks change.

    Returns
    -------
    slugs, values, not_evaluated : DataFrame
        As `Examined` has them.

    Raises
    ------
    UsageError
        For a baseline whose unit is not known.

    Notes
    -----
    Interface, "Slugs". Exactly as long and exactly as many times as printed is no slug where the page says "longer
    than" and "more than".

    Examples
    --------
    >>> from pretreat.measurements.measure import measure
    >>> nothing = pd.DataFrame(columns=["limit", "statistic"])
    >>> hour = pd.DataFrame({"facility": "A", "parameter": "Flow", "start": [pd.Timestamp("2026-10-01")], "value": 1.0})
    >>> [len(table) for table in evaluate(measure(hour), nothing, {}, Limits(()))]
    [0, 0, 0]
    """
    found = examine(measured, in_force, settings, limits, users)
    return found.slugs, found.counts, found.not_evaluated


def examine(
    measured: Measured,
    in_force: pd.DataFrame,
    settings: Mapping[str, str],
    limits: Limits,
    users: pd.DataFrame | None = None,
) -> Examined:
    """Do as `evaluate` does, and return the days that made each baseline too.

    Examples
    --------
    >>> from pretreat.measurements.measure import measure
    >>> nothing = pd.DataFrame(columns=["limit", "statistic"])
    >>> hour = pd.DataFrame({"facility": "A", "parameter": "Flow", "start": [pd.Timestamp("2026-10-01")], "value": 1.0})
    >>> examine(measure(hour), nothing, {}, Limits(())).days.empty
    True
    """
    rows = np.flatnonzero((in_force["statistic"] == "slug").to_numpy())
    status = in_force["status"].astype(str).to_numpy()[rows] if "status" in in_force else np.full(len(rows), "")
    barred, rows = (rows[status != ""], status[status != ""]), rows[status == ""]
    missing = [metered.not_evaluated(in_force, *barred)] if len(barred[0]) else []
    if not len(rows):
        return _together([], [], missing, [])
    table = metered.series_table(measured)
    targets = slug_rule.targets(table, in_force, rows, limits)
    wanted = np.zeros(len(table), dtype=bool)
    wanted[targets["series"]] = True
    watched = metered.Meters(measured, wanted, metered.zones(users))
    missing.append(slug_rule.untimed(in_force, rows, targets, watched, limits))
    targets = targets[watched.position[targets["series"]] >= 0].reset_index(drop=True)
    of_row = {int(row): slug_rule.definition(int(row), in_force, settings, limits) for row in rows}
    definition = targets["row"].map(of_row)
    slugs, values, days = [], [], []
    for each in definition.unique():
        part = _Part(watched, each, targets[definition == each].reset_index(drop=True), in_force, table)
        slugs.append(part.slugs())
        values.append(part.months(slugs[-1]))
        missing.append(part.unknown())
        days.append(part.normal_days())
    return _together(slugs, values, missing, days)


class _Part:
    """One definition held against the series that it is in force for."""

    def __init__(
        self,
        watched: metered.Meters,
        definition: slug_rule.Definition,
        targets: pd.DataFrame,
        in_force: pd.DataFrame,
        table: pd.DataFrame,
    ) -> None:
        self.definition, self.in_force, self.table = definition, in_force, table
        self.log = watched.log(definition.nondetects, definition.estimated)
        self.days = watched.days(self.log, definition.max_gap, definition.day_begins)
        self.targets = targets.assign(at=watched.position[targets["series"]])
        self.mine = np.unique(self.targets["at"].to_numpy())
        self.base = self._baselines()

    def _baselines(self) -> Baselines:
        names = self.table.iloc[self.log.series]
        place = names.groupby(metered.HERE, sort=False).ngroup().to_numpy()
        flow = np.full(int(place.max(initial=-1)) + 1, -1, dtype=np.int64)
        meter = np.flatnonzero((names["parameter"] == "Flow").to_numpy())
        flow[place[meter]] = meter
        flow_of = flow[place]
        flow_of[meter] = -1
        slug, given = self.definition.slug, slug_rule.NUMBER.fullmatch(self.definition.baseline)
        found = baselines.find(
            self.days,
            len(self.log.series),
            flow_of,
            multiple=float(slug.multiple or 0),
            inclusive=slug.multiple_inclusive,
            baseline="normal" if given else self.definition.baseline,
            complete_day=self.definition.complete_day,
            fewest=self.definition.baseline_days,
        )
        if given:
            baselines.give(found, float(given[1]), given[2].strip(), names["unit"].tolist())
        return found

    def slugs(self) -> pd.DataFrame:
        """Return the runs above the multiple, one row for each limit in force that they are held against."""
        slug, multiple = self.definition.slug, float(self.definition.slug.multiple or 0)
        low, high = _doubted(self.log)
        sign = ">=" if slug.multiple_inclusive else ">"
        places, proven = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=bool)]
        for one in self.mine[~np.isnan(self.base.low[self.mine])]:
            left, right = self.log.bounds[one], self.log.bounds[one + 1]
            at = left + np.flatnonzero(runs.beyond(high[left:right], multiple * self.base.low[one], sign))
            places.append(at)
            proven.append(runs.beyond(low[at], multiple * self.base.high[one], sign))
        over = np.concatenate(places)
        means = self.definition.reading == "mean"
        found = runs.find(self.log, over, np.concatenate(proven), self.definition.max_gap, means=means)
        heads = np.searchsorted(over, found.first)
        lasted = (runs.lasts if means else holds)(self.log, self.definition.max_gap, over) / DAY
        surplus = (high[over] - np.repeat(self.base.high[found.series], np.diff(heads, append=len(over)))) * lasted
        rows = self.log.span(found.first, found.last)
        ended = self.log.start[found.last] + found.held
        frame = pd.DataFrame(
            {
                "at": found.series,
                "start": self.log.start[found.first].astype("datetime64[s]"),
                "end": ended.astype("datetime64[s]"),
                "last_reading": self.log.start[found.last].astype("datetime64[s]"),
                "minutes_low": found.minutes_low,
                "minutes_high": found.minutes_high,
                "peak": np.maximum.reduceat(high[over], heads) if len(heads) else np.empty(0),
                "baseline": self.base.high[found.series],
                "multiple": multiple,
                "verdict": slug_table.verdicts(found.minutes_low, found.minutes_high, slug),
                "above_baseline": np.add.reduceat(surplus, heads) if len(heads) else np.empty(0),
                "first": rows[0],
                "last": rows[1],
            }
        )
        frame["reason"] = slug_table.reasons(
            frame, found, self.definition, [self.base.reason[one] for one in found.series]
        )
        frame = frame.merge(self.targets[["at", "row", "series"]], on="at")
        inside = metered.within(self.in_force, frame["row"].to_numpy(), frame["last_reading"].to_numpy())
        frame = frame[inside].rename(columns={"row": "limit"}).drop(columns="at").reset_index(drop=True)
        return slug_table.named(frame, self.in_force, self.table)

    def months(self, slugs: pd.DataFrame) -> pd.DataFrame:
        """Count the proven and the possible slugs of each calendar month with readings."""
        known = ~np.isnan(self.base.high)
        days = self.days[known[self.days["series"].to_numpy()]]
        month = days["day"].to_numpy().astype("datetime64[M]")
        order = days["peak"].to_numpy()
        table = pd.DataFrame(
            {"at": days["series"].to_numpy(), "month": month.astype(np.int64), "n": days["n"].to_numpy(), "peak": order}
        )
        table["day"] = days.index
        top = table.sort_values("peak", kind="stable").groupby(["at", "month"], sort=True)["day"].last()
        whole = table.groupby(["at", "month"], sort=True).agg(
            n=("n", "sum"), with_readings=("day", "size"), most=("n", "max")
        )
        whole = whole.assign(top=top).reset_index().merge(self.targets[["at", "row", "series"]], on="at")
        begins = whole["month"].to_numpy().astype("datetime64[M]")
        start, end = begins.astype("datetime64[s]"), (begins + np.timedelta64(1, "M")).astype("datetime64[s]")
        rows = whole["row"].to_numpy()
        since = self.in_force["from"].to_numpy().astype("datetime64[s]")[rows]
        until = self.in_force["until"].to_numpy().astype("datetime64[s]")[rows]
        keep = (np.isnat(since) | (end > since)) & (np.isnat(until) | (start < until))
        # A limit in force in two parts of a month (a fact changed) makes one comparison of it, by the later part.
        whole["number"] = self.in_force["limit"].to_numpy()[rows]
        later = whole.assign(since=since)[keep].sort_values("since", na_position="first", kind="stable")
        kept = np.sort(later.drop_duplicates(["number", "series", "month"], keep="last").index.to_numpy())
        whole, start, end = whole.loc[kept].reset_index(drop=True), start[kept], end[kept]
        length = (end - start) // np.timedelta64(1, "D")
        key = pd.MultiIndex.from_arrays([whole["number"], whole["series"], whole["month"]])
        slugs = slugs.assign(number=self.in_force["limit"].to_numpy()[slugs["limit"]], month=slug_table.month(slugs))
        counts = [_count(slugs, verdicts, key) for verdicts in (["exceeds"], ["exceeds", "undetermined"])]
        first, last = self._evidence(whole, slugs, key)
        data: dict[str, Any] = {
            "series": whole["series"].to_numpy(dtype=np.int32),
            "statistic": "slug",
            "period_start": start,
            "period_end": end,
            "n": whole["n"].to_numpy(),
            "n_nondetect": 0,
            "low": counts[0],
            "high": counts[1],
            "low_open": False,
            "high_open": False,
            "sample_type": "",
            "rules": np.int16(0),
            "reason": [
                f"readings on {n} of {total} days"
                for n, total in zip(whole["with_readings"], length.tolist(), strict=True)
            ],
            "first": first,
            "last": last,
            "limit": whole["row"].to_numpy(dtype=np.int32),
            # Where no day had the readings that the rule looks at, silence is no proof that there was no slug.
            "refused": np.where((whole["most"].to_numpy() < READINGS_A_DAY) & (counts[1] == 0), _TOO_FEW, 0),
        }
        return pd.DataFrame(data, columns=_VALUE_COLUMNS)

    def _evidence(self, whole: pd.DataFrame, slugs: pd.DataFrame, key: pd.MultiIndex) -> tuple[Ints, Ints]:
        """Return the measurements that a month's count rests on.

        Those of its longest run that exceeds; without one of its longest run that may; else its highest reading.
        """
        first = np.empty(len(whole), dtype=np.int64)
        for n, (left, right) in enumerate(self.days[["first", "last"]].to_numpy()[whole["top"].to_numpy()]):
            first[n] = left + int(np.argmax(self.log.high[left:right]))
        first = np.asarray(self.log.row(first), dtype=np.int64)
        last = first + 1
        if len(slugs):
            proven = (slugs["verdict"] == "exceeds").to_numpy()
            by = np.lexsort((slugs["minutes_low"], slugs["minutes_high"], slugs["minutes_low"].where(proven, -1.0)))
            longest = slugs.iloc[by].groupby(["number", "series", "month"])
            span = longest[["first", "last"]].last().reindex(key)
            there = span["first"].notna().to_numpy()
            first[there] = span["first"].to_numpy()[there]
            last[there] = span["last"].to_numpy()[there]
        return first, last

    def unknown(self) -> pd.DataFrame:
        """Return the series whose baseline is not known."""
        mine = self.targets[np.isnan(self.base.high[self.targets["at"]])]
        reasons = [self.base.reason[at] for at in mine["at"]]
        return metered.not_evaluated(self.in_force, mine["row"].to_numpy(), reasons, mine["parameter"].tolist())

    def normal_days(self) -> pd.DataFrame:
        """Return the days of each series, and which of them made its baseline."""
        days = self.days.assign(left_out=self.base.left_out, average=self.days["low"], at=self.days["series"])
        rows = self.targets.drop_duplicates("at")[["at", "row", "facility", "outfall", "parameter"]]
        frame = days[["at", "day", "covered", "length", "average", "left_out"]].merge(rows, on="at")
        for name in ("pack", "limit_id"):
            frame[name] = self.in_force[name].astype(str).to_numpy()[frame["row"]]
        return frame.drop(columns=["at", "row"])


def _doubted(log: Readings) -> tuple[Floats, Floats]:
    """Return the readings; of two of which it is unknown which came first, each may be either."""
    if not len(log.once):
        return log.low, log.high
    low, high = log.low.copy(), log.high.copy()
    low[log.once] = low[log.again] = np.minimum(log.low[log.once], log.low[log.again])
    high[log.once] = high[log.again] = np.maximum(log.high[log.once], log.high[log.again])
    return low, high


def _count(slugs: pd.DataFrame, verdicts: list[str], key: pd.MultiIndex) -> Floats:
    """Count the runs with these verdicts for each limit, series and month."""
    mine = slugs[slugs["verdict"].isin(verdicts)]
    counts = mine.groupby(["number", "series", "month"]).size()
    return np.asarray(counts.reindex(key, fill_value=0), dtype=np.float64)


def _together(
    slugs: list[pd.DataFrame], values: list[pd.DataFrame], missing: list[pd.DataFrame], days: list[pd.DataFrame]
) -> Examined:
    """Join the parts, each table whole even if empty."""

    def joined(parts: list[pd.DataFrame], names: Sequence[str]) -> pd.DataFrame:
        if any(len(part) for part in parts):
            return pd.concat([part for part in parts if len(part)], ignore_index=True)
        return pd.DataFrame({name: columns.missing(name, 0) for name in names})

    found = joined(slugs, [*columns.TABLES["slugs"], "fraction", "limit_id", "above_baseline", "series", "limit"])
    found = found.sort_values(list(columns.SORTED_BY["slugs"]), kind="stable", ignore_index=True)
    return Examined(
        found,
        joined(values, _VALUE_COLUMNS),
        joined(missing, list(columns.TABLES["not_evaluated"])),
        joined(days, _DAY_COLUMNS),
    )
