"""A laboratory's limit that brings its own unit (`10 ug/L` in a column of mg/L) is converted by that one."""

import pandas as pd
import pytest

import pretreat


@pytest.mark.parametrize(
    ("cell", "limit"),
    [("10 ug/L", 0.01), ("0.01 mg/L", 0.01), ("0.01", 0.01), ("<10 ug/L", 0.01), ("5 degC", None), ("10 lb/day", None)],
)
@pytest.mark.parametrize("column", ["reporting_limit", "detection_limit"])
def test_it_is_that_of_its_cell(cell, limit, column):
    frame = pd.DataFrame({"facility": "Acme", "parameter": "Copper", "unit": "mg/L", "value": ["ND", "ND"],
                          "start": ["2026-10-05", "2026-10-06"], column: [cell, "0.02"]})  # fmt: skip
    review = pretreat.check(frame, "ny/little-valley", federal=False)
    first, second = review.results[column].tolist()
    assert second == 0.02
    assert first == limit if limit else pd.isna(first)
    assert ("unreadable limit" in set(review.findings["code"])) == (limit is None)
