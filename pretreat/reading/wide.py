"""The wide layout: one row a day or a reading, one column a parameter, with or without qualifiers beside it."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from datetime import datetime
from typing import Final

from pretreat import parameters
from pretreat.reading import headers, kinds, quality, stack, titles
from pretreat.reading.grid import Grid
from pretreat.reading.schema import COMPANIONS, Table, Values
from pretreat.reading.sheets import Cell, text_of

_MOST_HEADER_ROWS: Final = 8
_ROWS: Final = frozenset(
    {"unit", "detection_limit", "reporting_limit", "method", "cas", "fraction", "sample_type", "outfall", "parameter"}
)
_LOG_ROWS: Final = 4000
_CLOCK: Final = re.compile(r"[T ]+\d{1,2}:\d{2}.*")


def wide(grid: Grid, row: int, top: int, bottom: int, columns: list[int]) -> Table | None:
    """Return the wide table one of whose header rows is `row`, or None: a heading of a date stands above dates."""
    dated = [c for c in columns if headers.of(grid.spread[row, c]).role in {"start", "start_time"}]
    dated += [c for c in columns[:1] if c not in dated and _corner(grid, row, c, bottom)]
    found = next(((c, b) for c in dated if (b := _first_date(grid, row, c, bottom)) is not None), None)
    if found is None:
        return None
    date, dated_row = found
    body = _first_unreadable(grid, row, date, dated_row, columns)
    first = first_header_row(grid, row, top, columns)
    about = {r: role for r in range(row + 1, body) if (role := row_role(text_of(grid.spread[r, date])))}
    rows = [r for r in range(first, body) if r not in about]
    labelled = stack.labels(grid, rows, columns)
    stacks = {c: stack.read(grid, c, rows, labelled) for c in columns}
    for r, role in about.items():
        for c in columns:
            if c != date and grid.spread[r, c] != "":
                stacks[c].says.setdefault(role, grid.spread[r, c])
    if date == columns[0] and stacks[date].role not in {"start", "start_time"}:
        stacks[date].role = "start"
    roles = roles_of(grid, stacks, body)
    if "start" not in roles:
        return None
    values, unused, nameless = values_of(grid, stacks, roles, body, bottom)
    if not values:
        return None
    zone = stacks[roles["start"]].says.get("time_zone", "")
    says: dict[str, Cell] = {"time_zone": zone} if zone else {}
    if (
        "sample_type" not in roles
        and not any("sample_type" in v.says for v in values)
        and _is_log(grid, roles, body, bottom)
    ):
        says["sample_type"] = "continuous"
    notes = tuple(dict.fromkeys(note for s in stacks.values() for note in s.notes))
    limits = tuple(r for r, role in about.items() if role == "ignored")
    layout = "parameters down" if "parameter" in roles else "wide"
    return Table(
        layout, first, row, body, bottom, roles, values, says, unused, notes=notes, nameless=nameless, limits=limits
    )


def _corner(grid: Grid, row: int, column: int, bottom: int) -> bool:
    """Return whether the first column holds dates under a corner that is blank or names the headings beside it."""
    if (
        headers.of(grid.spread[row, column]).role not in {"", "parameter"}
        or len(text_of(grid.spread[row, column])) > 20
    ):
        return False
    if grid.spread[row, column] != "" and headers.of(grid.spread[row, column]).role != "parameter":
        return False
    counts = kinds.count(grid.spread[row + 1 : bottom, column])
    filled = sum(n for kind, n in counts.items() if kind != kinds.BLANK)
    return counts.get(kinds.DATE, 0) >= max(1, 0.5 * filled)


def row_role(label: str) -> str:
    """Return what a row between the headings and the data holds, by its label in the column of dates."""
    if headers.row_pattern("limit").fullmatch(label):
        return "ignored"
    role = headers.read(label).role if label else ""
    return role if role in _ROWS else ""


def _first_date(grid: Grid, row: int, column: int, bottom: int) -> int | None:
    for below in range(row + 1, min(row + 1 + _MOST_HEADER_ROWS, bottom)):
        if kinds.is_date(grid.spread[below, column]):
            return below
        if kinds.of(grid.spread[below, column]) in kinds.RESULTS and not row_role(text_of(grid.spread[below, column])):
            return None
    return None


def _first_unreadable(grid: Grid, row: int, date: int, body: int, columns: list[int]) -> int:
    """Return the first row of data: a row of results whose date cannot be read is one, and no part of the headings.

    Taken for a heading, its values would be lost without a word.
    """
    for between in range(row + 1, body):
        text = text_of(grid.spread[between, date])
        if (not text or headers.is_unit(text)) and _measured(grid, row, between, [c for c in columns if c != date]):
            return between
        of_headings = not text or text.endswith((":", "#")) or headers.of(text).role or headers.is_unit(text)
        if of_headings or row_role(text) or stack.SAMPLE_TYPES.fullmatch(text):
            continue
        others = [kinds.of(grid.spread[between, c]) for c in columns if c != date]
        if kinds.RESULTS & set(others):
            return between
    return body


def _measured(grid: Grid, row: int, between: int, columns: list[int]) -> bool:
    """Return whether a row without a date holds what no heading is: a time in the column of times, or part of a number.

    Whole numbers may be those of channels or outfalls; a unit, a parameter or another heading makes it a heading's row.
    """
    filled = {c: grid.cells[between, c] for c in columns if grid.cells[between, c] != ""}
    if any(
        headers.is_unit(text_of(v)) or headers.of(v).role or headers.is_parameter(text_of(v)) for v in filled.values()
    ):
        return False
    found = {c: kinds.of(v) for c, v in filled.items()}
    if not kinds.RESULTS & set(found.values()):
        return False
    timed = any(k == kinds.TIME and headers.of(grid.spread[row, c]).role == "start_time" for c, k in found.items())
    parts = any(k in kinds.RESULTS and re.search(r"\d[.]\d|[<>]", text_of(filled[c])) for c, k in found.items())
    return timed or parts


def first_header_row(grid: Grid, row: int, top: int, columns: list[int]) -> int:
    """Return the top row of the block of headings that ends in or around `row`."""
    width = sum(kinds.of(grid.spread[row, c]) != kinds.BLANK for c in columns)
    first = row
    while first > max(top, row - _MOST_HEADER_ROWS):
        above = [grid.spread[first - 1, c] for c in columns]
        filled = [v for v in above if kinds.of(v) != kinds.BLANK]
        few = len(filled) < max(2, 0.4 * width) and not stack.says_how(grid, first - 1, columns)
        if few or titles.is_title(filled) or grid.blank_row(first - 1):
            break
        if any(kinds.of(v) in {kinds.DATE, kinds.RESULT} for v in filled):
            break
        first -= 1
    return first


def roles_of(grid: Grid, stacks: dict[int, stack.Stack], body: int) -> dict[str, int]:
    """Return the columns that say something of the whole row, by our columns' names."""
    roles: dict[str, int] = {}
    for column, found in stacks.items():
        role = found.role
        if role in {"", "ignored", "value"} or (role in COMPANIONS and role not in {"sample_type", "method"}):
            continue
        if role not in roles or found.rank < stacks[roles[role]].rank:
            roles[role] = column
    if "start" not in roles and "start_time" in roles:
        roles["start"] = roles.pop("start_time")
    if "start" in roles and not roles.get("start_time"):
        _fuller_date(grid, stacks, roles, body)
    return roles


