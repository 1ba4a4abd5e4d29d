"""Quality control that only a sample's name tells: decided by the company it keeps, else asked about, never silent."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pretreat import tidy
from pretreat.tidy.results import Tidied


def done(ids: list[str], **more: Any) -> Tidied:
    frame = pd.DataFrame(
        {
            "facility": "Acme Plating",
            "sample_id": ids,
            "parameter": "Copper",
            "value": 0.5,
            "unit": "mg/L",
            "start": "2026-09-01",
            "source_file": "a.xlsx",
            "source_sheet": "S",
            "source_cell": [f"E{row}" for row in range(2, len(ids) + 2)],
        }
        | more
    )
    return tidy.tidy(frame)


def used(tidied: Tidied) -> list[str]:
    return [str(text) for text in tidied.results["sample_id"]]


def asked(tidied: Tidied) -> list[str]:
    return [str(text) for text in tidied.notes.loc[tidied.notes["code"] == "quality control?", "sources"]]


def test_the_sheet_of_the_fault_report_holds_one_sample_and_its_duplicate() -> None:
    tidied = done(
        ["OUT-1", "OUT-1 MS", "OUT-1MSD", "MB-0901", "LCS-0901", "CCV", "OUT-1-DUP", "Equipment Blank", "Spike"]
    )
    assert used(tidied) == ["OUT-1", "OUT-1-DUP"]
    assert asked(tidied) == []
    assert set(tidied.set_aside["reason"]) == {f"quality control: {k}" for k in ("spike", "blank", "control sample")}


@pytest.mark.parametrize(
    ("code", "reason"),
    [("MB", "blank"), ("LB", "blank"), ("TB", "blank"), ("MS", "spike"), ("MSD", "spike"), ("BS", "control sample")],
)
@pytest.mark.parametrize("tail", ["0901", "090126", "20260901", "260901", "240135", "7"])
def test_a_date_a_batch_or_the_number_of_a_control_beside_other_quality_control(
    code: str, reason: str, tail: str
) -> None:
    tidied = done(["OUT-1", f"{code}-{tail}", "LCS-7"])
    assert used(tidied) == ["OUT-1"]
    assert f"quality control: {reason}" in set(tidied.set_aside["reason"])
    assert asked(tidied) == []


@pytest.mark.parametrize(
    "ids",
    [
        ["OUT-1", "MB-0901"],  # dated, without company
        ["OUT-1", "MB-3", "LCS-0901"],  # with company, and a number that may be a place's
        ["AP-0901", "MB-0901", "LCS-0901"],  # samples here are named place and date
        ["AP-1", "MS-1"],
        ["AP-1", "FB"],
        ["AP-1", "OUT-2MSD"],  # its sample is not there
    ],
)
def test_what_stays_doubtful_counts_and_is_asked_about(ids: list[str]) -> None:
    tidied = done(ids)
    assert ids[1] in used(tidied)
    assert asked(tidied) == ["a.xlsx!S!E3"]


def test_a_place_of_the_same_letters_is_a_place() -> None:
    tidied = done(["MB-3", "MB-4"], outfall=["MB-3", "mb-4 "])
    assert used(tidied) == ["MB-3", "MB-4"]
    assert asked(tidied) == []


@pytest.mark.parametrize(
    "name", ["AMS", "EMBANKMENT 2", "MBR effluent", "FBI-2", "TBD", "Msgr. Smith", "BS&W", "219E01"]
)
def test_names_that_only_begin_or_end_so_are_nothing(name: str) -> None:
    assert asked(done(["AP-1", name])) == []


def test_company_is_of_the_same_sheet() -> None:
    tidied = done(["OUT-1", "MB-0901", "LCS-0901"], source_sheet=["S", "S", "QC"])
    assert used(tidied) == ["OUT-1", "MB-0901"]
    assert len(asked(tidied)) == 1


def test_the_laboratorys_own_numbers_are_looked_at_too() -> None:
    tidied = done(["OUT-1", "", ""], lab_sample_id=["2409-1", "2409-1MSD", "MB-240135"], qc=["", "", ""])
    assert len(tidied.results) == 2
    assert tidied.set_aside["source_cell"].tolist() == ["E3"]
    assert asked(tidied) == ["a.xlsx!S!E4"]
