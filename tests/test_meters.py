"""Timed readings against the worked reference of the real loggers, and the laws that every log must keep."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import INPUTS, needs_shared

import pretreat
from pretreat import meters
from pretreat.errors import UsageError
from pretreat.measurements.measure import measure
from pretreat.meters import clocks, runs, timed
from pretreat.meters.summary import flow_of_totals, summary

FALL = "memphis_gayoso_5min_DST_fallback_2025-11-02.csv"
BURSTS = "memphis_gayoso_2min_allpoints_2025-10.csv"
HOURLY = "memphis_manual_wetwell_hourly_2024.csv"


def reference(name):
    return json.loads((INPUTS / "continuous_reference.json").read_text(encoding="utf-8"))[name]


def scada(name):
    frame = pd.read_csv(INPUTS / "continuous" / name, skiprows=5)
    start = pd.to_datetime(frame.iloc[:, 0], format="%d %b %Y %I:%M:%S %p")
    return start.to_numpy(), frame.iloc[:, 1].astype(str).str.replace(",", "").astype(float).to_numpy()


@needs_shared
@pytest.mark.parametrize("zone", ["", "America/Chicago"])
def test_the_day_of_25_hours(zone):
    expected = reference(FALL)
    log = summary(*scada(FALL), zone=zone)
    assert log.n == expected["rows"]
    assert round(log.mean, 4) == expected["mean"]
    assert (log.low, log.high) == (expected["min"], expected["max"])
    assert log.high_at == pd.Timestamp(expected["max_at"])
    assert log.negatives == expected["negatives"]
    assert log.repeated == expected["duplicated_local_times"]
    assert log.hours + 5 / 60 == expected["true_span_hours"]
    days = log.days.assign(day=log.days["day"].astype(str)).set_index("day")
    assert days["n"].to_dict() == expected["rows_per_date"]
    assert days["mean"].round(4).to_dict() == expected["daily_mean"]
    assert days["length"].tolist() == [25, 24, 24]
    assert days["hours"].tolist() == [25, 24, 24]
    assert len(log.gaps) == 0


@needs_shared
def test_a_mean_weighted_by_time_is_not_the_mean_of_readings():
    expected = reference(BURSTS)
    start, value = scada(BURSTS)
    log = summary(start, value)
    assert log.n == expected["rows"]
    assert round(log.mean, 4) == expected["mean_of_samples"]
    assert round(log.time_weighted_mean, 4) == expected["time_weighted_mean_step_forward"]
    assert log.high == expected["max"]
    # Read more than once: the reference names the newest of them, the first line of a file that is newest first.
    at = start[value == expected["max"]]
    assert (at.min(), at.max()) == (log.high_at, pd.Timestamp(expected["max_at"]))
    assert log.negatives == expected["negatives"]
    steps = pd.Series(np.diff(np.sort(start)) / np.timedelta64(1, "s")).value_counts()
    assert {str(int(s)): n for s, n in steps.head(6).items()} == expected["interval_counts_s"]


@needs_shared
def test_an_hourly_year():
    expected = reference(HOURLY)
    frame = pd.read_csv(INPUTS / "continuous" / HOURLY, skiprows=1, encoding="utf-8-sig")
    for column, mean, text in zip(frame.columns[2:], expected["mean"], expected["non_numeric"], strict=True):
        value = pd.to_numeric(frame[column], errors="coerce")
        log = summary(pd.to_datetime(frame.iloc[:, 1]), value)
        assert round(log.mean, 4) == mean
        assert log.n == expected["rows"] - text
        assert len(log.gaps) >= 1


@needs_shared
def test_the_loggers_temperatures():
    """Inputs' README: 16.1416 °C, 11.916 to 19.282."""
    frame = pd.read_csv(INPUTS / "continuous" / "hobo_Charlies_AW_2017.csv", skiprows=1, encoding="utf-8-sig")
    log = summary(pd.to_datetime(frame.iloc[:, 0]), frame.iloc[:, 2])
    assert (log.n, round(log.mean, 4), log.low, log.high) == (2976, 16.1416, 11.916, 19.282)


@needs_shared
def test_a_plants_daily_zinc():
    """The three highest zinc values of the Catalan plant, with their dates (day/month/year)."""
    frame = pd.read_csv(INPUTS / "continuous" / "uci_water_treatment.data", header=None, na_values="?")
    start = pd.to_datetime(frame[0].str[2:], format="%d/%m/%y")
    expected = reference("uci_water_treatment.data")["ZN-E"]
    log = summary(start, frame[2], max_gap="1 day")
    assert (log.n, round(log.mean, 4)) == (expected["n"], expected["mean"])
    top = log.days.sort_values("high", ascending=False).head(3)
    assert top["high"].tolist() == [value for value, _ in expected["max3"]]
    assert [f"D-{d.day}/{d.month}/{d.year % 100}" for d in top["day"]] == [day for _, day in expected["max3"]]


