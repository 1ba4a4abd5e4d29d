"""What the rows of a file may refer to: its settings, facts, names, headings, marks and groups, each checked once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from pretreat import parameters, units
from pretreat.errors import UsageError
from pretreat.limits import facts as fa
from pretreat.limits.provisions import Group, Limit
from pretreat.packs import words
from pretreat.packs.written import Faults, Written, named
from pretreat.settings import SETTINGS, validate

CODES: Final = (
    *("overlap", "units-disagree", "printed-two-ways", "average-above-maximum", "part-above-whole", "season-gap"),
    *("tier-gap", "magnitude", "wrong-side", "ends-swapped", "place", "sample-overlap", "unused", "quotation"),
    "number",
)
"""The faults that a row can accept."""


@dataclass(slots=True)
class Context:
    """The blocks of one file, read; `used` collects what rows refer to."""

    pack: str
    document: dict[str, Any]
    settings: dict[str, str]
    facts: dict[str, fa.Fact]
    names: dict[str, str]
    own: dict[str, str]
    headings: dict[str, tuple[str, dict[str, Any]]]
    notes: dict[str, dict[str, Any]]
    groups: dict[str, Group]
    defaults: dict[str, Any]
    faults: Faults
    used: set[tuple[str, str]] = field(default_factory=set)
    made: list[Limit] = field(default_factory=list)
    cited: dict[str, bool] = field(default_factory=dict)

    def heading(self, printed: str) -> tuple[str, dict[str, Any]] | None:
        """Return a heading's words and keys, or None if nobody knows it; a unit in it is one of its keys."""
        base, unit = _unit_of(printed)
        more = {"unit": unit} if unit else {}
        for plain in (words.plain(printed), words.plain(base)):
            if plain in self.headings:
                self.used.add(("headings", self.headings[plain][0]))
                return printed, {**more, **self.headings[plain][1]}
            if plain in words.STATISTIC_OF:
                return printed, {**more, "statistic": words.STATISTIC_OF[plain]}
        return None


def _unit_of(heading: str) -> tuple[str, str]:
    """Split a unit off the end of a heading: `Daily Maximum (mg/l)`, `Daily Max. mg/l`."""
    match = re.fullmatch(r"(.+?)[\s,]+[(\[]?([^\s()\[\]]+)[)\]]?", heading.strip())
    return (match[1], match[2]) if match and "/" in match[2] and units.known(match[2]) else (heading, "")


def context(written: Written) -> Context:
    """Read the blocks that rows refer to."""
    blocks, faults = written.blocks, written.faults
    document = dict(blocks.get("document", {}))
    _known(document, words.DOCUMENT_KEYS, "document", faults)
    if not document.get("title"):
        faults.add("document", "title", "bad-value", "the document has no title")
    facts = _facts(blocks.get("facts", {}), faults)
    own = _own(blocks.get("parameters", {}), faults)
    names = {}
    for printed, ours in blocks.get("names", {}).items():
        names[" ".join(printed.split()).casefold()] = str(ours)
        if not is_known(str(ours), own) and str(ours) not in blocks.get("groups", {}):
            faults.add(
                "names",
                printed,
                "unknown-parameter",
                f"pretreat does not know the parameter {ours!r}{_near(str(ours))}",
            )
    headings = {
        words.plain(printed): (printed, keys)
        for printed, keys in named(blocks.get("headings", {}).items(), "headings", faults, "statistic").items()
    }
    notes = named(blocks.get("notes", {}).items(), "notes", faults, "printed")
    for block, entries in (("headings", dict(headings.values())), ("notes", notes)):
        for entry, keys in entries.items():
            _known(keys, words.ROW_KEYS, f"{block}, {entry}", faults)
    used: set[tuple[str, str]] = set()
    defaults = _flat(blocks.get("defaults", {}))
    _known(defaults, words.ROW_KEYS, "defaults", faults)
    return Context(
        pack=written.name,
        document=document,
        settings=_settings(blocks.get("settings", {}), faults),
        facts=facts,
        names=names,
        own=own,
        headings=headings,
        notes=notes,
        groups=_groups(blocks.get("groups", {}), names, own, used, faults),
        defaults=defaults,
        faults=faults,
        used=used,
    )


def is_known(name: str, own: Mapping[str, str]) -> bool:
    """Whether a parameter is one that pretreat lists, or the file declares."""
    return name in own or parameters.identify(name).parameter in parameters.every()


def canonical(name: str, own: Mapping[str, str]) -> str:
    """Return our name of a parameter."""
    return name if name in own else parameters.identify(name).parameter


def _near(name: str) -> str:
    return words.near(name, parameters.every())


def _flat(keys: dict[str, Any]) -> dict[str, Any]:
    return dict(named([("", keys)], "", Faults(""))[""]) if keys else {}


def _known(keys: Mapping[str, Any], known: tuple[str, ...], where: str, faults: Faults) -> None:
    for key in keys:
        family = key.partition(".")[0] in words.FAMILIES and "." in key and known in (words.ROW_KEYS, words.TABLE_KEYS)
        if key not in known and not family:
            faults.add(where, key, "unknown-key", f"there is no key {key!r}{words.near(key, known)}")


