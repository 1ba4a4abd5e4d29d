"""Columns of qualifiers that no heading names: `<` before a number, `U` behind it, under a blank or a merged heading.

    Analyte | Result       | Unit      Date | Copper (mg/L) |   |      Analyte | Result | Comment
    Lead    | <   | 0.9    | mg/L      9/1  | 0.9           | U |      Lead    | 0.9    | Not detected

What a column is for is read from its cells here, since a non-detect whose qualifier is lost becomes a violation. Where
the cells may belong to either of two columns of numbers, the numbers beside them are set aside, and somebody is asked.
"""

from __future__ import annotations

import copy
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from pretreat.reading import headers, kinds
from pretreat.reading.grid import Grid
from pretreat.reading.schema import Table, Values
from pretreat.reading.sheets import Cells, Mask, blank, text_of
from pretreat.tidy import qualifiers

_SIGN: Final = re.compile(r"[<>≤≥＜＞‹›]=?|=|lt|gt|less than|greater than", re.IGNORECASE)
_LETTERS: Final = re.compile(r"[UJBDEHNRQ*+^]{1,3}(\W{1,2}[UJBDEHNRQ*+^]{1,3}){0,3}|\*{1,3}")
_TELLING: Final = re.compile(r"[UJB*]{1,2}(\W{1,2}[A-Z*]{1,2}){0,3}")
_DETECTION: Final = re.compile(r"(U|J|UJ|JU)\b.{0,6}")
_REMARKS: Final = re.compile(r"(foot)?notes?|comments?|remarks?", re.IGNORECASE)
_LAYOUTS: Final = frozenset({"long", "wide", "parameters down"})
_ROLES: Final = ("qualifier", "flags", "detected")
_LIMITS: Final = frozenset({"detection_limit", "reporting_limit"})
_STATES: Final = re.compile(
    r".*(status|mode|state|shift|pump|valve|direction|tide|basis|matrix|class).*", re.IGNORECASE
)
_MARK: Final = re.compile(r".*(code|flag|qual|mark|symbol|sign|letter|footnote)\w*\W*|q|dq", re.IGNORECASE)
_TRACE: Final = re.compile(r"tr(ace)?", re.IGNORECASE)  # of rain, where it is a remark
_MOSTLY: Final = 0.5
_MOST_ROWS: Final = 1000
_MOST_DISTINCT: Final = 500
_MOST_REMARKS: Final = 100_000
"""People write remarks as they like: of ten million, more than a few hundred differ."""


def kind(texts: Iterable[str]) -> str:
    """Return what a column of texts holds: `sign`, `letter`, `both`, or `""` where they are no qualifiers.

    Examples
    --------
    >>> kind(["<", "", "<"]), kind(["U", "UJ"]), kind(["<", "U"]), kind(["ND"]), kind(["rain", "U"]), kind(["E", "D"])
    ('sign', 'letter', 'both', 'letter', '', '')
    """
    filled = {text for text in texts if text}
    signs = {text for text in filled if _SIGN.fullmatch(text)}
    letters = {text for text in filled - signs if _LETTERS.fullmatch(text) or qualifiers.ND.match(text)}
    if not filled or signs | letters != filled:
        return ""
    told = any(_TELLING.fullmatch(text) or qualifiers.ND.match(text) for text in letters)
    if letters and not (told or signs):
        return ""
    return "both" if signs - {"="} and letters else "letter" if letters else "sign" if signs - {"="} else ""


def settled(grid: Grid, row: int, bottom: int, columns: list[int]) -> Grid:
    """Return a sheet with its headings in `row` above the numbers that they are for, not above their qualifiers.

    A heading merged over a column of qualifiers and one of numbers is the numbers'; so is one that stands above
    qualifiers where the numbers beside them have none.
    """
    moved: list[tuple[int, int, object]] = []
    for top, left, last, right in grid.sheet.merged:
        if not (top <= row <= last and right > left) or text_of(grid.spread[row, left]) == "":
            continue
        group = [c for c in columns if left <= c <= right]
        marks = [c for c in group if _below(grid, row, bottom, c)]
        if marks and sum(_numbers(grid, row, bottom, c) for c in group if c not in marks) == 1:
            moved += [(r, c, "") for r in range(top, last + 1) for c in marks]
    for column, beside in itertools.pairwise(columns):
        heading = grid.spread[row, column]
        if heading == "" or grid.spread[row, beside] != "" or beside != column + 1:
            continue
        about = headers.of(heading)
        named = about.role == "value" or headers.is_parameter(about.name) or kinds.of(heading) == kinds.DATE
        if named and _below(grid, row, bottom, column) and _numbers(grid, row, bottom, beside):
            moved += [(row, column, ""), (row, beside, heading)]
    if not moved:
        return grid
    other = copy.copy(grid)
    other.spread = grid.spread.copy()
    for r, column, cell in moved:
        other.spread[r, column] = cell
    return other


def _block(grid: Grid, row: int, bottom: int, column: int) -> list[str]:
    """Return the texts of a column below a row, to the first row that is blank in all columns or has a title."""
    end = row + 1
    while end < bottom and not grid.blank_row(end) and not grid.is_title(end) and end - row < _MOST_ROWS:
        end += 1
    return [text_of(v) for v in grid.cells[row + 1 : end, column].tolist()]


