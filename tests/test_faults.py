"""Public fault reports of tools like this one (faults.md), each with its smallest input and its relatives.

The number is the list's; the report it comes from stands with it. Everything goes in by the front door, as a file or
a frame; `test_cases_index.py` shows that none is missing.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
import xlsxwriter
from shared import INPUTS, needs_shared
from sheets_made import workbook

import pretreat
from pretreat import units

DAY = "2026-10-05"
LONG = ["Facility", "Date", "Parameter", "Result", "Units"]


def csv(
    folder: Path, *rows: list[object], head: list[str] = LONG, name: str = "lab.csv", encoding: str = "utf-8"
) -> Path:
    """Write a long sheet; cells that hold a comma are quoted."""
    path = folder / name
    pd.DataFrame(list(rows), columns=head).to_csv(path, index=False, encoding=encoding)
    return path


def values(
    folder: Path, *texts: object, parameter: str = "Copper", unit: str = "mg/L", **more: object
) -> pretreat.Samples:
    """Read one value a day, by way of a file."""
    days = [str(day)[:10] for day in pd.date_range(DAY, periods=len(texts))]
    rows = [["Acme", day, parameter, text, unit, *more.values()] for day, text in zip(days, texts, strict=True)]
    return pretreat.read_samples(csv(folder, *rows, head=[*LONG, *more]))


def frame(texts: list[object], parameter: str = "Copper", unit: str = "mg/L", **more: object) -> pd.DataFrame:
    days = pd.date_range(DAY, periods=len(texts)).strftime("%Y-%m-%d 09:00")
    base = {"facility": "Acme", "parameter": parameter, "value": texts, "unit": unit, "start": days}
    return pd.DataFrame({**base, **more})


def permit(folder: Path, **row: object) -> str:
    """Write a permit of one limit."""
    row = {"parameter": "Copper", "unit": "mg/L", "statistic": "instantaneous", **row}
    cells = "\n".join(
        f"{key} = {value if isinstance(value, int | float) else repr(value)}" for key, value in row.items()
    )
    path = folder / "permit.toml"
    head = '[document]\ntitle = "Permit"\ncite = "1"\n[settings]\nunstated = "instantaneous"\n'
    path.write_text(f'{head}[[limit]]\nid = "L"\ncite = "1"\n{cells}\n', encoding="utf-8")
    return str(path)


def check(samples: pretreat.Samples | pd.DataFrame, pack: str, *tables: str, **options: object) -> pretreat.Review:
    given = {"tables": tables or ("comparisons",), "federal": False, "as_of": "2026-12-31", "all_rows": True} | options
    return pretreat.check(samples, pretreat.load_limits(pack), **given)


def pairs(samples: pretreat.Samples) -> list[tuple[str, float]]:
    results = samples.results
    return list(zip(results["qualifier"].astype(str), results["value"].tolist(), strict=True))


# Non-detects, limits, qualifiers


@pytest.mark.parametrize("text", ["", "ND", "Not Detected", "0", "U"])
def test_fault_1_a_non_detect_is_never_zero(tmp_path: Path, text: str) -> None:
    """DOI-USGS/EGRET 68: a blank result, "Not Detected" and a detection limit of 5 are <5."""
    more = {"Detection Condition": "Not Detected", "Detection Limit": 5, "Detection Limit Unit": "mg/L"}
    assert pairs(values(tmp_path, text, **more)) == [("<", 5.0)]


@pytest.mark.parametrize(("unit", "limit_unit"), [("ug/L", "mg/L"), ("", "mg/L"), ("mg/L", "mg/L")])
def test_fault_3_the_limit_takes_part_in_the_conversion(tmp_path: Path, unit: str, limit_unit: str) -> None:
    """USEPA/EPATADA 378: blank, a detection limit of 0.0002 mg/L, wanted in ug/L: <0.2 ug/L."""
    more = {"Detection Condition": "Not Detected", "Detection Limit": 0.0002, "Detection Limit Unit": limit_unit}
    samples = values(tmp_path, "", parameter="Mercury", unit=unit, **more)
    assert pairs(samples) == [("<", 0.0002)]
    assert units.convert(samples.results["value"].item(), samples.results["unit"].item(), "ug/L") == 0.2


def test_fault_4_value_and_limit_each_with_its_own_unit(tmp_path: Path) -> None:
    """bcgov/wqbc 68: 0.00238 mg/L with a limit of 0.005 ug/L; where both say mg/L, a detection far below is told."""
    right, odd = (
        values(tmp_path, "0.00238", **{"Detection Limit": 0.005, "Detection Limit Unit": unit})
        for unit in ("ug/L", "mg/L")
    )
    assert right.results[["value", "detection_limit"]].to_numpy().tolist() == [[0.00238, 0.000005]]
    pack = permit(tmp_path, above=1)
    found = [set(check(one, pack, "findings").findings["code"]) for one in (right, odd)]
    assert ["below the detection limit" in codes for codes in found] == [False, True]


def test_fault_6_nd_and_less_than_are_one(tmp_path: Path) -> None:
    """WayneGitShell/GWSDAT 247: `<10` and `ND<10` in ug/L, after the change of unit too."""
    texts = ["<10", "ND<10", "ND <10", "ND(10)", "< 10", "10 U", "<10 U", "BDL 10", "nd < 10"]
    assert pairs(values(tmp_path, *texts, unit="ug/L")) == [("<", 0.01)] * len(texts)


def test_fault_8_look_alikes_of_less_than(tmp_path: Path) -> None:
    """USEPA/EPATADA 257: `＜5.0`, `≤5.0`, `< 5.0` are <5, with a word about the ≤; nothing is dropped."""
    texts = ["＜5.0", "< 5.0", "<5.0", "‹5.0", "<\u00a05.0", "less than 5.0", "≤5.0", "<=5.0", "⩽5.0", "≦5.0"]
    samples = values(tmp_path, *texts)
    assert pairs(samples) == [("<", 5.0)] * len(texts)
    told = samples.findings[samples.findings["code"] == "assumed sign"]["message"].tolist()
    assert len(told) == 1
    assert "4 results" in told[0]
    above = values(tmp_path, "＞5.0", "> 5.0", "≥5.0", "⩾5.0", "≧5.0", "›5.0")
    assert pairs(above) == [(">", 5.0)] * 6


def test_fault_9_a_reporting_limit_above_the_limit(tmp_path: Path) -> None:
    """USEPA/EPATADA 253: `<0.1` against 0.05 cannot be determined: neither compliant nor violating."""
    review = check(frame(["<0.1", "<0.05", "<0.04"]), permit(tmp_path, above=0.05), "comparisons", "findings")
    assert review.comparisons["verdict"].tolist() == ["undetermined", "complies", "complies"]
    assert "reporting limit above limit" in set(review.findings["code"])


def test_fault_10_half_the_limit_as_a_result(tmp_path: Path) -> None:
    """USEPA/EPATADA 587: 2.5 without a flag, where the limit is usually 5: nobody can know; equal lows are told."""
    pack = permit(tmp_path, above=100)
    review = check(frame([2.5, 2.5, 9.0, 2.5, 11.0], reporting_limit=5.0), pack, "findings")
    assert "repeated low" in set(review.findings["code"])
    assert "repeated low" not in set(check(frame([2.5, 3.1, 9.0, 2.7, 11.0]), pack, "findings").findings["code"])


def test_fault_12_right_censored_stays(tmp_path: Path) -> None:
    """bcgov/wqbc 69: `>` with 2420 is anything above it; `M` is a letter of the laboratory's."""
    more = {"Qualifier": ">"}
    assert pairs(values(tmp_path, "2420", parameter="E. coli", unit="MPN/100mL", **more)) == [(">", 2420.0)]
    for text in (">2420", "> 2,420", "＞2420", "greater than 2420"):
        assert pairs(values(tmp_path, text, parameter="E. coli", unit="MPN/100mL")) == [(">", 2420.0)], text
    lettered = values(tmp_path, "7", Qualifier="M")
    assert lettered.results[["qualifier", "value", "flags"]].to_numpy().tolist() == [["", 7.0, "M"]]
    pack = permit(tmp_path, parameter="E. coli", above=2420, unit="MPN/100mL")
    review = check(frame([">2420"], "E. coli", "MPN/100mL"), pack)
    assert review.comparisons[["low", "high", "verdict"]].to_numpy().tolist() == [[2420.0, float("inf"), "exceeds"]]


