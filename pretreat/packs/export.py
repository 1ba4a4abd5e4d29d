"""A pack as a workbook or CSV that can be edited and given to `--limits`, with the printed decimals."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from pretreat.errors import FileError
from pretreat.packs import words
from pretreat.packs.books import LISTS, NAMED, PAIRS
from pretreat.packs.written import Table, Written, flat

_PLURAL: Final = {block: sheet for sheet, block in LISTS.items()}
Sheet = list[list[Any]]


def sheets(written: Written) -> dict[str, Sheet]:
    """Return a written pack as sheets: a table each, single limits on one, and a sheet for each block.

    Parameters
    ----------
    written : Written
        The pack as somebody wrote it; nothing is worked out, so that the workbook says what the file says.

    Examples
    --------
    >>> from pretreat.packs import write_up
    >>> list(sheets(write_up("ny/little-valley")))[:4]
    ['document', 'settings', 'table 1', 'table 2']
    """
    result: dict[str, Sheet] = {}
    for name in PAIRS:
        if block := written.blocks.get(name):
            result[name] = [["key", "value"], *([key, value] for key, value in _dotted(block))]
    single = Table("", {}, [])
    for number, table in enumerate(written.tables, start=1):
        if not table.where:
            single.rows += table.rows
            continue
        keys = {key: value for key, value in table.keys.items() if key != "name"}
        title = str(table.keys.get("name") or f"table {number}")
        result[_title(title, result)] = _table(table, keys)
    if single.rows:
        result[_title("limits", result)] = _table(single, {})
    for name in (*NAMED, *_PLURAL):
        block = written.blocks.get(name)
        if not block:
            continue
        if name in NAMED:
            main = "ask" if name == "facts" else "statistic" if name == "headings" else "printed"
            entries = [{"name": key, **(_flat(v) if isinstance(v, dict) else {main: v})} for key, v in block.items()]
        else:
            entries = [_flat(entry) for entry in block]
        columns = list(dict.fromkeys(key for entry in entries for key in entry))
        result[_PLURAL.get(name, name)] = [columns, *([entry.get(key, "") for key in columns] for entry in entries)]
    first = [name for name in ("document", "settings") if name in result]
    blocks = {*PAIRS, *NAMED, *LISTS}
    order = [*first, *(name for name in result if name not in blocks), *(name for name in result if name in blocks)]
    return {name: result[name] for name in dict.fromkeys(order)}


def _flat(keys: Mapping[str, Any]) -> dict[str, Any]:
    return dict(_dotted(flat(dict(keys))))


def _dotted(block: Mapping[str, Any], outer: str = "") -> Iterable[tuple[str, Any]]:
    for key, value in block.items():
        if isinstance(value, Mapping):
            yield from _dotted(value, f"{outer}{key}.")
        else:
            yield f"{outer}{key}", "; ".join(str(part) for part in value) if isinstance(value, list) else value


def _table(table: Table, keys: Mapping[str, Any]) -> Sheet:
    """Return a table's rows; what holds for all of them stands in a row `all` above."""
    rows = [dict(_dotted(row.keys)) for row in table.rows]
    columns = list(dict.fromkeys([*(key for row in rows for key in row), *keys]))
    columns.sort(key=_order)
    if "parameter" not in map(words.column, columns):
        columns.insert(0, "parameter")
    head = ["row", *columns] if keys else columns
    body = [[row.get(key, "") for key in columns] for row in rows]
    if not keys:
        return [head, *body]
    outer = dict(_dotted(keys))
    return [head, ["all", *(outer.get(key, "") for key in columns)], *(["", *row] for row in body)]


def _order(key: str) -> tuple[int, int]:
    """Put id, cite and parameter first, then headings and numbers, then the rest in the order of the README."""
    first = ("id", "cite", "parameter")
    if key in first:
        return 0, first.index(key)
    if key in words.ROW_KEYS and key not in words.BOUNDS:
        return 2, words.ROW_KEYS.index(key)
    return (1, 0) if key.partition(".")[0] not in words.FAMILIES else (3, 0)


