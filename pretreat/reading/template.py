"""A laboratory's template: hints for a sheet that needs them once, in a small TOML file.

    [[table]]
    sheet = "Results"           # names or patterns (`Oct*`) of the sheets it is for; every sheet unless given
    file = "*.csv"              # likewise for the file's name
    layout = "wide"             # long, wide, or parameters down; none: a sheet that is not to be read
    header_row = 3              # the row of the headings, 0 where there are none
    first_row = 5               # the first row of data; the one below the headings unless given
    dates = "mdy"               # mdy, dmy or ymd

    [table.all]                 # what holds for all its rows
    facility = "Acme Plating"

    [table.columns]             # by heading, or by the letter of the column
    "Date" = "start"
    "Cu" = { is = "value", parameter = "Copper", unit = "mg/L" }
    C = { is = "qualifier", of = "Cu" }

`learn` writes one from what was understood.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

import pandas as pd

from pretreat.errors import FileError, UsageError
from pretreat.reading.files import shown
from pretreat.reading.grid import Grid
from pretreat.reading.schema import RAW, Table, Values
from pretreat.reading.sheets import Cell, column_number, letters, text_of

ROLES: Final = frozenset({*RAW, "place", "nondetect"})
_KEYS: Final = frozenset({"sheet", "file", "layout", "header_row", "first_row", "dates", "all", "columns"})
_UNSEEN: Final = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
"""Characters that no editor shows, some of which TOML forbids."""
_LAYOUTS: Final = ("long", "wide", "parameters down", "none")


@dataclass(frozen=True, slots=True)
class Hint:
    """What a template says of one table."""

    source: str
    layout: str
    columns: Mapping[str, Mapping[str, str]]
    sheet: str = "*"
    file: str = "*"
    header_row: int = 1
    first_row: int = 2
    dates: str = ""
    all: Mapping[str, Cell] = field(default_factory=dict)

    def fits(self, file: str, sheet: str) -> bool:
        """Return whether it is meant for a sheet."""
        return fnmatch(Path(file).name, self.file) and fnmatch(sheet, self.sheet)


def load(path: str | Path) -> tuple[Hint, ...]:
    """Return the hints of a template.

    Raises
    ------
    FileError
        Where the file is missing or is no TOML.
    UsageError
        For a key, a layout or a role that is not known; all faults are said at once.
    """
    name = shown(Path(path))
    try:
        data = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise FileError(f"the template cannot be opened ({error.strerror}).", where=name) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(
            f"the template is no TOML: {error}.", where=name, todo="`pretreat read --learn` writes one."
        ) from error
    faults: list[str] = []
    tables = data.get("table", [])
    if not isinstance(tables, list) or not tables or set(data) - {"table"}:
        faults.append("a template holds [[table]] sections and nothing else")
        tables = []
    hints = [_hint(table, f"table {i}", name, faults) for i, table in enumerate(tables, 1)]
    if faults:
        raise UsageError("; ".join(faults) + ".", where=name, todo="The head of docs/lab-formats.md shows a template.")
    return tuple(hints)


def _hint(table: dict[str, Any], where: str, name: str, faults: list[str]) -> Hint:
    faults += [f"{where}: there is no key {key!r}" for key in sorted(set(table) - _KEYS)]
    layout = table.get("layout", "long")
    if layout not in _LAYOUTS:
        faults.append(f"{where}: layout is {' or '.join(_LAYOUTS)}, not {layout!r}")
    dates = table.get("dates", "")
    if dates not in {"", "mdy", "dmy", "ymd"}:
        faults.append(f"{where}: dates is mdy, dmy or ymd, not {dates!r}")
    rows = [table.get("header_row", 1), table.get("first_row", table.get("header_row", 1) + 1)]
    if not all(isinstance(row, int) and not isinstance(row, bool) and row >= 0 for row in rows) or rows[0] >= rows[1]:
        faults.append(f"{where}: header_row and first_row are row numbers, the header above the data")
        rows = [1, 2]
    columns: dict[str, dict[str, str]] = {}
    for key, value in table.get("columns", {}).items():
        said = {"is": value} if isinstance(value, str) else {k: str(v) for k, v in value.items()}
        if said.get("is") not in ROLES | {"not used"}:
            faults.append(f"{where}: column {key!r} is no {said.get('is')!r}")
        columns[key] = said
    faults += [
        f"{where}: there is no {key!r} to be the same for all rows" for key in sorted(set(table.get("all", {})) - ROLES)
    ]
    if layout != "none" and not any(said.get("is") == "value" for said in columns.values()):
        faults.append(f"{where}: no column is the value")
    return Hint(
        name,
        layout,
        columns,
        table.get("sheet", "*"),
        table.get("file", "*"),
        rows[0],
        rows[1],
        dates,
        table.get("all", {}),
    )


def shut(hints: tuple[Hint, ...], file: str, sheet: str) -> str:
    """Return the template that says of a sheet that it is not to be read, or `""`."""
    return next((hint.source for hint in hints if hint.layout == "none" and hint.fits(file, sheet)), "")


def apply(grid: Grid, hints: tuple[Hint, ...]) -> tuple[list[Table], list[str]]:
    """Return the tables that a template tells of a sheet, and a remark for each hint that does not fit it.

    A hint that is meant for the sheet and names a column that the sheet lacks does not fit; the sheet is then read as
    if there were no template, and the remark says so.
    """
    tables, notes = [], []
    for hint in hints:
        if hint.layout != "none" and hint.fits(grid.sheet.file, grid.sheet.name):
            lacking = [key for key in hint.columns if _column(grid, hint, key) is None]
            if lacking:
                notes.append(f"the template does not fit: the sheet has no column {', '.join(map(repr, lacking))}")
            else:
                tables.append(_table(grid, hint))
    return _ended(tables), notes


def _ended(tables: list[Table]) -> list[Table]:
    """Return tables of one sheet that end where the next one below begins."""
    return [
        replace(
            table,
            bottom=min([table.bottom, *(t.top for t in tables if t.top > table.body)]),
            title_top=max([0, *(t.body for t in tables if t.body < table.top)]),
        )
        for table in tables
    ]


def _column(grid: Grid, hint: Hint, key: str) -> int | None:
    width = grid.cells.shape[1]
    if 0 < hint.header_row <= grid.cells.shape[0]:
        headings = [text_of(v).casefold() for v in grid.spread[hint.header_row - 1].tolist()]
        if headings.count(key.strip().casefold()) == 1:
            return headings.index(key.strip().casefold())
    if key.isalpha() and key.isupper() and len(key) <= 3 and column_number(key) < width:
        return column_number(key)
    return None


def _table(grid: Grid, hint: Hint) -> Table:
    place = {key: _column(grid, hint, key) or 0 for key in hint.columns}
    roles: dict[str, int] = {}
    values: dict[int, Values] = {}
    for key, said in hint.columns.items():
        if said["is"] == "value":
            says: dict[str, Cell] = {k: v for k, v in said.items() if k != "is"}
            values[place[key]] = Values(place[key], key, says, {})
        elif "of" not in said and said["is"] != "not used":
            roles[said["is"]] = place[key]
    if "sample_type" in roles:
        roles.setdefault("qc", roles["sample_type"])  # as in a long table that is found by itself
    for key, said in hint.columns.items():
        owner = place.get(said.get("of", ""), _column(grid, hint, said.get("of", "")))
        if owner in values:
            values[owner].beside[said["is"]] = place[key]  # type: ignore[index]
    header = max(hint.header_row - 1, 0)
    bottom = grid.cells.shape[0]
    note = f"read by the template {hint.source}"
    return Table(
        hint.layout,
        header,
        header,
        hint.first_row - 1,
        bottom,
        roles,
        tuple(values.values()),
        dict(hint.all),
        notes=(note,),
    )


def described(table: Table, grid: Grid) -> dict[str, Any]:
    """Return a table as a template would tell it."""

    def key(column: int) -> str:
        headings = [text_of(v).casefold() for v in grid.spread[table.header].tolist()]
        text = text_of(grid.spread[table.header, column])
        return text if text and headings.count(text.casefold()) == 1 else letters(column)

    columns: dict[str, Any] = {}
    for role, c in table.roles.items():  # the first role of a column: quality control is told in that of sample types
        columns.setdefault(key(c), role)
    for value in table.values:
        says = {k: text_of(v) for k, v in value.says.items()}
        columns[key(value.index)] = {"is": "value", **says}
        columns |= {key(c): {"is": role, "of": key(value.index)} for role, c in value.beside.items()}
    return {
        "file": f"*{Path(grid.sheet.file).suffix}",
        "sheet": grid.sheet.name,
        "layout": table.layout,
        "header_row": table.header + 1,
        "first_row": table.body + 1,
        "all": {role: text_of(value) for role, value in table.says.items()},
        "columns": columns,
    }


def learn(understood: pd.DataFrame, path: str | Path) -> None:
    """Write a template of what was understood, to be corrected by hand.

    Parameters
    ----------
    understood : DataFrame
        As `read` returns it.
    path : str or Path
        The file to write.

    Raises
    ------
    UsageError
        Where no table was understood.
    FileError
        Where the file cannot be written.
    """
    tables: list[dict[str, Any]] = []
    for table in understood.attrs.get("tables", []):
        if table not in tables:
            tables.append(table)
    if not tables:
        raise UsageError("no table was understood, so there is nothing to learn from.", where=shown(Path(path)))
    text = "# How a laboratory's sheets are read. Correct what is wrong, then give this file with --template.\n"
    known = [table for table in tables if not table.get("draft")]
    if not known:
        text += "# No headings were found: what a column is was guessed from its cells, and must be checked.\n"
    tables = known or tables
    try:
        Path(path).write_text(text + "".join(map(_written, tables)), "utf-8")
    except OSError as error:
        raise FileError(f"the template cannot be written ({error.strerror}).", where=shown(Path(path))) from error


def _written(table: dict[str, Any]) -> str:
    lines = ["", "[[table]]"]
    lines += [
        f"{key} = {_toml(table[key])}"
        for key in ("file", "sheet", "layout", "header_row", "first_row")
        if table[key] != ""
    ]
    if table["all"]:
        lines += ["", "[table.all]", *(f"{_toml(k)} = {_toml(v)}" for k, v in table["all"].items())]
    lines += ["", "[table.columns]"]
    for key, said in table["columns"].items():
        value = (
            _toml(said)
            if isinstance(said, str)
            else "{ " + ", ".join(f"{k} = {_toml(v)}" for k, v in said.items()) + " }"
        )
        lines.append(f"{_toml(key)} = {value}")
    return "\n".join(lines) + "\n"


def _toml(value: str | int) -> str:
    # A JSON string is a TOML basic string, but for the escape of the solidus, which json does not write.
    if not isinstance(value, str):
        return str(value)
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
