"""A reporting or detection limit that cannot be read is said; what says that there is none is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pretreat
from pretreat import tidy

CODE = "unreadable limit"


def frame(**columns: object) -> pd.DataFrame:
    return pd.DataFrame(
        {"facility": "Acme", "parameter": "Copper", "value": "ND", "unit": "mg/L", "start": "2026-10-05", **columns}
    )


def told(**columns: object) -> tuple[list[str], list[str]]:
    tidied = tidy.tidy_frame(frame(**columns))
    notes = tidied.notes[tidied.notes["code"] == CODE]
    return notes["message"].astype(str).tolist(), notes["sources"].astype(str).tolist()


@pytest.mark.parametrize("name", ["detection_limit", "reporting_limit"])
@pytest.mark.parametrize("text", ["0,010", "0.01x", "see note", "0.01-0.02", "ND", "#VALUE!", "1.000.0", "pending"])
def test_a_limit_that_cannot_be_read_is_named(name: str, text: str) -> None:
    messages, cells = told(**{name: ["0.02", text, text, ""]})
    assert cells == ["2; 3"]
    assert messages[0].startswith(f"2 results have {name.replace('_', ' ')}s that cannot be read ({text!r})")


@pytest.mark.parametrize("text", ["", " ", "-", "--", "NA", "n/a", "N.A.", "none", "Not reported", "NR", None, np.nan])
def test_no_limit_at_all_is_none_to_read(text: object) -> None:
    assert told(reporting_limit=["0.02", text]) == ([], [])


@pytest.mark.parametrize("text", ["0.01", "<0.01", "<=0.01", "0.010 U", " 1e-2 ", "ND (0.01)"])
def test_a_limit_with_a_sign_or_letters_is_read(text: str) -> None:
    tidied = tidy.tidy_frame(frame(reporting_limit=[text]))
    assert tidied.results["reporting_limit"].tolist() == [0.01]
    assert CODE not in tidied.notes["code"].tolist()


def test_each_limit_by_itself_and_only_of_results_in_use() -> None:
    tidied = tidy.tidy_frame(frame(value=["ND", "lost"], reporting_limit=["x", "y"], detection_limit=["0.01", "z"]))
    said = tidied.notes.loc[tidied.notes["code"] == CODE, "message"].tolist()
    assert len(said) == 1
    assert said[0].startswith("1 result has a reporting limit that cannot be read ('x')")


def test_numbers_are_not_looked_at() -> None:
    assert told(reporting_limit=[0.01, np.nan]) == ([], [])


def test_the_verdict_is_as_it_was_and_the_cells_of_the_file_are_named(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    heads = "Facility,Sample Date,Analyte,Result,Units,MRL\n"
    path.write_text(heads + 'Acme,10/05/2026,Copper,ND,mg/L,"0,010"\nAcme,10/06/2026,Copper,0.1,mg/L,0.01\n')
    review = pretreat.check(pretreat.read_samples(path), "ny/little-valley", as_of="2026-11-30")
    found = review.findings[review.findings["code"] == CODE]
    assert found["sources"].tolist() == [f"{path}!D2"]
    assert review.results["reporting_limit"].isna().tolist() == [True, False]
    assert len(review.undetermined)


def test_a_comma_is_the_point_of_a_file_that_separates_with_semicolons(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("Facility;Sample Date;Analyte;Result;Units;MRL\nAcme;2026-10-05;Copper;ND;mg/L;0,010\n")
    samples = pretreat.read_samples(path)
    assert samples.results["reporting_limit"].tolist() == [0.01]
    assert CODE not in samples.findings["code"].tolist()


def test_two_columns_of_one_name_are_refused() -> None:
    given = frame(value=[2.0])
    given.insert(0, "value", [3.0], allow_duplicates=True)
    with pytest.raises(pretreat.UsageError, match=r"check\(DataFrame\): two columns are named 'value'"):
        pretreat.check(given, "ny/little-valley")
    for name in ("facilities", "events", "streams"):
        other = pd.DataFrame([["Acme", "x", "y"]], columns=["facility", "note", "note"])
        with pytest.raises(pretreat.UsageError, match=f"{name}: two columns are named 'note'"):
            pretreat.check(frame(value=[2.0]), "ny/little-valley", **{name: other})


def test_a_frame_is_no_file() -> None:
    with pytest.raises(pretreat.UsageError, match=r"read_samples: a DataFrame is no file .* pretreat\.check"):
        pretreat.read_samples(frame(value=[2.0]))
