"""The workbook for people: the summary first, the detail of what does not comply, summaries of what does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from pretreat import columns
from pretreat.report import content, rules_sheet, snc_sheet, summary_sheet, unanswered_sheet, user_sheets, wording
from pretreat.report.sheets import Book, Column, set_area

if TYPE_CHECKING:
    from pretreat.report import Reviewed

MOST_ROWS: Final = 2000
"""Rows of one sheet; the tables have them all, and the sheet says so."""
MOST_AVERAGES: Final = 300

WHO: Final = (
    Column("User", "facility", 24),
    Column("Outfall", "outfall", 8),
    Column("Parameter", "parameter", 17),
    Column("Fraction", "fraction", 9),
    Column("Average", "statistic", 16),
)
FINDING: Final = (
    Column("User", "facility", 22),
    Column("Outfall", "outfall", 7.5),
    Column("Parameter", "parameter", 15),
    Column("Average", "statistic", 15),
    Column("From", "from", 15.5, "time"),
    Column("Measured, low end", "low", 9.5, "number"),
    Column("Measured, high end", "high", 9.5, "number"),
    Column("Rule", "rule", 9),
    Column("Limit", "limit_low", 8, "number"),
    Column("Limit, other reading", "other", 8, "number"),
    Column("Unit", "unit", 6.5),
)
SECTION: Final = Column("Section", "cite", 16, "wrap")
PACK: Final = Column("Limits of", "pack", 18, printed=False)
WHY: Final = Column("Why", "reason", 27, "wrap")
BEHIND: Final = (
    Column("To", "to", 15.5, "time", printed=False),
    Column("Samples", "n", 8, "count", printed=False),
    Column("Fraction", "fraction", 9, printed=False),
    PACK,
    Column("Cells", "sources", 40, printed=False),
    Column("Id (for pretreat explain)", "comparison_id", 18, printed=False),
)


def write(review: Reviewed, path: Path) -> None:
    """Write the workbook of a review.

    Parameters
    ----------
    review : Reviewed
        The tables, the provenance and the checklist.
    path : Path
        The file to write; the folder exists.

    Examples
    --------
    >>> import tempfile
    >>> from types import SimpleNamespace
    >>> review = SimpleNamespace(tables={}, provenance={}, checklist=pd.DataFrame())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(review, Path(folder) / "report.xlsx")
    """
    path.write_bytes(build(review).whole())  # in one go: nothing is left open when the disk is full


def build(review: Reviewed) -> Book:
    """Return the workbook, sheet by sheet in the order in which it is read."""
    tables, provenance = content.plain(review), review.provenance
    book = Book()
    summary_sheet.add(book, tables, provenance)
    comparisons = content.table(tables, "comparisons")
    _exceedances(book, content.with_also(content.table(tables, "exceedances"), comparisons))
    _undetermined(book, comparisons, content.table(tables, "undetermined"))
    snc_sheet.add(book, tables, provenance.get("settings"))
    _slugs(book, content.table(tables, "slugs"))
    rules_sheet.add(book, tables, (*FINDING[:5], SECTION))
    _averages(book, tables.get("averages", columns.empty("averages")))
    unanswered_sheet.add(book, content.table(tables, "not_evaluated"))
    for sheet in AS_THEY_ARE:
        _as_is(book, tables, *sheet)
    _checklist(book, review.checklist)
    _provenance(book, provenance, content.table(tables, "sheets"))
    user_sheets.add(book, tables)
    book.book.set_properties({"title": "Pretreatment compliance report", "author": "pretreat"})
    return book


def for_sheet(listed: pd.DataFrame) -> pd.DataFrame:
    """Return comparisons with the columns that sheets show: `from`, `to` (its last instant), `rule`, `other`."""
    last = listed["period_end"].where(
        listed["period_end"] <= listed["period_start"], listed["period_end"] - pd.Timedelta("1s")
    )
    whole_days = (listed["period_end"] > listed["period_start"]) & (
        listed["period_end"].dt.normalize() == listed["period_end"]
    )
    return listed.assign(
        **{"from": listed["period_start"]},
        to=last.where(~whole_days, last.dt.normalize()),
        rule=listed["operator"].map(wording.ALLOWED).fillna(""),
        other=listed["limit_high"].where(listed["limit_high"] != listed["limit_low"]),
        unit=[wording.units(unit) for unit in listed["unit"].tolist()],
        facility=listed["facility"].where(listed["facility"] != "", wording.NOBODY),
        reason=[wording.why(reason) for reason in listed["reason"].tolist()],
    )


def _exceedances(book: Book, listed: pd.DataFrame) -> None:
    count = wording.plural(len(listed), "exceedance")
    sheet = book.sheet(
        "Exceedances", "Exceedances", f"{count} of the most stringent limit of each kind. {_cut(listed)}"
    )
    over = Column("% over", "percent_over", 8, "percent")
    columns = (*FINDING, over, SECTION, Column("Also exceeds", "also", 15, "wrap"), WHY, *BEHIND)
    book.table(sheet, 4, columns, for_sheet(listed.head(MOST_ROWS)), main=True)


def _undetermined(book: Book, comparisons: pd.DataFrame, undetermined: pd.DataFrame) -> None:
    listed = content.for_people(undetermined, "undetermined")
    unjudged = content.for_people(comparisons, "not evaluated")
    both = pd.concat([listed, unjudged], ignore_index=True)
    findings, results = wording.plural(len(listed), "finding"), wording.plural(len(unjudged), "result")
    under = f"{findings} that may be over; {results} that cannot be judged. {_cut(both)}"
    sheet = book.sheet("Undetermined", "Undetermined, and results that cannot be judged", under)
    columns = (Column("Verdict", "verdict", 16, "verdict"), *FINDING, SECTION, WHY, *BEHIND)
    book.table(sheet, 4, columns, for_sheet(both.head(MOST_ROWS)), main=True)


def _slugs(book: Book, slugs: pd.DataFrame) -> None:
    sheet = book.sheet(
        "Slugs",
        "Slugs",
        "Runs of readings above a multiple of normal operation. At least: from the first to the last reading over; "
        f"at most: from the reading before to the reading after. {_cut(slugs)}",
    )
    columns = (
        Column("Verdict", "verdict", 16, "verdict"),
        *WHO[:3],
        Column("From", "start", 16, "time"),
        Column("To", "end", 16, "time"),
        Column("Minutes, at least", "minutes_low", 9, "number"),
        Column("Minutes, at most", "minutes_high", 9, "number"),
        Column("Peak", "peak", 10, "number"),
        Column("Baseline", "baseline", 10, "number"),
        Column("Multiple", "multiple", 9, "number"),
        Column("Unit", "unit", 7),
        SECTION,
        WHY,
        PACK,
        Column("Id (for pretreat explain)", "slug_id", 18, printed=False),
    )
    book.table(sheet, 4, columns, slugs.head(MOST_ROWS), main=True)


def _averages(book: Book, averages: pd.DataFrame) -> None:
    shown, said = averages, f"{wording.plural(len(averages), 'average')}."
    if len(averages) > MOST_AVERAGES:
        longer = averages[(averages["period_end"] - averages["period_start"] > pd.Timedelta(days=1)).to_numpy()]
        shown = longer.head(MOST_AVERAGES)
        said = f"{len(shown):,} of {len(averages):,} averages, those over more than a day; tables/averages has all."
    sheet = book.sheet("Averages", "Averages", said)
    columns = (
        *WHO,
        Column("From", "from", 12, "time"),
        Column("To", "to", 12, "time"),
        Column("Samples", "n", 9, "count"),
        Column("Non-detects", "n_nondetect", 11, "count"),
        Column("Low end", "low", 11, "number"),
        Column("High end", "high", 11, "number"),
        Column("Unit", "unit", 8),
    )
    shown = content.table({"averages": shown}, "averages")  # a table as long as the results is not made plain
    last = shown["period_end"] - pd.Timedelta("1s")
    frame = shown.assign(**{"from": shown["period_start"]}, to=last.dt.normalize())
    book.table(sheet, 4, columns, frame, main=True)


SET_ASIDE: Final = (
    Column("File", "source_file", 34),
    Column("Sheet", "source_sheet", 16),
    Column("Cell", "source_cell", 10),
    Column("Text", "text", 22),
    Column("Reason", "reason", 24),
    Column("What to do", "message", 60, "wrap"),
)
FINDINGS: Final = (
    Column("Finding", "code", 28, "wrap"),
    *WHO[:3],
    Column("What was noticed", "message", 70, "wrap"),
    Column("Cells", "sources", 40, printed=False),
)
SCHEDULE: Final = (
    Column("Verdict", "verdict", 14),
    WHO[0],
    Column("Duty", "subject", 46, "wrap"),
    Column("From", "due_from", 12, "time"),
    Column("Due", "due", 16, "time"),
    Column("Done", "done", 16, "time"),
    Column("Section", "cite", 22, "wrap"),
    Column("Limits of", "pack", 17),
    Column("Why", "reason", 30, "wrap"),
)
AS_THEY_ARE: Final = (
    ("set_aside", "Set aside", "Values of the input that were not used, each with the reason.", SET_ASIDE),
    ("findings", "Findings", "What else was noticed; none of it is a verdict.", FINDINGS),
    ("schedule", "Schedule", "Reports, notices and visits: when they are due, and whether they were done.", SCHEDULE),
)
"""The sheets that show a table as it is."""


def _as_is(book: Book, tables: content.Tables, name: str, title: str, what: str, columns: tuple[Column, ...]) -> None:
    frame = content.table(tables, name)
    if name == "schedule":  # what presses first
        rank = {"late": 0, "due": 1, "met": 2}
        frame = frame.iloc[np.argsort([rank.get(verdict, 3) for verdict in frame["verdict"]], kind="stable")]
    sheet = book.sheet(title, title, f"{what} {_cut(frame, name)}" if len(frame) else "None.")
    book.table(sheet, 4, columns, frame.head(MOST_ROWS), main=True)


def _checklist(book: Book, checklist: pd.DataFrame) -> None:
    names = {
        "pack": "Limits of",
        "cite": "Section",
        "subject": "Subject",
        "kind": "Kind",
        "printed": "Words of the document",
    }
    frame = checklist.reindex(columns=list(names), fill_value="").astype(str).assign(seen="", date="")
    widths = {"pack": 18, "cite": 20, "subject": 34, "kind": 14, "printed": 62}
    wrapped = {"subject", "printed", "cite"}
    columns = [Column(names[key], key, widths[key], "wrap" if key in wrapped else "text") for key in names]
    columns += [Column("Judged by", "seen", 16), Column("Date", "date", 11)]
    what = "What only a person can judge. Nothing here was passed, and nothing failed."
    sheet = book.sheet("Checklist", "Checklist", what)
    book.table(sheet, 4, columns, frame.head(MOST_ROWS), main=True)


def _provenance(book: Book, provenance: Mapping[str, Any], sheets: pd.DataFrame) -> None:
    sheet = book.sheet("Provenance", "Provenance", "What this report was made from, and by which rules.")
    rows: list[tuple[str, str, str]] = [
        ("pretreat", "version", str(provenance.get("version", ""))),
        ("", "judged as of", str(provenance.get("as_of", ""))),
        ("", "period", str(provenance.get("period", ""))),
    ]
    for pack in provenance.get("packs", ()):
        about = "; ".join(str(pack[key]) for key in ("title", "cite", "text_state") if pack.get(key))
        rows.append(("limits", str(pack.get("name", "")), about))
    for kind in ("options", "settings", "assumed"):
        rows += [(kind, str(name), str(value)) for name, value in dict(provenance.get(kind) or {}).items()]
    rows += [("input (SHA-256)", str(name), str(digest)) for name, digest in provenance.get("inputs", ())]
    frame = pd.DataFrame(rows, columns=["kind", "name", "value"]).drop_duplicates()
    columns = [Column("What", "kind", 34), Column("Name", "name", 34), Column("Value", "value", 78, "wrap")]
    row = book.table(sheet, 4, columns, frame, main=True)
    book.write(sheet, row + 1, 1, "Sheets that were read", size=12, bold=True)
    seen = sheets.head(MOST_ROWS)
    understood = [
        Column("File", "source_file", 34),
        Column("Sheet", "source_sheet", 34),
        Column("How it was understood", "understood", 78, "wrap"),
    ]
    last = book.table(
        sheet, row + 2, understood, seen.assign(understood=[_understood(each) for each in content.rows(seen)])
    )
    set_area(sheet, last, len(understood))


def _understood(sheet: Any) -> str:
    header = f", header in row {sheet.header_row}" if str(sheet.header_row) not in {"", "0"} else ""
    dates = f", dates as {sheet.date_order}" if sheet.date_order else ""
    seen, aside = wording.plural(sheet.values_seen, "value"), f"{sheet.values_set_aside:,} set aside"
    return f"layout {sheet.layout}{header}{dates}; {seen}: {sheet.values_used:,} used, {aside}"


def _cut(frame: pd.DataFrame, name: str = "") -> str:
    if len(frame) <= MOST_ROWS:
        return ""
    where = f"tables/{name} has" if name else "the tables have"
    return f"Only the first {MOST_ROWS:,} of {len(frame):,} are shown; {where} all."
