"""Files that are not what they seem: one clear line each, in bounded time and memory, and no traceback."""

import io
import random
import time
import zipfile
from datetime import datetime
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
import xlwt
from click.testing import CliRunner
from sheets_made import told, workbook

from pretreat.cli import main
from pretreat.errors import FileError
from pretreat.reading import read

ROWS = [["Date", "Copper (mg/L)", "Zinc (mg/L)"], *[[datetime(2026, 10, d), d / 10, "<0.1"] for d in range(1, 20)]]


def refused(path, *words):
    start = time.process_time()
    with pytest.raises(FileError) as caught:
        read(path)
    line = str(caught.value)
    assert time.process_time() - start < 10
    assert line.startswith(path.as_posix()), "the line says where"
    assert "\n" not in line
    assert len(caught.value.todo) > 10, "and what to do"
    for word in words:
        assert word in line
    return line


CORPUS = sorted((Path(__file__).parent / "bad" / "reading").iterdir())


@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.name)
def test_the_corpus_of_bad_files_is_named_for_its_faults(path):
    refused(path, path.stem)


def test_missing_file_and_empty_folder_and_pattern(tmp_path):
    for given in (tmp_path / "none.xlsx", tmp_path, str(tmp_path / "*.xlsx")):
        with pytest.raises(FileError, match=r"no such file|no file of samples|nothing matches"):
            read(given)


def test_empty_workbook(tmp_path):
    refused(workbook(tmp_path / "a.xlsx", []), "empty")


def test_zip_that_is_no_workbook(tmp_path):
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    refused(path, "zip archive")


def packed(path, parts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def parts_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_zip_bomb(tmp_path):
    path = workbook(tmp_path / "a.xlsx", ROWS)
    parts = parts_of(path)
    parts["xl/worksheets/sheet1.xml"] = parts["xl/worksheets/sheet1.xml"].replace(
        b"<sheetData>", b"<sheetData>" + b" " * 200_000_000
    )
    packed(path, parts)
    assert path.stat().st_size < 300_000
    refused(path, "unpacks to")


def test_entity_bomb(tmp_path):
    path = workbook(tmp_path / "a.xlsx", ROWS)
    parts = parts_of(path)
    lol = b"".join(b'<!ENTITY l%d "%s">' % (i, b"&l%d;" % (i - 1) * 10) for i in range(1, 10))
    bomb = b'<!DOCTYPE x [<!ENTITY l0 "lol">' + lol + b"]>"
    for name in ("xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml"):
        declared = parts[name].replace(b'<?xml version="1.0"?>', b"").lstrip()
        packed(path, parts | {name: bomb + declared})
        refused(path, "entities")


def test_a_million_empty_columns(tmp_path):
    book = openpyxl.Workbook()
    sheet = book.active
    for row in ROWS:
        sheet.append(row)
    sheet.cell(1_048_576, 16_384, "x")
    book.save(tmp_path / "a.xlsx")
    refused(tmp_path / "a.xlsx", "1,048,576", "16,384")


def test_formatted_empty_columns_are_no_reason_to_refuse(tmp_path):
    book = openpyxl.Workbook()
    sheet = book.active
    for row in ROWS:
        sheet.append(row)
    for row in (1, 5000):
        sheet.cell(row, 16_384).number_format = "0.00"
    book.save(tmp_path / "a.xlsx")
    assert len(read(tmp_path / "a.xlsx").values) == 2 * 19


def test_circular_formulas_and_external_links_have_no_value(tmp_path):
    rows = [["Date", "Copper (mg/L)"], [datetime(2026, 10, 1), "=B3"], [datetime(2026, 10, 2), "=B2"]]
    rows.append([datetime(2026, 10, 3), "='[other.xlsx]Sheet1'!$B$2"])
    raw = read(workbook(tmp_path / "a.xlsx", rows))
    assert [v[1] for v in told(raw, "cell_format").values()] == ["no cached value"] * 3


def test_macros_are_not_followed(tmp_path):
    path = workbook(tmp_path / "a.xlsm", ROWS)
    parts = parts_of(path) | {"xl/vbaProject.bin": b"\xd0\xcf\x11\xe0" + b"Shell" * 50}
    assert len(read(packed(path, parts)).values) == 2 * 19


def test_protected_by_a_password(tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(600)
    )
    refused(path, "password")


@pytest.mark.parametrize("kind", ["xlsx", "csv", "parquet"])
def test_truncated_and_flipped_bytes_never_end_in_a_traceback(tmp_path, kind):
    path = tmp_path / f"a.{kind}"
    if kind == "xlsx":
        workbook(path, ROWS)
    else:
        frame = pd.DataFrame(ROWS[1:], columns=["start", "value", "unit"]).assign(parameter="Copper")
        frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
    whole = path.read_bytes()
    chance = random.Random(20261130)
    for _ in range(60):
        data = bytearray(whole[: chance.randrange(len(whole))] if chance.random() < 0.3 else whole)
        for _ in range(chance.choice((1, 5, 50))):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data)
        refused = ""  # not every one is
        try:
            read(path)
        except FileError as error:
            refused = str(error)
        assert "\n" not in refused


def test_nothing_is_read_where_one_file_is_bad(tmp_path):
    workbook(tmp_path / "a.xlsx", ROWS)
    (tmp_path / "b.xlsx").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    with pytest.raises(FileError, match=r"b\.xlsx: it is a PNG picture"):
        read(tmp_path)