def _fuller_date(grid: Grid, stacks: dict[int, stack.Stack], roles: dict[str, int], body: int) -> None:
    """Take a column without a heading, right of the date, that holds the same dates with their times."""
    beside = roles["start"] + 1
    if beside in stacks and not stacks[beside].text:
        pairs = [(str(a), str(b)) for a, b in grid.spread[body : body + 20, [roles["start"], beside]].tolist()]
        if all(kinds.of_text(b) == kinds.DATE and ":" in b for _, b in pairs):
            roles["start"] = beside


def _is_log(grid: Grid, roles: dict[str, int], body: int, bottom: int) -> bool:
    """Return whether rows come at least hourly, as a meter or a logger writes them: 24 times a day at one place."""
    rows = slice(body, min(bottom, body + _LOG_ROWS))
    where = [c for role, c in roles.items() if role in {"facility", "outfall", "place"}]
    places = [tuple(map(text_of, row)) for row in grid.spread[rows, where].tolist()]
    clocks = grid.spread[rows, roles["start_time"]].tolist() if "start_time" in roles else [""] * len(places)
    times: defaultdict[tuple[object, ...], set[object]] = defaultdict(set)
    for place, value, clock in zip(places, grid.spread[rows, roles["start"]].tolist(), clocks, strict=True):
        if isinstance(value, str) and (found := _CLOCK.search(value)):
            times[place, value[: found.start()]].add(found[0])
        elif isinstance(value, datetime) and clock == "":
            times[place, value.date()].add(value.time())
        elif clock != "":
            times[place, value].add(clock)
    return any(len(found) >= 24 for found in times.values())


