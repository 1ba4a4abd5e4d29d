"""A sheet as it came: its cells, their addresses, and what the workbook says about them beside their text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

Cell: TypeAlias = str | int | float | bool | datetime | date | time
Cells: TypeAlias = npt.NDArray[np.object_]
Mask: TypeAlias = npt.NDArray[np.bool_]
Span: TypeAlias = tuple[int, int, int, int]
"""First row, first column, last row, last column of a merged range, from 0, both ends included."""

NO_MARKS: Final[Mapping[tuple[int, int], str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet of a workbook, or one text file.

    `cells` is a 2-D object array whose first cell is A1; a blank cell, or one of nothing but space, is `""`. `marks`
    holds, for cells whose format changes what they mean (by row and column from 0), `percent`, `less than`,
    `strikethrough`, `error` or `no cached value`. `decimal` is `","` where the file separates with semicolons.
    """

    file: str
    name: str
    cells: Cells
    merged: tuple[Span, ...] = ()
    marks: Mapping[tuple[int, int], str] = field(default_factory=lambda: NO_MARKS)
    notes: tuple[str, ...] = ()
    decimal: str = ""
    epoch_1904: bool = False


def letters(column: int) -> str:
    """Return the letters of a column counted from 0.

    Examples
    --------
    >>> letters(0), letters(25), letters(26), letters(16383)
    ('A', 'Z', 'AA', 'XFD')
    """
    text = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text


def column_number(text: str) -> int:
    """Return the number, from 0, of a column given by its letters.

    Examples
    --------
    >>> column_number("A"), column_number("XFD")
    (0, 16383)
    """
    number = 0
    for letter in text.upper():
        number = number * 26 + ord(letter) - 64
    return number - 1


def address(row: int, column: int) -> str:
    """Return the A1 address of a cell whose row and column count from 0.

    Examples
    --------
    >>> address(6, 30)
    'AE7'
    """
    return f"{letters(column)}{row + 1}"


def addresses(rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]) -> Cells:
    """Return the A1 addresses of many cells.

    Examples
    --------
    >>> addresses(np.array([0, 1]), np.array([0, 27])).tolist()
    ['A1', 'AB2']
    """
    out = np.empty(len(rows), dtype=object)
    numbers = (rows + 1).tolist()
    if len(rows) and (columns == columns[0]).all():
        name = letters(int(columns[0]))
        out[:] = [f"{name}{n}" for n in numbers]
    else:
        names = {c: letters(c) for c in np.unique(columns).tolist()}
        out[:] = [f"{names[c]}{n}" for c, n in zip(columns.tolist(), numbers, strict=True)]
    return out


def blank(cells: Cells) -> Mask:
    """Return where cells hold nothing.

    Examples
    --------
    >>> blank(np.array(["", "0", 0], dtype=object)).tolist()
    [True, False, False]
    """
    return np.asarray(cells == "", dtype=bool)


def without_space(cells: Cells) -> Cells:
    """Return cells of which those that hold nothing but space are blank, and spans of time are text (`24:30:00`).

    Examples
    --------
    >>> without_space(np.array([[" ", " a"]], dtype=object)).tolist()
    [['', ' a']]
    """
    for column in range(cells.shape[1]):
        values = cells[:, column].tolist()
        odd = {v for v in set(values) if (v.__class__ is str and v.isspace()) or v.__class__ is timedelta}
        if odd:
            cells[:, column] = [(_clock(v) if isinstance(v, timedelta) else "") if v in odd else v for v in values]
    return cells


def _clock(span: timedelta) -> str:
    minutes, seconds = divmod(round(span.total_seconds()), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}"


def square(rows: Iterable[list[Any]]) -> Cells:
    """Return rows of any length as one array, filled up with blanks.

    Examples
    --------
    >>> square([["a"], ["b", 1]]).tolist()
    [['a', ''], ['b', 1]]
    """
    table = list(rows)
    widths = set(map(len, table))
    width = max(widths, default=0)
    if len(widths) > 1:
        table = [row if len(row) == width else row + [""] * (width - len(row)) for row in table]
    if not table or not width:
        return np.empty((len(table), 0), dtype=object)
    # Cells are never sequences, so numpy makes rows and columns of the lists and keeps each cell as it is.
    return np.array(table, dtype=object)


def range_of(cells: Cells) -> tuple[str, int]:
    """Return the range that holds every cell with content, and how many there are.

    Examples
    --------
    >>> range_of(np.array([["", ""], ["", "x"], ["y", ""]], dtype=object))
    ('A2:B3', 2)
    """
    rows, columns = np.nonzero(~blank(cells))
    if not len(rows):
        return "", 0
    first, last = address(int(rows.min()), int(columns.min())), address(int(rows.max()), int(columns.max()))
    return (first if first == last else f"{first}:{last}"), len(rows)


def text_of(value: object) -> str:
    """Return a cell as text for a message or a name: whole floats without their `.0`, dates as ISO.

    Examples
    --------
    >>> text_of(7440382.0), text_of(0.5), text_of(" a "), text_of(datetime(2026, 1, 2))
    ('7440382', '0.5', 'a', '2026-01-02')
    """
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time.min else value.isoformat()
    return value.isoformat() if isinstance(value, date | time) else str(value)
