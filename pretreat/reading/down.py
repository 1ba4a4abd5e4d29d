"""Parameters down the side, and dates, samples or places across the top, with or without qualifiers beside them."""

from __future__ import annotations

import re

from pretreat.reading import across as across_
from pretreat.reading import headers, kinds, names, stack
from pretreat.reading.grid import Grid
from pretreat.reading.schema import COMPANIONS, Table, Values
from pretreat.reading.sheets import Cell, text_of
from pretreat.reading.stack import PLACES, SAMPLE_TYPES

_MOST_HEADER_ROWS = 10
_ABOUT_SAMPLES = frozenset(
    ["start", "start_time", "end", "end_time", "sample_id", "lab_sample_id", "sample_type", "place", "outfall",
     "facility", "collected_by", "received", "analyzed"]
)  # fmt: skip
"""What a row under the headings, labelled with it, says of each sample."""

_PLACED = {"sample_id": "place", "outfall": "place"}
_OTHER_DATE = re.compile(r"\b(date|time)\b", re.IGNORECASE)
_SAMPLE = re.compile(r"\d|\bsample\b", re.IGNORECASE)


def down(grid: Grid, row: int, top: int, bottom: int, columns: list[int]) -> Table | None:
    """Return the table with parameters down whose last header row is `row`, or None.

    Either a heading of a parameter stands in `row` and results beneath the other headings, or `row` is the last of a
    block of labelled rows (`Sample ID | S-1 | S-2`, `Date | 1/5/2026 | 1/12/2026`) above names of parameters.
    """
    heads = {c: headers.of(grid.spread[row, c]) for c in columns}
    sides = [c for c in columns if heads[c].role == "parameter"]
    if grid.is_title(row) and sum(grid.spread[row, c] != "" for c in columns) < 3:
        return None  # "Parameter: | Copper" above a table
    if len(sides) == 1:
        side = sides[0]
        body = _body(grid, row, side, bottom)
    elif not sides and heads[columns[0]].role in {
        "",
        "start",
        "start_time",
        "sample_id",
        "sample_type",
        "place",
        "outfall",
    }:
        side, body = columns[0], row + 1
        if body >= bottom or not text_of(grid.spread[row, side]) or not _is_name(grid.spread[body, side]):
            return None
        if not any(kinds.is_date(grid.spread[r, c]) for r in range(max(top, row - 6), row + 1) for c in columns[1:]):
            return None
    else:
        return None
    roles = _side_roles(grid, heads, side, columns, row, body, bottom)
    across = [c for c in columns if c > side and c not in roles.values()]
    first = _first_header_row(grid, row, top, across)
    values, unused, nameless = _values(grid, range(first, body), row, side, across, heads, bottom)
    if not values or _misread(grid, side, body, bottom, has_heading=bool(sides)):
        return None
    says: dict[str, Cell] = {}
    return Table("parameters down", first, row, body, bottom, roles, values, says, unused, nameless=nameless)


def _body(grid: Grid, row: int, side: int, bottom: int) -> int:
    """Return the first row of data: rows of dates, times or ways of sampling may stand below the headings."""
    body = row + 1
    while body < min(bottom, row + 1 + _MOST_HEADER_ROWS):
        label = text_of(grid.spread[body, side])
        if headers.title_role(label) in _ABOUT_SAMPLES and not headers.is_parameter(label):
            body += 1
            continue
        filled = [v for v in grid.cells[body].tolist() if v != ""]
        about = [kinds.of(v) in {kinds.DATE, kinds.TIME} or SAMPLE_TYPES.fullmatch(text_of(v)) for v in filled]
        if label or not filled or not all(a or headers.is_unit(text_of(v)) for a, v in zip(about, filled, strict=True)):
            break
        body += 1
    return body


def _is_name(value: Cell) -> bool:
    return isinstance(value, str) and headers.is_parameter(headers.read(value).name)


def _misread(grid: Grid, side: int, body: int, bottom: int, *, has_heading: bool) -> bool:
    texts = [v for v in grid.spread[body : min(bottom, body + 60), side].tolist() if kinds.of(v) == kinds.TEXT]
    named = sum(_is_name(v) for v in texts)
    return not texts or (not has_heading and named < 0.4 * len(texts))


def _side_roles(
    grid: Grid, heads: dict[int, headers.Heading], side: int, columns: list[int], row: int, body: int, bottom: int
) -> dict[str, int]:
    """Return the columns that say something of the whole row: the parameter, its unit, limit or method."""
    roles = {"parameter": side}
    repeated = [h.role for h in heads.values() if h.role]
    for column in columns:
        role = heads[column].role
        if column == side or role in {"", "ignored", "parameter", "value"} or repeated.count(role) > 1:
            continue
        if kinds.of(grid.spread[row, column]) != kinds.DATE:
            roles.setdefault(role, column)
    if "unit" not in roles:
        for column in columns:
            cells = [text_of(v) for v in grid.spread[body : min(bottom, body + 40), column].tolist() if text_of(v)]
            if column > side and cells and sum(map(headers.is_unit, cells)) >= 0.6 * len(cells):
                roles["unit"] = column
                break
    return roles


def _first_header_row(grid: Grid, row: int, top: int, across: list[int]) -> int:
    first = row
    while first > max(top, row - _MOST_HEADER_ROWS):
        filled = [c for c in across if kinds.of(grid.spread[first - 1, c]) != kinds.BLANK]
        few = len(filled) < max(1, 0.4 * len(across)) and not stack.says_how(grid, first - 1, across)
        if few or any(kinds.of(grid.spread[first - 1, c]) == kinds.RESULT for c in filled):
            break
        first -= 1
    return first


