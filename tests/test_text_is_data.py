"""Text from a laboratory's sheet is data: through the whole command, into tables, workbook, page and folders of each user."""

import csv
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from click.testing import CliRunner
from shared import SHARED, needs_shared

import pretreat
from pretreat import cli
from pretreat.report import users

NAMES = [
    "../../escape",
    "/etc/passwd",
    "C:\\Windows\\x",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(2)</script>",
    "{{ 7*7 }}{% raise %}",
    "=cmd()|'/C calc'!A0",
    "+1+1",
    "@SUM(1)",
    "-2+3",
    "\t=1+1",
    "CON",
    "nul.txt",
    "LPT1",
    "..",
    ".",
    "a" * 300,
    "Ünïcödé & Söns\u202e",
    "trailing. ",
    'quo"te, comma',
    "line\nbreak",
    "bell\x07 and\x0bmore",
    "NUL\x00inside",
    "javascript:alert(3)",
    "file:///etc/passwd",
    "http://example.org/",
]


FEW = [name for name in NAMES if name[:3] in {"../", "<sc", "=cm", "CON", "NUL"}]
"""One of each kind, since a report of each user takes a second."""


class Page(HTMLParser):
    """What a browser would make of a page: scripts, attributes that run, and where links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.bad: list[str] = []
        self._in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_script = tag == "script"
        for name, value in attrs:
            if name.startswith("on") or (name in {"href", "src"} and not re.match(r"#|data:|$", value or "")):
                self.bad.append(f"<{tag} {name}={value!r}>")
        if tag in {"img", "iframe", "object", "embed", "base", "link"}:
            self.bad.append(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts.append(data)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder that the command wrote into, and everything beside it."""
    place = tmp_path_factory.mktemp("hostile")
    frame = pd.DataFrame(
        {
            "facility": FEW,
            "parameter": "Copper",
            "value": 99.0,
            "unit": "mg/L",
            "start": pd.Timestamp("2026-10-07 08:00"),
            "sample_type": "grab",
            "sample_id": [f"=HYPERLINK({n})" for n in range(len(FEW))],
            "outfall": [f"<b>{n}</b>" for n in range(len(FEW))],
            "method": "=1+1",
            "lab": "<script>alert(4)</script>",
            "flags": "@J",
        }
    )
    path = place / "=in <b>.csv"
    frame[~frame["facility"].str.contains("\0")].to_csv(path, index=False)
    arguments = [
        "check",
        str(path),
        "--limits",
        "ny/little-valley",
        "--as-of",
        "2026-11-30",
        "--out",
        str(place / "out" / "report"),
    ]
    arguments += ["--per-facility"]
    done = CliRunner().invoke(cli.main, arguments)
    assert done.exit_code == 0, (done.output, done.exception)
    return place


