"""Dates that databases write where they have none (31 December 9999, the year 1): no date, whatever the file's kind."""

from datetime import date, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sheets_made import workbook

import pretreat
from pretreat import facilities, periods, tidy
from pretreat.schedule import events

FAR = [
    datetime(9999, 12, 31),
    date(9999, 12, 31),
    datetime(1, 1, 1),
    datetime(2201, 1, 1),
    date(1799, 12, 31),
    "9999-12-31",
]
HEAD: list[object] = ["Facility", "Sample Date", "Analyte", "Result", "Units"]


def row(day: object, value: float = 0.5) -> list[object]:
    return ["Acme", day, "Copper", value, "mg/L"]


@pytest.mark.parametrize("period", ["9999-12", "0001-01", "2201", "2026-01-01:9999-12-31", "1799-Q4"])
def test_a_far_period_is_an_error_that_says_what_to_do(period: str) -> None:
    with pytest.raises(pretreat.UsageError, match="of no year"):
        periods.parse(period)


@pytest.mark.parametrize("day", FAR[:1] + FAR[3:4] + FAR[5:])
def test_a_sample_of_the_year_9999_is_set_aside_and_the_rest_is_judged(tmp_path: Path, day: object) -> None:
    path = workbook(tmp_path / "a.xlsx", [HEAD, row(datetime(2026, 9, 1), 5.0), row(day)])
    review = pretreat.check(pretreat.read_samples(path), "ny/little-valley")
    assert review.set_aside["reason"].tolist() == ["unreadable date"]
    assert len(review.exceedances)


@pytest.mark.parametrize("day", FAR)
def test_a_far_date_in_a_frame_is_set_aside(day: object) -> None:
    frame = pd.DataFrame(
        {
            "facility": "Acme",
            "parameter": "Zinc",
            "value": [1.0, 2.0],
            "unit": "mg/L",
            "start": [day, datetime(2026, 9, 1)],
        },
        dtype=object,
    )
    told = tidy.tidy_frame(frame)
    assert told.set_aside[["source_cell", "reason"]].to_numpy().tolist() == [[1, "unreadable date"]]


@pytest.mark.parametrize("far", ["9999-12-31", "0001-01-01", "2201-01-01"])
def test_a_far_date_in_a_column_of_dates_is_set_aside(far: str) -> None:
    """As Parquet has them: the column is of dates, and none of its cells is text."""
    start = np.array([far, "2026-09-01", "NaT"], dtype="datetime64[s]")
    frame = pd.DataFrame({"facility": "Acme", "parameter": "Zinc", "value": 1.0, "unit": "mg/L", "start": start})
    told = tidy.tidy_frame(frame)
    assert told.set_aside["reason"].tolist() == ["unreadable date", "no date"]


@pytest.mark.parametrize("name", ["end", "analyzed", "received"])
@pytest.mark.parametrize("day", FAR)
def test_another_far_date_is_left_out_with_a_finding(name: str, day: object) -> None:
    frame = pd.DataFrame(
        {
            "facility": "Acme",
            "parameter": "Zinc",
            "value": [1.0],
            "unit": "mg/L",
            "start": datetime(2026, 9, 1),
            name: [day],
        },
        dtype=object,
    )
    told = tidy.tidy_frame(frame)
    assert len(told.results) == 1
    assert name not in told.results or told.results[name].isna().all()
    assert "unreadable date" in told.notes["code"].tolist()


@pytest.mark.parametrize("day", FAR)
@pytest.mark.parametrize("name", ["from", "until"])
def test_a_far_date_in_the_facilities_file_is_an_error_that_says_what_to_do(name: str, day: object) -> None:
    with pytest.raises(pretreat.UsageError, match="is no date"):
        facilities.normalise(pd.DataFrame({"facility": ["Acme"], name: [day]}, dtype=object))


@pytest.mark.parametrize("day", [*FAR, np.datetime64("9999-12-31", "s")])
def test_a_far_date_of_an_event_is_an_error_that_says_what_to_do(day: object) -> None:
    with pytest.raises(pretreat.UsageError, match="is not a date"):
        events.tidy(pd.DataFrame({"facility": ["Acme"], "event": ["aware"], "date": [day]}))
