"""The day on which clocks go forward, where the facilities file names the time zone: averages and loads of its 23 hours."""

import pandas as pd
import pytest

import pretreat

LIMITS = "cite,parameter,statistic,above,unit\n§ 1,Flow,24-hour average,1.9,MGD\n§ 2,Zinc,24-hour average,1,lb/day\n"
USERS = pd.DataFrame({"facility": ["Acme"], "time_zone": ["America/Chicago"]})


def log(minutes, *, skips=True):
    """A log of 2026-03-08: 1 MGD before 02:00, then 2 MGD; and one composite of zinc."""
    times = pd.date_range("2026-03-08", periods=24 * 60 // minutes, freq=f"{minutes}min")
    if skips:
        times = times[times.hour != 2]
    flow = pd.DataFrame({"parameter": "Flow", "unit": "MGD", "start": times, "value": 1.0 + (times.hour >= 2)})
    zinc = pd.DataFrame(
        {"parameter": ["Zinc"], "unit": "mg/L", "start": pd.Timestamp("2026-03-08 09:00"), "value": 3.0}
    )
    return pd.concat([flow, zinc]).assign(facility="Acme")


@pytest.fixture
def limits(tmp_path):
    (tmp_path / "limits.csv").write_text(LIMITS, encoding="utf-8")
    return tmp_path / "limits.csv"


def averages(review):
    found = review.comparisons
    return dict(zip(found["parameter"].astype(str), found["low"].tolist(), strict=True))


@pytest.mark.parametrize("minutes", [5, 15, 30])
def test_the_hour_that_was_skipped_is_no_part_of_the_day(limits, minutes):
    mean = (2 * 1.0 + 21 * 2.0) / 23
    review = pretreat.check(log(minutes), limits, facilities=USERS, federal=False, all_rows=True)
    assert averages(review) == pytest.approx({"Flow": mean, "Zinc": 8.34 * 3.0 * mean})
    assert set(review.exceedances["parameter"]) == {"Flow", "Zinc"}


def test_without_a_time_zone_the_last_reading_before_it_holds_for_an_hour(limits):
    review = pretreat.check(log(5), limits, federal=False, all_rows=True)
    assert averages(review)["Flow"] == pytest.approx((175 * 1.0 + 1260 * 2.0) / 1435)


def test_a_logger_that_keeps_standard_time_has_a_day_of_24_hours(limits):
    review = pretreat.check(log(5, skips=False), limits, facilities=USERS, federal=False, all_rows=True)
    assert averages(review)["Flow"] == pytest.approx((2 * 1.0 + 22 * 2.0) / 24)
