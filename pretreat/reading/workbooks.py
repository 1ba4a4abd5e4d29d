"""Workbooks (.xlsx, .xlsm, .xls, .ods) into sheets: one fast reader, and a second look at what it does not tell.

python-calamine reads fast and keeps text as text, and it turns error cells and formulas without a cached value into
empty text and drops number formats and struck-through type. The second looks (`xlsx`, `xls`, `ods`) find just those
cells in the workbook's own parts, so that none of them vanishes. Macros and links are never followed.
"""

from __future__ import annotations

import io
from typing import Final

import python_calamine as calamine

from pretreat.errors import FileError
from pretreat.reading import ods, xls, xlsx
from pretreat.reading.second_look import SecondLook
from pretreat.reading.sheets import Sheet, square, without_space

_MOST_CELLS: Final = 30_000_000


def read(data: bytes, file: str, kind: str) -> list[Sheet]:
    """Return the sheets of a workbook, hidden ones too, each cell at its own address.

    Parameters
    ----------
    data : bytes
        The whole file.
    file : str
        Its name, for messages and for `Sheet.file`.
    kind : {"xlsx", "xls", "ods"}
        What the bytes are (`contents.kind`), whatever the name says.

    Raises
    ------
    FileError
        Where the workbook is damaged, protected by a password, empty, or unpacks to more than a workbook can need.
    """
    looks = {"xlsx": xlsx.look, "xls": xls.look, "ods": ods.look}[kind](data, file)
    for name, look in looks.items():
        # The fast reader keeps every cell up to the last one in memory, empty ones too, and cannot be stopped.
        if look.rows * look.columns > _MOST_CELLS:
            raise FileError(
                f"its sheet {name!r} reaches to row {look.rows:,} and column {look.columns:,}.",
                where=file,
                todo="Delete the empty rows and columns around the data and save it again.",
            )
    try:
        with calamine.CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
            sheets = [_sheet(book, meta, file, looks.get(meta.name, SecondLook())) for meta in book.sheets_metadata]
    except calamine.PasswordError as error:
        raise FileError("it is protected by a password.", where=file, todo="Save it without one.") from error
    except calamine.CalamineError as error:
        raise FileError(
            f"the workbook is damaged ({_first_line(error)}).", where=file, todo="Open it in Excel and save it again."
        ) from error
    kept = [sheet for sheet in sheets if sheet is not None]
    if not any(sheet.cells.size for sheet in kept):
        raise FileError("the workbook is empty.", where=file, todo="Ask for the file with its data.")
    return kept


def _sheet(book: calamine.CalamineWorkbook, meta: calamine.SheetMetadata, file: str, look: SecondLook) -> Sheet | None:
    if meta.typ not in (calamine.SheetTypeEnum.WorkSheet, calamine.SheetTypeEnum.MacroSheet):
        return None
    source = book.get_sheet_by_name(meta.name)
    # Without skip_empty_area=False leading blank rows and columns would shift every address.
    cells = without_space(square(source.to_python(skip_empty_area=False)))
    notes = list(look.notes)
    if meta.visible != calamine.SheetVisibleEnum.Visible:
        notes.insert(0, "the sheet is hidden")
    cells, marks = look.applied(cells)
    merged = tuple((a[0], a[1], b[0], b[1]) for a, b in source.merged_cell_ranges or ())
    return Sheet(file, meta.name, cells, merged, marks, tuple(notes), epoch_1904=look.epoch_1904)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
