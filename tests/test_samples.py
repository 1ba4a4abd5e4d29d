"""`pretreat check` on samples/ finds exactly what the script planted: none missing, none more."""

from __future__ import annotations

import random
import runpy
from pathlib import Path

import pandas as pd
import pytest
from openpyxl import load_workbook
from shared import ROOT

import pretreat
from pretreat.samples import account

SAMPLES = ROOT / "samples"
KEY = ["facility", "parameter", "statistic", "period_start", "pack"]


@pytest.fixture(scope="module")
def samples() -> pretreat.Samples:
    return pretreat.read_samples(SAMPLES)


@pytest.fixture(scope="module")
def review(samples: pretreat.Samples) -> pretreat.Review:
    limits = pretreat.load_limits(["ny/little-valley", "ny/williamsville"])
    return pretreat.check(samples, limits, facilities=SAMPLES / "facilities.xlsx", as_of="2026-11-30")


@pytest.fixture(scope="module")
def answers() -> pd.DataFrame:
    return pd.read_csv(ROOT / "tests" / "cases" / "samples_answers.csv", dtype=str)


def found(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    """The keys of the binding violations listed, as text."""
    frame = frame[(frame["kind"] == "violation") & (frame["binding"] != "no")]
    frame = frame.assign(period_start=pd.to_datetime(frame["period_start"]).dt.strftime("%Y-%m-%d"))
    return sorted(frame[KEY].astype(str).itertuples(index=False, name=None))


@pytest.mark.parametrize("verdict", ["exceeds", "undetermined"])
def test_exactly_what_was_planted_is_found(review: pretreat.Review, answers: pd.DataFrame, verdict: str) -> None:
    table = review.exceedances if verdict == "exceeds" else review.undetermined
    planted = sorted(answers.loc[answers["verdict"] == verdict, KEY].itertuples(index=False, name=None))
    assert found(table) == planted


def test_the_files_are_what_the_script_makes(tmp_path, monkeypatch) -> None:
    made = runpy.run_path(str(SAMPLES / "make_samples.py"))
    monkeypatch.setitem(made["main"].__globals__, "HERE", tmp_path / "samples")
    (tmp_path / "samples").mkdir()
    (tmp_path / "tests" / "cases").mkdir(parents=True)
    made["main"]()
    for path in sorted((tmp_path / "samples").rglob("*.*")):
        committed = SAMPLES / path.relative_to(tmp_path / "samples")
        if path.suffix == ".xlsx":
            fresh, kept = ([list(sheet.values) for sheet in load_workbook(file)] for file in (path, committed))
            assert fresh == kept, committed.name
        else:
            assert path.read_bytes() == committed.read_bytes(), committed.name


def test_every_value_is_used_or_set_aside(samples: pretreat.Samples) -> None:
    sheets = samples.sheets
    assert (sheets["values_seen"] == sheets["values_used"] + sheets["values_set_aside"]).all()
    assert sheets["values_used"].sum() == len(samples.results)
    # The four rows of averages in the dairy's sheets, six formulas each, are set aside one by one.
    assert len(samples.set_aside) == 24
    assert set(samples.set_aside["source_cell"].str.extract(r"([A-Z]+)")[0]) == set("DEFGHI")


def test_verdicts_lead_back_to_their_cells(review: pretreat.Review) -> None:
    listed = pd.concat([review.exceedances, review.undetermined])
    assert (listed["sources"] != "").all()
    results = review.results.set_index(["source_file", "source_sheet", "source_cell"])
    chosen = random.Random(1).sample(range(len(listed)), 12)
    books = 0
    for row in listed.iloc[chosen].itertuples():
        for source in row.sources.split("; ")[:40]:
            *_, cell = parts = source.split("!")
            file, sheet = parts[0], parts[1] if len(parts) == 3 else ""
            result = results.loc[(file, sheet, cell)]
            assert str(result["parameter"]) == row.parameter or row.parameter in ("Cyanide (complex)", "TTO")
            if file.endswith(".xlsx"):
                books += 1
                value = load_workbook(ROOT / file if not file.startswith("/") else file)[sheet][cell].value
                assert str(value) == result["value_text"]
    assert books


def test_each_user_alone_gives_what_all_give_together(samples: pretreat.Samples, review: pretreat.Review) -> None:
    limits = pretreat.load_limits(["ny/little-valley", "ny/williamsville"])
    alone = []
    for facility in ("Rock City Dairy", "Glen Park Truck Wash"):
        some = samples.results[samples.results["facility"] == facility]
        one = pretreat.check(some, limits, facilities=SAMPLES / "facilities.xlsx", as_of="2026-11-30")
        alone += found(one.exceedances)
    together = [key for key in found(review.exceedances) if key[0] in ("Rock City Dairy", "Glen Park Truck Wash")]
    assert sorted(alone) == together


def test_results_of_one_sheet_are_counted_as_those_of_many() -> None:
    sheets = pd.DataFrame({"source_file": ["a", "b"], "source_sheet": ["", "x"], "values_seen": [5, 3]})
    one = pd.DataFrame({"source_file": ["a"] * 4, "source_sheet": [""] * 4})
    for results in (one, one.astype("category")):
        assert account(sheets, results)["values_used"].tolist() == [4, 0]
    both = pd.concat([one, pd.DataFrame({"source_file": ["b"], "source_sheet": ["x"]})]).astype("category")
    assert account(sheets, both)["values_used"].tolist() == [4, 1]
    assert account(sheets, both)["values_set_aside"].tolist() == [1, 2]


def test_a_name_that_no_list_has_is_said(tmp_path: Path) -> None:
    path = tmp_path / "oct.csv"
    path.write_text("Facility,Date,Parameter,Result,Units\nAcme,2026-10-05,Cuivre,1,mg/L\nAcme,2026-10-05,Zn,1,mg/L\n")
    samples = pretreat.read_samples(path)
    assert samples.understood["note"].tolist()[-1] == (
        "no list of parameters has 'Cuivre'; it is kept as it stands (1 result)"
    )
    assert samples.understood.attrs["tables"]  # --learn still works
    path.write_text("Facility,Date,Parameter,Result,Units\nAcme,2026-10-05,Cuivre,1,\n")
    assert "no list of parameters has 'Cuivre'" in pretreat.read_samples(path).set_aside["message"].iloc[0]
