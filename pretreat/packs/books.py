"""A pack written as a workbook or CSV, into the same shape as TOML, each value with its cell."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from pretreat.packs.words import ROW_KEYS, column, near
from pretreat.packs.written import Faults, Row, Table, Written, digest, flat

PAIRS: Final = ("document", "settings", "names", "parameters", "defaults", "slug", "snc")
"""Blocks of two columns, key and value."""
NAMED: Final = ("facts", "headings", "notes", "groups")
"""Blocks of one row an entry, the first column its name."""
LISTS: Final = {"schedule": "schedule", "penalties": "penalty", "definitions": "definition", "checklist": "checklist"}
"""Blocks of one row an entry without a name."""
_SEVERAL: Final = frozenset({"members", "choices", "amended", "adopts", "reaches", "except"})


_SURE: Final = frozenset(ROW_KEYS) - {"above"}
"""Keys that a column's name alone can mean; a heading that the file explains (`Limit`) is left to that."""


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a sheet: its number, and the values with their cells."""

    number: int
    values: tuple[Any, ...]
    cells: tuple[str, ...]


def read_book(path: Path, name: str, file: str) -> Written:
    """Read a workbook: sheets with a column `parameter` are tables, the others blocks."""
    faults = Faults(file)
    written = Written(name, file, digest(path), {}, [], faults)
    for title, lines in _sheets(path, faults):
        head = [_key(value) for value in lines[0].values] if lines else []
        if title.startswith("_") or not lines:
            continue
        block = title.strip().casefold()
        if "parameter" in head:
            _rows(title, lines, written, f"sheet {title}")
        elif block in PAIRS:
            written.blocks[block] = _pairs(lines[1:] if head[:2] == ["key", "value"] else lines, title, faults)
        elif block in NAMED or block in LISTS:
            _entries(block, head, lines[1:], written, title)
        else:
            known = (*PAIRS, *NAMED, *LISTS)
            message = (
                f"the sheet {title!r} has no column 'parameter' and is no block{near(block, known)}; "
                "begin its name with _ to leave it out"
            )
            faults.add(f"sheet {title}", "", "unknown-key", message)
    return _titled(written, path)


def read_csv(path: Path, name: str, file: str) -> Written:
    """Read a CSV: one table, whose column `row` may name defaults and two-column blocks."""
    faults = Faults(file)
    written = Written(name, file, digest(path), {}, [], faults)
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Excel's plain CSV is cp1252; it is the only other encoding in which a section sign is likely to come.
        text = data.decode("cp1252", errors="replace")
    first = text.splitlines()[0] if text.strip() else ""
    delimiter = max(",;\t", key=first.count)
    lines = [
        Line(number, tuple(cell.strip() for cell in cells), tuple(f"{_letter(n)}{number}" for n in range(len(cells))))
        for number, cells in enumerate(csv.reader(io.StringIO(text), delimiter=delimiter), start=1)
        if any(cell.strip() for cell in cells)
    ]
    if not lines or "parameter" not in [_key(value) for value in lines[0].values]:
        faults.add("row 1", "", "unreadable", "the first row has no column 'parameter'")
    else:
        _rows(path.stem, lines, written, "")
    return _titled(written, path)


def _titled(written: Written, path: Path) -> Written:
    written.blocks.setdefault("document", {}).setdefault("title", path.stem)
    return written


def _sheets(path: Path, faults: Faults) -> Iterator[tuple[str, list[Line]]]:
    import openpyxl  # noqa: PLC0415  (half a second, and most packs are TOML)
    from openpyxl.utils.exceptions import InvalidFileException  # noqa: PLC0415 - as the line above

    try:
        book = openpyxl.load_workbook(path)
    except (zipfile.BadZipFile, InvalidFileException, KeyError, OSError, ValueError) as error:
        faults.add("", "", "unreadable", f"this is no workbook that can be opened: {error}")
        return
    for sheet in book.worksheets:
        lines = []
        for number, row in enumerate(sheet.iter_rows(), start=1):
            values = tuple(_value(cell, sheet.title, faults) for cell in row)
            if any(value != "" for value in values):
                lines.append(Line(number, values, tuple(cell.coordinate for cell in row)))
        for merged in sheet.merged_cells.ranges:
            if merged.max_row > merged.min_row and not sheet.title.startswith("_"):
                message = (
                    f"the cells {merged} are merged; write the value in each row, since a blank never means 'as above'"
                )
                faults.add(f"sheet {sheet.title}, row {merged.min_row}", merged.start_cell.coordinate, "blank", message)
        yield sheet.title, lines


def _value(cell: Any, title: str, faults: Faults) -> Any:
    """Return a cell as it is printed: the decimals of its format, the percent sign of its format."""
    value = cell.value
    if value is None:
        return ""
    if cell.data_type == "f":
        where = f"sheet {title}, row {cell.row}"
        faults.add(where, cell.coordinate, "not-a-number", "this is a formula; write the number that is printed")
        return ""
    if cell.font is not None and cell.font.strike and not title.startswith("_"):
        where, message = (
            f"sheet {title}, row {cell.row}",
            "this is struck through: is it still the limit? Delete it or undo that",
        )
        faults.add(where, cell.coordinate, "bad-value", message)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return " ".join(value.split()) if isinstance(value, str) else value
    return _number(value, cell.number_format)


def _number(value: int | float, style: str) -> Any:
    """Return a number as its format prints it; one that the format makes a percent or a `<0.2` as that text."""
    if "%" in style:
        return f"{value * 100:g}%"
    if sign := re.search(r'"[^"]*([<>≤≥])[^"]*"', style):
        return f"{sign[1]}{value:g}"
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    match = re.fullmatch(r"#?,?#*0(?:\.(0+))?(?:_\)|;.*)?", style)
    if match and match[1] and abs(number) < 10**12:
        printed = number.quantize(Decimal(1).scaleb(-len(match[1])))
        return printed if printed == number else number
    return int(number) if number == number.to_integral_value() else number


def _letter(number: int) -> str:
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _key(value: Any) -> str:
    """Return a column's name: one of our keys however it is written, else the heading as printed."""
    text = " ".join(str(value).split())
    plain = text.casefold()
    return plain if plain in ("row", "key", "value") else column(text) if column(text) in _SURE else text