def test_a_value_holds_no_longer_than_the_gap():
    log = summary(["2026-10-01T00:00", "2026-10-01T05:00", "2026-10-01T06:00"], [1.0, 3.0, 0.0])
    assert log.time_weighted_mean == 2.0
    assert log.gaps["hours"].tolist() == [5.0]
    assert log.days["hours"].tolist() == [3.0]


def test_a_reading_that_holds_over_midnight_counts_in_both_days():
    log = summary(["2026-10-01T23:40", "2026-10-02T00:20", "2026-10-02T01:20"], [6.0, 3.0, 0.0])
    assert log.days["hours"].tolist() == [pytest.approx(1 / 3), pytest.approx(1 / 3 + 2)]
    assert log.days["mean"].tolist() == [6.0, pytest.approx((20 * 6 + 60 * 3 + 60 * 0) / 140)]


def test_a_reading_that_holds_over_midnight_counts_in_no_day_after_the_next():
    """5 at 23:30 on the 1st holds for an hour, half of it on the 2nd, which has no reading; the 3rd is all 1."""
    log = meters.logged(["2026-10-01T23:30", "2026-10-03T00:00", "2026-10-03T00:30"], [5.0, 1.0, 1.0])
    days = meters.daily(log, 3600)
    assert days["covered"].tolist() == [1800, 1800 + 3600]
    assert days["low"].tolist() == [5.0, 1.0]


def test_the_day_of_23_hours():
    wall = pd.date_range("2026-03-07", "2026-03-10", freq="15min", inclusive="left")
    wall = wall[~((wall >= "2026-03-08 02:00") & (wall < "2026-03-08 03:00"))]
    known = summary(wall, np.arange(len(wall)), zone="America/New_York")
    assert known.days["length"].tolist() == [24, 23, 24]
    assert known.days["hours"].tolist() == [24, 23, 24]
    unknown = summary(wall, np.arange(len(wall)))
    assert unknown.days["length"].tolist() == [24, 24, 24]


def test_a_logger_that_never_changes_its_clock():
    """Readings in an hour that did not exist show that the log keeps standard time."""
    wall = pd.date_range("2026-03-07", "2026-03-10", freq="15min", inclusive="left")
    assert summary(wall, np.ones(len(wall)), zone="America/New_York").days["length"].tolist() == [24, 24, 24]


def test_duplicates_on_a_weekday_are_no_repeated_hour():
    wall = pd.date_range("2026-10-07", periods=96, freq="15min").repeat(2)
    log = summary(wall, np.ones(len(wall)))
    assert log.days["length"].tolist() == [24]
    assert log.repeated == 96


def test_an_unknown_zone():
    with pytest.raises(UsageError, match="no time zone"):
        clocks.changes("Mars/Olympus", 0, 1)


def test_a_register_that_rolls_over_and_one_that_was_reset():
    days = pd.date_range("2026-10-01", periods=4)
    known = flow_of_totals(days, [999_990, 10, 30, 5], rolls_over_at=1_000_000)
    assert known["volume"].tolist() == [20, 20, 999_975]
    unknown = flow_of_totals(days, [999_990, 10, 30, 5])
    assert unknown["volume"].fillna(-1).tolist() == [-1, 20, -1]
    assert unknown["reason"].tolist() == [
        "the total fell: reset or rolled over",
        "",
        "the total fell: reset or rolled over",
    ]
    with pytest.raises(UsageError, match="is not below"):
        flow_of_totals(days, [1, 2, 3, 1_000_000], rolls_over_at=1_000_000)


def test_a_total_over_the_day_of_25_hours():
    flow = flow_of_totals(["2025-11-02", "2025-11-03"], [0, 25_000], zone="America/Chicago")
    assert flow["per_day"].tolist() == [24_000.0]


def test_nothing_to_sum_up():
    with pytest.raises(UsageError, match="without a reading"):
        summary(["2026-10-01"], [float("nan")])


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.integers(1, 7200), st.floats(0, 1e6)), min_size=2, max_size=60),
    st.floats(0.001, 1000),
)
def test_laws_of_means(steps, scale):
    start = np.datetime64("2026-06-01", "s") + np.cumsum([gap for gap, _ in steps]).astype("timedelta64[s]")
    value = np.array([one for _, one in steps])
    log = summary(start, value)
    assert log.low * (1 - 1e-9) <= log.time_weighted_mean <= log.high * (1 + 1e-9)
    assert summary(start, value * scale).time_weighted_mean == pytest.approx(
        log.time_weighted_mean * scale, rel=1e-9, abs=1e-9
    )
    assert summary(start[::-1], value[::-1]).time_weighted_mean == log.time_weighted_mean
    # What the days cover is what the readings hold, less what lies in days without a reading of their own.
    held = np.minimum(np.append(np.diff(start).astype(int), 3600), 3600).sum() / 3600
    assert held - 1 - 1e-9 <= log.days["hours"].sum() <= held + 1e-9


