"""For every categorical limit: a value exactly at the alternative limit where streams have mixed, and beside it."""

from decimal import Decimal
from fractions import Fraction

import pandas as pd
from packs_made import answer

import pretreat
from pretreat import packs, parameters

CATEGORICAL = ("federal/413", "federal/433", "federal/437", "federal/442")
FLOWS = {"regulated": "60000", "dilute": "20000"}
SHARE = Fraction(3, 4)
"""(FT - FD) / FT of 40 CFR 403.6(e)(1)(i): dilution lowers the limit to three quarters."""
NEXT = {"at": Fraction(0), "above": Fraction(1, 10**6)}


def mixed(row):
    """Whether a limit has an alternative one: a concentration of one pollutant."""
    plain = row.bounds and row.unit == "mg/L" and row.group is None and row.parameter != "pH"
    return plain and row.points == ("end of process",) and row.until is None


def test_a_value_exactly_at_the_alternative_limit_complies_and_the_next_exceeds():
    """403.6(e)(1)(i), for each row of 413, 433, 437 and 442, and no row left out but those named."""
    limits = packs.load(CATEGORICAL)
    rows = [row for row in limits.rows if mixed(row)]
    users, streams, results, expected = [], [], [], {}
    for number, row in enumerate(rows):
        for word, step in NEXT.items():
            name = f"U{number} {word}"
            facts = {fact: answer(condition) for fact, condition in row.when.items()}
            users.append({"facility": name, "point": "end of pipe", "class": "CIU", "packs": row.pack, **facts})
            for kind, flow in FLOWS.items():
                one = {"facility": name, "stream": kind, "type": kind, "flow": flow, "flow_unit": "gpd"}
                streams.append(one | {"category": facts["category"] if kind == "regulated" else ""})
            value = Fraction(row.bounds[0].number) * SHARE * (1 + step)
            kind = "grab" if parameters.get(row.parameter).sample == "grab" else "composite"
            one = {"facility": name, "parameter": row.parameter, "unit": "mg/L", "sample_type": kind}
            one |= {"value": f"{Decimal(value.numerator) / Decimal(value.denominator):.12g}"}
            days = range(1, 5 if row.statistic == "4-day average" else 2)
            results.extend(one | {"start": f"2026-10-{day:02d}"} for day in days)
            expected[name, row.parameter, row.statistic] = "exceeds" if word == "above" else "complies"
    review = pretreat.check(
        pd.DataFrame(results), limits, facilities=pd.DataFrame(users).fillna(""), streams=pd.DataFrame(streams),
        period="2026-10", as_of="2026-12-01", federal=False, all_rows=True, tables=("comparisons",),
    )  # fmt: skip
    found = review.comparisons
    seen = {}
    columns = (found[name] for name in ("facility", "parameter", "statistic", "verdict", "reason"))
    for *key, verdict, reason in zip(*columns, strict=True):
        seen.setdefault(tuple(key), set()).add((verdict, reason if verdict == "not evaluated" else ""))
    wrong = {key: (seen.get(key), verdict) for key, verdict in expected.items() if seen.get(key) != {(verdict, "")}}
    assert not wrong, [len(wrong), len(expected), list(wrong.items())[:20]]
    left = {(row.pack, row.parameter) for row in limits.rows if not mixed(row) and row.bounds}
    assert left == {
        ("federal/413", "pH"),
        ("federal/413", "TTO"),
        ("federal/413", "Total metals"),
        ("federal/433", "TTO"),
        ("federal/437", "Cyanide"),
        *((("federal/413", name)) for name in ("Cadmium", "Chromium", "Copper", "Cyanide", "Lead", "Nickel", "Zinc")),
    }  # sums and pH do not mix so; 437's cyanide is in-plant; 413.14(d) is by area plated
