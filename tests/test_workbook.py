"""The workbook: real numbers and dates, no formula from input, set for paper, opened by openpyxl and LibreOffice."""

import datetime as dt
import io
import re
import shutil
import subprocess
import zipfile

import openpyxl
import pandas as pd
import pytest
import xlsxwriter
from hypothesis import example, given, settings
from hypothesis import strategies as st
from made_review import DAIRY, PLATER, WASH, empty_review, made_review

from pretreat import columns
from pretreat.report import content, workbook
from pretreat.report.sheets import Book, _sheet_name, clean

FIXED = [
    "Summary", "Exceedances", "Undetermined", "SNC", "Slugs", "Averages", "Not evaluated", "Set aside", "Findings", "Schedule",
    "Checklist", "Provenance",
]  # fmt: skip
OFFICE = shutil.which("soffice") or shutil.which("libreoffice")


@pytest.fixture(scope="module")
def review():
    return made_review()


@pytest.fixture(scope="module")
def path(review, tmp_path_factory):
    path = tmp_path_factory.mktemp("workbook") / "report.xlsx"
    workbook.write(review, path)
    return path


@pytest.fixture(scope="module")
def book(path):
    return openpyxl.load_workbook(path)


def values(sheet):
    return [[cell.value for cell in row] for row in sheet.iter_rows()]


def texts(sheet):
    return " | ".join(str(value) for row in values(sheet) for value in row if value is not None)


def a_table(sheet, header):
    """The rows of the table whose header row begins with `header`, as dictionaries."""
    rows = values(sheet)
    top = next(i for i, row in enumerate(rows) if row[0] == header)
    names = [name for name in rows[top] if name]
    body = []
    for row in rows[top + 1 :]:
        if not any(row):
            break
        body.append(dict(zip(names, row, strict=False)))
    return body


def test_the_summary_is_first_and_every_user_has_a_sheet(book):
    assert book.sheetnames == [*FIXED, PLATER, WASH, DAIRY, "Chart data"]


def test_the_summary_says_who_exceeded_what_when_by_how_much_under_which_section(book, review):
    said = {(row["User"], row["Parameter"], row["Average"]): row for row in a_table(book["Summary"], "User")}
    for each in review.tables["exceedances"].itertuples():
        user = f"{each.facility}, outfall {each.outfall}" if each.outfall else each.facility
        assert said[user, each.parameter, each.statistic]["Section"] == each.cite
    zinc = said[f"{PLATER}, outfall 001", "Zinc", "24-hour average"]
    assert zinc == {
        "User": f"{PLATER}, outfall 001", "Parameter": "Zinc", "Average": "24-hour average", "Times": 3,
        "When (the worst)": "Oct 21, 2026", "Measured": "2.7 mg/L", "Allowed": "at most 2.4 mg/L", "% over": 13,
        "Section": "§ 194-6C(8)", "Also exceeds": "40 CFR 433.17(a)",
    }  # fmt: skip


def test_undetermined_snc_steps_and_assumptions_are_on_the_summary(book):
    said = texts(book["Summary"])
    for text in (
        "30-day average is left open",
        "Significant noncompliance",
        "1 duty is late",
        "water_fluoridated",
        "2 exceedances lie outside this period",
        "1 result over a surcharge level at 1 user; that is no violation.",
        "Reviewed by",
    ):
        assert text in said


def test_every_exceedance_has_its_row_with_numbers_and_dates(book, review):
    rows = {row["Id (for pretreat explain)"]: row for row in a_table(book["Exceedances"], "User")}
    listed = review.tables["exceedances"]
    assert set(rows) == set(listed["comparison_id"])
    for each in listed.itertuples():
        row = rows[each.comparison_id]
        assert row["From"] == each.period_start.to_pydatetime()
        assert row["Measured, low end"] == pytest.approx(each.low)
        assert row["Limit"] == each.limit_low
        assert row["Cells"] == each.sources
        assert isinstance(row["Limit"], int | float)
        assert isinstance(row["From"], dt.datetime)


def test_an_interval_and_what_cannot_be_judged_are_shown_as_such(book):
    rows = {(row["Parameter"], row["Verdict"]): row for row in a_table(book["Undetermined"], "Verdict")}
    temperature = rows["Temperature", "? undetermined"]
    assert (temperature["Limit"], temperature["Limit, other reading"]) == (147.2, 150)
    selenium = rows["Selenium", "? undetermined"]
    assert (selenium["Measured, low end"], selenium["Measured, high end"]) == (0, 0.6)
    assert "other streams" in rows["Nickel", "– not evaluated"]["Why"]


