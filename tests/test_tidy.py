"""Raw values into results: every value comes out on one side or the other, with what was printed beside it."""

from __future__ import annotations

import datetime as dt
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pretreat
from pretreat import columns, tidy
from pretreat.errors import UsageError
from pretreat.measurements.measure import measure


def raw(**cells: Any) -> pd.DataFrame:
    """Raw values with what most tests need: one user, copper in mg/L, a date, an address."""
    count = max((len(value) for value in cells.values() if isinstance(value, list)), default=1)
    given = {
        "facility": "Acme Plating",
        "parameter": "Copper",
        "unit": "mg/L",
        "start": "2026-10-05",
        "value": 1.0,
    } | cells
    given |= {"source_file": "a.xlsx", "source_sheet": "S", "source_cell": [f"C{at + 2}" for at in range(count)]}
    return pd.DataFrame({name: value if isinstance(value, list) else [value] * count for name, value in given.items()})


def one(**cells: Any) -> pd.Series:
    """The single result that a single raw value becomes."""
    done = tidy.tidy(raw(**cells))
    assert len(done.set_aside) == 0, done.set_aside.to_dict("records")
    assert len(done.results) == 1
    return done.results.iloc[0]


def reason(**cells: Any) -> str:
    """Why a single raw value is set aside."""
    done = tidy.tidy(raw(**cells))
    assert len(done.results) == 0
    return str(done.set_aside["reason"].iloc[0])


# Non-detects and the laboratory's limits: each from a public fault report (faults.md).


def test_egret_68_a_blank_not_detected_with_a_limit_of_5_is_below_5_never_0() -> None:
    result = one(value="", detected="Not Detected", detection_limit="5")
    assert (result["qualifier"], result["value"]) == ("<", 5)


def test_epatada_378_limits_take_part_in_the_conversion() -> None:
    result = one(value="", detected="Not Detected", unit="", detection_limit="0.0002", detection_limit_unit="mg/L")
    assert (result["qualifier"], result["value"], result["unit"]) == ("<", 0.0002, "mg/L")


def test_wqbc_68_value_and_limit_convert_each_with_its_own_unit() -> None:
    result = one(value="0.00238", unit="mg/L", detection_limit="0.005", detection_limit_unit="ug/L")
    assert result["value"] == 0.00238
    assert result["detection_limit"] == 0.000005


def test_gwsdat_247_nd_and_less_than_are_the_same_in_other_units_too() -> None:
    assert [one(value=text, unit="ug/L")["value"] for text in ("<10", "ND<10", "10 U")] == [0.01, 0.01, 0.01]


def test_a_non_detect_counts_at_its_number_else_the_reporting_limit_else_the_detection_limit() -> None:
    limits = {"reporting_limit": 0.5, "detection_limit": 0.1}
    assert one(value="<0.3", **limits)["value"] == 0.3
    assert one(value="ND", **limits)["value"] == 0.5
    assert one(value="ND", detection_limit=0.1)["value"] == 0.1
    assert np.isnan(one(value="ND")["value"])
    assert one(value="ND")["qualifier"] == "<"


@pytest.mark.parametrize("value", [0, 0.0, "0", "0.00"])
def test_a_zero_that_was_not_detected_is_never_zero(value: object) -> None:
    assert one(value=value, qualifier="U", reporting_limit=0.5)["value"] == 0.5
    assert np.isnan(one(value=value, qualifier="U")["value"])
    assert one(value=value)["value"] == 0


@pytest.mark.parametrize(
    "how", [{"qualifier": "U"}, {"flags": "U"}, {"qualifier": "<"}, {"detected": "N"}, {"detected": False}]
)
def test_ways_to_say_not_detected_in_another_column(how: dict) -> None:
    result = one(value=0.5, **how)
    assert (result["qualifier"], result["value"]) == ("<", 0.5)


def test_wqbc_69_right_censored_stays() -> None:
    assert one(value=2420, qualifier=">", parameter="E. coli", unit="MPN/100mL")["qualifier"] == ">"