def test_spans():
    assert [meters.seconds(text) for text in ("60 min", "15 minutes", "2 hours", "1 day")] == [3600, 900, 7200, 86400]


def test_between_readings_that_may_be_over_only_the_sure_ones_prove_minutes():
    """Over at 0:05, 0:10 and 0:20, perhaps at 0:15: instants prove 5 minutes of at most 25, means 10 of 20."""
    log = meters.logged([f"2026-10-01T00:{m:02}" for m in range(0, 30, 5)], [1, 9, 9, 9, 9, 1])
    sure = np.array([True, True, False, True])
    for means, minutes in ((False, (5.0, 25.0)), (True, (10.0, 20.0))):
        found = runs.find(log, np.arange(1, 5), sure, 3600, means=means)
        assert list(zip(found.minutes_low, found.minutes_high, strict=True)) == [minutes]


@pytest.mark.parametrize(("gap", "low", "high"), [(60, [180.0], [300.0]), (59, [0.0] * 4, [np.inf] * 4)])
def test_readings_exactly_as_far_apart_as_the_gap_make_one_run(gap, low, high):
    log = meters.logged([f"2026-10-01T{hour:02}:00" for hour in range(6)], [1, 9, 9, 9, 9, 1])
    found = runs.find(log, np.arange(1, 5), np.ones(4, dtype=bool), gap * 60)
    assert (found.minutes_low.tolist(), found.minutes_high.tolist()) == (low, high)


@pytest.mark.parametrize(
    ("operator", "answers"),
    [
        (">", [False, False, True]),
        (">=", [False, True, True]),
        ("<", [True, False, False]),
        ("<=", [True, True, False]),
    ],
)
def test_a_level_is_held_to_as_printed_and_binary_rounding_never_decides(operator, answers):
    for level in (0.0, 5.0):
        for equal in (level, level * (1 + 1e-10), level * (1 - 1e-10)):
            values = np.array([level - 1, equal, level + 1])
            assert runs.beyond(values, level, operator).tolist() == answers


@pytest.mark.parametrize(("hours", "found"), [(24, [1]), (23, []), (1, [])])
def test_a_meter_beside_composites_is_timed_with_24_readings_in_one_day(hours, found):
    day = pd.DataFrame(
        {"parameter": "Flow", "start": pd.date_range("2026-10-01", periods=hours, freq="h"), "value": 1.0}
    )
    copper = day.iloc[:1].assign(parameter="Copper", sample_type="composite")
    measured = measure(
        pd.concat([day.assign(sample_type="continuous"), copper], ignore_index=True).assign(facility="A")
    )
    assert timed.timed_series(measured)[0].tolist() == found


def kinds(frame):
    return measure(frame.assign(facility="A", parameter="pH", value=7.0)).frame["sample_type"].astype(str)


@pytest.mark.parametrize(("every", "kind"), [("5min", "continuous"), ("60min", "continuous"), ("63min", "")])
def test_a_series_of_24_times_a_day_without_a_sample_type_is_a_log(every, kind):
    """One row a reading, as one column a parameter: at least hourly on some day."""
    assert set(kinds(pd.DataFrame({"start": pd.date_range("2026-10-01", "2026-10-01 23:59", freq=every)}))) == {kind}


def test_readings_of_few_times_are_no_log_however_many():
    """Forty results of one day at two times are two samples analysed often."""
    times = pd.to_datetime(["2026-10-01 08:00"] * 20 + ["2026-10-01 09:00"] * 20)
    assert set(kinds(pd.DataFrame({"start": times}))) == {""}


def test_a_sample_type_that_is_given_stands():
    day = pd.DataFrame({"start": pd.date_range("2026-10-01", periods=288, freq="5min")})
    assert set(kinds(day.assign(sample_type="grab"))) == {"grab"}
    both = kinds(pd.concat([day.assign(sample_type=""), day.iloc[:3].assign(sample_type="grab")], ignore_index=True))
    assert both.value_counts().to_dict() == {"continuous": 288, "grab": 3}


