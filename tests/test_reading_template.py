"""A laboratory's template: learnt from what was understood, corrected by hand, used."""

from datetime import datetime

import pytest
from sheets_made import sheet, told, workbook

from pretreat.errors import FileError, UsageError
from pretreat.reading import learn, read

DAY = datetime(2026, 10, 1)
WIDE = [["Client:", "Acme"], [], ["Date", "Copper (mg/L)", "Qual", "Zinc (mg/L)", "Qual"], [DAY, 0.5, "U", 0.2, "J"]]


def written(tmp_path, text):
    path = tmp_path / "lab.toml"
    path.write_text(text, "utf-8")
    return path


def test_learn_then_use_reads_the_same(tmp_path):
    raw = sheet(tmp_path, WIDE)
    learn(raw.understood, tmp_path / "lab.toml")
    again = read(tmp_path / "made.xlsx", template=tmp_path / "lab.toml")
    assert told(again, "parameter", "unit", "qualifier", "start") == told(
        raw, "parameter", "unit", "qualifier", "start"
    )
    assert any("template" in note for note in again.understood["note"])


def test_a_file_without_headings(tmp_path):
    (tmp_path / "lims.csv").write_text("1001,01/02/2026,CU,0.5,MG/L\n1001,01/02/2026,ZN,<0.1,MG/L\n")
    assert read(tmp_path / "lims.csv").sheets.loc[0, "layout"] == "none"
    path = written(
        tmp_path,
        """
        [[table]]
        layout = "long"
        header_row = 0
        first_row = 1
        dates = "dmy"
        [table.all]
        facility = "Acme Plating"
        [table.columns]
        A = "sample_id"
        B = "start"
        C = "parameter"
        D = "value"
        E = "unit"
        """,
    )
    raw = read(tmp_path / "lims.csv", template=path)
    assert told(raw, "facility", "sample_id", "parameter", "unit") == {
        "D1": ("0.5", "Acme Plating", "1001", "CU", "MG/L"),
        "D2": ("<0.1", "Acme Plating", "1001", "ZN", "MG/L"),
    }
    assert raw.dates == "dmy"
    assert raw.sheets.loc[0, "date_order"] == "dmy"


def test_tags_of_a_control_system(tmp_path):
    (tmp_path / "scada.csv").write_text("Stamp,FI-405,AI-12\n2026-10-01 00:00,50.05,7.1\n")
    path = written(
        tmp_path,
        """
        [[table]]
        layout = "wide"
        [table.columns]
        Stamp = "start"
        FI-405 = { is = "value", parameter = "Flow", unit = "gpm", sample_type = "continuous" }
        AI-12 = "not used"
        """,
    )
    raw = read(tmp_path / "scada.csv", template=path)
    assert told(raw, "parameter", "unit", "sample_type") == {"B2": ("50.05", "Flow", "gpm", "continuous")}


def test_a_template_that_does_not_fit_is_said(tmp_path):
    path = written(tmp_path, '[[table]]\n[table.columns]\n"Result X" = "value"\n')
    raw = sheet(tmp_path, WIDE, template=path)
    assert len(raw.values) == 2
    assert any("does not fit: the sheet has no column 'Result X'" in note for note in raw.understood["note"])


def test_all_faults_of_a_template_at_once(tmp_path):
    path = written(tmp_path, '[[table]]\nlayout = "tall"\ndates = "us"\nheder = 3\n[table.columns]\nA = "amount"\n')
    with pytest.raises(UsageError) as caught:
        read(workbook(tmp_path / "a.xlsx", WIDE), template=path)
    for fault in ("no key 'heder'", "not 'tall'", "not 'us'", "is no 'amount'", "no column is the value"):
        assert fault in str(caught.value)


def test_missing_or_broken_template(tmp_path):
    made = workbook(tmp_path / "a.xlsx", WIDE)
    with pytest.raises(FileError, match="cannot be opened"):
        read(made, template=tmp_path / "none.toml")
    with pytest.raises(FileError, match="no TOML"):
        read(made, template=written(tmp_path, "[[table"))


def test_nothing_to_learn_from(tmp_path):
    raw = sheet(tmp_path, [["a remark"]])
    with pytest.raises(UsageError, match="nothing to learn"):
        learn(raw.understood, tmp_path / "lab.toml")


def test_stacked_tables_learnt_are_read_once_each(tmp_path):
    raw = sheet(tmp_path, [*WIDE, [], ["Sample Date", "Analyte", "Result", "Units"], [DAY, "Lead", 0.3, "mg/L"]])
    learn(raw.understood, tmp_path / "lab.toml")
    again = read(tmp_path / "made.xlsx", template=tmp_path / "lab.toml")
    assert told(raw, "parameter", "unit", "qualifier") == told(again, "parameter", "unit", "qualifier")
    assert len(again.values) == len(raw.values) == 3


def test_a_draft_for_a_sheet_without_headings(tmp_path):
    """It is never read by the look of its cells; a person corrects what `--learn` writes, and it is read by that."""
    path = tmp_path / "lims.csv"
    path.write_text("1001,01/02/2026,08:30,CU,0.5,MG/L,200.8\n1001,01/02/2026,08:30,ZN,<0.1,MG/L,200.8\n")
    raw = read(path)
    assert raw.sheets["layout"].tolist() == ["none"]
    learn(raw.understood, tmp_path / "lab.toml")
    assert "must be checked" in (tmp_path / "lab.toml").read_text()
    again = read(path, template=tmp_path / "lab.toml")
    assert told(again, "sample_id", "parameter", "unit", "start", "start_time") == {
        "E1": ("0.5", "1001", "CU", "MG/L", "01/02/2026", "08:30"),
        "E2": ("<0.1", "1001", "ZN", "MG/L", "01/02/2026", "08:30"),
    }


def test_a_sheet_of_remarks_has_no_draft(tmp_path):
    raw = sheet(tmp_path, [["to whom", "it may", "concern"], ["we", "regret", "that"]])
    with pytest.raises(UsageError, match="nothing to learn"):
        learn(raw.understood, tmp_path / "lab.toml")
