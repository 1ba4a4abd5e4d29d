"""Cells whose format, or lack of a value, changes what they mean; the same workbook from three writers."""

import shutil
import subprocess
import zipfile
from datetime import date, datetime
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font
from sheets_made import aside, told, workbook

from pretreat.reading import read
from pretreat.reading.second_look import meaning

HEAD = ["Date", "Copper (mg/L)", "Zinc (mg/L)", "% LEL"]
DAYS = [datetime(2026, 10, day) for day in (1, 2, 3, 4, 5)]


def with_openpyxl(path: Path) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    for column, text in enumerate(HEAD, 2):
        sheet.cell(3, column, text)
    for row, day in enumerate(DAYS, 4):
        sheet.cell(row, 2, day).number_format = "m/d/yyyy"
    sheet["C4"], sheet["C5"], sheet["C6"], sheet["C7"], sheet["C8"] = 0.5, 0.2, "<0.1", 3, 0.25
    sheet["C4"].number_format = '"<"0.00'
    sheet["C5"].font = Font(strike=True)
    sheet["C7"].number_format = '0.0" J"'
    sheet["C8"].number_format = '0.00" mg/L"'
    sheet["D4"], sheet["D5"] = "=C4+C5", "#DIV/0!"
    sheet["D5"].data_type = "e"
    sheet["E4"], sheet["E5"] = 0.1, 0.1
    sheet["E4"].number_format = "0%"
    sheet.row_dimensions[6].hidden = True
    book.create_sheet("Notes").sheet_state = "hidden"
    book["Notes"]["A1"] = "a remark"
    book.save(path)
    return path


def with_xlsxwriter(path: Path) -> Path:
    book = xlsxwriter.Workbook(path)
    sheet, notes = book.add_worksheet("Sheet"), book.add_worksheet("Notes")
    made = {
        name: book.add_format(options)
        for name, options in {
            "date": {"num_format": "m/d/yyyy"},
            "less": {"num_format": '"<"0.00'},
            "strike": {"font_strikeout": True},
            "j": {"num_format": '0.0" J"'},
            "unit": {"num_format": '0.00" mg/L"'},
            "percent": {"num_format": "0%"},
        }.items()
    }
    sheet.write_row(2, 1, HEAD)
    for row, day in enumerate(DAYS, 3):
        sheet.write_datetime(row, 1, day, made["date"])
    sheet.write_number("C4", 0.5, made["less"])
    sheet.write_number("C5", 0.2, made["strike"])
    sheet.write_string("C6", "<0.1")
    sheet.write_number("C7", 3, made["j"])
    sheet.write_number("C8", 0.25, made["unit"])
    sheet.write_formula("D4", "=C4+C5")  # writes a 0 that nobody has computed
    sheet.write_formula("D5", "=1/0", None, "#DIV/0!")
    sheet.write_number("E4", 0.1, made["percent"])
    sheet.write_number("E5", 0.1)
    sheet.set_row(5, None, None, {"hidden": True})
    notes.write("A1", "a remark")
    notes.hide()
    book.close()
    return path


EXPECTED = {
    "C4": ("0.5", "less than", "2026-10-01"),
    "C5": ("0.2", "strikethrough", "2026-10-02"),
    "C6": ("<0.1", "", "2026-10-03"),
    "C7": ("3 J", "", "2026-10-04"),
    "C8": ("0.25", "", "2026-10-05"),
    "D4": ("=C4+C5", "no cached value", "2026-10-01"),
    "D5": ("#DIV/0!", "error", "2026-10-02"),
    "E4": ("0.1", "percent", "2026-10-01"),
    "E5": ("0.1", "", "2026-10-02"),
}


def seen(path: Path) -> dict[str, tuple[str, str, str]]:
    got = told(read(path), "cell_format", "start")
    return {cell: (value, mark, day[:10]) for cell, (value, mark, day) in got.items()}


@pytest.mark.parametrize("write", [with_openpyxl, with_xlsxwriter])
def test_two_writers_read_the_same(tmp_path, write):
    path = write(tmp_path / "made.xlsx")
    assert seen(path) == EXPECTED
    raw = read(path)
    notes = raw.understood["note"].tolist()
    assert "a hidden row is read (row 6)" in notes
    assert "the sheet is hidden" in notes
    assert aside(raw) == {"A1": ("no table", "a remark")}


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_reads_the_same(tmp_path):
    source = with_openpyxl(tmp_path / "made.xlsx")
    for kind in ("ods", "xls", "xlsx:Calc MS Excel 2007 XML"):
        out = tmp_path / kind[:4]
        profile = f"-env:UserInstallation=file://{tmp_path}/profile"
        command = ["soffice", profile, "--headless", "--convert-to", kind, "--outdir", str(out), str(source)]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        # LibreOffice computes the formula, and so its cell has a value there.
        expected = EXPECTED | {"D4": ("0.7", "", "2026-10-01")}
        got = seen(next(out.iterdir()))
        assert got == expected, kind


def test_formula_without_a_cached_value_names_its_cell(tmp_path):
    """pandas issue 25763: a formula that nobody computed is no missing result."""
    raw = read(workbook(tmp_path / "a.xlsx", [["Date", "Copper (mg/L)"], [DAYS[0], "=A1+B1"]]))
    assert told(raw, "cell_format") == {"B2": ("=A1+B1", "no cached value")}


