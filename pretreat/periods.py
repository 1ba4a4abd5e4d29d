"""The periods that a check is asked for: a month, a quarter, a half year, a year, or from one day to another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from pretreat.errors import UsageError

_FORMS: Final = re.compile(r"(\d{4})(?:-(?:(\d\d)|Q([1-4])|H([12])))?")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_TODO: Final = "Write 2026-10, 2026-Q4, 2026-H2, 2026 or 2026-10-01:2026-12-15."


@dataclass(frozen=True, slots=True)
class Period:
    """A span of whole days, half open, and whether it was given by its first and last day."""

    start: np.datetime64
    end: np.datetime64
    by_days: bool = False

    @property
    def seconds(self) -> tuple[int, int]:
        """The span in seconds since 1970, half open."""
        return int(self.start.astype("datetime64[s]").astype(np.int64)), int(
            self.end.astype("datetime64[s]").astype(np.int64)
        )

    def __str__(self) -> str:
        """Name the first and the last day, as a person would."""
        last = self.end.astype("datetime64[D]") - np.timedelta64(1, "D")
        return f"{self.start.astype('datetime64[D]')}:{last}"


def parse(text: str) -> Period:
    """Return the period that an option names.

    Parameters
    ----------
    text : str
        `2026-10`, `2026-Q4`, `2026-H2`, `2026`, or `FROM:TO` with both days included.

    Raises
    ------
    UsageError
        For text of another form, a day that does not exist, or a span that ends before it starts.

    Examples
    --------
    >>> str(parse("2026-Q4")), str(parse("2026-02")), str(parse("2026-10-05:2026-10-05"))
    ('2026-10-01:2026-12-31', '2026-02-01:2026-02-28', '2026-10-05:2026-10-05')
    """
    first, colon, last = (part.strip() for part in text.partition(":"))
    if any(year.isdigit() and not 1800 <= int(year) <= 2200 for year in (first[:4], last[:4])):
        raise UsageError(f"{text!r} is of no year that samples are of.", where=f"--period {text}", todo=_TODO)
    if colon:
        start, end = _day(first, text), _day(last, text) + np.timedelta64(1, "D")
        if end <= start:
            raise UsageError("the last day lies before the first.", where=f"--period {text}", todo=_TODO)
        return Period(start, end, by_days=True)
    found = _FORMS.fullmatch(first)
    if found is None or (found[2] and not 1 <= int(found[2]) <= 12):
        raise UsageError(f"{text!r} is no period.", where=f"--period {text}", todo=_TODO)
    year = np.datetime64(found[1], "Y").astype("datetime64[M]")
    month, length = 0, 12
    if found[2]:
        month, length = int(found[2]) - 1, 1
    elif found[3]:
        month, length = 3 * (int(found[3]) - 1), 3
    elif found[4]:
        month, length = 6 * (int(found[4]) - 1), 6
    start = year + np.timedelta64(month, "M")
    return Period(start.astype("datetime64[D]"), (start + np.timedelta64(length, "M")).astype("datetime64[D]"))


def _day(text: str, whole: str) -> np.datetime64:
    if not _DAY.fullmatch(text):
        raise UsageError(f"{text!r} is no day.", where=f"--period {whole}", todo=_TODO)
    try:
        return np.datetime64(text, "D")
    except ValueError as error:
        raise UsageError(f"{text!r} does not exist.", where=f"--period {whole}", todo=_TODO) from error


def day(text: str, where: str = "--as-of") -> np.datetime64:
    """Return the one day that an option names.

    Parameters
    ----------
    text : str
        `2026-10-07`; other orders of day, month and year are not guessed at.
    where : str
        The option, for the error.

    Raises
    ------
    UsageError
        For text of another form, or a day that does not exist.

    Examples
    --------
    >>> str(day("2026-10-07"))
    '2026-10-07'
    """
    if not _DAY.fullmatch(text.strip()):
        raise UsageError(f"{text!r} is no day.", where=where, todo="Write 2026-10-07.")
    try:
        return np.datetime64(text.strip(), "D")
    except ValueError as error:
        raise UsageError(f"{text!r} does not exist.", where=where, todo="Write 2026-10-07.") from error


def months(first: np.datetime64, last: np.datetime64) -> Period:
    """Return the whole calendar months from the one that holds `first` to the one that holds `last`.

    Examples
    --------
    >>> str(months(np.datetime64("2026-09-15T08:00"), np.datetime64("2026-10-02T08:00")))
    '2026-09-01:2026-10-31'
    """
    return _whole(first, last, 1)


def quarters(first: np.datetime64, last: np.datetime64) -> Period:
    """Return the whole quarters from the one that holds `first` to the one that holds `last`.

    Examples
    --------
    >>> str(quarters(np.datetime64("2026-09-15T08:00"), np.datetime64("2026-10-02T08:00")))
    '2026-07-01:2026-12-31'
    """
    return _whole(first, last, 3)


def previous(period: Period) -> Period | None:
    """Return the month, quarter, half year or year before; None for a span from one day to another.

    Examples
    --------
    >>> str(previous(parse("2026-Q1"))), previous(parse("2026-01-01:2026-01-31"))
    ('2025-10-01:2025-12-31', None)
    """
    if period.by_days:
        return None
    start, end = (edge.astype("datetime64[M]") for edge in (period.start, period.end))
    return Period((start - (end - start)).astype("datetime64[D]"), period.start)


def name(period: Period) -> str:
    """Return a period as an option names it.

    Examples
    --------
    >>> [name(parse(text)) for text in ("2026-10", "2026-Q4", "2026-H2", "2026", "2026-10-01:2026-10-07")]
    ['2026-10', '2026-Q4', '2026-H2', '2026', '2026-10-01:2026-10-07']
    """
    start, end = (edge.astype("datetime64[M]").astype(np.int64) for edge in (period.start, period.end))
    year, month, length = start // 12 + 1970, start % 12, end - start
    if period.by_days or length not in (1, 3, 6, 12) or month % length:
        return str(period)
    part = {1: f"-{month + 1:02d}", 3: f"-Q{month // 3 + 1}", 6: f"-H{month // 6 + 1}", 12: ""}[int(length)]
    return f"{year}{part}"


def _whole(first: np.datetime64, last: np.datetime64, length: int) -> Period:
    start = first.astype("datetime64[M]").astype(np.int64) // length * length
    end = (last.astype("datetime64[M]").astype(np.int64) // length + 1) * length
    dates = np.array([start, end]).astype("datetime64[M]").astype("datetime64[D]")
    return Period(dates[0], dates[1])
