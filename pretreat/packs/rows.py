"""Rows into limits: the nearest key wins, and headings and marks add theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pretreat.limits.provisions import Limit
from pretreat.packs import cells, words
from pretreat.packs.context import Context, canonical, check_keys
from pretreat.packs.keys import id_of, names_of
from pretreat.packs.limit import SIDES, make
from pretreat.packs.written import Row, Table

_OF_TABLE: Final = ("printed", "name", "note", "columns", "rows")


def limits_of(table: Table, context: Context) -> Iterator[Limit]:
    """Yield the limits of a table, without those worked out from others (`of`)."""
    check_keys(table.keys, words.TABLE_KEYS, table.where, context.faults)
    outer = context.defaults | {key: value for key, value in table.keys.items() if key not in _OF_TABLE}
    _unknown(table, context)
    for row in table.rows:
        for limit in _row(row, outer, context):
            yield replace(limit, heading=str(table.keys.get("name") or "") or limit.heading)


def _is_key(key: str) -> bool:
    return key in words.ROW_KEYS or (key.partition(".")[0] in words.FAMILIES and "." in key)


def _unknown(table: Table, context: Context) -> None:
    """Note columns and keys that are neither on the list nor a heading, once each."""
    for row in table.rows:
        for key in row.keys:
            if _is_key(key) or context.heading(key) is not None:
                continue
            hint = words.near(key, (*words.ROW_KEYS, *(label for label, _ in context.headings.values())))
            sheet = table.where or ("row 1" if row.cells else "")
            where, code = (sheet, "unknown-heading") if sheet else (row.where, "unknown-key")
            context.faults.add(where, key, code, f"{key!r} is no key, and no heading of [headings]{hint}")


def blank(value: object) -> bool:
    """Whether a cell holds nothing."""
    return value is None or (isinstance(value, str) and not value.strip())


def _row(row: Row, outer: Mapping[str, Any], context: Context) -> Iterator[Limit]:
    own, headed = _sorted(row, context)
    keys = {**outer, **own}
    bounds = [name for name in words.BOUNDS if name in own]
    if blank(keys.get("parameter")) and "of" not in keys:
        code = "blank" if "parameter" in row.keys else "no-parameter"
        context.faults.add(row.where, row.place("parameter"), code, "no parameter; a blank never means 'as above'")
    elif keys.get("external"):
        yield from _limit(row, keys, "", [], context, external=True)
    elif not headed and not bounds and "of" not in keys and keys.get("kind") != "monitor only":
        if all(_is_key(key) or context.heading(key) for key in row.keys):  # else that fault is noted already
            _nothing(row, context)
    else:
        for key, label, more, value in headed:
            merged = {**outer, **{k: v for k, v in more.items() if k != "bound"}, **own}
            for name in words.BOUNDS:
                merged.pop(name, None)
            direction = str(more.get("bound") or keys.get("bound") or "above").replace(" ", "_")
            if more.get("kind", "violation") != "violation" and not own.get("kind") and len(headed) > 1:
                merged["id"] = f"{id_of(merged, context)} {more['kind']}"
            yield from _cell(row, key, merged, label, direction, value, context)
        yield from _numbers(row, keys, bounds, context, alone=not headed)


def _nothing(row: Row, context: Context) -> None:
    """Note a row without a number, naming the cell where one would stand."""
    cells_ = [key for key in row.keys if key in words.BOUNDS or context.heading(key) is not None]
    if {row.cells.get(key) for key in cells_} & {fault.key for fault in context.faults.found}:
        return  # what stands there is named already
    if cells_:
        places = ", ".join(row.place(key) for key in cells_)
        message = "blank, and the row has no other number; a blank never means 'as above'"
        context.faults.add(row.where, places, "blank", message)
    else:
        context.faults.add(row.where, "", "no-limit", "this row holds no number: above, below, a heading's cell, ...")


def _numbers(
    row: Row, keys: dict[str, Any], bounds: Sequence[str], context: Context, *, alone: bool
) -> Iterator[Limit]:
    """Yield what the four words and `inside` say in a row."""
    if len(bounds) == 1:
        yield from _cell(row, bounds[0], keys, "", bounds[0], keys[bounds[0]], context)
    elif bounds:
        yield from _pair(row, keys, bounds, context)
    elif alone and "of" not in keys:
        yield from _limit(row, keys, "", [], context)


def _sorted(row: Row, context: Context) -> tuple[dict[str, Any], list[tuple[str, str, dict[str, Any], Any]]]:
    """Return a row's keys and its cells under headings, those that hold something."""
    own: dict[str, Any] = {}
    headed: list[tuple[str, str, dict[str, Any], Any]] = []
    for key, value in row.keys.items():
        if _is_key(key):
            if not blank(value) or (key.startswith("accept.") and value):
                own[key] = value
        elif (heading := context.heading(key)) is not None and not blank(value):
            headed.append((key, *heading, value))
    return own, headed


