"""Slugs: the boundary minutes, the boundary multiple, gaps, clocks, baselines (interface, "Slugs"; issue 6)."""

import datetime as dt
import re
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metering import FIVE_TIMES, force, law, log, minutes, prepared, slug_limit
from shared import SHARED, needs_shared

from pretreat import packs, slugs
from pretreat.limits.provisions import Slug
from pretreat.measurements.measure import measure
from pretreat.slugs import baselines

DAYS = 10
QUIET = 1.0


def steady(days=DAYS, start="2026-10-01", every=1, value=QUIET):
    n = days * 1440 // every
    return minutes(start, n, every), np.full(n, value)


def with_run(length, at=4000, level=9.0, **kw):
    start, value = steady(**kw)
    value[at : at + length] = level
    return start, value


def found(start, value, settings=None, limit=None, users=None, **kw):
    return slugs.evaluate(*prepared(log(start, value, **kw), limit or slug_limit(), settings=settings, users=users))


@pytest.mark.parametrize(
    ("readings_over", "low", "high", "verdict"),
    [(14, 13, 15, "complies"), (15, 14, 16, "undetermined"), (16, 15, 17, "undetermined"), (17, 16, 18, "exceeds")],
)
def test_instants_prove_the_minutes_between_them(readings_over, low, high, verdict):
    table, values, _ = found(*with_run(readings_over))
    assert table[["minutes_low", "minutes_high", "verdict"]].to_numpy().tolist() == [[low, high, verdict]]
    assert (table["last"] - table["first"]).tolist() == [readings_over]  # the cells that the report names
    assert values[["low", "high"]].to_numpy().tolist() == [[float(verdict == "exceeds"), float(verdict != "complies")]]


@pytest.mark.parametrize(("readings_over", "verdict"), [(14, "complies"), (15, "complies"), (16, "exceeds")])
def test_means_are_their_intervals(readings_over, verdict):
    table, _, _ = found(*with_run(readings_over), settings={"reading": "mean"})
    row = table.iloc[0]
    assert (row.minutes_low, row.minutes_high, row.verdict) == (readings_over, readings_over, verdict)


@pytest.mark.parametrize(("level", "runs"), [(5.0, 0), (5.0 * (1 + 1e-12), 0), (5.001, 1), (4.999, 0)])
def test_exactly_five_times_is_no_slug(level, runs):
    table, values, _ = found(
        *with_run(30, level=level), settings={"baseline": "2026-10-05:2026-10-10", "baseline_days": "6"}
    )
    assert len(table) == runs
    assert values["high"].tolist() == [runs]


def test_the_slugs_days_stay_out_of_the_baseline():
    start, value = steady()
    value[1440 * 3 + 100 : 1440 * 3 + 160] = 30.0
    table, _, _ = found(start, value)
    assert table["baseline"].tolist() == [1.0]
    assert "9 days of normal operation" in table["reason"].iloc[0]
    with_all, _, _ = found(start, value, settings={"baseline": "all"})
    assert with_all["baseline"].iloc[0] == pytest.approx((9 * 1 + (1380 + 60 * 30) / 1440) / 10)


def test_a_day_once_out_stays_out_and_its_absence_shows_the_next():
    start, value = steady(days=12)
    value[1440 * 2 : 1440 * 2 + 600] = 400.0
    value[1440 * 5 : 1440 * 5 + 20] = 7.0  # hidden while the first slug is in the average
    assert value[: 1440 * 12].mean() * 5 > 7
    table, _, _ = found(start, value)
    assert table["peak"].tolist() == [400.0, 7.0]
    assert table["baseline"].tolist() == [1.0, 1.0]
    examined = slugs.examine(*prepared(log(start, value), slug_limit()))
    out = examined.days[examined.days["left_out"] != ""]
    assert out["day"].dt.day.tolist() == [3, 6]
    assert set(out["left_out"]) == {"above the multiple"}


