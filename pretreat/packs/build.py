"""A written file into a `Pack`: blocks, limits, and limits worked out from others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from pretreat import parameters
from pretreat.limits import facts as fa
from pretreat.limits.provisions import NOT_COMPARED, SAMPLES, STATISTICS, Bound, Limit, Pack
from pretreat.packs import words
from pretreat.packs.context import Context, canonical, context
from pretreat.packs.keys import Keys, cite_of, names_of
from pretreat.packs.others import items_of, penalties_of, schedule_of, slug_of, snc_of
from pretreat.packs.rows import limits_of
from pretreat.packs.written import Row, Written


def build(written: Written) -> Pack:
    """Return the pack that a file says; its faults are in `written.faults`."""
    if written.faults.errors and not written.blocks and not written.tables:
        return _empty(written)
    found = context(written)
    for row in (row for table in written.tables for row in table.rows if table.where or row.cells):
        _columns(row, found)
    rows = [limit for table in written.tables for limit in limits_of(table, found)]
    rows += [
        limit for table in written.tables for row in table.rows for limit in _derived(row, table.keys, rows, found)
    ]
    slug = slug_of(written.blocks.get("slug", {}), found)
    if slug is not None:
        rows.append(slug)
    pack = Pack(
        name=written.name,
        file=written.file,
        sha256=written.sha256,
        document=found.document,
        settings=found.settings,
        facts=found.facts,
        rows=tuple(rows),
        schedule=tuple(schedule_of(written.blocks, found)),
        checklist=tuple(items_of(written.blocks, "checklist", found)),
        definitions=tuple(items_of(written.blocks, "definition", found)),
        penalties=tuple(penalties_of(written.blocks, found)),
        groups=found.groups,
        slug=slug,
        snc=snc_of(written.blocks.get("snc", {}), found),
        quoted=tuple(_quoted(written, found)),
    )
    _cites(found)
    _ids(pack, found)
    _overlaps(pack, found)
    if not found.faults.errors:
        _unused(found)
    if not found.faults.errors and not any(
        (pack.rows, pack.schedule, pack.checklist, pack.definitions, pack.penalties, pack.snc)
    ):
        found.faults.add("", "", "no-limit", "this file holds no limit and no other provision")
    return pack


def _columns(row: Row, found: Context) -> None:
    """Call columns by our keys where people print another heading, unless the file explains the heading itself."""
    ours = {key: key if words.plain(key) in found.headings else words.column(key) for key in row.keys}
    for key, other in ours.items():
        if list(ours.values()).count(other) > 1 and key != other:
            found.faults.add(row.where, row.place(key), "bad-value", f"{key!r} and another column both mean {other}")
    row.keys = {ours[key]: value for key, value in row.keys.items()}
    row.cells = {ours.get(key, key): cell for key, cell in row.cells.items()}


def _quoted(written: Written, found: Context) -> Iterator[tuple[str, str]]:
    """Yield the words that a page prints around its numbers: of tables, their headings, marks and groups."""
    for table in written.tables:
        if table.keys.get("printed"):
            yield table.where, str(table.keys["printed"])
        headings = dict.fromkeys(key for row in table.rows for key in row.keys if found.heading(key) is not None)
        ours = {words.plain(name) for name in STATISTICS}
        yield from ((table.where, heading) for heading in headings if words.plain(heading) not in ours)
    for block in ("notes", "groups"):
        for name, keys in written.blocks.get(block, {}).items():
            printed = keys if isinstance(keys, str) else keys.get("printed") if isinstance(keys, dict) else ""
            if printed:
                yield f"{block}, {name}", str(printed)
    for block in ("slug", "snc"):
        if written.blocks.get(block, {}).get("printed"):
            yield block, str(written.blocks[block]["printed"])


def _empty(written: Written) -> Pack:
    return Pack(
        name=written.name, file=written.file, sha256=written.sha256, document={}, settings={}, facts={}, rows=()
    )


def _derived(row: Row, outer: dict[str, Any], rows: Sequence[Limit], found: Context) -> Iterator[Limit]:
    """Yield the limits that a row works out from others: `of`, with `times` and `except`."""
    keys = {**found.defaults, **{k: v for k, v in outer.items() if k not in ("name", "printed", "note")}}
    keys |= {key: value for key, value in row.keys.items() if value != ""}
    if "of" not in keys:
        return
    reader = Keys(row, keys, found)
    wanted = names_of(keys["of"])
    known = {name for b in rows for name in (b.heading, b.id, b.member_of) if name}
    asked = [_named(name, known) for name in wanted]
    left = {canonical(found.names.get(name.casefold(), name), found.own) for name in names_of(keys.get("except"))}
    base = [b for b in rows if b.bounds and any(_meant(b, name, statistic) for name, statistic in asked)]
    if not base:
        hint = words.near(wanted[0] if wanted else "", {b.heading for b in rows} | {b.id for b in rows})
        found.faults.add(row.where, row.place("of"), "unknown-row", f"no table or row is called {keys['of']!r}{hint}")
    for name in sorted(left - {b.parameter for b in base}):
        found.faults.add(
            row.where, row.place("except"), "unknown-row", f"{name!r} is not among the rows of {keys['of']!r}"
        )
    times = reader.number("times", Decimal(1))
    own: dict[str, str] = {}
    for limit in base:
        if limit.parameter in left:
            continue
        statistic, printed = limit.statistic, limit.statistic_printed
        if "statistic" in keys:
            statistic, printed = reader.statistic("", "")
        named = (
            f"{keys['id']} {limit.id}" if keys.get("id") else f"{limit.id} × {times} {keys.get('sample', '')}".strip()
        )
        number = len(found.made)
        made = replace(
            limit,
            id=named,
            key=f"{named}|{number}",
            cite=cite_of(keys, found) if "cite" in keys else limit.cite,
            statistic=statistic,
            statistic_printed=printed,
            bounds=tuple(_times(bound, times, limit) for bound in limit.bounds),
            value_printed=f"{limit.value_printed} × {times}" if times != 1 else limit.value_printed,
            formula_factor=limit.formula_factor * float(times),
            sample_type=reader.one_of("sample", SAMPLES, "unknown-sample") or limit.sample_type,
            kind=str(keys.get("kind", limit.kind)),
            when={**limit.when, **reader.conditions()},
            replaces=_places(reader, limit, wanted),
            variant_of=own.get(limit.variant_of, ""),
            derived_from=limit.key,
            readings=reader.readings() or limit.readings,
            settings={**limit.settings, **reader.settings()},
            accepts={**limit.accepts, **reader.accepts()},
            printed=str(keys.get("printed", "")),
            note=str(keys.get("note", "")),
            heading="",
            source=row.where,
        )
        own[limit.key] = made.key
        found.made.append(made)
        yield made


def _named(name: str, known: Collection[str]) -> tuple[str, str]:
    """Split what `of` names: a table or row, and after a colon the heading or statistic that is meant."""
    head, colon, statistic = name.rpartition(":")
    return (head.strip(), words.plain(statistic)) if colon and name not in known else (name, "")


def _meant(limit: Limit, name: str, statistic: str) -> bool:
    printed = {words.plain(limit.statistic_printed), words.plain(limit.statistic)}
    return name in (limit.heading, limit.id, limit.member_of) and (not statistic or statistic in printed)


def _places(reader: Keys, limit: Limit, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return what a derived limit stands in place of: with `of`, or the same name as `of`, the limit it comes from."""
    own = {f"{limit.pack}: {name}" for name in ("of", *wanted)}
    return tuple(dict.fromkeys(f"{limit.pack}: {limit.key}" if t in own else t for t in reader.replaces()))


