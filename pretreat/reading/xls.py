"""A second look at old `.xls` workbooks: number formats, error cells, struck-through type, hidden rows."""

from __future__ import annotations

import io
import struct
from typing import Final

import xlrd

from pretreat.errors import FileError
from pretreat.reading.second_look import ERROR, STRIKE, SecondLook, hidden, meaning
from pretreat.reading.sheets import Cell

_DAMAGE: Final = (
    xlrd.XLRDError,
    xlrd.compdoc.CompDocError,
    struct.error,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OverflowError,
    RecursionError,
    TypeError,
    UnicodeError,
    ValueError,
    ZeroDivisionError,
)
"""What xlrd raises on damaged files; it checks little before it reads."""


_COMPOUND: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DIMENSIONS: Final = 0x0200
_FILLED: Final = frozenset({xlrd.XL_CELL_TEXT, xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE})


def look(data: bytes, file: str) -> dict[str, SecondLook]:
    """Return what each sheet of a `.xls` workbook says beside the cells' text.

    Raises
    ------
    FileError
        Where the workbook is damaged or protected by a password.
    """
    try:
        book = xlrd.open_workbook(file_contents=data, formatting_info=True, logfile=io.StringIO())
        turned = _turned(data)
    except _DAMAGE as error:
        what = "protected by a password" if "encrypted" in str(error).lower() else f"damaged ({type(error).__name__})"
        raise FileError(
            f"the workbook is {what}.", where=file, todo="Open it in Excel and save it as .xlsx."
        ) from error
    if turned:
        raise FileError(
            "the workbook is damaged (a sheet that ends before it begins).",
            where=file,
            todo="Open it in Excel and save it as .xlsx.",
        )
    return {sheet.name: _look(book, sheet) for sheet in book.sheets()}


def _turned(data: bytes) -> bool:
    """Say whether a sheet's extent (record DIMENSIONS) ends before it begins: the fast reader dies of that."""
    if not data.startswith(_COMPOUND):
        return False
    parts = xlrd.compdoc.CompDoc(data, logfile=io.StringIO())
    stream = parts.get_named_stream("Workbook") or parts.get_named_stream("Book") or b""  # of Excel 97, of Excel 5
    at = 0
    while at + 4 <= len(stream):
        record, length = struct.unpack_from("<HH", stream, at)
        form = {14: "<IIHH", 10: "<HHHH"}.get(length, "") if record == _DIMENSIONS else ""
        if form and at + 4 + length <= len(stream):
            top, bottom, left, right = struct.unpack_from(form, stream, at + 4)
            if top > bottom or left > right:
                return True
        at += 4 + length
    return False


def _special(book: xlrd.Book) -> dict[int, str]:
    """Return the mark of each cell style that has one, by the style's number."""
    special: dict[int, str] = {}
    for index, style in enumerate(book.xf_list):
        number_format = book.format_map.get(style.format_key)
        mark = meaning(number_format.format_str) if number_format else ""
        struck = style.font_index < len(book.font_list) and book.font_list[style.font_index].struck_out
        if struck or mark:
            special[index] = STRIKE if struck else mark
    return special


def _look(book: xlrd.Book, sheet: xlrd.sheet.Sheet) -> SecondLook:
    special = _special(book)
    marks: dict[tuple[int, int], str] = {}
    values: dict[tuple[int, int], Cell] = {}
    for row in range(sheet.nrows):
        types, styles = sheet.row_types(row), sheet._cell_xf_indexes[row]
        for column, (kind, style) in enumerate(zip(types, styles, strict=True)):
            if kind == xlrd.XL_CELL_ERROR:
                marks[row, column] = ERROR
                values[row, column] = xlrd.error_text_from_code.get(sheet.cell_value(row, column), "#ERROR!")
            elif style in special and (kind == xlrd.XL_CELL_NUMBER or (special[style] == STRIKE and kind in _FILLED)):
                marks[row, column] = special[style]
    rows = sorted(row + 1 for row, info in sheet.rowinfo_map.items() if info.hidden)
    notes: tuple[str, ...] = (hidden("row", len(rows), rows[0]),) if rows else ()
    columns = [index for index, info in sheet.colinfo_map.items() if info.hidden and index < sheet.ncols]
    if columns:
        notes += (hidden("column", len(columns)),)
    return SecondLook(marks, values, notes, sheet.nrows, sheet.ncols, bool(book.datemode))