def _read(row: Row, key: str, value: object, context: Context) -> tuple[cells.Part, ...]:
    try:
        return cells.read(value, context.notes, context.facts)
    except cells.CellError as error:
        context.faults.add(row.where, row.place(key), error.code, str(error))
        return ()


def _pair(row: Row, keys: dict[str, Any], bounds: Sequence[str], context: Context) -> Iterator[Limit]:
    """Yield the range of two keys in one row."""
    read = [(name, part) for name in bounds for part in _read(row, name, keys[name], context)]
    sides = [SIDES[name][0] for name, _ in read]
    plain = all(part.kind == "number" and not part.marks and not part.direction for _, part in read)
    if not plain or len(set(sides)) != len(sides) or "inside" in bounds:
        if len(read) >= len(bounds):
            message = "a range has one plain number below and one above; write other cases as rows of their own"
            context.faults.add(row.where, ", ".join(bounds), "bad-value", message)
        return
    if "for" in keys or "readings" in keys:
        for name, part in sorted(read, key=lambda item: SIDES[item[0]][0]):
            named = {**keys, "id": f"{id_of(keys, context)} {name.replace('_', ' ')}"}
            yield from _limit(row, named, "", [(name, part)], context)
        return
    yield from _limit(row, keys, "", sorted(read, key=lambda item: SIDES[item[0]][0]), context)


def _cell(
    row: Row, key: str, keys: dict[str, Any], label: str, direction: str, value: object, context: Context
) -> Iterator[Limit]:
    """Yield the limits of one cell: its numbers, and what its marks make of them."""
    if direction not in SIDES:
        context.faults.add(row.where, "bound", "bad-value", f"bound is one of {', '.join(words.BOUNDS)}")
        return
    parts = _read(row, key, value, context)
    base: Limit | None = None
    for number, part in enumerate(parts):
        marks: dict[str, Any] = {}
        for mark in part.marks:
            marks |= context.notes[mark]
            context.used.add(("notes", mark))
        changes = any(name in marks for name in ("times", *words.BOUNDS))
        conditional = any(name.startswith("when.") for name in marks)
        shown = {name: text for name, text in marks.items() if name not in ("printed", "note")}
        if changes and conditional:
            first = _first(_limit(row, keys, label, [(direction, part)], context))
            if first is None:
                continue
            base = base or first
            yield first
            others = _changed(row, keys, shown, label, direction, part, context)
            yield from (replace(v, variant_of=first.key, mark=" ".join(part.marks)) for v in others)
            continue
        if changes:
            yield from _changed(row, keys, shown, label, direction, part, context)
            continue
        unmarked = number and not conditional
        merged = {**keys, "id": f"{id_of(keys, context)} {part.unit or number + 1}"} if unmarked else keys
        for limit in _limit(row, {**merged, **shown}, label, [(direction, part)], context):
            if conditional and base is not None:
                yield replace(limit, variant_of=base.key, mark=" ".join(part.marks))
            else:
                base = base or limit
                yield limit


def _first(limits: Iterator[Limit]) -> Limit | None:
    return next(iter(limits), None)


def _changed(
    row: Row,
    keys: dict[str, Any],
    marks: dict[str, Any],
    label: str,
    direction: str,
    part: cells.Part,
    context: Context,
) -> Iterator[Limit]:
    """Yield the limit as its mark has it: another number, or this one times a factor."""
    given = [name for name in words.BOUNDS if name in marks]
    parts: list[tuple[str, cells.Part]] = [(direction, part)]
    if given:
        parts = [(name, other) for name in given for other in _read(row, name, marks[name], context)]
    yield from _limit(row, {**keys, **{k: v for k, v in marks.items() if k not in given}}, label, parts, context)


def _limit(
    row: Row,
    keys: dict[str, Any],
    label: str,
    parts: list[tuple[str, cells.Part]],
    context: Context,
    *,
    external: bool = False,
) -> Iterator[Limit]:
    """Yield one limit, or one for each member of a group."""
    text = str(keys.get("parameter", ""))
    if match := re.fullmatch(r"each of (.+)", text.strip()):
        group = context.groups.get(match[1])
        if group is None:
            message = f"there is no group {match[1]!r}{words.near(match[1], context.groups)}"
            context.faults.add(row.where, row.place("parameter"), "unknown-group", message)
            return
        context.used.add(("groups", group.name))
        left = {canonical(name, context.own) for name in names_of(keys.get("except"))}
        for member in group.members:
            if member not in left:
                one = {**keys, "parameter": member, "id": f"{id_of(keys, context)} {member}"}
                yield from (replace(limit, member_of=group.name) for limit in _limit(row, one, label, parts, context))
        return
    made = make(row, keys, label, parts, context, external=external)
    if made is not None:
        yield made
