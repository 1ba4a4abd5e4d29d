"""Sheets of the workbook: styles made once, tables of real numbers and dates, and settings for paper."""

from __future__ import annotations

import datetime as dt
import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from xlsxwriter import Workbook

from pretreat.report import tables, wording

INK, QUIET, LINE, HEAD = "1F2A36", "5B6875", "C3CCD5", "E6ECF2"
FILLS: Final = {  # dark, middle, light and white: they differ in grey as well
    "exceeds": ("A61E22", "FFFFFF"),
    "undetermined": ("F3C65C", INK),
    "not evaluated": ("CFD8E1", INK),
    "complies": ("EAF3EE", INK),
    "no results": ("FFFFFF", QUIET),
}
DATE, TIME = "yyyy-mm-dd", "yyyy-mm-dd hh:mm"
EXCEL_FIRST_YEAR: Final = 1900
Value = str | float | dt.datetime | None
_ILLEGAL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NOT_IN_NAMES: Final = re.compile(r"[\[\]:*?/\\\x00-\x1f\ud800-\udfff\ufffe\uffff]")
_EDGES: Final = re.compile(r"^[\s']+|[\s']+$")
_LONGEST: Final = 32_000
_LONGEST_NAME: Final = 31
_DIGITS: Final = 6
_PIXELS: Final = 7
"""Of one character's width, in the font that a workbook counts widths in."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: its header with the unit, what it shows, its width, and how.

    `kind` is `text`, `wrap`, `number`, `count`, `percent`, `time` or `verdict`; a column that is not `printed` stands
    right of the area for paper.
    """

    header: str
    source: str
    width: float
    kind: str = "text"
    printed: bool = True


