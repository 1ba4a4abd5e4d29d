"""Sheets that a newcomer made, each of which was misread once: what stands where nobody looks for it."""

import pytest
from sheets_made import workbook

import pretreat

BLOCK = [
    ["Client:", "Acme Plating"],
    ["Sample ID", "", "S-1", "S-2"],
    ["Date Collected", "", "9/1/2026", "9/8/2026"],
]
BODY = [["Analyte", "Units", "", ""], ["Copper", "mg/L", 0.5, 1.9]]


def read(path, rows):
    """Return what was read, once its account has been checked."""
    samples = pretreat.read_samples(workbook(path, rows))
    for row in samples.sheets.itertuples():
        assert row.values_seen == row.values_used + row.values_set_aside
    return samples


@pytest.mark.parametrize(
    "row",
    [["Matrix", "", "WW", "WW"], ["Date Reported", "", "10/2/2026", "10/2/2026"], ["Bottle", "", "poly", "glass"]],
)
def test_what_a_block_says_that_is_no_place_and_no_date_of_the_sample(tmp_path, row):
    results = read(tmp_path / "a.xlsx", [*BLOCK, row, *BODY]).results
    assert results["outfall"].tolist() == ["", ""]
    assert results["sample_id"].tolist() == ["S-1", "S-2"]
    assert results["start"].dt.strftime("%m-%d").tolist() == ["09-01", "09-08"]


def test_a_place_in_such_a_block_is_one(tmp_path):
    results = read(tmp_path / "a.xlsx", [*BLOCK, ["Location", "", "Outfall 1", "Outfall 2"], *BODY]).results
    assert results["outfall"].tolist() == ["Outfall 1", "Outfall 2"]


def test_two_columns_of_results_are_two_results_and_their_average_is_none(tmp_path):
    rows = [
        ["Facility", "Date", "Analyte", "Result 1", "Result 2", "Average", "Units", "Limit", "Qual"],
        ["Acme Plating", "9/1/2026", "Copper", 1.9, 1.7, 1.8, "mg/L", 1.6, ""],
        ["Acme Plating", "9/2/2026", "Copper", 0.9, "", 0.9, "mg/L", 1.6, ""],
        ["Acme Plating", "9/3/2026", "Copper", "", "", "", "mg/L", 1.6, "ND"],
    ]
    samples = read(tmp_path / "a.xlsx", rows)
    assert samples.results["value"].dropna().tolist() == [1.9, 0.9, 1.7]
    assert samples.results["qualifier"].tolist().count("<") == 1
    assert set(samples.results["outfall"]) == {""}
    assert {(r.source_cell, r.reason) for r in samples.set_aside.itertuples()} == {
        ("F2", "summary column"),
        ("F3", "summary column"),
    }


def test_columns_of_limits_and_averages_are_set_aside_and_counted(tmp_path):
    wide = [["Client", "Date", "Copper mg/L", "Copper Limit mg/L", "Zinc mg/L", "Zinc Limit", "Total"]]
    wide += [["Acme Plating", f"9/{day}/2026", 1.9, 1.6, 0.2, 2.4, 2.1] for day in (1, 8)]
    samples = read(tmp_path / "a.xlsx", wide)
    assert set(samples.results["parameter"]) == {"Copper", "Zinc"}
    assert samples.set_aside["reason"].value_counts().to_dict() == {"limit column": 4, "summary column": 2}
    down = [
        ["Parameter", "Units", "Daily Max Limit", "9/3/2026", "9/10/2026", "Average", "Max"],
        ["Copper", "mg/L", 1.6, 0.5, 1.7, 1.1, 1.7],
        ["pH", "SU", "5.5-9.5", 7.1, 5.1, "", 7.1],
        ["Note: limits of 2024", "", "", "", "", "", ""],
    ]
    samples = read(tmp_path / "b.xlsx", down)
    assert len(samples.results) == 4
    assert set(samples.set_aside["source_cell"]) == {"C2", "C3", "F2", "G2", "G3"}


@pytest.mark.parametrize(
    "rows",
    [
        [["Client", "Acme Plating"], ["Analyte", "Result", "Units", "Sampled"], ["Copper", 1.9, "mg/L", "9/1/2026"]],
        [["Client", "Acme Plating"], ["Date", "Copper (mg/L)", "Zinc (mg/L)"], ["9/1/2026", 1.9, 0.2]],
        [
            ["Client: Acme Plating", "All results in mg/L unless noted"],
            ["Date", "Copper", "Zinc"],
            ["9/1/2026", 1.9, 0.2],
        ],
    ],
)
def test_a_user_right_above_the_headings(tmp_path, rows):
    results = read(tmp_path / "a.xlsx", rows).results
    assert set(results["facility"]) == {"Acme Plating"}
    assert results["value"].iloc[0] == 1.9
    assert set(results["unit"]) == {"mg/L"}


def test_headings_without_rows_are_said_and_give_no_period(tmp_path):
    rows = [["Lab report"], ["Facility", "Sample Date", "Analyte", "Result", "Units"]]
    samples = read(tmp_path / "a.xlsx", rows)
    (aside,) = samples.set_aside.itertuples()
    assert aside.reason == "no rows"
    assert "headings in row 2" in aside.message
    review = pretreat.check(samples, pretreat.load_limits("ny/little-valley"), as_of="2026-11-30")
    assert review.provenance["period"] == ""
    samples = read(tmp_path / "b.xlsx", [["Facility", "Address"], ["Acme Plating", "1 Mill St"]])
    assert samples.set_aside["reason"].tolist() == ["no table"]
