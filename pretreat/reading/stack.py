"""Headings that stand in several rows: what each row of a column's stack of headings says of its values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pretreat import parameters, units
from pretreat.reading import formats, headers, kinds, names
from pretreat.reading.grid import Grid
from pretreat.reading.schema import COMPANIONS
from pretreat.reading.sheets import Cell, text_of

SAMPLE_TYPES = re.compile(
    r"(grab|comp(osite)?|24[- ]?h(ou)?r\.?( (flow|time))?( proportional)? comp(osite)?|continuous)( sample)?s?",
    re.IGNORECASE,
)
_STATISTICS = re.compile(
    r"((daily|monthly|weekly|hourly|30-day) )?(max(imum)?|min(imum)?|av(g|erage)|mean|total)\.?( (value|day|daily))?",
    re.IGNORECASE,
)
PLACES = re.compile(
    r"(.*\b(influent|effluent|outfall|manhole|mh|pump station|wet ?well|discharge|sampling point|monitoring point"
    r"|station|location)\b.*)|(cso|mp|mh|sp|iu|out|ef|in)[ -]?#?\d+\w*",
    re.IGNORECASE,
)
_TAG = re.compile(r"[A-Z]{1,5}[-_. ]?\d{2,6}[A-Z]?")
"""The number of an instrument on a drawing (`AI-406`, `FIT101`), which says nothing of what it measures."""
_NUMBERED = re.compile(r"\d+|(channel|chan|ch|sensor|series|tag|column|col)\.? ?#?\d+", re.IGNORECASE)


@dataclass(slots=True)
class Stack:
    """What a stack of headings says: a role for a column that belongs to the row, or what its values are."""

    text: str = ""
    name: str = ""
    role: str = ""
    rank: int = 0
    says: dict[str, Cell] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def labels(grid: Grid, rows: Sequence[int], columns: list[int]) -> set[tuple[int, str]]:
    """Return the cells that are labels of the row beneath: one text with a colon that stands in several columns.

    `LOCATION:` above the names of the places, `NUMBER:` above their numbers.
    """
    found = set()
    for row in rows:
        texts = [text_of(grid.spread[row, c]) for c in columns]
        found |= {(row, t) for t in set(texts) if t.endswith(":") and texts.count(t) > 1}
    return found


def read(grid: Grid, column: int, rows: Sequence[int], labelled: set[tuple[int, str]]) -> Stack:
    """Return what the headings of one column say, from the top row to the one above the data.

    Each text is a label, a unit, a sample type, a statistic, the number of a variable, the name of a place, or a part
    of the column's name; a name that was merged over several rows counts once.
    """
    stack = Stack()
    parts: list[str] = []
    seen: list[str] = []
    role, over = "", ""
    for row in rows:
        value = grid.spread[row, column]
        text = text_of(value)
        if not text or (seen and text in {seen[-1], f"VALUE({seen[-1]})"}):
            continue
        unit = (headers.is_unit(text) and not headers.is_heading(text)) or _is_unit_of(text, parts)
        if parts and seen[-1] == parts[-1] and text.startswith(parts[-1]) and not unit:
            parts.pop()  # "Flow" above "Flow (MGD)"; "pH units" under "pH" is its unit
        seen.append(text)
        how, rest = names.sampled(text) if not role and grid.over_several(row, column) else ("", "")
        if how:
            over = how
            parts += [rest] if rest else []
            continue
        if (row, text) in labelled:
            role = headers.title_role(text) or ("number" if "number" in text.casefold() else "")
            continue
        if role:
            stack.says["outfall" if role in {"place", "number", "outfall"} else role] = value
            role = ""
        elif unit and parts and names_itself(text) and not any(headers.is_parameter(part) for part in parts):
            stack.says["unit"] = text
            parts.append(headers.read(text).name)  # "pH" under a place or a tag
        elif unit and (parts or not headers.is_parameter(text)):
            stack.says["unit"] = text
        elif SAMPLE_TYPES.fullmatch(text):
            stack.says["sample_type"] = text
        elif kinds.of(value) == kinds.DATE:
            stack.says["start"] = value
        elif not _NUMBERED.fullmatch(text):
            parts.append(text)
    stack.text = " / ".join(seen)
    _name(stack, parts)
    if over and not any(map(names.says_how, parts)):  # "pH (grab)" under "Composite" is no composite
        stack.says.setdefault("sample_type", over)
    return stack


def says_how(grid: Grid, row: int, columns: Sequence[int]) -> bool:
    """Return whether a row has a heading over several of the columns that says how they were sampled."""
    return any(grid.over_several(row, c) and names.sampled(text_of(grid.spread[row, c]))[0] for c in columns)


def _is_unit_of(text: str, parts: list[str]) -> bool:
    """Return whether a text is a unit of what is named above it: `F` under `Temperature` is no fluoride."""
    unit = units.split(text)[0] or ""
    above = {parameters.identify(part).parameter for part in parts if headers.is_parameter(part)}
    return bool(unit) and any(parameters.accepts(name, unit) for name in above & set(parameters.every()))


def names_itself(text: str) -> bool:
    """Return whether a unit names the one parameter that has it: pH is measured in pH, but F is no fluoride.

    Examples
    --------
    >>> [names_itself(text) for text in ("pH", "pH units", "% LEL", "F", "mg", "SU")]
    [True, True, True, False, False, False]
    """
    if not (headers.is_unit(text) and headers.is_parameter(text)):
        return False
    name, unit = parameters.identify(text).parameter, units.split(text)[0] or ""
    return bool(unit) and name in parameters.every() and bool(parameters.accepts(name, unit))


def _bare(stack: Stack, part: str) -> str:
    """Return the parameter of one of several texts without what stands beside it, which the stack then says."""
    head = headers.read(part)
    name, beside = names.apart(head.name)
    if head.role or not beside:
        return part
    stack.says |= {role: text for role, text in (("unit", head.unit), *beside) if text and role not in stack.says}
    return name


def _name(stack: Stack, parts: list[str]) -> None:
    parts = [_bare(stack, part) for part in parts] if len(parts) > 1 else parts
    joined = " ".join(parts)
    head = headers.read(joined)
    if head.role and not (len(parts) > 1 and headers.is_parameter(parts[0])):
        stack.name, stack.role, stack.rank = head.name, head.role, head.rank
    elif len(parts) > 1 and not headers.is_parameter(head.name):
        _several(stack, parts)
    else:
        stack.name = head.name
        if head.role in COMPANIONS:  # "Quality" under "pH"
            stack.role, stack.rank = head.role, head.rank
    if not stack.role:
        stack.name, beside = names.apart(stack.name)
        for role, text in beside:
            stack.says.setdefault(role, text)
    known = formats.heading(joined)
    if known:
        title, says = known
        stack.says |= {k: v for k, v in says.items() if k in {"facility", "outfall", "sample_id"}}
        stack.name, stack.role, stack.notes = says["parameter"], "", (f"headings built as in a {title}",)
    if head.unit and "unit" not in stack.says:
        stack.says["unit"] = head.unit
    if head.zone:
        stack.says["time_zone"] = head.zone


def _several(stack: Stack, parts: list[str]) -> None:
    """Tell the parameter among several texts of a stack from a place, a statistic or a role that stands with it."""
    heads = [headers.read(part) for part in parts]
    named = [i for i, h in enumerate(heads) if not h.role and headers.is_parameter(h.name)]
    for head in heads:
        if head.unit:
            stack.says.setdefault("unit", head.unit)
    if not named:
        dated = [
            h for h in heads if h.role in {"start", "start_time", "end", "sample_id", "facility", "place", "outfall"}
        ]
        if dated and len(parts) > 1:
            stack.name, stack.role, stack.rank = dated[-1].name, dated[-1].role, dated[-1].rank + 50
            return
        stack.name = " ".join(h.name for h in heads if h.role != "quality")
        stack.role = next((h.role for h in heads if h.role == "quality"), "")  # "Quality" under a tag
        return
    chosen = named[-1]
    stack.name = heads[chosen].name
    for i, (head, part) in enumerate(zip(heads, parts, strict=True)):
        if i == chosen:
            continue
        if head.role and i > chosen:
            stack.role, stack.rank = head.role, head.rank
        elif _STATISTICS.fullmatch(part):
            stack.says["statistic"] = part
        elif PLACES.fullmatch(part):
            stack.says["outfall"] = part
        elif i > chosen and not _TAG.fullmatch(part):
            stack.name = f"{stack.name} {part}"
