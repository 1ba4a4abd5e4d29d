"""Significant noncompliance: one page a user and quarter with each measurement, ready to sign."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
from openpyxl.worksheet.pagebreak import Break

from pretreat import columns
from pretreat.report import content, wording
from pretreat.report.sheets import HEAD, QUIET, Book, Column, clean, put, set_widths

WIDTHS: Final = (18, 17, 17, 10, 11, 11, 9, 15, 11, 11, 13, 15)
MOST_PAGES: Final = 100
MOST_MEASUREMENTS: Final = 5000
"""Measurements listed on the pages; for more, `pretreat explain` lists those of one row."""
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
    Column("Parameter", "parameter", 18),
    Column("From", "start", 17, "time"),
    Column("To", "end", 17, "time"),
    Column("Low end", "low", 9, "number"),
    Column("High end", "high", 11, "number"),
    Column("Limit", "limit", 11, "number"),
    Column("Unit", "unit", 9),
)


def add(book: Book, tables: content.Tables) -> None:
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
    measured = Measurements(tables, concerned)
    for (facility, window_end), _ in pages[:MOST_PAGES]:
        mine = snc[((snc["facility"] == facility) & (snc["window_end"] == window_end)).to_numpy()]
        sheet.row_breaks.append(Break(id=row - 1))
        row = _page(book, sheet, row, mine, measured)
    if len(pages) > MOST_PAGES:
        book.write(sheet, row, 1, f"and {len(pages) - MOST_PAGES:,} more in tables/snc", italic=True)
        row += 1
    sheet.print_area = f"A1:L{row}"
    sheet.freeze_panes = "A3"


class Measurements:
    """The measurements behind SNC rows: comparisons, else averages, else results, of the half year."""

    def __init__(self, tables: content.Tables, snc: pd.DataFrame) -> None:
        places = snc[["facility", "outfall", "parameter"]].drop_duplicates()
        users, names = set(places["facility"]), set(places["parameter"])
        self.left = MOST_MEASUREMENTS
        self._frames = {}
        for name in ("comparisons", "averages", "results"):
            frame = tables.get(name, columns.empty(name))
            wanted = frame["facility"].isin(users) & frame["parameter"].isin(names)
            self._frames[name] = content.table({name: frame[wanted.to_numpy()]}, name)

    def of(self, row: Any) -> pd.DataFrame:
        """Return `parameter`, `start`, `end`, `low`, `high`, `limit`, `unit`, `verdict` of one series, by time."""
        held = self._mine("comparisons", row, "period_start")
        held = held[((held["limit_id"] == row.limit_id) & (held["pack"] == row.limit_pack)).to_numpy()]
        held = held.assign(limit=held["limit_high"].where(held["bound"] != "lower", held["limit_low"]))
        rank = held["verdict"].map(content.RANK)  # the two bounds of one range are one series: the worse one is shown
        span = ["period_start", "period_end", "low", "high"]
        held = held.assign(rank=rank).sort_values("rank", kind="stable").drop_duplicates(span)
        single = row.statistic == "instantaneous"
        earlier = (
            _readings(self._mine("results", row, "start")) if single else self._mine("averages", row, "period_start")
        )
        earlier = earlier[~earlier["period_start"].isin(set(held["period_start"])).to_numpy()]
        names = ["parameter", *span, "limit", "unit", "verdict"]
        parts = [held[names], earlier.assign(limit=np.nan, verdict="")[names]]
        whole = pd.concat([part for part in parts if len(part)] or parts[:1]).sort_values("period_start", kind="stable")
        return pd.DataFrame(whole.rename(columns={"period_start": "start", "period_end": "end"}))

    def _mine(self, name: str, row: Any, time: str) -> pd.DataFrame:
        frame = self._frames[name]
        chosen = (
            (frame["facility"] == row.facility)
            & (frame["outfall"] == row.outfall)
            & (frame["parameter"] == row.parameter)
        )
        if name != "results":
            chosen &= frame["statistic"] == row.statistic
        inside = (frame[time] >= row.window_start) & (frame[time] < row.window_end)
        return pd.DataFrame(frame[(chosen & inside).to_numpy()])


def _readings(results: pd.DataFrame) -> pd.DataFrame:
    value, sign = results["value"], results["qualifier"]
    low, high = value.where(sign != "<", 0.0), value.where(sign != ">", np.inf)
    return results.assign(low=low, high=high, period_start=results["start"], period_end=results["start"])


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
        listed = measured.of(each)
        if listed.empty or measured.left <= 0:
            continue
        measured.left -= len(listed)
        book.write(sheet, row, 1, f"{each.parameter}, {each.statistic}: the measurements", bold=True)
        against = Column("Against the limit", "verdict", 9, "verdict")
        row = book.table(sheet, row + 1, (*LISTED, against), listed.assign(end=_to(listed))) + 1
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
