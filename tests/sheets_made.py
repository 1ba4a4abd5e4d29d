"""Workbooks made for a test, and what reading made of them in a few words."""

from pathlib import Path

import openpyxl
import pandas as pd

from pretreat.reading import Raw, read


def workbook(path: Path, *sheets: list[list[object]], merged: tuple[str, ...] = ()) -> Path:
    """Write rows to a workbook, one list of rows a sheet; None is a blank cell."""
    book = openpyxl.Workbook()
    for number, rows in enumerate(sheets):
        sheet = book.active if number == 0 else book.create_sheet(f"Sheet{number + 1}")
        sheet.title = f"Sheet{number + 1}"
        for row, values in enumerate(rows, 1):
            for column, value in enumerate(values, 1):
                if value is not None:
                    sheet.cell(row, column, value)
        for span in merged if number == 0 else ():
            sheet.merge_cells(span)
    book.save(path)
    return path


def told(raw: Raw, *columns: str) -> dict[str, tuple[object, ...]]:
    """Return, for each source cell, its value and the columns asked for, as text."""
    values = raw.values
    texts = [values[c].astype(object) if c in values else pd.Series([""] * len(values)) for c in ("value", *columns)]
    rows = zip(values["source_cell"], *(t.map(str) for t in texts), strict=True)
    return {cell: tuple(rest) for cell, *rest in rows}


def aside(raw: Raw) -> dict[str, tuple[str, str]]:
    """Return, for each cell set aside, its reason and text."""
    frame = raw.set_aside
    return dict(zip(frame["source_cell"], zip(frame["reason"], frame["text"], strict=True), strict=True))


def adds_up(raw: Raw) -> bool:
    """Return whether each sheet's values seen are its values and its values set aside (a sheet without a table: all)."""
    kept = raw.values.groupby(["source_file", "source_sheet"], observed=True).size()
    gone = raw.set_aside.groupby(["source_file", "source_sheet"]).size()
    for row in raw.sheets.itertuples():
        key = (row.source_file, row.source_sheet)
        if row.layout != "none" and row.values_seen != kept.get(key, 0) + gone.get(key, 0):
            return False
    return True


def sheet(tmp_path: Path, *sheets: list[list[object]], merged: tuple[str, ...] = (), **options: str) -> Raw:
    """Write a workbook and read it; the accounting must add up."""
    raw = read(workbook(tmp_path / "made.xlsx", *sheets, merged=merged), **options)
    assert adds_up(raw)
    return raw
