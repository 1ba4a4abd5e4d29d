"""Averages as the interface defines them, on numbers that a pocket calculator can check."""

import numpy as np
import pandas as pd
import pytest
from bench import both, check, comparisons, limit, samples, verdicts, work

DAY = limit("Copper", ">", "1.6", "24-hour average")
MONTH = limit("Copper", ">", "1.0", "monthly average")
THIRTY = limit("Copper", ">", "0.8", "30-day average")


def only(frame: pd.DataFrame) -> pd.Series:
    assert len(frame) == 1, frame
    return frame.iloc[0]


def composite(start: str, end: str, value: object, **more: object) -> pd.DataFrame:
    return samples([(start, value)], sample_type="composite", end=[end], **more)


# The day


def test_grabs_of_a_day_are_averaged_evenly() -> None:
    row = only(comparisons(samples([("2026-10-07 08:00", 1.0), ("2026-10-07 20:00", 2.0)], sample_type="grab"), DAY))
    assert (row["low"], row["n"], row["verdict"]) == (1.5, 2, "complies")


def test_what_is_reported_as_an_average_is_no_sample_of_a_day() -> None:
    results = samples([("2026-10-31 08:00", 1.0), ("2026-10-31 23:59", 9.0)], statistic=["", "monthly average"])
    assert only(comparisons(results, DAY))["low"] == 1.0


BESIDE = samples([("2026-10-07", 8.0)], "Cadmium"), samples([("2026-10-09", 7.0)], "Zinc")
"""What no limit asks for, before and after copper in every order."""


def test_days_of_several_samples_beside_what_no_limit_asks_for() -> None:
    times = ("2026-10-07 08:00", 1.0), ("2026-10-07 20:00", 2.0), ("2026-10-08 08:00", 3.0), ("2026-10-08 09:00", 5.0)
    copper = samples([*times, ("2026-10-08 23:59", 99.0)], statistic=[*[""] * 4, "monthly average"])
    for results in (copper, both(BESIDE[0], copper, BESIDE[1])):
        frame = comparisons(results, DAY)
        cells = results["source_cell"][results["value"].isin([1, 2, 3, 5])].tolist()
        assert frame[["low", "n"]].to_numpy().tolist() == [[1.5, 2], [4.0, 2]]
        assert "; ".join(frame["sources"]).replace("lab.xlsx!Results!", "").split("; ") == cells


def test_two_samples_of_one_day_are_averaged_whatever_stands_last() -> None:
    copper = samples([("2026-10-07 08:00", 1.0), ("2026-10-07 20:00", 2.0)])
    zinc = limit("Zinc", ">", "1.6", "24-hour average")
    assert comparisons(both(copper, BESIDE[1]), DAY, zinc)["low"].tolist() == [1.5, 7.0]


def test_days_of_one_sample_name_it_beside_what_no_limit_asks_for() -> None:
    frame = comparisons(both(BESIDE[0], samples([("2026-10-07", 1.0), ("2026-10-08", 2.0)]), BESIDE[1]), DAY)
    assert frame["sources"].tolist() == ["lab.xlsx!Results!C3", "lab.xlsx!Results!C4"]


def test_a_limit_for_grabs_takes_the_grabs_of_its_own_parameter() -> None:
    grabs = samples([("2026-10-07 08:00", 1.0), ("2026-10-07 20:00", 2.0)], sample_type="grab")
    others = samples([("2026-10-07 09:00", 9.0)], sample_type="composite"), BESIDE[1].assign(sample_type="grab")
    own = limit("Copper", ">", "1.6", "24-hour average", sample_type="grab")
    assert only(comparisons(both(grabs, *others), own))["low"] == 1.5


def test_a_composite_counts_alone_beside_grabs() -> None:
    results = both(
        composite("2026-10-07 00:00", "2026-10-08 00:00", 1.2), samples([("2026-10-07 09:00", 9.0)], sample_type="grab")
    )
    row = only(comparisons(results, DAY))
    assert (row["low"], row["n"], row["sources"]) == (1.2, 1, "lab.xlsx!Results!C2")