def test_text_named_xls_and_workbook_named_csv_are_read(tmp_path):
    (tmp_path / "a.xls").write_text("Date\tCopper (mg/L)\n2026-10-01\t0.5\n")
    assert told(read(tmp_path / "a.xls"), "parameter") == {"B2": ("0.5", "Copper")}
    made = workbook(tmp_path / "b.xlsx", ROWS)
    made.rename(tmp_path / "b.csv")
    assert len(read(tmp_path / "b.csv").values) == 2 * 19


def test_a_wide_text_file_in_memory_is_bounded(tmp_path):
    path = tmp_path / "a.csv"
    out = io.StringIO()
    out.write("Date," + ",".join(f"x{i}" for i in range(5000)) + "\n")
    out.write("2026-10-01," + "," * 4999 + "\n")
    path.write_text(out.getvalue())
    assert read(path).sheets.loc[0, "layout"] in {"none", "wide"}


def test_a_field_without_an_end(tmp_path):
    """A quotation mark that is never closed, or one field as long as the file, in a file that is read in columns."""
    for name, text in (("quote", '"' + "x,y\n" * 600_000), ("long", "9" * 2_500_000)):
        path = tmp_path / f"{name}.csv"
        path.write_text("Date,Copper (mg/L)\n2026-10-05," + text + "\n")
        refused(path, "cannot be read")


def test_one_record_of_a_million_fields(tmp_path):
    """Filled up, the others would be as wide: 400 million cells."""
    path = tmp_path / "a.csv"
    path.write_text("Date,Copper (mg/L)\n" + "2026-10-05,0.5\n" * 400 + "," * 1_000_000 + "\n")
    refused(path, "1,000,001 fields")


def test_what_is_wider_than_anyone_lays_out_is_set_aside_whole(tmp_path):
    """Not read in part: what stands in the last columns would be in no account."""
    path = tmp_path / "a.csv"
    path.write_text(
        "Date," + ",".join(f"Copper {i} (mg/L)" for i in range(2100)) + "\n2026-10-05" + ",0.5" * 2100 + "\n"
    )
    raw = read(path)
    assert raw.sheets[["layout", "values_seen"]].to_numpy().tolist() == [["none", 2 * 2101]]
    assert raw.set_aside["reason"].tolist() == ["no table"]


SPREADSHEET = (
    '<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">'
    '<office:body><office:spreadsheet><table:table table:name="D">{}</table:table></office:spreadsheet></office:body>'
    "</office:document-content>"
)


@pytest.mark.parametrize(
    ("rows", "cells", "spaces", "word"),
    [
        ("1", "1", "2000000000", "spaces"),
        ("1", "99999999999", "1", "column"),
        ("9999999999", "1", "1", "row"),
        ("1000000", "16000", "1", "row"),
    ],
)
def test_an_opendocument_that_repeats_without_end(tmp_path, rows, cells, spaces, word):
    """A few hundred bytes that the fast reader would write out to gigabytes."""
    cell = (
        f'<table:table-cell office:value-type="string" table:number-columns-repeated="{cells}"><text:p>'
        f'<text:s text:c="{spaces}"/>x</text:p></table:table-cell>'
    )
    row = f'<table:table-row table:number-rows-repeated="{rows}">{cell}</table:table-row>'
    manifest = '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    parts = {
        "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
        "content.xml": SPREADSHEET.format(row),
        "META-INF/manifest.xml": manifest,
    }
    refused(packed(tmp_path / "a.ods", parts), word)


def test_what_is_printed_of_a_sheet_steers_no_terminal(tmp_path):
    """`pretreat read` shows headings, names, notes and a learnt template; none of them reaches the terminal as control."""
    path = tmp_path / "a.csv"
    head = "Facility,Date,Copper\x1b[31m (mg/L),Zi\x7fnc\u202e (mg/L),No\u202etes\n"
    path.write_bytes(f"{head}Ac\x1b]0;x\x07me,2026-10-05,.1,2,\x9b2J\nB,2026-10-06,\x1b[2Jlost,3,\n".encode())
    done = CliRunner().invoke(main, ["read", str(path), "--learn", str(tmp_path / "lab.toml")], catch_exceptions=False)
    assert done.exit_code == 0
    assert "Copper" in done.stdout
    texts = [done.stdout, (tmp_path / "lab.toml").read_text("utf-8")]
    assert not any((ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 or c == "\u202e" for c in "".join(texts))
    again = CliRunner().invoke(main, ["read", str(path), "--template", str(tmp_path / "lab.toml")])
    assert again.exit_code == 0


def test_an_old_workbook_whose_sheet_ends_before_it_begins_is_refused(tmp_path):
    """Found by the fuzzer (seed 7012, input 3807): the fast reader asked for a terabyte and ended the process."""
    book = xlwt.Workbook()
    sheet = book.add_sheet("October")
    for row, cells in enumerate(
        [["Facility", "Sample Date", "Analyte", "Result", "Units"], ["A", "2026-10-05", "Zinc", 1.5, "mg/L"]]
    ):
        for column, cell in enumerate(cells):
            sheet.write(row, column, cell)
    path = tmp_path / "october.xls"
    book.save(str(path))
    assert len(read([path]).values) == 1
    data = bytearray(path.read_bytes())
    at = data.index(b"\x00\x02\x0e\x00")
    data[at + 5] = 0x0C  # the first row is 3,072
    path.write_bytes(bytes(data))
    with pytest.raises(FileError, match="ends before it begins"):
        read([path])