def _rows(title: str, lines: Sequence[Line], written: Written, sheet: str) -> None:
    """Read the limits of a sheet; `row` = `all` sets what holds for the rows below."""
    head = [_key(value) for value in lines[0].values]
    first = f"{sheet}, row {lines[0].number}" if sheet else f"row {lines[0].number}"
    for twice in sorted({key for key in head if key and head.count(key) > 1}):
        written.faults.add(first, twice, "bad-value", f"the column {twice!r} is there twice")
    table = Table(sheet, {"name": title}, [])
    tables = [table]
    for line in lines[1:]:
        given = {key: value for key, value in zip(head, line.values, strict=False) if key and key != "row"}
        at = head.index("row") if "row" in head else len(line.values)
        kind = str(line.values[at]).strip() if at < len(line.values) else ""
        where = f"{sheet}, row {line.number}" if sheet else f"row {line.number}"
        stray = [cell for key, value, cell in _beside(head, line) if not key and value != ""]
        if stray and not kind:
            written.faults.add(where, stray[0], "bad-value", "this cell stands under no column name")
        if kind == "all":
            table = Table(sheet, {"name": title, **{key: value for key, value in given.items() if value != ""}}, [])
            tables.append(table)
        elif kind in PAIRS:
            rest = [value for n, value in enumerate(line.values) if n != at]
            _put(written.blocks.setdefault(kind, {}), str(rest[0]), rest[1] if len(rest) > 1 else "")
        elif kind:
            message = f"{kind!r} is neither 'all' nor a block of two columns{near(kind, ('all', *PAIRS))}"
            written.faults.add(where, f"row ({line.cells[at]})", "unknown-key", message)
        else:
            label = given.get("id") or given.get("parameter")
            cells = {key: cell for key, _, cell in _beside(head, line)}
            table.rows.append(Row(f"{where} ({label})" if label else where, given, cells))
    if not any(part.rows for part in tables):
        written.faults.add(sheet or first, "", "no-limit", "this table has no rows")
    written.tables += tables


def _beside(head: Sequence[str], line: Line) -> list[tuple[str, Any, str]]:
    padded = [*head, *[""] * (len(line.values) - len(head))]
    return list(zip(padded, line.values, line.cells, strict=False))


def _pairs(lines: Sequence[Line], title: str, faults: Faults) -> dict[str, Any]:
    block: dict[str, Any] = {}
    for line in lines:
        values = [value for value in line.values if value != ""]
        if len(values) > 2 or line.values[0] == "":
            faults.add(
                f"sheet {title}, row {line.number}", "", "bad-value", "write a key and its value, in two columns"
            )
            continue
        _put(block, str(line.values[0]), line.values[1] if len(line.values) > 1 else "")
    return block


def _put(block: dict[str, Any], key: str, value: Any) -> None:
    """Put a value under a key; dots make blocks within blocks, `;` a list where one is due."""
    if value == "":
        return  # not said, so that what holds without it holds
    outer, _, inner = key.partition(".")
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    if inner and outer not in ("when", "set", "accept"):
        _put(block.setdefault(outer, {}), inner, value)
    elif outer in _SEVERAL or (outer == "of" and ";" in str(value)):
        block[outer] = [part.strip() for part in str(value).split(";") if part.strip()]
    else:
        block[key] = value


def _entries(block: str, head: Sequence[str], lines: Sequence[Line], written: Written, title: str) -> None:
    for line in lines:
        keys: dict[str, Any] = {}
        for key, value, cell in _beside(head, line):
            if key:
                _put(keys, key, value)
            elif value != "":
                written.faults.add(
                    f"sheet {title}, row {line.number}", cell, "bad-value", "this cell has no column name"
                )
        if block in LISTS:
            written.blocks.setdefault(LISTS[block], []).append(keys)
            continue
        name = line.values[0]
        keys.pop(head[0], None)
        # Excel makes -1 of a mark typed as (1).
        mark = f"({-name})" if isinstance(name, int) and name < 0 else str(name)
        entries = written.blocks.setdefault(block, {})
        if not mark or mark in entries:
            written.faults.add(
                f"sheet {title}, row {line.number}", head[0], "bad-value", "each entry has a name of its own"
            )
            continue
        entries[mark] = flat(keys) if list(keys) != ["ask"] else keys["ask"]
