"""Averages that reach over the edge of a season, or over the day on which a limit begins or ends."""

import numpy as np
import pandas as pd
import pytest
from packs_made import HEAD, write

import pretreat

SEASONS = (
    '[[table]]\nunit = "mg/L"\nstatistic = "monthly average"\ncolumns = ["id", "parameter", "above", "season"]\nrows = ['
    '["s", "Zinc", 2.0, "May 16 to October 31"], ["w", "Zinc", 3.0, "November 1 through May 15"]]\n'
)


def check(folder, text, *rows, **more):
    frame = pd.DataFrame(rows, columns=["start", "value"])
    frame["start"] = pd.to_datetime(frame["start"])
    frame = frame.assign(facility="Acme", parameter="Zinc", unit="mg/L")
    path = str(write(folder, text, head=HEAD + 'thirty_day = "calendar"\n'))
    found = pretreat.check(frame, path, federal=False, as_of="2026-12-01", **more)
    return found.comparisons[found.comparisons.statistic != "instantaneous"]


@pytest.mark.parametrize(("value", "verdict"), [(1.9, "complies"), (2.5, "undetermined"), (3.1, "exceeds")])
def test_over_a_seasons_edge_both_limits_are_tried(tmp_path, value, verdict):
    (row,) = check(tmp_path, SEASONS, ("2026-05-10", value), ("2026-05-20", value)).itertuples()
    assert (row.limit_low, row.limit_high, row.verdict) == (2.0, 3.0, verdict)
    assert "2026-05-16" in row.reason


def test_what_was_sampled_on_one_side_is_under_that_limit(tmp_path):
    (row,) = check(tmp_path, SEASONS, ("2026-05-20", 2.5), ("2026-05-25", 2.5)).itertuples()
    assert (row.limit_id, row.limit_high, row.verdict) == ("s", 2.0, "exceeds")
    (row,) = check(tmp_path, SEASONS, ("2026-05-02", 2.5), ("2026-05-15", 2.5)).itertuples()
    assert (row.limit_id, row.limit_high, row.verdict) == ("w", 3.0, "complies")
    (row,) = check(tmp_path, SEASONS, ("2026-05-16", 2.5), ("2026-05-25", 2.5)).itertuples()
    assert (row.limit_id, row.limit_high, row.verdict) == ("s", 2.0, "exceeds")
    found = check(tmp_path, SEASONS, ("2026-04-10", 2.5), ("2026-05-16", 2.5), ("2026-05-25", 2.5))
    assert found[["limit_id", "verdict"]].to_numpy().tolist() == [["w", "complies"], ["s", "exceeds"]]


@pytest.mark.parametrize(
    ("days", "limit", "words", "other"),
    [
        (("2026-05-20", "2026-05-25"), "s", "only from 2026-05-16 on", "w"),
        (("2026-05-02", "2026-05-15"), "w", "only before 2026-05-16", "s"),
        (("2026-06-02", "2026-06-15"), "s", "", None),
    ],
)
def test_what_was_sampled_on_one_side_is_said_so_and_the_other_limit_stands_without_results(
    tmp_path, days, limit, words, other
):
    frame = pd.DataFrame({"facility": "Acme", "parameter": "Zinc", "unit": "mg/L", "value": 2.5, "start": days})
    path = str(write(tmp_path, SEASONS, head=HEAD))
    found = pretreat.check(frame, path, federal=False, as_of="2026-12-01")
    (row,) = found.comparisons.itertuples()
    said = f"this limit was in force {words}, and all that was sampled lies there" if words else ""
    assert (row.limit_id, row.reason) == (limit, said)
    rest = found.not_evaluated[["limit_id", "reason"]].to_numpy().tolist()
    assert rest == ([[other, "no results"]] if other else [])


def test_a_limit_that_begins_after_the_last_sample_of_the_month_stands_without_results(tmp_path):
    """Without --period, the period is the whole calendar months that hold results."""
    text = '[[limit]]\nid = "n"\nparameter = "Zinc"\nabove = 1\nunit = "mg/L"\nstatistic = "monthly average"\n'
    frame = pd.DataFrame(
        {"facility": "Acme", "parameter": "Zinc", "unit": "mg/L", "value": 2.5, "start": ["2026-05-10"]}
    )
    for first, rest in (("2026-05-16", [["n", "no results"]]), ("2026-06-01", [])):
        path = str(write(tmp_path, text + f"from = {first}\n", head=HEAD))
        found = pretreat.check(frame, path, federal=False, as_of="2026-12-01")
        assert found.comparisons.empty
        assert found.not_evaluated[["limit_id", "reason"]].to_numpy().tolist() == rest


@pytest.mark.parametrize(("value", "verdict"), [(0.9, "complies"), (1.1, "undetermined")])
def test_a_limit_that_begins_within_the_month_may_not_apply(tmp_path, value, verdict):
    text = (
        '[[limit]]\nid = "n"\nparameter = "Zinc"\nabove = 1\nunit = "mg/L"\nstatistic = "monthly average"\n'
        "from = 2026-05-16\n"
    )
    (row,) = check(tmp_path, text, ("2026-05-10", value), ("2026-05-20", value)).itertuples()
    assert (row.limit_low, row.verdict) == (1.0, verdict)
    assert np.isnan(row.limit_high)


def spans(*limits):
    """Limits of zinc in a month's average, each with a first day and the first day after it."""
    row = '[[limit]]\nid = "{}"\nparameter = "Zinc"\nabove = {}\nunit = "mg/L"\nstatistic = "monthly average"\n'
    return "".join(
        row.format(name, above) + "".join(f"{word} = {day}\n" for word, day in dates.items())
        for name, above, dates in limits
    )