def test_estimates_keep_their_letters_and_count_as_detections() -> None:
    assert one(value="0.012 J")["flags"] == "J"
    assert one(value=0.012, qualifier="J", flags="B")["flags"] == "J B"
    assert one(value=0.012, qualifier="J")["qualifier"] == ""
    assert one(value=0.058, detected="Present Below Quantification Limit")["flags"] == "J"


def test_floridas_i_between_the_limits_is_an_estimate() -> None:
    """62-160.700 F.A.C.: I is between the laboratory's two limits, U below, Q out of holding time."""
    limits = {"detection_limit": 0.005, "reporting_limit": 0.02}
    assert one(value=0.018, flags="IQ", **limits)["flags"] == "IQ J"
    assert one(value=0.116, flags="UQ", **limits)["qualifier"] == "<"
    assert one(value=0.5, flags="IP", **limits)["flags"] == "IP"


def test_below_and_above_at_once_is_asked_about() -> None:
    assert reason(value="<5", qualifier=">") == "contradictory qualifier"


def test_bsm2_a_column_with_points_of_two_kinds_is_refused_and_the_next_is_not() -> None:
    """PyPI bsm2-python 0.0.16, raininfluent.csv: 30.044.50."""
    frame = raw(value=["30.044.50", "1.234", "7", "1.234"]).assign(source_cell=["C2", "C3", "C4", "D2"])
    done = tidy.tidy(frame)
    assert done.results["source_cell"].tolist() == ["D2"]
    assert set(done.set_aside["reason"]) == {"ambiguous number"}
    assert "30.044.50" in done.set_aside["message"].iloc[1]


# Units and names.