@pytest.mark.parametrize(
    ("start", "end", "day"),
    [
        ("2026-11-14 08:00", "2026-11-15 08:00", "2026-11-14"),
        ("2026-11-14 20:00", "2026-11-15 20:00", "2026-11-15"),
        ("2026-11-14 12:00", "2026-11-15 12:00", "2026-11-14"),  # a tie: the day it starts
        ("2026-11-14 23:00", "2026-11-16 00:30", "2026-11-15"),
        ("2026-11-14", "2026-11-15", "2026-11-14"),  # "November 14-15", P-22
    ],
)
def test_a_composite_belongs_to_the_day_of_most_of_its_hours(start: str, end: str, day: str) -> None:
    row = only(comparisons(composite(start, end, 1.0), DAY))
    assert row["period_start"] == pd.Timestamp(day)


def test_a_sampling_day_can_begin_at_another_hour() -> None:
    results = samples([("2026-10-07 06:00", 1.0), ("2026-10-07 07:00", 3.0)], sample_type="grab")
    frame = comparisons(results, DAY, sampling_day="07:00")
    assert frame["period_start"].astype(str).tolist() == ["2026-10-06 07:00:00", "2026-10-07 07:00:00"]
    assert frame["verdict"].tolist() == ["complies", "exceeds"]


def test_several_composites_of_a_day_are_weighted_by_their_hours() -> None:
    results = both(
        composite("2026-10-07 00:00", "2026-10-07 06:00", 4.0), composite("2026-10-07 06:00", "2026-10-08 00:00", 0.8)
    )
    row = only(comparisons(results, DAY))
    assert row["low"] == pytest.approx((4.0 * 6 + 0.8 * 18) / 24)
    assert (row["n"], row["verdict"]) == (2, "complies")


def test_a_composite_of_more_than_26_hours_is_not_evaluated() -> None:
    row = only(comparisons(composite("2026-10-07 00:00", "2026-10-08 02:01", 5.0), DAY))
    assert (row["verdict"], row["reason"]) == ("not evaluated", "a composite of more than 26 hours")
    assert only(comparisons(composite("2026-10-07 00:00", "2026-10-08 02:00", 5.0), DAY))["verdict"] == "exceeds"


def test_a_month_of_composites_that_cannot_be_evaluated_is_not_evaluated() -> None:
    row = only(comparisons(composite("2026-10-07 00:00", "2026-10-08 02:01", 5.0), MONTH))
    assert (row["verdict"], row["period_start"]) == ("not evaluated", pd.Timestamp("2026-10-01"))


def test_a_meters_readings_are_weighted_by_the_time_that_each_holds() -> None:
    flow = limit("Flow", ">", "10", "daily maximum")
    results = samples(
        [("2026-10-07 00:00", 1.0), ("2026-10-07 00:30", 4.0), ("2026-10-07 00:40", 1.0)],
        "Flow",
        sample_type="continuous",
    )
    # 1.0 holds 30 min, 4.0 holds 10, and the last one an hour, the longest that a reading holds.
    assert only(comparisons(results, flow))["low"] == pytest.approx((30 * 1 + 10 * 4 + 60 * 1) / 100)


def test_the_hour_that_a_log_repeats_counts_twice() -> None:
    hours = [
        *(f"2026-11-01 {hour:02d}:00" for hour in range(2)),
        *(f"2026-11-01 {hour:02d}:00" for hour in range(1, 24)),
    ]
    values = [0.0, 0.0, 5.0, *[0.0] * 22]
    results = samples(list(zip(hours, values, strict=True)), "Flow", sample_type="continuous")
    row = only(comparisons(results, limit("Flow", ">", "10", "daily maximum")))
    assert row["n"] == 25
    assert row["low"] == pytest.approx(5.0 / 25)


def test_daily_maximum_and_24_hour_average_are_one_value() -> None:
    results = samples([("2026-10-07 08:00", 1.0), ("2026-10-07 20:00", 2.0)])
    frame = comparisons(results, DAY, limit("Copper", ">", "1.6", "daily maximum"))
    assert frame["low"].tolist() == [1.5, 1.5]