def repacked(path: Path, part: str, old: bytes, new: bytes) -> Path:
    """Replace bytes in one part of a workbook."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert old in parts[part]
    parts[part] = parts[part].replace(old, new)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def test_formula_that_shows_nothing_is_blank(tmp_path):
    path = workbook(tmp_path / "a.xlsx", [["Date", "Copper (mg/L)"], [DAYS[0], '=IF(A2>0,"","x")'], [DAYS[1], 2]])
    repacked(path, "xl/worksheets/sheet1.xml", b'<c r="B2"><f>', b'<c r="B2" t="str"><f>')
    assert told(read(path)) == {"B3": ("2.0",)}


def test_partly_struck_text_is_not_read_as_one_number(tmp_path):
    """A corrected 12 and the 5 that replaces it are one text, "125", to a reader that drops the type."""
    path = tmp_path / "a.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Date", "Copper (mg/L)"])
    sheet.append([DAYS[0], CellRichText(TextBlock(InlineFont(strike=True), "12"), "5")])
    book.save(path)
    assert told(read(path), "cell_format") == {"B2": ("125", "strikethrough")}
    book = xlsxwriter.Workbook(path)  # keeps its text in the shared strings, openpyxl in the cells
    sheet, strike, day = (
        book.add_worksheet(),
        book.add_format({"font_strikeout": True}),
        book.add_format({"num_format": 14}),
    )
    sheet.write_row(0, 0, ["Date", "Copper (mg/L)"])
    for row in (1, 2):
        sheet.write_datetime(row, 0, DAYS[row], day)
    sheet.write_rich_string(1, 1, strike, "12", "5 ")
    sheet.write_string(2, 1, "<0.1")
    book.close()
    assert told(read(path), "cell_format") == {"B2": ("125 ", "strikethrough"), "B3": ("<0.1", "")}


def test_1904_calendar(tmp_path):
    """XLConnect issue 32, exceljs issue 219, spout issue 480: serial 40660 of a 1904 book is 2015-04-28."""
    path = tmp_path / "a.xlsx"
    book = xlsxwriter.Workbook(path, {"date_1904": True})
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, ["Date", "Copper (mg/L)"])
    sheet.write_number(1, 0, 40660, book.add_format({"num_format": "yyyy-mm-dd"}))
    sheet.write_number(1, 1, 0.5)
    sheet.write_number(2, 0, 40661)  # a serial that no format shows as a date
    sheet.write_number(2, 1, 0.6)
    book.close()
    got = told(read(path), "start")
    assert {cell: start[:10] for cell, (_, start) in got.items()} == {"B2": "2015-04-28", "B3": "2015-04-29"}


def test_identifiers_stay_as_text(tmp_path):
    """bloom issue 4458, cual-id issue 42: 219E01 is no number and 00457 keeps its zeros."""
    rows = [["Sample ID", "Date", "Parameter", "Result"], ["219E01", DAYS[0], "Zinc", 1], ["00457", DAYS[0], "Lead", 2]]
    assert [v[1] for v in told(read(workbook(tmp_path / "a.xlsx", rows)), "sample_id").values()] == ["219E01", "00457"]


@pytest.mark.parametrize(
    ("number_format", "mark"),
    [
        ("General", ""),
        ("0.00", ""),
        ("#,##0.00_);(#,##0.00)", ""),
        ("0.00E+00", ""),
        ("m/d/yyyy h:mm", ""),
        ("[$-409]d-mmm-yy;@", ""),
        ("@", ""),
        ("0.00%", "percent"),
        ("[<0.01]0.0000;0.00", ""),
        ('"<" 0.00', "less than"),
        ("\\<0.000", "less than"),
        ("<0.000", "less than"),
        ('"≤"0.0', "less than"),
        ('">"0', "greater than"),
        ('0.0" ug/L"', ""),
        ('"ND"', "shown as ND"),
        ('0.00" U"', "shown as # U"),
        ('"est. "0.0', "shown as est. #"),
    ],
)
def test_what_a_number_format_means(number_format, mark):
    assert meaning(number_format) == mark


def test_wrong_dimension_record_hides_no_rows(tmp_path):
    path = workbook(tmp_path / "a.xlsx", [["Date", "Copper (mg/L)"], *[[day, 0.5] for day in DAYS]])
    repacked(path, "xl/worksheets/sheet1.xml", b'<dimension ref="A1:B6"', b'<dimension ref="A1:A2"')
    assert len(told(read(path))) == len(DAYS)


def test_dates_and_times_keep_their_type(tmp_path):
    rows = [["Sample Date", "Sample Time", "Parameter", "Result"], [date(2026, 10, 1), "08:30", "Zinc", 1]]
    raw = read(workbook(tmp_path / "a.xlsx", rows))
    assert told(raw, "start", "start_time") == {"D2": ("1.0", "2026-10-01", "08:30")}


def test_spans_of_time_are_text(tmp_path):
    path = tmp_path / "a.xlsx"
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, ["Date", "Time", "Copper (mg/L)"])
    sheet.write_datetime(1, 0, DAYS[0], book.add_format({"num_format": "yyyy-mm-dd"}))
    sheet.write_number(1, 1, 24.5 / 24, book.add_format({"num_format": "[h]:mm"}))
    sheet.write_number(1, 2, 0.5)
    book.close()
    assert told(read(path), "start_time") == {"C2": ("0.5", "24:30:00")}
