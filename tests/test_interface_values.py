"""The interface's sentences on values, statistics, slugs and settings, each on a few results, answers by hand."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from packs_made import HEAD, write

import pretreat
from pretreat.errors import PackError, UsageError
from pretreat.settings import validate

SEVENTH = "2026-10-07"
SLUG = """
[slug]
id = "S"
printed = "slug"
definition = { of = ["Flow", "any constituent"], above = "5 times", baseline = "average 24 hours", for = "more than 15 minutes" }
"""


TABLES = ("results", "averages", "comparisons", "not_evaluated", "slugs", "limits")
"""What these tests look at, and what an explanation needs."""


@pytest.fixture
def check(tmp_path):
    """Check results against one limit, or a pack's text."""

    def run(rows: list[dict[str, Any]], limit: str, **options: Any) -> pretreat.Review:
        given = {"above": "1", "unit": '"mg/L"', "statistic": '"daily maximum"'}
        given |= dict(part.split("=", 1) for part in limit.split(", ")) if limit else {}
        keys = {name.strip(): value for name, value in given.items()}
        keys.setdefault("parameter", '"Copper"')
        head = HEAD + str(options.pop("head", ""))
        text = '[[limit]]\ncite = "A"\n' + "".join(f"{name} = {value}\n" for name, value in keys.items())
        text = str(options.pop("pack", text))
        options.setdefault("tables", TABLES)
        return pretreat.check(
            pd.DataFrame(rows), pretreat.load_limits(str(write(tmp_path, text, head=head))), federal=False, **options
        )

    return run


def rows(*values: tuple[Any, ...], parameter: str = "Copper", unit: str = "mg/L", **more: Any) -> list[dict[str, Any]]:
    """Make results of (value, start[, sample type[, end]])."""
    names = ("value", "start", "sample_type", "end")
    same = {"facility": "Acme", "parameter": parameter, "unit": unit, **more}
    return [same | dict(zip(names, value, strict=False)) for value in values]


def only(review: pretreat.Review) -> dict[str, Any]:
    (row,) = review.comparisons.astype(object).to_dict("records")
    return row


def verdicts(review: pretreat.Review) -> list[str]:
    return review.comparisons["verdict"].astype(str).tolist()


@pytest.mark.parametrize(
    ("value", "limit", "verdict"),
    [
        ("<0.2", "at_or_above=0.2", "complies"),
        ("<0.2", "above=0.1", "undetermined"),
        (">20", "above=20", "exceeds"),
        (">20", "at_or_above=20", "exceeds"),
        (">20", "below=20", "complies"),
        (">20", "at_or_below=20", "complies"),
        ("<20", "below=20", "exceeds"),
    ],
)
def test_the_ends_of_qualified_values_are_open(check, value, limit, verdict):
    pack = f'[[limit]]\ncite = "A"\nparameter = "Copper"\nunit = "mg/L"\nstatistic = "instantaneous"\n{limit}\n'
    assert verdicts(check(rows((value, f"{SEVENTH} 08:00")), "", pack=pack)) == [verdict]


@pytest.mark.parametrize(
    ("rule", "low", "high", "said"),
    [
        ("value", 0.05, 0.05, "the value"),
        ("detection limit", 0.02, 0.02, "the detection limit"),
        ("zero", 0.0, 0.0, "zero"),
        ("interval", 0.02, 0.1, "a range"),
    ],
)
def test_an_estimated_value_counts_as_the_setting_says_and_the_comparison_says_so(check, rule, low, high, said):
    given = rows(("0.05J", f"{SEVENTH} 08:00"), detection_limit=0.02, reporting_limit=0.1)
    row = only(check(given, "above=0.04", settings={"estimated": rule}))
    assert (row["low"], row["high"]) == (low, high)
    assert row["reason"].endswith(f"1 of 1 estimated (J), counted as {said}")


def test_an_average_says_how_many_of_its_values_are_estimated(check):
    given = rows(("0.05J", "2026-10-07"), (0.07, "2026-10-08"))
    assert only(check(given, 'statistic="monthly average"'))["reason"] == "1 of 2 estimated (J), counted as the value"


