"""Explanations: what they print can be worked out again with a pocket calculator."""

import re

import numpy as np
import pandas as pd
import pytest

from pretreat import columns, packs, pipeline
from pretreat.errors import FileError, UsageError
from pretreat.explain.steps import Explainer, explain, read_tables
from pretreat.report.tables import write_tables

ROWS = [
    # parameter, value, unit, start, sample type, qualifier, as printed, its unit, cell
    ("Copper", 2.5, "mg/L", "2026-09-28 08:00", "grab", "", "2.5", "mg/L", "D4"),
    ("Copper", 1.85, "mg/L", "2026-10-07 08:00", "grab", "", "1,850", "ug/L", "D5"),
    ("Copper", 0.5, "mg/L", "2026-10-07 14:00", "grab", "<", "<500", "ug/L", "D6"),
    ("Copper", 0.9, "mg/L", "2026-10-14 08:00", "grab", "", "0.9", "mg/L", "D7"),
    ("Copper", 0.7, "mg/L", "2026-10-20 08:00", "grab", "", "0.7", "mg/L", "D8"),
    ("Zinc", 3.0, "mg/L", "2026-10-07 08:00", "composite", "", "3.0", "mg/L", "E5"),
    ("pH", 4.2, "SU", "2026-10-07 08:00", "grab", "", "4.2", "SU", "F5"),
    ("Temperature", 149.0, "degF", "2026-10-07 08:00", "grab", "", "65", "C", "G5"),
    ("Oil and grease", 80.0, "mg/L", "2026-10-07 08:00", "composite", "", "80", "mg/L", "H5"),
]


def results():
    names = [
        "parameter",
        "value",
        "unit",
        "start",
        "sample_type",
        "qualifier",
        "value_text",
        "unit_text",
        "source_cell",
    ]
    frame = pd.DataFrame(ROWS, columns=names)
    frame["start"] = pd.to_datetime(frame["start"])
    frame["end"] = frame["start"] + pd.to_timedelta(np.where(frame["sample_type"] == "composite", 24, 0), unit="h")
    frame["fraction"] = np.where(frame["parameter"].isin(["Copper", "Zinc"]), "total", "")
    return frame.assign(facility="Acme Plating", outfall="001", source_file="=acme.xlsx", source_sheet="Oct")


@pytest.fixture(scope="module")
def tables():
    frame = results()
    users = pd.DataFrame({"facility": ["Acme Plating"], "outfall": ["001"], "class": ["SIU"]})
    known = packs.load(["ny/little-valley", "federal/403"])
    wanted = ["comparisons", "exceedances", "undetermined", "snc", "limits", "averages", "slugs"]
    found = pipeline.check(frame, known, facilities=users, period="2026-Q4", tables=wanted)
    return {**found.tables, "results": found.results}


def text_of(tables, **where):
    table = tables["comparisons"]
    for name, value in where.items():
        table = table[table[name].astype(str) == value]
    assert len(table) >= 1
    return explain(tables, table["comparison_id"].iloc[0])


def test_a_days_mean_from_the_cells(tables):
    text = text_of(tables, parameter="Copper", statistic="24-hour average", period_start="2026-10-07")
    assert '=acme.xlsx!Oct!D5: printed "1,850" with the unit "ug/L"; grab, 2026-10-07 08:00' in text
    assert "1850 ug/L × 0.001 = 1.85 mg/L" in text
    assert "500 ug/L × 0.001 = 0.5 mg/L; not detected: anything from 0 to below it" in text
    assert "low end (1.85 + 0) / 2 = 0.925 mg/L" in text
    assert "high end (1.85 + 0.5) / 2 = 1.175 mg/L (not reached)" in text
    assert "ny/little-valley, § 194-6C(8) (S1-33): more than 1.6 mg/L violates" in text
    assert 'the statistic is printed as "24 Hour Average"' in text
    assert "verdict: complies" in text


def test_a_30_day_average_in_both_readings(tables):
    text = text_of(tables, parameter="Copper", statistic="30-day average")
    assert "low end (0.925 + 0.9 + 0.7) / 3 = 0.8416666667 mg/L" in text
    assert "mean of 2 daily values of the worst 30 days, 2026-09-08 to 2026-10-07" in text
    assert "high end (2.5 + 1.175) / 2 = 1.8375 mg/L" in text
    assert "0.8416666667 > 0.8, yes" in text
    assert "half up 5 % over" in text