def _below(grid: Grid, row: int, bottom: int, column: int) -> str:
    return kind(_block(grid, row, bottom, column))


def _numbers(grid: Grid, row: int, bottom: int, column: int) -> bool:
    filled = [t for t in _block(grid, row, bottom, column) if t]
    found = [t for t in filled if kinds.of_text(t) in kinds.RESULTS and any(c.isdigit() for c in t)]
    return bool(found) and len(found) >= _MOSTLY * len(filled)


def attached(grid: Grid, table: Table, columns: list[int]) -> Table:
    """Return a table with its columns of qualifiers given to the values they belong to.

    Only columns that nothing else uses are looked at. One without a heading must hold qualifiers alone; one with a
    heading that is not known, mostly; of remarks only the cells that say "not detected" count.
    """
    if table.layout not in _LAYOUTS or table.format or not table.values:
        return table
    table = _without_marks_as_values(grid, table)
    texts = dict(table.unused)
    used = set(table.columns) - set(texts) | set(table.aside)
    left = [c for c in columns if c not in used and _may_tell(grid, table, c, most(texts.get(c, "")))]
    if not left:
        return table
    rows = _rows(grid, table)
    found: dict[int, str] = {}
    of_remarks: list[int] = []
    for column in left:
        cells = grid.cells[table.body : table.bottom, column][rows].tolist()
        sort = of_column(texts.get(column, ""), Counter(map(text_of, cells)))
        if sort == REMARKS:
            of_remarks.append(column)
        elif sort:
            found[column] = sort
    return _remarked(grid, _given(table, columns, found), of_remarks) if found or of_remarks else table


REMARKS: Final = "remarks"
OF_REMARKS: Final = "of the remarks, those that say whether something was detected are read"


def of_column(heading: str, cells: Mapping[str, int]) -> str:
    """Return what a column that nothing else uses tells of detection: a `kind`, `remarks`, or `""`.

    Parameters
    ----------
    heading : str
        Its heading, `""` where there is none.
    cells : mapping of str to int
        Its texts, and how many cells hold each.

    Examples
    --------
    >>> of_column("Remark", {"not detected": 1, "clear": 9}), of_column("Code", {"U": 3}), of_column("", {"a": 1})
    ('remarks', 'letter', '')
    """
    filled = {text: count for text, count in cells.items() if text}
    if heading and _is_of_remarks(heading):
        return REMARKS if any(map(remarks, filled)) else ""
    if _STATES.fullmatch(heading):
        return ""
    return _mostly(filled) if heading else kind(filled)


def most(heading: str) -> int:
    """Return how many distinct texts a column may have to be looked at for marks.

    Examples
    --------
    >>> most("Code") < most("Comments")
    True
    """
    return _MOST_REMARKS if _is_of_remarks(heading) else _MOST_DISTINCT


def _is_of_remarks(heading: str) -> bool:
    return _REMARKS.fullmatch(headers.compact(heading)) is not None


def _may_tell(grid: Grid, table: Table, column: int, at_most: int = _MOST_DISTINCT) -> bool:
    """Return whether a column has few texts and a qualifier among them."""
    cells = set(grid.cells[table.body : table.bottom, column].tolist())
    return len(cells) <= at_most and any(map(tells, map(text_of, cells)))


def _without_marks_as_values(grid: Grid, table: Table) -> Table:
    """Return a table without the values that are qualifiers under a heading such as `Code`."""
    no_values = [
        value
        for value in table.values
        if not value.beside
        and _MARK.fullmatch(value.heading)
        and _may_tell(grid, table, value.index)
        and kind(map(text_of, set(grid.cells[table.body : table.bottom, value.index][_rows(grid, table)].tolist())))
    ]
    if not no_values or len(no_values) == len(table.values):
        return table
    unused = [*table.unused, *((value.index, value.heading) for value in no_values)]
    return replace(
        table, values=tuple(v for v in table.values if v not in no_values), unused=tuple(sorted(unused, key=_first))
    )


def _first(pair: tuple[int, str]) -> int:
    return pair[0]


def _rows(grid: Grid, table: Table) -> Mask:
    """Return which rows of a table are about a result: footnotes below it are not."""
    span = slice(table.body, table.bottom)
    about = ~blank(grid.cells[span, table.values[0].index])
    for value in table.values[1:]:
        about |= ~blank(grid.cells[span, value.index])
    if table.lead is not None:
        about |= ~blank(grid.spread[span, table.lead])
    return about


def told(cells: Cells) -> Mask:
    """Return which cells are qualifiers, or say otherwise that nothing was detected.

    Examples
    --------
    >>> told(np.array(["U", "", "rain", "Not detected", "<"], dtype=object)).tolist()
    [True, False, False, True, True]
    """
    texts = [text_of(v) for v in cells.tolist()]
    marks = {text for text in set(texts) if tells(text)}
    return np.array([text in marks for text in texts], dtype=bool)