@pytest.mark.parametrize("sample_type", ["", "continuous"])
@pytest.mark.parametrize("step", ["15min", "60min"])
def test_the_repeated_hours_of_a_log_that_begins_on_the_day_clocks_go_back_stay_two(check, sample_type, step):
    # 1 November 2026 is that day, and the first of a month's log.
    back = pd.Timestamp("2026-11-01 01:00")
    first = pd.date_range("2026-11-01", back + pd.Timedelta("1h"), freq=step, inclusive="left")
    again = pd.date_range(back, "2026-11-01 23:59", freq=step)
    given = rows(*((0.1 + n / 1000, when) for n, when in enumerate(first.append(again))), sample_type=sample_type)
    review = check(given, 'statistic="instantaneous"')
    assert len(review.comparisons) == len(given)
    assert (review.comparisons["low"] == review.comparisons["high"]).all()


def test_two_results_of_one_printed_time_are_one_sample_in_a_log_too(check):
    hours = pd.date_range("2026-10-05", periods=48, freq="h")
    given = rows(*((0.1, when) for when in hours), (0.3, hours[5]))
    review = check(given, 'statistic="instantaneous"')
    assert len(review.comparisons) == 48
    assert review.comparisons.loc[review.comparisons["period_start"] == hours[5], "high"].tolist() == [0.3]


@pytest.mark.parametrize(
    ("values", "limit", "low", "verdict"),
    [
        ((0.24, 0.26), "0.2", 0.3, "exceeds"),  # 0.25, half up
        ((0.24, 0.24), "0.2", 0.2, "complies"),
        ((0.24, 0.24), "0.20", 0.24, "exceeds"),
    ],
)
def test_rounding_shows_the_number_that_was_compared(check, values, limit, low, verdict):
    given = rows(*zip(values, ("2026-10-07", "2026-10-08"), strict=True))
    review = check(given, f'statistic="monthly average", above={limit}', settings={"rounding": "limit"})
    row = only(review)
    assert (row["low"], row["high"], row["verdict"]) == (low, low, verdict)
    assert row["ratio"] == pytest.approx(low / float(limit))
    assert ("rounded to" in row["reason"]) == (low != sum(values) / 2)
    if verdict == "exceeds":
        assert "/ 2 = " in str(review.explain(row["comparison_id"]))


def test_a_reading_is_not_computed_and_never_rounded(check):
    row = only(check(rows((0.24, SEVENTH)), 'statistic="instantaneous", above=0.2', settings={"rounding": "limit"}))
    assert (row["low"], row["verdict"]) == (0.24, "exceeds")


def test_a_pack_says_on_which_day_its_weeks_start(check):
    # 2026-10-03 is a Saturday.
    given = rows(*((v, f"2026-10-{d:02d}") for d, v in ((3, 0.1), (4, 0.2), (10, 0.3), (11, 0.4))))
    sunday = check(given, 'statistic="weekly average"').comparisons
    assert sunday["low"].round(9).tolist() == [0.1, 0.25, 0.4]
    assert sunday["period_start"].dt.day_name().unique().tolist() == ["Sunday"]
    monday = check(given, 'statistic="weekly average"', head='week_starts = "Monday"\n').comparisons
    assert monday["low"].round(9).tolist() == [0.15, 0.35]
    assert monday["period_start"].dt.day_name().unique().tolist() == ["Monday"]


GRABS = rows((1.0, f"{SEVENTH} 08:30", "grab"), (4.0, f"{SEVENTH} 12:00", "grab"))
FLOW = rows((0.3, f"{SEVENTH} 08:00"), (0.1, f"{SEVENTH} 12:00"), parameter="Flow", unit="MGD")


def test_grabs_are_weighted_by_flow_where_the_pack_says_so(check):
    assert only(check(GRABS + FLOW, ""))["low"] == 2.5
    row = only(check(GRABS + FLOW, "", head='daily_weighting = "flow"\n'))
    assert row["low"] == row["high"] == pytest.approx(1.75)  # (1 × 0.3 + 4 × 0.1) / 0.4
    assert row["reason"] == "grabs weighted by flow"


@pytest.mark.parametrize("flow", [[], FLOW[:1]])
def test_without_a_grabs_flow_every_weighting_is_possible(check, flow):
    row = only(check(GRABS + flow, "above=2", head='daily_weighting = "flow"\n'))
    assert (row["low"], row["high"], row["verdict"]) == (1.0, 4.0, "undetermined")
    assert "not known for each" in row["reason"]