@pytest.mark.parametrize(("rule", "verdict"), [("zero", "not evaluated"), ("half", "complies"), ("limit", "complies")])
def test_fault_14_the_logarithm_of_zero_is_refused(tmp_path: Path, rule: str, verdict: str) -> None:
    """USEPA/EPATADA 356: `<1` of E. coli in a geometric mean: as zero it has no logarithm."""
    pack = permit(tmp_path, parameter="E. coli", above=126, unit="MPN/100mL", statistic="geometric mean")
    review = check(frame(["<1", 100, 200], "E. coli", "MPN/100mL"), pack, nondetects=rule)
    assert review.comparisons["verdict"].tolist() == [verdict]
    zero = check(frame([0, 100, 200], "E. coli", "MPN/100mL"), pack)
    assert zero.comparisons["verdict"].tolist() == ["not evaluated"]


# Units and speciation


def test_fault_16_a_rise_is_no_reading(tmp_path: Path) -> None:
    """hgrecco/pint 120: a rise of 12.3 °C is 22.14 °F; a reading of 12.3 °C is 54.14 °F."""
    for name, value in (("Temperature rise", 22.14), ("Temperature difference", 22.14), ("Temperature", 54.14)):
        assert values(tmp_path, "12.3", parameter=name, unit="deg C").results["value"].tolist() == [value], name


