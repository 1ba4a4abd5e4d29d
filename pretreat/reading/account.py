"""The account of a file: its values, and for every sheet how it was understood and what was set aside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import pandas as pd

from pretreat.reading import across, assemble, draft, frames, headers, joins, layouts, qc_sections, titles
from pretreat.reading import template as template_
from pretreat.reading.grid import Grid
from pretreat.reading.marks import OF_REMARKS
from pretreat.reading.schema import Table, Values
from pretreat.reading.sheets import Cell, Sheet, letters, range_of, text_of

NOBODY: Final = "nothing names the user"
UNDERSTOOD: Final = ("source_file", "source_sheet", "table", "column", "heading", "taken_as", "note")


@dataclass(frozen=True, slots=True)
class Options:
    """What the reader was told: the order of dates, the user of sheets that name none, a template's hints."""

    dates: str = ""
    facility: str = ""
    hints: tuple[template_.Hint, ...] = ()


@dataclass(slots=True)
class Account:
    """What one file gave; `waiting` holds, for each list of samples, its account as a sheet without a table."""

    values: list[pd.DataFrame] = field(default_factory=list)
    set_aside: list[dict[str, str]] = field(default_factory=list)
    sheets: list[dict[str, Any]] = field(default_factory=list)
    understood: list[dict[str, str]] = field(default_factory=list)
    tables: list[dict[str, Any]] = field(default_factory=list)
    lists: list[joins.Samples] = field(default_factory=list)
    waiting: list[Account] = field(default_factory=list)

    def __iadd__(self, other: Account) -> Account:
        for name in ("values", "set_aside", "sheets", "understood", "tables", "lists", "waiting"):
            getattr(self, name).extend(getattr(other, name))
        return self


def of_frame(frame: pd.DataFrame, name: str, options: Options) -> Account:
    """Return the account of a Parquet file's frame."""
    values, used, marks = frames.values(frame, name, options.facility)
    understood = [_said(name, "", "1", heading, heading, role) for heading, role in {**used, **marks.roles}.items()]
    understood += [_said(name, "", "1", heading, heading, role, OF_REMARKS) for heading, role in marks.remarks.items()]
    told = {*used, *marks.roles, *marks.remarks}
    if unused := [text for text in map(str, frame.columns) if text not in told]:
        understood.append(_said(name, "", "1", ", ".join(unused), "; ".join(unused), "not used"))
    return Account([values], [], [_row(name, "", "long", "", options.dates, len(values))], understood)


def of_sheet(sheet: Sheet, options: Options) -> Account:
    """Return the account of a sheet."""
    account = Account()
    shut = template_.shut(options.hints, sheet.file, sheet.name)
    if shut:
        return _no_table(sheet, options.dates, "not to be read", f"The template {shut} says that it is not to be read.")
    grid = Grid(sheet)
    tables, remarks = template_.apply(grid, options.hints) if sheet.cells.size else ([], [])
    if not tables and sheet.cells.size:
        tables = layouts.find(grid)
    account.understood += [_said(sheet.file, sheet.name, "", "", "", "", note) for note in (*sheet.notes, *remarks)]
    dates = options.dates or next((h.dates for h in options.hints if h.fits(sheet.file, sheet.name)), "")
    if tables:
        _tables(account, grid, tables, options.facility, dates)
    else:
        listed = joins.samples(grid)
        none = _no_table(sheet, dates, *_no_rows(grid))
        if listed is None:
            account += none
            drafted = draft.draft(grid) if sheet.cells.size else None
            account.tables += [drafted] if drafted else []
        else:
            account.lists.append(listed)
            account.waiting.append(none)
    return account


def _tables(account: Account, grid: Grid, tables: list[Table], facility: str, dates: str) -> None:
    sheet = grid.sheet
    seen, filled_down = 0, False
    named = titles.users(grid, tables)
    for number, found in enumerate(tables, 1):
        above = named.get(number, {}) | titles.read(grid, found, titles.neighbours(found, tables))
        if found.layout == "wide" and not all("parameter" in value.says for value in found.values):
            above = across.measured(grid, found.title_top, found.top) | above
        control = qc_sections.above(grid, found)
        above = above | {"qc": qc_sections.told(control)} if control else above
        table, says, notes = who(across.named(grid, found, above), above, facility)
        account.tables.append(template_.described(table, grid))
        part = assemble.values(grid, table, says)
        seen += part.seen
        filled_down |= part.filled_down
        account.set_aside += part.set_aside
        if len(part.values):
            account.values.append(part.values)
        if part.sample_down:
            notes.append("rows that name neither user nor sample nor date go on with the sample above them")
        if part.nobody:
            rows = "1 row names" if part.nobody == 1 else f"{part.nobody:,} rows name"
            notes.append(f"{rows} no user among rows that name theirs: nobody's, not the user's above")
        account.understood += _understood(sheet, table, number, says, notes)
    layout = ", ".join(dict.fromkeys(table.layout for table in tables))
    layout += "; a facility named on the first row of a block holds to its end" if filled_down else ""
    header = ", ".join(str(table.header + 1) for table in tables)
    account.sheets.append(_row(sheet.file, sheet.name, layout, header, dates, seen))