@pytest.mark.parametrize(
    ("peak", "more_than", "or_more"),
    [(4.9, "", ""), (5.0, "", "above the multiple"), (5.1, *["above the multiple"] * 2)],
)
def test_a_day_with_exactly_five_times_is_normal_where_the_page_says_more_than(peak, more_than, or_more):
    days = pd.DataFrame({"series": 0, "day": pd.date_range("2026-10-01", periods=3), "covered": 86_400})
    days = days.assign(length=86_400, low=1.0, high=1.0, peak=[1.0, 2.0, peak])
    for inclusive, answer in ((False, more_than), (True, or_more)):
        made = baselines.find(days, 1, np.array([-1]), multiple=5, inclusive=inclusive, fewest=2)
        assert made.left_out.tolist() == ["", "", answer]
        n, without = (2, " without 2026-10-03 above the multiple") if answer else (3, "")
        span = f"2026-10-01 to 2026-10-03{without}"
        assert made.reason == [f"baseline: the average of {n} days of normal operation ({span})"]


@pytest.mark.parametrize(("covered", "left_out"), [(77_760, ""), (77_759, "incomplete")])
def test_a_day_is_complete_with_readings_for_nine_tenths_of_it(covered, left_out):
    days = pd.DataFrame({"series": 0, "day": pd.date_range("2026-10-01", periods=2), "covered": [86_400, covered]})
    days = days.assign(length=86_400, low=1.0, high=1.0, peak=1.0)
    made = baselines.find(days, 1, np.array([-1]), multiple=5, complete_day=0.9, fewest=1)
    assert made.left_out.tolist() == ["", left_out]


def test_days_without_discharge_and_incomplete_days_stay_out():
    start, value = steady()
    value[1440 : 2 * 1440] = 0.0
    keep = np.ones(len(start), dtype=bool)
    keep[3 * 1440 + 300 : 3 * 1440 + 700] = False
    examined = slugs.examine(*prepared(log(start[keep], value[keep]), slug_limit()))
    left_out = examined.days.set_index("day")["left_out"]
    assert left_out["2026-10-02"] == "no discharge"
    assert left_out["2026-10-04"] == "incomplete"
    assert (left_out == "").sum() == 8


def test_too_few_days_and_a_baseline_of_zero_are_not_evaluated():
    table, values, missing = found(*with_run(30, days=6))
    assert (len(table), len(values)) == (0, 0)
    assert "fewer than 7 days of normal operation" in missing["reason"].tolist()
    _, _, zero = found(*steady(value=0.0))
    assert "fewer than 7 days of normal operation" in zero["reason"].tolist()
    _, _, given_zero = found(*steady(value=0.0), settings={"baseline": "2026-10-01:2026-10-09"})
    assert "baseline of 0" in given_zero["reason"].tolist()


def test_a_baseline_may_be_given():
    start, value = with_run(30)
    table, _, _ = found(start, value, settings={"baseline": "500000 gpd"})
    assert table["baseline"].tolist() == [0.5]
    assert "500000 gpd, given" in table["reason"].iloc[0]
    value[:1440] = 3.0
    span, _, _ = found(start, value, settings={"baseline": "2026-10-02:2026-10-10", "baseline_days": "3"})
    assert span["baseline"].iloc[0] == pytest.approx(1 + (30 * 8 / 1440) / 9)


def test_a_fixed_baseline_of_the_pack():
    """Dallas § 49: four times the concentration of normal wastewater."""
    normal = Slug(
        of=("any constituent",), multiple=Decimal(4), minutes=15.0, minutes_inclusive=True, baseline="250 mg/L"
    )
    start, value = with_run(16, level=1001.0)
    table, _, _ = found(start, value, limit=slug_limit(normal), parameter="BOD5", unit="mg/L")
    assert table[["baseline", "multiple", "minutes_low", "verdict"]].to_numpy().tolist() == [
        [250.0, 4.0, 15.0, "exceeds"]
    ]


def test_a_gap_leaves_the_end_open():
    start, value = with_run(10, at=4000)
    keep = np.ones(len(start), dtype=bool)
    keep[4010:4100] = False
    table, values, _ = found(start[keep], value[keep])
    assert table[["minutes_low", "verdict"]].to_numpy().tolist() == [[9.0, "undetermined"]]
    assert np.isinf(table["minutes_high"]).all()
    assert "no reading within 60 min after it" in table["reason"].iloc[0]
    assert values[["low", "high"]].to_numpy().tolist() == [[0.0, 1.0]]
    patient, _, _ = found(start[keep], value[keep], settings={"max_gap": "2 h"})
    assert patient["minutes_high"].tolist() == [101.0]


