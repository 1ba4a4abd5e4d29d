"""Every row of the shared hand-worked readings that a lab result can express, through reading and tidying."""

from __future__ import annotations

import json
import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest
from shared import INPUTS, needs_shared

from pretreat import parameters, reading, tidy, units
from pretreat.errors import FileError

pytestmark = needs_shared

REFUSED = "lab/littlerock_NewDMR_corrupt.csv"


def rows() -> list[dict]:
    """The expected rows, one a file and locator."""
    path = INPUTS / "expected.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


@cache
def tidied(name: str) -> tuple[tidy.Tidied, pd.DataFrame]:
    """A file as read and tidied, and all its values with their row numbers."""
    raw = reading.read([INPUTS / name])
    done = tidy.tidy(raw.values)
    aside = pd.concat([raw.set_aside, done.set_aside], ignore_index=True)
    return done, aside


def row_of(cells: pd.Series) -> pd.Series:
    return cells.astype(str).str.extract(r"(\d+)$")[0].astype(float)


def on_row(frame: pd.DataFrame, locator: dict) -> pd.DataFrame:
    here = frame[row_of(frame["source_cell"]) == locator.get("row", locator.get("record"))]
    return here[here["source_sheet"].astype(str) == locator["sheet"]] if "sheet" in locator else here


def matches(result: pd.Series, expected: dict, when: dict) -> bool:
    """Whether a result is the one that the expected row describes, in canonical units and names."""
    unit = expected["unit"]
    if expected.get("parameter"):
        name = parameters.identify(expected["parameter"], "", "", expected.get("speciation", "")).parameter
        if result["parameter"] != name:
            return False
    wanted = float(units.convert(expected["value"], unit, units.canonical(unit)))
    if result["unit"] != units.canonical(unit) or not np.isclose(result["value"], wanted, rtol=1e-12, atol=0):
        return False
    qualifier = expected.get("qualifier", "")
    flagged = qualifier == "J"
    if result["qualifier"] != ("" if flagged else qualifier):
        return False
    if flagged and "J" not in str(result["flags"]).split():
        return False
    return dated(result, when) and typed(result, expected)


def dated(result: pd.Series, when: dict) -> bool:
    if "datetime" in when:
        moment = pd.Timestamp(when["datetime"])
        if moment.tz is not None:
            if result["utc_offset"] != moment.utcoffset().total_seconds() / 60:
                return False
            moment = moment.tz_localize(None)
        if result["start"] != moment:
            return False
    if "date" in when and str(result["start"])[:10] != when["date"]:
        return False
    return "end" not in when or str(result["end"]).startswith(when["end"].replace("T", " "))


def typed(result: pd.Series, expected: dict) -> bool:
    if "fraction" in expected:
        wanted = parameters.identify(expected["parameter"], "", expected["fraction"], "").fraction
        if result["fraction"] != wanted:
            return False
    if expected.get("duplicate") and not result["duplicate_of"]:
        return False
    return "sample_type" not in expected or result["sample_type"] == expected["sample_type"]


CASES = [case for case in rows() if case["file"] != REFUSED]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['file'][4:]}-{list(case['locator'].values())[-1]}")
def test_row(case: dict) -> None:
    done, aside = tidied(case["file"])
    expected = case["expected"]
    here = on_row(done.results, case["locator"])
    wanted = expected.get("results", [expected] if "value" in expected else [])
    if "excluded" in expected:
        assert here.empty
        assert len(on_row(aside, case["locator"])) > 0
        return
    for one in wanted:
        if one["value"] is None:  # not metered
            assert "--" in on_row(aside, case["locator"])["text"].tolist()
            continue
        what = {**expected, **one}
        found = [result for _, result in here.iterrows() if matches(result, what, what)]
        assert found, f"{one} is not among\n{here.T}"
    if not wanted:
        assert here.empty, f"no result was expected, got\n{here.T}"


def test_count_of_rows_that_are_reproduced(capsys: pytest.CaptureFixture[str]) -> None:
    results = sum(len(case["expected"].get("results", [1])) for case in CASES)
    left = len(rows()) - len(CASES)
    said = f"{len(CASES)} of {len(rows())} rows are reproduced, {results} results; {left} are of {REFUSED}, refused"
    with capsys.disabled():
        sys.stdout.write(f"\n{said}\n")
    assert len(CASES) == len(rows()) - 2


def test_alpha_deliverable_holds_1289_field_results_524_of_them_non_detects() -> None:
    done, _ = tidied("lab/alpha_EDD_PortlandHarbor.xls")
    combined = done.results[done.results["source_sheet"] == "Combined"]
    assert len(combined) == 1289
    assert (combined["qualifier"] == "<").sum() == 524


def test_corrupt_file_is_refused() -> None:
    with pytest.raises(FileError, match="one character"):
        reading.read([INPUTS / REFUSED])


EPA_UNITS = {
    "UG/L": "ug/L",
    "MG/L": "mg/L",
    "M/SEC": "m/s",
    "CFU/100ML": "MPN/100mL",
    "DEG C": "degC",
    "US/CM": "uS/cm",
}


def test_agrees_with_the_columns_that_epa_added() -> None:
    """EPA's own TADA.* columns of a WQX download: each value and limit that we use is EPA's, in EPA's unit."""
    name = "lab/epa_tada_6tribes_metals_and_odd.csv"
    done, aside = tidied(name)
    epa = pd.read_csv(INPUTS / name, dtype=str, keep_default_na=False)
    epa["record"] = np.arange(2, len(epa) + 2)
    ours = done.results.assign(record=row_of(done.results["source_cell"]).astype(int)).merge(epa, on="record")
    agreed = differ = 0
    for _, row in ours.iterrows():
        to = EPA_UNITS.get(row["TADA.ResultMeasure.MeasureUnitCode"], row["TADA.ResultMeasure.MeasureUnitCode"])
        number = row["TADA.ResultMeasureValue"] or row["TADA.DetectionQuantitationLimitMeasure.MeasureValue"]
        if not number:
            assert row["qualifier"] == "<"
            assert np.isnan(row["value"])
            continue
        got = float(units.convert(row["value"], row["unit"], to))
        same = np.isclose(got, float(number), rtol=1e-6)
        agreed += same
        differ += not same
    assert differ == 0
    assert agreed > 1800
    # EPA averages a range, we set it aside; EPA takes a percent sign for a percentage; texts are nobody's numbers.
    assert set(aside["reason"]) <= {
        "range", "status", "not a number", "unit in place of a value", "quality control: blank", "contradictory units",
        "no unit",
    }  # fmt: skip
