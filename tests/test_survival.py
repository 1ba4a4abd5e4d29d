"""Output survives, through the whole `pretreat check` command: really killed, two at once, a disk that is really full."""

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result
from processes import Run, ran

from pretreat import cli, record

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills by signal")

MOUNT, UMOUNT = shutil.which("mount"), shutil.which("umount")
OPTIONS = ["--limits", "ny/little-valley", "--as-of", "2026-11-30"]


@pytest.fixture(scope="module")
def sheets(tmp_path_factory) -> tuple[Path, Path]:
    """Two months of one user's results, which make two different reports."""
    place = tmp_path_factory.mktemp("sheets")
    for month in ("09", "10"):
        frame = pd.DataFrame({"start": pd.date_range(f"2026-{month}-01 08:00", periods=20, freq="D")})
        frame = frame.assign(
            facility="Acme Plating", parameter="Copper", value=range(20), unit="mg/L", sample_type="grab"
        )
        frame.to_csv(place / f"{month}.csv", index=False)
    return place / "09.csv", place / "10.csv"


def command(sheet: Path, out: Path, *more: str) -> list[str]:
    return ["check", str(sheet), *OPTIONS, "--out", str(out), *more]


def here(sheet: Path, out: Path, *more: str) -> Result:
    """The same command in this process, where it is no matter which."""
    return CliRunner().invoke(cli.main, command(sheet, out, *more), catch_exceptions=False)


def digest(folder: Path) -> str:
    """One hash of every table of a report; the workbook, the page and the marker must be there and end as they should."""
    names = sorted(p.name for p in (folder / "tables").iterdir())
    assert len(names) == 14, names
    assert (folder / "report.html").read_bytes().rstrip().endswith(b"</html>")
    assert b"PK\x05\x06" in (folder / "report.xlsx").read_bytes()[-100:]
    assert (folder / "provenance.json").read_bytes().rstrip().endswith(b"}")
    return hashlib.sha256(b"".join((folder / "tables" / name).read_bytes() for name in names)).hexdigest()


def put_back(out: Path) -> Path:
    return out if out.exists() else out.with_name(f"{out.name}.previous")


def killed(sheets: tuple[Path, Path], out: Path, times: int, seed: int) -> dict[str, int]:
    """Kill the command at random moments, many of them while it writes; DIR, or DIR.previous, is whole each time."""
    chance = random.Random(seed)
    whole = []
    for sheet in sheets:
        begin = time.perf_counter()
        ran(command(sheet, out))
        took = time.perf_counter() - begin
        whole.append(digest(out))
    assert whole[0] != whole[1]
    counts = {"killed": 0, "while writing": 0, "ended": 0}
    for turn in range(times):
        run = Run(command(sheets[turn % 2], out))
        work = out.with_name(f".{out.name}.pretreat")
        if turn % 3:  # two in three while the report is written, or while the sets change places
            while run.running() and not work.exists():
                time.sleep(0.002)
            time.sleep(chance.choice((0.0, 0.01, chance.uniform(0, took / 2))))
        else:
            time.sleep(chance.uniform(0, took))
        writing = work.exists()
        code = run.kill()
        assert code in (0, -signal.SIGKILL)
        counts["ended" if code == 0 else "killed"] += 1
        counts["while writing"] += code != 0 and writing
        assert digest(put_back(out)) in whole, turn
    ran(command(sheets[0], out))
    assert digest(out) == whole[0]
    assert [p.name for p in out.parent.iterdir()] == [out.name], "a run that ends clears what killed ones left"
    return counts


def test_killed_at_random_moments_the_report_is_whole(tmp_path, sheets):
    counts = killed(sheets, tmp_path / "report", 6, seed=1)
    assert counts["while writing"] >= 2, counts


