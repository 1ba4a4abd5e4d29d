"""Significant noncompliance: one page a user and quarter with each measurement, ready to sign."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from pretreat import columns
from pretreat.explain import snc as explain_snc
from pretreat.explain.recomputed import Places
from pretreat.report import content, wording
from pretreat.report.sheets import HEAD, QUIET, Book, Column, clean, put, set_area, set_widths

WIDTHS: Final = (18, 17, 17, 10, 11, 11, 9, 15, 11, 11, 13, 15)
MOST_PAGES: Final = 100
MOST_MEASUREMENTS: Final = 5000
"""Measurements listed on the pages; for more, `pretreat explain` lists those of one row."""
MEASURED_BY: Final = ("results", "limits", "comparisons")
WORDS: Final = {"yes": "exceeds", "undetermined": "undetermined", "no": "complies"}

COUNTED: Final = (
    Column("Parameter", "parameter", 18),
    Column("Average", "statistic", 17),
    Column("Section", "limit_cite", 19, "wrap"),
    Column("Measure-ments", "n", 9, "count"),
    Column("Over, at least", "n_over_low", 11, "count"),
    Column("Over, at most", "n_over_high", 11, "count"),
    Column("Chronic", "chronic", 9),
    Column("TRC factor", "trc_factor", 9, "number"),
    Column("At TRC, at least", "n_trc_low", 11, "count"),
    Column("At TRC, at most", "n_trc_high", 11, "count"),
    Column("Technical review", "trc", 12),
    Column("SNC", "snc", 14),
)
LISTED: Final = (
    Column("Parameter", "parameter", WIDTHS[0]),
    Column("From", "start", WIDTHS[1], "time"),
    Column("To", "end", WIDTHS[2], "time"),
    Column("Low end", "low", WIDTHS[3], "number"),
    Column("High end", "high", WIDTHS[4], "number"),
    Column("Unit", "unit", WIDTHS[5]),
    Column("Over", "over", WIDTHS[6]),
    Column("At TRC", "technical", WIDTHS[7]),
)


def add(book: Book, tables: content.Tables, settings: Mapping[str, str] | None = None) -> None:
    """Add the sheet `SNC`: pages for the users where a criterion is met or may be, then a list of the others."""
    snc = content.table(tables, "snc")
    sheet = book.sheet(
        "SNC", "Significant noncompliance", "40 CFR 403.8(f)(2)(viii)(A) chronic, (B) technical review (TRC)"
    )
    set_widths(sheet, WIDTHS)
    if snc.empty:
        book.write(sheet, 4, 1, "None computed: no series of measurements has a half year that ends in this period.")
        return
    row = _result(book, sheet, snc)
    concerned = snc[(snc["snc"].isin(["yes", "undetermined"]) & (snc["significant_user"] != "no")).to_numpy()]
    pages = list(concerned.groupby(["facility", "window_end"], sort=True))
    measured, breaks = Measurements(tables, concerned, settings), []
    for (facility, window_end), _ in pages[:MOST_PAGES]:
        mine = snc[((snc["facility"] == facility) & (snc["window_end"] == window_end)).to_numpy()]
        breaks.append(row - 1)
        row = _page(book, sheet, row, mine, measured)
    if len(pages) > MOST_PAGES:
        book.write(sheet, row, 1, f"and {len(pages) - MOST_PAGES:,} more in tables/snc", italic=True)
        row += 1
    sheet.set_h_pagebreaks(breaks)
    set_area(sheet, row, len(WIDTHS))
    sheet.freeze_panes("A3")


class Measurements:
    """The measurements behind SNC rows: as they were counted, else the comparisons that are listed."""

    def __init__(self, tables: content.Tables, snc: pd.DataFrame, settings: Mapping[str, str] | None = None) -> None:
        users, self.left = set(snc["facility"]), MOST_MEASUREMENTS
        frames = {name: tables.get(name, columns.empty(name)) for name in MEASURED_BY}
        mine = {name: frame[frame["facility"].isin(users).to_numpy()] for name, frame in frames.items()}
        self._results, self._limits, self._comparisons = (content.table(mine, name) for name in MEASURED_BY)
        self._places = Places(self._results, settings)

    def of(self, row: Any) -> pd.DataFrame:
        """Return `parameter`, `start`, `end`, `low`, `high`, `unit`, `over`, `technical` of one series, by time."""
        found = explain_snc.measurements(row._asdict(), self._limits, self._places)
        if found is None:  # a sum, a load, or averages that were reported
            found = self._listed(row)
        held = self._limits
        same = (held["limit_id"] == row.limit_id) & (held["pack"] == row.limit_pack)
        unit = held.loc[same & (held["facility"] == row.facility), "unit"]
        return found.assign(parameter=row.parameter, unit=wording.units(unit.iloc[0]) if len(unit) else "")

    def _listed(self, row: Any) -> pd.DataFrame:
        """Return the comparisons with a limit in the half year, as far as this report lists them."""
        table = self._comparisons
        same = (table["period_start"] >= row.window_start) & (table["period_start"] < row.window_end)
        keys = {"limit_id": row.limit_id, "pack": row.limit_pack}
        for name in ("facility", "outfall", "parameter", "statistic"):
            keys[name] = getattr(row, name)
        for name, wanted in keys.items():
            same &= table[name] == wanted
        mine = table[same.to_numpy()].sort_values("period_start", kind="stable")
        over = mine["verdict"].map({"exceeds": "yes", "undetermined": "may be"}).fillna("")
        listed = mine.assign(over=over, technical="").rename(columns={"period_start": "start", "period_end": "end"})
        return pd.DataFrame(listed.drop_duplicates(["start", "end", "low", "high"]))


def _result(book: Book, sheet: Any, snc: pd.DataFrame) -> int:
    """Write which users have which result; return the row where the pages begin."""
    row, text = 4, book.style(rule="thin")
    for i, name in enumerate(["User", "", "Half year ending", "Series", "SNC"], 1):
        book.write(sheet, row, i, name, bold=True, fill=HEAD, rule="strong")
    rank = {"yes": 0, "undetermined": 1, "no": 2, "": 3}
    worst = snc.assign(rank=snc["snc"].map(rank).fillna(3).astype("int64"))
    by = (
        worst.groupby(["facility", "window_end"], sort=True).agg(rank=("rank", "min"), n=("rank", "size")).reset_index()
    )
    words = {place: word for word, place in rank.items()}
    for each in content.rows(by.sort_values(["rank", "facility", "window_end"]).head(500)):
        row += 1
        last = wording.day(each.window_end - pd.Timedelta("1s"))
        for i, value in enumerate([clean(each.facility or wording.NOBODY), None, last, each.n], 1):
            put(sheet, row, i, value, text)
        word = words[each.rank]
        put(sheet, row, 5, _said(word), book.verdict(WORDS.get(word, "not evaluated")))
    return row + 2


def _page(book: Book, sheet: Any, row: int, mine: pd.DataFrame, measured: Measurements) -> int:
    """Write one user's page and return the row after it."""
    first = mine.iloc[0]
    book.write(sheet, row, 1, first["facility"] or wording.NOBODY, size=14, bold=True)
    half = wording.span(first["window_start"], first["window_end"])
    known = {"yes": "significant industrial user", "no": "not a significant user: the criteria do not apply"}
    status = known.get(first["significant_user"], "not known whether it is a significant user")
    book.write(sheet, row + 1, 1, f"{half}  ·  {status}  ·  {first['rule_cite']}", color=QUIET)
    top, text = row + 3, book.style(rule="thin")
    row = book.table(sheet, top, COUNTED, mine) + 1
    for i, word in enumerate(mine["snc"].tolist(), top + 1):
        verdict = WORDS.get(word, "not evaluated")
        put(sheet, i, len(COUNTED), _said(word), book.verdict(verdict) if verdict != "complies" else text)
    for each in content.rows(mine[mine["snc"].isin(["yes", "undetermined"])]):
        listed = measured.of(each) if measured.left > 0 else pd.DataFrame()
        measured.left -= len(listed)
        book.write(sheet, row, 1, f"{each.parameter}, {each.statistic}: the measurements", bold=True)
        if listed.empty:
            more = "a sum, a load, averages that were reported, or more than fit here; see pretreat explain"
            book.write(sheet, row + 1, 1, f"not listed ({more})", italic=True, color=QUIET)
            row += 3
            continue
        row = book.table(sheet, row + 1, LISTED, listed.assign(end=_to(listed))) + 1
    row += 1
    for column, label in ((1, "Reviewed and signed"), (5, "Title"), (9, "Date")):
        book.write(sheet, row, column, label, color=QUIET, rule="strong")
        for blank in range(column + 1, column + 3):
            put(sheet, row, blank, None, book.style(rule="strong"))
    return row + 3


def _said(word: str) -> str:
    return f"{wording.MARKS.get(WORDS.get(word, ''), '')} {word}".strip()


def _to(listed: pd.DataFrame) -> pd.Series:
    """Return the last day of each span; of a single reading, the reading."""
    return listed["end"].where(listed["end"] <= listed["start"], (listed["end"] - pd.Timedelta("1s")).dt.normalize())
