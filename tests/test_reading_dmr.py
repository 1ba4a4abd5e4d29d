"""Forms of discharge monitoring reports: measurements are read, requirements never are, whatever the form looks like."""

from datetime import datetime

import openpyxl
import pytest
from sheets_made import aside, sheet, told

import pretreat

FIRST, LAST = datetime(2026, 10, 1), datetime(2026, 10, 31)
HEAD = [
    ["Parameter", None, "Quantity or loading", None, None, "Quality or concentration", None, None, None, "Sample type"],
    [None, None, "Average", "Maximum", "Units", "Minimum", "Average", "Maximum", "Units"],
]
COPPER = [
    "Copper, total (as Cu)\n01042 1 0",
    "Sample Measurement",
    None,
    None,
    None,
    None,
    0.12,
    "<0.2",
    "mg/L",
    "Comp",
]
PH = ["pH", "Sample Measurement", None, None, None, 6.5, None, 8.1, "SU", "Grab"]
FLOW = ["Flow", "Sample Measurement", 0.1, 0.15, "MGD", None, None, None, None, "Meter"]


def required(row, *numbers):
    """Return the row of requirements below a row of measurements."""
    limits = iter(numbers)
    return [None, "Permit Requirement", *(next(limits) if isinstance(v, float) or v == "<0.2" else v for v in row[2:])]


FORM = [*HEAD, COPPER, required(COPPER, 0.3, 0.5), PH, required(PH, 6, 9), FLOW, required(FLOW, 1, 2)]


def test_measurements_and_requirements(tmp_path):
    top = [["Permittee:", "Acme Plating", None, "Monitoring period:", FIRST, "to", LAST], []]
    raw = sheet(tmp_path, [*top, *FORM])
    assert told(raw, "facility", "parameter", "statistic", "unit", "sample_type") == {
        "G5": ("0.12", "Acme Plating", "Copper, total (as Cu)", "monthly average", "mg/L", "Comp"),
        "H5": ("<0.2", "Acme Plating", "Copper, total (as Cu)", "daily maximum", "mg/L", "Comp"),
        "F7": ("6.5", "Acme Plating", "pH", "daily minimum", "SU", "Grab"),
        "H7": ("8.1", "Acme Plating", "pH", "daily maximum", "SU", "Grab"),
        "C9": ("0.1", "Acme Plating", "Flow", "monthly average", "MGD", "Meter"),
        "D9": ("0.15", "Acme Plating", "Flow", "daily maximum", "MGD", "Meter"),
    }
    assert {reason for reason, _ in aside(raw).values()} == {"limit row"}
    assert set(aside(raw)) == {"G6", "H6", "F8", "H8", "C10", "D10"}
    assert raw.values["end"].astype(str).str[:10].unique().tolist() == ["2026-10-31"]


def test_requirements_are_none_where_the_parameter_is_merged_over_both_rows(tmp_path):
    merged = [row if row[0] else [above[0], *row[1:]] for above, row in zip([None, *FORM], FORM, strict=False)]
    spread = sheet(tmp_path, FORM, merged=("A3:A4", "A5:A6", "A7:A8"))
    filled = sheet(tmp_path, [FORM[0], [None, *FORM[1][1:]], *merged[2:]])
    assert set(told(spread)) == set(told(filled)) == {"G3", "H3", "F5", "H5", "C7", "D7"}


@pytest.mark.parametrize(
    ("period", "statistic"),
    [
        (["Monitoring period: 10/01/2026 to 10/31/2026"], "monthly average"),
        (["Reporting Period", "2026-10-01", "to", "2026-10-31"], "monthly average"),
        (["Monitoring period: 10/01/2026 to 12/31/2026"], "average of the period"),
        (["Monitoring period", FIRST, datetime(2026, 12, 31)], "average of the period"),
    ],
)
def test_an_average_is_monthly_only_over_a_month(tmp_path, period, statistic):
    raw = sheet(tmp_path, [period, *HEAD, COPPER])
    assert told(raw, "statistic")["G4"] == ("0.12", statistic)
    assert "start" in raw.values


def test_the_month_of_a_form_reaches_its_results(tmp_path):
    book = openpyxl.Workbook()
    for row in [["Permittee:", "Acme Plating"], ["Monitoring period:", FIRST, "to", LAST], *HEAD, COPPER]:
        book.active.append(row)
    book.save(tmp_path / "form.xlsx")
    results = pretreat.read_samples(tmp_path / "form.xlsx").results
    days = [results[name].dt.strftime("%Y-%m-%d").tolist() for name in ("start", "end")]
    assert days == [["2026-10-01"] * 2, ["2026-10-31"] * 2]
    assert results["parameter"].astype(str).tolist() == ["Copper", "Copper"]
