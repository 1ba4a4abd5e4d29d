"""Dates as laboratories print them: one order for a column, wall-clock time, the offset where a sheet tells it.

Texts of one shape (the same letters and signs, digits in the same places) are read together as arrays of digits, so
half a million time stamps take the time of a few. Whether `03/04/2026` is in March or April is the column's to decide.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat.tidy.times_of_day import DAY, FIRST, FIRST_YEAR, LAST, LAST_YEAR, UNKNOWN, zone_offset

Int = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]

ORDERS: Final = ("mdy", "dmy", "ymd")
_MONTHS: Final = {
    name: at
    for at, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_WEEKDAYS: Final = frozenset(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where the digits of a shape stand and what they are; the order of a `triple` is the column's to decide."""

    date: tuple[tuple[int, int], ...] = ()
    roles: str = ""
    month: int = 0
    time: tuple[tuple[int, int], ...] = ()
    half: str = ""
    offset: int = UNKNOWN
    zone: tuple[tuple[int, int], ...] = ()
    sign: int = 1
    packed_time: bool = False
    triple: bool = False


_TIME: Final = re.compile(
    r"(?:(?<=[\sT])|^)(?P<h>0{1,2})(?::(?P<m>00)(?::(?P<s>00)(?:[.,]0+)?)?)?\s*(?P<half>[ap]\.?m\.?)?"
    r"\s*(?P<zone>z|[a-z]{3,4}|(?:utc|gmt)?\s*[+-]00?:?(?:00)?)?$",
    re.IGNORECASE,
)
_TRIPLE: Final = re.compile(r"^(?P<a>0{1,4})(?P<sep>[/.\-])(?P<b>0{1,2})(?P=sep)(?P<c>0{1,4})$")
_NAMED: Final = (
    re.compile(
        r"^(?P<d>0{1,2})(?:st|nd|rd|th)?[ \-/.]*(?P<month>[a-z]{3,9})\.?[ ,\-/.]*(?P<y>0000|00)$", re.IGNORECASE
    ),
    re.compile(
        r"^(?P<month>[a-z]{3,9})\.?[ \-/.]*(?P<d>0{1,2})(?:st|nd|rd|th)?[ ,\-/.]+(?P<y>0000|00)$", re.IGNORECASE
    ),
    re.compile(r"^(?P<y>0000)[ \-/.]*(?P<month>[a-z]{3,9})\.?[ \-/.]*(?P<d>0{1,2})$", re.IGNORECASE),
)
_PACKED: Final = re.compile(r"^(?P<y>0000)(?P<m>00)(?P<d>00)$")
_ZEROS: Final = str.maketrans("123456789", "000000000")
_ZERO: Final = ord("0")
_LONGEST: Final = 80


def _clean(text: str) -> str:
    """Return a text in plain letters and spaces, without a weekday or a serial letter (`D-1/3/90`)."""
    text = " ".join(unicodedata.normalize("NFKC", text).replace("\u2013", "-").replace("\u2014", "-").split())
    text = re.sub(r"^[A-Za-z]-(?=\d)", "", text)
    match = re.match(r"^([A-Za-z]{3,9})[.,]*\s+(?=\S)", text)
    return text[match.end() :] if match and match[1][:3].lower() in _WEEKDAYS else text


@lru_cache(maxsize=4096)
def _plan(shape: str, example: str) -> _Plan | None:
    """Say what the digits of a shape are; None where it is no date. Digits of the shape are all `0`."""
    date, plan = shape, _Plan()
    time = _TIME.search(shape)
    if time and (time["m"] or time["half"]) and (time.start() == 0 or shape[: time.start()].strip(" T,-")):
        date = shape[: time.start()].rstrip(" T,-:")
        zone = time["zone"]
        minutes = zone_offset(example[time.start("zone") : time.end("zone")]) if zone else UNKNOWN
        if minutes is None:
            return None
        spans = tuple(time.span(part) for part in ("h", "m", "s") if time[part])
        # The digits of -05:00 differ from text to text, unlike the letters of CDT.
        digits = (
            tuple(match.span() for match in re.finditer("00?", shape) if match.start() > time.start("zone"))
            if zone
            else ()
        )
        plan = _Plan(
            time=spans,
            half=(time["half"] or "")[:1].lower(),
            offset=minutes,
            zone=digits,
            sign=-1 if "-" in (zone or "") else 1,
        )
    dated = _date_plan(date, example)
    if dated is None and not plan.time and (match := re.match(r"^(?P<date>.*\S)[ T]+(?P<t>0{3,4})$", shape)):
        plan, dated = _Plan(time=(match.span("t"),), packed_time=True), _date_plan(match["date"], example)
    if dated is None:
        return None
    return replace(plan, date=dated.date, roles=dated.roles, month=dated.month, triple=dated.triple)


