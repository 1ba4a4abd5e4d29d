"""Files into raw values: `read` and what it returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import pandas as pd

from pretreat import columns
from pretreat.errors import FileError, UsageError
from pretreat.reading import assemble, contents, files, joins, layouts, parquet, text, titles, workbooks
from pretreat.reading import template as template_
from pretreat.reading.grid import Grid
from pretreat.reading.schema import Table
from pretreat.reading.sheets import Cell, Sheet, letters, range_of, text_of

UNDERSTOOD: Final = ("source_file", "source_sheet", "table", "column", "heading", "taken_as", "note")


@dataclass(frozen=True, slots=True)
class Raw:
    """What was read.

    `values` holds one row a value cell (docs/architecture.md, "raw"), `set_aside` what is no value of a table,
    `sheets` one row a sheet, `understood` one row for each column of each table and for each remark, `dates` the order
    of dates that was asked for (by the option or the template), or `""`.
    """

    values: pd.DataFrame
    set_aside: pd.DataFrame
    sheets: pd.DataFrame
    understood: pd.DataFrame
    dates: str = ""


@dataclass(slots=True)
class _Gathered:
    dates: str
    facility: str
    hints: tuple[template_.Hint, ...]
    values: list[pd.DataFrame] = field(default_factory=list)
    set_aside: list[dict[str, str]] = field(default_factory=list)
    sheets: list[dict[str, object]] = field(default_factory=list)
    understood: list[dict[str, str]] = field(default_factory=list)
    tables: list[dict[str, Any]] = field(default_factory=list)
    lists: list[joins.Samples] = field(default_factory=list)
    waiting: list[Sheet] = field(default_factory=list)


def read(
    paths: str | Path | Iterable[str | Path],
    *,
    dates: str | None = None,
    template: str | Path | None = None,
    facility: str | None = None,
) -> Raw:
    """Read files of samples as they come.

    Parameters
    ----------
    paths : str, Path or iterable of them
        Files, folders (with their subfolders) or globs.
    dates : {"mdy", "dmy", "ymd"}, optional
        The order of dates in text; it is handed on to `tidy` in `sheets.date_order`.
    template : str or Path, optional
        Hints for a laboratory's sheet (`reading.template`).
    facility : str, optional
        The user, on sheets that name none.

    Returns
    -------
    Raw
        For every sheet, `values_seen` is the number of its rows in `values` and of its values in `set_aside`.

    Raises
    ------
    FileError
        Where a file is missing, damaged, empty, or is not what its name says.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    gathered = _Gathered(dates or "", facility or "", template_.load(template) if template is not None else ())
    for path in files.find(given):
        _file(gathered, path)
    _join(gathered)
    values = assemble.concatenate(gathered.values or [_nothing()])
    set_aside = pd.DataFrame(gathered.set_aside, columns=list(columns.TABLES["set_aside"]))
    sheets = pd.DataFrame(gathered.sheets, columns=list(columns.TABLES["sheets"]))
    understood = pd.DataFrame(gathered.understood, columns=list(UNDERSTOOD))
    understood.attrs["tables"] = gathered.tables
    return Raw(values, set_aside, sheets, understood, gathered.dates or _one_order(gathered.hints))


def _one_order(hints: tuple[template_.Hint, ...]) -> str:
    orders = {hint.dates for hint in hints if hint.dates}
    if len(orders) > 1:
        raise UsageError(
            f"the template gives two orders of dates, {' and '.join(sorted(orders))}.",
            where=hints[0].source,
            todo="Read the files of each order by themselves.",
        )
    return next(iter(orders), "")


def _nothing() -> pd.DataFrame:
    return pd.DataFrame(
        {name: pd.Series(dtype=object) for name in ("value", "source_file", "source_sheet", "source_cell")}
    )


def _file(gathered: _Gathered, path: Path) -> None:
    name = files.shown(path)
    try:
        data = path.read_bytes() if path.suffix.lower() != ".parquet" else b"PAR1"
    except OSError as error:
        raise FileError(
            f"it cannot be opened ({error.strerror}).", where=name, todo="Check its permissions."
        ) from error
    kind = contents.kind(data, name)
    if kind == "parquet":
        frame = parquet.read(path, name)
        _frame(gathered, frame, name)
        return
    sheets = [text.read(data, name)] if kind == "text" else workbooks.read(data, name, kind)
    for sheet in sheets:
        _sheet(gathered, sheet)


def _frame(gathered: _Gathered, frame: pd.DataFrame, name: str) -> None:
    values, used = parquet.values(frame, name, gathered.facility)
    gathered.values.append(values)
    gathered.sheets.append(_row(name, "", "long", "", gathered.dates, len(values)))
    gathered.understood += [_said(name, "", "1", heading, heading, role) for heading, role in used.items()]


