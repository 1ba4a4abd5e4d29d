"""The dates of a table: each sheet's column in one order, date and time cells put together, ranges taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, stretches
from pretreat.tidy.dates import Texts, cell, decide
from pretreat.tidy.texts import distinct
from pretreat.tidy.times_of_day import DAY, UNKNOWN, clocks, offset, outside

Int = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Moments:
    """One column of dates, as arrays; `UNKNOWN` where there is none.

    `seconds` since 1970 of the wall clock, `timed` where a time of day was printed, `offset` minutes from UTC, `until`
    the end of a printed range, `unread` 1 where the cell is no date and 2 where its order cannot be told, `orders` one
    row a sheet: what its order is and what its first and last day would be in the other; `true` where a cell is a date
    and no text, in a column that holds both.
    """

    seconds: Int
    timed: Bool
    offset: Int
    until: Int
    unread: npt.NDArray[np.int8]
    orders: pd.DataFrame
    true: Bool | None = None


_SERIAL: Final = re.compile(r"\s*([2-7]\d{4}(\.\d+)?|1\d{9}(\.\d+)?|1\d{12})\s*")
"""Days since 1899-12-30 from 1954 to 2119; seconds or milliseconds since 1970 from 2001 to 2033."""
_ORDERS: Final = ["source_file", "source_sheet", "date_order", "decided", "first", "last", "other_first", "other_last"]
COLUMNS: Final = ("start", "end", "analyzed", "received")
Sheet = tuple[str, str]

NO_ORDERS: Final = pd.DataFrame(columns=_ORDERS)


def stamps(seconds: Int) -> npt.NDArray[np.datetime64]:
    """Return seconds since 1970 as times; `UNKNOWN` is NaT.

    Examples
    --------
    >>> stamps(np.array([0, UNKNOWN])).astype(str).tolist()
    ['1970-01-01T00:00:00', 'NaT']
    """
    return np.ascontiguousarray(seconds).view("datetime64[s]")  # NaT is the least integer, as UNKNOWN is


def sheets(values: pd.DataFrame) -> Iterator[tuple[str, str, Int]]:
    """Return file, name and rows of each sheet."""
    files, file_names = columns.codes(values, "source_file")
    tabs, sheet_names = columns.codes(values, "source_sheet")
    key = files * max(len(sheet_names), 1) + tabs
    order = np.argsort(key, kind="stable")
    starts = (
        np.flatnonzero(np.r_[True, key[order][1:] != key[order][:-1]]) if len(order) else np.zeros(0, dtype=np.int64)
    )
    for rows in np.split(order, starts[1:]) if len(order) else []:
        yield str(file_names[files[rows[0]]]), str(sheet_names[tabs[rows[0]]]), rows


def together(values: pd.DataFrame, dates: str | None = None) -> dict[str, Moments | None]:
    """Read the columns of dates of a table; one whose own dates decide their order decides those beside it that do not.

    A start and an end of one row are written by one hand. Where the columns of a sheet are decided in two orders, none
    of them speaks for another.

    Examples
    --------
    >>> frame = pd.DataFrame({"start": ["03/09/2026", "12/09/2026"], "end": ["04/09/2026", "13/09/2026"]})
    >>> read = together(frame)
    >>> stamps(read["start"].seconds).astype("datetime64[D]").astype(str).tolist()
    ['2026-09-03', '2026-09-12']
    >>> read["start"].orders["date_order"].tolist()
    ['dmy, as in end']
    """
    read = {name: column(values, name, dates) for name in COLUMNS}
    known = sisters(read)
    for name, one in read.items():
        if one is not None and any(key in known for key in _undecided(one.orders)):
            read[name] = column(values, name, dates, known)
    return read


def _undecided(orders: pd.DataFrame) -> list[Sheet]:
    open_ = orders[~orders["decided"].astype(bool)]
    return [(str(file), str(sheet)) for file, sheet in zip(open_["source_file"], open_["source_sheet"], strict=True)]


def sisters(read: Mapping[str, Moments | None]) -> dict[Sheet, tuple[str, str]]:
    """Return for each sheet the order that one of its columns decides, and which column; nothing where two disagree."""
    found: dict[Sheet, tuple[str, str]] = {}
    for name, one in read.items():
        for row in [] if one is None else one.orders.to_dict("records"):
            key, order = (str(row["source_file"]), str(row["source_sheet"])), str(row["date_order"])
            if row["decided"] and order in ("mdy", "dmy"):
                agreed = found.get(key, (order,))[0] == order
                found[key] = found.get(key, (order, name)) if agreed else ("", "")
    return {key: pair for key, pair in found.items() if pair[0]}


def column(
    values: pd.DataFrame, name: str, dates: str | None = None, known: Mapping[Sheet, tuple[str, str]] | None = None
) -> Moments | None:
    """Read a column of dates with the column of times beside it; None where the frame lacks both or they are empty.

    Parameters
    ----------
    values : DataFrame
        The raw values; the column `name`, and if there is one `name` + `_time` and `time_zone`.
    name : str
        `start`, `end`, `analyzed` or `received`.
    dates : {"mdy", "dmy", "ymd"}, optional
        The order of dates that are text; otherwise each sheet's column decides, and month first where it does not.
    known : mapping, optional
        For sheets, by file and name, the order that another column decides where this one does not, and which column.

    Examples
    --------
    >>> read = column(pd.DataFrame({"start": ["13/02/2024", "01/02/2024"], "start_time": ["930", ""]}), "start")
    >>> stamps(read.seconds).astype(str).tolist(), read.orders["date_order"].tolist()
    (['2024-02-13T09:30:00', '2024-02-01T00:00:00'], ['dmy'])
    """
    if name not in values:
        return None
    cells = values[name]
    read = (
        _typed(cells)
        if pd.api.types.is_datetime64_any_dtype(cells.dtype)
        else _mixed(values, cells, dates, known or {})
    )
    if f"{name}_time" in values:
        read = _with_times(values[f"{name}_time"], read)
    if "time_zone" in values and (read.offset == UNKNOWN).any():
        codes, names = columns.codes(values, "time_zone")
        zones = np.array([*(_known(offset(str(text))) for text in names), UNKNOWN], dtype=np.int64)
        read = _replace(read, offset=np.where(read.offset == UNKNOWN, zones[codes], read.offset))
    return read


def _known(minutes: int | None) -> int:
    return UNKNOWN if minutes is None else minutes


def _replace(read: Moments, **fields: Any) -> Moments:
    kept = {name: getattr(read, name) for name in ("seconds", "timed", "offset", "until", "unread", "orders", "true")}
    return Moments(**(kept | fields))


def _typed(cells: pd.Series) -> Moments:
    """Read a column that is datetimes already; the wall clock of an aware one is kept, and its offset."""
    count = len(cells)
    nothing = np.broadcast_to(np.int64(UNKNOWN), count)
    away = nothing
    if isinstance(cells.dtype, pd.DatetimeTZDtype):
        local = cells.dt.tz_localize(None).to_numpy().astype("datetime64[s]").view(np.int64)
        utc = cells.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy().astype("datetime64[s]").view(np.int64)
        away = np.where(local == UNKNOWN, UNKNOWN, (local - utc) // 60)
    else:
        local = cells.to_numpy().astype("datetime64[s]", copy=False).view(np.int64)
    unread = np.broadcast_to(np.int8(0), count)
    if (far := outside(local)).any():
        unread, local = far.view(np.int8), np.where(far, UNKNOWN, local)
    return Moments(local, _clocked(local), away, nothing, unread, NO_ORDERS)


def _clocked(seconds: Int) -> Bool:
    """Say where a time of day stands; where most rows have one, midnight is one too."""
    few = seconds[:: max(len(seconds) // 4096, 1)]
    if len(few) and (few % DAY != 0).all() and (few != UNKNOWN).all():
        return np.ones(len(seconds), dtype=bool)
    known, clocked = np.empty(len(seconds), dtype=bool), np.empty(len(seconds), dtype=bool)

    def look(begin: int, end: int) -> None:
        some = seconds[begin:end]
        np.not_equal(some, UNKNOWN, out=known[begin:end])
        np.logical_and(some % DAY != 0, known[begin:end], out=clocked[begin:end])

    stretches.each(len(seconds), look)
    return known if 2 * int(clocked.sum()) > int(known.sum()) else clocked


def _mixed(
    values: pd.DataFrame, cells: pd.Series, dates: str | None, known: Mapping[Sheet, tuple[str, str]]
) -> Moments:
    codes, each = distinct(cells)
    count = len(codes)
    seconds, away, until = (np.full(count, UNKNOWN, dtype=np.int64) for _ in range(3))
    timed, unread = np.zeros(count, dtype=bool), np.zeros(count, dtype=np.int8)
    text = np.array([isinstance(value, str) for value in each], dtype=bool)[codes]
    out: Out = (seconds, timed, away, until, unread)
    orders = []
    for file, sheet, rows in sheets(values):
        words, others = rows[text[rows]], rows[~text[rows]]
        if len(others):
            numbers, used = pd.factorize(codes[others])
            _cells(list(each[used]), numbers, others, out)
        if not len(words):
            continue
        numbers, used = pd.factorize(codes[words])
        texts = [str(one) for one in each[used]]
        if (serial := _serial(texts)) is not None:
            _cells(serial, numbers, words, out)
            orders.append((file, sheet, "serial", True, *_span(seconds[words]), pd.NaT, pd.NaT))
        else:
            orders.append((file, sheet, *_words(texts, numbers, words, dates, known.get((file, sheet), ("", "")), out)))
    true = None if text.all() or not orders else ~text & (seconds != UNKNOWN)
    return Moments(seconds, timed, away, until, unread, pd.DataFrame(orders, columns=_ORDERS), true)


def _serial(texts: list[str]) -> list[float | None] | None:
    """Return the numbers of texts that are all serial dates of a spreadsheet (45935), as CSV holds some."""
    told = [text for text in texts if text.strip()]
    if not told or not all(_SERIAL.fullmatch(text) for text in told):
        return None
    return [float(text) if text.strip() else None for text in texts]


Out = tuple[Int, Bool, Int, Int, npt.NDArray[np.int8]]
"""Arrays of a whole column that are filled sheet by sheet: seconds, timed, offset, until, unread."""


def _cells(values: Sequence[Any], numbers: Int, rows: Int, out: Out) -> None:
    """Read the cells that are no text, once for each distinct one; a midnight among times of day is a time of day."""
    seconds, timed, away, _, unread = out
    read = [cell(value) for value in values]
    got = np.array([one[0] for one in read], dtype=np.int64)[numbers]
    clocked = np.array([one[1] for one in read], dtype=bool)[numbers]
    seconds[rows] = got
    timed[rows] = (got != UNKNOWN) if 2 * int(clocked.sum()) > len(rows) else clocked
    away[rows] = np.array([one[2] for one in read], dtype=np.int64)[numbers]
    blank = np.array([value is None or value is pd.NaT or value != value for value in values])[numbers]  # noqa: PLR0124 - NaN
    unread[rows] = np.where((got == UNKNOWN) & ~blank, 1, 0)


def _words(
    words: list[str], numbers: Int, rows: Int, dates: str | None, known: tuple[str, str], out: Out
) -> tuple[str, bool, Any, Any, Any, Any]:
    """Read the cells that are text in the column's order; return what the order is and what else it could be."""
    seconds, timed, away, until, unread = out
    texts = Texts.of(words)
    fits = texts.fits()
    plain = fits["mdy"][1] == 0
    order, decided = (dates, True) if dates else decide(fits)
    beside = "" if decided or not known[0] else f", as in {known[1]}"
    order, decided = (known[0], True) if beside else (order, decided)
    got, clocked, zone, end = texts.read(order)
    seconds[rows], timed[rows], away[rows], until[rows] = got[numbers], clocked[numbers], zone[numbers], end[numbers]
    bad = got == UNKNOWN
    bad &= np.array([bool(text.strip()) for text in words], dtype=bool)
    doubtful = bad & (texts.read("mdy")[0] != UNKNOWN) & (not order)
    unread[rows] = np.where(doubtful, 2, np.where(bad, 1, 0))[numbers]
    span = _span(got)
    if plain:
        return ("" if not (got != UNKNOWN).any() else texts.sure), True, *span, pd.NaT, pd.NaT
    other = _span(texts.read("dmy")[0]) if order == "mdy" and not decided else (pd.NaT, pd.NaT)
    name = f"{order}{beside}" if decided else f"{order}, assumed"
    return name or "mixed", decided, *span, *other