def _times(bound: Bound, times: Decimal, limit: Limit) -> Bound:
    """Return a bound times a factor, in its printed unit: 40 °C times 1.5 is 60 °C, and not 104 °F times 1.5."""
    printed, unit = limit.unit_printed, limit.unit
    number = None if bound.number is None else bound.number * times
    if number is not None and bound.low == bound.high:
        low = high = float(parameters.convert(limit.parameter, float(number), printed, unit))
    else:
        ends = parameters.convert(limit.parameter, [bound.low, bound.high], unit, printed) * float(times)
        low, high = parameters.convert(limit.parameter, ends, printed, unit).tolist()
    return replace(bound, number=number, low=low, high=high)


def _cites(found: Context) -> None:
    """Note rows without a cite of their own among rows that have one: there the document's says too little."""
    if any(found.cited.values()):
        for source, cited in found.cited.items():
            if not cited:
                message = "this row has no cite, and other rows of this file have one of their own"
                found.faults.add(source, "cite", "no-cite", message)


def _ids(pack: Pack, found: Context) -> None:
    """Note ids that are there twice, and targets that are not there."""
    seen: dict[tuple[object, ...], Limit] = {}
    for limit in pack.rows:
        if limit.variant_of:
            continue
        sides = tuple(sorted(bound.side for bound in limit.bounds))
        key = (limit.id, limit.statistic, sides, limit.sample_type, limit.kind)
        other = seen.setdefault(key, limit)
        same_row = other.source == limit.source and _apart(limit) != _apart(other)
        if other is not limit and not same_row:
            message = f"the id {limit.id!r} is also that of {other.source}"
            found.faults.add(limit.source, "id", "duplicate-id", message)
    meant: dict[str, Limit] = {}
    for limit in pack.rows:
        other = meant.setdefault(limit.id, limit)
        if other.parameter != limit.parameter and other.source != limit.source and not limit.derived_from:
            message = f"the id {limit.id!r} is also that of {other.source}"
            found.faults.add(limit.source, "id", "duplicate-id", message)
    ids = {f"{pack.name}: {name}" for limit in pack.rows for name in (limit.id, limit.key)}
    for limit in pack.rows:
        for target in limit.replaces:
            if target.startswith(f"{pack.name}: ") and target not in ids:
                hint = words.near(target.partition(": ")[2], {row.id for row in pack.rows})
                name = target.partition(": ")[2]
                found.faults.add(limit.source, "instead_of", "unknown-row", f"no row has the id {name!r}{hint}")
            if target == f"{pack.name}: {limit.id}":
                found.faults.add(limit.source, "instead_of", "bad-value", "a row cannot stand in place of itself")