@pytest.mark.parametrize(("celsius", "fahrenheit"), [(0, 32), (40, 104), (60, 140), (65, 149), (100, 212)])
def test_fault_19_whole_degrees_are_equal(tmp_path: Path, celsius: int, fahrenheit: int) -> None:
    """hgrecco/pint 290: 0 °C is 32 °F and not 32.00000004: equal, no exceedance, on either side."""
    for word in ("above", "below"):
        pack = permit(tmp_path, parameter="Temperature", unit="degF", **{word: fahrenheit})
        assert check(frame([celsius], "Temperature", "degC"), pack).comparisons["verdict"].tolist() == ["complies"]


def test_fault_21_micro_and_mu(tmp_path: Path) -> None:
    """prefixed 8, go-humanize 144, KiBoM 133: U+00B5 and U+03BC, `ug/L`, `mcg/L` are one."""
    spelled = ["µg/L", "μg/L", "ug/L", "mcg/L", "UG/L", "µg/l", "μg / L", "micrograms per liter"]
    rows = [["Acme", DAY, "Copper", "5", unit] for unit in spelled]
    samples = pretreat.read_samples(csv(tmp_path, *[[f"Acme {at}", *row[1:]] for at, row in enumerate(rows)]))
    assert samples.results["value"].tolist() == [0.005] * len(spelled)
    headed = csv(tmp_path, ["2026-10-05", 5, 5], head=["Date", "Copper (µg/L)", "Zinc (μg/L)"], name="wide.csv")
    assert pretreat.read_samples(headed).results["value"].tolist() == [0.005, 0.005]


@pytest.mark.parametrize(("unit", "value"), [("ppm", 2.0), ("ppb", 0.002), ("PPM", 2.0)])
def test_fault_22_parts_per_million_in_water(tmp_path: Path, unit: str, value: float) -> None:
    """hgrecco/pint 1277 and 384: 2 ppm is 2 mg/L in dilute water, and that is said."""
    samples = values(tmp_path, "2", unit=unit)
    assert samples.results["value"].tolist() == [value]
    assert samples.findings["message"].str.contains("dilute water").any()
    assert "dilute water" not in " ".join(values(tmp_path, "2").findings["message"])


def test_fault_24_a_percent_sign_is_a_unit(tmp_path: Path) -> None:
    """USEPA/EPATADA 226: `45%` is 45 %, and never 45 mg/L."""
    for text in ("45%", "45 %", "45 percent"):
        assert values(tmp_path, text, parameter="LEL", unit="").results[["value", "unit"]].to_numpy().tolist() == [
            [45.0, "%"]
        ]
        wrong = values(tmp_path, text)
        assert len(wrong.results) == 0
        assert wrong.set_aside["text"].tolist() == [text]


def test_fault_26_scientific_notation(tmp_path: Path) -> None:
    """USEPA/EPATADA 17: `9.71e-06` is 0.00000971."""
    texts = ["9.71e-06", "9.71E-6", "9.71 x 10^-6", "9.71×10-6", "9.71E-06", "0.00000971"]
    samples = values(tmp_path, *texts)
    assert samples.set_aside["text"].tolist() == []
    assert samples.results["value"].tolist() == [0.00000971] * len(texts)


