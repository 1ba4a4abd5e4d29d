"""A pack as a table that a person holds beside the page, and the list of what is bundled."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from datetime import date
from typing import Any, Final

import pandas as pd

from pretreat.limits.provisions import NOT_COMPARED, Group, Item, Limit, Limits, Pack, Penalty, ScheduleRule
from pretreat.limits.selection import in_force

WIDTH: Final = 150


def as_text(pack: Pack) -> str:
    """Return a pack as text: the document, its limits as printed, event rules, duties, penalties and the checklist.

    Examples
    --------
    >>> from pretreat.packs import load
    >>> print(as_text(load("federal/403").packs[0]).splitlines()[0])
    federal/403: General Pretreatment Regulations, 40 CFR Part 403
    """
    lines = [f"{pack.name}: {pack.title}"]
    for key, value in pack.document.items():
        if key != "title":
            text = "; ".join(_word(part) for part in value) if isinstance(value, list) else _word(value)
            lines += textwrap.wrap(f"{key}: {text}", WIDTH, initial_indent="  ", subsequent_indent="      ")
    if pack.settings:
        lines.append("  settings: " + ", ".join(f"{name} = {value}" for name, value in pack.settings.items()))
    for fact in pack.facts.values():
        assumed = f" (assumed: {fact.assume})" if fact.assume else ""
        lines += textwrap.wrap(
            f"asks {fact.name}: {fact.ask}{assumed}", WIDTH, initial_indent="  ", subsequent_indent="      "
        )
    for title, rows in _printed_tables(pack.rows).items():
        common = _common(rows)
        said = f", all where {'; '.join(common)}" if common else ""
        lines += ["", f"{title} ({len({limit.id for limit in rows})}){said}", *_facsimile(rows, common)]
    for name, group in pack.groups.items():
        note = f"; not complete: {group.gaps}" if group.gaps else ""
        rule = f"; {_rule(group)}" if group.summed else ""
        text = f"group {name}: {', '.join(group.members)}{rule}{note}"
        lines += ["", *textwrap.wrap(text, WIDTH, subsequent_indent="      ")]
    if words := _wording(pack):
        lines += ["", "Words of the page, and notes", *words]
    if pack.schedule:
        lines += ["", *_duties(pack.schedule)]
    if pack.penalties:
        fines = [
            (p.id, p.cite, p.subject, _money(p.least, p.most), p.per, p.jail, "; ".join(p.reaches))
            for p in pack.penalties
        ]
        lines += ["", "Penalties", *table(fines, ["id", "cite", "subject", "dollars", "per", "jail", "reaches"])]
    for title, items in (("Definitions", pack.definitions), ("Checklist (shown, never passed)", pack.checklist)):
        if items:
            rows_ = [(item.id, item.cite, item.kind, item.subject, item.means) for item in items]
            lines += ["", f"{title} ({len(items)})", *table(rows_, ["id", "cite", "kind", "subject", "means"])]
    return "\n".join(lines)


def _printed_tables(rows: Sequence[Limit]) -> dict[str, list[Limit]]:
    """Return the limits by the table that prints them; those that stand alone together, those never compared last."""
    tables: dict[str, list[Limit]] = {}
    for limit in rows:
        head, row, _ = limit.source.partition(", row ")
        title = (
            "Shown, never compared" if limit.kind in NOT_COMPARED else head[:1].upper() + head[1:] if row else "Limits"
        )
        tables.setdefault(title, []).append(limit)
    return dict(sorted(tables.items(), key=lambda item: item[0].startswith("Shown")))


def _duties(rules: Sequence[ScheduleRule]) -> list[str]:
    """Return the duties with dates, each with the conditions on which it binds."""
    common = _common(rules)
    said = f", all where {'; '.join(common)}" if common else ""
    rows = [
        (
            r.id,
            r.cite,
            r.who,
            r.subject,
            r.rule + (f" unless {r.unless}" if r.unless else ""),
            "; ".join(asked for asked in _asked(r) if asked not in common),
        )
        for r in rules
    ]
    head = ["id", "cite", "who", "subject", "rule", "when"]
    return [f"Duties with dates ({len(rows)}){said}", *table(rows, head)]


def _asked(row: Limit | ScheduleRule) -> list[str]:
    """Return the conditions of a limit or a duty: the facts that it asks for, and their answers."""
    return [f"{fact}: {condition.text}" for fact, condition in row.when.items()]


def _common(rows: Sequence[Limit] | Sequence[ScheduleRule]) -> list[str]:
    """Return the conditions that all of several limits or duties have, so that they are said once."""
    asked = [set(_asked(row)) for row in rows]
    return sorted(set.intersection(*asked)) if len(asked) > 1 else []


def _facsimile(rows: Sequence[Limit], common: Sequence[str]) -> list[str]:
    """Return a table as the page has it: one line a row, one column a printed heading."""
    headings = list(dict.fromkeys(limit.statistic_printed for limit in rows))
    lines: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for limit in rows:
        name, cite, printed, said, statistic, remark = _limit(limit, common)
        key = (name, cite, printed, "" if limit.statistic_printed else statistic, remark)
        lines.setdefault(key, {}).setdefault(limit.statistic_printed, []).append(said)
    head = ["id", "cite", "parameter", *(heading or "forbidden" for heading in headings), "statistic", "where and when"]
    body = [
        (*key[:3], *("; ".join(cells.get(heading, [])) for heading in headings), *key[3:])
        for key, cells in lines.items()
    ]
    return table(body, head)


def _money(least: object, most: object) -> str:
    if least is not None and most is not None:
        return f"{least} to {most}"
    return f"at most {most}" if most is not None else f"at least {least}" if least is not None else ""


def _limit(limit: Limit, common: Sequence[str] = ()) -> tuple[str, ...]:
    name = f"{limit.parameter} ({limit.fraction})" if limit.fraction == "dissolved" else limit.parameter
    printed = f"{limit.name_printed} = {name}" if limit.name_printed not in ("", limit.parameter, "any") else name
    said = limit.value_printed or limit.words or (f"see {limit.external}" if limit.external else "not defined")
    if limit.slug is not None and limit.slug.multiple is not None:
        said = f"above {limit.slug.multiple} times {limit.slug.baseline}, longer than {limit.slug.minutes:g} min"
    also = "".join(f" = {bound.also}" for bound in limit.bounds[:1] if bound.also)
    counted = _counted(limit)
    statistic = limit.statistic
    where = [
        *(limit.points if limit.points != ("end of pipe",) else ()),
        *([limit.kind] if limit.kind != "violation" else []),
        *([f"{limit.sample_type} samples"] if limit.sample_type else []),
        *(asked for asked in _asked(limit) if asked not in common),
        *([limit.season.text] if limit.season else []),
        *([f"from {limit.start}"] if limit.start else []),
        *([f"until {limit.until}"] if limit.until else []),
        *(f"instead of {target.partition('|')[0]}" for target in limit.replaces),
        *(["then instead of the number above"] if limit.variant_of else []),
    ]
    return (
        f"{limit.id} {limit.mark}".strip(),
        limit.cite,
        printed,
        f"{said}{also}{counted}",
        statistic,
        "; ".join(where),
    )


def _word(value: object) -> str:
    return f"{value:%Y-%m-%d}" if isinstance(value, date) else str(value)


def _rule(group: Group) -> str:
    """Return how a sum is made, in the words of the format."""
    floor = "" if group.floor is None else f" above {group.floor:g} mg/L"
    return f"the sum of {'quantified' if group.quantified else 'all'} values{floor}"


def _counted(limit: Limit) -> str:
    """Return how many readings, or how long, in the words of the format."""
    if limit.duration:
        per = "" if limit.duration.per == "event" else f" a {limit.duration.per}"
        length = f"{limit.duration.minutes:g} min"
        return f", for {f'{length} or more' if limit.duration.inclusive else f'more than {length}'}{per}"
    if limit.readings is None:
        return ""
    count = limit.readings
    apart = f", {count.apart:g} min apart" if count.apart else ""
    within = f", within {count.within:g} min" if count.within is not None else ""
    of = f" of {count.among}" if count.among else " successive" if count.successive else ""
    return f", {count.count}{of} readings{apart}{within}"


def _wording(pack: Pack) -> list[str]:
    """Return what the page prints around the numbers, and the notes: of tables, marks, groups, limits and duties."""
    said = [(where, f"“{text}”") for where, text in pack.quoted]
    rows: list[Limit | ScheduleRule | Penalty | Item] = [*pack.rows, *pack.schedule, *pack.penalties]
    for row in [*rows, *pack.definitions, *pack.checklist]:
        said += [(row.id, f"“{row.printed}”")] if row.printed else []
        said += [(row.id, row.note)] if row.note else []
    return table(list(dict.fromkeys(said)), ["where", "words"]) if said else []


def in_force_text(limits: Limits, users: pd.DataFrame, facility: str, as_of: str) -> str:
    """Return what is in force for one user on one day.

    Raises
    ------
    KeyError
        If `users` has no such facility.
    """
    mine = users[users["facility"] == facility]
    if mine.empty:
        raise KeyError(facility)
    day = pd.Timestamp(as_of)
    frame, _ = in_force(limits, mine, day, day + pd.Timedelta(days=1))
    rows = [
        (
            row.pack,
            row.limit_id,
            row.outfall,
            row.parameter,
            row.statistic,
            _range(row),
            row.point,
            row.status or row.reason,
        )
        for row in frame.itertuples()
    ]
    head = ["pack", "id", "outfall", "parameter", "statistic", "violated by", "point", "remark"]
    return "\n".join([f"In force for {facility} on {day:%Y-%m-%d} ({len(rows)})", *table(rows, head)])


def _range(row: Any) -> str:
    low, high = row.limit_low, row.limit_high
    said = {">": "above", ">=": "at or above", "<": "below", "<=": "at or below"}.get(row.operator, "")
    if not said:
        return ""
    ends = f"{low:.10g}" if low == high else f"{low:.10g} to {high:.10g}"
    if pd.isna(low) or pd.isna(high):
        ends = f"{high if pd.isna(low) else low:.10g}, or no limit"
    return f"{said} {ends} {row.unit}{f' of {row.level}' if row.level else ''}"


def table(rows: Sequence[Sequence[object]], head: Sequence[str], width: int = WIDTH) -> list[str]:
    """Return rows as lines of aligned columns, wrapped to a width.

    Examples
    --------
    >>> table([("a", "b")], ["one", "two"])
    ['  one  two', '  ---  ---', '  a    b']
    """
    cells = [[str(cell) for cell in row] for row in (head, *rows)]
    keep = [n for n in range(len(head)) if any(row[n] for row in cells[1:])]
    cells = [[row[n] for n in keep] for row in cells]
    wide = [max(len(row[n]) for row in cells) for n in range(len(keep))]
    while sum(wide) + 2 * len(wide) > width and max(wide[1:], default=0) > 18:
        wide[wide.index(max(wide[1:]), 1)] -= 1
    lines = []
    for number, row in enumerate(cells):
        wrapped = [textwrap.wrap(cell, wide[n]) or [""] for n, cell in enumerate(row)]
        for line in range(max(len(parts) for parts in wrapped)):
            texts = [parts[line] if line < len(parts) else "" for parts in wrapped]
            lines.append("  " + "  ".join(text.ljust(wide[n]) for n, text in enumerate(texts)).rstrip())
        if number == 0:
            lines.append("  " + "  ".join("-" * length for length in wide))
    return lines


def listed(packs: Sequence[Pack]) -> str:
    """Return one line a pack: how many limits and duties, how many not supplied, as of when, and how complete."""
    head = ["pack", "document", "limits", "not supplied", "duties", "as of", "compared with its text", "how complete"]
    return "\n".join(table([_line(pack) for pack in packs], head))


def _line(pack: Pack) -> tuple[object, ...]:
    document = pack.document
    numbers = [limit for limit in pack.rows if limit.kind not in NOT_COMPARED and not limit.variant_of]
    missing = sum(bool(limit.external) or (limit.slug is not None and limit.slug.multiple is None) for limit in numbers)
    amended = document.get("amended")
    last = amended[-1] if isinstance(amended, list) and amended else amended
    as_of = document.get("as_of") or last or document.get("from") or "not known"
    checked = document.get("checked")
    return (
        pack.name,
        pack.title,
        len(numbers),
        missing or "",
        len(pack.schedule) or "",
        _word(as_of),
        _word(checked) if checked else "no",
        document.get("text_state", "not said"),
    )