class Book:
    """A workbook in the making, with its styles; rows and columns are counted from 1, as a person sees them."""

    def __init__(self) -> None:
        self._file = io.BytesIO()
        taken_as_text = dict.fromkeys(("strings_to_formulas", "strings_to_urls", "strings_to_numbers"), False)
        self.book = Workbook(self._file, {"in_memory": True, **taken_as_text})
        self._styles: dict[tuple[Any, ...], Any] = {}

    def whole(self) -> bytes:
        """Return the finished file; nothing can be written after."""
        self.book.close()
        return self._file.getvalue()

    def sheet(self, title: str, heading: str, under: str = "", *, landscape: bool = True) -> Any:
        """Add a sheet with its heading, and a line under that says what it is; set it for paper."""
        sheet: Any = self.book.add_worksheet(_sheet_name(title, [other.name for other in self.book.worksheets()]))
        self.write(sheet, 1, 1, heading, size=16, bold=True)
        set_height(sheet, 1, 22)
        if under:
            self.write(sheet, 2, 1, under, color=QUIET)
        sheet.hide_gridlines(2)
        if landscape:
            sheet.set_landscape()
        sheet.set_paper(1)  # Letter; fits A4 as well, since the width is fitted
        sheet.fit_to_pages(1, 0)
        sheet.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.6)
        sheet.set_footer("&L&8&A&R&8Page &P of &N", {"margin": 0.5})
        return sheet

    def write(self, sheet: Any, row: int, column: int, value: Value, **look: Any) -> None:
        """Write one value: text stays text, whatever it begins with."""
        put(sheet, row, column, clean(value) if isinstance(value, str) else value, self.style(**look))

    def style(
        self,
        *,
        bold: bool = False,
        size: float = 10,
        color: str = INK,
        fill: str = "",
        form: str = "General",
        wrap: bool = False,
        align: str = "",
        rule: str = "",
        turn: int = 0,
        italic: bool = False,
    ) -> Any:
        """Return the style with these properties, made once."""
        key = (bold, size, color, fill, form, wrap, align, rule, turn, italic)
        if key not in self._styles:
            look: dict[str, Any] = {
                "font_name": "Arial",
                "font_size": size,
                "font_color": f"#{color}",
                "num_format": form,
            }
            look |= {"bold": bold, "italic": italic, "text_wrap": wrap, "valign": "bottom" if turn else "top"}
            if fill:
                look |= {"pattern": 1, "fg_color": f"#{fill}"}
            if align:
                look |= {"align": align, "indent": 1 if align == "right" else 0}
            if turn:
                look["rotation"] = turn
            if rule:
                strong = rule == "strong"
                look |= {"bottom": 2 if strong else 1, "bottom_color": f"#{QUIET if strong else LINE}"}
            self._styles[key] = self.book.add_format(look)
        return self._styles[key]

    def table(self, sheet: Any, top: int, columns: Sequence[Column], frame: pd.DataFrame, *, main: bool = False) -> int:
        """Write a table with its header at row `top` and return the first row after it.

        With `main` it is the table of the sheet: its header is frozen, filtered and repeated on each printed page.
        """
        for i, column in enumerate(columns, 1):
            align = "right" if column.kind in {"number", "count", "percent"} else ""
            self.write(sheet, top, i, column.header, bold=True, fill=HEAD, rule="strong", wrap=True, align=align)
        fit_rows(sheet, top, [(column.width * 0.8, pd.Series([column.header])) for column in columns])
        for i, column in enumerate(columns, 1):
            self._fill(sheet, top + 1, i, column, frame[column.source])
        fit_rows(sheet, top + 1, [(column.width, frame[column.source]) for column in columns if column.kind == "wrap"])
        last = top + len(frame)
        if main:
            set_widths(sheet, [column.width for column in columns])
            sheet.freeze_panes(top, 1)
            if len(frame):
                sheet.autofilter(top - 1, 0, last - 1, len(columns) - 1)
            sheet.repeat_rows(top - 1)
            set_area(sheet, max(last, top + 1), sum(column.printed for column in columns))
        return last + 1

    def _fill(self, sheet: Any, top: int, at: int, column: Column, values: pd.Series) -> None:
        """Write one column of cells; a loop over cells is what a workbook is made of."""
        if column.kind == "verdict":
            for row, verdict in enumerate(values.tolist(), top):
                put(sheet, row, at, f"{wording.MARKS.get(verdict, '')} {verdict}".strip(), self.verdict(verdict))
        elif column.kind == "time":
            day, time = (self.style(rule="thin", form=form, align="left") for form in (DATE, TIME))
            stamps = values.to_numpy().astype("datetime64[s]")
            whole = stamps == stamps.astype("datetime64[D]")
            for row, (stamp, is_day) in enumerate(zip(stamps.tolist(), whole.tolist(), strict=True), top):
                put(sheet, row, at, stamp, day if is_day or stamp is None else time)
        elif column.kind in {"number", "count", "percent"}:
            numbers = values.to_numpy(dtype=np.float64)
            if column.kind == "number":
                forms = number_forms(numbers)
            else:
                forms = [{"count": "#,##0", "percent": '0"%"'}[column.kind]] * len(numbers)
            rights = {form: self.style(rule="thin", form=form, align="right") for form in dict.fromkeys(forms)}
            for row, (number, form) in enumerate(zip(numbers.tolist(), forms, strict=True), top):
                put(sheet, row, at, number, rights[form])
        else:
            texts, plain = _texts(values), self.style(rule="thin", wrap=column.kind == "wrap")
            cleaned = {text: clean(text) for text in dict.fromkeys(texts)}
            for row, text in enumerate(texts, top):
                put(sheet, row, at, cleaned[text], plain)

    def verdict(self, verdict: str, form: str = "General", align: str = "") -> Any:
        """Return the style of a verdict's cell."""
        fill, ink = FILLS.get(verdict, ("", INK))
        return self.style(fill=fill, color=ink, bold=verdict == "exceeds", rule="thin", form=form, align=align)


def number_forms(numbers: npt.NDArray[np.float64]) -> list[str]:
    """Return the format of each number: as it is, or where it has more than six digits that count, with six of them.

    Examples
    --------
    >>> number_forms(np.array([0.35, 1.6786666666, 0.08633333333, 25000.0, np.nan, np.inf]))
    ['General', '0.00000', '0.0000000', 'General', 'General', 'General']
    """
    usable = np.isfinite(numbers) & (numbers != 0)
    size = np.floor(np.log10(np.abs(numbers, where=usable, out=np.ones(len(numbers)))))
    places = np.clip(_DIGITS - 1 - size, 0, 12)
    long = usable & ~np.isclose(numbers, np.round(numbers * 10**places) / 10**places, rtol=1e-12, atol=0)
    return [f"0.{'0' * int(n)}".rstrip(".") if cut else "General" for n, cut in zip(places, long, strict=True)]