def tells(text: str) -> bool:
    """Tell whether a text is a qualifier, or says otherwise that nothing was detected.

    Examples
    --------
    >>> tells("UJ"), tells("not detected"), tells("rain")
    (True, True, False)
    """
    return bool(kind([text])) or _says_nondetect(text)


def _says_nondetect(text: str) -> bool:
    sign = _SIGN.fullmatch(text) and text != "="
    return bool(sign or qualifiers.ND.match(text) or _DETECTION.fullmatch(text))


def remarks(text: str) -> bool:
    """Tell whether a remark says that nothing was detected; a trace may be of rain.

    Examples
    --------
    >>> remarks("Not detected"), remarks("trace"), remarks("heavy rain")
    (True, False, False)
    """
    return _says_nondetect(text) and not _TRACE.fullmatch(text)


def _mostly(cells: Mapping[str, int]) -> str:
    """Return the kind of the qualifiers that most filled cells under an unknown heading are, one of them telling."""
    marks = [text for text in cells if kind([text])]
    if sum(cells[text] for text in marks) <= _MOSTLY * sum(cells.values()) or not any(map(_says_nondetect, marks)):
        return ""
    return kind(marks)


def _given(table: Table, columns: list[int], found: dict[int, str]) -> Table:
    """Give each column of qualifiers to its values, or say of which values it may be."""
    owners = _owners_of_long(table, columns, found) if len(table.values) == 1 else _owners(table, columns, found)
    values = {value.index: value for value in table.values}
    unclear: dict[int, tuple[int, ...]] = {}
    for column, owned in owners.items():
        role = _free(table, values[owned[0]]) if len(owned) == 1 else ""
        if role:
            one = values[owned[0]]
            values[owned[0]] = replace(one, beside={**one.beside, role: column})
        else:
            unclear[column] = owned
    taken = {column for column in owners if column not in unclear}
    return replace(
        table,
        values=tuple(values.values()),
        unused=tuple(pair for pair in table.unused if pair[0] not in taken),
        nameless=tuple(
            sorted((set(table.nameless) | (set(found) - set(owners) - {c for c, _ in table.unused})) - set(owners))
        ),
        unclear=unclear,
    )


def _free(table: Table, value: Values, roles: tuple[str, ...] = _ROLES[:2]) -> str:
    return next((role for role in roles if role not in value.beside and role not in table.roles), "")


def _owners_of_long(table: Table, columns: list[int], found: dict[int, str]) -> dict[int, tuple[int, ...]]:
    """Return whose each column is where one column holds all values: theirs, but for two of one kind."""
    value = table.values[0].index
    sorts = list(found.values())
    limits = {c for role, c in table.roles.items() if role in _LIMITS}
    owners: dict[int, tuple[int, ...]] = {}
    for column, sort in found.items():
        right = columns[columns.index(column) + 1 :][:1]
        of_limit = sort == "sign" and set(right) <= limits and bool(right)
        alone = sorts.count(sort) == 1 and not of_limit
        owners[column] = (value,) if alone else (value, value)
    return owners


def _owners(table: Table, columns: list[int], found: dict[int, str]) -> dict[int, tuple[int, ...]]:
    """Return whose each column is: the values left of it or right of it, as the order of all columns tells.

    Where some can only stand behind their numbers and none only before them, all do, and the other way round. Else
    signs stand before a number and letters behind it.
    """
    of = {c: value.index for value in table.values for c in (value.index, *value.beside.values())}
    starts = {min((value.index, *value.beside.values())): value.index for value in table.values}
    sides: dict[int, tuple[int | None, int | None]] = {}
    for column in found:
        at = columns.index(column)
        left = of.get(columns[at - 1]) if at else None
        right = starts.get(columns[at + 1]) if at + 1 < len(columns) else None
        sides[column] = (left, right)
    behind = any(left is not None and right is None for left, right in sides.values())
    before = any(left is None and right is not None for left, right in sides.values())
    owners: dict[int, tuple[int, ...]] = {}
    for column, (left, right) in sides.items():
        either = tuple(c for c in (left, right) if c is not None)
        if len(either) == 2 and behind != before:
            owners[column] = either[:1] if behind else either[1:]
        elif len(either) == 2 and not behind and found[column] != "both":
            owners[column] = either[:1] if found[column] == "letter" else either[1:]
        elif either:
            owners[column] = either
    return owners


def _remarked(grid: Grid, table: Table, of_remarks: list[int]) -> Table:
    """Return a table with what its remarks say of detection: of its one column of values, or unclear of which."""
    for column in of_remarks:
        value = table.values[0]
        role = _free(table, value, _ROLES) if len(table.values) == 1 else ""
        if not role:
            of = tuple(one.index for one in table.values)
            table = replace(table, unclear={**table.unclear, column: of})
            continue
        cells = set(map(text_of, set(grid.cells[table.body : table.bottom, column].tolist())))
        words = {text: "" for text in cells if not remarks(text)}
        table = replace(
            table,
            values=(replace(value, beside={**value.beside, role: column}),),
            words={**table.words, role: words},
            unused=tuple(pair for pair in table.unused if pair[0] != column),
            notes=(*table.notes, OF_REMARKS),
        )
    return table