def test_a_gap_inside_makes_two_runs():
    start, value = with_run(200, at=4000)
    keep = np.ones(len(start), dtype=bool)
    keep[4010:4190] = False
    table, _, _ = found(start[keep], value[keep])
    assert table["minutes_low"].tolist() == [9.0, 9.0]
    assert table["verdict"].tolist() == ["undetermined"] * 2


def test_the_record_may_end_in_a_slug():
    start, value = with_run(10, at=DAYS * 1440 - 10)
    table, _, _ = found(start, value)
    assert table[["minutes_low", "verdict"]].to_numpy().tolist() == [[9.0, "undetermined"]]
    means, _, _ = found(start, value, settings={"reading": "mean"})
    # The interface: with means both are the sum of the intervals, whatever follows.
    assert means[["minutes_low", "minutes_high", "verdict"]].to_numpy().tolist() == [[10.0, 10.0, "complies"]]


def test_over_midnight_and_into_the_next_month():
    start, value = with_run(40, at=DAYS * 1440 // 2 - 20, start="2026-10-27")
    table, values, _ = found(start, value)
    assert table["start"].iloc[0] == pd.Timestamp("2026-10-31 23:40")
    assert table["end"].iloc[0] == pd.Timestamp("2026-11-01 00:19")
    assert dict(zip(values["period_start"].dt.month, values["low"], strict=True)) == {10: 0.0, 11: 1.0}
    assert values["reason"].tolist() == ["readings on 5 of 31 days", "readings on 5 of 30 days"]


def test_irregular_intervals():
    rng = np.random.default_rng(5)
    gaps = rng.choice([5, 6, 119, 120, 121], 12_000)
    start = np.datetime64("2026-10-01", "s") + np.cumsum(gaps).astype("timedelta64[s]")
    value = np.ones(len(start))
    value[6000:6030] = 9.0
    table, _, _ = found(start, value)
    span = (start[6029] - start[6000]) / np.timedelta64(60, "s")
    assert table["minutes_low"].tolist() == [pytest.approx(span)]
    assert table["minutes_high"].tolist() == [pytest.approx((start[6030] - start[5999]) / np.timedelta64(60, "s"))]


def test_clocks_that_go_back():
    """5-minute readings over from 00:55 to the second 01:00: 65 true minutes, 5 on the clock."""
    plain = minutes("2026-10-25", 12 * 288, 5)
    shift = np.where(plain >= np.datetime64("2026-11-01T02:00:00"), np.timedelta64(3600, "s"), np.timedelta64(0, "s"))
    value = np.ones(len(plain))
    over = (plain >= np.datetime64("2026-11-01T00:55:00")) & (plain <= np.datetime64("2026-11-01T02:00:00"))
    value[over] = 9.0
    table, _, _ = found(plain - shift, value)
    assert table[["minutes_low", "verdict"]].to_numpy().tolist() == [[65.0, "exceeds"]]
    newest_first, _, _ = found((plain - shift)[::-1], value[::-1])
    assert newest_first["minutes_low"].tolist() == [65.0]


def test_an_hour_sorted_by_its_printed_times_proves_less():
    """Which of two readings printed 01:30 came first is unknown: only what both say is proven."""
    plain = minutes("2026-10-25", 12 * 288, 5)
    shift = np.where(plain >= np.datetime64("2026-11-01T02:00:00"), np.timedelta64(3600, "s"), np.timedelta64(0, "s"))
    value = np.ones(len(plain))
    value[(plain >= np.datetime64("2026-11-01T01:10:00")) & (plain <= np.datetime64("2026-11-01T01:40:00"))] = 9.0
    printed = plain - shift
    order = np.argsort(printed, kind="stable")
    table, _, _ = found(printed[order], value[order])
    assert set(table["verdict"]) == {"undetermined"}


def repeated_hour(offset):
    """Return 5-minute readings over from 01:50 before the change of clocks to 01:10 after it, as printed."""
    plain = minutes("2026-10-25", 12 * 288, 5)
    late = plain >= np.datetime64("2026-11-01T02:00:00")
    value = np.ones(len(plain))
    value[(plain >= np.datetime64("2026-11-01T01:50:00")) & (plain <= np.datetime64("2026-11-01T02:10:00"))] = 9.0
    frame = log(plain - np.where(late, np.timedelta64(3600, "s"), np.timedelta64(0, "s")), value)
    return frame.assign(utc_offset=np.where(late, -300.0, -240.0) if offset else np.nan)


@pytest.mark.parametrize("sort", [["start"], ["start", "utc_offset"], ["utc_offset", "start"], ["value", "start"]])
def test_an_hour_that_prints_its_offsets_is_certain_however_the_file_is_sorted(sort):
    """01:30-04:00 comes before 01:30-05:00: five readings over, 20 minutes apart from first to last."""
    frame = repeated_hour(offset=True).sort_values(sort, kind="stable", ignore_index=True)
    table, values, _ = slugs.evaluate(*prepared(frame, slug_limit()))
    assert table[["minutes_low", "minutes_high", "verdict"]].to_numpy().tolist() == [[20.0, 30.0, "exceeds"]]
    assert table[["start", "end"]].astype(str).to_numpy().tolist() == [["2026-11-01 01:50:00", "2026-11-01 01:10:00"]]
    measured = measure(frame)
    cells = measured.results_of(np.arange(values["first"].iloc[1], values["last"].iloc[1]))[0]
    assert set(frame.index[frame["value"] == 9.0]) <= set(cells.tolist())


def test_without_offsets_the_order_of_such_a_file_leaves_the_hour_open():
    frame = repeated_hour(offset=False).sort_values("start", kind="stable", ignore_index=True)
    table, _, _ = slugs.evaluate(*prepared(frame, slug_limit()))
    assert "exceeds" not in set(table["verdict"])
    assert set(table["peak"]) == {9.0}  # a run's peak is never below its level


def test_offsets_in_the_repeated_hour_alone_decide_it():
    """Rows without an offset keep the clock's own rule; the hour's rows say which is which."""
    frame = repeated_hour(offset=True)
    hour = frame["start"].between("2026-11-01 00:00", "2026-11-01 03:00")
    frame["utc_offset"] = frame["utc_offset"].where(hour)
    frame = frame.sort_values(["start", "value"], kind="stable", ignore_index=True)
    table, _, _ = slugs.evaluate(*prepared(frame, slug_limit()))
    assert table[["minutes_low", "verdict"]].to_numpy().tolist() == [[20.0, "exceeds"]]


def test_the_hour_that_clocks_skip_is_seen_by_its_offsets():
    plain = minutes("2026-03-01", 12 * 288, 5)
    late = plain >= np.datetime64("2026-03-08T02:00:00")
    value = np.ones(len(plain))
    value[(plain >= np.datetime64("2026-03-08T01:50:00")) & (plain <= np.datetime64("2026-03-08T02:10:00"))] = 9.0
    frame = log(plain + np.where(late, np.timedelta64(3600, "s"), np.timedelta64(0, "s")), value)
    table, _, _ = slugs.evaluate(*prepared(frame.assign(utc_offset=np.where(late, -240.0, -300.0)), slug_limit()))
    assert table[["minutes_low", "minutes_high", "verdict"]].to_numpy().tolist() == [[20.0, 30.0, "exceeds"]]


def test_a_clock_that_prints_one_offset_never_changes():
    """-05:00 before and after 02:00 of the day clocks go back: no hour is added, though the user's zone has one."""
    start, value = with_run(20, at=1440 * 7 + 110, start="2026-10-25")
    users = pd.DataFrame({"facility": ["Acme Plating"], "outfall": ["001"], "time_zone": ["America/New_York"]})
    frame = log(start, value).assign(utc_offset=-300.0)
    table, _, _ = slugs.evaluate(*prepared(frame, slug_limit(), users=users))
    assert table[["minutes_low", "minutes_high"]].to_numpy().tolist() == [[19.0, 21.0]]


def test_offsets_of_two_places_in_one_series_leave_the_printed_times():
    """Readings in UTC and in local time, taken turn by turn: by instant their printed days would lie in each other."""
    start, value = with_run(20)
    frame = log(start, value).assign(utc_offset=np.where(np.arange(len(start)) % 2, 0.0, -240.0))
    table, _, _ = slugs.evaluate(*prepared(frame, slug_limit()))
    assert table["minutes_low"].tolist() == [19.0]


def test_clocks_that_go_forward():
    plain = minutes("2026-03-01", 12 * 288, 5)
    shift = np.where(plain >= np.datetime64("2026-03-08T02:00:00"), np.timedelta64(3600, "s"), np.timedelta64(0, "s"))
    value = np.ones(len(plain))
    value[(plain >= np.datetime64("2026-03-08T01:50:00")) & (plain <= np.datetime64("2026-03-08T02:05:00"))] = 9.0
    users = pd.DataFrame({"facility": ["Acme Plating"], "outfall": ["001"], "time_zone": ["America/New_York"]})
    table, _, _ = found(plain + shift, value, users=users)
    assert table[["minutes_low", "minutes_high", "verdict"]].to_numpy().tolist() == [[15.0, 25.0, "undetermined"]]
    unknown, _, _ = found(plain + shift, value)
    assert set(unknown["verdict"]) == {"undetermined"}


def test_grabs_are_no_timed_readings():
    grabs = log(minutes("2026-10-01T08:00", 10, 1440), np.ones(10), parameter="Copper", unit="mg/L", sample_type="grab")
    table, values, missing = slugs.evaluate(*prepared(grabs, slug_limit()))
    assert (len(table), len(values)) == (0, 0)
    assert missing[["parameter", "reason"]].to_numpy().tolist() == [
        ["Flow", "no results"],
        ["any constituent", "no timed readings"],
    ]


def test_hourly_readings_are_enough_and_23_are_not():
    start, value = steady(every=60)
    _, values, _ = found(start, value)
    assert values["refused"].tolist() == [0]
    every_day_23 = np.arange(len(start)) % 24 != 5
    _, none, missing = found(start[every_day_23], value[every_day_23])
    assert len(none) == 0
    assert "no timed readings" in missing["reason"].tolist()


def test_prohibited_and_not_defined():
    """Williamsville prohibits slugs and defines none."""
    start, value = with_run(30)
    table, values, missing = found(start, value, limit=slug_limit(Slug(of=("Flow",))))
    assert (len(table), len(values)) == (0, 0)
    assert missing["reason"].tolist() == ["no definition"]


def test_two_packs_each_judge_by_their_own_words():
    four = Slug(of=("Flow",), multiple=Decimal(4), minutes=30.0)
    start, value = with_run(40, level=4.5)
    table, values, _ = slugs.evaluate(*prepared(log(start, value), slug_limit(), slug_limit(four, pack="test/permit")))
    assert table[["pack", "multiple", "minutes_low"]].to_numpy().tolist() == [["test/permit", 4.0, 39.0]]
    assert values.sort_values("limit")["low"].tolist() == [0.0, 1.0]
    assert table["slug_id"].is_unique


def test_constituents_and_flow_but_not_ph():
    start, value = with_run(30)
    copper = log(start, value, parameter="Copper", unit="mg/L")
    ph = log(start, value, parameter="pH", unit="SU")
    table, _, _ = slugs.evaluate(*prepared(pd.concat([copper, ph, log(start, value)]), slug_limit()))
    assert sorted(table["parameter"]) == ["Copper", "Flow"]


def test_flow_decides_which_days_had_discharge():
    start, conductivity = steady()
    flow = np.ones(len(start))
    flow[1440 : 3 * 1440] = 0.0
    both = pd.concat([log(start, conductivity, parameter="Copper", unit="mg/L"), log(start, flow)])
    days = slugs.examine(*prepared(both, slug_limit())).days
    copper = days[days["parameter"] == "Copper"]
    assert (copper["left_out"] == "no discharge").sum() == 2


def test_readings_below_a_limit_are_intervals():
    start, value = steady()
    frame = log(start, value, parameter="Copper", unit="mg/L")
    frame["qualifier"] = np.where(np.arange(len(frame)) % 2 == 0, "<", "")
    frame.loc[5000:5030, "value"] = 3.0  # over 5 times the low end of the baseline, not of the high one
    table, _, _ = slugs.evaluate(*prepared(frame, slug_limit()))
    assert set(table["verdict"]) <= {"undetermined", "complies"}
    assert (table["minutes_low"] == 0).all()


@pytest.mark.parametrize(("level", "verdict"), [(6.0, "undetermined"), (11.0, "exceeds")])
def test_a_baseline_that_may_be_1_or_2_leaves_6_open_and_not_11(level, verdict):
    """Every second reading is less than 2: the average is anything from 1 to 2, and five times it from 5 to 10."""
    start, value = steady(value=2.0)
    frame = log(start, value, parameter="Copper", unit="mg/L")
    frame["qualifier"] = np.where(np.arange(len(frame)) % 2 == 0, "<", "")
    frame.loc[4321:4350, ["value", "qualifier"]] = [level, ""]
    table, _, _ = slugs.evaluate(*prepared(frame, slug_limit()))
    assert table["verdict"].tolist() == [verdict]
    assert (table["minutes_low"] > 0).tolist() == [verdict == "exceeds"]


def test_ids_are_the_same_in_every_run_and_order():
    start, value = with_run(30)
    once, _, _ = found(start, value)
    again, _, _ = found(start[::-1], value[::-1])
    assert once["slug_id"].tolist() == again["slug_id"].tolist()


@settings(deadline=None, max_examples=8)
@given(
    runs=st.lists(st.tuples(st.integers(0, 9 * 96), st.integers(1, 30)), max_size=5),
    scale=st.sampled_from([0.001, 1.0, 37.0]),
)
def test_verdicts_do_not_depend_on_the_unit(runs, scale):
    start, value = steady(every=15)
    for at, length in runs:
        value[at : at + length] = 9.0
    one, first, _ = found(start, value)
    other, second, _ = found(start, value * scale)
    assert one["verdict"].tolist() == other["verdict"].tolist()
    assert first[["low", "high"]].to_numpy().tolist() == second[["low", "high"]].to_numpy().tolist()


@settings(deadline=None, max_examples=8)
@given(st.integers(0, 2**32 - 1))
def test_proven_is_never_more_than_possible(seed):
    rng = np.random.default_rng(seed)
    start = minutes("2026-10-01", 8 * 96, 15)[np.sort(rng.permutation(8 * 96)[:700])]
    value = rng.lognormal(0, 1.5, 700)
    table, counts, _ = found(start, value)
    assert (table["minutes_low"] <= table["minutes_high"]).all()
    assert (counts["low"] <= counts["high"]).all()
    means, _, _ = found(start, value, settings={"reading": "mean"})
    inner = np.isfinite(table["minutes_high"])
    assert (means["minutes_low"] >= table["minutes_low"]).all()
    assert (means["minutes_low"] <= table["minutes_high"])[inner].all()


def test_users_one_by_one_or_together():
    start, value = with_run(30)
    # What is normal for one user is ten times a slug of the other.
    frames = [log(start, value * 50**n, facility=f"User {n}") for n in range(3)]
    together, _, _ = slugs.evaluate(*prepared(pd.concat(frames), slug_limit()))
    alone = pd.concat([slugs.evaluate(*prepared(frame, slug_limit()))[0] for frame in frames], ignore_index=True)
    names = ["slug_id", "minutes_low", "minutes_high", "peak", "baseline", "verdict"]
    pd.testing.assert_frame_equal(together[names], alone[names])


def test_the_last_mean_of_each_user_lasts_as_its_own_usually_do():
    """One user's record of minutes ends with 20 means over, another's of 5 minutes with 4."""
    frames = []
    for name, every, over in (("User 1", 1, 20), ("User 2", 5, 4)):
        start, value = steady(every=every)
        value[-over:] = 9.0
        frames.append(log(start, value, facility=name))
    table, _, _ = slugs.evaluate(*prepared(pd.concat(frames), slug_limit(), settings={"reading": "mean"}))
    assert table[["facility", "minutes_high"]].to_numpy().tolist() == [["User 1", 20.0], ["User 2", 20.0]]


def test_the_last_mean_before_a_gap_ends_after_its_usual_interval():
    """Over for eight minutes, then nothing is read for two hours: the end is where the minutes end, not an hour on."""
    start, value = with_run(8)
    there = np.ones(len(start), dtype=bool)
    there[4008 : 4008 + 120] = False
    table, _, _ = found(start[there], value[there], settings={"reading": "mean"})
    assert table["minutes_low"].tolist() == [8.0]
    assert (table["end"] - table["start"]).tolist() == [pd.Timedelta("8min")]


def test_the_last_mean_of_the_record_ends_after_its_usual_interval():
    start, value = with_run(15, at=DAYS * 1440 - 15)
    table, _, _ = found(start, value, settings={"reading": "mean"})
    assert table["end"].tolist() == [pd.Timestamp("2026-10-11")]


def test_means_that_end_at_midnight_belong_to_the_day_before():
    start, value = with_run(20, at=5 * 1440 - 20, start="2026-10-27")
    table, values, _ = found(start, value, settings={"reading": "mean"})
    assert table["end"].tolist() == [pd.Timestamp("2026-11-01")]
    assert dict(zip(values["period_start"].dt.month, values["low"], strict=True)) == {10: 1.0, 11: 0.0}


def test_a_limit_in_force_in_two_parts_of_a_month_makes_one_comparison():
    start, value = with_run(30, at=2000)
    value[9000:9030] = 9.0
    frame = log(start, value)
    users = pd.DataFrame({"facility": ["Acme Plating"] * 2, "outfall": ["001"] * 2})
    users["until"], users["from"] = ["2026-10-05", ""], ["", "2026-10-05"]
    table, values, _ = slugs.evaluate(*prepared(frame, slug_limit(), users=users))
    assert len(table) == 2
    assert values[["low", "high"]].to_numpy().tolist() == [[2.0, 2.0]]


def test_a_limit_from_a_date_on():
    start, value = with_run(30)
    limits = law(slug_limit(start=dt.date(2026, 10, 8)))
    frame = log(start, value)
    table, values, _ = slugs.evaluate(measure(frame), force(limits, frame), {}, limits)
    assert len(table) == 0
    assert len(values) == 1


@pytest.mark.parametrize("dates", [{"start": dt.date(2026, 11, 1)}, {"until": dt.date(2026, 10, 1)}])
def test_a_month_before_a_limit_begins_or_after_it_ended_is_not_counted(dates):
    start, value = with_run(30)  # 1 to 10 October
    table, values, _ = found(start, value, limit=slug_limit(**dates))
    assert len(table) == len(values) == 0


@needs_shared
@pytest.mark.parametrize(
    ("users", "expected"),
    [pytest.param(1, None, id="one user"), pytest.param(20, (1514, 370), marks=pytest.mark.slow, id="20")],
)
def test_the_same_runs_as_an_independent_query(tmp_path, users, expected):
    """bench/slugs_duckdb.py: runs over five times the mean of daily means, and those longer than 15 minutes."""
    import duckdb

    path = tmp_path / "series.parquet"
    subprocess.run(
        [sys.executable, SHARED / "bench" / "make_series.py", str(users), path], check=True, capture_output=True
    )
    query = re.search(r'f"""(.*)"""', (SHARED / "bench" / "slugs_duckdb.py").read_text(encoding="utf-8"), re.DOTALL)[1]
    theirs = duckdb.connect().execute(query.replace("{sys.argv[1]}", path.as_posix())).fetchone()
    frame = pd.read_parquet(path).assign(outfall="", unit="MGD")
    frame["value"] *= 1440 / 1e6
    table, values, _ = slugs.evaluate(*prepared(frame, slug_limit(), settings={"reading": "mean", "baseline": "all"}))
    assert (len(table), int((table["verdict"] == "exceeds").sum())) == (expected or theirs) == theirs
    assert values["low"].sum() == theirs[1]


def test_the_packs_words_are_read_as_printed():
    """Little Valley defines the slug, Williamsville prohibits it without a number."""
    limits = packs.load(["ny/little-valley", "ny/williamsville"])
    start, value = with_run(30)
    frame = log(start, value)
    table, values, missing = slugs.evaluate(measure(frame), force(limits, frame), {}, limits)
    assert table[["pack", "multiple", "minutes_low", "verdict"]].to_numpy().tolist() == [
        ["ny/little-valley", 5.0, 29.0, "exceeds"]
    ]
    assert len(values) == 1
    undefined = missing[missing["pack"] == "ny/williamsville"]
    assert undefined["reason"].tolist() == ["no definition"]


def test_the_definition_is_that_of_the_page():
    assert (FIVE_TIMES.multiple, FIVE_TIMES.minutes, FIVE_TIMES.minutes_inclusive) == (5, 15.0, False)
