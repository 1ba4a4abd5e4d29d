"""A corpus of broken packs: each file is named for its fault (`CODE.toml`, `CODE_what.toml`), and lint names it."""

import datetime as dt
from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from packs_made import codes, faults, write

from pretreat import packs
from pretreat.errors import Fault, PackError, UsageError
from pretreat.packs.context import CODES

CORPUS = sorted((Path(__file__).parent / "bad" / "limits").glob("*.toml"))
README = (packs.bundled_folder() / "README.md").read_text(encoding="utf-8")


def lint(path: Path) -> list[Fault]:
    try:
        return packs.lint([path])
    except PackError as error:
        return error.faults


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_lint_names_the_fault(path):
    expected = path.stem.partition("_")[0]
    found = lint(path)
    assert {fault.code for fault in found} == {expected}, [str(fault) for fault in found]
    assert all(fault.file == str(path) for fault in found)
    assert all(fault.row or fault.key or expected in ("unreadable", "no-limit") for fault in found)


def test_every_code_of_the_readme_is_in_the_corpus_and_the_other_way_round():
    table = README[README.index("## Faults") :]
    named = {
        code.strip("` ")
        for line in table.splitlines()
        if line.startswith("| `")
        for code in line.split("|")[1].replace("(warning)", "").replace("(warnings)", "").split(",")
    }
    proved_elsewhere = {"quotation", "number"}
    corpus = {path.stem.partition("_")[0] for path in CORPUS}
    assert corpus | proved_elsewhere == named


def test_warnings_are_what_a_row_can_accept():
    warned = {fault.code for path in CORPUS for fault in lint(path) if fault.warning}
    assert warned | {"overlap", "quotation", "number"} == set(CODES)


@pytest.mark.parametrize(
    "path", [path for path in CORPUS if path.stem in CODES and path.stem != "unused"], ids=lambda p: p.stem
)
def test_a_row_accepts_a_fault_with_a_reason(path, tmp_path):
    text = path.read_text(encoding="utf-8")
    more = f'accept.{path.stem} = "so it is printed"\n'
    for block in ("[[limit]]\n", "[[table]]\n"):
        text = text.replace(block, block + more)
    assert codes(tmp_path, text, head="") == []
    assert "bad-value" in codes(tmp_path, text.replace("so it is printed", " "), head="")


def test_a_pack_with_errors_is_refused_with_all_of_them():
    path = Path(__file__).parent / "bad" / "limits" / "typical.csv"
    with pytest.raises(PackError) as raised:
        packs.load(path)
    assert len(raised.value.faults) >= 10


def test_typical_mistakes_of_a_spreadsheet_are_all_named():
    """The faults that people make in Excel, each with its cell."""
    found = {
        (fault.code, fault.row.split(" (")[0])
        for fault in lint(Path(__file__).parent / "bad" / "limits" / "typical.csv")
    }
    assert found == {
        ("comma", "row 3"),
        ("symbol", "row 4"),
        ("blank", "row 5"),
        ("percent", "row 6"),
        ("not-a-number", "row 7"),
        ("date", "row 8"),
        ("wrong-side", "row 9"),
        ("unit-does-not-fit", "row 10"),
        ("unknown-mark", "row 11"),
        ("unknown-unit", "row 11"),
        ("unknown-parameter", "row 12"),
        ("not-a-number", "row 13"),
        ("unknown-point", "row 14"),
        ("not-a-number", "row 15"),
    }


def test_a_fault_says_where_what_and_what_to_do(tmp_path):
    found = faults(tmp_path, '[[limit]]\nparamter = "Zinc"\nparameter = "Zinc"\nabove = 1\nunit = "mg/L"\n')
    assert len(found) == 1
    assert str(found[0]).endswith(
        "limit 1 (Zinc), paramter: 'paramter' is no key, and no heading of [headings]; did you mean 'parameter'? "
        "[error unknown-key]"
    )