def test_units_from_the_column_the_heading_the_cell_or_the_limit() -> None:
    assert one(value=350, unit="ug/L")["value"] == 0.35
    assert one(value=350, unit="", parameter="Copper (ug/L)")["value"] == 0.35
    assert one(value="350 ug/L", unit="")["value"] == 0.35
    assert reason(value=350, unit="") == "no unit"
    assert reason(value="5 ug/L", unit="mg/L") == "contradictory units"
    assert one(value="5 mg/L", unit="mg/L")["value"] == 5


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ({"unit": "furlongs"}, "unknown unit"), ({"unit": "MPN"}, "unknown unit"), ({"unit": "ppt"}, "ambiguous unit"),
        ({"unit": "degF"}, "unit does not fit"), ({"parameter": "SS"}, "ambiguous parameter"), ({"parameter": ""}, "no parameter"),
        ({"value": "45%"}, "contradictory units"), ({"value": "45%", "unit": ""}, "unit does not fit"),
        ({"value": "1/2"}, "ambiguous number"), ({"unit": "None", "value": 3}, "no unit"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_set_aside(cells: dict, why: str) -> None:
    assert reason(**cells) == why


def test_canonical_units() -> None:
    assert one(parameter="Flow", value=694.4444444444445, unit="gal/min")["value"] == pytest.approx(1, rel=1e-15)
    assert one(parameter="Temp", value=0, unit="deg C")["value"] == 32
    assert one(parameter="Copper", value=1, unit="kg/day")["unit"] == "lb/day"
    assert one(parameter="Solids size", value="1/2", unit="in")["value"] == 0.5
    assert one(parameter="Solids size", value='1/2"', unit="")["value"] == 0.5
    assert one(parameter="pH", value=7.2, unit="")["unit"] == "SU"
    assert one(parameter="Salinity", value=30, unit="ppt")["unit"] == "0/00"
    assert one(parameter="Temperature rise", value=12.3, unit="degC")["value"] == 22.14


def test_lel_percent() -> None:
    """ExcelDataReader 35: 0.1 formatted as a percentage is 10 % of the LEL, equal to the limit."""
    result = one(parameter="LEL", value=0.1, unit="", cell_format="percent")
    assert (result["value"], result["unit"]) == (10, "%")
    assert one(parameter="% LEL", value=0.07, unit="", cell_format="percent")["value"] == 7
    assert one(parameter="% LEL", value=10, unit="")["value"] == 10
    assert one(parameter="Combustible gas", value=10, unit="% LEL")["parameter"] == "LEL"


def test_formats_that_change_what_a_cell_means() -> None:
    assert one(value=0.05, cell_format="less than")["qualifier"] == "<"
    assert reason(value=0.05, cell_format="strikethrough") == "struck through"
    assert reason(value="", cell_format="error") == "error cell"
    assert reason(value="", cell_format="no cached value") == "formula without value"


def test_dilute_water_is_noted() -> None:
    done = tidy.tidy(raw(value=[2, 3], unit="ppm"))
    assert done.results["value"].tolist() == [2, 3]
    assert "dilute water" in done.notes["message"].iloc[0]
    assert "2 results" in done.notes["message"].iloc[0]


def test_one_name_in_two_units_stays_two_series() -> None:
    done = tidy.tidy(raw(parameter="TKN", value=[4.2, 9.737784], unit=["mg/L", "lb/day"]))
    assert done.results["unit"].tolist() == ["mg/L", "lb/day"]


def test_ammonia_as_nh4_is_not_ammonia_as_n() -> None:
    done = tidy.tidy(raw(parameter="Ammonia and ammonium", value=[0.026, 0.02], unit=["mg/l NH4", "mg/l as N"]))
    assert done.results["parameter"].tolist() == ["Ammonia as NH4", "Ammonia as N"]


def test_units_and_values_as_printed_stay() -> None:
    result = one(value="< 5.0", unit="UG/L")
    assert (result["value_text"], result["unit_text"], result["source_cell"]) == ("< 5.0", "UG/L", "C2")


def test_ids_are_text_unchanged() -> None:
    """cual-id 42: 219E01 is no number, 00457 keeps its zeros."""
    done = tidy.tidy(raw(value=[1, 2, 3], sample_id=["219E01", "00457", "L18-02 "]))
    assert done.results["sample_id"].tolist() == ["219E01", "00457", "L18-02"]


# Quality control.


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ({"qc": "LCS"}, "quality control: control sample"), ({"qc": "MS SC"}, "quality control: spike"),
        ({"qc": "Method Blank"}, "quality control: blank"), ({"qc": "Quality Control Sample-Field Blank"}, "quality control: blank"),
        ({"qc": "SUR"}, "quality control: surrogate"), ({"qc": "Lab Duplicate"}, "quality control: laboratory duplicate"),
        ({"qc": "Quality Control Sample-Lab Duplicate"}, "quality control: laboratory duplicate"),
        ({"qc": "Quality Control Sample-Lab Matrix Spike Duplicate"}, "quality control: spike"),
        ({"qc": "Quality Control Sample-Reference Sample"}, "quality control: control sample"),
        ({"qc": "Quality Control Sample-Measurement Precision Sample"}, "quality control: quality control"),
        ({"sample_id": "Trip Blank"}, "quality control: blank"), ({"unit": "% Rec"}, "quality control: recovery"),
        ({"parameter": "2-Fluorophenol (Surr)"}, "quality control: surrogate"),
    ],
)  # fmt: skip
def test_epatada_393_quality_control_is_in_no_average(cells: dict, why: str) -> None:
    assert reason(**cells) == why


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Method blank", "quality control: blank"), ("LCS", "quality control: control sample"),
        ("Matrix spike", "quality control: spike"), ("Lab Duplicate", "quality control: laboratory duplicate"),
    ],
)  # fmt: skip
def test_a_type_of_sample_can_say_that_it_is_quality_control(said: str, why: str, tmp_path) -> None:
    assert reason(sample_type=said) == why
    rows = [["Client: Acme Plating"], ["Sample ID", "", "A-1", "A-2"], ["Date sampled", "", "2026-10-07", "2026-10-08"],
            ["Sample type", "", "Composite", said], ["Analyte", "Units"], ["Copper", "mg/L", "0.6", "9.9"],
            ["Zinc", "mg/L", "0.1", "3.0"]]  # fmt: skip
    (tmp_path / "across.csv").write_text("\n".join(",".join(row) for row in rows), encoding="utf-8")
    samples = pretreat.read_samples(tmp_path / "across.csv")
    assert samples.results["value"].tolist() == [0.6, 0.1]
    assert set(samples.set_aside["reason"]) == {why}


