"""Averages over named periods: days, 4 monitoring days, weeks, calendar months, 30 days, 12 months.

Each carries n, the number of non-detects and its period. pH and temperature are never averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pretreat import stretches
from pretreat.averages.blocks import REFUSED, Block, Detail
from pretreat.averages.by_flow import SAID, weighted
from pretreat.averages.days import DAY, Days, days, mean
from pretreat.averages.intervals import between, long_means, mirror, where
from pretreat.averages.medians import median, of_sets
from pretreat.averages.refused import refused
from pretreat.averages.windows import THIRTY, Groups, calendar, worst_thirty, worst_window
from pretreat.measurements.measure import SAMPLE_TYPES, Measured
from pretreat.measurements.sample_types import UNTOLD
from pretreat.nondetects import Bools, Floats, Interval

Ints = npt.NDArray[Any]

DAILY: Final = ("24-hour average", "daily maximum")
AVERAGES: Final = (
    *DAILY,
    "4-day average",
    "weekly average",
    "monthly average",
    "30-day average",
    "12-month average",
    "median",
    "geometric mean",
)
_NO_DAY = REFUSED.index("no daily value that can be evaluated")
_ZERO = REFUSED.index("the geometric mean of a zero")
_UNTYPED: Final = {
    1 << code: REFUSED.index(f"the limit is for a {kind}, and the sample type is not given")
    for code, kind in enumerate(SAMPLE_TYPES)
    if code
}


@dataclass(frozen=True)
class Rules:
    """What an average is made under: the settings of `settings.AVERAGING`, read.

    `samples` says of which types of samples it is made (bits of `measurements.samples_of`); 0 for all.
    `week_starts` counts from Sunday; `by_flow` weights the grabs of a day.
    """

    nondetects: str = "interval"
    estimated: str = "value"
    begins: int = 0
    max_gap: int = 3600
    thirty_day: str = "open"
    samples: int = 0
    week_starts: int = 0
    by_flow: bool = False
    complete_day: float = 0.9


class Averages:
    """All averages of some series under one set of rules, each made when it is asked for.

    Parameters
    ----------
    measured : Measured
        The measurements.
    rules : Rules
        What they are made under.
    index : int
        The number of these rules, which the values carry.
    """

    def __init__(self, measured: Measured, rules: Rules, index: int = 0, wanted: Bools | None = None) -> None:
        self.measured, self.rules, self.index, self.wanted = measured, rules, index, wanted

    @cached_property
    def days(self) -> Days:
        """The daily values."""
        value = self.measured.interval(self.rules.nondetects, self.rules.estimated)
        plain = days(
            self.measured,
            value,
            begins=self.rules.begins,
            max_gap=self.rules.max_gap,
            complete_day=self.rules.complete_day,
            wanted=self.wanted,
            samples=self.rules.samples,
        )
        return weighted(plain, self.measured, value, max_gap=self.rules.max_gap, grabs=self.rules.by_flow)

    @cached_property
    def months(self) -> Groups:
        """The daily values by calendar month."""
        return calendar(self.days, "month")

    def blocks(self, statistic: str) -> list[Block]:
        """Return the values of one statistic of `AVERAGES`.

        Notes
        -----
        `monthly average`: the mean of the daily values of a calendar month; one value is enough (40 CFR 122.2 divides
        by the number of daily discharges measured). `4-day average`: of 4 consecutive monitoring days (40 CFR 413.14),
        one for each day that ends four. `weekly average`: Sunday to Saturday, unless the pack has `week_starts`.
        `12-month average`: of the daily values of the twelve calendar months that end with each. `median`, `geometric
        mean`: of a calendar month's.
        """
        if not len(self.days):
            return self._refused(statistic)
        made: Mapping[str, Callable[[str], list[Block]]] = {
            "4-day average": self._four_days,
            "30-day average": self._thirty_days,
            "12-month average": self._year,
        }
        if statistic in DAILY:
            return [self._day_block(statistic), *self._refused(statistic)]
        if statistic in made:
            return [*made[statistic](statistic), *(self._refused(statistic) if statistic == "30-day average" else [])]
        groups = calendar(self.days, "week", self.rules.week_starts) if statistic == "weekly average" else self.months
        how = {"median": self._median, "geometric mean": self._geometric}.get(statistic, self._mean)
        return [*self._grouped(statistic, groups, how(groups)), *self._refused(statistic)]

    def _day_block(self, statistic: str) -> Block:
        of = self.days
        low, high = (int(of.day.min()), int(of.day.max())) if len(of) else (0, 0)
        return Block(
            statistic=statistic,
            rules=self.index,
            series=of.series,
            value=of.value,
            n=of.counts,
            n_nondetect=of.n_nondetect,
            period=of.day,
            edges=np.arange(low, high + 2, dtype=np.int64) * DAY + of.begins,
            origin=low,
            first=of.first,
            last=of.last,
            rows=of.rows,
            kind=of.kind,
            reason=None if of.flow is None else np.array(SAID, dtype=object)[of.flow],
            refused=self._untyped(),
        )

    def _untyped(self, first: Ints | None = None, last: Ints | None = None) -> npt.NDArray[np.int8] | None:
        """Refuse days, or groups of days, with results that may be of another type than the limit is for."""
        samples = self.rules.samples
        if not samples & UNTOLD:
            return None
        of = self.days
        untold = np.ones(len(of), dtype=bool) if of.kind is None else of.kind == 0
        if first is not None and last is not None:
            total = np.concatenate([[0], np.cumsum(untold)])
            untold = total[last] > total[first]
        return np.where(untold, _UNTYPED[samples & ~UNTOLD], 0).astype(np.int8) if untold.any() else None

    def _refused(self, statistic: str) -> list[Block]:
        """Return days that have no value that can be judged, and months that hold nothing else."""
        if statistic not in (*DAILY, "monthly average", "30-day average"):
            return []
        if not len(self.days.overlong) and not len(self.days.partial):
            return []
        value = self.measured.interval(self.rules.nondetects, self.rules.estimated)
        if statistic in DAILY:
            return refused(self.days, self.measured, value, statistic, self.index)
        months = set(zip(self.days.series[self.months.first].tolist(), self.months.period.tolist(), strict=True))
        return refused(self.days, self.measured, value, statistic, self.index, months)

    def _grouped(self, statistic: str, groups: Groups, value: Interval, refused: Ints | None = None) -> list[Block]:
        of = self.days
        begin, end = groups.first, groups.last
        return [
            Block(
                statistic=statistic,
                rules=self.index,
                series=of.series[begin],
                value=value,
                n=self._sums(of.counts if of.n is not None else None, begin, end),
                n_nondetect=stretches.reduced(np.add, of.n_nondetect, begin, np.int64),
                period=groups.period,
                edges=groups.edges,
                origin=groups.origin,
                first=begin if of.first is None else of.first[begin],
                last=end if of.last is None else of.last[end - 1],
                rows=of.rows,
                refused=refused if refused is not None else self._unfit(statistic, value, begin, end),
                belongs=None if statistic == "weekly average" else self._belongs(groups),
                sampled=self._sampled(begin, end),
            )
        ]

    def _belongs(self, groups: Groups) -> Bools | None:
        """Say which months have a daily value in the period asked for; None where their last day decides."""
        if self.dates is None:
            return None
        start = self.days.day.astype(np.int64) * DAY + self.days.begins
        inside = (start >= self.dates[0]) & (start < self.dates[1])
        return np.logical_or.reduceat(inside, groups.first)

    @staticmethod
    def _sums(counts: Ints | None, first: Ints, last: Ints) -> Ints:
        return last - first if counts is None else stretches.reduced(np.add, counts, first, np.int64)

    def _unfit(self, statistic: str, value: Interval, first: Ints, last: Ints) -> npt.NDArray[np.int8] | None:
        """Refuse what is untyped, and the geometric mean of numbers of which one is zero: it has no logarithm."""
        untyped = self._untyped(first, last)
        if untyped is not None or statistic != "geometric mean" or not (value.high == 0).any():
            return untyped
        return np.where(value.high == 0, _ZERO, 0).astype(np.int8)

    def _mean(self, groups: Groups) -> Interval:
        """Average daily values; under the rule `median`, the median of a set that holds a non-detect."""
        average = mean(self.days.value, groups.first, groups.counts)
        return self._of_sets(average, groups.first, groups.last)

    def _of_sets(self, average: Interval, first: Ints, last: Ints) -> Interval:
        """Return averages of spans of daily values as the rule for non-detects has them."""
        if self.rules.nondetects != "median":
            return average
        return of_sets(average, self.days.value.low, self.days.n_nondetect > 0, first, last)

    def _median(self, groups: Groups) -> Interval:
        of, first, last = self.days, groups.first, groups.last
        low = median(of.value.low, first, last)
        return Interval(low, low if of.value.exact else median(of.value.high, first, last))

    def _geometric(self, groups: Groups) -> Interval:
        def of(values: Floats) -> Floats:
            with np.errstate(divide="ignore"):
                logs = np.log(values)
            return np.asarray(np.exp(np.add.reduceat(logs, groups.first) / groups.counts))

        low = of(self.days.value.low)
        return Interval(low, low if self.days.value.exact else of(self.days.value.high))

    def _four_days(self, statistic: str) -> list[Block]:
        of = self.days
        end = np.arange(3, len(of))
        end = end[of.series[3:] == of.series[: max(len(of) - 3, 0)]]
        return self._spans(statistic, end - 3, end + 1, of.day[end - 3], of.day[end] + 1) if len(end) else []

    def _year(self, statistic: str) -> list[Block]:
        """Average the daily values of twelve calendar months, ending with each month that has one."""
        months, of = self.months, self.days
        series = of.series[months.first]
        key = series.astype(np.int64) * (1 << 20) + months.period
        earliest = np.maximum(np.searchsorted(key, key - 11), np.searchsorted(series, series))
        first, last = months.first[earliest], months.last
        starts = (months.period - 11).astype("datetime64[M]").astype("datetime64[D]").astype(np.int32)
        ends = (months.period + 1).astype("datetime64[M]").astype("datetime64[D]").astype(np.int32)
        return self._spans(statistic, first, last, starts, ends)

    def _spans(
        self, statistic: str, first: Ints, last: Ints, start: Ints, end: Ints, value: Interval | None = None
    ) -> list[Block]:
        """Return averages over spans of daily values that may overlap; `start` and `end` are days, half open."""
        of = self.days
        if value is None:
            value = self._of_sets(long_means(of.value, first, last), first, last)
        n = np.concatenate([[0], np.cumsum(of.counts)])
        below = np.concatenate([[0], np.cumsum(of.n_nondetect, dtype=np.int64)])
        return [
            Block(
                statistic=statistic,
                rules=self.index,
                series=of.series[first],
                value=value,
                n=n[last] - n[first],
                n_nondetect=below[last] - below[first],
                begin=start.astype(np.int64) * DAY + of.begins,
                finish=end.astype(np.int64) * DAY + of.begins,
                first=first if of.first is None else of.first[first],
                last=last if of.last is None else of.last[last - 1],
                rows=of.rows,
                refused=self._untyped(first, last),
                sampled=self._sampled(first, last),
            )
        ]

    def _sampled(self, first: Ints, last: Ints) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the first and the last instant of the days behind groups of daily values."""
        day, begins = self.days.day, self.days.begins
        return day[first].astype(np.int64) * DAY + begins, (day[last - 1].astype(np.int64) + 1) * DAY + begins - 1

    def _thirty_days(self, statistic: str) -> list[Block]:
        """Return one value a calendar month: the calendar average, the worst over 30 consecutive days, or both."""
        month = self._grouped(statistic, self.months, self._mean(self.months))[0]
        if self.rules.thirty_day == "calendar":
            return [month]
        return [
            replace(month, value=self._thirty(month.value, side), bound=side, detail=partial(self._windows, side))
            for side in ("upper", "lower")[: 1 + self.lower_wanted]
        ]

    def both_thirties(self, side: str) -> list[Block]:
        """Return the 30-day averages by calendar month and by the worst window, each over its own days."""
        month = self._grouped("30-day average", self.months, self._mean(self.months))[0]
        value, found = self._worst[side]
        at = np.flatnonzero(found)
        last_day, first, last = self._worst_windows(side, at)
        worst = self._spans("30-day average", first, last, last_day - THIRTY + 1, last_day + 1, value.take(at))
        inside = None if month.belongs is None else [replace(worst[0], belongs=month.belongs[at])]
        worst = worst if inside is None else inside
        if self.rules.thirty_day == "open":
            return [month, *worst]
        rest = np.flatnonzero(~found)
        begin, finish = month.span(rest)
        first = self.months.first[rest]
        alone = self._spans("30-day average", first, self.months.last[rest], first, first, month.value.take(rest))[0]
        return [*worst, replace(alone, begin=begin, finish=finish)]

    @cached_property
    def _worst(self) -> dict[str, tuple[Interval, Bools]]:
        value, found = worst_thirty(self.days, self.months)
        worst = {"upper": (value, found & self._averaged)}
        if self.lower_wanted:
            value, found = worst_thirty(replace(self.days, value=mirror(self.days.value)), self.months)
            worst["lower"] = (mirror(value), found & self._averaged)
        return worst

    @property
    def _averaged(self) -> Bools:
        """Say of each month whether 30 consecutive days have a mean: under the rule `median`, only without non-detects.

        The rule (California) is for the set of a calendar month; a series with a non-detect is judged by that alone.
        """
        series = self.days.series
        if self.rules.nondetects != "median" or not len(series):
            return np.ones(len(self.months.first), dtype=bool)
        below = np.bincount(series, weights=self.days.n_nondetect > 0) > 0
        return ~below[series[self.months.first]]

    def _thirty(self, month: Interval, side: str) -> Interval:
        value, found = self._worst[side]
        if self.rules.thirty_day == "open":
            return between(month, value, found)
        return value if found.all() else where(found, value, month)

    def _worst_windows(self, side: str, at: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the worst window of some months: its last day, and its daily values (half open)."""
        of = self.days if side == "upper" else replace(self.days, value=mirror(self.days.value))
        return worst_window(of, self.months, at)

    def _windows(self, side: str, at: Ints) -> Detail:
        """Name the worst window of some months, and return its measurements (and the month's, where both count)."""
        of = self.days
        first, last = self.months.first[at].copy(), self.months.last[at].copy()
        found = self._worst[side][1][at]
        some = np.flatnonzero(found)
        reason = np.full(len(at), "", dtype=object)
        last_day, begin, end = self._worst_windows(side, at[some])
        days, place = np.unique(last_day, return_inverse=True)
        names = np.empty(len(days), dtype=object)
        names[:] = [f"worst 30 days {_date(day - THIRTY + 1)} to {_date(day)}" for day in days.tolist()]
        reason[some] = names[place]
        reason[~self._averaged[at]] = "the rule 'median' is for the calendar month"
        if self.rules.thirty_day == "open":
            begin, end = np.minimum(begin, first[some]), np.maximum(end, last[some])
        first[some], last[some] = begin, end
        return reason, first if of.first is None else of.first[first], last if of.last is None else of.last[last - 1]

    dates: tuple[int, int] | None = None
    """The seconds of a period given by its first and last day: a month belongs to it where a daily value of it does."""

    lower_wanted: bool = False
    """Whether a lower bound stands on a 30-day average, so that its worst window is the lowest."""


def _date(day: int) -> str:
    return str(np.datetime64(day, "D"))
