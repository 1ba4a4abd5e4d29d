"""An explanation of a rounded average goes by the rule that the report was made under, and not by one that rounds to it too."""

import pandas as pd
import pytest

import pretreat


@pytest.mark.parametrize(("rule", "sum_"), [("limit", "(0.9 + 0.1 + 1) / 3"), ("half", "(0.9 + 0.05 + 1) / 3"),
                                            ("zero", "(0.9 + 0 + 1) / 3")])  # fmt: skip
def test_of_rules_that_round_to_one_number_the_one_in_use_is_told(rule, sum_):
    rows = {"facility": "Acme", "parameter": "Copper", "unit": "mg/L", "sample_type": "composite"}
    days = pd.to_datetime(["2026-10-05", "2026-10-12", "2026-10-19"])
    frame = pd.DataFrame({"start": days, "value": ["0.90", "<0.10", "1.00"]}).assign(**rows)
    settings = {"rounding": "limit", "thirty_day": "calendar"}
    review = pretreat.check(frame, "ny/little-valley", settings=settings, nondetects=rule, federal=False, all_rows=True)
    found = review.comparisons
    said = review.explain(found.loc[(found["statistic"] == "30-day average").to_numpy(), "comparison_id"].iloc[0])
    assert f"non-detects count by the rule '{rule}'" in said
    assert sum_ in said


def test_the_samples_of_a_type_are_told_although_all_of_them_round_to_the_same(tmp_path):
    permit = tmp_path / "permit.csv"
    permit.write_text("cite,parameter,statistic,above,unit,sample\n1,Zinc,monthly average,2,mg/L,composite\n", "utf-8")
    rows = {"facility": "Acme", "parameter": "Zinc", "unit": "mg/L"}
    frame = pd.DataFrame({"start": pd.to_datetime(["2026-10-05", "2026-10-06"]), "value": [3.4, 2.9],
                          "sample_type": ["grab", "composite"]}).assign(**rows)  # fmt: skip
    review = pretreat.check(frame, permit, federal=False, settings={"rounding": "limit"})
    said = review.explain(review.exceedances["comparison_id"].iloc[0])
    assert "2.9 mg/L" in said
    assert "3.4" not in said