def check_keys(keys: Mapping[str, Any], known: tuple[str, ...], where: str, faults: Faults) -> None:
    """Note every key that is not on the list; the families `when`, `set` and `accept` are open in rows."""
    _known(keys, known, where, faults)


def _settings(block: Mapping[str, Any], faults: Faults) -> dict[str, str]:
    result = {}
    for name, value in block.items():
        text = str(value).strip()
        if name == "unstated":
            if words.STATISTIC_OF.get(words.plain(text)) is None:
                faults.add("settings", name, "unknown-statistic", f"{text!r} is no statistic")
                continue
            text = words.STATISTIC_OF[words.plain(text)]
        elif name not in words.PACK_SETTINGS:
            try:
                validate({name: text})
            except UsageError as error:
                hint = words.near(name, (*SETTINGS, *words.PACK_SETTINGS)) if name not in SETTINGS else ""
                faults.add("settings", name, "unknown-setting", f"{error.what} {error.todo}{hint}")
                continue
        result[name] = text
    return result


def _facts(block: Mapping[str, Any], faults: Faults) -> dict[str, fa.Fact]:
    result = {}
    for name, keys in named(block.items(), "facts", faults, "ask").items():
        check_keys(keys, words.FACT_KEYS, f"facts, {name}", faults)
        if not name.isidentifier():
            faults.add("facts", name, "bad-value", f"{name!r} is no name for a fact; use letters, digits and _")
            continue
        measured, unit = str(keys.get("measured", "")), str(keys.get("unit", ""))
        ask = str(keys.get("ask", f"What is the {measured} measured?" if measured else ""))
        if not ask:
            faults.add("facts", name, "bad-value", f"{name} asks nothing; write ask = '...'")
        listed = keys.get("choices", [] if unit else ["yes", "no"])
        choices = tuple(_word(choice) for choice in listed) if isinstance(listed, list) else ()
        assume = _word(keys.get("assume", ""))
        if assume and choices and assume not in choices:
            faults.add("facts", name, "unknown-answer", f"{assume!r} is not among the choices {', '.join(choices)}")
        result[name] = fa.Fact(name=name, ask=ask, choices=choices, unit=unit, assume=assume, measured=measured)
    return result


def _word(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value).strip()


def _own(block: Mapping[str, Any], faults: Faults) -> dict[str, str]:
    result = {}
    for name, unit in block.items():
        found = units.lookup(str(unit))
        if found is None:
            faults.add("parameters", name, "unknown-unit", units.why_not(str(unit)))
        else:
            result[name] = found
    return result


def _groups(
    block: Mapping[str, Any],
    names: Mapping[str, str],
    own: Mapping[str, str],
    used: set[tuple[str, str]],
    faults: Faults,
) -> dict[str, Group]:
    result = {}
    for name, keys in named(block.items(), "groups", faults).items():
        where = f"groups, {name}"
        check_keys(keys, words.GROUP_KEYS, where, faults)
        listed = keys.get("members", [])
        if isinstance(listed, str) and listed:
            try:
                listed = list(parameters.members(listed))
            except KeyError:
                listed = [part.strip() for part in listed.split(";")]
        members = []
        for member in listed if isinstance(listed, list) else []:
            printed = " ".join(str(member).split()).casefold()
            ours = names.get(printed, str(member))
            used.add(("names", printed))
            if not is_known(ours, own):
                faults.add(where, "members", "unknown-parameter", f"pretreat does not know {member!r}{_near(ours)}")
            members.append(canonical(ours, own))
        if not members and not keys.get("gaps"):
            faults.add(where, "members", "bad-value", "a group lists its members, or says in gaps why it cannot")
        for member in sorted({member for member in members if members.count(member) > 1}):
            faults.add(where, "members", "bad-value", f"{member!r} is listed twice")
        summed, quantified, floor = _sum(str(keys.get("sum", "")), where, faults)
        result[name] = Group(
            name=name,
            members=tuple(dict.fromkeys(members)),
            summed=summed,
            quantified=quantified,
            floor=floor,
            gaps=str(keys.get("gaps", "")),
            cite=str(keys.get("cite", "")),
        )
    return result


def _sum(text: str, where: str, faults: Faults) -> tuple[bool, bool, float | None]:
    """Return whether members are added up, whether only quantified values are, and above which floor [mg/L]."""
    said = " ".join(text.split())
    if said in ("", "all values", "quantified values"):
        return bool(said), said == "quantified values", None
    head, _, tail = said.partition(" above ")
    number, _, unit = tail.partition(" ")
    if head in ("quantified values", "all values") and units.lookup(unit) and number.replace(".", "", 1).isdigit():
        return True, head == "quantified values", float(units.convert(float(Decimal(number)), unit, "mg/L"))
    faults.add(where, "sum", "bad-value", f"{text!r} is no sum; write 'quantified values above 0.01 mg/L'")
    return False, False, None
