"""The terminal: who exceeded what, what is not known, what to do next; plain text where it is no terminal."""

import io
from types import SimpleNamespace

import pandas as pd
import pytest
from made_review import PLATER, empty_review, made_review

from pretreat.report import terminal


class Tty(io.StringIO):
    def isatty(self):
        return True


def printed(review, **how):
    file = io.StringIO()
    terminal.summary(review, file=file, **how)
    return file.getvalue()


@pytest.fixture(scope="module")
def review():
    return made_review()


def test_every_exceedance_is_named_with_its_section_and_how_far_over(review):
    text = printed(review)
    lines = text.splitlines()
    assert lines[0] == "Period 2026-07-01 to 2026-10-31: 3 users, 19 exceedances, 3 undetermined"
    for each in (
        review.tables["exceedances"].drop_duplicates(["facility", "parameter", "statistic", "bound"]).itertuples()
    ):
        assert any(each.parameter in line and each.statistic in line and each.cite in line for line in lines), each
    zinc = next(line for line in lines if "Zinc" in line and "24-hour" in line)
    assert "13 %" in zinc
    assert "2.7 mg/L" in zinc
    assert f"{PLATER}, outfall 001" in lines


def test_what_is_not_known_and_what_to_do_next(review):
    text = " ".join(printed(review, folder="report").split())
    for part in (
        "30-day average is left open",
        "1 result cannot be judged",
        "15 limits without a result: no results 12",
        "5 values set aside: error cell 1, not a number 1, quality control 1",
        "2 exceedances outside this period",
        "water_fluoridated",
        "Next:",
        "1 duty is late",
        "Written: report",
    ):
        assert part in text


def test_colour_only_on_a_terminal_and_not_with_no_color(review, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" not in printed(review)
    file = Tty()
    terminal.summary(review, file=file)
    assert "\x1b[" in file.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    file = Tty()
    terminal.summary(review, file=file)
    assert "\x1b[3" not in file.getvalue()


def test_nothing_is_said_as_such():
    assert printed(empty_review()) == "0 users, 0 exceedances, 0 undetermined\nNothing exceeds a limit.\n"


def test_text_of_the_input_is_no_markup_of_the_terminal():
    review = made_review()
    for name, frame in review.tables.items():
        if "facility" in frame:
            review.tables[name] = frame.replace({"facility": {PLATER: "[bold red]A[/bold red] [/]"}})
    assert "[bold red]A[/bold red] [/]" in printed(review)


def test_how_sheets_were_understood(review):
    samples = SimpleNamespace(
        sheets=review.tables["sheets"],
        set_aside=review.tables["set_aside"],
        findings=review.tables["findings"],
        understood=pd.DataFrame({"file": ["a.xlsx"], "column": ["G"], "heading": ["Result"], "taken for": ["value"]}),
    )
    file = io.StringIO()
    terminal.understood(samples, file=file)
    for part in ("elk-creek-plating.xlsx", "long", "171", "Result", "error cell", "no limit for this result"):
        assert part in file.getvalue()


def test_cells_set_aside_are_named_with_what_each_of_them_says():
    row = {"source_file": "a.xlsx", "source_sheet": "R", "reason": "no number"}
    texts = ["ppb", "see note", "?", "lost"]
    aside = pd.DataFrame(
        [{**row, "source_cell": f"D{n}", "text": t, "message": f"the cell says {t!r}"} for n, t in enumerate(texts, 2)]
        + [{**row, "source_cell": "E9", "text": "4", "reason": "no unit", "message": "write it"}]
    )
    sheets = pd.DataFrame({"source_file": ["a.xlsx"], "values_seen": [9]})
    file = io.StringIO()
    terminal.understood(
        SimpleNamespace(sheets=sheets, understood=sheets[:0], set_aside=aside, findings=sheets[:0]), file=file
    )
    text = file.getvalue()
    for shown in ("a.xlsx!R!D2 (ppb)", "a.xlsx!R!D4 (?)", "the cell says 'see note'", "and 1 more", "a.xlsx!R!E9 (4)"):
        assert shown in text
    assert "D5" not in text
