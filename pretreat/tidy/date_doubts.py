"""What speaks against the order that dates were read in: another column or sheet of the file, or true dates among them.

Month first where a column does not decide its order (interface, "Dates and numbers") is a rule, not a fact. Whatever
else the file says for the other order is said where findings are read, with what to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from pretreat.tidy.moments import Int, Moments, Sheet, sheets
from pretreat.tidy.notes import Note, cells_at
from pretreat.tidy.times_of_day import DAY, UNKNOWN

CODE: Final = "date order"
NEAR: Final = 45
"""How many days a date may lie off the file's other dates: a sheet holds a month or a quarter, and its neighbours."""


_SAID: Final = {
    "start": "dates of sampling",
    "end": "dates on which samples end",
    "analyzed": "dates of analysis",
    "received": "dates of receipt",
}


@dataclass(frozen=True, slots=True)
class _Order:
    """The order of one column of a sheet, and its first and last day; the same day first where the order is assumed."""

    sheet: Sheet
    column: str
    order: str
    decided: bool
    first: pd.Timestamp
    last: pd.Timestamp
    other_first: pd.Timestamp
    other_last: pd.Timestamp

    @property
    def open(self) -> bool:
        """Whether the order was assumed, and matters."""
        there = not any(pd.isna(day) for day in (self.first, self.other_first, self.other_last))
        return not self.decided and there and (self.first, self.last) != (self.other_first, self.other_last)


def _orders(read: Mapping[str, Moments | None]) -> list[_Order]:
    return [
        _Order(
            (str(row["source_file"]), str(row["source_sheet"])),
            name,
            str(row["date_order"]),
            bool(row["decided"]),
            *(row[day] for day in ("first", "last", "other_first", "other_last")),
        )
        for name, one in read.items()
        for row in ([] if one is None else one.orders.to_dict("records"))
    ]


def doubts(values: pd.DataFrame, read: Mapping[str, Moments | None]) -> list[Note]:
    """Return what there is to say of the orders of dates.

    Parameters
    ----------
    values : DataFrame
        The raw values.
    read : mapping
        Their columns of dates, as `moments.together` reads them.

    Examples
    --------
    >>> from pretreat.tidy.moments import together
    >>> frame = pd.DataFrame({"start": ["17/09/2026", "05/10/2026"], "source_sheet": ["Sept", "Oct"]})
    >>> [(note.code, note.sources) for note in doubts(frame, together(frame))]
    [('date order', 'Oct')]
    """
    orders = _orders(read)
    notes = [_taken_over(one) for one in orders if one.order.startswith("dmy, as in ")]
    open_ = [one for one in orders if one.open]
    mixed = [one for one in orders if one.order.startswith("dmy") and (of := read[one.column]) and of.true is not None]
    if open_ or mixed:
        by_sheet = {(file, sheet): rows for file, sheet, rows in sheets(values)}
        notes += [note for one in open_ if (note := _against(one, orders, read, by_sheet))]
        notes += [note for one in mixed if (note := _true_dates(values, one, read, by_sheet))]
    return notes


def _taken_over(one: _Order) -> Note:
    """Say that a column was read day first because another one of its sheet is."""
    message = (
        f"The {_SAID[one.column]} do not tell their own order. They were read day first "
        f"({_span(one.first, one.last)}), as the {_SAID[one.order[len('dmy, as in ') :]]} on the same sheet must be. "
        "If that is not meant, give --dates mdy."
    )
    return Note(CODE, message, _where(one.sheet))


def _against(
    one: _Order, orders: list[_Order], read: Mapping[str, Moments | None], by_sheet: Mapping[Sheet, Int]
) -> Note | None:
    """Say what speaks for day first: a column of the same file that is so, or days that lie nearer to the others'."""
    same = [other for other in orders if other.decided and other.order == "dmy" and other.sheet[0] == one.sheet[0]]
    if same:
        place = "the same sheet" if same[0].sheet == one.sheet else f"sheet {same[0].sheet[1]!r}"
        why = f"the {_SAID[same[0].column]} on {place} are day first"
    else:
        others = _days_beside(one, orders, read, by_sheet)
        if not len(others) or _far(one.first, one.last, others) <= NEAR:
            return None
        if _far(one.other_first, one.other_last, others) > NEAR:
            return None
        why = f"the other dates of the file run from {_day(others.min())} to {_day(others.max())}"
    message = (
        f"The {_SAID[one.column]} do not tell their own order. They were read month first "
        f"({_span(one.first, one.last)}). Day first they are {_span(one.other_first, one.other_last)}, and {why}. If "
        "that is meant, give --dates dmy; if not, --dates mdy."
    )
    return Note(CODE, message, _where(one.sheet))


def _days_beside(
    one: _Order, orders: list[_Order], read: Mapping[str, Moments | None], by_sheet: Mapping[Sheet, Int]
) -> Int:
    """Return the first and last day of the file's dates whose order is no question."""
    found: list[int] = []
    for name, column in read.items():
        if column is None:
            continue
        doubtful = {other.sheet for other in orders if other.column == name and not other.decided}
        for sheet, rows in by_sheet.items():
            if sheet[0] != one.sheet[0]:
                continue
            sure = rows if sheet not in doubtful else rows[column.true[rows]] if column.true is not None else rows[:0]
            known = column.seconds[sure]
            known = known[known != UNKNOWN]
            found += [int(known.min()), int(known.max())] if len(known) else []
    return np.array(found, dtype=np.int64)


def _far(first: pd.Timestamp, last: pd.Timestamp, others: Int) -> float:
    """Return how many days the farther end of a span lies outside the others' days."""
    low, high = (pd.Timestamp(int(edge), unit="s") for edge in (others.min(), others.max()))
    return max((low - first) / pd.Timedelta(days=1), (last - high) / pd.Timedelta(days=1))


def _true_dates(
    values: pd.DataFrame, one: _Order, read: Mapping[str, Moments | None], by_sheet: Mapping[Sheet, Int]
) -> Note | None:
    """Say where a spreadsheet may have read day-first texts month first, and left as text only what is no such day.

    Typed into a program that reads month first, 03/09/2026 becomes March 9 and 17/09/2026 stays text.
    """
    column = read[one.column]
    if column is None or column.true is None:
        return None
    rows = by_sheet[one.sheet]
    rows = rows[column.true[rows]]
    date = (column.seconds[rows] // DAY).astype("datetime64[D]")
    month = date.astype("datetime64[M]")
    of_month, of_year = (date - month).astype(np.int64) + 1, month.astype(np.int64) % 12 + 1
    odd = of_month != of_year
    if not odd.any() or (of_month > 12).any():
        return None
    examples = ", ".join(str(day) for day in np.unique(date[odd])[:3])
    count = "1 value has" if odd.sum() == 1 else f"{int(odd.sum()):,} values have"
    message = (
        f"{count} a date of the spreadsheet's own ({examples}), while the {_SAID[one.column]} that are text are day "
        "first. A spreadsheet set to month first turns 03/09 typed for September 3 into March 9 and leaves 17/09 as "
        "text. Used as stored: compare with the laboratory's report, and write the dates as 2026-09-03."
    )
    return Note(CODE, message, cells_at(values, rows[odd]))


def _where(sheet: Sheet) -> str:
    return "!".join(part for part in sheet if part)


def _day(seconds: int) -> str:
    return str(np.datetime64(int(seconds), "s").astype("datetime64[D]"))


def _span(first: pd.Timestamp, last: pd.Timestamp) -> str:
    days = [str(day)[:10] for day in (first, last)]  # NaT has no form of its own
    return days[0] if days[0] == days[1] else " to ".join(days)