@pytest.mark.parametrize(
    "said", ["24-hr composite", "Grab", "C", "G", "continuous", "Flow-weighted composite", "24 HR"]
)
def test_other_types_of_sample_are_samples(said: str) -> None:
    assert one(sample_type=said).get("duplicate_of", "") == ""


def test_a_type_of_sample_can_say_that_it_is_a_field_duplicate() -> None:
    assert one(sample_type="Field Duplicate")["duplicate_of"] != ""


@pytest.mark.parametrize(
    "qc", ["", "N", "NA TRG", "Sample-Routine", "Field Msr/Obs", "Sample-Composite Without Parents", "REG"]
)
def test_samples_are_samples(qc: str) -> None:
    assert one(qc=qc).get("duplicate_of", "") == ""


@pytest.mark.parametrize(
    "qc",
    [
        "FD",
        "Field Duplicate",
        "Quality Control Sample-Field Replicate",
        "Duplicate",
        "Quality Control Sample-Inter-lab Split",
    ],
)
def test_field_duplicates_are_kept_and_marked(qc: str) -> None:
    assert one(qc=qc)["duplicate_of"] == "field duplicate"
    assert one(qc=qc, duplicate_of="S-1")["duplicate_of"] == "S-1"


def test_a_field_duplicate_is_of_the_only_sample_of_its_day() -> None:
    day = ["2026-10-05", "2026-10-05", "2026-10-06", "2026-10-07", "2026-10-07", "2026-10-07"]
    done = tidy.tidy(
        raw(
            value=[1, 2, 3, 4, 5, 6],
            start=day,
            sample_id=["A", "B", "C", "D", "E", "F"],
            qc=["", "FD", "FD", "", "", "FD"],
        )
    )
    assert done.results["duplicate_of"].tolist() == ["", "A", "field duplicate", "", "", "field duplicate"]


def test_sample_types_and_who_took_them() -> None:
    assert one(sample_type="24-hr Comp.")["sample_type"] == "composite"
    assert one(sample_type="GRAB")["sample_type"] == "grab"
    assert one(sample_type="continuous")["sample_type"] == "continuous"
    assert one(sample_type="?")["sample_type"] == ""
    assert one(collected_by="POTW staff")["collected_by"] == "authority"
    assert one(statistic="MO AVG")["statistic"] == "monthly average"


# Dates.


def test_dates_that_are_missing_or_cannot_be_read() -> None:
    assert reason(start="") == "no date"
    assert reason(start="sometime") == "unreadable date"
    assert tidy.tidy(raw().drop(columns="start")).set_aside["reason"].tolist() == ["no date"]
    done = tidy.tidy(raw(value=[1, 2, 3], start=["13/02/2024", "02/14/2024", "01/02/2024"]))
    assert done.set_aside["reason"].tolist() == ["ambiguous date"]


def test_dates_of_a_person_override() -> None:
    assert tidy.tidy(raw(start="01/02/2024"), dates="dmy").results["start"].astype(str).tolist() == ["2024-02-01"]
    with pytest.raises(UsageError, match="mdy, dmy or ymd"):
        tidy.tidy(raw(), dates="myd")


def test_a_printed_midnight_is_a_time() -> None:
    done = tidy.tidy(raw(value=[1, 2], start=["2026-10-05 00:00", "2026-10-05"]))
    assert done.results["timed"].tolist() == [True, False]


# Frames and laws.


def test_a_plain_frame() -> None:
    frame = pd.DataFrame({"facility": ["A", "A"], "parameter": ["Zn", "pH"], "value": ["<50", 7], "unit": ["ug/L", "SU"],
                          "start": [dt.datetime(2026, 1, 5, 9), dt.datetime(2026, 1, 6, 9)]})  # fmt: skip
    results = tidy.from_frame(frame)
    assert results["value"].tolist() == [0.05, 7]
    assert results["source_cell"].tolist() == [1, 2]
    with pytest.raises(UsageError, match="lacks unit"):
        tidy.from_frame(frame.drop(columns="unit"))