def put(sheet: Any, row: int, column: int, value: Value, style: Any) -> None:
    """Write one cell with a style of `Book.style`; text stays text, whatever it looks like, and NaN is blank."""
    if isinstance(value, str):
        if value.startswith("<r>") and value.endswith("</r>"):  # XlsxWriter would take it for markup of its own
            sheet.write_rich_string(row - 1, column - 1, "<", style, "r", style, value[2:], style)
        elif value:
            sheet.write_string(row - 1, column - 1, value, style)
        else:
            sheet.write_blank(row - 1, column - 1, None, style)
    elif isinstance(value, dt.datetime):
        if value.year >= EXCEL_FIRST_YEAR:
            sheet.write_datetime(row - 1, column - 1, value, style)
        else:
            sheet.write_string(row - 1, column - 1, value.isoformat(" ", "minutes"), style)
    elif value is None or math.isnan(value):
        sheet.write_blank(row - 1, column - 1, None, style)
    elif math.isinf(value):
        sheet.write_string(row - 1, column - 1, wording.number(value), style)
    else:
        sheet.write_number(row - 1, column - 1, value, style)


def set_widths(sheet: Any, widths: Iterable[float]) -> None:
    """Set the widths of the first columns [characters, the margin of a cell included]."""
    for i, width in enumerate(widths):
        sheet.set_column_pixels(i, i, math.ceil(width * _PIXELS))


def set_height(sheet: Any, row: int, height: float) -> None:
    """Set the height of one row [points]."""
    sheet.set_row(row - 1, height)


def set_area(sheet: Any, rows: int, columns: int) -> None:
    """Print the first rows and columns, and no others."""
    sheet.print_area(0, 0, rows - 1, columns - 1)


def fit_rows(sheet: Any, top: int, wrapped: Sequence[tuple[float, pd.Series]]) -> None:
    """Make rows high enough for their wrapped text, since not every program does; `wrapped` has width and texts."""
    if not wrapped:
        return
    lengths = [np.ceil(np.array([*map(len, _texts(texts))]) * 0.86 / width) for width, texts in wrapped]
    lines = np.maximum.reduce(lengths)
    for i in np.flatnonzero(lines > 1).tolist():
        set_height(sheet, top + i, 13.2 * min(float(lines[i]), 12) + 1)


def _texts(values: pd.Series) -> list[str]:
    return [text if isinstance(text, str) else str(text) for text in values.tolist()]


def clean(text: str) -> str:
    r"""Return text that a workbook can hold: no formula, no control characters, no more than a cell takes.

    Examples
    --------
    >>> clean("=1+1"), clean("a\x07b"), clean("a\r\nb")
    ("'=1+1", 'a\ufffdb', 'a\nb')
    """
    safe = _ILLEGAL.sub("\ufffd", tables.guard(text))
    if "\r" in safe:  # XML has one end of a line; XlsxWriter would keep the other as an escaped sign
        safe = safe.replace("\r\n", "\n").replace("\r", "\n")
    return safe if len(safe) <= _LONGEST // 2 or _units(safe) <= _LONGEST else f"{_first(safe, _LONGEST - 1)}…"


def _units(text: str) -> int:
    """Return the length as Excel counts it: a character outside the first 65,536 is two."""
    return len(text.encode("utf-16-le")) // 2


def _first(text: str, units: int) -> str:
    return text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore")


def _sheet_name(title: str, taken: Iterable[str]) -> str:
    """Return a name that Excel takes: no brackets, slashes or `:*?`, no `'` at an end, not too long, not used yet."""
    plain = _EDGES.sub("", _NOT_IN_NAMES.sub(" ", title)) or "User"
    used = {name.casefold() for name in taken} | {"history"}
    name, count = _EDGES.sub("", _first(plain, _LONGEST_NAME)), 1
    while name.casefold() in used:
        count += 1
        tail = f" ({count})"
        name = f"{_EDGES.sub('', _first(plain, _LONGEST_NAME - len(tail)))}{tail}"
    return name