def _values(
    grid: Grid, header: range, row: int, side: int, across: list[int], heads: dict[int, headers.Heading], bottom: int
) -> tuple[tuple[Values, ...], tuple[tuple[int, str], ...], tuple[int, ...]]:
    """Return the columns of values, the columns that are not used, and those that hold results without a heading."""
    values: dict[int, Values] = {}
    unused: list[tuple[int, str]] = []
    nameless: list[int] = []
    names: dict[int, Values] = {}
    # Where columns are headed "Result", one that is not headed so is a guideline or a limit.
    said = any(heads[c].role == "value" for c in across)
    wanted = {"value"} if said else {"", "sample_id", "start", "place", "outfall"}
    alike = _alike([text_of(grid.spread[row, c]) for c in across])
    for column in across:
        role = heads[column].role
        if role in COMPANIONS and values:
            values[max(values)].beside[role] = column  # type: ignore[index]
            continue
        says = _says(grid, header, row, side, column, alike)
        counts = kinds.count(grid.cells[header.stop : bottom, column])
        results = counts.get(kinds.NUMBER, 0) + counts.get(kinds.RESULT, 0)
        text = " / ".join(filter(None, (text_of(grid.spread[r, column]) for r in header)))
        if results and says is not None and role in wanted:
            values[column] = Values(column, text, says, {})
        elif results and not said and across_.is_name(text_of(grid.spread[row, column])):
            told = _says(grid, header, row, side, column, frozenset([text_of(grid.spread[row, column])])) or {}
            names[column] = Values(column, text, {_PLACED.get(k, k): v for k, v in told.items()}, {})
            unused.append((column, text))
        elif text:
            unused.append((column, text))
        elif kinds.mostly_results(grid.cells[header.stop : bottom, column]):
            nameless.append(column)
    if not values and len(names) > 1:  # names of users or places, and nothing that tells one sample from another
        return tuple(names.values()), tuple((c, t) for c, t in unused if c not in names), tuple(nameless)
    return tuple(values.values()), tuple(unused), tuple(nameless)


def _alike(texts: list[str]) -> frozenset[str]:
    """Return the headings that begin with one word and so are samples or places of one kind: `Site A`, `Site B`."""
    words = [text.split()[0].casefold() for text in texts if " " in text]
    return frozenset(t for t in texts if " " in t and words.count(t.split()[0].casefold()) > 1)


def _says(grid: Grid, header: range, row: int, side: int, column: int, alike: frozenset[str]) -> dict[str, Cell] | None:
    """Return what the headings over one column say, by the labels left of them and by what they look like.

    None where nothing tells which sample the column is: such a column (a guideline, a method's limit) is no result.
    """
    says: dict[str, Cell] = {}
    loose: list[Cell] = []
    of_unknown: set[str] = set()
    is_value = False
    for at in reversed(header):
        value = grid.spread[at, column]
        label = text_of(grid.spread[at, side]) if (at != row or side == 0) and grid.spread[at, side] != value else ""
        how, rest = names.sampled(text_of(value)) if grid.over_several(at, column) else ("", "")
        if how:
            says.setdefault("sample_type", how)
            value = rest
        text = text_of(value)
        if kinds.of(value) == kinds.BLANK:
            continue
        role = headers.title_role(label) if label and label != text else ""
        unknown = "" if role or label == text or at == row else label
        head = headers.read(text)
        if head.role == "value":
            is_value = True
            if head.unit:
                says["unit"] = head.unit
        elif said := _said(value, role, unknown):
            says.setdefault(said, value)
        elif said is not None and head.role != "ignored":
            loose.append(value)
            of_unknown |= {text} if unknown else set()
    if not is_value and not {"start", "sample_id"} & set(says):
        # A heading that is no date and no label tells a sample or a place only where it looks like one.
        loose = [v for v in loose if _looks_like_a_sample(text_of(v), alike)]
    for value in loose:
        text = text_of(value)
        named = "place" if across_.is_name(text) and not _SAMPLE.search(text) else "sample_id"
        first = "outfall" if PLACES.fullmatch(text) else named
        wanted = (first, "sample_id", "outfall")
        if text in of_unknown and first != "outfall":
            wanted = ("sample_id",) * 3  # what nobody knows is no place: nothing would be held against its results
        free = [r for r in wanted if r not in says]
        says |= dict.fromkeys(free[:1], value)
    return says if is_value or {"start", "sample_id", "outfall", "place"} & set(says) else None


def _said(value: Cell, role: str, unknown: str) -> str | None:
    """Return what one heading is, by the role of its label, its unknown label and its looks; None where it is nothing.

    `Matrix`, `Project No.` and `Date Reported` tell no sample, place or sampling date.
    """
    text, kind = text_of(value), kinds.of(value)
    if unknown and (headers.read(unknown).role == "ignored" or (kind == kinds.DATE and _OTHER_DATE.search(unknown))):
        return None
    if role and role not in {"parameter", "value"}:
        return "outfall" if role == "place" else role
    looks = {kinds.DATE: "start", kinds.TIME: "start_time"}
    if kind in looks:
        return looks[kind]
    return "sample_type" if SAMPLE_TYPES.fullmatch(text) else "unit" if headers.is_unit(text) else ""


def _looks_like_a_sample(text: str, alike: frozenset[str]) -> bool:
    return bool(_SAMPLE.search(text) or PLACES.fullmatch(text)) or text in alike