def test_a_frame_of_categories_is_worked_out_once_for_each_and_left_as_it_was() -> None:
    count = 1000
    frame = pd.DataFrame({
        "facility": pd.Categorical.from_codes(np.zeros(count, dtype=np.int8), ["A"]), "value": np.ones(count),
        "parameter": pd.Categorical.from_codes(np.arange(count) % 2, ["Copper", "Zn"]),
        "unit": pd.Categorical.from_codes(np.arange(count) % 2, ["mg/L", "ug/L"]),
        "qualifier": pd.Categorical.from_codes(np.arange(count) % 2, ["", "<"]), "start": pd.Timestamp("2026-10-05 08:00"),
    })  # fmt: skip
    before = frame.copy(deep=True)
    results = tidy.from_frame(frame)
    assert results["parameter"].cat.categories.tolist() == ["Copper", "Zinc"]
    assert results["value"].tolist()[:2] == [1.0, 0.001]
    assert results["qualifier"].tolist()[:2] == ["", "<"]
    pd.testing.assert_frame_equal(frame, before)


def test_results_that_are_given_again_stay_as_they_are() -> None:
    frame = raw(
        value=["<5", "0.012 J", "ND", 3, "7 U"], unit=["ug/L", "mg/L", "mg/L", "ug/L", "ug/L"], qc="FD", fraction="Dissolved",
        start=["2026-10-05 00:00", "2026-10-05", "2026-10-05 09:30", "2026-10-05", "2026-10-05"], time_zone="EST", sample_type="Grab",
        detection_limit=[1, 0.01, "", "", ""], reporting_limit=[5, 0.02, "", "", ""], end=["2026-10-06 00:00", "", "", "", ""],
    )  # fmt: skip
    once = tidy.tidy(frame).results
    again = tidy.tidy_frame(once).results
    for name in sorted({*once, *again}):
        assert once[name].astype(str).tolist() == again[name].astype(str).tolist(), name


@pytest.mark.parametrize(
    "name",
    [
        "value",
        "unit",
        "parameter",
        "start",
        "qualifier",
        "detected",
        "qc",
        "fraction",
        "cas",
        "sample_id",
        "speciation",
    ],
)
@pytest.mark.parametrize(
    "text", ["A, (b) 1/2 as N " * 2500, "9" * 40_000, "(" * 40_000, " " * 40_000, "<" * 40_000 + "5", "1,000" * 8000]
)
def test_a_remark_of_forty_thousand_letters_takes_no_time(name: str, text: str) -> None:
    begun = time.process_time()
    done = tidy.tidy(raw(**{name: text}))
    assert len(done.results) + len(done.set_aside) == 1
    assert time.process_time() - begun < 2


def test_an_empty_frame() -> None:
    done = tidy.tidy(raw().iloc[:0])
    assert len(done.results) == len(done.set_aside) == 0


def test_results_complete_to_the_table() -> None:
    done = tidy.tidy(raw(value="<5", qc="FD"))
    table = columns.complete(done.results, "results")
    assert list(table.columns) == list(columns.TABLES["results"])


CELLS = st.one_of(st.text(max_size=12), st.floats(allow_nan=True), st.integers(-100, 10**6), st.booleans(), st.none(), st.datetimes(),
                  st.sampled_from(["<5", "ND", "5 J", "--", "10-15", "1,200", "45%", ">10"]))  # fmt: skip


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(
            CELLS,
            st.sampled_from(["Copper", "pH", "SS", "", "Temp (F)", "x"]),
            st.sampled_from(["mg/L", "", "ug/L", "SU", "zz"]),
        ),
        max_size=8,
    )
)
def test_every_value_is_used_or_set_aside_once_with_its_address_and_what_to_do(rows: list) -> None:
    frame = (
        raw(value=[r[0] for r in rows], parameter=[r[1] for r in rows], unit=[r[2] for r in rows])
        if rows
        else raw().iloc[:0]
    )
    done = tidy.tidy(frame)
    assert sorted([*done.results["source_cell"], *done.set_aside["source_cell"]]) == sorted(frame["source_cell"])
    assert (done.set_aside["message"].str.len() > 10).all()
    used = done.results
    assert (np.isfinite(used["value"]) | (used["qualifier"] == "<")).all()
    assert not ((used["qualifier"] == "<") & (used["value"] <= 0)).any()


