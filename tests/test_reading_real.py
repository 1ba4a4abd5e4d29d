"""Real files of others, with the readings worked out by hand (`../shared/inputs`); tidying them is tested elsewhere."""

import numpy as np
import pytest
from shared import INPUTS, needs_shared
from sheets_made import adds_up

from pretreat.errors import FileError
from pretreat.reading import read

LAB = INPUTS / "lab"
FILES = sorted(p.name for p in LAB.glob("*")) if LAB.is_dir() else []

pytestmark = needs_shared


def rows(name, *columns):
    raw = read(LAB / name)
    values = raw.values
    keep = [values[c].astype(object).map(str) for c in ("source_cell", "value", *columns)]
    return {cell: rest for cell, *rest in zip(*keep, strict=True)}, raw


@pytest.mark.parametrize("name", [n for n in FILES if "corrupt" not in n])
def test_every_file_is_read_and_adds_up(name):
    raw = read(LAB / name)
    assert adds_up(raw)
    assert set(raw.sheets["source_file"]) == {(LAB / name).as_posix()}
    assert (raw.set_aside["message"].str.len() > 20).all()


def test_one_character_per_field_is_refused():
    with pytest.raises(FileError, match="one character each"):
        read(LAB / "littlerock_NewDMR_corrupt.csv")


def test_wims_three_header_rows_and_the_average_row():
    got, raw = rows("wims_CapeElizabeth_Nitrogen.xls", "parameter", "unit", "start", "facility")
    assert got["B4"] == ["4.2", "TKN", "mg/L", "5/7/2017", "CEWWTF"]
    assert got["C4"] == ["0.696", "Nitrite + Nitrate as N", "mg/L", "5/7/2017", "CEWWTF"]
    assert raw.set_aside["source_cell"].tolist() == ["B14", "C14"]
    means = [np.mean([float(v[0]) for cell, v in got.items() if cell.startswith(c)]) for c in "BC"]
    assert means == pytest.approx([7.68, 1.5943])  # published: the row that was set aside


def test_wims_concentration_and_load_apart():
    got, _ = rows("wims_CapeElizabeth_May_conc_and_load.xls", "parameter", "unit", "start")
    assert got["D25"] == ["6.0977076", "Nitrite + Nitrate as N", "lb/day", "5/22/2017"]
    assert got["C25"] == ["4.2", "TKN", "mg/L", "5/22/2017"]
    assert float(got["D25"][0]) == pytest.approx(2.63 * 0.278 * 8.34)  # published: concentration x MGD x 8.34
    assert len(got) == 8  # two of the 31 days have data


def test_mdep_second_sheet_without_dates_is_no_table():
    got, raw = rows("mdep_effluent_N_2021_with_formulas.xlsx", "parameter", "unit", "start", "facility")
    assert got["E44"] == ["4.74", "TN (CALC)", "MG/L", "2018-05-31", "PWD PEAKS ISLAND"]
    assert got["C107"][0] == "27.0"
    assert got["E107"] == ["30.8", "TN (CALC)", "MG/L", "2019-10-31", "YARMOUTH WWTP"]
    assert raw.sheets["layout"].tolist() == ["wide", "none"]


