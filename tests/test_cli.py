"""The command line as a user meets it: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from shared import ROOT, SHARED, needs_shared

from pretreat.cli import main
from pretreat.columns import TABLES

SAMPLES = ROOT / "samples"
WASH = str(SAMPLES / "glen-park-truck-wash.csv")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


def refused(result: Result, *words: str) -> None:
    """One line on standard error that holds the words, and exit status 2."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    for word in words:
        assert word in result.stderr


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "report"


def test_help_does_not_wait_for_pandas() -> None:
    code = "import sys; sys.argv = ['pretreat', '--help']\nimport pretreat.cli\ntry: pretreat.cli.main()\nexcept SystemExit: pass\nassert not {'pandas', 'numpy', 'matplotlib', 'pint'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0


def test_a_missing_file_is_one_line_and_nothing_is_written(out: Path) -> None:
    refused(run("check", "no-such.xlsx", "--limits", "ny/williamsville", "--out", str(out)), "no-such.xlsx")
    assert not out.exists()


def test_an_unknown_pack_is_one_line_and_nothing_is_written(out: Path) -> None:
    refused(run("check", WASH, "--limits", "ny/atlantis", "--out", str(out)), "ny/atlantis")
    assert not out.exists()


def test_an_empty_workbook_is_one_line(tmp_path: Path, out: Path) -> None:
    path = tmp_path / "empty.xlsx"
    path.write_bytes(b"")
    refused(run("check", str(path), "--limits", "ny/williamsville", "--out", str(out)), "empty.xlsx")
    assert not out.exists()


def test_a_picture_renamed_xlsx_is_one_line(tmp_path: Path, out: Path) -> None:
    path = tmp_path / "photo.xlsx"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    refused(run("check", str(path), "--limits", "ny/williamsville", "--out", str(out)), "photo.xlsx", "picture")
    assert not out.exists()


def test_no_limits_is_one_line() -> None:
    refused(run("check", WASH), "--limits")


def test_a_folder_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taxes.txt").write_text("mine")
    refused(run("check", WASH, "--limits", "ny/williamsville", "--out", str(tmp_path)), tmp_path.name)
    assert [path.name for path in tmp_path.iterdir()] == ["taxes.txt"]


def test_exit_code_tells_the_verdict(tmp_path: Path) -> None:
    assert run("check", WASH, "--limits", "ny/williamsville").exit_code == 0
    assert run("check", WASH, "--limits", "ny/williamsville", "--exit-code").exit_code == 1
    calm = tmp_path / "calm.csv"
    calm.write_text("Facility,Date,Parameter,Result,Units\nAcme,10/07/2026,pH,7.2,SU\n")
    assert run("check", str(calm), "--limits", "ny/williamsville", "--exit-code").exit_code == 0
    doubtful = tmp_path / "doubtful.csv"
    doubtful.write_text("Facility,Date,Parameter,Result,Units\nAcme,10/07/2026,Oil and grease,<200,mg/L\n")
    assert run("check", str(doubtful), "--limits", "ny/williamsville", "--exit-code").exit_code == 3


@needs_shared
def test_the_tables_are_as_the_interface_says_and_the_same_again(out: Path) -> None:
    arguments = (
        "check",
        str(SAMPLES),
        "--limits",
        "ny/little-valley",
        "--limits",
        "ny/williamsville",
        "--as-of",
        "2026-11-30",
        "--facilities",
        str(SAMPLES / "facilities.xlsx"),
    )
    assert run(*arguments, "--out", str(out)).exit_code == 0
    folders = [str(out), str(out.with_name("twin"))]
    assert run(*arguments, "--out", folders[1], "--tables", ",".join(TABLES)).exit_code == 0
    held = subprocess.run(
        [sys.executable, str(SHARED / "conformance.py"), *folders], check=False, capture_output=True, text=True
    )
    assert held.stdout.strip() == "as the interface says"


def test_a_record_is_kept_and_read_like_a_file(tmp_path: Path) -> None:
    program = str(tmp_path / "program.sqlite")
    first = run("read", WASH, "--record", program)
    assert first.exit_code == 0
    assert f"Recorded in {program}: 1 new file." in first.stdout
    again = run("check", WASH, "--limits", "ny/williamsville", "--as-of", "2026-11-30", "--record", program)
    assert f"Recorded in {program}: 0 new files." in again.stdout
    held = run("check", program, "--limits", "ny/williamsville", "--as-of", "2026-11-30")
    assert held.exit_code == 0
    assert held.stdout == "".join(line for line in again.stdout.splitlines(keepends=True) if "Recorded" not in line)


def test_a_record_that_cannot_be_one_is_refused_before_any_work(tmp_path: Path) -> None:
    refused(run("read", WASH, "--record", str(tmp_path / "notes.txt")), "notes.txt", "sqlite")
    other = tmp_path / "other.sqlite"
    other.write_text("not a database, but long enough to be looked at as one" * 40)
    refused(run("check", WASH, "--limits", "ny/williamsville", "--record", str(other)), "other.sqlite")


def test_nothing_is_recorded_by_a_run_that_could_not(tmp_path: Path) -> None:
    program = tmp_path / "program.sqlite"
    refused(run("check", WASH, "--limits", "ny/atlantis", "--record", str(program)), "ny/atlantis")
    assert not program.exists()


def test_a_report_of_each_user_needs_the_whole_report(out: Path) -> None:
    refused(run("check", WASH, "--limits", "ny/williamsville", "--per-facility"), "--per-facility", "--out")
    arguments = ("--limits", "ny/williamsville", "--as-of", "2026-11-30", "--out", str(out), "--per-facility")
    assert run("check", WASH, *arguments).exit_code == 0
    (user,) = (out / "users").iterdir()
    assert sorted(path.name for path in user.iterdir()) == ["report.html", "report.xlsx"]


def test_tables_without_a_place_to_write_them_is_one_line() -> None:
    refused(run("check", WASH, "--limits", "ny/williamsville", "--tables", "counts"), "--tables", "--out")


def test_a_file_that_exists_is_not_written_over_unless_asked(tmp_path: Path) -> None:
    mine = tmp_path / "mine.xlsx"
    mine.write_text("edited by hand")
    for arguments in (("limits", "export", "ny/little-valley", str(mine)), ("read", WASH, "--learn", str(mine))):
        refused(run(*arguments), str(mine), "--overwrite")
        assert mine.read_text() == "edited by hand"
    assert run("limits", "export", "ny/little-valley", str(mine), "--overwrite").exit_code == 0
    assert mine.read_bytes()[:2] == b"PK"


@pytest.mark.parametrize("option", ["facilities", "events", "streams"])
@pytest.mark.parametrize("heads", ["Facility,Sample Date,Analyte,Result,Units", "facility,date,parameter,value,unit"])
def test_a_sheet_of_results_given_as_another_file_is_said_to_be_one(tmp_path: Path, option: str, heads: str) -> None:
    path = tmp_path / "results.csv"
    path.write_text(heads + "\nAcme,2026-10-07,Copper,5,mg/L\nAcme,2026-10-08,Copper,1,mg/L\n")
    found = run("check", WASH, "--limits", "ny/williamsville", f"--{option}", str(path))
    refused(found, "results.csv", f"this is no {option} file", "laboratory results")
