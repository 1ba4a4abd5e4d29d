"""Why a limit binds none of the users, as `not_evaluated` says it: the true reason, of the users whose pack it is in."""

import pandas as pd
import pytest
from packs_made import write

from pretreat import packs
from pretreat.limits.selection import in_force

PAGE = """
[facts]
old = "Is it old?"
[[limit]]
id = "user"
parameter = "Zinc"
above = 1
unit = "mg/L"
[[limit]]
id = "plant"
parameter = "Zinc"
above = 1
unit = "mg/L"
point = "plant influent"
[[limit]]
id = "cut"
parameter = "Copper"
above = 1
unit = "mg/L"
point = "end of process"
when.category = "433 PSES"
[[limit]]
id = "waived"
parameter = "Lead"
above = 1
unit = "mg/L"
when.old = "no"
[[limit]]
id = "over"
parameter = "Nickel"
above = 1
unit = "mg/L"
when.class = "SIU"
[[limit]]
id = "permit"
instead_of = "over"
parameter = "Nickel"
above = 2
unit = "mg/L"
[[limit]]
id = "early"
parameter = "Silver"
above = 1
unit = "mg/L"
until = 2020-01-01
when.old = "no"
"""


@pytest.fixture
def made(tmp_path):
    return packs.load([write(tmp_path, PAGE), write(tmp_path, PAGE.replace('"Zinc"', '"Boron"'), name="other.toml")])


def why(limits, *users):
    _, nowhere = in_force(limits, pd.DataFrame(users), "2026-10-01", "2026-11-01")
    return {(row.pack, row.limit_id): row.reason for row in nowhere.itertuples()}


def test_each_reason_is_the_true_one(made):
    user = {
        "facility": "A",
        "point": "end of pipe",
        "old": "yes",
        "category": "413 PSES",
        "class": "SIU",
        "packs": "made",
    }
    assert why(made, user) == {
        ("made", "plant"): "no such place",
        ("made", "cut"): "condition not met",  # where it is taken is not known, and the category is another
        ("made", "waived"): "condition not met",
        ("made", "over"): "replaced",
        ("made", "early"): "not in force then",
    }


def test_the_place_of_another_packs_user_is_no_place_of_this_one(made):
    plant = {"facility": "P", "point": "plant influent", "packs": "made"}
    user = {"facility": "A", "point": "end of pipe", "packs": "other", "old": "yes", "class": "SIU"}
    found = why(made, plant, user)
    mine = {limit: reason for (pack, limit), reason in found.items() if pack == "made"}
    assert mine == dict.fromkeys(("user", "cut", "waived", "over", "permit", "early"), "no such place")
    assert found["other", "plant"] == "no such place"


def test_a_condition_that_one_of_two_users_meets_elsewhere_is_met_by_none_here(made):
    """One has the place and another answer, the other the answer and another place."""
    here = {"facility": "A", "point": "end of pipe", "old": "yes", "packs": "made"}
    there = {"facility": "P", "point": "plant influent", "old": "no", "packs": "made"}
    assert why(made, here, there)["made", "waived"] == "condition not met"


def test_a_pack_of_nobody_is_not_listed(made):
    assert {pack for pack, _ in why(made, {"facility": "A", "packs": "made"})} == {"made"}