def _date_plan(shape: str, example: str) -> _Plan | None:
    if match := _PACKED.match(shape):
        return _Plan(tuple(match.span(part) for part in "ymd"), "ymd")
    if match := _TRIPLE.match(shape):
        spans = tuple(match.span(part) for part in "abc")
        if len(match["a"]) >= 3:
            return _Plan(spans, "ymd") if len(match["a"]) == 4 and len(match["c"]) <= 2 else None
        return _Plan(spans, "", triple=True) if len(match["c"]) in (2, 4) else None
    for pattern in _NAMED:
        if match := pattern.match(shape):
            month = _MONTHS.get(example[match.start("month") : match.end("month")].lower()[:3], 0)
            return _Plan((match.span("y"), match.span("d")), "yd", month) if month else None
    return None


def _digits(table: npt.NDArray[np.uint32], spans: Sequence[tuple[int, int]]) -> list[Int]:
    out = []
    for start, stop in spans:
        number = np.zeros(len(table), dtype=np.int64)
        for at in range(start, stop):
            number = number * 10 + (table[:, at].astype(np.int64) - 48)
        out.append(number)
    return out


def days(year: Int, month: Int, day: Int) -> tuple[Int, Bool]:
    """Return days since 1970, and where such a day exists.

    Examples
    --------
    >>> from numpy import array
    >>> number, exists = days(array([1970, 2026]), array([1, 2]), array([2, 30]))
    >>> number[0].item(), exists.tolist()
    (1, [True, False])
    """
    fine = (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31) & (year >= FIRST_YEAR) & (year <= LAST_YEAR)
    months = ((np.where(fine, year, 1970) - 1970) * 12 + np.where(fine, month, 1) - 1).astype("datetime64[M]")
    number = months.astype("datetime64[D]").astype(np.int64) + np.where(fine, day, 1) - 1
    fine &= number.astype("datetime64[D]").astype("datetime64[M]") == months
    return number, fine


def _full_year(year: Int, width: int) -> Int:
    """Read two digits as POSIX does: 69 to 99 in the 1900s, 00 to 68 in the 2000s."""
    return np.where(year >= 69, 1900 + year, 2000 + year) if width == 2 else year


def _by_shape(texts: Sequence[str]) -> list[Int]:
    """Return the rows of each shape: texts that differ in their digits only."""
    if not len(texts):
        return []
    table = np.array(texts).view(np.uint32).reshape(len(texts), -1)
    shape = np.where((table >= _ZERO) & (table <= _ZERO + 9), _ZERO, table)
    if (shape == shape[0]).all():
        return [np.arange(len(texts))]
    shapes, distinct = pd.factorize(np.ascontiguousarray(shape).view(f"U{table.shape[1]}")[:, 0].astype(object))
    order = np.argsort(shapes, kind="stable")
    return np.split(order, np.searchsorted(shapes[order], np.arange(1, len(distinct))))


