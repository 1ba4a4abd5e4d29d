"""The numbers of one printed cell are one limit: a finding keeps its id when a fact is answered."""

import pandas as pd
import pytest

import pretreat

NAMED = "1113b90f0936874f"
FLUORIDE = pd.DataFrame(
    {"facility": ["A"], "parameter": ["Fluoride"], "value": [13.0], "unit": ["mg/L"], "start": ["2026-10-05"],
     "sample_type": ["composite"]}
)  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "low", "high", "printed"),
    [
        ({}, 8.0, 12.0, "above 8.0 mg/L"),
        ({"water_fluoridated": "yes"}, 8.0, 8.0, "above 8.0 mg/L"),
        ({"water_fluoridated": "no", "fluoride_factor_granted": "yes"}, 12.0, 12.0, "above 8.0 × 1.5 mg/L"),
    ],
)
def test_a_finding_keeps_its_id_when_a_fact_is_answered(facts, low, high, printed):
    review = pretreat.check(FLUORIDE, "ny/little-valley", federal=False, as_of="2026-12-01", settings=facts)
    (row,) = review.comparisons.query("statistic == '24-hour average'").itertuples()
    assert (row.limit_id, row.limit_low, row.limit_high, row.verdict) == ("S1-48", low, high, "exceeds")
    assert row.comparison_id == NAMED
    limits = review.tables["limits"]
    mine = limits[(limits["limit_id"] == "S1-48") & (limits["statistic"] == "24-hour average")]
    assert mine["printed"].tolist() == [printed]
