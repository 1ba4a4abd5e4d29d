"""Time pretreat beside what an analyst would run instead, whole processes in turn, and print the ratios.

    python benchmarks/run.py [A B C ...] [--runs N]

Needs `pip install duckdb xlsxwriter psutil`, and the scripts of `../shared/bench` beside this clone: rows that need what is absent are
left out with the reason. Ratios are medians of pairs run one after the other, so that a machine whose speed drifts is fair to both;
beside the time on the clock stands that of the processor, which other work on the machine disturbs less.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
BENCH = ROOT.parent / "shared" / "bench"
PYTHON = sys.executable
PRETREAT = [PYTHON, "-m", "pretreat.cli"]
PLAIN_OPEN = "import pandas; pandas.read_excel({path!r}, engine='openpyxl')"
STATEMENT_A = "--limits ny/little-valley --no-federal --nondetects half --set thirty_day=consecutive"


@dataclass(frozen=True)
class Run:
    """One finished process: seconds on the clock and of the processor, and the peak of its memory [MB]."""

    seconds: float
    cpu: float
    megabytes: float


def run(command: list[str]) -> Run:
    """Run a command to its end, with its output kept from the screen; a failure stops the benchmark."""
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, cwd=ROOT, env=_environment())
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        if os.waitstatus_to_exitcode(status) not in (0, 1):
            output.seek(0)
            raise SystemExit(f"{' '.join(command)}\n{output.read().decode()[-2000:]}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _environment() -> dict[str, str]:
    """Return the environment of a run: modules are compiled once, as they are where a package is installed."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def pair(
    name: str, ours: list[str], theirs: list[str], goal: str, runs: int, before: Callable[[], None] = lambda: None
) -> None:
    """Run two commands in turn and print the medians of each and of their ratios."""
    before()
    run(ours)  # compiles modules, and brings the input into the machine's memory
    first: list[Run] = []
    second: list[Run] = []
    for _ in range(runs):
        before()
        first.append(run(ours))
        second.append(run(theirs))
    pairs = list(zip(first, second, strict=True))
    ratio = statistics.median(a.seconds / b.seconds for a, b in pairs)
    cpu = statistics.median(a.cpu / b.cpu for a, b in pairs)
    memory = statistics.median(a.megabytes / b.megabytes for a, b in pairs)
    print(
        f"| {name} | {statistics.median(r.seconds for r in first):.2f} s | {statistics.median(r.seconds for r in second):.2f} s "
        f"| **{ratio:.2f}** | {cpu:.2f} | {goal} | {statistics.median(r.megabytes for r in first):.0f} MB | {memory:.2f} |",
        flush=True,
    )


def make(folder: Path, script: str, *arguments: str) -> Path:
    """Make an input with a script of the bench folder, once; its last argument is the file's name."""
    path = folder / arguments[-1]
    if not path.exists():
        subprocess.run([PYTHON, str(BENCH / script), *arguments[:-1], str(path)], check=True, stdout=subprocess.DEVNULL)
    return path


def results_a(folder: Path, runs: int) -> None:
    """Row A: averages and verdicts of ten million results, against averages alone in DuckDB."""
    path = make(folder, "make_results.py", "2300", "365", "results.parquet")
    check = [
        *PRETREAT,
        "check",
        str(path),
        *STATEMENT_A.split(),
        "--tables",
        "exceedances,undetermined,counts",
        "--out",
        str(folder / "a"),
    ]
    pair(
        "A 10,074,000 results",
        check,
        [PYTHON, str(BENCH / "averages_duckdb.py"), str(path)],
        "1, then 0.75; memory 1.5",
        runs,
    )


def results_a_scaling(folder: Path, runs: int) -> None:
    """Row A10: ten times the results of a tenth of A."""
    small, large = (
        make(folder, "make_results.py", users, "365", f"results{users}.parquet") for users in ("230", "2300")
    )
    tables = ["--tables", "exceedances,undetermined,counts"]
    ours = [*PRETREAT, "check", str(large), *STATEMENT_A.split(), *tables, "--out", str(folder / "a10")]
    pair(
        "A ten times a tenth",
        ours,
        [*PRETREAT, "check", str(small), *STATEMENT_A.split(), *tables, "--out", str(folder / "a1")],
        "11",
        runs,
    )


def results_all(folder: Path, runs: int) -> None:
    """Row A*: the same with intervals and all tables, reported only."""
    path = make(folder, "make_results.py", "2300", "365", "results.parquet")
    ours = [*PRETREAT, "check", str(path), "--limits", "ny/little-valley", "--out", str(folder / "all")]
    pair("A, intervals, all tables", ours, [PYTHON, str(BENCH / "averages_duckdb.py"), str(path)], "reported", runs)


def workbook_b(folder: Path, runs: int) -> None:
    """Row B: a lab workbook of 100,740 results to a full report, against merely opening it."""
    path = make(folder, "make_results.py", "23", "365", "results.xlsx")
    ours = [*PRETREAT, "check", str(path), "--limits", "ny/little-valley", "--out", str(folder / "b")]
    pair("B workbook to report", ours, [PYTHON, "-c", PLAIN_OPEN.format(path=str(path))], "1", runs)