def test_a_users_months_are_numbers_with_the_sign_of_the_verdict_in_their_format(book):
    sheet = book[PLATER]
    months = [cell.value for cell in sheet[4][3:] if cell.value]
    assert months == [dt.datetime(2026, month, 1) for month in (7, 8, 9, 10)]
    zinc = next(
        row for row in sheet.iter_rows(min_row=5) if (row[0].value, row[1].value) == ("Zinc (001)", "24-hour average")
    )
    assert [cell.value for cell in zinc[3:7]] == [0.31, 0.31, 0.31, 2.7]
    assert [cell.number_format[1] for cell in zinc[3:7]] == ["✓", "✓", "✓", "▲"]
    nondetect = next(row for row in sheet.iter_rows(min_row=5) if row[0].value == "Chromium (VI) (001)")
    assert nondetect[3].value == 0.01
    assert "≤" in nondetect[3].number_format


def test_an_snc_page_lists_each_measurement_and_can_be_signed(book, review):
    sheet = book["SNC"]
    said = texts(sheet)
    assert said.count("Reviewed and signed") == 1
    top = next(i for i, row in enumerate(values(sheet)) if row[0] == "Zinc, 24-hour average: the measurements")
    listed = values(sheet)[top + 2 : top + 2 + 18]
    held = review.tables["comparisons"]
    zinc = held[(held["parameter"] == "Zinc") & (held["statistic"] == "24-hour average") & (held["binding"] == "yes")]
    assert [row[1] for row in listed] == [day.to_pydatetime() for day in zinc["period_start"]]
    assert [row[4] for row in listed] == zinc["high"].tolist()
    assert sum(row[6] == "yes" for row in listed) == 3
    assert len(sheet.row_breaks.brk) == 1


def test_a_limit_without_results_is_one_cell_and_reasons_are_counted(book, review):
    rows = a_table(book["Not evaluated"], "Reason")
    assert {row["Reason"]: row["Limits"] for row in rows} == review.tables["not_evaluated"][
        "reason"
    ].value_counts().to_dict()
    cells = [cell for row in values(book["Not evaluated"])[10:] for cell in row[2:] if cell in set("abcd")]
    assert len(cells) == len(review.tables["not_evaluated"].drop_duplicates(["facility", "outfall", "parameter"]))


def test_provenance_names_packs_settings_and_hashes(book):
    said = texts(book["Provenance"])
    for text in ("ny/williamsville", "thirty_day", "section headings lost", "ab" * 32, "3 set aside"):
        assert text in said


def test_nothing_that_came_from_input_is_a_formula_or_a_number_as_text(path, book):
    assert not [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]
    with zipfile.ZipFile(path) as parts:
        sheets = [parts.read(name).decode() for name in parts.namelist() if "/worksheets/" in name]
    assert not any("<f>" in sheet or "<f " in sheet for sheet in sheets)
    said = texts(book["Set aside"]) + texts(book["Findings"])
    assert "'=2+2" in said
    assert "'=1+1" in said
    for sheet in book:
        for row in sheet.iter_rows():
            assert not [
                cell for cell in row if isinstance(cell.value, str) and re.fullmatch(r"\d+\.\d+", cell.value)
            ], sheet


@pytest.mark.parametrize(
    "name", ["Exceedances", "Undetermined", "Averages", "Set aside", "Findings", "Schedule", "Checklist"]
)
def test_sheets_are_frozen_filtered_and_set_for_paper(book, name):
    sheet = book[name]
    assert sheet.freeze_panes == "B5"
    assert sheet.auto_filter.ref
    assert sheet.print_title_rows == "$4:$4"
    assert sheet.print_area
    assert sheet.page_setup.orientation == "landscape"
    assert sheet.page_setup.fitToWidth in (None, 1)  # one page wide, which is what a file without a word of it means
    assert sheet.page_setup.fitToHeight == 0
    assert sheet.sheet_properties.pageSetUpPr.fitToPage