class _Column:
    """The distinct texts of one column, read shape by shape; texts of three numbers wait for the order."""

    def __init__(self, texts: Sequence[str], shapes: Sequence[Int] | None = None) -> None:
        count = len(texts)
        self.seconds = np.full(count, UNKNOWN, dtype=np.int64)
        self.timed = np.zeros(count, dtype=bool)
        self.offset = np.full(count, UNKNOWN, dtype=np.int64)
        self.clock = np.zeros(count, dtype=np.int64)
        self.triple = np.full((count, 3), -1, dtype=np.int64)
        self.width = np.zeros(count, dtype=np.int8)
        self.by_year = False
        for rows in _by_shape(texts) if shapes is None else shapes:
            same = [texts[row] for row in rows.tolist()]
            # What cleaning does depends on the letters and signs alone, so one text of a shape speaks for all.
            if _clean(same[0]) != same[0]:
                same = [_clean(text) for text in same]
            if same[0] and (plan := _plan(same[0].translate(_ZEROS), same[0])) is not None:
                self._read(plan, rows, same)

    def _read(self, plan: _Plan, rows: Int, texts: list[str]) -> None:
        table = np.array(texts).view(np.uint32).reshape(len(texts), -1)
        clock, fine = _clock(plan, table)
        self.clock[rows], self.timed[rows], self.offset[rows] = clock, bool(plan.time), plan.offset
        if plan.zone:
            hours, *minutes = _digits(table, plan.zone)
            self.offset[rows] = plan.sign * (60 * hours + (minutes[0] if minutes else 0))
        numbers = _digits(table, plan.date)
        if plan.triple:
            self.triple[rows[fine]] = np.stack(numbers, axis=1)[fine]
            self.width[rows] = plan.date[2][1] - plan.date[2][0]
            return
        if plan.roles == "ymd":
            self.by_year = True
            year, month, day = numbers
        else:
            year, day = _full_year(numbers[0], plan.date[0][1] - plan.date[0][0]), numbers[1]
            month = np.full(len(rows), plan.month, dtype=np.int64)
        number, exists = days(year, month, day)
        fine &= exists
        self.seconds[rows[fine]] = (number * DAY + clock)[fine]

    def in_order(self, order: str) -> Int:
        """Return the seconds of the texts of three numbers, read in an order; `UNKNOWN` where there is no such day."""
        seconds = np.full(len(self.seconds), UNKNOWN, dtype=np.int64)
        rows = np.flatnonzero(self.triple[:, 0] >= 0)
        parts = dict(zip(order, self.triple[rows].T, strict=True))
        wide = self.width[rows] == 4
        if order == "ymd":
            year, possible = _full_year(parts["y"], 2), ~wide
        else:
            year, possible = np.where(wide, parts["y"], _full_year(parts["y"], 2)), np.ones(len(rows), dtype=bool)
        number, exists = days(year, parts["m"], parts["d"])
        fine = exists & possible
        seconds[rows[fine]] = (number * DAY + self.clock[rows])[fine]
        return seconds


