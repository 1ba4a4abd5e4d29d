"""Columns of the facilities file that nothing knows: misspelt ones are refused, a coordinator's own are named."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import pretreat
from pretreat import facilities, packs, pieces
from pretreat.errors import UsageError
from pretreat.facilities import headings
from pretreat.limits.provisions import Limits

SAMPLES = pd.DataFrame(
    {"facility": ["Acme"], "parameter": ["Copper"], "value": [0.7], "unit": ["mg/L"], "start": ["2026-10-07"]}
)
NOTHING = Limits(())


def told(facilities_: pd.DataFrame | str | Path) -> list[str]:
    review = pretreat.check(SAMPLES, "ny/little-valley", facilities=facilities_, as_of="2026-11-30")
    return review.findings.loc[review.findings["code"] == "unknown column", "message"].tolist()


@pytest.mark.parametrize(
    ("column", "meant"),
    [
        ("pack", "packs"), ("clas", "class"), ("catagory", "category"), ("alias", "aliases"), ("untill", "until"),
        ("Pack", "packs"), ("classes", "class"), ("categories", "category"), ("Outfalls", "outfall"),
        ("timezone", "time_zone"), ("Time Zones", "time_zone"), ("pakcs", "packs"), ("frm", "from"), ("pant", "plant"),
        ("flow gdp", "flow_gpd"), ("pack(s)", "packs"),
    ],
)  # fmt: skip
def test_a_misspelt_column_is_an_error_that_names_the_right_one(column: str, meant: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"facility": ["Acme"], column: ["ny/williamsville"]})
    with pytest.raises(UsageError) as error:
        told(frame)
    assert str(error.value).startswith(f"facilities: there is no column {column!r}; did you mean {meant!r}?")
    frame.to_csv(tmp_path / "users.csv", index=False)
    with pytest.raises(UsageError, match=r"users\.csv: there is no column .* did you mean") as error:
        told(tmp_path / "users.csv")
    assert "\n" not in str(error.value)


def test_the_column_of_names_itself_may_be_misspelt() -> None:
    with pytest.raises(UsageError, match="no column 'facilty'; did you mean 'facility'"):
        told(pd.DataFrame({"facilty": ["Acme"]}))


@pytest.mark.parametrize(
    "column",
    ["address", "Phone", "contact", "Permit No.", "e-mail", "outfall_no", "facility_id", "flow_mgd", "SIC", "notes",
     "inspected", "county", "iu class", 7],
)  # fmt: skip
def test_a_column_of_ones_own_is_passed_over_and_named(column: object) -> None:
    (said,) = told(pd.DataFrame({"facility": ["Acme"], column: ["555-0100"]}))
    assert repr(str(column)) in said
    assert "passed over" in said


def test_all_are_named_once_and_what_is_empty_is_not() -> None:
    frame = pd.DataFrame({"facility": ["Acme"], "phone": ["1"], "address": ["2"], "pack": [None], "remarks": [" "]})
    (said,) = told(frame)
    assert "2 columns that nothing uses: 'phone', 'address'" in said


def test_what_stands_in_the_file_is_not_misspelt_beside_it() -> None:
    assert len(told(pd.DataFrame({"facility": ["Acme"], "packs": ["ny/little-valley"], "pack": ["old"]}))) == 1


def test_columns_of_the_file_and_facts_of_a_pack_are_known() -> None:
    limits = packs.with_needed(packs.load("ny/little-valley"), None)
    facts = sorted(headings.facts_of(packs.load(list(packs.bundled()))))
    assert facts
    frame = pd.DataFrame({name: ["x"] for name in headings.COLUMNS})
    assert facilities.passed_over(frame, limits).empty
    assert facilities.passed_over(None, limits).empty
    for fact in facts:
        shown = pd.DataFrame({"facility": ["Acme"], fact.replace("_", " ").capitalize(): ["yes"]})
        every = packs.load(list(packs.bundled()))
        assert facilities.passed_over(shown, every).empty, fact


def test_a_misspelt_fact_is_an_error_only_where_a_pack_asks_for_it() -> None:
    every = packs.load(list(packs.bundled()))
    fact = max(headings.facts_of(every) - set(headings.COLUMNS), key=len)
    frame = pd.DataFrame({"facility": ["Acme"], fact[:-1]: ["yes"]})
    with pytest.raises(UsageError, match=f"did you mean {fact!r}"):
        facilities.passed_over(frame, every)
    assert facilities.passed_over(frame, NOTHING)["code"].tolist() == ["unknown column"]


def test_packs_are_found_under_a_heading_in_capitals() -> None:
    users = pd.DataFrame({"Facility": ["Acme"], " Packs": ["ny/williamsville"]})
    known = packs.with_needed(packs.load("ny/little-valley"), users)
    assert "ny/williamsville" in [pack.name for pack in known.packs]


def test_a_check_in_pieces_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "results.parquet"
    SAMPLES.assign(start=pd.to_datetime(SAMPLES["start"])).to_parquet(path, index=False)
    users = pd.DataFrame({"facility": ["Acme", "Best"], "phone": ["1", "2"]})
    review = pieces.check(path, "ny/little-valley", facilities=users, rows=1)
    assert review.findings["code"].tolist().count("unknown column") == 1
    with pytest.raises(UsageError, match="did you mean 'packs'"):
        pieces.check(path, "ny/little-valley", facilities=users.rename(columns={"phone": "pack"}))


def test_limits_show_refuses_it_too() -> None:
    users = pd.DataFrame({"facility": ["Acme"], "clas": ["SIU"]})
    with pytest.raises(UsageError, match="did you mean 'class'"):
        packs.show("ny/little-valley", facilities=users, facility="Acme")
