"""The bundled packs: clean, cited, and with the numbers that their pages print."""

from __future__ import annotations

import tomllib
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from itertools import pairwise

import pandas as pd
import pytest
from packs_made import answer

import pretreat
from pretreat import packs

NAMES = sorted(packs.bundled())
EXAMPLES = [name for name in NAMES if name.startswith("examples/")]
PROMISED = [
    "ny/little-valley", "ny/williamsville", "ny/williamsville-stormwater", "ny/saratoga-county-village", "ny/urbana",
    "federal/403", "federal/413", "federal/433", "federal/437", "federal/442",
]  # fmt: skip

RANKED = {
    "C6": "mass-allocations", "N6": "niagara-falls", "C23": "garden-city", "C14": "flint", "C15": "saginaw",
    "C16": "st-johns", "C19": "sandusky", "C9": "limon", "F12": "chlorophenolic-biocides", "C7": "mwra",
    "C8": "narragansett-bay", "C11": "danville", "C12": "pierce-county", "C40": "groundwater-cleanup", "C17": "lawton",
    "C34": "new-bedford", "C29": "north-carolina-survey", "N1": "new-york-city", "F15": "no-limitation",
    "C2": "king-county", "C3": "los-angeles-county", "C5": "ventura", "N3": "newstead", "N9": "glen-cove",
    "N10": "oils-by-origin", "C24": "girard", "C25": "mount-pleasant", "C37": "south-milwaukee", "F11": "tannery",
    "F13": "pharmaceutical", "F16": "ph-excursions", "SNC 1": "claremore", "SNC 2": "munfordville", "403.12(g)": "tatamy",
}  # fmt: skip
"""Tables of other places, by the row of the survey that found them."""


@cache
def pack(name):
    return packs.load(name).packs[0]


def number(row, at=0):
    return f"{row.bounds[at].number:.{row.bounds[at].decimals}f}"


def numbers(rows, *statistics):
    """Each parameter's numbers for these statistics, as printed."""
    found = {}
    for row in rows:
        if row.statistic in statistics and row.bounds:
            found.setdefault(row.parameter, {})[row.statistic] = number(row)
    return {name: tuple(values.get(one, "") for one in statistics) for name, values in found.items()}


def test_every_promised_pack_is_bundled():
    assert set(PROMISED) <= set(NAMES)
    assert {f"examples/{name}" for name in RANKED.values()} == set(EXAMPLES)
    assert len(RANKED) >= 20


@pytest.mark.parametrize("name", NAMES)
def test_lint_finds_nothing(name):
    assert [str(fault) for fault in packs.lint([name])] == []


@pytest.mark.parametrize("name", NAMES)
def test_each_says_what_it_is_and_how_whole(name):
    document = pack(name).document
    assert document["title"]
    assert document["text_state"]
    assert document.get("text") or document.get("source"), "where it can be read"
    for row in (*pack(name).rows, *pack(name).schedule, *pack(name).penalties, *pack(name).checklist):
        assert row.cite, row.id
    if name in PROMISED:
        assert document["adopted_by"]


@pytest.mark.parametrize("name", NAMES)
def test_quotations_are_the_few_words_that_carry_the_number(name):
    written = tomllib.loads(packs.bundled()[name].read_text(encoding="utf-8"), parse_float=Decimal)
    longest = 0
    for block in ("limit", "table", "schedule", "penalty", "checklist", "definition"):
        for entry in written.get(block, []):
            longest = max(longest, len(str(entry.get("printed", ""))))
    assert longest <= 125


@pytest.mark.parametrize("name", NAMES)
def test_an_average_is_not_above_its_maximum(name):
    order = ["daily maximum", "weekly average", "4-day average", "monthly average", "30-day average"]
    found = numbers((row for row in pack(name).rows if not row.when and not row.sample_type and not row.season), *order)
    for parameter, values in found.items():
        given = [Decimal(value) for value in values if value]
        assert all(one >= other for one, other in pairwise(given)), (name, parameter)