def test_portland_six_header_rows():
    got, raw = rows("Portland_CSO_2015_six_row_header.xls", "parameter", "unit", "outfall", "start")
    assert got["G7"] == ["4000.0", "FLOW", "GALLONS PER DAY", "CSO 005", "2015-01-18"]
    assert got["AG7"][0:4:3] == ["12000.0", "CSO 039"]
    assert got["E7"][0:4:3] == ["--", "CSO 002"]
    assert got["T8"][0:4:3] == ["526000.0", "CSO 018"]
    assert got["S64"][0:4:3] == ["1034000.0", "CSO 017"]
    total = dict(zip(raw.set_aside["source_cell"], raw.set_aside["text"], strict=True))
    assert total["C66"] == '35.11"'
    assert "#REF!" in total.values()  # an error cell that the fast reader gives as nothing
    sums = {7: 16_000, 8: 1_590_300, 64: 1_870_000}  # published totals of the row
    for row, published in sums.items():
        cells = [v for cell, v in got.items() if cell.strip("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == str(row) and v[3]]
        numbers = [float(v[0]) for v in cells if v[0].replace(".", "").isdigit()]
        assert sum(numbers) == published


def test_alpha_quality_control_is_told_apart():
    raw = read(LAB / "alpha_EDD_PortlandHarbor.xls")
    values = raw.values[raw.values["source_sheet"] == "Combined"]
    qc = values["qc"].astype(object).map(str)
    field = values[qc == ""]
    assert len(field) == 1289
    assert (field["qualifier"].astype(object).map(str) == "U").sum() == 524
    first = field[field["source_cell"] == "L2"].iloc[0]
    assert (first["value"], first["parameter"], first["fraction"]) == (7.32, "ARSENIC, TOTAL", "Total")
    assert {"SUR", "MS SC"} <= set(qc)


def test_florida_pipes_records_count_from_the_first_line():
    got, raw = rows("florida_WIN_WAVES_pipe.txt", "parameter", "qualifier", "detection_limit", "start")
    assert got["Q11"] == [".018", "Ammonia (N)", "IQ", "0.005", "03/17/2020 10:38:00"]
    assert got["Q13"] == [".116", "Phosphorus- Total", "UQ", "0.116", "03/17/2020 10:38:00"]
    assert got["Q12"][:2] == ["8.07", "pH"]
    assert raw.sheets.loc[0, "header_row"] == "9"
    assert len(got) == 272


@pytest.mark.parametrize(
    ("name", "cell", "expected"),
    [
        (
            "littlerock_CLR_DMR_1997-2019.csv",
            "F2",
            {"value": "5", "parameter": "Se", "unit": "UG/L", "start": "1997-02-28"},
        ),
        ("littlerock_CLR_DMR_1997-2019.csv", "F5000", {"value": "7.385", "parameter": "BOD", "unit": "MG/L"}),
        ("littlerock_NewDMR_good.csv", "F2", {"value": "0.0194", "parameter": "Flow", "unit": "MGD", "facility": "1"}),
        (
            "cvc_wqdata_long.csv",
            "K4",
            {"sample_type": "composite", "start": "2012-07-31 12:24:00", "end": "2012-07-31 16:45:00"},
        ),
        ("nsqd_TSS.xlsx", "P50", {"value": "40.0", "parameter": "Total Suspended Solids", "start": "1997-11-22"}),
        ("nadp_nh4_lt_text.csv", "E2", {"value": "<0.006", "parameter": "NH4", "unit": "mg/L", "end": "2009-01-13"}),
        ("nadp_nh4_lt_text.csv", "F2", {"value": "0.006", "detected": "Not Detected"}),
        ("nadp_nh4_lt_text.csv", "F4", {"value": "0.006", "detected": ""}),
        (
            "usgs_samples_WQX3.csv",
            "DJ13",
            {"parameter": "Ammonia and ammonium", "speciation": "as NH4", "reporting_limit": "0.026"},
        ),
        (
            "usgs_samples_WQX3.csv",
            "DJ3",
            {"value": "8.0", "unit": "standard units", "time_zone": "CDT", "start_time": "09:00:00"},
        ),
        ("usgs_wqp_results.csv", "AH2", {"value": "1000", "start_time": "12:20:00", "time_zone": "CDT"}),
        (
            "epa_tada_6tribes_metals_and_odd.csv",
            "L42",
            {"value": "", "detected": "Not Detected", "reporting_limit": "5"},
        ),
        ("epa_tada_6tribes_metals_and_odd.csv", "L516", {"value": "%", "parameter": "pH", "unit": "None"}),
        ("wqp_R5_unit_zoo.csv", "L839", {"qc": "Quality Control Sample-Field Replicate", "value": "0.016"}),
        (
            "wqp_R5_unit_zoo.csv",
            "L1097",
            {"reporting_limit": "0.0055", "reporting_limit_unit": "ng/mL", "unit": "pg/L"},
        ),
    ],
)
def test_cells_of_csv_files(name, cell, expected):
    values = read(LAB / name).values
    row = values[values["source_cell"] == cell].iloc[0]
    assert {k: str(row[k]) for k in expected} == expected


def test_nsqd_published_medians():
    """Published medians of total suspended solids by season: autumn 53, spring 100, summer 94, winter 92."""
    raw = read(LAB / "nsqd_TSS.xlsx")
    assert len(raw.values) == 475
    assert raw.sheets["layout"].tolist() == ["none", "long"]
    assert raw.set_aside["source_cell"].tolist() == ["B6:F13"]


@pytest.mark.parametrize(
    ("name", "readings", "first"),
    [
        ("memphis_gayoso_5min_DST_fallback_2025-11-02.csv", 876, "4 Nov 2025 11:55:00 PM"),
        ("memphis_gayoso_2min_allpoints_2025-10.csv", 3131, "9 Oct 2025 06:02:28 PM"),
    ],
)
def test_logger_exports(name, readings, first):
    values = read(INPUTS / "continuous" / name).values
    flow = values[values["parameter"].astype(object) == "Flow Rate"]
    assert len(flow) == readings
    assert flow.iloc[0]["start"] == first
    assert set(flow["unit"].astype(object)) == {"GPM"}
    assert set(values["sample_type"].astype(object)) == {"continuous"}


def test_wet_well_takes_the_date_that_holds_the_hour():
    values = read(INPUTS / "continuous" / "memphis_manual_wetwell_hourly_2024.csv").values
    assert values.iloc[0]["start"] == "2024-08-28T09:00:00"
    assert len(values) == 3 * (8759 - 2)  # two hours of the year are blank in each column


def test_echo_discharge_monitoring_reports():
    raw = read(INPUTS / "dmr" / "echo_TX0119407_all_2021-24.csv")
    row = raw.values[raw.values["source_cell"] == "AQ2"].iloc[0]
    assert (row["value"], row["statistic"], row["outfall"], row["facility"]) == ("5.9", "MO MIN", "001", "TX0119407")