def test_ph_is_never_averaged() -> None:
    results = samples([("2026-10-07 08:00", 4.0), ("2026-10-07 09:00", 10.0)], "pH")
    tables = check(
        results,
        limit("pH", ">", "9.5", "24-hour average"),
        limit("pH", "<", "5.0", "monthly average"),
        limit("pH", ">", "9.5", "daily maximum"),
    )
    assert tables["comparisons"]["low"].tolist() == [10.0]
    assert set(tables["not_evaluated"]["reason"]) == {"never averaged"}


# The month


def test_p7_monthly_average() -> None:
    """Published: daily average 19.75 mg/L; maximum individual grab 29.00 (wastewater101.net)."""
    month = samples([("2019-03-03", 22.0), ("2019-03-10", 29.0), ("2019-03-17", 18.0), ("2019-03-24", 10.0)], "BOD5")
    frame = comparisons(month, limit("BOD5", ">", "20", "monthly average"), limit("BOD5", ">", "30"))
    assert frame.loc[frame["statistic"] == "monthly average", "low"].tolist() == [19.75]
    assert frame.loc[frame["statistic"] == "instantaneous", "low"].max() == 29.0


def test_one_value_makes_a_month() -> None:
    row = only(comparisons(samples([("2026-10-31 23:59", 1.2)]), MONTH))
    assert (row["n"], row["verdict"], row["period_end"]) == (1, "exceeds", pd.Timestamp("2026-11-01"))


def test_a_month_averages_days_and_not_samples() -> None:
    results = samples([("2026-10-07 08:00", 1.0), ("2026-10-07 09:00", 3.0), ("2026-10-08 08:00", 0.0)])
    row = only(comparisons(results, MONTH))
    assert (row["low"], row["n"]) == (1.0, 3)


# 30 days


def thirty(values: list[tuple[str, object]], how: str) -> pd.DataFrame:
    return comparisons(samples(values), THIRTY, thirty_day=how)


def test_thirty_day_calendar_is_the_months_average() -> None:
    frame = thirty([("2026-09-20", 1.0), ("2026-10-02", 1.2), ("2026-10-30", 0.2)], "calendar")
    assert frame["low"].round(9).tolist() == [1.0, 0.7]


def test_thirty_day_consecutive_is_the_worst_window_that_ends_in_the_month() -> None:
    frame = thirty([("2026-09-20", 1.0), ("2026-10-02", 1.2), ("2026-10-30", 0.2)], "consecutive")
    october = only(frame[frame["period_start"] == "2026-10-01"])
    assert october["low"] == pytest.approx(1.1)
    assert (october["n"], october["period_end"]) == (2, pd.Timestamp("2026-11-01"))
    assert "2026-09-03 to 2026-10-02" in october["reason"]
    assert october["sources"] == "lab.xlsx!Results!C2; lab.xlsx!Results!C3"


def test_a_window_may_end_on_a_day_without_a_sample() -> None:
    # Only a window that ends from October 21 on leaves the low value of September 21 behind.
    values = [("2026-09-21", 0.0), ("2026-10-01", 1.0), ("2026-10-02", 1.0), ("2026-10-30", 0.0)]
    october = thirty(values, "consecutive").iloc[-1]
    assert october["low"] == 1.0
    assert "2026-09-22 to 2026-10-21" in october["reason"]


def test_a_window_of_one_value_does_not_count_where_the_month_has_two() -> None:
    # The first window of October that holds a value of it holds one alone; the next one has both.
    october = only(thirty([("2026-10-05", 9.0), ("2026-10-20", 1.0)], "consecutive"))
    assert october["low"] == 5.0


def test_a_window_of_one_value_is_named_where_the_month_has_one() -> None:
    october = thirty([("2026-09-20", 0.2), ("2026-10-02", 1.2)], "consecutive").iloc[-1]
    assert (october["low"], october["n"], october["sources"]) == (1.2, 1, "lab.xlsx!Results!C3")


