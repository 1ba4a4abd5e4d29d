"""Results that carry a statistic of somebody else's making: held against limits on the same one, or said to be held against none."""

import pandas as pd
import pytest

import pretreat

CODE = "no limit on this statistic"


def result(parameter, value, unit, statistic, day="2026-10-05"):
    return {"facility": "Acme", "parameter": parameter, "value": value, "unit": unit, "statistic": statistic,
            "start": pd.Timestamp(day)}  # fmt: skip


def check(*rows):
    return pretreat.check(pd.DataFrame(list(rows)), "ny/little-valley", federal=False)


@pytest.mark.parametrize("statistic", ["Average", "Daily Avg", "Daily Max", "Minimum", "Maximum", "Monthly Average"])
def test_a_statistic_that_no_limit_is_on_is_said(statistic):
    review = check(result("Copper", 20.0, "mg/L", statistic))
    assert review.exceedances.empty
    [said] = review.findings[review.findings["code"] == CODE].to_dict("records")
    assert (said["facility"], said["parameter"]) == ("Acme", "Copper")
    assert "held against nothing" in said["message"]
    unanswered = review.tables["not_evaluated"]
    copper = unanswered[(unanswered["parameter"] == "Copper").to_numpy()]
    assert set(copper["reason"]) == {"only results of another statistic"}


@pytest.mark.parametrize("statistic", ["", "SINGSAMP", "30-day average", "30DA AVG", "24-hr avg"])
def test_a_single_sample_and_a_statistic_that_a_limit_is_on_are_not(statistic):
    review = check(result("Copper", 20.0, "mg/L", statistic))
    assert len(review.exceedances)
    assert CODE not in set(review.findings["code"])


@pytest.mark.parametrize(
    ("statistic", "value", "verdicts"),
    [
        ("INST MAX", 11.2, {("upper", "exceeds")}),
        ("INST MAX", 7.0, {("upper", "complies")}),
        ("INST MAX", 4.0, {("upper", "complies")}),  # of the lowest instant it is the minimum that tells
        ("INST MIN", 4.0, {("lower", "exceeds")}),
        ("INST MIN", 11.2, {("lower", "complies")}),
    ],
)
def test_the_highest_and_the_lowest_instant_are_each_held_against_their_own_side(statistic, value, verdicts):
    review = check(result("pH", value, "SU", statistic))
    found = review.comparisons
    assert set(zip(found["bound"], found["verdict"], strict=True)) == verdicts
    assert CODE not in set(review.findings["code"])


def test_of_a_parameter_without_any_limit_that_alone_is_said():
    review = check(result("Boron", 1.0, "mg/L", "Average"))
    assert CODE not in set(review.findings["code"])
