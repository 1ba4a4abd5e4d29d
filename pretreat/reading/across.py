"""Users or places across the top: under a parameter's name, over several, or alone where the parameter stands above.

    Copper (mg/L)                 Acme Plating     Bolt Works          Copper, mg/L
    Acme Plating | Bolt Works     Copper | Zinc    Copper | Zinc       Date | Acme Plating | Bolt Works

    Date | Acme Plating Copper (mg/L) | Bolt Works Copper (mg/L)

A heading is taken for a name only where the arrangement says so: the same names under each parameter, the same
parameters under each name, or names alone under one parameter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from pretreat.reading import headers, kinds
from pretreat.reading.grid import Grid
from pretreat.reading.schema import Table, Values
from pretreat.reading.sheets import Cell, text_of
from pretreat.reading.stack import PLACES

_LONGEST: Final = 60
_MOST_ROWS: Final = 12
_NO_NAME: Final = re.compile(
    r"\W*|.*\b(limits?|standards?|criteri(a|on)|guidelines?|ordinance|requirements?|reports?|results?|change|difference"
    r"|removal|method|units?|comments?|remarks?|notes?|loads?|loading|mass|conc(entration)?s?|average|avg|mean|min(imum)?"
    r"|max(imum)?|median|total|dissolved|free|grab|composite|duplicate|dup|blank|spike|before|after|pre|post|raw|found"
    r"|water|air|ambient|field|lab|laboratory|organics|nutrients|general|misc(ellaneous)?|other|data|date|time)\b.*"
    r"|((total|heavy|trace) )?metals?|inorganics?|am|pm|day|night|low|high"
    r"|(week|day|month|qu?a?r?te?r|sample|rep(licate)?|trial|run|meter|probe|sensor|ch(annel)?|test|event|round|batch|"
    r"series|column|col|no|number)?\W*\d+",
    re.IGNORECASE,
)


def is_name(text: str) -> bool:
    """Return whether a heading can be the name of a user or a place: whether it looks like nothing else.

    Examples
    --------
    >>> is_name("Acme Metal Finishing"), is_name("IU-104"), is_name("Permit limit"), is_name("Week 2"), is_name("Zinc")
    (True, True, False, False, False)
    """
    unlikely = len(text) > _LONGEST or _NO_NAME.fullmatch(text) or kinds.of_text(text) != kinds.TEXT
    return not (unlikely or headers.is_parameter(headers.read(text).name) or headers.read(text).role)


def measured(grid: Grid, top: int, row: int, *, by_sheet: bool = True) -> dict[str, Cell]:
    """Return the parameter, and its unit, that stands alone above a row or is the sheet's name; nothing where two do.

    Parameters
    ----------
    grid : Grid
        A sheet.
    top, row : int
        The first row to look at, and the one after the last.
    by_sheet : bool
        Whether the sheet's name counts.
    """
    rows = [
        [text_of(v) for v in grid.cells[above].tolist() if v != ""] for above in range(max(top, row - _MOST_ROWS), row)
    ]
    alone = {filled[0] for filled in rows if len(filled) == 1 and _is_parameter(filled[0])}
    if by_sheet and not alone and _is_parameter(grid.sheet.name):
        return _parameter(grid.sheet.name)
    return _parameter(alone.pop()) if len(alone) == 1 else {}


def named(grid: Grid, table: Table, above: Mapping[str, Cell]) -> Table:
    """Return a wide table whose headings are names of users or places with each name as its column's place.

    Parameters
    ----------
    grid : Grid
        The sheet.
    table : Table
        One of its tables.
    above : mapping
        What the block above the table says.
    """
    values = table.values
    if table.layout != "wide" or len(values) < 2 or "parameter" in table.roles:
        return table
    pairs = _pairs(values)
    told = _under(pairs) or _over(pairs) or _over(_inside(values)) or _alone(grid, table, above)
    if not told:
        return table
    columns = tuple(
        Values(value.index, value.heading, {**_without(value.says), **says}, value.beside)
        for value, says in zip(values, told, strict=True)
    )
    return replace(table, values=columns, notes=(*table.notes, "the headings of the columns name places or users"))


def _without(says: Mapping[str, Cell]) -> dict[str, Cell]:
    return {role: cell for role, cell in says.items() if role not in {"parameter", "outfall"}}


def _pairs(values: tuple[Values, ...]) -> list[tuple[str, str]]:
    """Return the upper and the lower heading of each column; an upper one that is not merged holds to the next."""
    pairs: list[tuple[str, str]] = []
    for value in values:
        parts = [part for part in value.heading.split(" / ") if headers.is_parameter(part) or not headers.is_unit(part)]
        if len(parts) not in {1, 2}:
            return []
        upper = parts[0] if len(parts) == 2 else pairs[-1][0] if pairs else ""
        pairs.append((upper, parts[-1]))
    return pairs if all(upper for upper, _ in pairs) else []


def _inside(values: tuple[Values, ...]) -> list[tuple[str, str]]:
    """Return the name and the parameter in each heading (`Acme Plating Copper`); nothing where one has not both."""
    pairs: list[tuple[str, str]] = []
    for value in values:
        words = text_of(value.says.get("parameter", "")).split()
        cuts = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
        found = next(((name, tail.strip("- ")) for name, tail in cuts if _is_parameter(tail.strip("-–: "))), None)
        if found is None or _is_parameter(" ".join(words)):
            return []
        pairs.append((found[0].strip("-–: "), found[1].strip("-–: ")))
    return pairs


def _groups(pairs: list[tuple[str, str]]) -> list[list[str]]:
    """Return the lower headings under each upper one."""
    groups: dict[str, list[str]] = {}
    for upper, lower in pairs:
        groups.setdefault(upper, []).append(lower)
    return list(groups.values())


def _role(name: str) -> str:
    return "outfall" if PLACES.fullmatch(name) else "place"


def _parameter(text: str) -> dict[str, Cell]:
    head = headers.read(text)
    says: dict[str, Cell] = {"parameter": head.name}
    return says | {"unit": head.unit} if head.unit else says


def _is_parameter(text: str) -> bool:
    return headers.is_parameter(headers.read(text).name)


def _under(pairs: list[tuple[str, str]]) -> list[dict[str, Cell]]:
    """Read names under parameters: the same two or more under each."""
    groups = _groups(pairs)
    alike = all(group == groups[0] and 1 < len(group) == len(set(group)) for group in groups)
    if not (groups and alike and all(_is_parameter(upper) and is_name(lower) for upper, lower in pairs)):
        return []
    if any(_is_parameter(f"{headers.read(upper).name} {lower}") for upper, lower in pairs):
        return []  # copper, dissolved
    return [_parameter(upper) | {_role(lower): lower} for upper, lower in pairs]


def _over(pairs: list[tuple[str, str]]) -> list[dict[str, Cell]]:
    """Read names over parameters: two or more names, one parameter at least under several of them."""
    groups = _groups(pairs)
    lowers = [lower for group in groups for lower in set(group)]
    if len(groups) < 2 or len(set(lowers)) == len(lowers) or any(len(set(g)) < len(g) for g in groups):
        return []
    if not all(is_name(upper) and _is_parameter(lower) for upper, lower in pairs):
        return []
    if any(_is_parameter(f"{upper} {headers.read(lower).name}") for upper, lower in pairs):
        return []  # dissolved copper
    return [_parameter(lower) | {_role(upper): upper} for upper, lower in pairs]


def _alone(grid: Grid, table: Table, above: Mapping[str, Cell]) -> list[dict[str, Cell]]:
    """Read names alone where one parameter stands above the table or is the sheet's name."""
    names = [text_of(value.says.get("parameter", "")) for value in table.values]
    if len(set(names)) < len(names) or not all(name and is_name(name) for name in names):
        return []
    what: dict[str, Cell] = {k: above[k] for k in ("parameter", "unit") if k in above}
    what = what if "parameter" in what else measured(grid, table.title_top, table.top)
    return [what | {_role(name): name} for name in names] if what else []