def test_hours_without_discharge_do_not_dilute_a_day(check):
    hours = pd.date_range(SEVENTH, periods=24, freq="h")
    zinc = rows(*((0.4 if n < 12 else 0.0, when) for n, when in enumerate(hours)), sample_type="continuous")
    flow = rows(
        *((1.0 if n < 12 else 0.0, when) for n, when in enumerate(hours)),
        parameter="Flow",
        unit="MGD",
        sample_type="continuous",
    )
    assert only(check(zinc, "above=0.3"))["low"] == pytest.approx(0.2)
    row = only(check(zinc + flow, "above=0.3"))
    assert (row["low"], row["verdict"]) == (pytest.approx(0.4), "exceeds")
    assert row["reason"] == "hours without discharge left out"


def test_a_pack_says_how_long_a_reading_holds(check):
    given = rows((0.0, f"{SEVENTH} 00:00"), (1.0, f"{SEVENTH} 00:50"), sample_type="continuous")
    assert only(check(given, ""))["low"] == pytest.approx(60 / 110)
    assert only(check(given, "", head='max_gap = "10 min"\n'))["low"] == 0.5


def gauge(days: int, over: int = 0, base: float = 1.0) -> list[dict[str, Any]]:
    """Log flow every five minutes, with so many readings of ten on the morning of the last day."""
    when = pd.date_range("2026-10-01", periods=days * 288, freq="5min")
    morning = (days - 1) * 288 + 120
    return rows(
        *((10.0 if morning <= n < morning + over else base, at) for n, at in enumerate(when)),
        parameter="Flow",
        unit="gpm",
        sample_type="continuous",
    )


@pytest.mark.parametrize(
    ("over", "settings", "minutes", "verdict"),
    [
        (1, {}, (0, 10), "complies"),
        (3, {}, (10, 20), "undetermined"),
        (4, {}, (15, 25), "undetermined"),  # exactly 15 is not more than 15
        (5, {}, (20, 30), "exceeds"),
        (3, {"reading": "mean"}, (15, 15), "complies"),
        (4, {"reading": "mean"}, (20, 20), "exceeds"),
    ],
)
def test_how_long_a_slug_lasted(check, over, settings, minutes, verdict):
    review = check(gauge(9, over), "", pack=SLUG, settings=settings)
    (slug,) = review.slugs.astype(object).to_dict("records")
    assert (slug["minutes_low"], slug["minutes_high"]) == minutes
    assert slug["verdict"] == verdict
    assert verdicts(review) == [verdict]


@pytest.mark.parametrize(
    ("days", "settings", "reason"),
    [
        (7, {}, "fewer than 7 days of normal operation"),  # the seventh holds the run
        (8, {}, ""),
        (7, {"baseline_days": "6"}, ""),
        (7, {"baseline": "all"}, ""),
        (7, {"baseline": "2026-10-01:2026-10-06"}, "fewer than 7 days given"),
        (2, {"baseline": "1 gpm"}, ""),
    ],
)
def test_what_makes_a_baseline(check, days, settings, reason):
    review = check(gauge(days, 5), "", pack=SLUG, settings=settings)
    waiting = review.not_evaluated
    found = waiting.loc[waiting["parameter"].astype(str) == "Flow", "reason"].astype(str).tolist()
    assert found == ([reason] if reason else [])
    assert verdicts(review) == ([] if reason else ["exceeds"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"sampling_day": "25:00"},
        {"baseline": "2026-10-08:2026-10-01"},
        {"baseline": "2026-13-01:2026-14-01"},
        {"baseline_days": "0"},
        {"week_starts": "Funday"},
        {"complete_day": "1.2"},
    ],
)
def test_a_setting_that_cannot_be_is_refused(wrong):
    with pytest.raises(UsageError):
        validate(wrong)


def test_a_setting_of_one_row_that_cannot_be_is_a_fault_of_the_pack(check):
    with pytest.raises(PackError, match="week_starts does not take 'Funday'"):
        check(rows((1.0, SEVENTH)), 'set.week_starts="Funday"')


def test_files_are_read_before_they_are_checked():
    with pytest.raises(UsageError, match=r"check\(read_samples\(files\)\)"):
        pretreat.check("october.xlsx", "ny/little-valley")
