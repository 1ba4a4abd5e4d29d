"""Limits that look at timed readings: the series that each is held against, and the settings that it is held under."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, meters
from pretreat.limits.provisions import Limit, Limits
from pretreat.measurements.measure import PLACE, Measured
from pretreat.meters.timed import Ints, Readings
from pretreat.settings import default

HERE = ["facility", "outfall"]


def setting(name: str, limit: Limit, limits: Limits, settings: Mapping[str, str]) -> str:
    """Return what is decided for a limit: by the user, else the row, else its pack, else the default.

    Examples
    --------
    >>> limit = Limit(pack="a", id="1", key="1", cite="§ 1", parameter="Flow", statistic="slug", unit="")
    >>> setting("max_gap", limit, Limits(()), {}), setting("max_gap", limit, Limits(()), {"max_gap": "5 min"})
    ('60 min', '5 min')
    """
    own = limit.settings.get(name) or limits.settings.get(limit.pack, {}).get(name)
    return settings.get(name) or own or default(name)


def clock(text: str) -> int:
    """Return a time of day as seconds after midnight.

    Examples
    --------
    >>> clock("07:00")
    25200
    """
    hours, minutes = text.split(":")
    return int(hours) * 3600 + int(minutes) * 60


def series_table(measured: Measured) -> pd.DataFrame:
    """Return the series as plain text, with their codes in a column `series`."""
    table = pd.DataFrame({name: measured.series[name].astype(str).to_numpy() for name in PLACE})
    return table.assign(series=np.arange(len(table), dtype=np.int64))


def pairs(table: pd.DataFrame, in_force: pd.DataFrame, rows: Ints, aims: Callable[[pd.DataFrame], Any]) -> pd.DataFrame:
    """Match rows of `in_force` with the series at the same place that they aim at.

    Parameters
    ----------
    table : DataFrame
        From `series_table`.
    in_force : DataFrame
        The limits in force.
    rows : array of int
        Those that are meant.
    aims : callable
        Gets each row of `in_force` beside each series of its place (`parameter_x` is the limit's, `parameter` the
        series', `row` and `series` their positions) and returns which of these it aims at.

    Returns
    -------
    DataFrame
        `row` and `series` of each pair, with the series' names.
    """
    mine = in_force.iloc[rows]
    left = pd.DataFrame({name: mine[name].astype(str).to_numpy() for name in HERE})
    left["row"], left["limit"] = rows, mine["limit"].to_numpy()
    left["parameter_x"], left["fraction_x"] = (mine[name].astype(str).to_numpy() for name in ("parameter", "fraction"))
    both = left.merge(table, on=HERE, how="inner")
    return both[np.asarray(aims(both), dtype=bool)].reset_index(drop=True)


@dataclass
class Meters:
    """The timed readings of some series, and what is worked out of them once for all limits that ask.

    Parameters
    ----------
    measured : Measured
        The measurements.
    wanted : array of bool
        For each series code, whether a limit aims at it.
    zones : mapping
        The time zone of each facility and outfall, where known.
    least : int
        How many readings a series must have on some day.
    """

    measured: Measured
    wanted: npt.NDArray[np.bool_]
    zones: Mapping[tuple[str, str], str] = field(default_factory=dict)
    least: int = meters.timed.READINGS_A_DAY
    _made: dict[tuple[object, ...], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.series, self.rows = meters.timed_series(self.measured, self.wanted, self.least)
        self.position = np.full(len(self.wanted), -1, dtype=np.int64)
        self.position[self.series] = np.arange(len(self.series))

    def _once(self, key: tuple[object, ...], make: Callable[[], Any]) -> Any:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def log(self, nondetects: str, estimated: str) -> Readings:
        """Return the readings under one rule for non-detects and estimates."""
        names = self.measured.series
        zones = None
        if self.zones:
            here = names.iloc[self.series]
            zones = [self.zones.get(key, "") for key in zip(here["facility"], here["outfall"], strict=True)]
        log: Readings = self._once(
            (nondetects, estimated),
            lambda: meters.readings(
                self.measured, self.series, self.rows, nondetects=nondetects, estimated=estimated, zones=zones
            ),
        )
        return log

    def days(self, log: Readings, max_gap: int, day_begins: int) -> pd.DataFrame:
        """Return the daily averages."""
        days: pd.DataFrame = self._once((id(log), max_gap, day_begins), lambda: meters.daily(log, max_gap, day_begins))
        return days


def zones(users: pd.DataFrame | None) -> dict[tuple[str, str], str]:
    """Return the time zone of each place that has one.

    Examples
    --------
    >>> zones(pd.DataFrame({"facility": ["A", "B"], "outfall": "001", "time_zone": ["America/New_York", ""]}))
    {('A', '001'): 'America/New_York'}
    """
    if users is None or "time_zone" not in users:
        return {}
    outfall = users["outfall"].astype(str) if "outfall" in users else pd.Series("", index=users.index)
    known = users["time_zone"].astype(str).where(users["time_zone"].notna(), "")
    return {(str(who), where): zone for who, where, zone in zip(users["facility"], outfall, known, strict=True) if zone}


def zoned(measured: Measured, users: pd.DataFrame | None) -> Measured:
    """Return measurements with the time zone of each series, as the facilities file has it.

    Examples
    --------
    >>> from pretreat.measurements.measure import measure
    >>> zinc = pd.DataFrame({"facility": ["A"], "outfall": "001", "parameter": "Zinc", "value": 1.0,
    ...     "start": pd.to_datetime(["2026-10-01"])})
    >>> users = pd.DataFrame({"facility": ["A"], "outfall": "001", "time_zone": "America/New_York"})
    >>> zoned(measure(zinc), users).zones
    ('America/New_York',)
    """
    known = zones(users)
    if not known:
        return measured
    places = zip(*(measured.series[name].astype(str) for name in HERE), strict=True)
    return replace(measured, zones=tuple(known.get((facility, outfall), "") for facility, outfall in places))


def within(in_force: pd.DataFrame, rows: Ints, times: npt.NDArray[np.datetime64]) -> npt.NDArray[np.bool_]:
    """Say of each row of `in_force` whether it is in force at the time beside it."""
    since, until = (in_force[name].to_numpy().astype("datetime64[s]")[rows] for name in ("from", "until"))
    inside: npt.NDArray[np.bool_] = (np.isnat(since) | (times >= since)) & (np.isnat(until) | (times < until))
    return inside


def not_evaluated(
    in_force: pd.DataFrame, rows: Sequence[int] | Ints, reasons: Sequence[str], parameters: Sequence[str] | None = None
) -> pd.DataFrame:
    """Return rows for the table `not_evaluated`, one for each row of `in_force` named."""
    names = [name for name in columns.TABLES["not_evaluated"] if name != "reason"]
    found = in_force.iloc[np.asarray(rows, dtype=np.int64)]
    table = pd.DataFrame({name: found[name].astype(str).to_numpy() for name in names})
    if parameters is not None and len(table):
        table["parameter"] = list(parameters)
    table["reason"] = list(reasons)
    return table.drop_duplicates(ignore_index=True)
