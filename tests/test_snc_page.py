"""A page of significant noncompliance holds every measurement of its half year, those before the period too."""

import io

import openpyxl
import pandas as pd

import pretreat
from pretreat.report import workbook


def test_measurements_before_the_period_are_listed_as_they_were_counted() -> None:
    days = ["2026-07-08", "2026-08-05", "2026-10-07", "2026-11-04"]
    frame = pd.DataFrame(
        {
            "facility": "Acme",
            "parameter": "Copper",
            "value": ["2.0", "<2.5", "2.0", "0.1"],
            "unit": "mg/L",
            "start": days,
        }
    ).assign(sample_type="composite")
    review = pretreat.check(frame, "ny/little-valley", period="2026-Q4", federal=True)
    row = review.snc[review.snc["statistic"] == "24-hour average"].iloc[0]
    sheet = openpyxl.load_workbook(io.BytesIO(workbook.build(review).whole()))["SNC"]
    cells = [[cell.value for cell in line] for line in sheet.iter_rows()]
    top = next(i for i, line in enumerate(cells) if line[0] == "Copper, 24-hour average: the measurements")
    listed = cells[top + 2 : top + 6]
    assert [f"{line[1]:%Y-%m-%d}" for line in listed] == days
    assert [(line[3], line[4]) for line in listed] == [(2, 2), (0, 2.5), (2, 2), (0.1, 0.1)]
    assert [line[6] for line in listed] == ["yes", "may be", "yes", None]  # over 1.6
    assert [line[7] for line in listed] == ["yes", "may be", "yes", None]  # at or over 1.6 times 1.2
    assert (row["n_over_low"], row["n_over_high"]) == (2, 3)
    assert (row["n_trc_low"], row["n_trc_high"]) == (2, 3)
