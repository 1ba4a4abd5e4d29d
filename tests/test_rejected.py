"""Rejected results are set aside, or asked about; a sludge's and the air's are no wastewater's."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sheets_made import workbook

import pretreat
from pretreat import tidy
from pretreat.tidy import quality, rejected
from pretreat.tidy.results import Tidied


def done(**columns: Any) -> Tidied:
    given = {"facility": "Acme Plating", "parameter": "Lead", "value": [0.6], "unit": "mg/L", "start": "2026-09-02"}
    given |= {"source_file": "a.xlsx", "source_sheet": "S", "source_cell": "E2"} | columns
    return tidy.tidy(pd.DataFrame(given))


def outcome(**columns: Any) -> str:
    tidied = done(**columns)
    if len(tidied.set_aside):
        return str(tidied.set_aside["reason"].iloc[0])
    return "asked" if "rejected?" in set(tidied.notes["code"]) else "counts"


WORDS = [
    "rejected", "Rejected", "REJ", "void", "VOIDED", "X - sample voided", "result rejected", "R - rejected", "invalid",
    "invalidated by lab", "unusable", "not usable", "do not use", "J; rejected", "sample was rejected due to temperature",
    "R (unusable)", "V: data are invalid",
]  # fmt: skip


@pytest.mark.parametrize("text", WORDS)
@pytest.mark.parametrize("column", ["qualifier", "flags", "validation"])
def test_words_of_rejection_set_a_result_aside_in_any_column_of_qualifiers(column: str, text: str) -> None:
    assert outcome(**{column: text}) == "rejected"


@pytest.mark.parametrize("text", ["R", "UR", "r", "J,R", "R-", "U R", "JR"])
def test_a_reviewers_r_is_rejected(text: str) -> None:
    """EPA, National Functional Guidelines: the data are unusable."""
    assert outcome(validation=text) == "rejected"


@pytest.mark.parametrize("text", ["R", "UR", "R J", "?"])
def test_a_laboratorys_r_counts_and_is_asked_about(text: str) -> None:
    assert outcome(qualifier=text) == "asked"
    assert outcome(flags=text) == "asked"


def test_an_r_in_the_value_cell_is_asked_about() -> None:
    assert outcome(value=["0.6 R"]) == "asked"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "J",
        "J+",
        "U",
        "UJ",
        "NJ",
        "B",
        "R1",
        "RE",
        "not rejected",
        "Accepted",
        "valid",
        "X",
        "avoid",
        "void volume 2 mL",
    ],
)
def test_other_letters_and_words_are_no_rejection(text: str) -> None:
    assert outcome(qualifier=text) == "counts"


def test_the_reviewers_x_is_asked_about() -> None:
    assert rejected.meaning("X", validated=True) == "?"


def test_a_reviewers_u_and_j_count_as_the_laboratorys() -> None:
    [result] = done(validation="UJ").results[["qualifier", "flags"]].to_numpy().tolist()
    assert result == ["<", "UJ"]


@pytest.mark.parametrize(
    "heading",
    ["Validation Qualifier", "Final Qualifier", "Interpreted Qualifiers", "Data Qualifier", "Reviewer Qualifier"],
)
def test_headings_of_a_reviewers_qualifiers(tmp_path, heading) -> None:
    rows = [
        ["Facility", "Sample Date", "Analyte", "Result", "Units", "Lab Qualifier", heading, "Matrix"],
        ["Acme Plating", "9/2/2026", "Lead", 0.6, "mg/L", "", "R", "WW"],
        ["Acme Plating", "9/3/2026", "Lead", 0.7, "mg/L", "R", "", "WW"],
        ["Acme Plating", "9/4/2026", "Lead", 99, "mg/L", "", "", "Sludge"],
    ]
    samples = pretreat.read_samples(workbook(tmp_path / "a.xlsx", rows))
    assert samples.results["value"].tolist() == [0.7]
    assert samples.set_aside["reason"].tolist() == ["rejected", "other matrix"]
    assert "rejected?" in set(samples.findings["code"])


@pytest.mark.parametrize(
    "text", ["Sludge", "SOIL", "Solid", "Biosolids", "SO", "SL", "Waste water sludge", "SOLID-Sediment"]
)
def test_what_stands_in_a_solid_is_no_wastewater(text: str) -> None:
    assert outcome(matrix=text) == "other matrix"
    assert outcome(matrix=text, unit="mg/kg") == "counts"


def test_what_stands_in_air_is_no_wastewater_but_for_lel() -> None:
    assert outcome(matrix="Air") == "other matrix"
    assert outcome(matrix="Air", parameter="LEL", unit="%") == "counts"
    assert outcome(matrix="Oil") == "other matrix"


@pytest.mark.parametrize(
    "text", ["WW", "Water", "Wastewater", "Aqueous", "W", "GW", "Liquid", "Effluent", "", "AQUEOUS-Surface Water"]
)
def test_waters_and_what_is_unknown_count(text: str) -> None:
    assert quality.matrix(text) == ""
    assert outcome(matrix=text) == "counts"


def test_each_matrix_has_its_own_rows() -> None:
    tidied = done(value=[1.9, 2.9, 99.0], unit=["mg/L", "mg/kg", "mg/L"], matrix=["WW", "Soil", "Sludge"])
    assert tidied.results["value"].tolist() == [1.9, 2.9]
    assert tidied.set_aside["text"].tolist() == ["99"]


def test_a_rejected_status_of_the_water_quality_portal(tmp_path) -> None:
    path = tmp_path / "wqp.csv"
    heads = "MonitoringLocationIdentifier,ActivityStartDate,CharacteristicName,ResultMeasureValue,"
    path.write_text(
        f"{heads}ResultMeasure/MeasureUnitCode,ResultStatusIdentifier\n"
        "IND-1,2026-09-02,Lead,0.6,mg/L,Rejected\nIND-1,2026-09-03,Lead,0.7,mg/L,Final\n",
        encoding="utf-8",
    )
    samples = pretreat.read_samples(path)
    assert samples.set_aside["reason"].tolist() == ["rejected"]
    assert samples.results[["value", "flags"]].to_numpy().tolist() == [[0.7, ""]]


def logged(tmp_path: Path, *rows: list[object]) -> dict[str, str]:
    """Return, for each cell of a reading, its value where it counts, else why it was set aside."""
    samples = pretreat.read_samples(workbook(tmp_path / "log.xlsx", list(rows)), facility="Acme Plating")
    counts = dict(zip(samples.results["source_cell"], samples.results["value_text"], strict=True))
    gone = dict(zip(samples.set_aside["source_cell"], samples.set_aside["reason"], strict=True))
    return {str(cell): str(said) for cell, said in (counts | gone).items()}


DAY, NEXT = datetime(2026, 9, 1), datetime(2026, 9, 2)


@pytest.mark.parametrize(
    "heading", ["Quality", "Status", "Quality Code", "Data Quality", "FI-405.Quality", "Flow Status"]
)
def test_a_reading_that_its_logger_calls_bad_is_set_aside(tmp_path: Path, heading: str) -> None:
    """9999 gpm of a broken meter were a slug."""
    head: list[object] = ["Time", "Flow (gpm)", heading]
    assert logged(tmp_path, head, [DAY, 50, "Good"], [NEXT, 9999, "Bad"]) == {"B2": "50", "B3": "rejected"}


def test_several_readings_each_with_its_quality_beside_it(tmp_path: Path) -> None:
    head: list[object] = ["Time", "Flow (gpm)", "Quality", "pH", "Quality"]
    assert logged(tmp_path, head, [DAY, 50, "Good", 3, "Bad"]) == {"B2": "50", "D2": "rejected"}
    head = ["Time", "Quality", "Flow (gpm)", "Quality", "pH"]
    assert logged(tmp_path, head, [DAY, "Good", 50, "Bad", 3]) == {"C2": "50", "E2": "rejected"}
    head = ["Time", "Flow (gpm)", "pH", "Flow Quality", "pH Quality"]
    assert logged(tmp_path, head, [DAY, 50, 3, "Good", "Bad"]) == {"B2": "50", "C2": "rejected"}


def test_quality_in_the_second_row_of_headings(tmp_path: Path) -> None:
    rows: list[list[object]] = [["Time", "FI-405", None, "AI-406", None], [None, "Flow", "Quality", "pH", "Quality"]]
    assert logged(tmp_path, *rows, [None, "gpm", None, "SU", None], [DAY, 50, "Good", 3, "Bad"]) == {
        "B4": "50",
        "D4": "rejected",
    }


def test_one_column_of_quality_for_several_readings_speaks_for_all_of_the_row(tmp_path: Path) -> None:
    head: list[object] = ["Time", "Flow (gpm)", "pH", "Quality"]
    rows: list[list[object]] = [[DAY, 50, 7, "Good"], [NEXT, 51, 3, "Bad"]]
    assert logged(tmp_path, head, *rows) == {"B2": "50", "C2": "7", "B3": "rejected", "C3": "rejected"}


def test_quality_in_a_list_of_results(tmp_path: Path) -> None:
    head: list[object] = ["Date", "Analyte", "Result", "Units", "Status", "Data Quality"]
    rows: list[list[object]] = [
        [DAY, "Copper", 1, "mg/L", "Rejected", "Good"],
        [DAY, "Zinc", 1, "mg/L", "Final", "Good"],
        [DAY, "Lead", 1, "mg/L", "Final", "Bad"],
    ]
    assert logged(tmp_path, head, *rows) == {"C2": "rejected", "C3": "1", "C4": "rejected"}


BAD = [
    "Bad",
    "BAD",
    "bad input",
    "Bad_CommFailure",
    "BadSensorFailure",
    "Invalid",
    "Rejected",
    "void",
    "not valid",
    "B - bad",
]
FINE = [
    "Good",
    "good",
    "OK",
    "ok",
    "Valid",
    "Good_Clamped",
    "GoodNonSpecific",
    "192",
    "192.0",
    "Final",
    "Running",
    "On",
    "",
    "-",
]
ASKED = ["Uncertain", "UncertainLastUsable", "0", "64", "Suspect", "Fault", "Calibration", "Good but drifting", "E3"]


def test_words_of_quality_reject_say_nothing_or_are_asked_about() -> None:
    assert {text: outcome(quality=text) for text in BAD} == dict.fromkeys(BAD, "rejected")
    assert {text: outcome(quality=text) for text in FINE} == dict.fromkeys(FINE, "counts")
    assert {text: outcome(quality=text) for text in ASKED} == dict.fromkeys(ASKED, "asked")


def test_unknown_words_of_quality_are_asked_about_at_once() -> None:
    notes = done(value=[0.6, 0.7, 0.8], quality=["E3", "E3", "E4"], source_cell=["B2", "B3", "B4"]).notes
    assert notes["code"].tolist() == ["rejected?"]
    assert "3 results" in notes["message"].iloc[0]
    assert "'E3' (2), 'E4' (1)" in notes["message"].iloc[0]
    assert notes["sources"].iloc[0] == "a.xlsx!S!B2; a.xlsx!S!B3; a.xlsx!S!B4"


def test_the_status_of_a_pump_or_a_permit_rejects_nothing(tmp_path: Path) -> None:
    for heading in ("Pump Status", "Permit Status"):
        assert logged(tmp_path, ["Time", "Flow (gpm)", heading], [DAY, 50, "Invalid"], [NEXT, 51, "On"]) == {
            "B2": "50",
            "B3": "51",
        }


def test_a_column_of_quality_with_a_laboratorys_letters_is_one_of_qualifiers(tmp_path: Path) -> None:
    """A non-detect whose `U` is lost becomes a violation."""
    rows: list[list[object]] = [["Date", "Copper (mg/L)", "Quality"], [DAY, 5, "U"], [NEXT, 6, "Good"]]
    samples = pretreat.read_samples(workbook(tmp_path / "wide.xlsx", rows), facility="Acme Plating")
    assert samples.results["qualifier"].tolist() == ["<", ""]
    rows = [["Date", "Analyte", "Result", "Units", "Quality Code"], [DAY, "Copper", 5, "mg/L", "U"]]
    samples = pretreat.read_samples(workbook(tmp_path / "long.xlsx", rows), facility="Acme Plating")
    assert samples.results["qualifier"].tolist() == ["<"]