def test_temperature_between_two_printed_units(tables):
    text = text_of(tables, parameter="Temperature", limit_id="S1-19")
    assert "65 C × 1.8 + 32 = 149 degF" in text
    assert "a limit that lies from 147.2 to 150 degF" in text
    assert "149 against 147.2, yes" in text
    assert "verdict: undetermined" in text


def test_a_lower_bound_and_the_limit_that_binds(tables):
    text = text_of(tables, parameter="pH", limit_id="403.5(b)(2)")
    assert "exceeds where the high end is less than 5: 4.2 < 5, yes" in text
    assert "A more stringent limit binds: ny/little-valley § 194-6C(7)" in text


def test_a_composite_of_what_must_be_a_grab(tables):
    text = text_of(tables, parameter="Oil and grease")
    assert "value: at or above 80 mg/L" in text
    assert "verdict: undetermined" in text


def test_significant_noncompliance_step_by_step(tables):
    table = tables["snc"]
    row = table[(table.parameter == "Copper") & (table.statistic == "24-hour average")].iloc[0]
    text = explain(tables, row.snc_id)
    assert "technical review: 1.6 × 1.2 = 1.92 mg/L, at or above" in text
    assert "2026-09-28: 2.5 mg/L: over, technical review" in text
    assert "over the limit: 1 of 4 = 25 %" in text
    assert "Significant noncompliance: no (a significant user)" in text
    # The measurements of the half year that lie before the period asked for are there too.
    assert text.index("2026-09-28") < text.index("2026-10-07")


def test_every_finding_is_explained_and_every_sum_can_be_checked(tables):
    reader = Explainer(tables)
    ids = [*tables["comparisons"].comparison_id, *tables["snc"].snc_id]
    assert len(ids) > 10
    checked = 0
    for finding in ids:
        text = reader.explain(finding)
        for sum_, divisor, mean in re.findall(r"\(([\d. +]+)\) / (\d+) = ([\d.]+)", text):
            terms = [float(term) for term in sum_.split(" + ")]
            assert len(terms) == int(divisor)
            assert sum(terms) / int(divisor) == pytest.approx(float(mean), rel=1e-9)
            checked += 1
        for one, factor, product in re.findall(r"([\d.]+) \S+ × ([\d.]+) = ([\d.]+)", text):
            assert float(one) * float(factor) == pytest.approx(float(product), rel=1e-9)
            checked += 1
        for k, n, percent in re.findall(r"(\d+) of (\d+) = ([\d.]+) %", text):
            assert 100 * int(k) / int(n) == pytest.approx(float(percent), abs=1e-6)
            checked += 1
    assert checked > 20


def test_every_comparison_comes_out_again(tables):
    places = Explainer(tables).places
    for row in tables["comparisons"].to_dict("records"):
        assert places.made(row) is not None, row["comparison_id"]


@pytest.mark.parametrize("rule", ["zero", "half", "limit"])
def test_the_rule_for_non_detects_is_told(rule):
    known = packs.load(["ny/little-valley"])
    found = pipeline.check(results(), known, period="2026-10", nondetects=rule, tables=["comparisons", "limits"])
    made = {**found.tables, "results": found.results}
    text = text_of(made, parameter="Copper", statistic="24-hour average", period_start="2026-10-07")
    assert f"non-detects count by the rule {rule!r}" in text
    substituted = {"zero": "0", "half": "0.25", "limit": "0.5"}[rule]
    assert f"(1.85 + {substituted}) / 2" in text


@pytest.mark.parametrize("parquet", [False, True])
def test_tables_read_back_explain_the_same(tables, tmp_path, parquet):
    (tmp_path / "tables").mkdir()
    write_tables(tables, tmp_path / "tables", parquet=parquet)
    read = read_tables(tmp_path)
    assert read["results"]["source_file"].iloc[0] == "=acme.xlsx"
    for name in ("comparisons", "snc"):
        column = {"comparisons": "comparison_id", "snc": "snc_id"}[name]
        for finding in tables[name][column]:
            assert explain(read, finding) == explain(tables, finding)


