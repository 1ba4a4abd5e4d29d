"""Why a limit binds none of the users, as `not_evaluated` says it: the true reason, of the users whose pack it is in."""

import pandas as pd
import pytest
from packs_made import write

import pretreat
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


EXPIRED = '[[limit]]\nid = "n"\nparameter = "Zinc"\nabove = 1\nunit = "mg/L"\nfrom = 2024-06-01\nuntil = 2025-12-15\n'


@pytest.mark.parametrize(
    ("more", "counted"),
    [
        ("", "3 results, which no limit reaches that was in force then"),  # 2023, January and October 2026
        (EXPIRED.replace('"n"', '"later"').replace("2024-06-01", "2025-12-15").replace("until = 2025-12-15\n", ""), "1 result,"),
        (EXPIRED.replace('"n"', '"always"').replace("above", "below").replace("from = 2024-06-01\nuntil = 2025-12-15\n", "")
         + "accept.wrong-side = 'a test'\n", ""),
    ],
)  # fmt: skip
def test_a_result_of_a_time_without_a_limit_is_counted(tmp_path, more, counted):
    days = ["2023-01-05", "2025-06-01", "2025-12-20", "2026-01-02", "2026-10-10"]
    frame = pd.DataFrame({"start": days, "value": 2.0, "facility": "Acme", "parameter": "Zinc", "unit": "mg/L"})
    path = str(write(tmp_path, EXPIRED + more))
    found = pretreat.check(frame, path, federal=False, as_of="2026-12-01").findings
    said = found.loc[found["code"] == "no limit for this result", "message"].tolist()
    assert [text.startswith(counted) for text in said] == ([True] if counted else [])
