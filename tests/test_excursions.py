"""Durations: one excursion, minutes a day, minutes a month; gaps, midnight, the fixed number of 40 CFR 401.17."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metering import duration_limit, force, log, minutes, prepared

from pretreat import packs
from pretreat.limits.provisions import Bound
from pretreat.measurements.measure import measure
from pretreat.meters import excursions

MONTH = 31 * 1440


def ph(start, value):
    return log(start, value, parameter="pH", unit="SU")


def timed(start, value, *rows, settings=None, users=None):
    return excursions.evaluate(*prepared(ph(start, value), *rows, settings=settings, users=users))


def month(every=1, start="2026-10-01", days=31, value=7.0):
    n = days * 1440 // every
    return minutes(start, n, every), np.full(n, value)


@pytest.mark.parametrize(("readings_over", "low", "high"), [(31, 30, 32), (32, 31, 33), (1, 0, 2)])
def test_one_excursion_over_thirty_minutes(readings_over, low, high):
    """21 NYCRR 1960.5: pH over 12.0 for any period exceeding 30 minutes; exactly 30 is none."""
    start, value = month(days=3)
    value[2000 : 2000 + readings_over] = 12.1
    values, missing = timed(start, value, duration_limit("upper", 12.0, 30.0))
    assert values[["low", "high"]].to_numpy().tolist() == [[0, 0], [low, high], [0, 0]]
    assert len(missing) == 0
    assert values["n"].tolist() == [1440] * 3


def test_at_the_level_nothing_is_over():
    start, value = month(days=2)
    value[100:500] = 12.0
    assert timed(start, value, duration_limit("upper", 12.0, 30.0))[0]["high"].tolist() == [0, 0]


def test_an_excursion_over_midnight_lasts_on():
    start, value = month(days=3)
    value[1430:1461] = 12.5  # 23:50 to 00:20
    values, _ = timed(start, value, duration_limit("upper", 12.0, 30.0))
    assert values["low"].tolist() == [9, 30, 0]
    assert values["high"].tolist() == [11, 32, 0]


def test_an_excursion_of_days_grows_each_day():
    start, value = month(days=4)
    value[1000 : 3 * 1440] = 13.0
    values, _ = timed(start, value, duration_limit("upper", 12.0, 30.0))
    assert values["low"].tolist() == [439, 1879, 3319, 0]


def test_minutes_a_day_and_a_month():
    """21 NYCRR 1960.5: pH over 10.0 for more than five hours daily or 70 hours monthly."""
    start, value = month()
    for day in range(31):
        for hour in (2, 9):
            at = day * 1440 + hour * 60
            value[at : at + 70] = 10.5
    rows = duration_limit("upper", 10.0, 300.0, "day"), duration_limit("upper", 10.0, 4200.0, "month")
    values, _ = timed(start, value, *rows)
    day, whole = (values[values["limit"] == n] for n in (0, 1))
    assert day["low"].tolist() == [138] * 31
    assert day["high"].tolist() == [142] * 31
    assert whole[["low", "high", "n"]].to_numpy().tolist() == [[138 * 31, 142 * 31, MONTH]]
    assert whole["period_end"].tolist() == [pd.Timestamp("2026-11-01")]


def test_the_fixed_month_of_401_17():
    """7 h 26 min is one hundredth of 31 days, and is not scaled to a month of 30."""
    assert int(0.01 * 31 * 24 * 60) == 7 * 60 + 26
    start, value = month(start="2026-11-01", days=30)
    value[5000 : 5000 + 447] = 9.5
    outside = duration_limit("upper", 9.0, 446.0, "month")
    values, _ = timed(start, value, outside)
    assert values[["low", "high"]].to_numpy().tolist() == [[446, 448]]  # 446 proven is not more than 446
    means, _ = timed(start, value, outside, settings={"reading": "mean"})
    assert means[["low", "high"]].to_numpy().tolist() == [[447, 447]]


def test_outside_a_range_on_either_side():
    start, value = month(days=2)
    value[100:140], value[140:170] = 5.0, 9.9
    limit = duration_limit("lower", 6.0, 60.0)
    both = Bound(side="upper", operator=">", number=None, decimals=1, low=9.0, high=9.0)
    outside = type(limit)(
        **{name: getattr(limit, name) for name in limit.__slots__} | {"bounds": (*limit.bounds, both)}
    )
    values, _ = timed(start, value, outside)
    assert values["low"].tolist() == [69, 0]


def test_below_for_fifteen_minutes_or_more():
    """King County: a recording of 15 minutes or more below 5.5."""
    start, value = month(days=2)
    value[100:116] = 5.4
    values, _ = timed(start, value, duration_limit("lower", 5.5, 15.0, inclusive=True))
    assert values["low"].tolist() == [15, 0]


def test_a_gap_beside_an_excursion_leaves_its_end_open():
    start, value = month(days=2)
    value[100:110] = 12.5
    keep = np.ones(len(start), dtype=bool)
    keep[110:300] = False
    event, _ = timed(start[keep], value[keep], duration_limit("upper", 12.0, 30.0))
    assert event["low"].tolist() == [9, 0]
    assert np.isinf(event["high"].iloc[0])
    assert event["reason"].tolist() == ["no reading within the gap allowed bounds it", ""]
    day, _ = timed(start[keep], value[keep], duration_limit("upper", 12.0, 300.0, "day"))
    assert day["high"].tolist() == [1 + 9 + 191, 0]


def test_a_gap_elsewhere_hides_nothing_that_was_seen_to_begin():
    start, value = month(days=2)
    keep = np.ones(len(start), dtype=bool)
    keep[500:900] = False
    values, _ = timed(start[keep], value[keep], duration_limit("upper", 12.0, 30.0))
    assert values["high"].tolist() == [0, 0]


def test_the_record_ends_over():
    start, value = month(days=1)
    value[1300:] = 12.5
    event, _ = timed(start, value, duration_limit("upper", 12.0, 30.0))
    assert event["low"].tolist() == [139]
    assert np.isinf(event["high"]).all()
    whole, _ = timed(start, value, duration_limit("upper", 12.0, 4200.0, "month"))
    assert whole["high"].tolist() == [140 + 1 + 30 * 1440]


def test_readings_too_far_apart_time_nothing():
    frame = ph(minutes("2026-10-01T08:00", 6, 120), np.full(6, 13.0)).assign(sample_type="grab")
    values, missing = excursions.evaluate(*prepared(frame, duration_limit("upper", 12.0, 30.0)))
    assert len(values) == 0
    assert missing["reason"].tolist() == ["no two readings lie as close as one holds (max_gap)"]


def test_dates_without_times_time_nothing():
    frame = ph(pd.date_range("2026-10-01", periods=3).to_numpy(), np.full(3, 13.0))
    values, missing = excursions.evaluate(*prepared(frame, duration_limit("upper", 12.0, 30.0)))
    assert len(values) == 0
    assert missing["reason"].tolist() == ["no timed readings"]


def test_a_few_readings_are_timed():
    """The demand of 24 readings a day is one of slugs (interface, "Slugs"): five minutes apart, five over are 20 min."""
    value = np.array([7.0, 7.0, 12.5, 12.5, 12.5, 12.5, 12.5, 7.0, 7.0])
    values, missing = timed(minutes("2026-10-01T08:00", 9, 5), value, duration_limit("upper", 12.0, 15.0))
    assert values[["low", "high", "n"]].to_numpy().tolist() == [[20, 30, 9]]
    assert len(missing) == 0


def test_one_reading_alone_is_no_day_within():
    start = np.concatenate([minutes("2026-10-01T08:00", 9, 5), minutes("2026-10-02T08:00", 1, 5)])
    values, _ = timed(start, np.full(10, 7.0), duration_limit("upper", 12.0, 15.0))
    assert values["period_start"].dt.day.tolist() == [1]


def test_a_limit_for_a_meters_record_does_not_look_at_grabs():
    start, value = minutes("2026-10-01T08:00", 9, 5), np.full(9, 13.0)
    law = duration_limit("upper", 12.0, 15.0, sample_type="continuous")
    for kind, word in (("continuous", ""), ("grab", "not all of the type"), ("", "the sample type is not given")):
        values, missing = excursions.evaluate(*prepared(ph(start, value).assign(sample_type=kind), law))
        assert (len(values), word in " ".join(missing["reason"])) == (int(kind == "continuous"), True)


def test_no_results():
    start, value = month(days=1)
    values, missing = excursions.evaluate(*prepared(log(start, value), duration_limit("upper", 12.0, 30.0)))
    assert len(values) == 0
    assert missing[["parameter", "reason"]].to_numpy().tolist() == [["pH", "no results"]]


def test_clocks_that_go_back_count_their_hour():
    plain = minutes("2026-10-31", 3 * 288, 5)
    shift = np.where(plain >= np.datetime64("2026-11-01T02:00:00"), np.timedelta64(3600, "s"), np.timedelta64(0, "s"))
    value = np.full(len(plain), 7.0)
    value[(plain >= np.datetime64("2026-11-01T00:30")) & (plain <= np.datetime64("2026-11-01T02:30"))] = 12.5
    values, _ = timed(plain - shift, value, duration_limit("upper", 12.0, 30.0))
    assert values["low"].max() == 120


def test_a_repeated_hour_that_prints_its_offsets_counts_whatever_the_order():
    plain = minutes("2026-10-31", 3 * 288, 5)
    late = plain >= np.datetime64("2026-11-01T02:00:00")
    value = np.full(len(plain), 7.0)
    value[(plain >= np.datetime64("2026-11-01T01:50")) & (plain <= np.datetime64("2026-11-01T02:30"))] = 12.5
    frame = ph(plain - np.where(late, np.timedelta64(3600, "s"), np.timedelta64(0, "s")), value)
    frame = frame.assign(utc_offset=np.where(late, -300.0, -240.0)).sort_values(["start", "value"], ignore_index=True)
    values, _ = excursions.evaluate(*prepared(frame, duration_limit("upper", 12.0, 30.0)))
    assert (values["low"].max(), values["high"].max()) == (40, 50)


def test_a_mean_before_a_gap_adds_its_usual_interval_to_the_day():
    """Eight one-minute means over before two hours without a reading: eight minutes, not seven and an hour."""
    start, value = month(days=2)
    value[600:608] = 13.0
    there = np.ones(len(start), dtype=bool)
    there[608:728] = False
    settings = {"reading": "mean"}
    limit = duration_limit("upper", 12.0, 30.0, per="day")
    values, _ = excursions.evaluate(*prepared(ph(start[there], value[there]), limit, settings=settings))
    assert (values["low"].max(), values["high"].max()) == (8, 8)


def test_the_evidence_is_the_longest_run():
    start, value = month(days=1)
    value[100:105], value[200:240] = 13.0, 12.5
    frame = ph(start, value)
    values, _ = excursions.evaluate(*prepared(frame, duration_limit("upper", 12.0, 30.0)))
    assert values[["first", "last"]].to_numpy().tolist() == [[200, 240]]


def test_niagara_falls_as_printed():
    """21 NYCRR 1960.5: 12.0 for 30 minutes, 10.0 for five hours a day and 70 hours a month."""
    limits = packs.load(["examples/niagara-falls"])
    start, value = month(every=5)
    value[288 * 6 + 36 : 288 * 6 + 36 + 12 * 6 + 1] = 10.5  # six hours from 03:00
    value[4000:4008] = 12.2  # 35 minutes
    frame = ph(start, value)
    in_force = force(limits, frame)
    values, _ = excursions.evaluate(measure(frame), in_force, {}, limits)
    over = values.groupby("limit")["low"].max()
    names = in_force["limit_id"].astype(str)
    assert {names[row]: minutes for row, minutes in over.items()} == {
        "pH 12": 35,
        "pH 10 a day": 360,
        "pH 10 a month": 395,
    }


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 2**32 - 1))
def test_laws(seed):
    rng = np.random.default_rng(seed)
    n = 3 * 288
    keep = rng.random(n) > 0.1
    start, value = minutes("2026-10-01", n, 5)[keep], (7 + 3 * np.sin(np.arange(n) / 20) + rng.normal(0, 0.5, n))[keep]
    limits = (
        duration_limit("upper", 9.0, 30.0),
        duration_limit("upper", 9.0, 60.0, "day"),
        duration_limit("upper", 9.0, 600.0, "month"),
        duration_limit("upper", 9.5, 60.0, "day"),
    )
    values, _ = timed(start, value, *limits)
    event, day, whole, higher = (values[values["limit"] == k].reset_index(drop=True) for k in range(4))
    assert (values["low"] <= values["high"] + 1e-9).all()
    assert whole["low"].iloc[0] == pytest.approx(day["low"].sum())
    assert (day["low"] <= 1440).all()
    assert (day["high"] <= 1440 + 1e-9).all()
    assert (higher["high"] <= day["high"] + 1e-9).all()
    assert (higher["low"] <= day["low"] + 1e-9).all()
    assert event["low"].iloc[0] <= day["low"].iloc[0] + 1e-9
    backwards, _ = timed(start[::-1], value[::-1], *limits)
    pd.testing.assert_frame_equal(values, backwards)