def test_windows_of_one_user_hold_nothing_of_the_next() -> None:
    """Acme is measured every day to October 5, and Bolt from the 6th on."""
    acme = [
        (f"{day:%Y-%m-%d}", float(day.month == 10 or day.day > 15)) for day in pd.date_range("2026-09-01", "2026-10-05")
    ]
    bolt = [(f"{day:%Y-%m-%d}", 0.5) for day in pd.date_range("2026-10-06", "2026-11-05") if day.day != 3]
    results = both(samples(acme, facility="Acme"), samples(bolt, facility="Bolt"))
    frame = comparisons(results, THIRTY, thirty_day="consecutive")
    lows = {(row.facility, row.period_start.month): row.low for row in frame.itertuples()}
    assert lows == {("Acme", 9): 0.5, ("Acme", 10): 1.0, ("Bolt", 10): 0.5, ("Bolt", 11): 0.5}


def test_without_such_a_window_the_calendar_month_counts() -> None:
    october = only(thirty([("2026-10-01", 9.0), ("2026-10-31", 1.0)], "consecutive"))
    assert october["low"] == 5.0
    assert "30 days" not in october["reason"]


def test_one_value_is_enough_where_the_month_has_one() -> None:
    assert only(thirty([("2026-10-05", 0.9)], "consecutive"))["verdict"] == "exceeds"


def test_open_spans_both_readings() -> None:
    frame = thirty([("2026-09-20", 1.0), ("2026-10-02", 1.2), ("2026-10-30", 0.2)], "open")
    october = frame.iloc[-1]
    assert (round(october["low"], 9), round(october["high"], 9)) == (0.7, 1.1)
    assert (october["verdict"], october["n"]) == ("undetermined", 2)


def test_averages_has_a_row_for_each_reading_with_its_own_days() -> None:
    results = samples([("2026-09-20", 1.0), ("2026-10-02", 1.2), ("2026-10-30", 0.2)])
    frame = check(results, THIRTY, period="2026-10")["averages"]
    rows = frame[["period_start", "period_end", "n", "low"]].round({"low": 9}).astype(str).to_numpy().tolist()
    assert rows == [["2026-09-03", "2026-10-03", "2", "1.1"], ["2026-10-01", "2026-11-01", "2", "0.7"]]


def test_a_lower_bound_takes_the_lowest_window() -> None:
    least = limit("Alkalinity as CaCO3", "<", "100", "30-day average")
    values = [("2026-09-20", 80.0), ("2026-10-02", 90.0), ("2026-10-30", 200.0)]
    frame = comparisons(samples(values, "Alkalinity as CaCO3", unit=least.unit), least, thirty_day="consecutive")
    assert frame.iloc[-1]["low"] == 85.0
    assert frame.iloc[-1]["verdict"] == "exceeds"


def brute_thirty(days: dict[int, float], month: tuple[int, int]) -> float | None:
    """The interface's sentence, word for word: every window of 30 days, tried."""
    mine = [day for day in days if month[0] <= day < month[1]]
    worst = None
    for end in range(*month):
        window = [day for day in days if end - 29 <= day <= end]
        if not any(day in mine for day in window) or (len(mine) >= 2 and len(window) < 2):
            continue
        average = sum(days[day] for day in window) / len(window)
        worst = average if worst is None else max(worst, average)
    return worst


