"""Qualifiers in columns that no heading names: no non-detect becomes a violation, and no number is lost."""

import openpyxl
import pytest
from sheets_made import workbook

import pretreat

LONG = ["Facility", "Date", "Analyte"]
WHO = ["Acme Plating", "9/1/2026"]


def read(path, rows, merge=None):
    workbook(path, rows)
    if merge:
        book = openpyxl.load_workbook(path)
        for cells in merge:
            book.active.merge_cells(cells)
        book.save(path)
    samples = pretreat.read_samples(path)
    sheet = samples.sheets.iloc[0]
    assert sheet["values_seen"] == sheet["values_used"] + sheet["values_set_aside"]
    results = samples.results
    found = {
        (row.parameter, row.start.day, row.qualifier + f"{row.value:g}" + row.flags.replace("U", ""))
        for row in results.itertuples()
    }
    return found, {(row.source_cell, row.reason) for row in samples.set_aside.itertuples()}


BOTH = ({("Selenium", 1, "<0.9"), ("Copper", 1, "1.9")}, set())


@pytest.mark.parametrize(
    ("rows", "merge"),
    [
        ([[*LONG, "", "Result", "Unit"], [*WHO, "Selenium", "<", 0.9, "mg/L"], [*WHO, "Copper", "", 1.9, "mg/L"]], ()),
        ([[*LONG, "Result", "", "Unit"], [*WHO, "Selenium", 0.9, "U", "mg/L"], [*WHO, "Copper", 1.9, "", "mg/L"]], ()),
        ([[*LONG, "Result", "", "Unit"], [*WHO, "Selenium", "<", 0.9, "mg/L"], [*WHO, "Copper", "", 1.9, "mg/L"]], ()),
        (
            [[*LONG, "Result", "", "Unit"], [*WHO, "Selenium", "<", 0.9, "mg/L"], [*WHO, "Copper", "", 1.9, "mg/L"]],
            ["D1:E1"],
        ),
        (
            [[*LONG, "Result", "", "Unit"], [*WHO, "Selenium", 0.9, "U", "mg/L"], [*WHO, "Copper", 1.9, "", "mg/L"]],
            ["D1:E1"],
        ),
        ([["Facility", "Date", "Selenium (mg/L)", "", "Copper (mg/L)", ""], [*WHO, 0.9, "U", 1.9, ""]], ()),
        ([["Facility", "Date", "Selenium (mg/L)", "", "Copper (mg/L)"], [*WHO, "<", 0.9, 1.9]], ["C1:D1"]),
        ([["Facility", "Date", "", "Selenium (mg/L)", "", "Copper (mg/L)"], [*WHO, "<", 0.9, "", 1.9]], ()),
        ([["Facility", "Date", "Selenium", "", "Copper"], ["", "", "mg/L", "", "mg/L"], [*WHO, 0.9, "ND", 1.9]], ()),
        (
            [
                ["Client:", "Acme Plating"],
                ["Parameter", "Units", "9/1/2026", ""],
                ["Selenium", "mg/L", 0.9, "U"],
                ["Copper", "mg/L", 1.9, ""],
            ],
            (),
        ),
        (
            [
                ["Client:", "Acme Plating"],
                ["Parameter", "Units", "", "9/1/2026"],
                ["Selenium", "mg/L", "<", 0.9],
                ["Copper", "mg/L", "", 1.9],
            ],
            (),
        ),
    ],
)
def test_a_column_without_a_heading_that_holds_qualifiers_is_its_neighbours(tmp_path, rows, merge):
    assert read(tmp_path / "a.xlsx", rows, merge) == BOTH


