"""The long layout: one row a result, with a column for the parameter and a column for its value."""

from __future__ import annotations

import re
from typing import Final

from pretreat.reading import formats, headers, kinds, names
from pretreat.reading.grid import Grid
from pretreat.reading.schema import Table, Values
from pretreat.reading.sheets import Cell, letters, text_of
from pretreat.reading.stack import SAMPLE_TYPES

_NUMBERED: Final = re.compile(
    r"(results?|values?|conc(entration)?|readings?)\.?\s*[#(]?\s*([1-9]|[ab])\)?", re.IGNORECASE
)


def long(grid: Grid, row: int, top: int, bottom: int, columns: list[int]) -> Table | None:
    """Return the long table whose headings stand in `row`, or None where they don't.

    A format that is recognised by its own columns is read by its own map of names; else each heading is looked up,
    and where several columns have one role the heading listed first in `generic.toml` is taken.
    """
    texts = {c: text_of(grid.spread[row, c]) for c in columns}
    found = formats.recognise([texts[c] for c in columns])
    if found is not None:
        return _by_format(found, row, bottom, texts)
    first = row
    if row > top and _is_first_line(grid, row - 1, columns):
        both = _two_lines(grid, row, texts)
        first, texts = row - (both != texts), both
    roles, unused = by_role({c: headers.read(t) for c, t in texts.items() if t})
    several = _several(texts, roles)
    if "value" in roles and "cas" in roles:
        roles.setdefault("parameter", roles["cas"])  # a substance by its number alone
    if not ("parameter" in roles and "value" in roles):
        return None
    same = [c for c, t in texts.items() if t and headers.read(t).role == "value"]
    if len(same) > 1 and len({headers.compact(texts[c]) for c in same}) == 1:
        return None  # a result for each of several samples: parameters down
    value = headers.read(texts[roles["value"]])
    says: dict[str, Cell] = {"unit": value.unit} if value.unit else {}
    for role in ("detection_limit", "reporting_limit"):
        if role in roles and (unit := headers.read(texts[roles[role]]).unit):
            says[f"{role}_unit"] = unit
    if "start" in roles and (zone := headers.read(texts[roles["start"]]).zone):
        says["time_zone"] = zone
    roles = timed(grid, row + 1, roles)
    if "sample_type" not in roles:
        candidates = [*(c for c, _ in unused), *(c for role, c in roles.items() if role == "matrix")]
        telling = [c for c in candidates if _tells_how(grid, row + 1, bottom, c)]
        if telling:
            roles = {role: c for role, c in roles.items() if c != telling[0]} | {"sample_type": telling[0]}
        unused = tuple((c, t) for c, t in unused if c != roles.get("sample_type"))
    says |= _said_above(grid, row, top, roles["value"])
    if "sample_type" in roles:
        roles.setdefault("qc", roles["sample_type"])  # "Field blank" and "LCS" often stand there
    index = roles.pop("value")
    told = [
        index,
        *(c for r, c in roles.items() if r in {"detected", "qualifier", "detection_limit", "reporting_limit"}),
    ]
    if all(v == "" for c in told for v in grid.cells[row + 1 : bottom, c].tolist()):
        return None
    values = tuple(_one_of_several(c, texts[c]) for c in sorted({index, *several}))
    unused = tuple((c, t) for c, t in unused if c not in {index, *several})
    return Table("long", first, row, row + 1, bottom, roles, values, says, unused)


def _said_above(grid: Grid, row: int, top: int, column: int) -> dict[str, Cell]:
    """Return how the results were sampled, where a heading over several columns says it in the row above theirs."""
    if row == top or not grid.over_several(row - 1, column):
        return {}
    how, _ = names.sampled(text_of(grid.spread[row - 1, column]))
    return {"sample_type": how} if how else {}


def _several(texts: dict[int, str], roles: dict[str, int]) -> list[int]:
    """Return the columns of several results of one sample (`Result 1 | Result 2`); the first one is the row's value."""
    found = [c for c, t in texts.items() if _NUMBERED.fullmatch(headers.read(t).name)]
    if "value" not in roles and len(found) > 1 and {"start", "sample_id"} & set(roles):
        roles["value"] = found[0]
    return found


def _one_of_several(column: int, text: str) -> Values:
    unit = headers.read(text).unit
    return Values(column, text, {"unit": unit} if unit else {})


def _is_first_line(grid: Grid, row: int, columns: list[int]) -> bool:
    """Return whether a row holds first words of headings (`Sample` above `Date`), not a title or a table's data."""
    filled = [v for c in columns if (v := grid.spread[row, c]) != ""]
    return len(filled) > 1 and all(kinds.of(v) == kinds.TEXT for v in filled) and not grid.is_title(row)


def _two_lines(grid: Grid, row: int, texts: dict[int, str]) -> dict[int, str]:
    """Return the headings with the words above them where both together are a heading that is known."""
    joined = {c: f"{text_of(grid.spread[row - 1, c])} {t}".strip() for c, t in texts.items()}
    return {c: joined[c] if headers.read(joined[c]).role else t for c, t in texts.items()}


def _tells_how(grid: Grid, body: int, bottom: int, column: int) -> bool:
    """Return whether every cell of a column is a way of sampling, whatever its heading says."""
    texts = {text_of(v) for v in set(grid.spread[body:bottom, column].tolist())} - {""}
    return bool(texts) and len(texts) < 20 and all(SAMPLE_TYPES.fullmatch(t) for t in texts)


def by_role(
    heads: dict[int, headers.Heading],
) -> tuple[dict[str, int], tuple[tuple[int, str], ...]]:
    """Return the best column for each role, and the columns that are left over."""
    best: dict[str, int] = {}
    for column, head in heads.items():
        if head.role in {"", "ignored"}:
            continue
        if head.role not in best or head.rank < heads[best[head.role]].rank:
            best[head.role] = column
    taken = set(best.values())
    return best, tuple((c, h.text) for c, h in heads.items() if c not in taken)


def timed(grid: Grid, body: int, roles: dict[str, int]) -> dict[str, int]:
    """Return the roles with the date set right: a column headed `Time` that holds whole dates is the date."""
    if "start" not in roles and "start_time" in roles:
        sample = grid.spread[body : body + 20, roles["start_time"]].tolist()
        if any(kinds.of(v) == kinds.DATE for v in sample):
            roles = {("start" if role == "start_time" else role): c for role, c in roles.items()}
    return roles


def _by_format(found: formats.Match, row: int, bottom: int, texts: dict[int, str]) -> Table | None:
    position = {text: column for column, text in reversed(texts.items())}
    roles = {role: position[heading] for role, heading in found.columns.items()}
    if "value" not in roles:
        return None
    index = roles.pop("value")
    unused = tuple((c, t) for c, t in texts.items() if c not in {index, *roles.values()} and t)
    join = {role: tuple(position[heading] for heading in heads) for role, heads in found.join.items()}
    notes = (f"recognised as {found.title} by its columns",)
    return Table(
        "long", row, row, row + 1, bottom, roles, (Values(index, texts[index]),), dict(found.says), unused,
        format=found.name, notes=notes, words=found.words, join=join,
    )  # fmt: skip


def describe(columns: dict[str, int]) -> str:
    """Return roles with the letters of their columns, for a person."""
    return ", ".join(f"{role} {letters(column)}" for role, column in columns.items())