def _title(name: str, taken: Mapping[str, Sheet]) -> str:
    """Return a name that a sheet may have, and that no other has."""
    plain = "".join(" " if letter in "[]:*?/\\" else letter for letter in name)[:28].strip("' ") or "table"
    if plain.casefold() in (*PAIRS, *NAMED, *LISTS) or plain.startswith("_"):
        plain = f"table {plain}"
    title, number = plain, 2
    while title in taken:
        title, number = f"{plain} {number}", number + 1
    return title


def write_book(written: Written, path: Path) -> None:
    """Write the sheets as a workbook: text as text, numbers with the decimals that are printed."""
    import openpyxl  # noqa: PLC0415  (half a second, and only this command writes one)
    from openpyxl.styles import Alignment, Font  # noqa: PLC0415 - as the line above
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - as the line above

    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets(written).items():
        sheet = book.create_sheet(title)
        for number, row in enumerate(rows, start=1):
            for column, value in enumerate(row, start=1):
                if value == "" or value is None:
                    continue
                cell = sheet.cell(number, column)
                _fill(cell, value)
                cell.alignment = Alignment(vertical="top", wrap_text=isinstance(value, str) and len(value) > 40)
                if number == 1:
                    cell.font = Font(bold=True)
        sheet.freeze_panes = "A2"
        for column in range(1, max((len(row) for row in rows), default=0) + 1):
            longest = max((len(str(row[column - 1])) for row in rows if len(row) >= column), default=0)
            sheet.column_dimensions[get_column_letter(column)].width = min(60, max(10, longest + 2))
    _save(book, path)


def _save(book: Any, path: Path) -> None:
    try:
        book.save(path)
    except OSError as error:
        raise FileError(f"this file cannot be written: {error.strerror}.", where=str(path)) from error


def _fill(cell: Any, value: Any) -> None:
    if isinstance(value, bool):
        value = "yes" if value else "no"
    if isinstance(value, int | Decimal):
        number = Decimal(value)
        exponent = number.as_tuple().exponent
        decimals = max(0, -exponent) if isinstance(exponent, int) else 0
        cell.value = float(number) if decimals else int(number)
        cell.number_format = f"0.{'0' * decimals}" if decimals else "0"
    elif isinstance(value, date):
        cell.value = value
        cell.number_format = "yyyy-mm-dd"
    else:
        cell.value = str(value)
        cell.data_type = "s"  # text that begins with = is no formula
        cell.number_format = "@"


def write_csv(written: Written, path: Path) -> None:
    """Write all limits as one CSV, with its two-column blocks.

    Raises
    ------
    FileError
        Where the pack holds what one CSV cannot: headings, marks, groups, duties; a workbook can.
    """
    found = sheets(written)
    unfit = [name for name in found if name in (*NAMED, *LISTS, "slug", "snc", "defaults")]
    if unfit:
        raise FileError(f"one CSV cannot hold {', '.join(unfit)}.", where=str(path), todo="Write FILE.xlsx instead.")
    pairs = [(name, row) for name in PAIRS if name in found for row in found[name][1:]]
    tables = [rows for name, rows in found.items() if name not in PAIRS]
    columns = list(dict.fromkeys(key for rows in tables for key in rows[0] if key != "row"))
    columns.sort(key=_order)
    lines: list[Sequence[Any]] = [["row", *columns], *([name, *row] for name, row in pairs)]
    for rows in tables:
        lines.append(["all"])
        for row in rows[1:]:
            given = dict(zip(rows[0], row, strict=True))
            lines.append([given.get("row", ""), *(given.get(key, "") for key in columns)])
    try:
        with path.open("w", encoding="utf-8-sig", newline="") as stream:
            csv.writer(stream).writerows([[_plain(value) for value in line] for line in lines])
    except OSError as error:
        raise FileError(f"this file cannot be written: {error.strerror}.", where=str(path)) from error


def _plain(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
