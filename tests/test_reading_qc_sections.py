"""Sections of quality control in a laboratory's report: what stands below their titles is none of the user's results."""

from datetime import datetime

import openpyxl
import pytest
from sheets_made import workbook

import pretreat
from pretreat.reading import qc_sections

D1 = datetime(2026, 10, 5)
TOP = [["Client:", "Acme"], ["Date Sampled:", D1]]
HEAD = ["Analyte", "Result", "RL", "Units"]


def told(path):
    samples = pretreat.read_samples(path)
    used = samples.results["source_cell"].astype(str).tolist()
    return used, dict(zip(samples.set_aside["source_cell"], samples.set_aside["reason"], strict=True))


@pytest.mark.parametrize(
    ("title", "reason"),
    [
        ("Method Blank (MB-1005)", "blank"),
        ("LCS", "control sample"),
        ("Laboratory Control Sample", "control sample"),
        ("Matrix Spike / Matrix Spike Duplicate", "spike"),
        ("Surrogate Recoveries", "surrogate"),
        ("Laboratory Duplicate", "laboratory duplicate"),
        ("QUALITY CONTROL DATA", "quality control"),
        ("QA/QC Summary", "quality control"),
    ],
)
def test_a_title_in_the_table(tmp_path, title, reason):
    """0.98 mg/L of a control sample would exceed the user's limit."""
    rows = [
        *TOP,
        HEAD,
        ["Copper", 0.1, 0.5, "mg/L"],
        [title],
        ["Copper", 0.98, 0.5, "mg/L"],
        [],
        ["Zinc", 0.97, 0.5, "mg/L"],
    ]
    used, aside = told(workbook(tmp_path / "a.xlsx", rows))
    assert used == ["B4"]
    assert aside == {"B6": f"quality control: {reason}", "B8": f"quality control: {reason}"}


def test_a_title_above_its_own_headings(tmp_path):
    rows = [*TOP, HEAD, ["Copper", 0.1, 0.5, "mg/L"], [], ["QC Data"], HEAD, ["Copper", 0.98, 0.5, "mg/L"]]
    other = [
        *TOP,
        HEAD,
        ["Copper", 0.1, 0.5, "mg/L"],
        [],
        ["QC Data"],
        ["Compound", "Value", "Unit"],
        ["Copper", 0.98, "mg/L"],
    ]
    for made in (rows, other):
        used, aside = told(workbook(tmp_path / "a.xlsx", made))
        assert used == ["B4"]
        assert aside == {"B8": "quality control: quality control"}


def test_a_section_ends_at_the_next_title_and_not_at_a_footnote(tmp_path):
    rows = [*TOP, HEAD, ["LCS"], ["Copper", 0.98, 0.5, "mg/L"], ["ND = not detected"], ["Zinc", 0.97, 0.5, "mg/L"], ["AP-2"],
            ["Copper", 0.2, 0.5, "mg/L"]]  # fmt: skip
    used, aside = told(workbook(tmp_path / "a.xlsx", rows))
    assert used == ["B9"]
    assert set(aside) == {"B5", "B7"}


@pytest.mark.parametrize("name", ["QC final", "QC data", "QC", "QC'd results"])
def test_a_sheet_of_data_that_passed_quality_control(tmp_path, name):
    """The Maine sheet `QC final` holds the effluent's results."""
    book = openpyxl.Workbook()
    book.active.title = name
    for row in (*TOP, HEAD, ["Copper", 0.1, 0.5, "mg/L"]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    assert told(tmp_path / "a.xlsx") == (["B4"], {})


def test_a_sheet_of_quality_control(tmp_path):
    book = openpyxl.Workbook()
    for name in ("Results", "QC Summary"):
        page = book.active if name == "Results" else book.create_sheet()
        page.title = name
        for row in (*TOP, HEAD, ["Copper", 0.98, 0.5, "mg/L"]):
            page.append(row)
    book.save(tmp_path / "a.xlsx")
    samples = pretreat.read_samples(tmp_path / "a.xlsx")
    assert samples.results["source_sheet"].astype(str).tolist() == ["Results"]
    assert samples.set_aside[["source_sheet", "reason"]].to_numpy().tolist() == [
        ["QC Summary", "quality control: quality control"]
    ]


@pytest.mark.parametrize(
    "name", ["Blankenship Plating", "MS Plating", "Spike Metals", "Labrador Dairy", "Control Valves Inc", "Zinc"]
)
def test_names_of_users_are_no_titles_of_quality_control(tmp_path, name):
    assert not qc_sections.is_title(name)
    rows = [[name], ["Date Sampled:", D1], HEAD, ["Copper", 0.1, 0.5, "mg/L"]]
    assert told(workbook(tmp_path / "a.xlsx", rows)) == (["B4"], {})


def test_a_sample_named_once_for_its_rows(tmp_path):
    """Without a column of users too: rows that say neither a sample nor a date go on with the one above."""
    rows = [["Sample ID", "Date", "Analyte", "Result", "Units"], ["AP-1", D1, "Copper", 0.1, "mg/L"], [None, None, "Zinc", 0.2, "mg/L"],
            ["AP-2", None, "Copper", 0.3, "mg/L"], [], [None, None, "Zinc", 0.4, "mg/L"]]  # fmt: skip
    samples = pretreat.read_samples(workbook(tmp_path / "a.xlsx", rows))
    assert samples.results["sample_id"].astype(str).tolist() == ["AP-1", "AP-1"]
    assert samples.set_aside[["source_cell", "reason"]].to_numpy().tolist() == [["D4", "no date"], ["D6", "no date"]]