@pytest.mark.slow
def test_killed_at_a_hundred_random_moments_the_report_is_whole(tmp_path, sheets):
    counts = killed(sheets, tmp_path / "report", 100, seed=20261130)
    sys.stderr.write(f"\nkill test: {counts}\n")
    assert counts["killed"] >= 80, counts
    assert counts["while writing"] >= 40, counts


def test_of_two_runs_at_once_each_ends_or_is_told(tmp_path, sheets):
    out = tmp_path / "report"
    place = tmp_path / "place"
    place.mkdir()
    out, texts = place / "report", [tmp_path / "one.txt", tmp_path / "other.txt"]
    runs = [Run(command(sheet, out), text) for sheet, text in zip(sheets, texts, strict=True)]
    codes = [run.wait() for run in runs]
    said = [text.read_text(encoding="utf-8") for text in texts]
    assert 0 in codes
    for code, line in zip(codes, said, strict=True):
        assert code in (0, 2)
        assert code == 0 or ("another run of pretreat" in line and line.count("\n") == 1)
    digest(out)
    assert [p.name for p in place.iterdir()] == ["report"]


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 100 kB, too small for a report."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        [MOUNT, "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(disk)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("needs the right to mount a tmpfs")
    yield disk
    subprocess.run([UMOUNT, str(disk)], check=True)  # which fails while a file there is open, as Windows would


@pytest.mark.skipif(not (MOUNT and UMOUNT), reason="needs mount")
def test_on_a_disk_that_is_full_the_old_report_stays(small_disk, sheets):
    out = small_disk / "report"
    few = ["--tables", "exceedances,counts"]
    assert here(sheets[0], out, *few).exit_code == 0
    before = {p.name: p.read_bytes() for p in out.rglob("*") if p.is_file()}
    done = here(sheets[1], out)
    assert done.exit_code == 2
    assert "the disk is full" in done.stderr
    assert done.stderr.count("\n") == 1
    assert {p.name: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before
    assert [p.name for p in small_disk.iterdir()] == ["report"]
    assert here(sheets[1], out, *few).exit_code == 0  # and there is room for the next one


@pytest.mark.skipif(not (MOUNT and UMOUNT), reason="needs mount")
def test_on_a_disk_that_is_full_the_record_stays_as_it_was(small_disk, sheets):
    path = small_disk / "program.sqlite"
    first = here(sheets[0], small_disk / "a", "--record", str(path), "--tables", "counts")
    assert first.exit_code == 0, first.stderr
    held = record.load(path)
    (small_disk / "filler").write_bytes(bytes(max(0, shutil.disk_usage(small_disk).free - 8192)))
    done = here(sheets[1], small_disk / "b", "--record", str(path), "--tables", "counts")
    assert done.exit_code == 2, done
    assert done.stderr.count("\n") == 1
    (small_disk / "filler").unlink()
    again = record.load(path)
    assert again.files == held.files
    pd.testing.assert_frame_equal(again.results, held.results)


def test_killed_while_it_records_the_record_is_consistent(tmp_path, sheets):
    path, chance = tmp_path / "program.sqlite", random.Random(3)
    for turn in range(5):
        big = tmp_path / f"{turn}.csv"
        days = pd.date_range("2016-01-01 08:00", periods=3000, freq="D")
        frame = pd.DataFrame(
            {"facility": "Acme", "parameter": "Copper", "value": 0.1 + turn, "unit": "mg/L", "start": days}
        )
        frame.to_csv(big, index=False)
        run = Run(command(big, tmp_path / "out", "--record", str(path), "--tables", "counts"))
        while run.running() and not path.exists():
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.5) if turn else 0)
        run.kill()
        if path.exists() and path.stat().st_size:
            held = record.load(path)
            counts = held.results.groupby("source_file", observed=True).size()
            assert len(counts) == len(held.files)
            assert (counts == 3000).all()
    done = here(sheets[0], tmp_path / "out", "--record", str(path), "--tables", "counts")
    assert done.exit_code == 0, done.stderr
    assert record.load(path).files[-1][0].endswith("09.csv")