def _apart(limit: Limit) -> tuple[object, ...]:
    return (limit.season, tuple(sorted((n, c.text) for n, c in limit.when.items())), limit.unit, limit.start)


def _overlaps(pack: Pack, found: Context) -> None:
    """Note pairs of rows that could be in force for the same thing at once."""
    groups: dict[tuple[object, ...], list[Limit]] = {}
    for limit in pack.rows:
        if limit.bounds and limit.kind not in NOT_COMPARED and not limit.external:
            key = (limit.parameter, limit.fraction, limit.statistic, limit.unit, limit.kind, limit.sample_type)
            groups.setdefault(key, []).append(limit)
    # One wrong word makes rows look alike that are not: what is wrong already is not compared.
    wrong = {fault.row for fault in found.faults.errors}
    for group in groups.values():
        sound = [limit for limit in group if limit.source not in wrong]
        for number, limit in enumerate(sound):
            for other in sound[:number]:
                if _clash(pack, limit, other):
                    message = (
                        f"{other.id} ({other.source}) and {limit.id} are limits for the same thing; one of them says "
                        "instead_of, or accept.overlap with the reason"
                    )
                    found.faults.add(limit.source, "", "overlap", message)


def _clash(pack: Pack, one: Limit, other: Limit) -> bool:
    """Whether two rows could be in force for the same thing at once, and neither says how they stand."""
    accepted = "overlap" in one.accepts or "overlap" in other.accepts
    names = [{f"{pack.name}: {name}" for name in _called(limit)} for limit in (one, other)]
    placed = bool(names[0] & set(other.replaces) or names[1] & set(one.replaces))
    return not (accepted or placed or _variants(one, other)) and _same_thing(one, other) and can_meet(one, other)


def _called(limit: Limit) -> tuple[str, ...]:
    """Return what another row may call a limit: by its id or key, or those of the number whose alternative it is."""
    return limit.id, limit.key, limit.variant_of, limit.variant_of.rpartition("|")[0]


def _variants(one: Limit, other: Limit) -> bool:
    roots = {one.variant_of or one.key, other.variant_of or other.key}
    return len(roots) == 1


def _same_thing(one: Limit, other: Limit) -> bool:
    if not set(one.points) & set(other.points):
        return False
    if one.level or other.level:
        return (one.level, one.readings, one.duration) == (other.level, other.readings, other.duration)
    return bool({bound.side for bound in one.bounds} & {bound.side for bound in other.bounds})


def can_meet(one: Limit, other: Limit) -> bool:
    """Tell whether there are a day and answers for which both limits are in force."""
    first, last = (
        max(one.start or date.min, other.start or date.min),
        min(one.until or date.max, other.until or date.max),
    )
    if first >= last or (one.season and other.season and not one.season.days() & other.season.days()):
        return False
    return not any(
        condition.excludes(other.when[name]) or (name in fa.SEVERAL and condition != other.when[name])
        for name, condition in one.when.items()
        if name in other.when
    )


def _unused(found: Context) -> None:
    """Note marks, facts, headings and names that no row uses."""
    formulas = " ".join(limit.formula for limit in found.made)
    for name in found.facts:
        if ("facts", name) not in found.used and name not in formulas:
            found.faults.add("facts", name, "unused", f"no row asks for the fact {name!r}", warning=True)
    for block, names in (("notes", found.notes), ("names", found.names), ("groups", found.groups)):
        for name in names:
            if (block, name) not in found.used:
                found.faults.add(block, name, "unused", f"no row uses {name!r}", warning=True)
    for printed, _ in found.headings.values():
        if ("headings", printed) not in found.used:
            found.faults.add("headings", printed, "unused", f"no row uses {printed!r}", warning=True)