def slugs_c(folder: Path, runs: int) -> None:
    """Row C: slugs on 10.5 million readings."""
    path = make(folder, "make_series.py", "20", "series.parquet")
    ours = [
        *PRETREAT,
        "check",
        str(path),
        "--limits",
        "ny/little-valley",
        "--no-federal",
        "--set",
        "reading=mean",
        "--set",
        "baseline=all",
    ]
    pair(
        "C slugs, 10.5 million readings",
        [*ours, "--tables", "slugs", "--out", str(folder / "c")],
        [PYTHON, str(BENCH / "slugs_duckdb.py"), str(path)],
        "1",
        runs,
    )


SLUGS_IN_ONE = """
import contextlib, io, runpy, statistics, sys, time
import duckdb, pandas as pd, pretreat
path, script, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
def found(samples):
    told = {"reading": "mean", "baseline": "all"}
    slugs = pretreat.check(samples, "ny/little-valley", federal=False, settings=told, tables=["slugs"]).tables["slugs"]
    return len(slugs), int((slugs["verdict"] == "exceeds").sum())
def theirs():
    sys.argv = [script, path]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(script, run_name="__main__")
    return out.getvalue()
frame = pd.read_parquet(path)
ways = [lambda: found(pretreat.read_samples([path])), lambda: found(frame), theirs]
said, times = [way() for way in ways], []
for _ in range(runs):
    times.append([])
    for way in ways:
        begin = time.perf_counter()
        way()
        times[-1].append(time.perf_counter() - begin)
file, given, other = (statistics.median(column) for column in zip(*times))
print(said[0], said[1], said[2].strip(), sep="; ")
print(file, given, other, statistics.median(a / c for a, _, c in times), statistics.median(b / c for _, b, c in times))
"""


def slugs_in_one(folder: Path, runs: int) -> None:
    """Row C1: the same in one process, with everything imported: from the file, and from a DataFrame."""
    path = make(folder, "make_series.py", "20", "series.parquet")
    command = [PYTHON, "-c", SLUGS_IN_ONE, str(path), str(BENCH / "slugs_duckdb.py"), str(max(runs, 3))]
    lines = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.splitlines()
    file, given, other, of_file, of_frame = map(float, lines[-1].split())
    for name, seconds, ratio in (("the file", file, of_file), ("a DataFrame", given, of_frame)):
        print(f"| C in one process, from {name} | {seconds:.2f} s | {other:.2f} s | **{ratio:.2f}** | | 1 | | |")
    print(f"<!-- slugs, and those that exceed: {lines[-2]} -->", flush=True)


def help_d(folder: Path, runs: int) -> None:  # noqa: ARG001 - every row takes the same arguments
    """Row D: the help at once."""
    pair("D `pretreat --help`", [*PRETREAT, "--help"], [PYTHON, "-c", "import pandas"], "0.5", max(runs, 5))


def again_e(folder: Path, runs: int) -> None:
    """Row E: a folder of 60 monthly workbooks read again, against the first time."""
    months = folder / "months"
    if not months.exists():
        months.mkdir()
        source = make(folder, "make_results.py", "14", "30", "month.xlsx")
        frame = pd.read_excel(source, engine="calamine")
        time_of = next(name for name in frame if frame[name].dtype.kind == "M")
        for index in range(60):  # each its own month: a file read twice is kept once, and would be read but once
            shifted = frame.assign(**{str(time_of): frame[time_of] + pd.DateOffset(months=index)})
            shifted.to_excel(months / f"month-{index:02}.xlsx", index=False, engine="xlsxwriter")
    caches = [folder / "cold", folder / "warm"]
    command = [PYTHON, "-c", "import sys, pretreat; pretreat.read_samples(sys.argv[1], cache=sys.argv[2])", str(months)]
    run([*command, str(caches[1])])
    pair(
        "E 60 workbooks again",
        [*command, str(caches[1])],
        [*command, str(caches[0])],
        "0.2",
        runs,
        lambda: shutil.rmtree(caches[0], ignore_errors=True),
    )


ROWS = {
    "A": results_a,
    "A10": results_a_scaling,
    "ALL": results_all,
    "B": workbook_b,
    "C": slugs_c,
    "C1": slugs_in_one,
    "D": help_d,
    "E": again_e,
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", default=list(ROWS), help=f"of {', '.join(ROWS)}")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where to keep the inputs between runs")
    options = parser.parse_args()
    if not BENCH.is_dir():
        raise SystemExit("the scripts to compare with (../shared/bench) are not beside this clone")
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    heads = ("work", "pretreat", "the other", "ratio", "ratio of processor time", "goal", "memory", "memory ratio")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name in options.rows:
            ROWS[name](folder, options.runs)


if __name__ == "__main__":
    main()