def test_p13_the_30_day_equivalents_of_413_04():
    """40 CFR 413.04 prints pairs: 4-day 2.7 is 1.8 beside 4.5, and 1.5 beside 5.0."""
    published = {
        ("0.6", "0.4"): "0.3", ("1.2", "0.7"): "0.5", ("1.9", "1.0"): "0.55", ("4.1", "2.6"): "1.8",
        ("4.2", "2.6"): "1.8", ("4.5", "2.7"): "1.8", ("5.0", "2.7"): "1.5", ("7.0", "4.0"): "2.5",
        ("10.5", "6.8"): "5", ("20.0", "13.4"): "10", ("23", "16"): "12", ("47", "29"): "20", ("74", "39"): "21",
        ("160", "100"): "70", ("164", "102"): "70", ("176", "105"): "70", ("273", "156"): "98", ("410", "267"): "195",
    }  # fmt: skip
    ours = {}
    for row in pack("federal/413").rows:
        ours.setdefault(row.id, {})[row.statistic] = row
    triples = {
        (number(found["daily maximum"]), number(found["4-day average"])): number(found["30-day average"])
        for found in ours.values()
        if "30-day average" in found
    }
    assert triples == published
    assert all(found["30-day average"].cite == "40 CFR 413.04" for found in ours.values() if "30-day average" in found)


def test_413_14_by_flow_of_the_day():
    below, above = ({}, {})
    for row in pack("federal/413").rows:
        if row.unit == "mg/L" and row.statistic == "daily maximum" and "flow_gpd" in row.when:
            side = above if row.when["flow_gpd"].holds(Decimal(10000)) else below
            side[row.id.removeprefix("413.14")] = number(row)
    assert below == {"(b) CN(A)": "5.0", "(b) Pb": "0.6", "(b) Cd": "1.2", "(f) TTO": "4.57"}
    assert above == {
        "(c) CN(T)": "1.9", "(c) Cu": "4.5", "(c) Ni": "4.1", "(c) Cr": "7.0", "(c) Zn": "4.2", "(c) Pb": "0.6",
        "(c) Cd": "1.2", "(c) total": "10.5", "(e) TSS": "20.0", "(g) TTO": "2.13",
    }  # fmt: skip
    assert pack("federal/413").groups["Total metals"].members == ("Copper", "Nickel", "Chromium", "Zinc")


def test_433_existing_and_new_sources_differ_for_cadmium_alone():
    rows = [row for row in pack("federal/433").rows if "interim" not in row.id]
    existing, new = (
        numbers((row for row in rows if row.when["category"].holds(category)), "daily maximum", "monthly average")
        for category in (frozenset({"433 PSES"}), frozenset({"433 PSNS"}))
    )
    assert existing == {
        "Cadmium": ("0.69", "0.26"), "Chromium": ("2.77", "1.71"), "Copper": ("3.38", "2.07"), "Lead": ("0.69", "0.43"),
        "Nickel": ("3.98", "2.38"), "Silver": ("0.43", "0.24"), "Zinc": ("2.61", "1.48"), "Cyanide": ("1.20", "0.65"),
        "TTO": ("2.13", ""), "Cyanide (amenable)": ("0.86", "0.32"),
    }  # fmt: skip
    assert {name for name in existing if existing[name] != new[name]} == {"Cadmium"}
    assert new["Cadmium"] == ("0.11", "0.07")


def test_433_11_e_counts_what_is_quantified_above_ten_micrograms():
    group = pack("federal/433").groups["TTO"]
    assert (group.summed, group.quantified, group.floor) == (True, True, 0.01)
    assert len(group.members) == 111
    assert group.members == pack("federal/413").groups["TTO"].members, "413.02(i) prints the same list"
    assert {"Acrolein", "TCDD", "PCB-1016", "Phenol", "gamma-BHC"} <= set(group.members)
    assert not group.gaps


