"""The report as a whole: what `--out DIR` holds, and a folder for each user where that is asked for."""

import io
import json
import re
import shutil

import openpyxl
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_review import DAIRY, PLATER, WASH, made_review

import pretreat
from pretreat import columns, report
from pretreat.report import content, terminal, users


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A whole report, with one of each user."""
    return report.save(made_review(), tmp_path_factory.mktemp("report") / "out", per_facility=True)


def test_a_report_holds_workbook_page_and_every_table(folder):
    tables = sorted(f"tables/{name}.csv" for name in columns.TABLES)
    whole = [name for name in files(folder) if not name.startswith("users/")]
    assert whole == sorted(["provenance.json", "report.html", "report.xlsx", *tables])
    assert json.loads((folder / "provenance.json").read_text(encoding="utf-8"))["version"] == "0.1.0"


def test_tables_alone_come_without_a_report_and_as_the_input_was(tmp_path):
    review = made_review()
    review.parquet = True
    folder = report.save(review, tmp_path / "out", tables=["counts", "exceedances"])
    assert files(folder) == ["provenance.json", "tables/counts.parquet", "tables/exceedances.parquet"]


def test_each_user_has_a_folder_with_its_own_findings_alone(folder, tmp_path):
    for user in (PLATER, DAIRY, WASH):
        book = openpyxl.load_workbook(folder / "users" / user / "report.xlsx")
        text = (folder / "users" / user / "report.html").read_text(encoding="utf-8")
        assert user in book.sheetnames
        for other in {PLATER, DAIRY, WASH} - {user}:
            assert other not in book.sheetnames
            assert f">{other}" not in text
            assert other.lower().replace(" ", "-") not in text
    again = shutil.copytree(folder, tmp_path / "out")
    assert report.save(made_review(), again, tables=["counts"]) == again
    assert files(again) == ["provenance.json", "tables/counts.csv"]


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


def test_what_is_new_since_the_period_before_is_told_apart(tmp_path) -> None:
    rows = [
        ("Copper", "2026-09-07", 9.0),  # over in September and October: again
        ("Copper", "2026-10-07", 9.0),
        ("Zinc", "2026-09-07", 0.1),  # within in September: new
        ("Zinc", "2026-10-07", 90.0),
        ("Lead", "2026-10-07", 90.0),  # not measured in September
    ]
    frame = pd.DataFrame(rows, columns=["parameter", "start", "value"]).assign(facility="Acme", unit="mg/L")
    frame["start"] = pd.to_datetime(frame["start"])
    review = pretreat.check(frame, "ny/little-valley", period="2026-10", as_of="2026-11-30")
    said = {"Copper": "again, as in 2026-09", "Zinc": "new since 2026-09", "Lead": "nothing judged in 2026-09"}
    groups = content.grouped(content.with_also(review.exceedances, review.comparisons))
    found = content.with_since(groups, review.provenance)
    assert {(row.parameter, row.also.partition(";")[0]) for row in found.itertuples()} == set(said.items())
    review.save(tmp_path / "report")
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    book = openpyxl.load_workbook(tmp_path / "report" / "report.xlsx")["Summary"]
    cells = " ".join(str(cell.value) for row in book.iter_rows() for cell in row if cell.value)
    shown = io.StringIO()
    terminal.summary(review, file=shown)
    for words in said.values():
        assert words in page
        assert words in cells
        assert words in shown.getvalue()
    # Without a period, or from one day to another, there is no period before, and nothing is said.
    for period in (None, "2026-10-01:2026-10-31"):
        review = pretreat.check(frame, "ny/little-valley", period=period, as_of="2026-11-30")
        assert not review.provenance["before"]
        shown = io.StringIO()
        terminal.summary(review, file=shown)
        assert "2026-09;" not in shown.getvalue()
        assert "new since" not in shown.getvalue()


def test_what_was_measured_in_the_period_before_alone_takes_no_part_in_what_is_new():
    frame = pd.DataFrame(
        {
            "facility": "Elk Creek Plating",
            "parameter": ["pH", "pH", "LEL"],
            "value": [4.0, 7.0, 30.0],
            "unit": ["SU", "SU", "%"],
            "start": pd.to_datetime(["2026-10-07 08:00", "2026-09-07 08:00", "2026-09-07 08:00"]),
            "sample_type": "grab",
        }
    )
    told = pretreat.check(frame, "ny/little-valley", period="2026-10", federal=False).provenance["before"]
    assert told["period"] == "2026-09"
    assert {key[2] for key in told["judged"]} == {"pH"}
    assert told["exceeded"] == []
