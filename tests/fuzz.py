"""A fuzzer over the reader: no traceback, no hang, no value used twice, none lost.

    python tests/fuzz.py [COUNT] [--seed SEED] [--keep FOLDER]

Workbooks (.xlsx, .xls, .ods) and text files are made from sound sheets and spoiled at three levels: cells (before they are
written), the parts inside a workbook's zip (which stays a zip), and bytes of the finished file. What is read is held against
four laws (`faults`). Every input can be made again from the seed and its number; `--keep` keeps those that break a law.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
import signal
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from xml.sax.saxutils import escape

import openpyxl
import pandas as pd

import pretreat
from pretreat.errors import PretreatError

SEED = 20261130
LIMIT = 20
"""Seconds that an input may take; two cores shared by eight people took 2 for the slowest."""

Grid = list[list[object]]

KINDS = ("csv", "xlsx", "ods", "xls")
LEVELS = ("cells", "cells", "parts", "bytes")

DAY = datetime(2026, 10, 1, 8)


def sound() -> list[Grid]:
    """Return sheets as laboratories and meters write them, one of each layout."""
    days = [DAY + timedelta(days=n) for n in range(12)]
    wide: Grid = [["Date", "Copper (mg/L)", "Zinc (mg/L)", "pH (SU)"]]
    wide += [[day, f"<{n / 100}" if n % 3 else n / 10, n / 7, 7.1] for n, day in enumerate(days)]
    long: Grid = [["Client", "Field ID", "Collected", "Matrix Type", "Parameter", "Value", "RL", "Unit", "Qual"]]
    names = ("Cadmium", "Chromium", "Copper", "Nickel", "pH", "Oil & Grease")
    long += [
        [
            "Acme Plating",
            f"AP-{n}",
            day,
            "Grab",
            names[n % 6],
            n / 9,
            0.05,
            "SU" if n % 6 == 4 else "mg/L",
            "J" * (n % 5 == 0),
        ]
        for n, day in enumerate(days * 2)
    ]
    down: Grid = [["Acme Plating"], ["Monthly report"], [], ["Parameter", "Units", *days[:5]]]
    down += [[name, "SU" if name == "pH" else "mg/L", *[n / 8 + i for i in range(5)]] for n, name in enumerate(names)]
    beside: Grid = [["Sample Date", "Time", "Copper", "Q", "Zinc", "Q"], ["", "", "ug/L", "", "ug/L", ""]]
    beside += [
        [day.strftime("%m/%d/%Y"), "08:15", 10 * n, "U" if n % 4 == 0 else "", n, ""] for n, day in enumerate(days)
    ]
    beside += [["Average", "", 55, "", 5.5, ""]]
    meter: Grid = [["Timestamp", "pH", "Flow (gpm)"]]
    meter += [[DAY + timedelta(minutes=15 * n), 7 + n % 3 / 10, 20 + n] for n in range(40)]
    two: Grid = [*wide, [], [], ["Outfall 002"], *beside]
    return [wide, long, down, beside, meter, two]


ODD: tuple[object, ...] = (
    "", " ", "<", ">", "<<0.5", "< 0.5", "ND", "BDL", "N/A", "-", "--", "0", "-0.0", "1e400", "1e-400", "nan", "inf", "NaN", "None", "1,234.5",
    "1.234,5", "0,5", "5%", "½", "1/2", "10^6", "=1+1", "=cmd()", "@x", "+1", "'5", "\x00", "\x0b", "\ufeff", "\u200b", "\u202e0.5", "é", "µg/L", "x" * 300,
    "../../x", "<script>alert(1)</script>", "Total", "Average", "Date", "Copper", "mg/L", "TNTC", "99999999999999999999", 0, -1, 1e308, -1e308, 5e-324, True,
    False, 10**15, "13/13/2026", "2026-02-30", "24:00", "0000-00-00", "10/7/26", "31.12.2026", datetime(1900, 1, 1), datetime(9999, 12, 31), datetime(2026, 10, 7),
    "1 of 2", "<0.5 J", "0.5 U", "See note", "void", "line\nbreak", 'quo"te', "a;b", "a\tb", "٣", "١٢٫٥", "７.5", "1 234", "0x10", "1_000", "infinity", "+-5", "<-1",
)  # fmt: skip


def spoiled(grid: Grid, chance: random.Random) -> tuple[Grid, set[tuple[int, int]]]:
    """Return a sheet with some of its cells, rows or columns changed, and where single cells were."""
    rows = [list(row) for row in grid]
    if chance.random() < 0.5:  # single cells alone: the layout stays, so each of them can be looked for afterwards
        changed = set()
        for _ in range(chance.choice((1, 1, 3, 10))):
            row = chance.randrange(len(rows))
            if rows[row]:
                column = chance.randrange(len(rows[row]))
                rows[row][column] = chance.choice(ODD)
                changed.add((row, column))
        return rows, changed
    for _ in range(chance.choice((1, 2, 5))):
        at = chance.randrange(len(rows))
        act = chance.randrange(8)
        if act == 0:
            rows.insert(at, [chance.choice(ODD) for _ in range(chance.randrange(8))])
        elif act == 1 and len(rows) > 1:
            del rows[at]
        elif act == 2:
            rows.insert(at, list(rows[chance.randrange(len(rows))]))
        elif act == 3:
            column = chance.randrange(max(map(len, rows)) or 1)
            rows = [[cell for i, cell in enumerate(row) if i != column] for row in rows]
        elif act == 4:
            column = chance.randrange(max(map(len, rows)) or 1)
            rows = [[*row[:column], chance.choice(ODD), *row[column:]] for row in rows]
        elif act == 5:
            other = chance.randrange(len(rows))
            rows[at], rows[other] = rows[other], rows[at]
        elif act == 6 and rows[at]:
            rows[at] = [chance.choice(ODD) if chance.random() < 0.5 else cell for cell in rows[at]]
        else:
            rows = [*rows[:at], *rows[at:], [], *rows[chance.randrange(len(rows)) :]]
    return rows or [[""]], set()


def as_text(value: object) -> str:
    """Return a cell as a text file holds it."""
    return value.isoformat(sep=" ") if isinstance(value, datetime) else str(value)


def written(grid: Grid, kind: str) -> bytes:
    """Return a sheet as a file of its kind."""
    if kind == "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([as_text(cell) for cell in row] for row in grid)
        return out.getvalue().encode("utf-8")
    return {"xlsx": _xlsx, "ods": _ods, "xls": _xls}[kind](grid)


def _plain(value: object) -> object:
    """Return a cell that the format can hold: XML has no control characters."""
    return openpyxl.cell.cell.ILLEGAL_CHARACTERS_RE.sub("", value) if isinstance(value, str) else value


def _xlsx(grid: Grid) -> bytes:
    book = openpyxl.Workbook()
    for r, row in enumerate(grid, 1):
        for c, value in enumerate(row, 1):
            if value != "":
                cell = book.active.cell(r, c, _plain(value))
                if isinstance(value, str) and value.startswith("="):
                    cell.data_type = "s"  # text, as a laboratory's export writes it
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _xls(grid: Grid) -> bytes:
    import xlwt

    book = xlwt.Workbook()
    sheet = book.add_sheet("Data")
    dated = xlwt.easyxf(num_format_str="YYYY-MM-DD HH:MM")
    for r, row in enumerate(grid):
        for c, value in enumerate(row):
            if value != "":
                plain = str(value) if isinstance(value, int) and abs(value) > 2**53 else _plain(value)
                sheet.write(r, c, plain, dated) if isinstance(value, datetime) else sheet.write(r, c, plain)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _ods(grid: Grid) -> bytes:
    def cell(value: object) -> str:
        if value == "":
            return "<table:table-cell/>"
        if isinstance(value, datetime):
            return f'<table:table-cell office:value-type="date" office:date-value="{value.isoformat()}"><text:p>{value}</text:p></table:table-cell>'
        if isinstance(value, bool):
            said = str(value).lower()
            return f'<table:table-cell office:value-type="boolean" office:boolean-value="{said}"><text:p>{said}</text:p></table:table-cell>'
        if isinstance(value, int | float):
            return f'<table:table-cell office:value-type="float" office:value="{value}"><text:p>{value}</text:p></table:table-cell>'
        return f'<table:table-cell office:value-type="string"><text:p>{escape(str(_plain(value)))}</text:p></table:table-cell>'

    names = ("office", "table", "text")
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names)
    body = "".join(
        f"<table:table-row>{''.join(map(cell, row)) or '<table:table-cell/>'}</table:table-row>" for row in grid
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces} office:version="1.2"><office:body>'
        f'<office:spreadsheet><table:table table:name="Data">{body}</table:table></office:spreadsheet></office:body></office:document-content>'
    )
    manifest = (
        '<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        '<manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>'
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", manifest)
    return out.getvalue()


TOKENS = (
    b"<",
    b">",
    b"&",
    b"&#0;",
    b'"',
    b"/",
    b"]]>",
    b"<!--",
    b"1048576",
    b"XFD1048576",
    b"-1",
    b"99999999999",
    b"\x00",
    b"\xff",
    b"e",
    b"",
)


def bent(data: bytes, chance: random.Random) -> bytes:
    """Return bytes with some flipped, cut out, doubled, or written over."""
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 3, 10, 60))):
        at = chance.randrange(len(out) + 1) if out else 0
        act = chance.randrange(5)
        if act == 0 and out:
            out[min(at, len(out) - 1)] = chance.randrange(256)
        elif act == 1:
            del out[at : at + chance.choice((1, 8, 200))]
        elif act == 2:
            out[at:at] = out[at : at + chance.choice((1, 8, 200))]
        elif act == 3:
            token = chance.choice(TOKENS)
            out[at : at + len(token)] = token
        elif chance.random() < 0.2:
            del out[at:]
    return bytes(out)


def bent_part(data: bytes, chance: random.Random) -> bytes:
    """Return a zip with one of its parts bent, missing, empty, or there twice; what is no zip is bent as it is."""
    if not data.startswith(b"PK"):
        return bent(data, chance)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = [(name, archive.read(name)) for name in archive.namelist()]
    at = chance.randrange(len(parts))
    name, content = parts[at]
    act = chance.randrange(8)
    parts[at : at + 1] = [] if act == 0 else [(name, b"")] if act == 1 else [(name, bent(content, chance))]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts:
            archive.writestr(name, content)
    return out.getvalue()


def faults(samples: pretreat.Samples) -> list[str]:
    """Return which laws of the account what was read breaks.

    No address is used twice, by results and by what is set aside together; each sheet's values seen are those used and
    those set aside, counted one by one; a value in use has text, or a column beside it says that nothing was detected; and a
    number in use is finite.
    """
    said = []
    results, aside = samples.results, samples.set_aside
    place = ["source_file", "source_sheet", "source_cell"]
    both = pd.concat([results[place].astype(str), aside[place].astype(str)])
    if both.duplicated().any():
        said.append(f"used twice: {both[both.duplicated()].iloc[0].tolist()[1:]}")
    for row in samples.sheets.to_dict("records"):
        here = [(frame["source_sheet"].astype(str) == row["source_sheet"]).sum() for frame in (results, aside)]
        if row["values_seen"] != row["values_used"] + row["values_set_aside"]:
            said.append("seen is not used and set aside")
        if row["values_used"] != here[0] or (row["layout"] != "none" and row["values_set_aside"] != here[1]):
            said.append(f"seen {row['values_seen']}, but {here[0]} used and {here[1]} set aside")
    if ((results["value_text"].astype(str).str.strip() == "") & (results["qualifier"] != "<")).any():
        said.append("a value without text")
    if not results["value"].dropna().abs().lt(float("inf")).all():
        said.append("a number without end")
    return said


def lost(before: pretreat.Samples, after: pretreat.Samples, grid: Grid, changed: set[tuple[int, int]]) -> list[str]:
    """Return the values of a sound sheet that are in no account after single cells of it changed, the tables being the same."""
    table = ["layout", "header_row"]
    if before.sheets[table].to_numpy().tolist() != after.sheets[table].to_numpy().tolist():
        return []
    header = {int(number) - 1 for text in before.sheets["header_row"] for number in str(text).split(", ") if number}
    if any(row <= max(header, default=0) + 1 for row, _ in changed):
        return []  # a heading, or a unit beside it, changed: other columns may hold the values now
    said = []
    there = set(after.results["source_cell"]) | set(after.set_aside["source_cell"])
    for cell in [*before.results["source_cell"], *before.set_aside["source_cell"]]:
        row, column = openpyxl.utils.cell.coordinate_to_tuple(cell)
        filled = as_text(_plain(grid[row - 1][column - 1])).strip("\ufeff \t\n\r\x0b\x00\u200b")
        if filled and cell not in there:
            said.append(f"lost: {cell} {grid[row - 1][column - 1]!r}")
    return said


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in a block that takes longer."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"took more than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def one(
    number: int, seed: int, folder: Path, known: dict[tuple[int, str], pretreat.Samples]
) -> tuple[str, list[str], bytes, str]:
    """Make input `number`, read it, and return what came of it, the laws it breaks, its bytes and its kind."""
    chance = random.Random(f"{seed} {number}")
    kind, level = chance.choice(KINDS), chance.choice(LEVELS)
    sheets = sound()
    which = chance.randrange(len(sheets))
    grid, changed = sheets[which], set()
    if level == "cells":
        grid, changed = spoiled(grid, chance)
    data = written(grid, kind)
    if level == "parts":
        data = bent_part(data, chance)
    elif level == "bytes":
        data = bent(data, chance)
    path = folder / f"input.{kind}"
    path.write_bytes(data)
    try:
        with within(LIMIT):
            samples = pretreat.read_samples(path)
    except PretreatError as error:
        line = str(error)
        return "refused", [] if "\n" not in line and path.name in line else [f"no clear line: {line!r}"], data, kind
    except Exception:  # noqa: BLE001 - whatever escapes is what is looked for
        return "broke", [traceback.format_exc(limit=-4)], data, kind
    said = faults(samples)
    if changed:
        if (which, kind) not in known:
            path.write_bytes(written(sheets[which], kind))
            known[which, kind] = pretreat.read_samples(path)
        said += lost(known[which, kind], samples, grid, changed)
    return "read", said, data, kind


def run(count: int, seed: int = SEED, keep: Path | None = None, first: int = 0) -> tuple[Counter[str], list[str]]:
    """Read `count` inputs; return how many were read, refused and broke, and each broken law with its input's number."""
    outcomes: Counter[str] = Counter()
    said: list[str] = []
    known: dict[tuple[int, str], pretreat.Samples] = {}
    with tempfile.TemporaryDirectory() as place:
        for number in range(first, first + count):
            outcome, laws, data, kind = one(number, seed, Path(place), known)
            outcomes[outcome] += 1
            said += [f"input {number} ({kind}): {law}" for law in laws]
            if laws and keep is not None:
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{number}.{kind}").write_bytes(data)
    return outcomes, said


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", nargs="?", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    begin = time.perf_counter()
    outcomes, said = run(asked.count, asked.seed, asked.keep, asked.first)
    for line in said:
        sys.stdout.write(f"{line}\n")
    told = ", ".join(f"{number:,} {outcome}" for outcome, number in sorted(outcomes.items()))
    sys.stdout.write(
        f"{asked.count:,} inputs from {asked.first}, seed {asked.seed}: {told}; {len(said)} broken laws; "
        f"{time.perf_counter() - begin:.0f} s\n"
    )
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