def test_all_faults_of_a_file_at_once(tmp_path):
    """Warnings of the rows that are understood stand beside the errors of the others."""
    text = (
        '[[table]]\nunit = "mg/L"\ncolumns = ["id", "parameter", "Daily Maximum", "Monthly Average"]\nrows = ['
        '["a", "Arsenic", 125, ""], ["b", "Zinc", 1, 2], ["c", "Silver", "0 24", ""]]\n'
        '[[table]]\nunit = "mg/L"\nstatistic = "daily maximum"\ncolumns = ["id", "parameter", "above", "season"]\nrows = ['
        '["d", "Lead", 1, "May to October"], ["e", "Lead", "1,5", "November to April"]]\n'
    )
    found = [(fault.code, fault.warning) for fault in faults(tmp_path, text)]
    assert sorted(found) == [
        ("average-above-maximum", True), ("comma", False), ("magnitude", True), ("not-a-number", False),
    ]  # fmt: skip
    assert "season-gap" in codes(
        tmp_path, text.replace("1,5", "1.5").replace("November", "December").replace("0 24", "0.24")
    )


def test_a_row_without_a_number_names_the_cells_that_are_blank(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("cite,parameter,Daily Maximum,unit,above\n§ 1,Zinc,2,mg/L,\n§ 1,Copper,,mg/L,\n", encoding="utf-8")
    (fault,) = packs.lint([path])
    assert (fault.code, fault.row, fault.key) == ("blank", "row 3 (Copper)", "Daily Maximum (C3), above (E3)")


def test_a_fault_of_a_number_under_a_heading_names_its_cell_once(tmp_path):
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ["cite", "parameter", "Daily Maximum", "unit"],
        ["§ 1", "Zinc", -1, "mg/L"],
        ["§ 1", "Lead", "=1+1", "mg/L"],
    ):
        sheet.append(row)
    book.save(tmp_path / "mine.xlsx")
    found = [(fault.code, fault.key) for fault in packs.lint([tmp_path / "mine.xlsx"])]
    assert found == [("not-a-number", "C3"), ("bad-value", "Daily Maximum (C2)")]


def test_a_missing_file_and_another_kind_of_file_are_no_packs(tmp_path):
    with pytest.raises(UsageError, match="did you mean 'ny/little-valley'"):
        packs.load("ny/litle-valley")
    other = tmp_path / "limits.docx"
    other.write_bytes(b"")
    with pytest.raises(Exception, match="holds no limits"):
        packs.load(other)


def test_text_that_is_not_utf8_is_unreadable(tmp_path):
    path = tmp_path / "latin.toml"
    path.write_bytes('[document]\ntitle = "§"\n'.encode("cp1252"))
    with pytest.raises(PackError, match="UTF-8"):
        packs.lint([path])


def test_lint_goes_on_after_an_unreadable_file(tmp_path):
    write(tmp_path, "[", "a.toml", head="")
    write(tmp_path, '[[limit]]\nparameter = "Unobtainium"\nabove = 1\nunit = "mg/L"\n', "b.toml")
    with pytest.raises(PackError) as raised:
        packs.lint([tmp_path])
    assert [fault.code for fault in raised.value.faults] == ["unreadable", "unknown-parameter"]


def book(path: Path, rows: list[list[object]], formats: dict[str, str] | None = None) -> Path:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = "local limits"
    for row in rows:
        sheet.append(row)
    for cell, style in (formats or {}).items():
        sheet[cell].number_format = style
    workbook.create_sheet("settings").append(["unstated", "instantaneous"])
    workbook.save(path)
    return path


@pytest.mark.parametrize(
    ("value", "style", "code"),
    [
        (dt.datetime(2026, 9, 5), "d-mmm", "date"),
        (0.1, "0%", "percent"),
        ("=1+1", "General", "not-a-number"),
        (-1, "General", "bad-value"),
        ("#REF!", "General", "not-a-number"),
        (0.2, '"<"0.0', "symbol"),
        (True, "General", "bad-value"),
    ],
)
def test_what_excel_makes_of_a_limit_is_refused_by_its_cell(tmp_path, value, style, code):
    path = book(
        tmp_path / "x.xlsx", [["cite", "parameter", "above", "unit"], ["§ 1", "Zinc", value, "mg/L"]], {"C2": style}
    )
    found = [fault for fault in packs.lint([path]) if fault.code == code]
    assert found, packs.lint([path])
    assert "C2" in found[0].key


