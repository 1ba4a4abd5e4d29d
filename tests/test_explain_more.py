"""What an explanation says of a slug's baseline, and of the shares of a local wording of significant noncompliance."""

import re

import pandas as pd
import pytest

import pretreat
from pretreat.explain import baseline
from pretreat.explain import snc as explain_snc


def meter() -> pd.DataFrame:
    times = pd.date_range("2026-10-01", "2026-10-12 23:45", freq="15min")
    value = 0.02 + 0.001 * (times.day % 3)
    frame = pd.DataFrame({"facility": "Acme", "parameter": "Flow", "value": value, "unit": "MGD", "start": times})
    frame.loc[(times >= "2026-10-08 10:00") & (times < "2026-10-08 10:45"), "value"] = 0.3
    return frame


def test_the_daily_averages_behind_a_baseline_give_it_again() -> None:
    review = pretreat.check(meter(), "ny/little-valley", federal=False)
    slug = review.slugs.iloc[0]
    said = review.explain(slug["slug_id"])
    days = re.findall(r"2026-10-(\d\d) ([0-9.]+)(?:,|$)", said, re.MULTILINE)
    assert [int(day) for day, _ in days] == [day for day in range(1, 13) if day != 8]
    average = sum(float(number) for _, number in days) / len(days)
    assert average == pytest.approx(slug["baseline"], rel=1e-6)
    assert f"the average of {len(days)} daily averages" in said


def test_a_baseline_that_does_not_come_out_again_names_no_days() -> None:
    assert baseline.lines(meter(), 0.5, 5.0) == []


@pytest.mark.parametrize(
    ("cite", "said"),
    [
        ("40 CFR 403.8(f)(2)(viii)", "66 % or more is enough in 40 CFR 403.8(f)(2)(viii): chronic no"),
        ("§ 52.051", "held against the share of § 52.051: chronic no"),
    ],
)
def test_shares_are_said_only_where_they_are_known(cite: str, said: str) -> None:
    row = {"n": 3, "n_over_low": 1, "n_over_high": 1, "chronic": "no", "trc_factor": float("nan"), "rule_cite": cite}
    [line] = explain_snc._shares(row)
    assert said in line


@pytest.mark.parametrize("hours", [48, 600])
def test_an_average_that_rests_on_no_daily_value_is_explained_without_one(hours: int) -> None:
    """A composite of more than 26 hours gives no daily value, and its average is not evaluated."""
    start = pd.Timestamp("2026-09-01 08:00")
    frame = pd.DataFrame({"facility": ["Acme"], "parameter": "Copper", "value": 1.9, "unit": "mg/L", "start": start,
                          "end": start + pd.Timedelta(hours=hours), "sample_type": "composite"})  # fmt: skip
    review = pretreat.check(frame, "ny/little-valley", federal=False)
    found = review.comparisons
    assert set(found["verdict"]) == {"not evaluated"}
    assert all("verdict: not evaluated" in review.explain(name) for name in found["comparison_id"])
