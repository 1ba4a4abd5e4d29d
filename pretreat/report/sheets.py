"""Sheets of the workbook: styles made once, tables of real numbers and dates, and settings for paper."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from openpyxl import Workbook
from openpyxl.cell import Cell
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter

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
_ILLEGAL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_LONGEST: Final = 32_000
_DIGITS: Final = 6


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
    """A workbook in the making, with its styles."""

    def __init__(self) -> None:
        self.book = Workbook()
        self.book.remove(self.book.worksheets[0])
        self._styles: dict[tuple[Any, ...], Any] = {}
        self._scratch: Any = Cell(self.book.create_sheet("scratch"), row=1, column=1)
        self.book.remove(self.book.worksheets[0])

    def sheet(self, title: str, heading: str, under: str = "", *, landscape: bool = True) -> Any:
        """Add a sheet with its heading, and a line under that says what it is; set it for paper."""
        sheet: Any = self.book.create_sheet(_sheet_name(title, self.book.sheetnames))
        self.write(sheet, 1, 1, heading, size=16, bold=True)
        sheet.row_dimensions[1].height = 22
        if under:
            self.write(sheet, 2, 1, under, color=QUIET)
        sheet.sheet_view.showGridLines = False
        sheet.page_setup.orientation = "landscape" if landscape else "portrait"
        sheet.page_setup.paperSize = 1  # Letter; fits A4 as well, since the width is fitted
        sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
        sheet.sheet_properties.pageSetUpPr.fitToPage = True
        sheet.page_margins.left = sheet.page_margins.right = 0.5
        sheet.page_margins.top = sheet.page_margins.bottom = 0.6
        sheet.oddFooter.left.text, sheet.oddFooter.right.text = "&A", "Page &P of &N"
        sheet.oddFooter.left.size = sheet.oddFooter.right.size = 8
        return sheet

    def write(self, sheet: Any, row: int, column: int, value: object, **look: Any) -> Any:
        """Write one value: text stays text, whatever it begins with."""
        return put(sheet, row, column, _cell_value(value), self.style(**look))

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
            cell = self._scratch
            cell.font = Font(name="Arial", size=size, bold=bold, italic=italic, color=color)
            cell.fill = PatternFill("solid", fgColor=fill) if fill else PatternFill()
            cell.alignment = Alignment(
                horizontal=align or None,
                vertical="bottom" if turn else "top",
                wrap_text=wrap,
                text_rotation=turn,
                indent=1 if align == "right" else 0,
            )
            line = Side("medium" if rule == "strong" else "thin", color=QUIET if rule == "strong" else LINE)
            cell.border = Border(bottom=line) if rule else Border()
            cell.number_format = form
            self._styles[key] = type(cell._style)(cell._style)
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
            sheet.freeze_panes = sheet.cell(top + 1, 2)
            if len(frame):
                sheet.auto_filter.ref = f"A{top}:{get_column_letter(len(columns))}{last}"
            sheet.print_title_rows = f"{top}:{top}"
            printed = get_column_letter(sum(column.printed for column in columns))
            sheet.print_area = f"A1:{printed}{max(last, top + 1)}"
        return last + 1

    def _fill(self, sheet: Any, top: int, at: int, column: Column, values: pd.Series) -> None:
        """Write one column of cells; a loop over cells is what a workbook is made of."""
        plain = self.style(rule="thin", wrap=column.kind == "wrap")
        if column.kind == "verdict":
            for row, verdict in enumerate(values.tolist(), top):
                sheet.cell(row, at, f"{wording.MARKS.get(verdict, '')} {verdict}".strip())._style = self.verdict(
                    verdict
                )
        elif column.kind == "time":
            day, time = (
                self.style(rule="thin", form=DATE, align="left"),
                self.style(rule="thin", form=TIME, align="left"),
            )
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
                put(sheet, row, at, _cell_value(number), rights[form])
        else:
            for row, text in enumerate(_texts(values), top):
                put(sheet, row, at, clean(text) or None, plain)

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


def put(sheet: Any, row: int, column: int, value: object, style: Any) -> Any:
    """Write one cell with a style of `Book.style`; text stays text, whatever it looks like."""
    cell: Any = sheet.cell(row, column)
    cell.value = value
    if isinstance(value, str):
        cell.data_type = "s"
    cell._style = style
    return cell


def set_widths(sheet: Any, widths: Iterable[float]) -> None:
    """Set the widths of the first columns [characters]."""
    for i, width in enumerate(widths, 1):
        sheet.column_dimensions[get_column_letter(i)].width = width


def fit_rows(sheet: Any, top: int, wrapped: Sequence[tuple[float, pd.Series]]) -> None:
    """Make rows high enough for their wrapped text, since not every program does; `wrapped` has width and texts."""
    if not wrapped:
        return
    lengths = [np.ceil(np.array([*map(len, _texts(texts))]) * 0.86 / width) for width, texts in wrapped]
    lines = np.maximum.reduce(lengths)
    for i in np.flatnonzero(lines > 1).tolist():
        sheet.row_dimensions[top + i].height = 13.2 * min(float(lines[i]), 12) + 1


def _texts(values: pd.Series) -> list[str]:
    return [text if isinstance(text, str) else str(text) for text in values.tolist()]


def clean(text: str) -> str:
    r"""Return text that a workbook can hold: no formula, no control characters, no more than a cell takes.

    Examples
    --------
    >>> clean("=1+1"), clean("a\x07b")
    ("'=1+1", 'a\ufffdb')
    """
    safe = _ILLEGAL.sub("\ufffd", tables.guard(text))
    return safe if len(safe) <= _LONGEST else safe[: _LONGEST - 1] + "…"


def _cell_value(value: object) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return None if math.isnan(value) else wording.number(value) if math.isinf(value) else value
    return value


def _sheet_name(title: str, taken: Iterable[str]) -> str:
    """Return a name that Excel takes: no brackets, slashes or `:*?`, at most 31 characters, not used yet."""
    plain = re.sub(r"[\[\]:*?/\\\x00-\x1f]", " ", title).strip().strip("'").strip() or "User"
    used = {name.casefold() for name in taken} | {"history"}
    name, count = plain[:31].strip().strip("'"), 1
    while name.casefold() in used:
        count += 1
        tail = f" ({count})"
        name = plain[: 31 - len(tail)].strip() + tail
    return name