@settings(deadline=None, max_examples=12)
@given(st.permutations(list(range(6))))
def test_the_order_of_rows_does_not_matter(order: list[int]) -> None:
    frame = raw(
        value=["<5", "ND", 3, "--", "7 J", "1/2"],
        start=["1/2/2024", "13/2/2024", "1/3/2024", "1/4/2024", "1/5/2024", "1/6/2024"],
    )
    straight, mixed = tidy.tidy(frame), tidy.tidy(frame.iloc[order])
    key = "source_cell"
    for ours, theirs in ((straight.results, mixed.results), (straight.set_aside, mixed.set_aside)):
        left, right = (side.sort_values(key, ignore_index=True).astype(str) for side in (ours, theirs))
        pd.testing.assert_frame_equal(left[sorted(left)], right[sorted(right)], check_dtype=False)


def test_a_number_too_large_to_reckon_with_is_set_aside():
    # A conversion may leave the range of a float, and so does a sum of such numbers: no average could be made.
    frame = pd.DataFrame(
        {"value": [1e308, -1e308, "1e200", 0.5], "parameter": "Copper", "unit": ["g/L", "mg/L", "mg/L", "mg/L"]}
    )
    frame["detection_limit"], frame["detection_limit_unit"], frame["start"] = 1e308, "g/L", pd.Timestamp("2026-10-07")
    frame["source_file"], frame["source_sheet"], frame["source_cell"] = "a.csv", "", [f"A{n}" for n in range(4)]
    done = tidy.tidy(frame)
    assert done.set_aside["source_cell"].tolist() == ["A0", "A1", "A2"]
    assert set(done.set_aside["reason"]) == {"not a number"}
    assert done.results["value"].tolist() == [0.5]
    assert done.results["detection_limit"].isna().all()


@pytest.mark.parametrize(
    ("sample", "kind"),
    [
        ("LCS", "control sample"), ("LCS-1005", "control sample"), ("lcsd 2", "control sample"), ("CCV1", "control sample"),
        ("BSD", "control sample"), ("Laboratory Control Sample", "control sample"), ("MB", "blank"), ("ICB-1", "blank"),
        ("Method Blank", "blank"), ("MS", "spike"), ("MSD", "spike"), ("AP-1 MS", "spike"), ("AP-1-MSD", "spike"),
        ("AP-1 Matrix Spike Dup", "spike"), ("MB-3", ""), ("MS-1", ""), ("AP-1", ""), ("Blankenship 1", ""), ("AMS", ""),
        ("BS-2", ""), ("S-1", ""), ("", ""),
    ],
)  # fmt: skip
def test_names_of_samples_that_are_quality_control(sample: str, kind: str) -> None:
    frame = pd.DataFrame({"parameter": ["Zn"], "value": [0.98], "unit": "mg/L", "start": "2026-10-05"})
    for column in ("sample_id", "lab_sample_id"):
        tidied = tidy.tidy(frame.assign(**{column: sample}))
        assert tidied.set_aside["reason"].tolist() == ([f"quality control: {kind}"] if kind else [])


def test_a_duplicate_by_its_name() -> None:
    """`AP-1 Dup` beside `AP-1` is one sample with it, where the sheet has no column that says so."""
    frame = pd.DataFrame({"facility": "Acme", "parameter": "Zn", "value": [1.0, 3.0, 5.0, 7.0], "unit": "mg/L", "start": "2026-10-05",
                          "sample_id": ["AP-1", "AP-1 Dup", "AP-2 (FD)", "Dup"]})  # fmt: skip
    results = tidy.tidy(frame).results
    assert results["duplicate_of"].astype(str).tolist() == ["", "AP-1", "", ""]
    measured = measure(results).frame
    assert sorted(measured[["low", "high"]].to_numpy().tolist()) == [[1.0, 3.0], [5.0, 5.0], [7.0, 7.0]]
    given = tidy.tidy(frame.assign(duplicate_of=["", "AP-9", "", ""])).results
    assert given["duplicate_of"].astype(str).tolist() == ["", "AP-9", "", ""]
    plain = frame[["facility", "parameter", "value", "unit", "start"]]
    assert "duplicate_of" not in tidy.tidy(plain).results