@pytest.mark.parametrize("seed", range(40))
def test_the_worst_window_is_the_worst_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    start = np.datetime64("2026-08-01", "D")
    chosen = np.sort(rng.choice(120, rng.integers(1, 60), replace=False))
    days = {
        int(day): float(value) for day, value in zip(chosen, rng.lognormal(0, 1, len(chosen)).round(3), strict=True)
    }
    results = samples([(str(start + np.timedelta64(day, "D")), value) for day, value in days.items()])
    frame = comparisons(results, THIRTY, thirty_day="consecutive")
    assert len(frame)
    for row in frame.itertuples():
        month = tuple(
            int((np.datetime64(str(edge.date())) - start).astype(int)) for edge in (row.period_start, row.period_end)
        )
        expected = brute_thirty(days, month)
        if expected is None:
            mine = [value for day, value in days.items() if month[0] <= day < month[1]]
            expected = sum(mine) / len(mine)
        assert row.low == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("values", "operator", "verdict"),
    [
        (("<2", "<2"), ">=", "complies"),  # any number below 2
        (("<2", 2.0), ">=", "complies"),
        ((2.0, 2.0), ">=", "exceeds"),
        ((">2", 2.0), ">", "exceeds"),  # any number above 2
        ((2.0, 2.0), ">", "complies"),
    ],
)
def test_an_average_of_30_days_is_open_where_a_value_is(
    values: tuple[object, ...], operator: str, verdict: str
) -> None:
    days = samples([("2026-10-05", values[0]), ("2026-10-06", values[1])])
    assert verdicts(days, limit("Copper", operator, "2", "30-day average"), thirty_day="consecutive") == [verdict]


@pytest.mark.parametrize("seed", range(40))
def test_of_equal_windows_of_30_days_the_end_that_violates_first_counts(seed: int) -> None:
    """Numbers 1 and 2, below and above them, so that many windows are equal: every window tried by hand."""
    rng = np.random.default_rng(seed)
    start = np.datetime64("2026-08-01", "D")
    chosen = np.sort(rng.choice(100, rng.integers(2, 12), replace=False)).tolist()
    text = {day: f"{rng.choice(['', '<', '>'], p=[0.5, 0.3, 0.2])}{rng.integers(1, 3)}" for day in chosen}
    done = work(
        samples([(str(start + np.timedelta64(day, "D")), word) for day, word in text.items()]),
        THIRTY,
        thirty_day="consecutive",
    )
    (block,) = (block for block in done.blocks if block.statistic == "30-day average" and block.refused is None)
    begin, finish = (edge.astype("datetime64[s]").astype("datetime64[D]") for edge in block.span())
    for at in range(len(block)):
        month = range(int((begin[at] - start).astype(int)), int((finish[at] - start).astype(int)))
        mine = [day for day in chosen if day in month]
        windows = [[day for day in chosen if end - 29 <= day <= end] for end in month]
        windows = [days for days in windows if set(days) & set(mine) and len(days) >= min(len(mine), 2)]
        lows, highs = [], []
        for days in windows or [mine]:
            signs, numbers = [text[day].strip("12") for day in days], [float(text[day].strip("<>")) for day in days]
            low = sum(0.0 if sign == "<" else number for sign, number in zip(signs, numbers, strict=True)) / len(days)
            lows.append((low, ">" in signs))
            highs.append((np.inf if ">" in signs else sum(numbers) / len(days), bool({"<", ">"} & set(signs))))
        low, high = max(low for low, _ in lows), max(high for high, _ in highs)
        value = block.value
        assert (value.low[at], value.opened("low")[at]) == (low, (low, True) in lows)
        assert (value.high[at], value.opened("high")[at]) == (high, (high, False) not in highs)


# Other averages


def test_four_consecutive_monitoring_days() -> None:
    four = limit("Copper", ">", "2.7", "4-day average")
    values = [(f"2026-10-{day:02d}", value) for day, value in [(1, 1.0), (5, 2.0), (6, 3.0), (20, 6.0), (21, 1.0)]]
    frame = comparisons(samples(values), four)
    assert frame["low"].tolist() == [3.0, 3.0]
    assert frame["period_start"].astype(str).tolist() == ["2026-10-01", "2026-10-05"]
    assert frame["verdict"].tolist() == ["exceeds", "exceeds"]


def test_three_monitoring_days_make_no_average_of_four() -> None:
    four = limit("Copper", ">", "2.7", "4-day average")
    tables = check(samples([("2026-10-01", 9.0), ("2026-10-05", 9.0), ("2026-10-06", 9.0)]), four)
    assert tables["comparisons"].empty
    assert tables["not_evaluated"]["reason"].tolist() == ["fewer than 4 monitoring days"]


