"""What files gave is kept by their hash: the same answer, faster, and nothing lost when the folder is deleted."""

import shutil
import time
from datetime import date, datetime

import pandas as pd
import pytest
from click.testing import CliRunner
from sheets_made import workbook

from pretreat.cli import main
from pretreat.errors import FileError
from pretreat.reading import read

ROWS = [
    ["Client:", "Acme"],
    ["Sample ID", "Sample Date", "Parameter", "Result", "Units"],
    ["00457", datetime(2026, 10, 1, 8, 30), "Copper", 0.1, "mg/L"],
    ["A2", date(2026, 10, 2), "Zinc", "<0.5", "ug/L"],
    [3, "10/03/2026", "pH", 7, "SU"],
    ["Average", None, "pH", 7.1, "SU"],
]


def same(one, other):
    pd.testing.assert_frame_equal(one.values.astype(object), other.values.astype(object))
    for column in one.values.columns:
        assert [type(v) for v in one.values[column]] == [type(v) for v in other.values[column]], column
    pd.testing.assert_frame_equal(one.set_aside, other.set_aside)
    pd.testing.assert_frame_equal(one.sheets, other.sheets)
    pd.testing.assert_frame_equal(one.understood, other.understood)
    assert one.understood.attrs == other.understood.attrs


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    workbook(tmp_path / "in" / "a.xlsx", ROWS, [["a remark"]])
    samples = [["Sample ID", "Date Collected", "Location"], ["A1", datetime(2026, 10, 1), "MH-3"]]
    workbook(tmp_path / "in" / "b.xlsx", samples, [["Sample ID", "Analyte", "Result"], ["A1", "Zinc", 0.5]])
    (tmp_path / "in" / "c.csv").write_text("Date,Copper (mg/L)\n2026-10-01,0.5\n")
    return tmp_path


def test_read_again_is_the_same(folder):
    plain = read(folder / "in")
    first = read(folder / "in", cache=folder / "kept")
    second = read(folder / "in", cache=folder / "kept")
    same(plain, first)
    same(plain, second)
    assert len(list((folder / "kept").glob("*.kept"))) == 4  # one a file, and one of the folder as it is
    (folder / "in" / "e.csv").write_text("Date,Zinc (mg/L)\n2026-11-01,0.5\n")
    same(read(folder / "in"), read(folder / "in", cache=folder / "kept"))
    (folder / "in" / "e.csv").unlink()
    shutil.rmtree(folder / "kept")
    same(plain, read(folder / "in", cache=folder / "kept"))


def test_another_name_or_option_is_not_mixed_up(folder):
    read(folder / "in", cache=folder / "kept")
    shutil.copy(folder / "in" / "c.csv", folder / "in" / "d.csv")
    again = read(folder / "in", cache=folder / "kept", facility="Dairy Co")
    assert again.sheets["source_file"].str.endswith("d.csv").any()
    assert set(again.values.loc[again.values["source_file"].astype(str).str.endswith("d.csv"), "facility"]) == {
        "Dairy Co"
    }
    same(again, read(folder / "in", facility="Dairy Co"))


def test_a_damaged_entry_counts_as_absent(folder):
    plain = read(folder / "in", cache=folder / "kept")
    for number, entry in enumerate(sorted((folder / "kept").iterdir())):
        data = bytearray(entry.read_bytes())
        data[len(data) // 2] ^= 1
        entry.write_bytes((b"", bytes(data), bytes(data[:40]))[number % 3])
    same(plain, read(folder / "in", cache=folder / "kept"))


def test_a_cache_that_cannot_be_made(folder):
    (folder / "taken").write_text("")
    with pytest.raises(FileError, match="the cache cannot be made"):
        read(folder / "in", cache=folder / "taken")


@pytest.mark.slow
def test_reading_sixty_workbooks_again_takes_a_fifth(tmp_path):
    """Issue 5: a cache makes re-reading a folder fast."""
    (tmp_path / "in").mkdir()
    head = ["Facility", "Sample Date", "Parameter", "Result", "Units"]
    for month in range(60):
        rows = [
            ["Acme", datetime(2026, 1 + month % 12, d), p, d / 10, "mg/L"]
            for d in range(1, 29)
            for p in ("Zn", "Cu", "Pb", "Ni")
        ]
        workbook(tmp_path / "in" / f"{month}.xlsx", [head, *rows])
    read(tmp_path / "in", cache=tmp_path / "kept")

    def timed(**options):
        start = time.process_time()
        read(tmp_path / "in", **options)
        return time.process_time() - start

    assert min(timed(cache=tmp_path / "kept") for _ in range(3)) < 0.2 * min(timed() for _ in range(3))


def test_the_cache_of_the_command_line(folder):
    """Where it is, the user says; it is made, used, and can be deleted at any time."""

    def run(*more):
        done = CliRunner().invoke(main, ["read", str(folder / "in"), *more], catch_exceptions=False)
        assert done.exit_code == 0, done.stderr
        return done.stdout

    plain = run()
    kept = folder / "kept"
    assert run("--cache", str(kept)) == plain
    assert len(list(kept.glob("*.kept"))) == 4
    assert run("--cache", str(kept)) == plain
    shutil.rmtree(kept)
    assert run("--cache", str(kept)) == plain
    (folder / "shut").write_text("a file")
    done = CliRunner().invoke(main, ["read", str(folder / "in"), "--cache", str(folder / "shut")])
    assert done.exit_code == 2
    assert "the cache cannot be made" in done.stderr