@pytest.mark.parametrize(
    "heading",
    [
        "Lab Qual",
        "Data Qualifier",
        "Data Q.",
        "Code",
        "ND?",
        "LT",
        "Remark",
        "Notes",
        "Footnotes",
        "Comment",
        "DQ Flag",
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_headings_of_qualifiers(tmp_path, heading, first):
    word = "Yes" if heading == "ND?" else "<" if heading == "LT" else "Not detected" if heading == "Comment" else "U"
    rows = [
        [*LONG, "Result", "Unit", heading],
        [*WHO, "Selenium", 0.9, "mg/L", word],
        [*WHO, "Copper", 1.9, "mg/L", ""],
    ]
    if first:
        rows = [[row[-1], *row[:-1]] for row in rows]
    assert read(tmp_path / "a.xlsx", rows) == BOTH


def test_remarks_count_only_where_they_say_that_nothing_was_detected(tmp_path):
    rows = [
        [*LONG, "+/-", "Result", "Unit", "Data Q.", "Comment"],
        [*WHO, "Selenium", "<", 0.9, "mg/L", "", "trace"],
        [*WHO, "Lead", "", 0.9, "mg/L", "U", "no"],
        [*WHO, "Silver", "", 0.9, "mg/L", "", "Not detected"],
        [*WHO, "Nickel", "", 9, "mg/L", "", "see note on U-tubes"],
    ]
    found, aside = read(tmp_path / "a.xlsx", rows)
    assert {text for _, _, text in found} == {"<0.9", "9"}
    assert len(found) == 4
    assert not aside


def test_where_a_qualifier_may_be_of_two_numbers_both_are_set_aside(tmp_path):
    rows = [
        ["Facility", "Date", "Selenium (mg/L)", "", "Copper (mg/L)"],
        [*WHO, 0.9, "<", 1.9],
        ["Acme Plating", "9/2/2026", 0.8, "U", 1.8],
        ["Acme Plating", "9/3/2026", 0.7, "", 1.7],
        ["Acme Plating", "9/4/2026", "", "ND", ""],
    ]
    found, aside = read(tmp_path / "a.xlsx", rows)
    assert found == {("Selenium", 3, "0.7"), ("Copper", 3, "1.7")}
    assert aside == {(cell, "unclear qualifier") for cell in ("C2", "E2", "C3", "E3", "D5")}


def test_two_unknown_columns_of_letters_that_may_say_different_things(tmp_path):
    rows = [
        [*LONG, "Result", "Unit", "Code 1x", "Code 2x"],
        [*WHO, "Selenium", 0.9, "mg/L", "U", "J"],
        [*WHO, "Copper", 1.9, "mg/L", "", ""],
    ]
    assert read(tmp_path / "a.xlsx", rows) == ({("Copper", 1, "1.9")}, {("D2", "unclear qualifier")})


def test_what_only_looks_like_qualifiers_stays_what_it_is(tmp_path):
    rows = [
        ["Facility", "Date", "Flow (gpd)", "Pump status", "Zinc (mg/L)", "Shift"],
        *[["Acme Plating", f"9/{d}/2026", 1000, "U", 0.5, "D"] for d in range(1, 5)],
    ]
    found, aside = read(tmp_path / "a.xlsx", rows)
    assert {("Zinc", 1, "0.5"), ("Zinc", 4, "0.5")} < found
    assert not any("<" in text for _, _, text in found)
    assert {reason for _, reason in aside} <= {"no unit"}


def test_results_that_are_all_nondetects_stay_results(tmp_path):
    rows = [["Facility", "Date", "Copper (mg/L)", "PFXX (ng/L)", "Code"], [*WHO, 0.5, "ND", "U"], [*WHO, 0.6, "U", "U"]]
    path = workbook(tmp_path / "a.xlsx", rows)
    samples = pretreat.read_samples(path)
    assert samples.results["source_cell"].tolist() + samples.set_aside["source_cell"].tolist() == [
        "C2",
        "C3",
        "D2",
        "D3",
    ]
    rows = [["Client:", "Acme"], ["Parameter", "Units", "9/1/2026", "9/8/2026"], ["Copper", "mg/L", 0.5, "U"]]
    assert read(tmp_path / "b.xlsx", rows)[0] >= {("Copper", 1, "0.5")}
