"""One value made again from the results of a report: which samples it rests on, and under which rules it comes out.

The tables of a report do not say under which rule non-detects were counted. The value tells: the rules that give it
again are those that it was made under.
"""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import meters, parameters
from pretreat.averages.averages import AVERAGES, Averages, Rules
from pretreat.averages.blocks import Block
from pretreat.averages.readings import daily_extremes, instantaneous
from pretreat.listing import distinct
from pretreat.measurements.measure import COMPOSITE, CONTINUOUS, GRAB, UNTYPED, Measured, measure
from pretreat.nondetects import RULES
from pretreat.relations import half_up
from pretreat.settings import default

_Array = npt.NDArray[Any]

PLACE: Final = ("facility", "outfall", "parameter", "fraction")
_AS_PRINTED: Final = ("value_text", "unit_text", "source_file", "source_sheet", "source_cell")
_OF_SAMPLES: Final = ("start", "end", "timed", "sample_type", "statistic", "utc_offset")
_OF_RESULTS: Final = ("order", "value", "qualifier", "estimated", "detection_limit", "reporting_limit")
_DAY: Final = 86_400
_ROUNDED: Final = re.compile(r"rounded to (\d+) decimals? from ([-+.\de]+)(?: and ([-+.\de]+))?")


@dataclass(frozen=True, eq=False)
class Made:
    """A value as it was made again: the block and the place in it, the rules, and the averages that it came from."""

    measured: Measured
    results: Records
    rules: Rules
    block: Block
    at: int
    averages: Averages | None

    @property
    def measurements(self) -> _Array:
        """The measurements that the value rests on."""
        rows: _Array = self.block.measurements(np.array([self.at]))[0]
        return rows


class Places:
    """The results of a report by place; those of a user are measured when one of them is asked for.

    Parameters
    ----------
    results : DataFrame
        As `columns.TABLES["results"]`.
    settings : mapping, optional
        The settings in use, as the provenance of a report has them; the defaults where it is silent.
    """

    def __init__(self, results: pd.DataFrame, settings: Mapping[str, str] | None = None) -> None:
        self.results, self.settings = results, dict(settings or {})
        keys, of = distinct(results, PLACE) if len(results) else ([], np.empty(0, dtype=np.int64))
        order = np.argsort(of, kind="stable")
        ends = np.searchsorted(of[order], np.arange(len(keys) + 1))
        self._rows = {key: order[ends[i] : ends[i + 1]] for i, key in enumerate(keys)}
        self.at, self.blocks, self._measured = cache(self._at), cache(self._values), cache(self._measure)

    def rows(self, place: tuple[str, ...]) -> _Array:
        """Return the positions of a place's results."""
        return self._rows.get(place, np.empty(0, dtype=np.int64))

    def of_user(self, facility: str) -> _Array:
        """Return the positions of a user's results."""
        return self._together(key for key in self._rows if key[0] == facility)

    def of_parameter(self, place: tuple[str, str, str]) -> _Array:
        """Return the positions of the results of a user's outfall and parameter, in whichever fraction."""
        return self._together(key for key in self._rows if key[:3] == place)

    def _together(self, keys: Iterable[tuple[str, ...]]) -> _Array:
        return np.sort(np.concatenate([np.empty(0, dtype=np.int64), *(self._rows[key] for key in keys)]))

    def _at(self, place: tuple[str, ...], unit: str = "") -> tuple[Records, Measured] | None:
        if place not in self._rows:
            return None
        rows, measured, series = self._measured(place[0])
        own = [at for at, name in enumerate(series) if name[:-1] == place]
        # A load stands beside the concentration that it was made of.
        own = [at for at in own if series[at][-1] == unit] or own
        return self.records.at(rows), part(measured, own[0], own[-1] + 1)

    def _measure(self, facility: str) -> tuple[_Array, Measured, list[tuple[str, ...]]]:
        """Return the positions of a user's results, their measurements, and what tells each series of these."""
        rows = self.of_user(facility)
        measured = measure(self._figures.iloc[rows])
        names = (measured.series[name].astype(str).tolist() for name in (*PLACE, "unit"))
        return rows, measured, list(zip(*names, strict=True))

    @cached_property
    def records(self) -> Records:
        """The results as plain values."""
        return Records(self.results)

    @cached_property
    def _figures(self) -> pd.DataFrame:
        """The results without what only says where a number is printed, and how."""
        return self.results.drop(columns=[name for name in _AS_PRINTED if name in self.results])

    def _values(
        self, place: tuple[str, ...], unit: str, rules: Rules, statistic: str, bound: str
    ) -> tuple[tuple[Block, Averages | None], ...]:
        """Return all values of one statistic at a place; findings of one series are found among the same ones."""
        found = self.at(place, unit)
        return () if found is None else tuple(_blocks(found[1], rules, statistic, bound))

    def made(self, row: Mapping[Any, Any]) -> Made | None:
        """Return how a row of `comparisons` came about; None where it cannot be made again from one place's results.

        Sums of several parameters, loads, counts and bounds from parts are not.
        """
        place, unit = tuple(str(row[name]) for name in PLACE), str(row["unit"])
        found = self.at(place, unit)
        if found is None:
            return None
        own, measured = found
        begins = 0 if row["statistic"] == "instantaneous" else _time_of_day(row["period_start"])
        for rules in _candidates(replace(self.known(str(row["pack"])), begins=begins)):
            for block, averages in self.blocks(place, unit, rules, str(row["statistic"]), str(row["bound"])):
                at = _match(block, row)
                if at is not None:
                    return Made(measured, own, rules, block, at, averages)
        return None

    def known(self, pack: str) -> Rules:
        """Return the rules of a pack's limits as a report says them; a row of limits may have others of its own.

        Examples
        --------
        >>> nothing = pd.DataFrame()
        >>> Places(nothing, {"complete_day": "0.9 (ny/x); 0.5 (ny/y)"}).known("ny/y").complete_day
        0.5
        """
        names = ("nondetects", "estimated", "max_gap", "thirty_day", "complete_day")
        nondetects, estimated, gap, thirty, part = (in_use(self.settings, name, pack) for name in names)
        return Rules(nondetects, estimated, 0, meters.seconds(gap), thirty, complete_day=float(part))

    def series(
        self, place: tuple[str, ...], unit: str, statistic: str, rules: Rules, bound: str = "upper"
    ) -> Iterator[Block]:
        """Return all values of one statistic at a place, for the measurements of significant noncompliance."""
        for block, _ in self.blocks(place, unit, rules, statistic, bound):
            yield block