def test_each_exceeded_parameter_has_a_native_chart_with_its_limit_as_a_line(book):
    charts = {sheet.title: sheet._charts for sheet in book if sheet._charts}
    assert set(charts) == {PLATER, DAIRY, WASH}
    numbers = texts(book["Chart data"])
    for text in ("at most 1.6, § 194-6C(8)", "at least 5.5, § 194-6C(2)", "at most 147.2", "at most 150"):
        assert text in numbers
    for chart in (chart for its in charts.values() for chart in its):
        assert any(line.marker.symbol in ("none", None) for line in chart.series), "a chart without a limit"
        assert any(line.marker.symbol == "triangle" for line in chart.series), "an exceedance only by colour"


def test_no_chart_lies_over_another_or_beyond_the_paper(book):
    for sheet in book:
        last = openpyxl.utils.cell.range_boundaries(sheet.print_area.split("!")[1])[2] if sheet.print_area else 0
        spans = [(chart.anchor._from, chart.anchor.to) for chart in sheet._charts]
        for begin, end in spans:
            assert begin.col in (0, 5)
            assert end.col < (5 if begin.col == 0 else last), sheet.title
            assert end.row < begin.row + 17, sheet.title
        assert len({(begin.col, begin.row) for begin, _ in spans}) == len(spans)


def test_a_review_of_nothing_is_a_workbook_that_says_so(tmp_path):
    workbook.write(empty_review(), tmp_path / "empty.xlsx")
    book = openpyxl.load_workbook(tmp_path / "empty.xlsx")
    assert book.sheetnames == FIXED
    assert "Nothing exceeds a limit." in texts(book["Summary"])


@settings(max_examples=100)
@given(st.lists(st.text(max_size=45), max_size=8))
@example(["' 'x", "' 'X", "' ' '"])
@example(["\U0001f30a" * 20, "\U0001f30a" * 20])
def test_any_users_names_make_sheet_names_that_excel_takes(names):
    taken: list[str] = []
    book = xlsxwriter.Workbook(io.BytesIO(), {"in_memory": True})
    for name in names:
        made = _sheet_name(name, taken)
        book.add_worksheet(made)
        assert 0 < len(made.encode("utf-16-le")) // 2 <= 31
        assert not re.search(r"[\[\]:*?/\\\x00-\x1f]", made)
        assert made[0] != "'" != made[-1]
        assert made.casefold() not in {other.casefold() for other in taken}
        taken.append(made)


@given(st.text())
@example("+0")
def test_any_text_can_be_written(text):
    number = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+|inf)(e[+-]?\d+)?", clean(text), re.IGNORECASE | re.ASCII)
    assert number or clean(text)[:1] not in tuple("=+-@\t\r")
    assert len(clean(text)) <= 32_000


@pytest.mark.parametrize(
    "text",
    ["007", "1e5", "TRUE", "#N/A", "{=1}", "http://a.b", "internal:Summary!A1", "<r>x</r>", "<r><t>a & b</t></r>", "<r></r>", " a ", "a_x0041_"],
)  # fmt: skip
def test_text_that_looks_like_something_else_stays_as_it_is(text):
    book = Book()
    book.write(book.sheet("Text", text, text), 4, 1, text)
    with io.BytesIO(book.whole()) as file:
        sheet = openpyxl.load_workbook(file)["Text"]
    for row in (1, 2, 4):
        cell = sheet.cell(row, 1)
        assert (cell.value, cell.data_type, cell.hyperlink, cell.font.name) == (text, "s", None, "Arial")


def test_numbers_and_days_that_no_cell_holds_are_text_and_nothing_is_blank():
    book = Book()
    sheet = book.sheet("Cells", "Cells")
    for row, value in enumerate(
        [float("inf"), float("nan"), None, "", dt.datetime(1899, 5, 1, 8), dt.datetime(2026, 5, 1)], 2
    ):
        book.write(sheet, row, 1, value, form="yyyy-mm-dd" if isinstance(value, dt.datetime) else "General")
    with io.BytesIO(book.whole()) as file:
        column = [cell.value for cell in openpyxl.load_workbook(file)["Cells"]["A"]]
    assert column == ["Cells", "∞", None, None, None, "1899-05-01 08:00", dt.datetime(2026, 5, 1)]


def test_a_text_too_long_is_cut_with_a_sign_of_it():
    for text in (
        "x" * 40_000,
        "\U0001f30a" * 20_000,
    ):  # the second is as long to Excel, which counts each character twice
        made = clean(text)
        assert made.endswith("…")
        assert 31_990 < len(made.encode("utf-16-le")) // 2 <= 32_000