def test_a_sample_type_that_is_given_stands_beside_reported_averages():
    day = pd.DataFrame({"start": pd.date_range("2026-10-01", periods=288, freq="5min"), "sample_type": "grab"})
    month = pd.DataFrame({"start": [pd.Timestamp("2026-10-31")], "sample_type": "", "statistic": "monthly average"})
    both = pd.concat([day.assign(statistic=""), month], ignore_index=True)
    assert kinds(both).value_counts().to_dict() == {"grab": 288, "": 1}


def test_a_log_may_begin_with_a_day_of_few_readings():
    assert set(kinds(pd.DataFrame({"start": pd.date_range("2026-10-01 22:00", periods=30, freq="h")}))) == {
        "continuous"
    }


def test_a_log_of_one_series_says_nothing_of_another():
    day = pd.DataFrame({"start": pd.date_range("2026-10-01", periods=288, freq="5min"), "parameter": "pH"})
    few = day.iloc[::24].assign(parameter="Copper")
    measured = measure(pd.concat([few, day], ignore_index=True).assign(facility="A", value=1.0)).frame
    named = measured.astype({"sample_type": str}).groupby("series")["sample_type"].unique()
    assert [list(types) for types in named] == [[""], ["continuous"]]


PERMIT = """[document]
title = "Permit 9"
cite = "Permit 9"
[[limit]]
cite = "1"
parameter = "pH"
above = 12.0
for = "more than 30 minutes"
sample = "continuous"
"""


@pytest.mark.parametrize("shape", ["long.csv", "wide.csv", "long.parquet", "frame"])
def test_a_limit_for_a_meters_record_is_held_against_it_in_whatever_shape(tmp_path, shape):
    start = pd.date_range("2026-10-01", periods=3 * 288, freq="5min")
    value = np.where((start >= "2026-10-02 10:00") & (start <= "2026-10-02 11:00"), 12.5, 7.5)
    long = pd.DataFrame({"facility": "Zed", "parameter": "pH", "value": value, "unit": "SU", "start": start})
    printed = pd.DataFrame({"Facility": "Zed", "Date": start.strftime("%m/%d/%Y"), "Time": start.strftime("%H:%M")})
    (tmp_path / "permit.toml").write_text(PERMIT, encoding="utf-8")
    path = tmp_path / shape
    if shape == "long.csv":
        printed.assign(Analyte="pH", Result=value, Units="SU").to_csv(path, index=False)
    elif shape == "wide.csv":
        printed.assign(**{"pH (SU)": value}).to_csv(path, index=False)
    elif shape == "long.parquet":
        long.to_parquet(path)
    given = long if shape == "frame" else pretreat.read_samples([path])
    review = pretreat.check(given, tmp_path / "permit.toml", federal=False, all_rows=True, tables=["comparisons"])
    assert review.comparisons["verdict"].astype(str).tolist() == ["complies", "exceeds", "complies"]


@pytest.mark.parametrize(
    ("length", "verdict"), [("more than 30 minutes", "undetermined"), ("30 minutes or more", "exceeds")]
)
def test_thirty_minutes_exactly_are_thirty_minutes_or_more(tmp_path, length, verdict):
    """Over from 10:00 to 10:30, and from 9:55 to 10:35 at most."""
    (tmp_path / "permit.toml").write_text(PERMIT.replace("more than 30 minutes", length), encoding="utf-8")
    start = pd.date_range("2026-10-01", periods=288, freq="5min")
    value = np.where((start >= "2026-10-01 10:00") & (start <= "2026-10-01 10:30"), 12.5, 7.5)
    ph = pd.DataFrame({"facility": "Zed", "parameter": "pH", "value": value, "unit": "SU", "start": start})
    review = pretreat.check(ph, tmp_path / "permit.toml", federal=False, all_rows=True, tables=["comparisons"])
    assert review.comparisons[["low", "high", "verdict"]].astype({"verdict": str}).to_numpy().tolist() == [
        [30, 40, verdict]
    ]


def test_the_days_of_a_log_without_a_sample_type_are_no_means_of_grabs(tmp_path):
    """They are weighted by time, as a meter's are: no finding says that they stand in for a composite."""
    (tmp_path / "permit.toml").write_text(
        '[document]\ntitle = "P"\ncite = "P"\n[[limit]]\ncite = "1"\nparameter = "Copper"\nabove = 0.5\n'
        'unit = "mg/L"\nstatistic = "daily maximum"\n',
        encoding="utf-8",
    )
    start = pd.date_range("2026-10-01", periods=2 * 288, freq="5min")
    copper = pd.DataFrame({"facility": "A", "parameter": "Copper", "value": 0.3, "unit": "mg/L", "start": start})
    for results, said in ((copper, 0), (copper.iloc[::36], 1)):
        review = pretreat.check(results, tmp_path / "permit.toml", federal=False, tables=["findings"])
        assert (review.findings["code"] == "grabs averaged").sum() == said
