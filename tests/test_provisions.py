"""Every measurable provision of the five ordinances has a home in a pack, of the kind that its class asks for."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

import pytest
from shared import SHARED, needs_shared

from pretreat import packs

PAGE = SHARED / "provisions.md"
PACKS = {
    "S0": "ny/williamsville",
    "S1": "ny/little-valley",
    "S2": "ny/saratoga-county-village",
    "S3": "ny/williamsville-stormwater",
    "S4": "ny/urbana",
}

HOMES = {
    "LAB": {"limit", "slug"},
    "FIELD": {"limit"},
    "DESIGN": {"limit"},
    "SCHED": {"schedule"},
    "CASE": {"penalty"},
    "REC": {"checklist"},
    "NARR": {"checklist"},
    "DEF": {"definition"},
    "rule": {"checklist"},
    "external ref": {"checklist", "limit"},
    "per-user override": {"checklist"},
    "computed limit": {"checklist"},
    "not a limit": {"definition"},
}

OTHERWISE = {
    "S0-12": ("checklist", "a position (midway), no number"),
    "S0-17": ("checklist", "no number"),
    "S0-36": ("checklist", "a warning: dilution cannot be proved"),
    "S1-10": ("definition", "what a slug is; S1-27 prohibits it, and is the slug rule"),
    "S1-14": ("checklist", "designations of material standards"),
    "S1-53": ("checklist", "no number of days is printed"),
    "S1-55": ("definition", "where samples are taken, no limit"),
    "S1-56": ("definition", "which methods, no limit"),
    "S1-57": ("definition", "which sample type, normally and not always"),
    "S2-02": ("checklist", "designations of material standards"),
    "S2-03": ("checklist", "designations of material standards"),
    "S2-04": ("checklist", "designations of material standards"),
    "S2-19": ("checklist", "a recipe"),
    "S2-22": ("checklist", "a position, no number"),
    "S3-02": ("limit", "decides who is exempt: a class test"),
    "S3-03": ("checklist", "an exemption; the effective date is not printed"),
    "S3-08": ("limit", "decides the class of a project: a class test"),
    "S3-09": ("limit", "decides the class of a project: a class test"),
    "S3-10": ("limit", "decides the class of a project: a class test"),
    "S3-11": ("limit", "decides the class of a project: a class test"),
    "S3-23": ("checklist", "interest on escrow; no rate is printed"),
    "S4-02": ("limit", "decides the zone: a class test"),
}
"""Provisions whose home is another than their class says, and why."""


@cache
def provisions() -> dict[str, str]:
    """Each provision's ID and class, from the page."""
    found, column = {}, None
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().strip("*") for cell in line.strip().strip("|").split("|")]
        if cells[0] == "ID":
            column = cells.index("Class") if "Class" in cells else None
        elif re.fullmatch(r"S\d-\d\d", cells[0]):
            found[cells[0]] = "LAB" if column is None else cells[column]
    return found


@cache
def homes() -> dict[str, dict[str, set[str]]]:
    """Per pack, each ID (without what follows it) and the kinds of rows that carry it."""
    result = {}
    for name in PACKS.values():
        pack, found = packs.load(name).packs[0], defaultdict(set)
        rows = [*(("limit", row) for row in pack.rows), *(("schedule", row) for row in pack.schedule)]
        rows += [*(("penalty", row) for row in pack.penalties), *(("definition", row) for row in pack.definitions)]
        rows += [("checklist", row) for row in pack.checklist]
        if pack.slug is not None:
            rows.append(("slug", pack.slug))
        for kind, row in rows:
            if match := re.match(r"S\d-\d\d", row.id):
                found[match[0]].add(kind)
        result[name] = dict(found)
    return result


def expected(ident: str, words: str) -> set[str]:
    """The kinds of rows that a class allows: `DESIGN/REC` allows either, `LAB (plant reading)` is LAB."""
    if ident in OTHERWISE:
        return {OTHERWISE[ident][0]}
    plain = re.sub(r"\([^)]*\)", "", words)
    allowed = set()
    for part in re.split(r"[/+,]", plain):
        key = next((name for name in HOMES if part.strip().startswith(name)), None)
        if key:
            allowed |= HOMES[key]
    return allowed


@needs_shared
def test_the_page_was_read_whole():
    found = provisions()
    numbers = {"S0": 36, "S1": 60, "S2": 22, "S3": 29, "S4": 33}
    assert {key: sum(ident.startswith(key) for ident in found) for key in numbers} == numbers
    assert len(found) == 180


@needs_shared
@pytest.mark.parametrize("ordinance", PACKS)
def test_every_provision_has_its_home(ordinance):
    written = homes()[PACKS[ordinance]]
    wrong = {}
    for ident, words in provisions().items():
        if ident.startswith(ordinance):
            allowed = expected(ident, words)
            assert allowed, f"{ident} has the class {words!r}, which this test does not know"
            if not written.get(ident, set()) & allowed:
                wrong[ident] = (words, sorted(written.get(ident, set())))
    assert wrong == {}


@needs_shared
def test_no_pack_carries_a_provision_of_another_ordinance_or_one_that_does_not_exist():
    known = provisions()
    for key, name in PACKS.items():
        strange = {ident for ident in homes()[name] if not ident.startswith(key) or ident not in known}
        assert strange == set(), name


@needs_shared
def test_exceptions_are_still_exceptions():
    for ident, (home, why) in OTHERWISE.items():
        assert home in homes()[PACKS[ident[:2]]][ident], ident
        assert why


@needs_shared
def test_each_of_the_forty_numbers_of_the_effluent_table():
    """Section 1.2 of the page prints the table of § 194-6C(8) once more: both must say the same."""
    printed = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if re.fullmatch(r"S1-(3\d|4\d)", cells[0]) and len(cells) == 5:
            printed[cells[0]] = {
                "30-day average": cells[2].rstrip("*"),
                "24-hour average": cells[3].rstrip("*"),
            }
    assert len(printed) == 20
    pack = packs.load("ny/little-valley").packs[0]
    ours = defaultdict(dict)
    for row in pack.rows:
        if row.id in printed and not row.variant_of:
            ours[row.id][row.statistic] = f"{row.bounds[0].number:.{row.bounds[0].decimals}f}"
    assert dict(ours) == printed


def test_no_fine_of_little_valley_reaches_a_limit():
    """§ 194-9C prints its $250 and $500 for § 194-7 (tampering) alone."""
    pack = packs.load("ny/little-valley").packs[0]
    priced = [one for one in pack.penalties if one.most is not None]
    assert {str(one.most) for one in priced} == {"250", "500"}
    assert all(one.reaches == ("§ 194-7",) for one in priced)


def test_stormwater_offences_are_tiers_with_a_look_back():
    pack = packs.load("ny/williamsville-stormwater").packs[0]
    tiers = [(str(one.least), str(one.most), one.offence, one.within) for one in pack.penalties if one.most is not None]
    assert tiers == [
        ("None", "350", "first", ""),
        ("350", "700", "second", "5 years"),
        ("700", "1000", "third or subsequent", "5 years"),
    ]


def test_what_the_amherst_manual_holds_is_not_supplied():
    pack = packs.load("ny/williamsville").packs[0]
    external = {row.id for row in pack.rows if row.external}
    assert external == {"S0-23", "S0-32", "S0-33", "S0-34", "S0-35"}
    assert pack.slug is not None
    assert pack.slug.slug is None or pack.slug.slug.multiple is None, "Williamsville prohibits slugs and defines none"