def test_a_week_runs_from_sunday_to_saturday() -> None:
    week = limit("Copper", ">", "1", "weekly average")
    frame = comparisons(samples([("2026-10-03", 1.0), ("2026-10-04", 2.0), ("2026-10-10", 4.0)]), week)
    assert frame["period_start"].astype(str).tolist() == ["2026-09-27", "2026-10-04"]
    assert frame["low"].tolist() == [1.0, 3.0]


def test_a_week_may_run_from_monday() -> None:
    week = limit("Copper", ">", "1", "weekly average")
    values = samples([("2026-10-04", 1.0), ("2026-10-05", 2.0), ("2026-10-11", 4.0)])  # Sunday, Monday, Sunday
    frame = comparisons(values, week, week_starts="Monday")
    assert frame["period_start"].astype(str).tolist() == ["2026-09-28", "2026-10-05"]
    assert frame["low"].tolist() == [1.0, 3.0]


def test_one_value_of_a_month_stands_alone_once_the_month_before_lies_more_than_30_days_back() -> None:
    # October 10 alone makes 4; with September 20 in the window it would be 2.
    october = thirty([("2026-09-20", 0.0), ("2026-10-10", 4.0)], "consecutive").iloc[-1]
    assert (october["low"], october["n"]) == (4.0, 1)


def test_twelve_months_end_with_each_month() -> None:
    year = limit("Copper", ">", "1", "12-month average")
    frame = comparisons(samples([("2025-10-15", 6.0), ("2025-11-15", 1.0), ("2026-10-15", 3.0)]), year)
    assert frame["low"].tolist() == [6.0, 3.5, 2.0]
    assert frame["period_start"].astype(str).tolist() == ["2024-11-01", "2024-12-01", "2025-11-01"]


def test_median_and_geometric_mean() -> None:
    values = samples([("2026-10-01", 1.0), ("2026-10-02", 10.0), ("2026-10-03", 100.0), ("2026-10-04", 1000.0)])
    frame = comparisons(values, limit("Copper", ">", "1", "median"), limit("Copper", ">", "1", "geometric mean"))
    assert frame.set_index("statistic")["low"].round(9).to_dict() == {"median": 55.0, "geometric mean": 31.622776602}


def test_the_geometric_mean_of_a_zero_is_refused() -> None:
    row = only(
        comparisons(samples([("2026-10-01", 0.0), ("2026-10-02", 10.0)]), limit("Copper", ">", "1", "geometric mean"))
    )
    assert (row["verdict"], row["reason"]) == ("not evaluated", "the geometric mean of a zero")


def test_a_document_may_ask_for_a_least_number_of_values() -> None:
    """40 CFR 425.02(j): the average of eight individual data points in any calendar month."""
    eight = limit("Copper", ">", "1.0", "monthly average", settings={"minimum": "3"})
    row = only(comparisons(samples([("2026-10-01", 9.0), ("2026-10-02", 9.0)]), eight))
    assert (row["verdict"], row["reason"]) == ("not evaluated", "2 of the 3 values that the average needs")
    assert verdicts(samples([(f"2026-10-0{day}", 9.0) for day in (1, 2, 3)]), eight) == ["exceeds"]


def test_an_average_within_a_billionth_of_the_limit_does_not_exceed_it() -> None:
    """Thirty values of 0.1 add up to more than thirty times 0.1 in binary."""
    tenth = samples([(f"2026-10-{day:02d}", 0.1) for day in range(1, 31)])
    assert set(
        verdicts(tenth, limit("Copper", ">", "0.1", "monthly average"), limit("Copper", ">", "0.1", "30-day average"))
    ) == {"complies"}


def test_a_large_value_long_past_leaves_no_rounding_behind() -> None:
    values = [("2026-08-01", 1e12), *[(str(day.date()), 0.1) for day in pd.date_range("2026-09-01", "2026-10-31")]]
    frame = comparisons(samples(values), limit("Copper", ">", "0.1", "30-day average"), thirty_day="consecutive")
    assert frame.iloc[-1]["verdict"] == "complies"
    assert frame.iloc[-1]["low"] == pytest.approx(0.1, rel=1e-12)