def _sheet(gathered: _Gathered, sheet: Sheet) -> None:
    grid = Grid(sheet)
    tables, remarks = template_.apply(grid, gathered.hints) if sheet.cells.size else ([], [])
    if not tables and sheet.cells.size:
        tables = layouts.find(grid)
    gathered.understood += [_said(sheet.file, sheet.name, "", "", "", "", note) for note in (*sheet.notes, *remarks)]
    dates = gathered.dates or next((h.dates for h in gathered.hints if h.fits(sheet.file, sheet.name)), "")
    if not tables:
        listed = joins.samples(grid)
        if listed is None:
            _no_table(gathered, sheet, dates)
        else:
            gathered.lists.append(listed)
            gathered.waiting.append(sheet)
        return
    seen, filled_down = 0, False
    named = titles.users(grid, tables)
    for number, found in enumerate(tables, 1):
        above = named.get(number, {}) | titles.read(grid, found)
        gathered.tables.append(template_.described(found, grid))
        table, says, notes = who(found, above, gathered.facility)
        part = assemble.values(grid, table, says)
        seen += part.seen
        filled_down |= part.filled_down
        gathered.set_aside += part.set_aside
        if len(part.values):
            gathered.values.append(part.values)
        gathered.understood += _understood(sheet, table, number, says, notes)
    layout = ", ".join(dict.fromkeys(table.layout for table in tables))
    layout += "; a facility named on the first row of a block holds to its end" if filled_down else ""
    header = ", ".join(str(table.header + 1) for table in tables)
    gathered.sheets.append(_row(sheet.file, sheet.name, layout, header, dates, seen))


def _join(gathered: _Gathered) -> None:
    """Give results without dates what the lists of samples say; a list that nothing needs is no table."""
    needed: list[joins.Samples] = []
    for index, values in enumerate(gathered.values):
        gathered.values[index], used = joins.join(values, gathered.lists)
        needed += used
    for one, sheet in zip(gathered.lists, gathered.waiting, strict=True):
        if one not in needed:
            _no_table(gathered, sheet, gathered.dates)
            continue
        gathered.sheets.append(_row(one.file, one.sheet, "samples", str(one.header_row), gathered.dates, 0))
        said = [(letters(c), text_of(sheet.cells[one.header_row - 1, c]), role) for role, c in one.columns.items()]
        gathered.understood += [_said(one.file, one.sheet, "1", *each, "joined by the sample's id") for each in said]


def who(table: Table, above: Mapping[str, Cell], facility: str) -> tuple[Table, dict[str, Cell], list[str]]:
    """Settle who and where: columns first, then the title block; a place alone stands for the user.

    Returns
    -------
    tuple
        The table with its place among its roles, what holds for all its rows, and the remarks about it.
    """
    roles, says, notes = dict(table.roles), dict(above), []
    values = list(table.values)
    of_column = any("facility" in v.says for v in values)
    if "facility" not in roles and not of_column:
        if facility:
            says["facility"] = facility
        elif "facility" in says:
            notes.append(f"the user is {text_of(says['facility'])!r}, from the block above the table, as a last resort")
        elif "place" in roles:
            roles["facility"] = roles.pop("place")
            notes.append("no column names the user: the place stands for it")
        elif "place" in says:
            says["facility"] = says.pop("place")
            notes.append(f"nothing names the user: the place {text_of(says['facility'])!r} stands for it")
    else:
        says.pop("facility", None)
    if "place" in roles:
        roles.setdefault("outfall", roles["place"])
        del roles["place"]
    if "place" in says:
        says.setdefault("outfall", says["place"])
        del says["place"]
    return replace(table, roles=roles), says, notes


def _no_table(gathered: _Gathered, sheet: Sheet, dates: str) -> None:
    where, count = range_of(sheet.cells)
    gathered.sheets.append(_row(sheet.file, sheet.name, "none", "", dates, count))
    if not count:
        return
    first = next(text_of(v) for v in sheet.cells.ravel().tolist() if text_of(v))
    gathered.set_aside.append(
        {
            "source_file": sheet.file,
            "source_sheet": sheet.name,
            "source_cell": where,
            "text": first[:200],
            "reason": "no table",
            "message": "No headings were found for a parameter and its results, or for a date above results. If this "
            "is a table of samples, say where its headings are in a template (--template).",
        }
    )


def _row(file: str, sheet: str, layout: str, header: str, dates: str, seen: int) -> dict[str, object]:
    return {
        "source_file": file,
        "source_sheet": sheet,
        "layout": layout,
        "header_row": header,
        "date_order": dates,
        "values_seen": seen,
        "values_used": 0,
        "values_set_aside": 0,
    }


def _said(
    file: str, sheet: str, table: str, column: str, heading: str, taken_as: str, note: str = ""
) -> dict[str, str]:
    return dict(zip(UNDERSTOOD, (file, sheet, table, column, heading, taken_as, note), strict=True))


def _understood(
    sheet: Sheet, table: Table, number: int, says: Mapping[str, Cell], notes: list[str]
) -> list[dict[str, str]]:
    def said(column: int | None, heading: str, taken_as: str, note: str = "") -> dict[str, str]:
        return _said(
            sheet.file, sheet.name, str(number), "" if column is None else letters(column), heading, taken_as, note
        )

    def heading(column: int) -> str:
        return text_of(sheet.cells[table.header, column])

    rows = [said(c, heading(c), role) for role, c in table.roles.items()]
    rows += [said(c, heading(c), role, "together") for role, group in table.join.items() for c in group]
    for column in table.values:
        detail = ", ".join(f"{k} {text_of(v)}" for k, v in column.says.items())
        rows.append(said(column.index, column.heading, "value", detail))
        rows += [said(c, heading(c), role, f"of {column.heading}") for role, c in column.beside.items()]
    rows += [said(None, "", role, f"{text_of(value)}, for all rows") for role, value in {**says, **table.says}.items()]
    if table.unused:
        where = ", ".join(letters(c) for c, _ in table.unused)
        rows.append({**said(None, "; ".join(text for _, text in table.unused), "not used"), "column": where})
    return rows + [said(None, "", "", note) for note in (*table.notes, *notes)]
