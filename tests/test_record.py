"""The record: append only, the same file twice without effect, consistent after a kill."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from pretreat import columns, record
from pretreat.errors import FileError

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
    assert held.results.columns.tolist() == list(columns.TABLES["results"])
    assert held.results["start"].tolist() == [pd.Timestamp("2026-10-07")] * 3
    assert held.results["end"].isna().all()
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
    with sqlite3.connect(other) as database:
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
