"""The block above a table: client, project, sample and date, as `label: value` or label and value side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pretreat.reading import headers, kinds
from pretreat.reading.grid import Grid
from pretreat.reading.schema import Table
from pretreat.reading.sheets import Cell, text_of
from pretreat.reading.stack import PLACES

_INLINE = re.compile(r"\s*([^:]{2,40}):\s*(\S.*)")
_UNIT = re.compile(
    r"\W*(all )?(the )?(results?|values?|concentrations?|units?|data|analytes|metals|parameters) "
    r"(?:(?:are|were|is|all) )?(?:(?:reported|expressed|given|shown) )?(?:in|as|=|:)?\s*"
    r"(?P<unit>(?!(?:in|as)$)\S+?(?: \S+)?)(?:,? (?:unless|except)\b.*)?[).]*",
    re.IGNORECASE,
)
"""`All results in mg/L unless noted`."""
_MOST_ROWS = 60
_LONGEST_NAME = 60
_ALL = range(1 << 20)
_NO_NAME = re.compile(
    r"\d|report|result|page|summary|quarter|month|data|sampl|analy|laborator|monitor|metal|organic|chem|nutrient|table|sheet|field"
    r"|pesticide|volatile|log$|[*.:;]$"
    r"|\b(january|february|march|april|may|june|july|august|september|october|november|december)\b|continued|note",
    re.IGNORECASE,
)


def read(grid: Grid, table: Table, beside: Sequence[Table] = ()) -> dict[str, Cell]:
    """Return what the block above a table says of all its rows, by our columns' names.

    Only labels that are known count; a label is read once, from the top, and its value is the rest of its cell after
    the colon, or the next filled cell of the row. Where other tables stand `beside` it, what stands right above it goes
    before what stands above another one.
    """
    whole = _read(grid, table, range(grid.cells.shape[1]))
    return whole | _read(grid, table, band(table, beside)) if beside else whole


def band(table: Table, beside: Sequence[Table]) -> range:
    """Return the columns that belong to a table among those beside it: from its first one to the next one's."""
    left = table.columns[0]
    firsts = sorted(other.columns[0] for other in beside)
    return range(
        left if any(first < left for first in firsts) else 0,
        next((first for first in firsts if first > left), 1 << 20),
    )


def neighbours(table: Table, tables: Sequence[Table]) -> list[Table]:
    """Return the tables that stand beside one: in some of its rows, and in none of its columns."""
    mine = set(table.columns)
    return [
        other
        for other in tables
        if other is not table
        and other.top < table.bottom
        and table.top < other.bottom
        and not mine & set(other.columns)
    ]


def _read(grid: Grid, table: Table, columns: range) -> dict[str, Cell]:
    says: dict[str, Cell] = {}
    for row in range(max(table.title_top, table.top - _MOST_ROWS), table.top):
        cells = [v if c in columns else "" for c, v in enumerate(grid.cells[row].tolist())]
        used = -1
        for column, value in enumerate(cells):
            if column <= used or not isinstance(value, str) or not value.strip():
                continue
            stated = _UNIT.fullmatch(" ".join(value.split()))
            if stated and headers.is_unit(stated["unit"]):
                says.setdefault("unit", stated["unit"])
                continue
            inline = _INLINE.fullmatch(value.strip())
            if inline and (role := headers.title_role(inline[1])):
                says.setdefault(role, inline[2].strip())
                continue
            role = headers.title_role(value)
            if not role:
                continue
            beside = next((c for c in range(column + 1, min(column + 5, len(cells))) if text_of(cells[c])), None)
            if beside is None or _is_label(cells[beside]):
                continue
            says.setdefault(role, cells[beside])
            used = beside
    return {role: value for role, value in says.items() if role not in {"value", "ignored"} and _fits(role, value)}


def is_title(filled: Sequence[Cell]) -> bool:
    """Return whether the filled cells of a row are titles rather than headings.

    `Client: | Acme | Date: | 1/2/2026`, or `Client: Acme Plating | All results in ug/L`.

    Examples
    --------
    >>> is_title(["Client", "Acme Plating"]), is_title(["Client: Acme", "All results in ug/L unless noted"])
    (True, True)
    >>> is_title(["Client", "Sample Date"]), is_title(["Site: A", "Site: B"])
    (False, False)
    """
    texts = list(dict.fromkeys(text for v in filled if isinstance(v, str) and (text := " ".join(v.split()))))
    inline = [role for text in texts if (found := _INLINE.fullmatch(text)) and (role := headers.title_role(found[1]))]
    stated = sum(bool((found := _UNIT.fullmatch(text)) and headers.is_unit(found["unit"])) for text in texts)
    if inline and len(set(inline)) == len(inline) and 2 * (len(inline) + stated) >= len(set(map(str, filled))):
        return True
    labels = [v for v in filled if isinstance(v, str) and headers.title_role(v)]
    headed = all(isinstance(v, str) and headers.read(v).role for v in filled)
    return len(filled) <= 2 * len(labels) and len(set(map(str, filled))) > 1 and not headed


def alone(grid: Grid, table: Table, top: int, columns: range = _ALL) -> dict[str, Cell]:
    """Return the text that stands alone above a table as its place or its user; nothing where it looks like neither."""
    row = table.top - 1
    while row > top and grid.blank_row(row):
        row -= 1
    own = [v for c, v in enumerate(grid.cells[row].tolist()) if c in columns] if row >= max(top, 0) else []
    filled = [v for v in own if v != ""]
    if len(filled) != 1 or kinds.of(filled[0]) != kinds.TEXT or grid.is_title(row) or grid.is_summary(row):
        return {}
    return of_name(text_of(filled[0]))


def users(grid: Grid, tables: list[Table]) -> dict[int, dict[str, Cell]]:
    """Return the texts that stand alone above several tables, by the tables' numbers from 1.

    They are taken for users or places only where each of several tables has its own: one title is as likely the name
    of the report.
    """
    found = {
        number: says
        for number, table in enumerate(tables, 1)
        if (says := alone(grid, table, table.title_top, band(table, neighbours(table, tables))))
    }
    texts = {text_of(value) for says in found.values() for value in says.values()}
    return found if len(tables) > 1 and len(texts) == len(tables) else {}


def of_name(text: str) -> dict[str, Cell]:
    """Return what a name alone (a title, a sheet's) tells: a place, a user, or nothing where it looks like neither.

    Examples
    --------
    >>> of_name("Acme Plating"), of_name("Effluent"), of_name("Metals"), of_name("Oct 2026"), of_name("Sheet1")
    ({'facility': 'Acme Plating'}, {'outfall': 'Effluent'}, {}, {}, {})
    """
    if PLACES.fullmatch(text):
        return {"outfall": text}
    unlikely = (
        len(text) > _LONGEST_NAME or _NO_NAME.search(text) or headers.is_parameter(text) or headers.read(text).role
    )
    return {} if unlikely or not text else {"facility": text}


def _is_label(value: Cell) -> bool:
    return isinstance(value, str) and value.strip().endswith(":")


def _fits(role: str, value: Cell) -> bool:
    if role in {"start", "received", "analyzed"}:
        return kinds.is_date(value)
    if role == "start_time":
        return kinds.of(value) in {kinds.TIME, kinds.NUMBER}
    return role != "unit" or headers.is_unit(text_of(value))
