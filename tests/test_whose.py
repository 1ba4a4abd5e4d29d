"""Whose results are: names that differ in their spelling alone, and rows that name nobody, are asked about."""

import pandas as pd
import pytest

import pretreat
from pretreat.findings import whose


def results(*users: str, **columns: object) -> pd.DataFrame:
    given = {
        "facility": list(users),
        "source_file": "a.csv",
        "source_sheet": "",
        "source_cell": range(1, len(users) + 1),
    }
    return pd.DataFrame(given | columns)


@pytest.mark.parametrize(
    "other", ["KELP GAS", "kelp gas", "Kelp  Gas", "Kelp-Gas", "Kelp Gas.", "Kelp Gas, Inc.", " Kelp Gas"]
)
def test_two_spellings_of_one_name_are_asked_about(other: str) -> None:
    found = whose.check(results("Kelp Gas", other, "Acme"))
    assert found["code"].tolist() == ["one user in two spellings?"]
    message = found["message"].iloc[0]
    assert repr(other) in message
    assert "'Kelp Gas'" in message
    assert "judged apart" in message
    assert "facilities file" in message


def test_three_spellings_of_one_name_are_one_finding() -> None:
    assert len(whose.check(results("Kelp Gas", "KELP GAS", "kelp gas", "ACME", "Acme"))) == 2


def test_other_names_are_not_asked_about() -> None:
    assert not len(whose.check(results("Kelp Gas", "Kelp Gas 2", "Acme", "Acme East")))


def test_a_name_that_no_result_has_is_not_asked_about() -> None:
    """A column of categories may hold names that none of its rows has."""
    users = pd.Categorical(["Kelp Gas", "Kelp Gas"], categories=["Kelp Gas", "KELP GAS"])
    assert not len(whose.check(pd.DataFrame({"facility": users})))


@pytest.mark.parametrize("facilities", [None, pd.DataFrame({"facility": ["Kelp Gas"]})])
def test_they_are_judged_apart_until_the_facilities_file_joins_them(facilities: pd.DataFrame | None) -> None:
    frame = pd.DataFrame(
        {
            "facility": ["Kelp Gas", "KELP GAS"],
            "parameter": "Copper",
            "value": 5.0,
            "unit": "mg/L",
            "start": "2026-10-01",
        }
    )
    review = pretreat.check(frame, "ny/little-valley", facilities=facilities)
    apart = "one user in two spellings?" in review.findings["code"].tolist()
    assert (review.exceedances["facility"].nunique(), apart) == ((2, True) if facilities is None else (1, False))


def test_a_row_without_a_user_among_rows_with_one_is_a_finding() -> None:
    found = whose.check(results("Acme", "", "Bolt"))
    assert found[["code", "sources"]].to_numpy().tolist() == [["no user", "a.csv!2"]]
    assert found["message"].iloc[0].startswith("1 result names no user")


def test_a_sheet_that_names_no_user_at_all_is_another_matter() -> None:
    """`Next` says so on its own: a meter's log rarely names its user."""
    assert not len(whose.check(results("", "")))
    two = results("Acme", "", source_file=["a.csv", "log.csv"])
    assert not len(whose.check(two))