@pytest.mark.parametrize(("unit", "value"), [("mg/mL", 10_000.0), ("g/L", 10_000.0), ("ng/mL", 0.01), ("ug/mL", 10.0)])
def test_fault_27_milligrams_in_a_millilitre(tmp_path: Path, unit: str, value: float) -> None:
    """lhncbc/ucum-lhc 4: 10 mg/mL is 10,000 mg/L."""
    assert values(tmp_path, "10", parameter="TSS", unit=unit).results["value"].tolist() == [value]


def test_fault_29_names_of_hexavalent_chromium(tmp_path: Path) -> None:
    """bcgov/wqbc 150: four names of one parameter, apart from chromium."""
    names = [
        "Chromium, Hexavalent",
        "Cr VI",
        "Chromium (VI)",
        "Cr+6",
        "Cr6+",
        "Hexavalent Chromium",
        "Chromium",
        "Total Chromium",
    ]
    rows = [[f"Acme {at}", DAY, name, "0.1", "mg/L"] for at, name in enumerate(names)]
    results = pretreat.read_samples(csv(tmp_path, *rows)).results
    assert results["parameter"].astype(str).tolist() == ["Chromium (VI)"] * 6 + ["Chromium"] * 2


# Workbooks


def test_fault_30_the_calendar_of_1904(tmp_path: Path) -> None:
    """xlconnect 32, exceljs 219, spout 480: serial 40660 of such a book is 2015-04-28; of another, 2011-04-27."""
    for of_1904, days in ((True, ["2015-04-28", "2015-04-29"]), (False, ["2011-04-27", "2011-04-28"])):
        book = xlsxwriter.Workbook(tmp_path / "a.xlsx", {"date_1904": of_1904})
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["Date", "Copper (mg/L)"])
        sheet.write_number(1, 0, 40660, book.add_format({"num_format": "yyyy-mm-dd"}))
        sheet.write_number(2, 0, 40661)
        sheet.write_column(1, 1, [0.5, 0.6])
        book.close()
        assert pretreat.read_samples(tmp_path / "a.xlsx").results["start"].astype(str).tolist() == days


@pytest.mark.parametrize("formula", ["=A1+B1", "=ROUND(A1,2)", '=HYPERLINK("x",1)', "=SUM(B1:B9)"])
def test_fault_33_a_formula_that_nobody_computed(tmp_path: Path, formula: str) -> None:
    """pandas 25763, onyx 13354: set aside by its cell, with its text; never a missing result."""
    path = workbook(
        tmp_path / "a.xlsx", [["Date", "Copper (mg/L)"], [date(2026, 10, 1), formula], [date(2026, 10, 2), 1.5]]
    )
    samples = pretreat.read_samples(path)
    row = samples.set_aside.iloc[0]
    assert (row["source_cell"], row["reason"], row["text"]) == ("B2", "formula without value", formula)
    assert len(row["message"]) > 20
    assert samples.results["value"].tolist() == [1.5]