def test_of_three_limits_only_those_in_force_while_it_was_sampled_are_tried(tmp_path):
    text = spans(
        ("a", 9, {"until": "2026-05-10"}),
        ("b", 2, {"from": "2026-05-10", "until": "2026-05-20"}),
        ("c", 3, {"from": "2026-05-20"}),
    )
    (row,) = check(tmp_path, text, ("2026-05-10", 2.5), ("2026-05-25", 2.5)).itertuples()
    assert (row.limit_low, row.limit_high, row.verdict) == (2.0, 3.0, "undetermined")
    assert row.reason == "the average reaches over 2026-05-20, when its limit changes"


@pytest.mark.parametrize(("value", "verdict"), [(1.9, "complies"), (9.0, "undetermined")])
def test_days_between_two_limits_are_under_none(tmp_path, value, verdict):
    text = spans(("a", 2, {"until": "2026-05-12"}), ("b", 3, {"from": "2026-05-18"}))
    (row,) = check(tmp_path, text, ("2026-05-10", value), ("2026-05-20", value)).itertuples()
    assert (row.limit_low, row.verdict) == (2.0, verdict)
    assert np.isnan(row.limit_high)
    assert row.reason == "the average reaches over 2026-05-12, 2026-05-18, when its limit begins or ends"


def test_seasons_of_a_days_maximum_are_not_those_of_the_month(tmp_path):
    daily = SEASONS.replace("monthly average", "daily maximum").replace("2.0", "5.0").replace("3.0", "8.0")
    daily = daily.replace('"s"', '"ds"').replace('"w"', '"dw"')
    found = check(tmp_path, SEASONS + daily, ("2026-05-10", 4.0), ("2026-05-20", 4.0))
    (row,) = found[found.statistic == "monthly average"].itertuples()
    assert (row.limit_low, row.limit_high, row.verdict) == (2.0, 3.0, "exceeds")


def test_each_parameter_is_tried_under_its_own_seasons(tmp_path):
    text = SEASONS.removesuffix("]\n") + (
        ', ["cs", "Copper", 5.0, "May 16 to October 31"], ["cw", "Copper", 8.0, "November 1 through May 15"]]\n'
    )
    days = pd.DataFrame(
        [(name, f"2026-05-{day}", 6.0) for name in ("Zinc", "Copper") for day in (10, 20)],
        columns=["parameter", "start", "value"],
    )
    path = str(write(tmp_path, text, head=HEAD))
    found = pretreat.check(days.assign(facility="Acme", unit="mg/L"), path, federal=False, as_of="2026-12-01")
    rows = found.comparisons[["parameter", "limit_low", "limit_high", "verdict"]].astype({"parameter": str})
    assert rows.to_numpy().tolist() == [["Copper", 5.0, 8.0, "undetermined"], ["Zinc", 2.0, 3.0, "exceeds"]]


def test_at_a_point_that_may_be_another_nothing_is_tried(tmp_path):
    text = SEASONS.replace('unit = "mg/L"', 'unit = "mg/L"\npoint = "end of process"')
    users = pd.DataFrame({"facility": ["Acme"], "outfall": [""], "point": [""]})
    (row,) = check(tmp_path, text, ("2026-05-10", 9.0), ("2026-05-20", 9.0), facilities=users).itertuples()
    assert (row.verdict, row.reason) == ("not evaluated", "point unknown")


def test_a_lower_bound_is_open_at_its_other_end(tmp_path):
    text = '[[limit]]\nid = "n"\nparameter = "Zinc"\nbelow = 1\nunit = "mg/L"\nstatistic = "monthly average"\n'
    text += "until = 2026-05-16\naccept.wrong-side = 'a test'\n"
    (row,) = check(tmp_path, text, ("2026-05-10", 0.5), ("2026-05-20", 0.5)).itertuples()
    assert (row.limit_high, row.verdict) == (1.0, "undetermined")
    assert np.isnan(row.limit_low)


@pytest.mark.parametrize(
    "statistic", ["4-day average", "weekly average", "30-day average", "12-month average", "median"]
)
def test_every_average_of_more_than_a_day(tmp_path, statistic):
    days = [(f"2026-05-{day}", 2.5) for day in (13, 14, 15, 16)]  # Wednesday to Saturday
    (row,) = check(tmp_path, SEASONS.replace("monthly average", statistic), *days).itertuples()
    assert (row.limit_low, row.limit_high, row.verdict) == (2.0, 3.0, "undetermined")


def test_a_days_value_is_judged_by_its_own_day(tmp_path):
    found = check(
        tmp_path, SEASONS.replace("monthly average", "daily maximum"), ("2026-05-15", 2.5), ("2026-05-16", 2.5)
    )
    assert found.verdict.tolist() == ["exceeds", "complies"] or found.verdict.tolist() == ["complies", "exceeds"]
    assert set(zip(found.limit_id, found.verdict, strict=True)) == {("s", "exceeds"), ("w", "complies")}


def test_an_answer_that_changes_within_the_month_is_such_an_edge(tmp_path):
    row = '[[limit]]\nid = "{}"\nparameter = "Zinc"\nabove = {}\nunit = "mg/L"\nstatistic = "monthly average"\n'
    row += 'when.old = "{}"\n'
    text = '[facts]\nold = "Is it old?"\n' + row.format("a", 2, "yes") + row.format("b", 3, "no")
    users = pd.DataFrame(
        {"facility": ["Acme", "Acme"], "old": ["yes", "no"], "from": ["", "2026-05-16"], "until": ["2026-05-16", ""]}
    )
    (row,) = check(tmp_path, text, ("2026-05-10", 2.5), ("2026-05-20", 2.5), facilities=users).itertuples()
    assert (row.limit_low, row.limit_high, row.verdict) == (2.0, 3.0, "undetermined")