def values_of(
    grid: Grid, stacks: dict[int, stack.Stack], roles: dict[str, int], body: int, bottom: int
) -> tuple[tuple[Values, ...], tuple[tuple[int, str], ...], tuple[int, ...]]:
    """Return the columns of values, the columns that are not used, and those that hold results without a heading."""
    taken = set(roles.values())
    stacks = {c: _measured_in(s, grid, c, body, bottom) for c, s in stacks.items()}
    companions = {
        c: s.role for c, s in stacks.items() if s.role in COMPANIONS and c not in taken and s.role != "ignored"
    }
    values: dict[int, Values] = {}
    unused: list[tuple[int, str]] = []
    nameless: list[int] = []
    for column, found in stacks.items():
        if column in taken or column in companions:
            continue
        mostly = kinds.mostly_results(grid.cells[body:bottom, column])
        wanted = mostly or headers.is_parameter(found.name) or "unit" in found.says
        if not (found.role in {"", "value"} and wanted and found.name):
            if mostly and not (found.name or found.role) and not _counts_rows(grid, column, body, bottom):
                nameless.append(column)
            elif found.text:
                unused.append((column, found.text))
            continue
        says = {k: v for k, v in found.says.items() if k not in {"time_zone", "ignored"}}
        name = "outfall" if "parameter" in roles else "parameter"
        named: dict[str, Cell] = {name: found.name}
        if found.role == "value" and not headers.is_parameter(found.name):
            del named[name]  # "Result" is no name
        values[column] = Values(column, found.text, {**named, **says}, {})
    _attach(values, companions, stacks)
    attached = {c for v in values.values() for c in v.beside.values()}
    unused += [(c, stacks[c].text) for c in companions if c not in attached]
    return tuple(values.values()), tuple(sorted(unused)), tuple(nameless)


def _measured_in(found: stack.Stack, grid: Grid, column: int, body: int, bottom: int) -> stack.Stack:
    """Return what `pH units` heads: numbers under it are the values of pH in that unit, and no column of units."""
    if found.role != "unit" or not headers.is_parameter(found.name):
        return found
    if not kinds.mostly_results(grid.cells[body:bottom, column]):
        return found
    said: dict[str, Cell] = {"unit": found.text} if headers.is_unit(found.text) else {}
    return replace(found, role="", says=said | found.says)


def _counts_rows(grid: Grid, column: int, body: int, bottom: int) -> bool:
    """Return whether a column without a heading numbers the rows."""
    texts = [text_of(v) for v in grid.cells[body:bottom, column].tolist() if v != ""]
    return all(t.isdecimal() for t in texts[:200]) and [int(t) for t in texts[:200]] == list(
        range(int(texts[0]), int(texts[0]) + len(texts[:200]))
    )


def _attach(values: dict[int, Values], companions: dict[int, str], stacks: dict[int, stack.Stack]) -> None:
    """Give each column of qualifiers, limits or units to the values it belongs to.

    A heading that repeats the parameter's name (`Copper Qual`) says so; else it belongs to the values left of it, or,
    where the first stands left of all values, to those right of it.
    """
    if not companions or not values:
        return
    before = min(companions) < min(values)
    order = sorted(values)
    for column, role in companions.items():
        name = stacks[column].name
        named = [c for c in order if _same(str(values[c].says.get("parameter", "")), name)]
        if named:
            owners = named
        elif role == "unit" and headers.is_parameter(name):
            owners = []  # the unit of what stands nowhere is no neighbour's
        elif role == "quality":
            owners = quality.owners(column, [c for c, r in companions.items() if r == role], order)
        elif before:
            owners = [c for c in order if c > column][:1]
        else:
            owners = [c for c in order if c < column][-1:]
        for owner in owners:
            values[owner].beside[role] = column  # type: ignore[index]


def _same(one: str, other: str) -> bool:
    """Return whether two headings name one thing: in the same letters, or one parameter of the list."""
    if headers.compact(one) == headers.compact(other):
        return True
    first, second = parameters.identify(one), parameters.identify(other)
    return first.parameter in parameters.every() and first == second