def who(table: Table, above: Mapping[str, Cell], facility: str) -> tuple[Table, dict[str, Cell], list[str]]:
    """Settle who and where: columns first, then the title block; a place alone stands for the user.

    Returns
    -------
    tuple
        The table with its place among its roles, what holds for all its rows, and the remarks about it.
    """
    roles, says, notes = dict(table.roles), dict(above), []
    values = table.values
    of_column = any("facility" in v.says for v in values)
    if any("place" in v.says for v in values):
        nobody = not (of_column or facility or "facility" in roles or "facility" in says)
        values, of_column = _placed(values, "facility" if nobody else "outfall"), of_column or nobody
        if nobody:
            notes.append("no column names the user: the names across the top stand for it")
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
            notes.append(NOBODY)
    else:
        says.pop("facility", None)
    if "place" in roles:
        roles.setdefault("outfall", roles["place"])
        del roles["place"]
    if "place" in says:
        says.setdefault("outfall", says["place"])
        del says["place"]
    return replace(table, roles=roles, values=values), says, notes


def _placed(values: tuple[Values, ...], role: str) -> tuple[Values, ...]:
    """Return columns of values whose place is what `role` says: the user, or the outfall."""
    renamed = [{(role if key == "place" else key): cell for key, cell in value.says.items()} for value in values]
    return tuple(replace(value, says=says) for value, says in zip(values, renamed, strict=True))


def by_sheet(accounts: list[Account]) -> list[Account]:
    """Return the accounts of a workbook's sheets, with the sheets' names as users or places where nothing else tells.

    Only where two or more of its sheets hold results and none of them names a user is a name taken, and only one that
    looks like a user's or a place's; it is said.
    """
    holding = [one for one in accounts if one.values]
    told = any("facility" in frame for one in holding for frame in one.values)
    found = {one.sheets[0]["source_sheet"]: titles.of_name(one.sheets[0]["source_sheet"]) for one in holding}
    if told or len(holding) < 2 or not all(found.values()):
        return accounts
    for one in holding:
        file, sheet = one.sheets[0]["source_file"], one.sheets[0]["source_sheet"]
        for role, text in found[sheet].items():
            one.values = [
                frame if role in frame else frame.assign(**{role: assemble.constant(text, len(frame))})
                for frame in one.values
            ]
            one.understood = [row for row in one.understood if row["note"] != NOBODY]
            one.understood.append(_said(file, sheet, "", "", "", role, f"{text}, the sheet's name, as a last resort"))
    return accounts


def joined(account: Account) -> Account:
    """Return the account with results without dates given what the lists of samples say.

    A list that nothing needs is a sheet without a table.
    """
    needed: list[joins.Samples] = []
    for index, values in enumerate(account.values):
        account.values[index], used = joins.join(values, account.lists)
        needed += used
    for one, none in zip(account.lists, account.waiting, strict=True):
        if one not in needed:
            account += replace(none, lists=[], waiting=[])
            continue
        dates = none.sheets[0]["date_order"]
        account.sheets.append(_row(one.file, one.sheet, "samples", str(one.header_row), dates, 0))
        account.understood += [
            _said(one.file, one.sheet, "1", letters(c), heading, role, "joined by the sample's id")
            for role, (c, heading) in one.columns.items()
        ]
    return account


_NO_TABLE: Final = (
    "No headings were found for a parameter and its results, or for a date above results. If this is a table of "
    "samples, say where its headings are, or what its columns hold, in a template (--learn drafts one)."
)


def _no_rows(grid: Grid) -> tuple[str, str] | tuple[()]:
    """Return that a sheet ends with its headings, as reason and message; nothing where it does not."""
    filled = [row for row in range(grid.cells.shape[0]) if not grid.blank_row(row)] if len(grid.cells) < 200 else []
    heads = [headers.of(v) for v in grid.spread[filled[-1]].tolist() if v != ""] if filled else []
    roles = {head.role for head in heads}
    named = any(not head.role and headers.is_parameter(head.name) for head in heads)
    if {"parameter", "value"} <= roles or ("start" in roles and named):
        return "no rows", f"There are headings in row {filled[-1] + 1}, but no rows of results below them."
    return ()


def _no_table(sheet: Sheet, dates: str, reason: str = "no table", message: str = _NO_TABLE) -> Account:
    where, count = range_of(sheet.cells)
    account = Account(sheets=[_row(sheet.file, sheet.name, "none", "", dates, count)])
    if count:
        first = next(text_of(v) for v in sheet.cells.ravel().tolist() if text_of(v))
        account.set_aside.append(
            {
                "source_file": sheet.file,
                "source_sheet": sheet.name,
                "source_cell": where,
                "text": first[:200],
                "reason": reason,
                "message": message,
            }
        )
    return account


def _row(file: str, sheet: str, layout: str, header: str, dates: str, seen: int) -> dict[str, Any]:
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
