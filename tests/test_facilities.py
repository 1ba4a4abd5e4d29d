"""Who is who: names, aliases, sample-id prefixes, spans; and bad files by their errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pretreat
from pretreat import facilities
from pretreat.errors import UsageError

FILE = pd.DataFrame({
    "facility": ["Acme Plating", "Acme Plating", "Glen Dairy", "Plant"],
    "aliases": ["AP1; MH-3", "AP2", "GD; Glen Park Dairy Inc", ""],
    "outfall": ["001", "002", "", ""],
    "point": ["end of pipe", "end of process", "", "plant influent"],
    "class": ["CIU", "CIU", "SIU", ""],
    "water_fluoridated": ["no", "no", "", ""],
})  # fmt: skip


def results(**columns: Any) -> pd.DataFrame:
    frame = pd.DataFrame(columns)
    return frame.assign(value=1.0, source_file="a.csv", source_cell=np.arange(1, len(frame) + 1))


def who(**columns: Any) -> list[list[str]]:
    found, aside = facilities.identify(results(**columns), FILE)
    assert aside.empty, aside.to_dict("records")
    return found[["facility", "outfall"]].astype(str).to_numpy().tolist()


def test_names_whatever_the_case_and_the_inc() -> None:
    assert who(facility=["ACME PLATING", "Acme Plating, Inc."], outfall=["001", "002"]) == [
        ["Acme Plating", "001"],
        ["Acme Plating", "002"],
    ]
    assert who(facility=["Glen Park Dairy"], outfall=["7"]) == [["Glen Dairy", "7"]]


def test_aliases_name_the_place_too() -> None:
    assert who(facility=["AP2", "MH-3"]) == [["Acme Plating", "002"], ["Acme Plating", "001"]]


def test_sample_id_prefixes() -> None:
    assert who(facility=["", ""], sample_id=["AP1-1005", "GD1005"]) == [["Acme Plating", "001"], ["Glen Dairy", ""]]
    assert who(facility=["Acme Plating"], sample_id=["AP2-77"]) == [["Acme Plating", "002"]]


def test_station_codes() -> None:
    assert who(facility=[""], point=["mh 3"]) == [["Acme Plating", "001"]]
    assert who(facility=["Acme Plating"], point=["MH-3"]) == [["Acme Plating", "001"]]


def test_outfalls_as_sheets_write_them() -> None:
    assert who(facility=["Acme Plating"] * 3, outfall=["Outfall 002", "2", "Outfall #001"]) == [
        ["Acme Plating", "002"], ["Acme Plating", "002"], ["Acme Plating", "001"],
    ]  # fmt: skip


def test_a_place_that_the_file_does_not_know_is_not_moved() -> None:
    """A result of outfall 003 is no result of outfall 001; no limit reaches it, and a finding counts it."""
    file = pd.DataFrame({"facility": ["Acme"], "outfall": ["001"]})
    found, _ = facilities.identify(
        results(facility=["Acme"] * 5, outfall=["", "Effluent", "003", "MH-7", "Influent"]), file
    )
    assert found["outfall"].tolist() == ["001", "001", "003", "MH-7", "Influent"]
    assert facilities.users(found, file)["outfall"].tolist() == ["001"]


def test_an_influent_is_a_plants_or_nobodys() -> None:
    given = results(
        facility=["Plant", "Plant", "Glen Dairy", "Glen Dairy"],
        outfall=["Influent", "Effluent", "Influent", "Effluent"],
    )
    found, _ = facilities.identify(given, FILE)
    users = facilities.users(found, FILE)
    assert users[users["facility"].isin(["Plant", "Glen Dairy"])][["facility", "outfall", "point"]].to_numpy().tolist() == [
        ["Glen Dairy", "Effluent", "end of pipe"], ["Plant", "Influent", "plant influent"],
    ]  # fmt: skip
    assert facilities.users(found)["outfall"].tolist() == ["", "Effluent", "", "Effluent"]


def test_a_column_goes_before_a_prefix() -> None:
    assert who(facility=["Glen Dairy"], sample_id=["AP1-5"]) == [["Glen Dairy", ""]]


def test_a_prefix_ends_where_the_alias_ends() -> None:
    _, aside = facilities.identify(results(facility=["", ""], sample_id=["AP10-5", "GDX-5"]), FILE)
    assert aside["reason"].tolist() == ["unknown user"] * 2


def test_nothing_is_matched_by_likeness() -> None:
    found, aside = facilities.identify(results(facility=["Akme Plating"]), FILE)
    assert found.empty
    assert aside["reason"].tolist() == ["unknown user"]
    assert "nearest is 'Acme Plating'" in aside["message"][0]
    assert aside["source_cell"].tolist() == [1]


def test_a_result_that_names_nobody() -> None:
    _, aside = facilities.identify(results(facility=[""]), FILE)
    assert "--facility" in aside["message"][0]
    _, aside = facilities.identify(results(parameter=["Zinc"]), FILE)
    assert aside["reason"].tolist() == ["unknown user"]


def test_without_a_file_nothing_changes() -> None:
    given = results(facility=["x"])
    found, aside = facilities.identify(given, None)
    assert found is given
    assert aside.empty


def test_identified_results_are_not_the_ones_that_were_given() -> None:
    given = results(facility=["AP1"])
    facilities.identify(given, FILE)
    assert given["facility"].tolist() == ["AP1"]


def test_an_alias_may_change_hands() -> None:
    frame = pd.DataFrame(
        {
            "facility": ["Old Co", "New Co"],
            "aliases": ["MH-9", "MH-9"],
            "from": ["", "2026-07-01"],
            "until": ["2026-06-30", ""],
        }
    )
    found, aside = facilities.identify(
        results(
            facility=["MH-9"] * 3, start=pd.to_datetime(["2026-06-30 23:00", "2026-07-01 00:00", "2027-01-01 00:00"])
        ),
        frame,
    )
    assert aside.empty
    assert found["facility"].tolist() == ["Old", "New", "New"] or found["facility"].tolist() == [
        "Old Co",
        "New Co",
        "New Co",
    ]


def test_users_have_a_row_for_each_place() -> None:
    found, _ = facilities.identify(results(facility=["AP1", "Glen Dairy", "Glen Dairy"], outfall=["", "A", "B"]), FILE)
    users = facilities.users(found, FILE)
    assert users[["facility", "outfall", "point"]].to_numpy().tolist() == [
        ["Acme Plating", "001", "end of pipe"], ["Acme Plating", "002", "end of process"], ["Glen Dairy", "A", "end of pipe"],
        ["Glen Dairy", "B", "end of pipe"], ["Plant", "", "plant influent"],
    ]  # fmt: skip
    assert users["water_fluoridated"].tolist() == ["no", "no", "", "", ""]
    assert users["from"].isna().all()


def test_spans_are_half_open_whichever_way_they_are_written() -> None:
    frame = pd.DataFrame(
        {
            "facility": ["A", "A", "B"],
            "class": ["SIU", "CIU", ""],
            "from": ["", "2026-07-01", ""],
            "until": ["2026-06-30", "", "2026-12-31"],
        }
    )
    normal = facilities.normalise(frame)
    assert normal["until"].dt.strftime("%F").fillna("").tolist() == ["2026-07-01", "", "2027-01-01"]
    half_open = facilities.normalise(frame.assign(until=["2026-07-01", "", "2026-12-31"]))
    assert half_open["until"].dt.strftime("%F").fillna("").tolist() == ["2026-07-01", "", "2027-01-01"]


def test_points_packs_and_facts_as_a_person_writes_them() -> None:
    normal = facilities.normalise(pd.DataFrame({
        " Facility ": ["A"], "Point": ["End of pipe; IN PLANT"], "flow gpd": ["25,000"], "Uses biocide": [True], "Tanks": [3.0],
        "From": [pd.Timestamp("2026-01-01")],
    }))  # fmt: skip
    assert normal.loc[0, ["point", "flow_gpd", "uses_biocide", "tanks"]].tolist() == [
        "end of pipe; in-plant",
        "25000",
        "yes",
        "3",
    ]
    assert normal["from"].astype(str).tolist() == ["2026-01-01"]
    assert facilities.normalise(normal) is normal


def test_without_a_file_each_place_is_an_end_of_pipe() -> None:
    users = facilities.users(results(facility=["B", "A", "A"], outfall=["", "1", "1"]))
    assert users[["facility", "outfall", "point"]].to_numpy().tolist() == [
        ["A", "1", "end of pipe"],
        ["B", "", "end of pipe"],
    ]
    assert facilities.users(results(facility=[])).empty


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"name": ["A"]}, "no column 'facility'"),
        ({"facility": ["A"], "point": ["end of pipes"]}, "did you mean 'end of pipe'"),
        ({"facility": ["A"], "from": ["soon"]}, "'soon' is no date"),
        ({"facility": ["A"], "flow_gpd": ["lots"]}, "no number"),
        ({"facility": ["A", ""], "outfall": ["1", "2"]}, "names no facility"),
        ({"facility": ["A", "A"], "outfall": ["1", "1"]}, "two rows of the same time"),
        ({"facility": ["A", "B"], "aliases": ["X", "x"]}, "stands for both A and B"),
        ({"facility": ["A"], "from": ["2026-07-01"], "until": ["2026-01-01"]}, "'until' is before 'from'"),
        ({"facility": ["A", "B"], "aliases": ["B", ""]}, "stands for both"),
    ],
)  # fmt: skip
def test_bad_files_by_their_errors(frame: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        facilities.normalise(pd.DataFrame(frame))


def test_errors_name_the_row() -> None:
    with pytest.raises(UsageError, match="facilities, row 3"):
        facilities.normalise(pd.DataFrame({"facility": ["A", "B"], "point": ["", "moon"]}))


def test_two_columns_of_one_name() -> None:
    frame = pd.DataFrame([["A", "x", "y"]], columns=["facility", "Point", "point"])
    with pytest.raises(UsageError, match="twice"):
        facilities.normalise(frame)


def test_events_and_streams_speak_of_users_by_their_aliases_too() -> None:
    events = pd.DataFrame(
        {"Facility": ["gd", "AP2", "Strange", ""], "outfall": ["", "Outfall 2", "2", ""], "event": "aware"}
    )
    found = facilities.renamed(events, FILE)
    assert found[["Facility", "outfall"]].to_numpy().tolist() == [
        ["Glen Dairy", ""], ["Acme Plating", "002"], ["Strange", "2"], ["", ""],
    ]  # fmt: skip
    assert facilities.renamed(None, FILE) is None
    assert facilities.renamed(events) is events


def test_a_name_that_two_users_had_in_turn_stays_as_it_is() -> None:
    shared = pd.DataFrame(
        {"facility": ["Old Co", "New Co"], "aliases": "MH-9", "from": ["", "2026-07-01"], "until": ["2026-06-30", ""]}
    )
    assert facilities.renamed(pd.DataFrame({"facility": ["MH-9"]}), shared)["facility"].tolist() == ["MH-9"]


def test_an_event_under_an_alias_answers_for_the_user() -> None:
    samples = pd.DataFrame(
        {"facility": ["AP1"], "parameter": ["Copper"], "value": [9.0], "unit": ["mg/L"], "start": ["2026-05-01 08:00"]}
    )
    events = pd.DataFrame(
        {"facility": ["ap1", "AP1"], "event": ["aware", "notice"], "date": ["2026-05-20 14:00", "2026-05-21 09:00"]}
    )
    limits = pretreat.load_limits("ny/little-valley")
    review = pretreat.check(
        samples, limits, facilities=FILE.drop(columns="water_fluoridated"), events=events, as_of="2026-12-01"
    )
    assert "event of an unknown user" not in set(review.findings["code"])
    answered = review.schedule[review.schedule["verdict"].isin(["met"])]
    assert answered["facility"].unique().tolist() == ["Acme Plating"]