class Records:
    """The rows of a frame, each made into plain values when it is asked for; the columns are taken out once.

    Examples
    --------
    >>> Records(pd.DataFrame({"parameter": ["Zinc"], "value": [1.5]}))[0]
    {'parameter': 'Zinc', 'value': 1.5}
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self._texts: dict[str, tuple[_Array, list[Any]]] = {}
        self._others: dict[str, Any] = {}
        self._rows: _Array | None = None
        for name, column in frame.items():
            if isinstance(column.dtype, pd.CategoricalDtype):
                self._texts[str(name)] = (column.cat.codes.to_numpy(), [*column.cat.categories, np.nan])
            else:
                self._others[str(name)] = column.array
        self._names = [str(name) for name in frame]

    def at(self, rows: _Array) -> Records:
        """Return some of the rows; the columns are not taken out again.

        Examples
        --------
        >>> Records(pd.DataFrame({"value": [1.5, 2.5]})).at(np.array([1]))[0]
        {'value': 2.5}
        """
        some = copy.copy(self)
        some._rows = rows if self._rows is None else self._rows[rows]
        return some

    def __getitem__(self, at: int) -> dict[str, Any]:
        """Return one row."""
        at = at if self._rows is None else int(self._rows[at])
        row = dict.fromkeys(self._names)
        for name, (codes, texts) in self._texts.items():
            row[name] = texts[codes[at]]
        for name, array in self._others.items():
            cell = array[at]
            row[name] = cell.item() if isinstance(cell, np.generic) else cell
        return row


def part(measured: Measured, first: int, last: int) -> Measured:
    """Return the measurements of the series from `first` to before `last`, as if there were no others.

    Examples
    --------
    >>> both = pd.DataFrame({"facility": "A", "parameter": ["Zinc", "Lead"], "value": [1.0, 2.0],
    ...     "start": pd.to_datetime(["2026-10-07", "2026-10-08"])})
    >>> alone = part(measure(both), 1, 2)
    >>> alone.value.tolist(), alone.results_of(np.array([0]))[0].tolist()
    ([1.0], [0])
    """
    begin, end = measured.bounds[[first, last]].tolist()
    samples = results = slice(begin, end)
    if measured.first is not None:
        heads = np.append(measured.first, len(measured.value))
        results = slice(*heads[[begin, end]].tolist())
    arrays: dict[str, Any] = {
        name: None if getattr(measured, name) is None else getattr(measured, name)[rows]
        for names, rows in ((_OF_SAMPLES, samples), (_OF_RESULTS, results))
        for name in names
    }
    if measured.order is None:
        arrays["order"] = np.arange(results.start, results.stop)
    if measured.first is not None:
        arrays["first"] = measured.first[samples] - results.start
    series = measured.series.iloc[first:last].reset_index(drop=True)
    return replace(measured, series=series, bounds=measured.bounds[first : last + 1] - begin, **arrays)


def record(frame: pd.DataFrame, at: int) -> dict[str, Any]:
    """Return one row as plain values.

    Examples
    --------
    >>> record(pd.DataFrame({"parameter": ["Zinc"], "value": [1.5]}), 0)
    {'parameter': 'Zinc', 'value': 1.5}
    """
    return Records(frame.iloc[at : at + 1])[0]


def in_use(settings: Mapping[str, str], name: str, pack: str) -> str:
    """Return a setting as a pack's limits use it, from the provenance of a report; its default where that is silent.

    Examples
    --------
    >>> in_use({"max_gap": "5 min (ny/x); 60 min (ny/y)"}, "max_gap", "ny/x"), in_use({}, "max_gap", "ny/x")
    ('5 min', '60 min')
    """
    said = settings.get(name, default(name))
    each = {end: value for value, _, end in (part.partition(" (") for part in said.split("; "))}
    return each.get(f"{pack})", each.get("", default(name)))


def _time_of_day(when: Any) -> int:
    stamp = pd.Timestamp(when)
    return int((stamp - stamp.normalize()).total_seconds())


def _candidates(known: Rules) -> Iterator[Rules]:
    """Return the rules that a value can have been made under: those that are known first, then the others."""
    estimates, thirties, below = (
        sorted(values, key=lambda value, first=first: value != first)
        for first, values in (
            (known.estimated, ("value", "detection limit", "zero", "interval")),
            (known.thirty_day, ("open", "calendar", "consecutive")),
            (known.nondetects, RULES),
        )
    )
    for estimated, thirty, nondetects in itertools.product(estimates, thirties, below):
        yield replace(known, nondetects=nondetects, estimated=estimated, thirty_day=thirty)
    # Limits for one type of sample look at these alone.
    types = (1 << GRAB, 1 << COMPOSITE, 1 << COMPOSITE | 1 << CONTINUOUS, 1 << CONTINUOUS, 1 << UNTYPED)
    for samples, thirty, nondetects in itertools.product(types, thirties, below):
        yield replace(known, nondetects=nondetects, thirty_day=thirty, samples=samples)


def _blocks(measured: Measured, rules: Rules, statistic: str, bound: str) -> Iterator[tuple[Block, Averages | None]]:
    everything = np.ones(len(measured.series), dtype=bool)
    plain = all(parameters.get(str(name)).averaged for name in measured.series["parameter"])
    if statistic == "instantaneous":
        for block in instantaneous(measured, rules, 0, everything):
            yield block, None
    elif statistic in AVERAGES and plain:
        made = Averages(measured, rules, 0, everything)
        made.lower_wanted = bound == "lower"
        for block in made.blocks(statistic):
            if not block.bound or block.bound == bound:
                yield block, made
    elif statistic == "daily maximum":
        for block in daily_extremes(measured, rules, 0, everything, statistic, bound):
            yield block, None


def _match(block: Block, row: Mapping[Any, Any]) -> int | None:
    """Return which value of a block a row is: the same period, as many samples, the same ends to one part in 10⁹."""
    if not len(block):
        return None
    start, end = block.span()
    begin, finish = (
        int(np.datetime64(pd.Timestamp(row[name]), "s").astype(np.int64)) for name in ("period_start", "period_end")
    )
    fits = (start == begin) & (end == finish)
    if row.get("n") is not None:
        fits &= block.n == int(row["n"])
    figures = _ROUNDED.search(str(row.get("reason", "")))
    decimals = np.full(len(block), int(figures[1]) if figures else -1, dtype=np.int8)
    for ends, name in ((block.value.low, "low"), (block.value.high, "high")):
        if row[name] is not None:  # an end that is not asked for
            fits &= np.isclose(half_up(ends, decimals), float(row[name]), rtol=1e-9, atol=0)
            if figures:  # what it was before has six figures
                before = figures[2] if name == "low" else figures[3] or figures[2]
                fits &= np.isclose(ends, float(before), rtol=1e-5, atol=0)
    places = np.flatnonzero(fits)
    return int(places[0]) if len(places) else None