def test_437_47_by_paragraph():
    rows = pack("federal/437").rows

    def paragraph(subparts):
        mine = [row for row in rows if row.when["receipts"].holds(subparts) and row.points == ("end of process",)]
        return numbers(mine, "daily maximum", "monthly average")

    assert {receipts: len(paragraph(receipts)) for receipts in ("A, B and C", "A and B", "A and C", "B and C")} == {
        "A, B and C": 22, "A and B": 19, "A and C": 17, "B and C": 14,
    }  # fmt: skip
    assert paragraph("A, B and C")["Mercury"] == ("0.00234", "0.000739")
    assert paragraph("A, B and C")["Chromium"] == ("0.746", "0.323")
    assert paragraph("A and C")["Chromium"] == ("15.5", "3.07")
    assert paragraph("A and C")["Copper"] == ("4.14", "1.06")
    assert paragraph("A and C")["Lead"] == ("1.32", "0.283")
    assert paragraph("B and C")["Cobalt"] == ("56.4", "18.8")
    in_plant = [row for row in rows if row.points == ("in-plant",)]
    assert numbers(in_plant, "daily maximum", "monthly average") == {"Cyanide": ("500", "178")}


def test_442_has_no_monthly_average():
    assert {row.statistic for row in pack("federal/442").rows} == {"daily maximum"}
    trucks = [row for row in pack("federal/442").rows if row.when["category"].holds(frozenset({"442 PSES"}))]
    assert {row.parameter: number(row) for row in trucks} == {
        "Oil and grease (non-polar)": "26", "Copper": "0.84", "Mercury": "0.0031",
    }  # fmt: skip


def test_a_pollutant_management_plan_stands_in_place_of_442_15_and_442_25_alone():
    plan = {row.id.split()[0]: "pollutant_management_plan" in row.when for row in pack("federal/442").rows}
    assert plan == {"442.15": True, "442.25": True, "442.35": False}


def test_no_pack_claims_to_have_been_compared_with_more_than_it_was():
    """Examples come from stored copies; federal text is that of 2015; 401.17's numbers no copy prints."""
    for name in NAMES:
        document = pack(name).document
        assert document["text_state"], name
        assert ("checked" in document) == (not name.startswith("examples/")), name
        assert document.get("source") or document.get("text"), name
        if name.startswith("federal/"):
            assert document["as_of"] == "annual edition of 2015"
            assert "amendments" in document["text_state"]
    excursions = pack("examples/ph-excursions")
    assert "written from memory" in excursions.document["text_state"]
    assert not any(row.printed for row in excursions.rows)
    assert all(row.note and "[" in row.cite for row in excursions.rows)


def test_categorical_limits_hold_before_other_streams_join():
    for name in ("federal/413", "federal/433", "federal/437", "federal/442"):
        assert {point for row in pack(name).rows for point in row.points} <= {"end of process", "in-plant"}


def day(row):
    """A day on which a row is in force."""
    if row.season is not None:
        return row.season.spans(2025, 2025)[1][0]
    if row.until is not None:
        return date(row.until.year - 1, 6, 15)
    return date(2025, 6, 16)


def refusal(fact, condition):
    """Some answer that does not meet a condition."""
    if condition.span is not None:
        low, high = condition.span.low, condition.span.high
        return str(high + 1 if low is None else low - 1)
    listed = fact.choices if fact is not None else ()
    return next((choice for choice in listed if not condition.holds(choice)), "(another)")


def answers(name, row):
    """Facts under which a row holds, and no other number of its cell."""
    given = {fact: answer(condition) for fact, condition in row.when.items()}
    for other in pack(name).rows:
        if other.variant_of == row.key:
            fact, condition = next((pair for pair in other.when.items() if pair[0] not in row.when), (None, None))
            if fact is not None:
                given[fact] = refusal(pack(name).facts.get(fact), condition)
    return given


def plain_rows(name):
    """Rows that one number can decide by itself: no count, time, sum, formula, companion or interval."""
    for row in pack(name).rows:
        simple = row.bounds and not (row.readings or row.duration or row.group or row.formula or row.slug)
        if (
            simple
            and row.kind not in ("class test", "no limit", "background", "reference", "monitor only")
            and not any(fact.measured for fact in pack(name).facts.values() if fact.name in row.when)
            and all(bound.low == bound.high for bound in row.bounds)
            and row.statistic != "median"
            and not {"method", "facility"} & set(row.when)
            and "overlap" not in row.accepts
        ):
            yield row


