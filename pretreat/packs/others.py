"""What a pack holds besides limits: slugs, schedule rules, penalties, definitions and the checklist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from pretreat.errors import PretreatError
from pretreat.limits.provisions import Item, Limit, Penalty, ScheduleRule, Slug
from pretreat.packs import words
from pretreat.packs.context import Context, check_keys
from pretreat.packs.keys import Keys, cite_of, id_of
from pretreat.packs.written import Row, flat
from pretreat.schedule import sentences
from pretreat.snc import rule as snc_rule


def slug_of(block: Mapping[str, Any], context: Context) -> Limit | None:
    """Return the slug rule as a limit; without a definition it cannot be judged."""
    if not block:
        return None
    keys, faults = flat(dict(block)), context.faults
    for key in keys:
        if key.partition(".")[0] not in words.SLUG_KEYS:
            faults.add("slug", key, "unknown-key", f"there is no key {key!r}{words.near(key, words.SLUG_KEYS)}")
    definition = keys.get("definition", {})
    slug = Slug()
    if definition:
        check_keys(definition, words.DEFINITION_KEYS, "slug, definition", faults)
        try:
            slug = words.slug(definition)
        except ValueError as error:
            faults.add("slug", "definition", "bad-value", str(error))
    reader = Keys(Row("slug", keys), keys, context)
    if not cite_of(keys, context):
        faults.add("slug", "cite", "no-cite", "the slug rule has no cite")
    name = str(keys.get("id") or f"{cite_of(keys, context)} slug")
    return Limit(
        pack=context.pack,
        id=name,
        key=f"{name}|slug",
        cite=cite_of(keys, context),
        parameter="",
        statistic="slug",
        unit="",
        slug=slug,
        when=reader.conditions(),
        replaces=reader.replaces(),
        settings=reader.settings(),
        accepts=reader.accepts(),
        printed=str(keys.get("printed", "")),
        note=str(keys.get("note", "")),
        source="slug",
    )


def snc_of(block: Mapping[str, Any], context: Context) -> Mapping[str, object] | None:
    """Return the wording of significant noncompliance, checked."""
    if not block:
        return None
    check_keys(block, words.SNC_KEYS, "snc", context.faults)
    if not cite_of(block, context):
        context.faults.add("snc", "cite", "no-cite", "this wording has no cite")
    try:
        snc_rule.parse(block, pack=context.pack)
    except PretreatError as error:
        context.faults.add("snc", "", "bad-value", f"{error.what} {error.todo}".strip())
        return None
    return dict(block) | {"cite": cite_of(block, context)}


def _entries(
    blocks: Mapping[str, Any], name: str, known: tuple[str, ...], context: Context
) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield each entry of a list of blocks with its place and cite, its keys checked."""
    for number, block in enumerate(blocks.get(name, []), start=1):
        keys = {key: value for key, value in block.items() if value != ""}
        where = f"{name} {number}" + (f" ({keys['id']})" if keys.get("id") else "")
        for key in keys:
            if key.partition(".")[0] not in known:
                context.faults.add(where, key, "unknown-key", f"there is no key {key!r}{words.near(key, known)}")
        cite = cite_of(keys, context)
        if not cite:
            context.faults.add(where, "cite", "no-cite", "this entry has no cite, and [document] has none")
        yield where, flat(keys), cite


def schedule_of(blocks: Mapping[str, Any], context: Context) -> Iterator[ScheduleRule]:
    """Yield the schedule rules; each sentence must be one of the seven."""
    for where, keys, cite in _entries(blocks, "schedule", words.SCHEDULE_KEYS, context):
        rule, unless = _text(keys, "rule"), _text(keys, "unless")
        for need in ("subject", "rule"):
            if not _text(keys, need):
                context.faults.add(where, need, "bad-rule", f"a schedule rule has a {need}")
        who = _text(keys, "who") or "user"
        if who not in words.WHO:
            context.faults.add(where, "who", "bad-value", f"{who!r} is not one of {', '.join(words.WHO)}")
        try:
            if rule:
                sentences.parse(f"{rule} unless {unless}" if unless else rule)
        except ValueError as error:
            context.faults.add(where, "rule", "bad-rule", str(error))
        reader = Keys(Row(where, keys), keys, context)
        yield ScheduleRule(
            pack=context.pack,
            id=id_of(keys, context),
            cite=cite,
            subject=_text(keys, "subject"),
            rule=rule,
            who=who,
            unless=unless,
            when=reader.conditions(),
            printed=_text(keys, "printed"),
            note=_text(keys, "note"),
        )


def penalties_of(blocks: Mapping[str, Any], context: Context) -> Iterator[Penalty]:
    """Yield the penalties, each with what it reaches."""
    for where, keys, cite in _entries(blocks, "penalty", words.PENALTY_KEYS, context):
        reaches = keys.get("reaches", [])
        yield Penalty(
            pack=context.pack,
            id=id_of(keys, context),
            cite=cite,
            subject=_text(keys, "subject"),
            least=_money(keys, "least", where, context),
            most=_money(keys, "most", where, context),
            jail=_text(keys, "jail"),
            per=_text(keys, "per"),
            offence=_text(keys, "offence"),
            within=_text(keys, "within"),
            reaches=tuple(str(cite) for cite in reaches) if isinstance(reaches, list) else (str(reaches),),
            printed=_text(keys, "printed"),
            note=_text(keys, "note"),
        )


def items_of(blocks: Mapping[str, Any], name: str, context: Context) -> Iterator[Item]:
    """Yield the checklist, or the definitions."""
    defining = name == "definition"
    known = words.DEFINE_KEYS if defining else words.CHECK_KEYS
    for where, keys, cite in _entries(blocks, name, known, context):
        subject = _text(keys, "term" if defining else "subject")
        if not subject:
            context.faults.add(where, "term" if defining else "subject", "bad-value", "say what this is about")
        kind = "definition" if defining else _text(keys, "kind") or "narrative"
        if not defining and kind not in words.CHECK_KINDS:
            context.faults.add(where, "kind", "unknown-kind", f"{kind!r} is not one of {', '.join(words.CHECK_KINDS)}")
        yield Item(
            pack=context.pack,
            id=id_of(keys, context),
            cite=cite,
            subject=subject,
            kind=kind,
            means=_text(keys, "means"),
            printed=_text(keys, "printed"),
            note=_text(keys, "note"),
        )


def _text(keys: Mapping[str, Any], name: str) -> str:
    return str(keys.get(name, "")).strip()


def _money(keys: Mapping[str, Any], name: str, where: str, context: Context) -> Decimal | None:
    if name not in keys:
        return None
    try:
        return Decimal(str(keys[name]))
    except InvalidOperation:
        context.faults.add(where, name, "bad-value", f"{keys[name]!r} is no amount of dollars; write 250")
        return None