def test_hostile_names_do_no_harm(tmp_path):
    hostile = {PLATER: "=cmd|' /C calc'!A1", DAIRY: "../../etc: [x]*?\x0b\ud7ff" + "x" * 40, WASH: "<b>&\"'"}
    tables = {}
    for name, frame in made_review().tables.items():
        tables[name] = frame.replace({"facility": hostile}) if "facility" in frame else frame
    workbook.write(made_review(**tables), tmp_path / "report.xlsx")
    book = openpyxl.load_workbook(tmp_path / "report.xlsx")
    assert len(book.sheetnames) == len(FIXED) + 4
    assert not [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]


def test_more_rows_than_a_sheet_shows_are_said_to_be_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr(workbook, "MOST_ROWS", 5)
    workbook.write(made_review(), tmp_path / "report.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "report.xlsx")["Exceedances"]
    assert "Only the first 5 of 19" in texts(sheet)
    assert len(a_table(sheet, "User")) == 5


def test_where_complying_comparisons_are_not_listed_the_summary_says_so(tmp_path):
    review = made_review()
    review.provenance = review.provenance | {"unlisted": 1_234_567}
    workbook.write(review, tmp_path / "report.xlsx")
    assert "1,234,567 comparisons comply" in texts(openpyxl.load_workbook(tmp_path / "report.xlsx")["Summary"])


def test_the_same_review_gives_the_same_cells(review, book, tmp_path):
    workbook.write(review, tmp_path / "again.xlsx")
    again = openpyxl.load_workbook(tmp_path / "again.xlsx")
    assert [values(sheet) for sheet in again] == [values(sheet) for sheet in book]


def test_categorical_text_gives_the_same_workbook(review, book, tmp_path):
    coded = {
        name: frame.astype({c: "category" for c in frame if c not in columns.TIMES | columns.NUMBERS | columns.COUNTS})
        for name, frame in review.tables.items()
    }
    workbook.write(made_review(**coded), tmp_path / "coded.xlsx")
    again = openpyxl.load_workbook(tmp_path / "coded.xlsx")
    assert [values(sheet) for sheet in again] == [values(sheet) for sheet in book]


def test_the_worst_of_a_group_is_the_farthest_beyond_its_limit(review):
    groups = content.grouped(content.table(review.tables, "exceedances"))
    zinc = groups[(groups["parameter"] == "Zinc") & (groups["statistic"] == "24-hour average")].iloc[0]
    assert (zinc["times"], zinc["low"]) == (3, 2.7)
    assert (zinc["first"], zinc["last"]) == (pd.Timestamp("2026-10-07"), pd.Timestamp("2026-10-21"))


@pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not on this machine (.ci/run installs it)")
def test_libreoffice_opens_it_and_finds_the_same_numbers(path, book, tmp_path):
    copy = tmp_path / "out"
    subprocess.run(
        [
            str(OFFICE), f"-env:UserInstallation=file://{tmp_path / 'profile'}", "--headless", "--convert-to", "xlsx",
            "--outdir", str(copy), str(path),
        ],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    again = openpyxl.load_workbook(copy / path.name)
    assert again.sheetnames == book.sheetnames
    for sheet in book:
        ours = [
            (cell.coordinate, cell.value) for row in sheet.iter_rows() for cell in row if cell.value not in (None, "")
        ]
        theirs = {cell.coordinate: cell.value for row in again[sheet.title].iter_rows() for cell in row}
        for at, value in ours:
            assert theirs[at] == (pytest.approx(value) if isinstance(value, float) else value), (sheet.title, at)
        assert len(again[sheet.title]._charts) == len(sheet._charts)


def test_no_cell_has_marks_of_markup(book):
    for sheet in book:
        assert "`" not in texts(sheet), sheet.title


def test_a_months_number_fits_its_column(book):
    """LibreOffice shows `###` where a number with a sign in its format is wider than its column."""
    found = 0
    for sheet in book:
        for cell in (cell for row in sheet.iter_rows() for cell in row if cell.number_format.endswith('"General')):
            shown = cell.number_format.removesuffix("General").strip('"') + f"{cell.value:g}"
            assert sheet.column_dimensions[cell.column_letter].width >= len(shown) + 1, (sheet.title, cell.coordinate)
            found += 1
    assert found > 20
