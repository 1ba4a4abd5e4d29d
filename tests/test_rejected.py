"""Rejected results are set aside, or asked about; a sludge's and the air's are no wastewater's."""

from __future__ import annotations

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
