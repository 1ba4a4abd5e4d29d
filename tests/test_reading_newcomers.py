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
