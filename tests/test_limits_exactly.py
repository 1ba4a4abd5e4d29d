"""For every limit of every bundled pack: a value exactly at the limit, in every spelling of its unit, is judged as printed.

Each limit binds one made user, whose outfalls hold what lies exactly at its number and next to it on both sides
(`exactly.py`). Where, when and under which conditions limits bind is set aside here, and tested elsewhere.
"""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest
from exactly import FACTS, SETTINGS, Sheet, converted, spellings, written

import pretreat
from pretreat import packs, units
from pretreat.limits.provisions import NOT_COMPARED, Limit
from pretreat.limits.selection import Limits
from pretreat.unit_table import table


def judged(family: str) -> tuple[Sheet, Limits, dict[tuple[str, str, str], set[str]]]:
    """Return what a family's packs say of made results: the verdicts of each user, outfall and bound."""
    bundled, sheet = packs.load([name for name in packs.bundled() if name.startswith(f"{family}/")]), Sheet()
    made = []
    for pack in bundled.packs:
        rows = [
            sheet.add(row, int(row.settings.get("minimum") or pack.settings.get("minimum", 1))) for row in pack.rows
        ]
        made.append(replace(pack, rows=tuple(rows), schedule=(), penalties=(), checklist=()))
    facts = {name: str(number) for name, number in FACTS.items() if name in bundled.facts}
    review = pretreat.check(
        pd.DataFrame(sheet.rows), Limits(tuple(made)), period="2026-10", as_of="2026-11-15", federal=False,
        settings=SETTINGS | facts, all_rows=True,
    )  # fmt: skip
    found = review.comparisons
    verdicts: dict[tuple[str, str, str], set[str]] = {}
    for key, verdict in zip(
        zip(found["facility"], found["outfall"], found["bound"], strict=True), found["verdict"], strict=True
    ):
        verdicts.setdefault(key, set()).add(verdict)
    return sheet, bundled, verdicts


def why_not(limit: Limit) -> str:
    """Why a limit says nothing that a number could be held against."""
    if limit.kind in NOT_COMPARED:
        return limit.kind
    if limit.slug is not None:
        return "" if limit.slug.multiple is not None else "slugs are not defined"
    if limit.bounds:
        return ""
    return "kept in another document" if limit.external else "words"


UNJUDGED = {
    "ny": {"class test": 11, "kept in another document": 7, "slugs are not defined": 1, "words": 1},
    "federal": {"class test": 1, "no limit": 2},
    "examples": {"kept in another document": 4, "no limit": 11, "words": 6},
}
"""Limits that make no verdict, by reason; every other limit of every pack is exercised."""


@pytest.mark.parametrize("family", ["ny", "federal", "examples"])
def test_a_value_exactly_at_the_limit_is_judged_as_the_printed_operator_says(family):
    sheet, bundled, found = judged(family)
    everywhere: dict[tuple[str, str], set[str]] = {}
    for (user, outfall, _), verdicts in found.items():
        everywhere.setdefault((user, outfall), set()).update(verdicts)
    wrong = {}
    for (user, outfall, bound), expected in sheet.expected.items():
        verdicts = found.get((user, outfall, bound), set())
        if expected:  # a day without a reading over complies
            fits = expected in verdicts and verdicts <= {expected, "complies"}
        else:
            verdicts = everywhere.get((user, outfall), set())
            fits = verdicts <= {"not evaluated"}
        if not fits:
            wrong[sheet.what[user, outfall]] = (bound, expected, verdicts)
    assert not wrong, [len(wrong), list(wrong.items())[:40]]
    exercised = {user for (user, _, _), expected in sheet.expected.items() if expected}
    reasons = {n: why_not(limit) for n, limit in enumerate(sheet.limits)}
    assert {int(user[1:]) for user in exercised} == {n for n, reason in reasons.items() if not reason}
    assert Counter(reason for reason in reasons.values() if reason) == UNJUDGED[family]
    assert len(reasons) == len(bundled.rows)


@pytest.mark.parametrize(
    ("parameter", "unit", "some", "endless"),
    [
        ("Copper", "mg/L", {"mg/l", "ug/L", "ppm", "lb/MG", "tons/acft", "g/m3", "ng/ml"}, 9),
        ("Copper", "lb/day", {"lb/day", "#/day", "kg/day", "g/day", "tons/day", "ppd"}, 0),
        ("Temperature", "degF", {"degF", "degC", "f", "c", "K"}, 7),
        ("Flow", "MGD", {"gpd", "gpm", "cfs", "m3/day", "L/s", "ML/d"}, 20),
        ("pH", "SU", {"su", "ph", "stdunits"}, 0),
    ],
)
def test_the_spellings_are_all_those_of_the_table_of_units(parameter, unit, some, endless):
    """None is left out: where 1 has no exact decimal, fifteen digits do, since one part in 10⁹ is equal (interface)."""
    every = {**table().exact, **table().folded}
    mine = spellings(parameter, unit)
    assert set(mine) == {text for text, one in every.items() if one.dimension == units.dimension(unit)}
    assert some <= set(mine)
    one = {spelling: converted(Fraction(1), unit, spelling) for spelling in mine}
    assert sum(Fraction(written(number)) != number for number in one.values()) == endless
