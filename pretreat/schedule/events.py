"""Events: what happened when, as somebody wrote it down (interface, "Columns", events), and which answers which.

An event without a time of day may have happened at any time of its day: it is kept as its first and last second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import parameters
from pretreat.errors import UsageError
from pretreat.tidy.times_of_day import FIRST_YEAR, LAST_YEAR, outside

Times = npt.NDArray[np.datetime64]
Positions = npt.NDArray[np.int64]

SYNONYMS: Final[dict[str, str]] = {
    "became aware": "aware",
    "awareness": "aware",
    "notified": "notice",
    "notification": "notice",
    "24-hour notice": "notice",
    "notice given": "notice",
    "notice of violation given": "notice",
    "resample": "resampling results",
    "resample results": "resampling results",
    "resampling": "resampling results",
    "repeat results": "resampling results",
    "repeat sampling results": "resampling results",
    "report": "report received",
    "report submitted": "report received",
    "milestone met": "milestone reached",
}
"""Other words for the events of 40 CFR 403.12 and 403.8."""

_EPOCH: Final = 1 << 35  # keeps dates before 1970 positive beside a key's number
_TIME: Final = re.compile(r"\d:\d\d")
_SHAPES: Final = (
    "%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S",
    "%m/%d/%Y", "%m/%d/%Y %H:%M", "%m/%d/%Y %I:%M %p", "%m/%d/%Y %H:%M:%S",
)  # fmt: skip
_AMOUNT: Final = re.compile(r"(\d*\.?\d+)\s*([a-z\"]*)\.?", re.IGNORECASE)
_INCHES: Final = {"": 1.0, "in": 1.0, "inch": 1.0, "inches": 1.0, '"': 1.0, "mm": 1 / 25.4, "cm": 1 / 2.54}


def normal(name: object) -> str:
    """Return an event's name in one spelling.

    Examples
    --------
    >>> normal(" Became  aware ")
    'aware'
    """
    text = " ".join(str(name).lower().split())
    return SYNONYMS.get(text, text)


def _moment(value: object, row: int) -> tuple[np.datetime64, bool]:
    """Return a date cell and whether it tells a time of day."""
    found: datetime | None = None
    if isinstance(value, datetime):
        found, timed = value, value.time() != datetime.min.time()
    elif isinstance(value, date):
        found, timed = datetime(value.year, value.month, value.day), False
    else:
        text, timed = " ".join(str(value).split()), bool(_TIME.search(str(value)))
        for shape in _SHAPES:
            try:
                found = datetime.strptime(text, shape)
                break
            except ValueError:
                continue
    if found is None or pd.isna(found) or not FIRST_YEAR <= found.year <= LAST_YEAR:
        raise UsageError(
            f"{value!r} is not a date.", where=f"events, row {row}, date", todo="Write 2026-05-20 or 2026-05-20 14:00."
        )
    return np.datetime64(found.replace(tzinfo=None), "s"), timed


def _amount(value: object, row: int) -> float:
    if isinstance(value, int | float):
        return float(value)
    text = str(value).strip()
    if not text:
        return float("nan")
    found = _AMOUNT.fullmatch(text)
    if found is None or found[2].lower() not in _INCHES:
        raise UsageError(
            f"{value!r} is not an amount.", where=f"events, row {row}, amount", todo="Write 0.6 in, or 15 mm."
        )
    return float(found[1]) * _INCHES[found[2].lower()]


def tidy(events: pd.DataFrame | None) -> pd.DataFrame:
    """Return events with one spelling, one kind of time and every column.

    Parameters
    ----------
    events : DataFrame or None
        `event` and `date` (text, dates or times); `facility` (empty: it concerns everybody), `time`, `concerns` (the
        report, site or tank that it is about), `parameter`, `outfall`, `sampled` (the sample's date) and `amount`
        (rain) [in] where they are known.

    Returns
    -------
    DataFrame
        `facility`, `event`, `lo` and `hi` (the first and last second that it can be), `timed`, `concerns`, `parameter`,
        `outfall`, `sampled`, `amount` [in].

    Raises
    ------
    UsageError
        For a missing column, and for a date or amount that cannot be read, with its row.

    Examples
    --------
    >>> made = tidy(pd.DataFrame({"facility": ["Acme"], "event": ["Aware"], "date": ["2026-05-20 14:00"]}))
    >>> made.event[0], str(made.lo[0]), bool(made.timed[0])
    ('aware', '2026-05-20 14:00:00', True)
    """
    given = pd.DataFrame({"event": [], "date": []}) if events is None else events
    given = given.rename(columns={name: str(name).strip().lower() for name in given.columns})
    for name in ("event", "date"):
        if name not in given:
            raise UsageError(f"there is no column {name!r}.", where="events", todo="It needs facility, event and date.")
    given = given[given["event"].notna() & (given["event"].astype(str).str.strip() != "")]
    when = given["date"]
    if "time" in given:
        clock = given["time"].where(given["time"].notna(), "").astype(str).str.strip()
        when = when.where(clock == "", when.astype(str).str.slice(0, 10) + " " + clock.str.slice(0, 5))
    rows = range(2, len(given) + 2)
    if isinstance(when.dtype, np.dtype) and when.dtype.kind == "M" and not when.isna().any():
        low = when.to_numpy("datetime64[s]")
        if (far := outside(low.view(np.int64))).any():
            _moment(when.iloc[int(far.argmax())], rows[int(far.argmax())])
        timed = low != low.astype("datetime64[D]")
    else:
        moments = [_moment(value, row) for value, row in zip(when, rows, strict=True)]
        low = np.array([moment for moment, _ in moments], dtype="datetime64[s]")
        timed = np.array([told for _, told in moments], dtype=bool)
    text = {
        name: given[name].where(given[name].notna(), "").astype(str).str.strip().to_numpy(object)
        if name in given
        else np.full(len(given), "", dtype=object)
        for name in ("facility", "concerns", "parameter", "outfall")
    }
    codes, spelled = pd.factorize(given["event"])
    spelling = np.array([normal(name) for name in spelled], dtype=object)
    known = {name: parameters.identify(name).parameter for name in set(text["parameter"]) - {""}}
    text["parameter"] = np.array([known.get(name, name) for name in text["parameter"]], dtype=object)
    sampled = np.full(len(given), np.datetime64("NaT", "s"))
    if "sampled" in given:
        for at, (value, row) in enumerate(zip(given["sampled"], rows, strict=True)):
            if pd.notna(value) and value != "":
                sampled[at] = _moment(value, row)[0].astype("datetime64[D]")
    amount = np.full(len(given), np.nan)
    if "amount" in given:
        amount[:] = [_amount(value, row) for value, row in zip(given["amount"], rows, strict=True)]
    return pd.DataFrame(
        {
            **text,
            "event": spelling[codes] if len(given) else np.array([], dtype=object),
            "lo": low,
            "hi": np.where(timed, low, low + np.timedelta64(86399, "s")),
            "timed": timed,
            "sampled": sampled,
            "amount": amount,
        }
    )


class Log:
    """Events of some names, to be asked for the first one after, or the last one before, a moment.

    An event answers another of the same facility (an event without a facility answers everybody's) where both concern
    the same thing or either does not say what it concerns.

    Parameters
    ----------
    rows : DataFrame
        Of `tidy`.
    """

    def __init__(self, rows: pd.DataFrame) -> None:
        self.rows = rows.sort_values("lo", kind="stable", ignore_index=True)

    @cached_property
    def _index(self) -> tuple[Positions, pd.Index]:
        """Each row twice, by facility alone and by facility and thing: a number for its key, and the keys."""
        facility, concerns = (self.rows[name].to_numpy(object) for name in ("facility", "concerns"))
        codes, names = pd.factorize(np.concatenate([facility + "\x1f*", facility + "\x1f=" + concerns]))
        return codes.astype(np.int64) << 36, pd.Index(names)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the events that it holds."""
        return frozenset(self.rows["event"])

    def named(self, *names: str) -> Log:
        """Return the events of these names alone."""
        return Log(self.rows[self.rows["event"].isin([normal(name) for name in names])])

    def first(self, facility: Iterable[str], concerns: Iterable[str], times: Times) -> Positions:
        """Return the row of the first event that can be at or after each time, -1 where there is none."""
        return self._ask(list(facility), list(concerns), times, "hi")

    def last(self, facility: Iterable[str], concerns: Iterable[str], times: Times) -> Positions:
        """Return the row of the last event that can be at or before each time, -1 where there is none."""
        return self._ask(list(facility), list(concerns), times, "lo")

    def _ask(self, facility: list[str], concerns: list[str], times: Times, column: str) -> Positions:
        best = np.full(len(times), -1, dtype=np.int64)
        if not len(self.rows) or not len(times):
            return best
        numbers, known = self._index
        at_seconds = self.rows[column].to_numpy("datetime64[s]").astype(np.int64)
        joined = numbers + np.tile(at_seconds + _EPOCH, 2)
        order = np.argsort(joined, kind="stable")
        joined, position = joined[order], order % len(self.rows)
        sought = np.where(np.isnat(times), 0, times.astype("datetime64[s]").astype(np.int64)) + _EPOCH
        forward = column == "hi"
        for owner in (facility, [""] * len(facility)):
            for blank in (False, True):
                keys = [
                    f"{name}\x1f*" if not about else f"{name}\x1f={'' if blank else about}"
                    for name, about in zip(owner, concerns, strict=True)
                ]
                codes = known.get_indexer(pd.Index(keys, dtype=known.dtype)).astype(np.int64)
                at = np.searchsorted(joined, (codes << 36) + sought, side="left" if forward else "right") - (
                    not forward
                )
                inside = (codes >= 0) & (at >= 0) & (at < len(joined)) & ~np.isnat(times)
                at = np.where(inside, at, 0)
                inside &= (joined[at] >> 36) == codes
                found = np.where(inside, position[at], -1)
                here, there = at_seconds[np.maximum(found, 0)], at_seconds[np.maximum(best, 0)]
                nearer = (found >= 0) & ((best < 0) | ((here < there) if forward else (here > there)))
                best = np.where(nearer, found, best)
        return best

    def take(self, at: Positions, column: str) -> Times:
        """Return `lo` or `hi` of the rows at these positions; NaT at -1."""
        values = self.rows[column].to_numpy("datetime64[s]")
        if not len(values):
            return np.full(len(at), np.datetime64("NaT", "s"), dtype="datetime64[s]")
        return np.where(at >= 0, values[np.maximum(at, 0)], np.datetime64("NaT", "s"))
