"""The same results on two sheets of one workbook: never counted twice without a word."""

from datetime import datetime

import pandas as pd
import pytest
from sheets_made import workbook

import pretreat
from pretreat.tidy import sheets_alike

D1, D2 = datetime(2026, 10, 5), datetime(2026, 10, 12)
SUMMARY = [["Facility", "Date", "Copper (mg/L)"], ["Acme", D1, 0.1], ["Acme", D2, "<0.2"]]
DETAIL = [
    ["Facility", "Sample Date", "Parameter", "Result", "Units"],
    ["Acme", D1, "Copper", 100, "ug/L"],
    ["Acme", D2, "Copper", "<0.2", "mg/L"],
    ["Acme", D2, "Zinc", 0.2, "mg/L"],
]


def test_a_summary_and_its_details_are_a_finding(tmp_path):
    samples = pretreat.read_samples(workbook(tmp_path / "oct.xlsx", SUMMARY, DETAIL))
    assert len(samples.results) == 5  # "identical results in two files are one", and this is one file
    found = samples.findings[samples.findings["code"] == "same results on two sheets"]
    assert found["message"].str.startswith("2 results stand on several sheets of ").tolist() == [True]
    assert "alike ('Sheet1' and 'Sheet2'); each counts" in found["message"].iloc[0]
    cells = [source.rsplit("!", 1)[1] for source in found["sources"].iloc[0].split("; ")]
    assert cells == ["C2", "D2", "C3", "D3"]


def test_a_template_shuts_the_sheet_that_repeats(tmp_path):
    path = workbook(tmp_path / "oct.xlsx", SUMMARY, DETAIL)
    (tmp_path / "lab.toml").write_text('[[table]]\nsheet = "Sheet1"\nlayout = "none"\n')
    samples = pretreat.read_samples(path, template=tmp_path / "lab.toml")
    assert len(samples.results) == 3
    assert samples.set_aside["reason"].tolist() == ["not to be read"]
    assert samples.sheets[["values_seen", "values_used", "values_set_aside"]].to_numpy().tolist() == [
        [9, 0, 9],
        [3, 3, 0],
    ]
    assert samples.findings.empty


@pytest.mark.parametrize(
    ("column", "cells", "n"),
    [
        ("timed", [True, True], 0),  # one time: one sample
        ("sample_id", ["S-1", "S-1"], 0),
        ("value", [1.0, 2.0], 0),
        ("facility", ["Acme", "Bolt"], 0),
        ("source_file", ["a.xlsx", "b.xlsx"], 0),
        ("source_sheet", ["One", "One"], 0),
        ("parameter", ["pH", "pH"], 1),
        ("timed", [False, False], 1),
    ],
)
def test_only_what_would_count_twice(column, cells, n):
    frame = pd.DataFrame(
        {"facility": "Acme", "parameter": "Zinc", "value": [1.0, 1.0], "source_file": "a.xlsx", "sample_id": "",
         "source_sheet": ["One", "Two"], "source_cell": ["B2", "B2"], "timed": False, "start": pd.Timestamp(D1)}
    )  # fmt: skip
    assert len(sheets_alike(frame.assign(**{column: cells}))) == n


def test_readings_of_an_instrument_at_one_time_count_twice():
    frame = pd.DataFrame(
        {"facility": "Acme", "parameter": "pH", "value": [7.0, 7.0], "source_file": "a.xlsx", "source_sheet": ["One", "Two"],
         "source_cell": ["B2", "B2"], "timed": True, "start": pd.Timestamp(D1)}
    )  # fmt: skip
    assert len(sheets_alike(frame)) == 1


def test_many_sheets_alike_are_one_finding():
    """A finding for each two of three hundred sheets would be 44,850, and took minutes."""
    n = 300
    frame = pd.DataFrame(
        {"facility": "Acme", "parameter": "Zinc", "value": 1.0, "source_file": "a.xlsx", "timed": False,
         "source_sheet": [f"S{i}" for i in range(n)], "source_cell": "B2", "start": pd.Timestamp(D1)}
    )  # fmt: skip
    found = sheets_alike(frame)
    assert len(found) == 1
    assert "('S0', 'S1', 'S2', 'S3', 'S4' and 295 more)" in found["message"].iloc[0]
    assert "('S0', 'S1' and 'S2')" in sheets_alike(frame[:3])["message"].iloc[0]