def test_printed_decimals_are_read_from_the_number_format(tmp_path):
    path = book(
        tmp_path / "x.xlsx", [["cite", "parameter", "above", "unit"], ["§ 1", "Zinc", 4, "mg/L"]], {"C2": "0.00"}
    )
    limit = packs.load(path).packs[0].rows[0]
    assert (str(limit.bounds[0].number), limit.bounds[0].decimals) == ("4.00", 2)


def test_a_sheet_that_is_nothing_is_an_error_and_ones_own_notes_are_not(tmp_path):
    path = book(tmp_path / "x.xlsx", [["cite", "parameter", "above", "unit"], ["§ 1", "Zinc", 4, "mg/L"]])
    workbook = openpyxl.load_workbook(path)
    workbook.create_sheet("_mine").append(["anything"])
    workbook.create_sheet("more limits").append(["substance", "limit"])
    workbook.save(path)
    found = packs.lint([path])
    assert [(fault.row, fault.code) for fault in found] == [("sheet more limits", "unknown-key")]


def test_merged_cells_never_mean_as_above(tmp_path):
    path = book(
        tmp_path / "x.xlsx",
        [["cite", "parameter", "above", "unit"], ["§ 1", "Zinc", 4, "mg/L"], ["§ 1", None, 5, "mg/L"]],
    )
    workbook = openpyxl.load_workbook(path)
    workbook["local limits"].merge_cells("B2:B3")
    workbook.save(path)
    assert {fault.code for fault in packs.lint([path])} == {"blank"}


def test_a_merged_limit_is_never_as_above(tmp_path):
    rows = [["cite", "parameter", "above", "below", "unit"], ["§ 1", "pH", 9, 5, "SU"], ["§ 2", "pH", None, 4, "SU"]]
    path = book(tmp_path / "x.xlsx", rows)
    workbook = openpyxl.load_workbook(path)
    workbook["local limits"].merge_cells("C2:C3")
    workbook.save(path)
    assert ("blank", "C2") in [(fault.code, fault.key) for fault in packs.lint([path])]


def test_a_limit_that_is_struck_through_is_asked_about(tmp_path):
    path = book(tmp_path / "x.xlsx", [["cite", "parameter", "above", "unit"], ["§ 1", "Zinc", 4, "mg/L"]])
    workbook = openpyxl.load_workbook(path)
    workbook["local limits"]["C2"].font = openpyxl.styles.Font(strike=True)
    workbook.save(path)
    assert [(fault.code, fault.key) for fault in packs.lint([path])] == [("bad-value", "C2")]


def test_a_picture_called_xlsx_is_unreadable(tmp_path):
    path = tmp_path / "picture.xlsx"
    path.write_bytes(b"\x89PNG\r\n\x1a\n")
    with pytest.raises(PackError, match="no workbook"):
        packs.lint([path])


SOURCE = "\n".join(packs.bundled()[name].read_text(encoding="utf-8") for name in ("ny/little-valley",)).split("\n")
VALUES = [
    "true",
    "-3",
    '""',
    "[]",
    "{}",
    "2026-01-01",
    "nan",
    "inf",
    '"5.5-9.5"',
    '"4.0*"',
    '["a"]',
    '{ when = { a = "b" } }',
    '"1 to 2"',
]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, len(SOURCE) - 1), st.sampled_from(["", *VALUES])), min_size=1, max_size=3))
def test_law_a_mangled_pack_is_refused_or_understood_and_nothing_else(tmp_path, changes):
    """Lines lost and values replaced by others: faults, never a traceback."""
    lines = list(SOURCE)
    for at, value in changes:
        key, equals, _ = lines[at].partition("=")
        lines[at] = f"{key}= {value}" if equals and value else ""
    found = lint(write(tmp_path, "\n".join(lines), head=""))
    assert all(isinstance(fault, Fault) and fault.message for fault in found)