def test_an_unknown_id_names_near_ones(tables):
    known = tables["comparisons"].comparison_id.iloc[0]
    with pytest.raises(UsageError, match=f"Near: .*{known}"):
        explain(tables, known[:-1] + ("0" if known[-1] != "0" else "1"))


def test_a_folder_without_tables(tmp_path):
    with pytest.raises(FileError, match="no tables of a report"):
        read_tables(tmp_path)


def test_without_results_it_says_that_the_cells_are_missing(tables):
    less = {name: table for name, table in tables.items() if name != "results"}
    text = text_of(less, parameter="Copper", statistic="30-day average")
    assert "its cells are not named here" in text
    assert "verdict: exceeds" in text


def slug_tables():
    minutes = [0, 1, 2, 18, 19, 20]
    frame = pd.DataFrame(
        {
            "value": [1.0, 6.0, 7.0, 6.5, 6.1, 1.0],
            "start": pd.Timestamp("2026-10-07 10:00") + pd.to_timedelta(minutes, unit="min"),
        }
    )
    frame = frame.assign(facility="Acme Plating", outfall="001", parameter="Flow", unit="MGD", sample_type="continuous", unit_text="MGD",
                         qualifier="", value_text=frame.value.astype(str), source_file="log.csv", source_cell=[f"B{i}" for i in range(2, 8)])  # fmt: skip
    slug = pd.DataFrame(
        [
            {
                "slug_id": "slug-1",
                "pack": "ny/little-valley",
                "cite": "§ 194-6C(13)(d)",
                "facility": "Acme Plating",
                "outfall": "001",
                "parameter": "Flow",
                "start": pd.Timestamp("2026-10-07 10:01"),
                "end": pd.Timestamp("2026-10-07 10:19"),
                "minutes_low": 18.0,
                "minutes_high": 20.0,
                "peak": 7.0,
                "baseline": 1.1,
                "multiple": 5.0,
                "unit": "MGD",
                "verdict": "exceeds",
                "reason": "baseline of 9 days",
            }
        ]
    )
    return {"results": columns.complete(frame, "results"), "slugs": slug}


def test_the_last_over_of_means_is_the_last_that_is_over():
    """A slug of means ends when the next one begins: 10:24 is not over, and is the reading after."""
    tables = slug_tables()
    tables["slugs"] = tables["slugs"].assign(end=pd.Timestamp("2026-10-07 10:24"), minutes_low=23.0, minutes_high=23.0)
    tables["results"].loc[5, "start"] = pd.Timestamp("2026-10-07 10:24")
    text = explain(tables, "slug-1")
    assert 'the last over: log.csv!B6: printed "6.1"' in text
    assert 'the reading after: log.csv!B7: printed "1.0"' in text
    assert "4 readings from the first to the last over: 18 min" in text
    assert "the last is a mean, which stands for the time until 2026-10-07 10:24" in text


def test_a_slug_over_the_repeated_hour_shows_its_readings():
    """From 01:59 before clocks went back to 01:17 after: 18 minutes, though the end is printed before the start."""
    tables = slug_tables()
    before = pd.Timestamp("2026-11-01 01:58") - pd.Timestamp("2026-10-07 10:00")
    start = tables["results"]["start"] + before
    late = start >= pd.Timestamp("2026-11-01 02:00")
    tables["results"] = (
        tables["results"]
        .assign(start=start - pd.to_timedelta(late * 1, unit="h"), utc_offset=np.where(late, -300.0, -240.0))
        .sort_values("start", ignore_index=True)
    )
    tables["slugs"] = tables["slugs"].assign(
        start=pd.Timestamp("2026-11-01 01:59"), end=pd.Timestamp("2026-11-01 01:17")
    )
    text = explain(tables, "slug-1")
    assert 'the first over: log.csv!B3: printed "6.0"' in text
    assert "4 readings from the first to the last over: 18 min" in text


def test_a_slug_with_its_readings():
    text = explain(slug_tables(), "slug-1")
    assert "1.1 × 5 = 5.5 MGD" in text
    assert 'the first over: log.csv!B3: printed "6.0"' in text
    assert 'the highest: log.csv!B4: printed "7.0"' in text
    assert 'the reading after: log.csv!B7: printed "1.0"' in text
    assert "4 readings from the first to the last over: 18 min" in text
    assert "proven: 18 min; possible: 20 min" in text
    assert "verdict: exceeds" in text
