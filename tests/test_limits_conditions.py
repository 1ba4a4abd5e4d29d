"""What a pack's conditions, answers, formulas and seasons say, and what they refuse to say."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from packs_made import faults, pack

from pretreat import parameters
from pretreat.limits import facts, seasons
from pretreat.limits.companions import refine
from pretreat.limits.formulas import evaluate, names_in
from pretreat.limits.selection import Limits, in_force

START, END = pd.Timestamp(2026, 10, 1), pd.Timestamp(2026, 11, 1)


@pytest.mark.parametrize(
    ("one", "other", "excludes"),
    [
        ("433 PSES", "433 PSNS", True),
        ("433 PSES or 433 PSNS", "433 PSNS", False),
        ("not 433 PSES", "433 PSES", True),
        ("433 PSES", "not 433 PSES", True),
        ("433 PSES or 433 PSNS", "not 433 PSES", False),
        ("not 433 PSES", "not 433 PSNS", False),
        ("above 25000", "at or below 25000", True),
        ("at or above 25000", "at or below 25000", False),
        ("100 to 200", "above 200", True),
    ],
)
def test_whether_no_answer_meets_both(one, other, excludes):
    assert facts.condition(one).excludes(facts.condition(other)) is excludes


@pytest.mark.parametrize("text", [True, "yes", " YES "])
def test_a_condition_of_yes(text):
    assert facts.condition(text).holds("yes")
    assert not facts.condition(text).holds("no")


@pytest.mark.parametrize(
    ("text", "why"), [("", "which answer"), (">= 5", "uses a sign"), ("above many", "names no number")]
)
def test_a_condition_that_says_nothing_is_refused(text, why):
    with pytest.raises(ValueError, match=why):
        facts.condition(text)


@pytest.mark.parametrize(
    ("name", "text", "answer"),
    [
        ("water_fluoridated", True, "yes"),
        ("water_fluoridated", False, "no"),
        ("water_fluoridated", "N", "no"),
        ("flow_gpd", "25,000", Decimal(25000)),
        ("flow_gpd", "infinity", None),
        ("flow_gpd", "unknown", None),
        ("category", "433 PSES; 442 PSES", frozenset({"433 PSES", "442 PSES"})),
        ("class", "CIU", frozenset({"CIU", "SIU"})),
    ],
)
def test_answers_as_people_write_them(name, text, answer):
    assert facts.answer(name, text) == answer


def test_a_fact_that_is_a_number_takes_a_number_alone():
    fact = facts.Fact(name="ounces", ask="?", unit="oz/day")
    assert facts.checked(fact, Decimal("12.5")) == Decimal("12.5")
    with pytest.raises(ValueError, match="'much' is none"):
        facts.checked(fact, "much")


@pytest.mark.parametrize("formula", ["3 +", "5.5-9.5", "True * y", "y ** 2", "f(y)"])
def test_what_is_no_formula_is_refused(formula):
    with pytest.raises(ValueError, match=r"formula|may hold|names no fact"):
        names_in(formula)


def test_a_formula_keeps_its_decimals():
    assert evaluate("-(0.1 + 0.2) * y", {"y": Decimal(1)}) == Decimal("-0.3")


def test_a_formula_that_divides_by_zero_says_so():
    with pytest.raises(ZeroDivisionError, match="'12 / y' divides by zero"):
        evaluate("12 / y", {"y": Decimal(0)})


DIVIDED = """
[facts]
production = { unit = "tons/day", ask = "How much is produced?" }
[[table]]
parameter = "Copper"
unit = "mg/L"
columns = ["id", "above"]
rows = [["cu", "12 / production"]]
"""


@pytest.mark.parametrize(("production", "limit"), [("4", 3.0), ("0", np.nan), ("", np.nan)])
def test_a_limit_by_a_formula_of_the_users_production(tmp_path, production, limit):
    users = pd.DataFrame({"facility": ["Acme"], "outfall": [""], "production": [production]})
    found, _ = in_force(Limits((pack(tmp_path, DIVIDED),)), users, START, END)
    assert len(found) == 1
    np.testing.assert_equal(found.limit_high.item(), limit)


@pytest.mark.parametrize(
    ("text", "why"),
    [("May", "is no season"), ("Mayday to Octopus", "is no season"), ("June 31 to July 4", "does not have")],
)
def test_what_is_no_season_is_refused(text, why):
    if text == "Mayday to Octopus":  # the first three letters are a month's
        assert seasons.season(text).first == (5, 1)
        return
    with pytest.raises(ValueError, match=why):
        seasons.season(text)


def test_a_season_to_the_last_of_february_ends_on_the_28th_where_there_is_no_29th():
    spans = seasons.season("November to February").spans(2027, 2028)
    assert [str(ends) for _, ends in spans] == ["2027-03-01", "2028-03-01", "2029-03-01"]


TWO = """
[facts]
alkalinity = { measured = "Alkalinity as CaCO3", unit = "mg/L" }
hardness = { measured = "Hardness", unit = "mg/L" }
[[table]]
parameter = "pH"
columns = ["id", "above", "when.alkalinity", "when.hardness"]
rows = [
    ["usual", 10.0, "above 300", ""],
    ["soft", 9.5, "at or below 300", "below 100"],
    ["hard", 10.5, "at or below 300", "at or above 100"],
]
"""


def results(*rows):
    frame = pd.DataFrame(rows, columns=["parameter", "start", "value"])
    frame["parameter"] = [parameters.identify(name).parameter for name in frame["parameter"]]
    return frame.assign(start=pd.to_datetime(frame["start"]), facility="Acme", outfall="", qualifier="", unit="mg/L")


def upper(found, day):
    mine = found[(found.bound == "upper") & (found["from"].isna() | (found["from"] <= pd.Timestamp(day)))]
    mine = mine[mine["until"].isna() | (mine["until"] > pd.Timestamp(day))]
    assert len(mine) == 1
    return mine.limit_low.item(), mine.limit_high.item()


def test_a_limit_by_two_companions_needs_both_of_one_day(tmp_path):
    limits = Limits((pack(tmp_path, TWO),))
    users = pd.DataFrame({"facility": ["Acme"], "outfall": [""], "from": [pd.Timestamp(2026, 10, 6)]})
    frame = results(
        ("Alkalinity as CaCO3", "2026-10-05", 200),  # before the user is there
        ("Alkalinity as CaCO3", "2026-10-07", 200),
        ("Hardness", "2026-10-07", 80),
        ("Alkalinity as CaCO3", "2026-10-08", 200),
        ("Hardness", "2026-10-09", 80),
    )
    found, _ = in_force(limits, users, START, END)
    refined = refine(limits, users, frame, found, START, END)
    assert upper(refined, "2026-10-07") == (9.5, 9.5)
    assert upper(refined, "2026-10-08") == (9.5, 10.5)
    assert upper(refined, "2026-10-09") == (9.5, 10.0)
    assert upper(refined, "2026-10-10") == (9.5, 10.5)
    assert refined["from"].min() == pd.Timestamp(2026, 10, 6)


def test_a_pack_with_a_formula_that_is_none_is_a_fault(tmp_path):
    assert [fault for fault in faults(tmp_path, DIVIDED.replace("12 / production", "12 / ")) if fault.key]


ASSUMED = """
[facts]
production = { unit = "tons/day", ask = "How much is produced?", assume = "4" }
[[table]]
parameter = "Copper"
unit = "mg/L"
columns = ["id", "above", "when.production"]
rows = [["small", 3.0, "below 5"], ["large", 1.0, "at or above 5"]]
[[table]]
parameter = "Zinc"
unit = "mg/L"
columns = ["id", "above", "when.flow_gpd"]
rows = [["sewer", 0.5, "above 25000"]]
"""


def of_acme(tmp_path, text, settings):
    """Return the limits in force at a user of whom nothing else is known, with their ids."""
    users = pd.DataFrame({"facility": ["Acme"], "outfall": [""]})
    made = Limits((pack(tmp_path, text),))
    found, _ = in_force(made, users, START, END, settings=settings)
    return found.assign(id=[made.rows[n].id for n in found["limit"]])


@pytest.mark.parametrize(
    ("settings", "limits"),
    [
        ({}, {"small"}),
        ({"production": "5"}, {"large"}),
        ({"production": "unknown"}, {"small"}),
        ({"flow_gpd": "25000"}, {"small"}),
        ({"flow_gpd": "25001"}, {"small", "sewer"}),
    ],
)
def test_a_number_that_is_assumed_or_given_for_all_users(tmp_path, settings, limits):
    found = of_acme(tmp_path, ASSUMED, settings)
    sure = set(found.loc[found.limit_high.notna() & found.limit_low.notna(), "id"])
    assert sure >= limits - {"sewer"}
    assert ("sewer" in sure) == ("sewer" in limits)


BOTH_ASSUMED = """
[facts]
fluoridated = { ask = "?", assume = "no" }
combined = { ask = "?", assume = "no" }
[[table]]
parameter = "Fluoride"
unit = "mg/L"
columns = ["id", "above", "when.fluoridated"]
rows = [["f-yes", 12.0, "yes"], ["f-no", 8.0, "no"]]
[[table]]
parameter = "Zinc"
unit = "mg/L"
columns = ["id", "above", "when.combined"]
rows = [["z-yes", 3.0, "yes"], ["z-no", 2.0, "no"]]
"""


def test_of_each_limit_only_the_assumptions_that_it_rests_on_are_named(tmp_path):
    found = of_acme(tmp_path, BOTH_ASSUMED, {})
    assert dict(zip(found["id"], found["assumed"], strict=True)) == {
        "f-no": "fluoridated = no",
        "z-no": "combined = no",
    }
    answered = of_acme(tmp_path, BOTH_ASSUMED, {"combined": "yes"})
    assert dict(zip(answered["id"], answered["assumed"], strict=True)) == {"f-no": "fluoridated = no", "z-yes": ""}