def _span(seconds: Int) -> tuple[Any, Any]:
    known = seconds[seconds != UNKNOWN]
    if not len(known):
        return pd.NaT, pd.NaT
    return pd.Timestamp(int(known.min()), unit="s"), pd.Timestamp(int(known.max()), unit="s")


def _with_times(cells: pd.Series, read: Moments) -> Moments:
    """Put the column of times onto the column of dates beside it; a time there goes before one in the date."""
    numbers, each = distinct(cells)
    read_of = clocks(list(each))
    time = np.array([one[0] for one in read_of], dtype=np.int64)[numbers]
    zone = np.array([one[1] for one in read_of], dtype=np.int64)[numbers]
    both = (time != UNKNOWN) & (read.seconds != UNKNOWN)
    seconds = np.where(both, read.seconds // DAY * DAY + np.where(both, time, 0), read.seconds)
    return _replace(read, seconds=seconds, timed=read.timed | both, offset=np.where(zone != UNKNOWN, zone, read.offset))


def end_of(start: Moments, end: Moments | None, values: pd.DataFrame) -> Int:
    """Return the end of each sample: its own date and time, the end of a printed range, or a time alone.

    An end time without a date is the first such time after the start: a composite from 8:00 to 8:00 takes a day.

    Examples
    --------
    >>> frame = pd.DataFrame({"start": ["2026-10-05 08:00"], "end_time": ["08:00"]})
    >>> stamps(end_of(column(frame, "start"), None, frame)).astype(str).tolist()
    ['2026-10-06T08:00:00']
    """
    until = start.until if end is None else np.where(end.seconds != UNKNOWN, end.seconds, start.until)
    if "end_time" not in values:
        return until
    numbers, each = distinct(values["end_time"])
    time = np.array([one[0] for one in clocks(list(each))], dtype=np.int64)[numbers]
    alone = (time != UNKNOWN) & (until == UNKNOWN) & (start.seconds != UNKNOWN) & start.timed
    first = start.seconds // DAY * DAY + np.where(alone, time, 0)
    later = np.where(first <= start.seconds, first + DAY, first)
    return np.where(alone, later, until)