@pytest.mark.parametrize(("number", "shown", "value"), [(0.1, "0%", 10.0), (0.105, "0.0%", 10.5), (10, "0", 10.0)])
def test_fault_35_a_cell_formatted_as_percent(tmp_path: Path, number: float, shown: str, value: float) -> None:
    """ExcelDataReader 40, simplexlsx 74: 0.1 shown as 10 % of the LEL is equal to a limit of 10 %."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Facility", "Date", "LEL (%)"])
    sheet.append(["Acme", date(2026, 10, 5), number])
    sheet["C2"].number_format = shown
    book.save(tmp_path / "a.xlsx")
    samples = pretreat.read_samples(tmp_path / "a.xlsx")
    assert samples.results["value"].tolist() == [value]
    pack = permit(tmp_path, parameter="LEL", above=10, unit="%")
    verdict = check(samples, pack).comparisons["verdict"].tolist()
    assert verdict == ["exceeds" if value > 10 else "complies"]


def test_fault_36_a_merged_cell_fills_its_rows_and_no_more(tmp_path: Path) -> None:
    """ExcelDataReader 269, libhxl 90: a sample id merged over three rows; the fourth row has none."""
    head = ["Sample ID", "Date", "Parameter", "Result", "Units"]
    rows = [["S-1", date(2026, 10, 5), name, 1, "mg/L"] for name in ("Copper", "Zinc", "Lead")]
    for row in rows[1:]:
        row[0] = row[1] = None
    rows.append([None, date(2026, 10, 6), "Nickel", 1, "mg/L"])
    path = workbook(tmp_path / "a.xlsx", [head, *rows], merged=("A2:A4", "B2:B4"))
    results = pretreat.read_samples(path).results
    assert results["sample_id"].astype(str).tolist() == ["S-1", "S-1", "S-1", ""]
    assert results["start"].astype(str).tolist() == ["2026-10-05"] * 3 + ["2026-10-06"]


def test_fault_38_one_heading_over_two_columns(tmp_path: Path) -> None:
    """pandas 14704, 10523, 64198: TKN in mg/L and TKN in lb/day, told apart by the row of units."""
    rows = [["Date", "TKN", "TKN"], ["", "mg/L", "lb/day"], [date(2026, 10, 5), 4.2, 9.737784]]
    results = pretreat.read_samples(workbook(tmp_path / "a.xlsx", rows)).results
    assert results[["parameter", "value", "unit"]].astype(str).to_numpy().tolist() == [
        ["TKN", "4.2", "mg/L"], ["TKN", "9.737784", "lb/day"],
    ]  # fmt: skip
    text = tmp_path / "b.csv"
    text.write_text("Date,TKN,TKN\n,mg/L,lb/day\n2026-10-05,4.2,9.737784\n", encoding="utf-8")
    assert pretreat.read_samples(text).results["unit"].astype(str).tolist() == ["mg/L", "lb/day"]


@pytest.mark.parametrize("make", ["csv", "xlsx"])
def test_fault_40_identifiers_are_text(tmp_path: Path, make: str) -> None:
    """bloom 4458, cual-id 42: `219E01` is no number, `00457` keeps its zeros."""
    ids = ["219E01", "00457", "1E5", "2026-10", "007"]
    head = ["Sample ID", "Date", "Parameter", "Result", "Units"]
    rows = [[name, f"2026-10-{at:02d}", "Copper", 1, "mg/L"] for at, name in enumerate(ids, 1)]
    path = csv(tmp_path, *rows, head=head) if make == "csv" else workbook(tmp_path / "a.xlsx", [head, *rows])
    assert pretreat.read_samples(path).results["sample_id"].astype(str).tolist() == ids


@pytest.mark.parametrize("word", ["average", "Total", "Mean:", "MAX", "Minimum", "Monthly Average", "Sum", "AVG"])
def test_fault_41_the_last_row_is_no_sample(tmp_path: Path, word: str) -> None:
    """tidyverse/readxl 54: a closing row `average`."""
    rows = [["Date", "Copper (mg/L)"], [date(2026, 10, 1), 1.0], [date(2026, 10, 2), 3.0], [word, 2.0]]
    samples = pretreat.read_samples(workbook(tmp_path / "a.xlsx", rows))
    assert samples.results["value"].tolist() == [1.0, 3.0]
    assert samples.set_aside[["source_cell", "text"]].to_numpy().tolist() == [["B4", "2"]]


# Text files, numbers, locale


def test_fault_43_spaces_between_thousands(tmp_path: Path) -> None:
    """apache/ofbiz-framework 845: `1 234` with U+00A0, U+202F and their like is 1234, not 1."""
    texts = [f"1{space}234" for space in "\u00a0\u202f\u2009\u2007 "] + ["1,234", "<1\u00a0234", "1\u00a0234\u00a0567"]
    assert values(tmp_path, *texts).results["value"].tolist() == [1234.0] * 7 + [1234567.0]
    # What nobody prints here is asked about, with its text.
    odd = values(tmp_path, "1 23", "12 34.5", "29 000 abc")
    assert odd.set_aside["text"].tolist() == ["1 23", "12 34.5", "29 000 abc"]


def test_fault_45_points_of_two_kinds(tmp_path: Path) -> None:
    """PyPI bsm2-python 0.0.16, raininfluent.csv: `30.044.50`: the column is refused, and no other."""
    rows = [["2026-10-05", "30.044.50", "1.5"], ["2026-10-06", "1.234", "1.25"]]
    samples = pretreat.read_samples(csv(tmp_path, *rows, head=["Date", "Copper (mg/L)", "Zinc (mg/L)"]))
    assert samples.results["parameter"].astype(str).tolist() == ["Zinc", "Zinc"]
    assert set(samples.set_aside["reason"]) == {"ambiguous number"}
    assert samples.set_aside["message"].str.contains("30.044.50", regex=False).all()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_fault_46_a_mark_before_the_first_heading(tmp_path: Path, encoding: str) -> None:
    """pandas 13497: a byte order mark before `Date`."""
    path = csv(tmp_path, ["2026-10-05", 1.5], head=["Date", "Copper (mg/L)"], encoding=encoding)
    assert pretreat.read_samples(path).results["start"].astype(str).tolist() == [DAY]


# Dates, averages, windows


@pytest.mark.parametrize("text", ["29JAN2019 24:00", "2019-01-29 24:00", "1/29/2019 24:00", "1/29/2019 2400"])
def test_fault_48_24_00_ends_its_day(tmp_path: Path, text: str) -> None:
    """arrow 703, pydsstools 7: `29JAN2019 24:00` is the end of the 29th, and belongs to it."""
    samples = pretreat.read_samples(csv(tmp_path, ["Acme", text, "Copper", 2.0, "mg/L"]))
    pack = permit(tmp_path, above=1, statistic="daily maximum")
    days = check(samples, pack).comparisons["period_start"].astype(str).tolist()
    assert days == ["2019-01-29"]


@needs_shared
def test_fault_50_and_56_days_on_which_clocks_change(tmp_path: Path) -> None:
    """pandas 20633, polars 7640: 2 November 2025 in Memphis has 25 hours and 300 readings, its neighbours 288."""
    log = INPUTS / "continuous" / "memphis_gayoso_5min_DST_fallback_2025-11-02.csv"
    samples = pretreat.read_samples(log, facility="Gayoso")
    pack = permit(tmp_path, parameter="Flow", above=1000, unit="MGD", statistic="24-hour average")
    for zone in ("", "America/Chicago"):
        people = pd.DataFrame({"facility": ["Gayoso"], "time_zone": [zone]})
        rows = check(samples, pack, facilities=people).comparisons
        assert rows["n"].tolist() == [300, 288, 288], zone
        means = units.convert(rows["low"].to_numpy(), "MGD", "gpm")
        assert [round(float(mean), 3) for mean in means] == [6274.403, 6343.226, 6272.493], zone


def test_fault_56_the_day_of_23_hours(tmp_path: Path) -> None:
    """polars 7640, in spring: 8 March 2026 has 23 hours; the days beside it are whole."""
    wall = pd.date_range("2026-03-07", "2026-03-10", freq="h", inclusive="left")
    wall = wall[wall != pd.Timestamp("2026-03-08 02:00")]
    readings = pd.DataFrame(
        {
            "facility": "Acme",
            "parameter": "Flow",
            "value": 1.0,
            "unit": "MGD",
            "start": wall,
            "sample_type": "continuous",
        }
    )
    pack = permit(tmp_path, parameter="Flow", above=1, unit="MGD", statistic="24-hour average")
    people = pd.DataFrame({"facility": ["Acme"], "time_zone": ["America/Chicago"]})
    rows = check(readings, pack, facilities=people).comparisons
    assert rows[["n", "verdict"]].to_numpy().tolist() == [[24, "complies"], [23, "complies"], [24, "complies"]]


def test_fault_54_an_average_of_one_value_is_that_value(tmp_path: Path) -> None:
    """pandas 32761, 34390: a rolling mean of 0.05 alone is 0.05, whatever large numbers came before."""
    for thirty_day in ("consecutive", "calendar", "open"):
        pack = permit(tmp_path, above=0.05, statistic="30-day average")
        late = frame([1e12, 0.05]).assign(start=["2026-01-05", "2026-10-05"])
        rows = check(late, pack, settings={"thirty_day": thirty_day}, period="2026-10").comparisons
        assert rows[["low", "high", "verdict"]].to_numpy().tolist() == [[0.05, 0.05, "complies"]]
    many = check(frame([0.1, 0.2, 0.3]), permit(tmp_path, above=0.2, statistic="monthly average")).comparisons
    assert many["verdict"].tolist() == ["complies"]


@pytest.mark.parametrize(("zone", "offset"), [("CDT", -300), ("CST", -360), ("EDT", -240), ("EST", -300), ("UTC", 0)])
def test_fault_55_time_zones_in_text(tmp_path: Path, zone: str, offset: int) -> None:
    """DOI-USGS/dataretrieval-python 266: `08:50 CDT` is 13:50 UTC; the wall clock stays."""
    samples = pretreat.read_samples(csv(tmp_path, ["Acme", f"2026-07-01 08:50 {zone}", "Copper", 1, "mg/L"]))
    row = samples.results.iloc[0]
    assert (str(row["start"]), row["utc_offset"]) == ("2026-07-01 08:50:00", offset)
    utc = row["start"] - pd.Timedelta(minutes=row["utc_offset"])
    assert utc.hour * 60 + utc.minute == (8 * 60 + 50 - offset) % 1440


# Comparison and rounding


@pytest.mark.parametrize(
    ("values_", "limit", "verdict"),
    [([101 * 1.1], 111.1, "complies"), ([0.69 * 1.2], 0.828, "complies"), ([0.1 + 0.2], 0.3, "complies"),
     ([111.1001], 111.1, "exceeds"), ([1.1 * 1.1], 1.21, "complies")],
)  # fmt: skip
def test_fault_58_binary_rounding_never_decides(
    tmp_path: Path, values_: list[float], limit: float, verdict: str
) -> None:
    """pharmaverse/admiral 2134: 101 × 1.1 against 111.1."""
    assert check(frame(values_), permit(tmp_path, above=limit)).comparisons["verdict"].tolist() == [verdict]


def test_fault_58_the_technical_review_level_counts_when_met() -> None:
    """0.69 × 1.2 is 0.828 in decimals; in binary it is more, and a sample at 0.828 would be missed."""
    from pretreat import packs

    assert Decimal("0.69") * Decimal("1.2") == Decimal("0.828")
    people = pd.DataFrame(
        {"facility": ["Acme"], "class": ["CIU"], "category": ["433 PSES"], "point": ["end of process"]}
    )
    late = frame([0.828, 0.1, 0.1], "Cadmium").assign(sample_type="composite")
    review = pretreat.check(
        late, packs.load("federal/433"), facilities=people, period="2026-H2", as_of="2026-12-31", tables=("snc",)
    )
    row = review.snc[(review.snc["statistic"] == "daily maximum") & (review.snc["window_end"] == "2027-01-01")].iloc[0]
    assert (row.n_over_low, row.n_trc_low, row.trc) == (1, 1, "yes")


@pytest.mark.parametrize(
    ("word", "number", "verdict"),
    [("above", 0.5, "complies"), ("at_or_above", 0.5, "exceeds"), ("below", 0.5, "complies"), ("at_or_below", 0.5, "exceeds")],
)  # fmt: skip
def test_fault_59_a_value_at_the_limit(tmp_path: Path, word: str, number: float, verdict: str) -> None:
    """cypress-visual-regression 23: what the text says is what is computed; equal is no exceedance of "exceeds"."""
    assert check(frame([0.5]), permit(tmp_path, **{word: number})).comparisons["verdict"].tolist() == [verdict]


# Rows of quality control, duplicates


def test_fault_62_quality_control_is_in_no_average(tmp_path: Path) -> None:
    """USEPA/EPATADA 393, 213, 102: a blank 0.0259 and a control sample 49.7 are left out, a replicate joins its parent."""
    head = ["Facility", "Date", "Sample ID", "Sample Type", "Parameter", "Result", "Units"]
    rows = [
        ["Acme", "2026-10-05", "S-1", "Sample", "Copper", 1.0, "mg/L"],
        ["Acme", "2026-10-05", "S-1D", "Field Replicate", "Copper", 1.4, "mg/L"],
        ["Acme", "2026-10-05", "B-1", "Method Blank", "Copper", 0.0259, "mg/L"],
        ["Acme", "2026-10-05", "L-1", "LCS", "Copper", 49.7, "mg/L"],
        ["Acme", "2026-10-05", "S-1M", "Matrix Spike", "Copper", 12.0, "mg/L"],
        ["Acme", "2026-10-05", "S-1L", "Lab Duplicate", "Copper", 1.1, "mg/L"],
    ]
    samples = pretreat.read_samples(csv(tmp_path, *rows, head=head))
    assert samples.results["value"].tolist() == [1.0, 1.4]
    assert samples.set_aside["reason"].str.startswith("quality control").tolist() == [True] * 4
    row = check(samples, permit(tmp_path, above=1.6, statistic="daily maximum")).comparisons.iloc[0]
    assert (row["n"], row["low"], row["high"], row["verdict"]) == (1, 1.0, 1.4, "complies")
    assert samples.sheets[["values_seen", "values_used", "values_set_aside"]].to_numpy().tolist() == [[6, 2, 4]]
