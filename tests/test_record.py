"""The record: append only, the same file twice without effect, consistent after a kill."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

import pretreat
from pretreat import record
from pretreat.errors import FileError, UsageError

WHEN = pd.Timestamp("2026-11-30T09:00:00")


def tables(file: str, n: int = 3) -> dict[str, pd.DataFrame]:
    return {
        "results": pd.DataFrame(
            {
                "facility": "Acme",
                "parameter": "Copper",
                "value": [0.1 * i for i in range(n)],
                "start": pd.to_datetime(["2026-10-07"] * n),
                "source_file": file,
            }
        ),
        "set_aside": pd.DataFrame({"source_file": [file], "text": ["PLUGGED"]}),
        "sheets": pd.DataFrame({"source_file": [file], "values_seen": [n + 1]}),
    }


def test_what_is_recorded_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "program.sqlite"
    assert record.append(path, tables("a.xlsx"), (("a.xlsx", "1"),), who="lab", when=WHEN) == ["a.xlsx"]
    held = record.load(path)
    assert held.results["value"].tolist() == pytest.approx([0.0, 0.1, 0.2])
    assert held.results["start"].tolist() == [pd.Timestamp("2026-10-07")] * 3
    assert set(held.results) == {"facility", "parameter", "value", "start", "source_file"}, "no more than was given"
    assert held.set_aside["text"].tolist() == ["PLUGGED"]
    assert held.files == (("a.xlsx", "1"),)


def test_the_same_file_twice_has_no_effect(tmp_path: Path) -> None:
    path = tmp_path / "program.sqlite"
    record.append(path, tables("a.xlsx"), (("a.xlsx", "1"),), who="lab", when=WHEN)
    before = path.read_bytes()
    assert record.append(path, tables("renamed.xlsx"), (("renamed.xlsx", "1"),), who="lab", when=WHEN) == []
    assert path.read_bytes() == before


def test_a_file_that_is_no_record_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite"
    path.write_text("not a database, but long enough to be looked at as one" * 40)
    with pytest.raises(FileError, match="record"):
        record.load(path)
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as database, database:
        database.execute("CREATE TABLE mine (x)")
    with pytest.raises(FileError, match="not a record"):
        record.load(other)
    with pytest.raises(FileError, match="no such"):
        record.load(tmp_path / "absent.sqlite")


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_after_a_kill_each_import_is_whole_or_absent(tmp_path: Path) -> None:
    path = tmp_path / "program.sqlite"
    code = (
        "import sys, pandas as pd; from pathlib import Path; from pretreat import record; sys.path.insert(0, sys.argv[2])\n"
        "from test_record import tables, WHEN\n"
        "print('ready', flush=True)\n"
        "for i in range(10_000): record.append(Path(sys.argv[1]), tables(f'{i}.xlsx', 500), ((f'{i}.xlsx', str(i)),), who='x', when=WHEN)\n"
    )
    for delay in (0.05, 0.2, 0.4):
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(path), str(Path(__file__).parent)], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        if not path.exists():
            continue
        held = record.load(path)
        counts = held.results.groupby("source_file", observed=True).size()
        assert len(held.files) == len(counts) == len(held.sheets)
        assert (counts == 500).all()


def sheet(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(["Facility,Sample ID,Date,Time,Parameter,Result,Units,Reported By", *rows]) + "\n")
    return path


OCTOBER = (
    "Acme,S-1,10/07/2026,08:30,Copper,<0.5,mg/L,LAB",
    "Acme,S-2,10/08/2026,,Zinc,PLUGGED,mg/L,LAB",
    "Acme,S-3,10/09/2026,09:00,Zinc,9000,ug/L,LAB",
)
NOVEMBER = ("Acme,S-4,11/07/2026,08:30,Copper,3.1,mg/L,LAB",)
LIMITS = "ny/little-valley"


def test_a_record_is_read_like_the_files(tmp_path: Path) -> None:
    paths = [sheet(tmp_path / "oct.csv", *OCTOBER), sheet(tmp_path / "nov.csv", *NOVEMBER)]
    program = tmp_path / "program.sqlite"
    for path in paths:
        assert pretreat.read_samples(path).record(program) == [path.as_posix()]
    files, recorded = pretreat.read_samples(paths), pretreat.read_samples(program)
    for name in ("results", "set_aside", "sheets"):
        left, right = (
            getattr(each, name)
            .astype(object)
            .sort_values(["source_file", "source_sheet"], kind="stable", ignore_index=True)
            for each in (files, recorded)
        )
        pd.testing.assert_frame_equal(left, right, check_dtype=False)
    assert recorded.slim["timed"].tolist() == files.slim["timed"].tolist()
    one, other = (pretreat.check(each, LIMITS, as_of="2026-12-01") for each in (files, recorded))
    for name in ("comparisons", "not_evaluated", "schedule", "findings"):
        pd.testing.assert_frame_equal(
            getattr(one, name).astype(object), getattr(other, name).astype(object), check_dtype=False
        )
    assert [name for name, _ in recorded.inputs][1:] == [path.as_posix() for path in paths]


def test_a_file_and_the_record_that_holds_it_count_once(tmp_path: Path) -> None:
    path, program = sheet(tmp_path / "oct.csv", *OCTOBER), tmp_path / "program.sqlite"
    pretreat.read_samples(path).record(program)
    assert len(pretreat.read_samples([program, path]).results) == 2
    renamed = tmp_path / "copy.csv"
    renamed.write_bytes(path.read_bytes())
    assert len(pretreat.read_samples([program, renamed]).results) == 2
    twin = tmp_path / "twin.sqlite"
    twin.write_bytes(program.read_bytes())
    assert len(pretreat.read_samples([program, twin]).results) == 2


def test_a_log_that_grew_is_recorded_beside_what_it_was(tmp_path: Path) -> None:
    path, program = sheet(tmp_path / "log.csv", *OCTOBER), tmp_path / "program.sqlite"
    pretreat.read_samples(path).record(program)
    sheet(path, *OCTOBER, *NOVEMBER)
    assert pretreat.read_samples(path).record(program) == [f"{path.as_posix()} (import 2)"]
    held = pretreat.read_samples(program)
    assert sorted(held.results["parameter"]) == ["Copper", "Copper", "Zinc"]
    assert held.set_aside["reason"].value_counts().to_dict() == {"same result": 2, "status": 2}
    assert (held.sheets["values_seen"] == held.sheets["values_used"] + held.sheets["values_set_aside"]).all()
    # The file as it is now, beside the record of what it was and is: once too.
    assert len(pretreat.read_samples([path, program]).results) == 3
    sheet(path, *NOVEMBER)
    assert len(pretreat.read_samples([path, program]).results) == 3


def test_who_and_when_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record.getpass, "getuser", lambda: "coordinator")
    program = tmp_path / "program.sqlite"
    pretreat.read_samples(sheet(tmp_path / "oct.csv", *OCTOBER)).record(program)
    with closing(sqlite3.connect(program)) as database, database:
        who, at = database.execute("SELECT who, at FROM imports").fetchone()
    database.close()
    assert who == "coordinator"
    assert abs(pd.Timestamp(at) - pd.Timestamp.now()) < pd.Timedelta(minutes=5)


def test_a_name_that_is_no_records_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="sqlite"):
        record.usable(tmp_path / "report.xlsx")
    with pytest.raises(FileError, match="folder"):
        record.usable(tmp_path / "nowhere" / "program.sqlite")