def _clock(plan: _Plan, table: npt.NDArray[np.uint32]) -> tuple[Int, Bool]:
    """Return the seconds of the day; 24:00 ends its day and stays in it, as its last second."""
    if not plan.time:
        return np.zeros(len(table), dtype=np.int64), np.ones(len(table), dtype=bool)
    parts = _digits(table, plan.time)
    if plan.packed_time:
        parts = [parts[0] // 100, parts[0] % 100]
    hour, minute, second = (parts + [np.zeros(len(table), dtype=np.int64)] * 2)[:3]
    fine = (hour <= 24) & (minute <= 59) & (second <= 60) & ((hour < 24) | (minute + second == 0))
    if plan.half:
        fine &= (hour >= 1) & (hour <= 12)
        hour = hour % 12 + (12 if plan.half == "p" else 0)
    clock = np.minimum(hour * 3600 + minute * 60 + second, DAY - 1)
    return clock, fine


def decide(order_fits: dict[str, tuple[int, int]]) -> tuple[str, bool]:
    """Return the order of a column and whether its dates decide it, from how many fit each order of how many.

    Examples
    --------
    >>> decide({"mdy": (3, 5), "dmy": (5, 5)}), decide({"mdy": (5, 5), "dmy": (5, 5)})
    (('dmy', True), ('mdy', False))
    >>> decide({"mdy": (3, 5), "dmy": (4, 5)})
    ('', True)
    """
    total = order_fits["mdy"][1]
    whole = [order for order in ("mdy", "dmy") if order_fits[order][0] == total]
    if len(whole) == 2:
        return "mdy", False
    if whole:
        return whole[0], True
    if order_fits.get("ymd", (0, 1))[0] == total:
        return "ymd", True
    return "", True


_RANGE: Final = re.compile(
    r"^(?P<a>.*?\d.*?)\s*(?:\s-\s|\bto\b|\bthru\b|\bthrough\b|–|(?<=/\d\d\d\d)-(?=\d)|(?<=/\d\d)-(?=\d+/))\s*(?P<b>.*\d.*)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Texts:
    """A column's distinct texts, with those of a range taken apart, ready to be read in an order."""

    first: _Column
    last: _Column
    ranged: Bool

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        """Take a column's distinct texts apart; what is longer than any date is none."""
        texts = [text if len(text) <= _LONGEST else "?" for text in texts]
        first, last, ranged = list(texts), [""] * len(texts), np.zeros(len(texts), dtype=bool)
        shapes = _by_shape(texts)
        for rows in shapes:
            if _RANGE.match(texts[rows[0]]) is None:
                continue
            for row in rows:
                match = _RANGE.match(texts[row])
                if match is not None:
                    first[row], last[row], ranged[row] = match["a"], match["b"], True
        if not ranged.any():
            return cls(_Column(first, shapes), _Column([]), ranged)
        return cls(_Column(first), _Column(last), ranged)

    @property
    def sure(self) -> str:
        """The order that texts have which are clear without a column: `ymd`, or months by their names."""
        return "ymd" if self.first.by_year else "by name"

    def fits(self) -> dict[str, tuple[int, int]]:
        """Return how many texts are days in each order, of how many of three numbers that are a day in any."""
        days_in = {order: self.first.in_order(order) != UNKNOWN for order in ORDERS}
        total = int(np.any(list(days_in.values()), axis=0).sum())
        return {order: (int(fit.sum()), total) for order, fit in days_in.items()}

    def read(self, order: str) -> tuple[Int, Bool, Int, Int]:
        """Return seconds, whether timed, offset and the end of a range; `""` reads what is a day in one order only."""
        seconds = _resolve(self.first, order)
        until = np.full(len(seconds), UNKNOWN, dtype=np.int64)
        if self.ranged.any():
            until[self.ranged] = _resolve(self.last, order)[self.ranged]
            seconds[self.ranged & (until == UNKNOWN)] = UNKNOWN
        return seconds, self.first.timed, self.first.offset, until


def _resolve(column: _Column, order: str) -> Int:
    waiting = column.triple[:, 0] >= 0 if len(column.triple) else np.zeros(0, dtype=bool)
    if order:
        return np.where(waiting, column.in_order(order), column.seconds)
    month_first, day_first = column.in_order("mdy"), column.in_order("dmy")
    only = np.where(day_first == UNKNOWN, month_first, np.where(month_first == UNKNOWN, day_first, UNKNOWN))
    return np.where(waiting, only, column.seconds)


_EXCEL_DAY_0: Final = -25_569
"""1899-12-30 in days since 1970: day 0 of Excel's 1900 system from 1 March 1900 on."""
_SINCE_1970: Final = ((5e8, 5e9), (5e11, 5e12))
"""Seconds and milliseconds since 1970, which count by UTC."""


def number(cell: float) -> tuple[int, bool]:
    """Read a number that stands for a date: an Excel serial, 20261005, or seconds or milliseconds since 1970.

    Examples
    --------
    >>> number(42022.0), number(40660.5)[0] - number(40660.0)[0], number(20150118.0), number(3.0)[1]
    ((1421539200, False), 43200, (1421539200, False), False)
    """
    if 18_000 <= cell < 110_000:
        whole = int(cell)
        clock = min(round((cell - whole) * DAY), DAY - 1) if cell != whole else 0
        return (whole + _EXCEL_DAY_0) * DAY + clock, cell != whole
    if 18_000_101 <= cell <= 21_991_231 and cell == int(cell):
        year, rest = divmod(int(cell), 10_000)
        days_, fine = days(*(np.array([part]) for part in (year, rest // 100, rest % 100)))
        return (int(days_[0]) * DAY, False) if fine[0] else (UNKNOWN, False)
    for (low, high), units in zip(_SINCE_1970, (1, 1000), strict=True):
        if low <= cell < high:
            return int(cell / units), True
    return UNKNOWN, False


def cell(value: object) -> tuple[int, bool, int]:
    """Read a cell that is no text: seconds since 1970, whether it holds a time of day, minutes from UTC.

    A date of a year that no date can be of is none.

    Examples
    --------
    >>> import datetime
    >>> cell(datetime.date(1970, 1, 2)), cell(datetime.datetime(1970, 1, 1, 0, 1))[:2]
    ((86400, False, -9223372036854775808), (60, True))
    """
    if value is None or value is pd.NaT:
        return UNKNOWN, False, UNKNOWN
    if isinstance(value, dt.datetime):
        zone = value.utcoffset()
        naive = value.replace(tzinfo=None)
        seconds = (naive - dt.datetime(1970, 1, 1)) // dt.timedelta(seconds=1)
        if not FIRST <= seconds < LAST:
            return UNKNOWN, False, UNKNOWN
        return int(seconds), bool(seconds % DAY), UNKNOWN if zone is None else int(zone.total_seconds() // 60)
    if isinstance(value, dt.date):
        seconds = (value - dt.date(1970, 1, 1)).days * DAY
        return (seconds if FIRST <= seconds < LAST else UNKNOWN), False, UNKNOWN
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.integer | np.floating)
        or not np.isfinite(value)
    ):
        return UNKNOWN, False, UNKNOWN
    seconds, timed = number(float(value))
    of_utc = seconds != UNKNOWN and any(low <= value < high for low, high in _SINCE_1970)
    return seconds, timed, 0 if of_utc else UNKNOWN
