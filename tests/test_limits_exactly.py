"""For every limit of every bundled pack: a value exactly at the limit, in every spelling of its unit, is judged as printed."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pandas as pd
import pytest

import pretreat
from pretreat import packs, parameters, units
from pretreat.limits.facts import Condition
from pretreat.limits.provisions import NOT_COMPARED, Limit
from pretreat.limits.selection import Limits

WORDS = {
    "mg/L": ["mg/l", "MG/L", "milligrams per liter", "ug/L", "µg/l", "ppb", "ppm", "ng/L"],
    "degF": ["degF", "°F", "deg F", "degC", "°C"],
    "SU": ["SU", "s.u.", "std units"],
    "MGD": ["MGD", "gpd", "gal/day"],
    "lb/day": ["lb/day", "lbs/day", "kg/day"],
    "%": ["%", "percent"],
}
DAILY = ("24-hour average", "daily maximum", "4-day average", "monthly average", "30-day average")


def spellings(limit: Limit) -> list[str]:
    return WORDS.get(limit.unit, [limit.unit])


def in_unit(number: Fraction, limit: Limit, unit: str) -> Decimal | None:
    """The limit's number in another unit, where it has an end as a decimal."""
    one, other = units.unit(limit.unit_printed), units.unit(unit)
    if one.name == other.name:
        exact = number
    elif one.dimension == "temperature":
        fahrenheit = number if one.name == "degF" else number * 9 / 5 + 32
        exact = fahrenheit if other.name == "degF" else (fahrenheit - 32) * 5 / 9
    else:
        exact = number * units.factor(one.name, other.name)
    decimal = Decimal(exact.numerator) / Decimal(exact.denominator)
    return decimal if Fraction(decimal) == exact else None


def judged(limit: Limit) -> bool:
    if limit.unit and not parameters.accepts(limit.parameter, limit.unit):
        return False  # mass for each unit of production: no laboratory reports it
    plain = not (limit.formula or limit.duration or limit.readings or limit.slug or limit.external or limit.group)
    one = all(bound.low == bound.high and bound.side != "inside" for bound in limit.bounds)
    return bool(limit.bounds) and plain and one and limit.kind not in NOT_COMPARED


@pytest.mark.parametrize("name", ["ny", "federal", "examples"])
def test_a_value_exactly_at_the_limit_is_judged_as_the_printed_operator_says(name):
    bundled = packs.load([pack for pack in packs.bundled() if pack.startswith(f"{name}/")])
    made, rows, expected = [], [], {}
    for number, limit in enumerate(limit for limit in bundled.rows if judged(limit)):
        grab = parameters.get(limit.parameter).sample == "grab" or limit.statistic == "instantaneous"
        names = []
        for spelling in spellings(limit):
            for bound in limit.bounds:
                value = in_unit(Fraction(bound.number), limit, spelling)
                if value is None:
                    continue
                user = f"U{number} {bound.side} {spelling}"
                names.append(user.casefold())
                expected[user, bound.side] = "exceeds" if "=" in bound.operator else "complies"
                least = int(limit.settings.get("minimum") or bundled.settings.get(limit.pack, {}).get("minimum", 1))
                for day in range(1, 1 + max(least, 4 if limit.statistic in DAILY else 1)):
                    rows.append(
                        {
                            "facility": user,
                            "source_file": "made",
                            "source_sheet": "",
                            "source_cell": len(rows) + 1,
                            "parameter": limit.parameter,
                            "fraction": limit.fraction,
                            "value": f"{value:f}",
                            "unit": spelling,
                            "sample_type": limit.sample_type or ("grab" if grab else "composite"),
                            "start": f"2026-10-{day:02d} 00:00",
                            "end": f"2026-10-{day:02d} {'00:00' if grab else '23:59'}",
                        }
                    )
        made.append(
            replace(
                limit, id=f"L{number}", key=f"L{number}", points=("end of pipe",), season=None, start=None, until=None,
                variant_of="", replaces=(), when={"facility": Condition("", frozenset(names))},
            )
        )  # fmt: skip
    limits = Limits(
        (
            replace(
                bundled.packs[0],
                name=bundled.packs[0].name,
                rows=tuple(replace(m, pack=bundled.packs[0].name) for m in made),
            ),
        )
    )
    review = pretreat.check(
        pd.DataFrame(rows), limits, period="2026-10", as_of="2026-11-15", federal=False, all_rows=True,
    )  # fmt: skip
    found = review.comparisons
    seen = {}
    for user, bound, verdict in zip(found["facility"], found["bound"], found["verdict"], strict=True):
        seen.setdefault((user, bound), set()).add(verdict)
    skipped = {key for key in expected if key not in seen}
    wrong = {key: seen[key] for key in expected if key in seen and seen[key] != {expected[key]}}
    assert not wrong, list(wrong.items())[:10]
    statistics = {limit.statistic for limit in made}
    unsampled = {key for key in skipped if made[int(key[0].split()[0][1:])].statistic in (*DAILY, "instantaneous")}
    assert not unsampled, sorted(unsampled)[:10]
    assert statistics