MOVED = {"below": -1e-6, "at": 0.0, "above": 1e-6}


def asked(name, rows):
    """For each row's bound a user and results: the number itself, and it moved a little to either side."""
    for at, row in enumerate(rows):
        least = row.settings.get("minimum") or pack(name).settings.get("minimum", 1)
        days = 4 if row.statistic == "4-day average" else int(least)
        for bound in row.bounds:
            for word, share in MOVED.items():
                value = bound.low + share * (abs(bound.low) or 1.0)
                kind = row.sample_type or ("grab" if row.statistic == "instantaneous" else "composite")
                user = {"facility": f"{name} {at} {bound.side} {word}", "point": row.points[0], "packs": name}
                yield {**user, **answers(name, row)}, [
                    {"facility": user["facility"], "parameter": row.parameter, "fraction": row.fraction, "value": value,
                     "unit": row.unit, "start": (day(row) + timedelta(days=n)).isoformat(), "sample_type": kind}
                    for n in range(days)
                ]  # fmt: skip


@cache
def verdicts():
    """All packs' rows held against their own numbers, in one check."""
    pairs = [pair for name in NAMES for pair in asked(name, list(plain_rows(name)))]
    review = pretreat.check(
        pd.DataFrame([result for _, results in pairs for result in results]), packs.load(NAMES),
        facilities=pd.DataFrame([user for user, _ in pairs]), federal=False, as_of="2026-01-01",
        settings={"thirty_day": "calendar"}, tables=["comparisons"], all_rows=True,
    )  # fmt: skip
    keys = ["facility", "limit_id", "statistic", "operator"]
    return {key: sorted(set(mine)) for key, mine in review.comparisons.groupby(keys, observed=True)["verdict"]}


@pytest.mark.parametrize("name", NAMES)
def test_a_value_exactly_at_a_limit_is_judged_where_and_when_it_is_in_force(name):
    """Every spelling of its unit, and every kind of limit, is in `test_limits_exactly.py`."""
    wrong = {}
    for at, row in enumerate(plain_rows(name)):
        for bound in row.bounds:
            upper = bound.operator.startswith(">")
            over = {"below": not upper, "at": "=" in bound.operator, "above": upper}
            for word, violates in over.items():
                key = (f"{name} {at} {bound.side} {word}", row.id, row.statistic, bound.operator)
                if verdicts().get(key) != ["exceeds" if violates else "complies"]:
                    wrong[row.key, bound.operator, word] = verdicts().get(key)
    assert wrong == {}


def test_hardly_a_limit_escapes_these_tests():
    every = [row for name in NAMES for row in pack(name).rows if row.bounds and row.kind != "class test"]
    tried = sum(1 for name in NAMES for _ in plain_rows(name))
    assert tried >= 0.85 * len(every), (tried, len(every))


def when_shown(section):
    """The column `when` of the duties shown, row by row; `""` where there is none."""
    lines = section.splitlines()
    head = next(line for line in lines if line.startswith("  id"))
    at = head.index("when") if head.endswith(" when") else None
    rows = []
    for line in lines[lines.index(head) + 2 :]:
        rows += [""] if line[2:3].strip() else []
        rows[-1] = f"{rows[-1]} {line[at:].strip() if at else ''}".strip()
    return rows


@pytest.mark.parametrize("name", [name for name in NAMES if pack(name).schedule])
def test_show_prints_each_condition_and_word_of_duties(name):
    """Two duties of Urbana contradicted each other: each is for another kind of tank, and that was not shown."""
    shown = packs.show(name)
    title, _, section = shown.partition("Duties with dates (")[2].partition("\n\n")[0].partition("\n")
    for duty, when in zip(pack(name).schedule, when_shown(section), strict=True):
        asked = {f"{fact}: {condition.text}" for fact, condition in duty.when.items()}
        assert {one for one in asked if one not in title} == set(filter(None, when.split("; "))), duty.id
        for words in filter(None, (duty.printed, duty.note)):
            assert "".join(words.split()) in "".join(shown.split()), (duty.id, words)
