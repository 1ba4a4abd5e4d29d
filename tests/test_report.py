"""The report as a whole: what `--out DIR` holds, and a folder for each user where that is asked for."""

import json
import re

import openpyxl
from hypothesis import given, settings
from hypothesis import strategies as st
from made_review import DAIRY, PLATER, WASH, made_review

from pretreat import columns, report
from pretreat.report import users


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_report_holds_workbook_page_and_every_table(tmp_path):
    folder = report.save(made_review(), tmp_path / "out")
    tables = sorted(f"tables/{name}.csv" for name in columns.TABLES)
    assert files(folder) == sorted(["provenance.json", "report.html", "report.xlsx", *tables])
    assert json.loads((folder / "provenance.json").read_text(encoding="utf-8"))["version"] == "0.1.0"


def test_tables_alone_come_without_a_report_and_as_the_input_was(tmp_path):
    review = made_review()
    review.parquet = True
    folder = report.save(review, tmp_path / "out", tables=["counts", "exceedances"])
    assert files(folder) == ["provenance.json", "tables/counts.parquet", "tables/exceedances.parquet"]


def test_each_user_has_a_folder_with_its_own_findings_alone(tmp_path):
    folder = report.save(made_review(), tmp_path / "out", per_facility=True)
    for user in (PLATER, DAIRY, WASH):
        book = openpyxl.load_workbook(folder / "users" / user / "report.xlsx")
        text = (folder / "users" / user / "report.html").read_text(encoding="utf-8")
        assert user in book.sheetnames
        for other in {PLATER, DAIRY, WASH} - {user}:
            assert other not in book.sheetnames
            assert f">{other}" not in text
            assert other.lower().replace(" ", "-") not in text
    assert report.save(made_review(), folder) == folder
    assert not (folder / "users").exists()


@settings(max_examples=200)
@given(st.lists(st.text(max_size=80), max_size=6))
def test_no_users_name_is_a_path_out_of_the_folder(names):
    taken = set()
    for name in names:
        made = users.folder_name(name, taken)
        assert not re.search(r"[/\\\\:*?\"<>|\x00-\x1f]", made)
        assert made.strip(". ") == made != ""
        assert made.casefold() not in taken
        taken.add(made.casefold())