def test_nothing_is_written_outside_the_folder_and_every_user_has_one(made):
    assert sorted(p.name for p in made.iterdir()) == ["=in <b>.csv", "out"]
    assert [p.name for p in (made / "out").iterdir()] == ["report"]
    report = made / "out" / "report"
    assert {p.name for p in report.iterdir()} <= {"provenance.json", "report.html", "report.xlsx", "tables", "users"}
    folders = list((report / "users").iterdir())
    assert len({p.name.casefold() for p in folders}) == len(folders) == used(report)
    for folder in folders:
        assert sorted(p.name for p in folder.iterdir()) == ["report.html", "report.xlsx"]
        assert re.fullmatch(r"[\w .&()-]{1,70}", folder.name)
        assert not re.fullmatch(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", folder.name, re.IGNORECASE)
        assert folder.name[-1] not in ". "
        assert folder.name[0] != "."


def test_every_name_makes_a_folder_name_of_its_own():
    taken: set[str] = set()
    for name in [*NAMES, *NAMES]:
        made_name = users.folder_name(name, taken)
        assert re.fullmatch(r"[\w .&()-]{1,70}", made_name)
        assert made_name.casefold() not in taken
        assert made_name.strip(". ") == made_name
        assert not re.fullmatch(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", made_name, re.IGNORECASE)
        taken.add(made_name.casefold())


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def used(report: Path) -> int:
    return len({row["facility"] for row in rows(report / "tables" / "results.csv")})


def test_no_value_is_lost_for_its_name(made):
    report = made / "out" / "report"
    [sheet] = rows(report / "tables" / "sheets.csv")
    assert int(sheet["values_seen"]) == len(FEW) - 1
    assert int(sheet["values_used"]) == len(rows(report / "tables" / "results.csv")) >= len(FEW) - 2
    assert len(rows(report / "tables" / "exceedances.csv")) >= len(FEW) - 2


def test_no_cell_of_a_csv_is_a_formula(made):
    number = re.compile(r"[+-]?(\d+\.?\d*|\.\d+|inf)([eE][+-]?\d+)?")
    for path in (made / "out" / "report" / "tables").glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            for record in csv.reader(file):
                for cell in record:
                    assert cell[:1] not in ("=", "+", "-", "@", "\t", "\r") or number.fullmatch(cell), (path.name, cell)


def workbooks(made: Path) -> list[Path]:
    return sorted((made / "out" / "report").rglob("report.xlsx"))


def test_no_cell_of_a_workbook_is_a_formula_that_a_sheet_brought_in(made):
    for path in [workbooks(made)[0], *workbooks(made)[-3:]]:
        book = openpyxl.load_workbook(path)
        for sheet in book:
            for row in sheet.iter_rows():
                for cell in row:
                    if cell.data_type == "f":
                        assert not re.search(r"cmd|calc|HYPERLINK\(\d|SUM\(1\)", str(cell.value)), cell.value
                        assert str(cell.value) not in {"=1+1", "=+1+1", "=-2+3"}
                    assert cell.hyperlink is None or not (cell.hyperlink.target or "").startswith(
                        ("http", "file", "javascript", "/")
                    )


def test_no_page_runs_or_fetches_what_a_sheet_said(made):
    pages = sorted((made / "out" / "report").rglob("report.html"))
    assert len(pages) == used(made / "out" / "report") + 1
    own = None
    for path in pages:
        page = Page()
        text = path.read_text(encoding="utf-8")
        page.feed(text)
        assert page.bad == [], (path, page.bad[:3])
        own = own or page.scripts
        assert not any(
            re.search(r"alert\(\d\)\s*[<;]?", script) and "\\u003c" not in script and "<script" in script
            for script in page.scripts
        )
        assert "\x00" not in text
        assert "49{%" not in text, "a template in a name was run"


@needs_shared
def test_the_report_holds_what_the_interface_asks(made):
    done = subprocess.run(
        [sys.executable, str(SHARED / "conformance.py"), str(made / "out" / "report")],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_parquet_file_may_hold_what_no_text_file_can(tmp_path):
    # NUL and other control characters: the tables keep them, the workbook and the page cannot and say so with a sign.
    frame = pd.DataFrame(
        {
            "facility": ["NUL\0inside", "bell\x07", "\x1b[31mred", "\ud800"[:0] + "half"],
            "parameter": "Copper",
            "value": 99.0,
            "unit": "mg/L",
        }
    )
    frame["start"] = pd.Timestamp("2026-10-07 08:00")
    path, report = tmp_path / "a.parquet", tmp_path / "report"
    frame.to_parquet(path)
    done = CliRunner().invoke(
        cli.main, ["check", str(path), "--limits", "ny/little-valley", "--as-of", "2026-11-30", "--out", str(report)]
    )
    assert done.exit_code == 0, (done.output, done.exception)
    assert "\0" not in done.output
    assert "\x1b[31m" not in done.output
    assert set(pd.read_parquet(report / "tables" / "results.parquet")["facility"]) == set(frame["facility"])
    assert "\0" not in (report / "report.html").read_text(encoding="utf-8")
    assert openpyxl.load_workbook(report / "report.xlsx").sheetnames


def test_a_plot_and_an_explanation_take_any_name():
    import matplotlib

    matplotlib.use("agg")
    frame = pd.DataFrame(
        {
            "facility": ["$\\frac{", "<b>"],
            "parameter": "Copper",
            "value": 99.0,
            "unit": "mg/L",
            "start": pd.Timestamp("2026-10-07 08:00"),
        }
    )
    review = pretreat.check(frame, "ny/little-valley", as_of="2026-11-30")
    for name in frame["facility"]:
        axes = review.plot("Copper", name)
        axes.figure.canvas.draw()
        matplotlib.pyplot.close(axes.figure)
    assert "$\\frac{" in review.explain(review.exceedances.set_index("facility")["comparison_id"]["$\\frac{"].iloc[0])
