"""The first sheet: who exceeded what, when, by how much, under which section; what may be over; what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from pretreat.report import advice, content, wording
from pretreat.report.sheets import HEAD, INK, QUIET, Book, clean, fit_rows, put, set_area, set_height, set_widths

WIDTHS: Final = (30, 16, 17, 7, 21, 19, 25, 9, 19, 30)
N: Final = 4
"""The column of counts."""
MOST: Final = 40
"""Rows of the summary; the other sheets have the rest."""


def add(book: Book, tables: content.Tables, provenance: Mapping[str, Any]) -> None:
    """Add the sheet `Summary`."""
    sheet = book.sheet("Summary", "Pretreatment compliance report", described(provenance))
    set_widths(sheet, WIDTHS)
    numbers = content.headline(tables)
    row = _tiles(book, sheet, 4, numbers)
    comparisons = content.table(tables, "comparisons")
    over = content.grouped(content.with_also(content.table(tables, "exceedances"), comparisons))
    over, last = content.with_since(over, provenance), content.last_column(provenance)
    row = _heading(book, sheet, row + 1, "Who exceeded what, when, by how much, under which section", "exceeds")
    row = (
        _findings(book, sheet, row, over, "Exceedances", last)
        if len(over)
        else _none(book, sheet, row, advice.nothing_over(provenance))
    )
    doubtful = content.grouped(content.for_people(content.table(tables, "undetermined"), "undetermined"))
    row = _heading(book, sheet, row + 1, "What may be over: undetermined", "undetermined")
    if len(doubtful):
        row = _findings(book, sheet, row, content.with_why(doubtful), "Undetermined", "Why")
    else:
        row = _none(book, sheet, row, "Nothing is undetermined.")
    row = _snc(book, sheet, row + 1, content.table(tables, "snc"))
    row = _lines(book, sheet, row + 1, "Next", advice.next_steps(tables, int(provenance.get("outside_period") or 0)))
    row = _lines(book, sheet, row + 1, "To be read with this report", remarks(tables, provenance))
    row = _legend(book, sheet, row + 1)
    _sign(book, sheet, row + 2)
    set_area(sheet, row + 3, len(WIDTHS))
    sheet.repeat_rows(0, 1)


def described(provenance: Mapping[str, Any]) -> str:
    """Return the line under the title: period, day of judgement, limits."""
    packs = ", ".join(str(pack.get("name", "")) for pack in provenance.get("packs", ()))
    parts = [f"Period {provenance['period']}" if provenance.get("period") else ""]
    parts += [
        f"judged as of {provenance['as_of']}" if provenance.get("as_of") else "",
        f"limits: {packs}" if packs else "",
    ]
    return "  ·  ".join(part for part in parts if part)


def remarks(tables: content.Tables, provenance: Mapping[str, Any]) -> list[str]:
    """Return what the report rests on that a reader must know: facts assumed, rules chosen, what is not listed."""
    assumed = dict(provenance.get("assumed") or {})
    lines = []
    if assumed:
        facts = ", ".join(f"{fact} = {said}" for fact, said in assumed.items())
        lines.append(f"Assumed until a fact says so: {facts}.")
    rule = dict(provenance.get("settings") or {}).get("nondetects", "interval")
    if rule != "interval":
        lines.append(f"Non-detects were counted by the rule '{rule}', given by the user or the pack.")
    before = provenance.get("before") or {}
    if before and not before.get("judged"):
        lines.append(f"Nothing was judged in {before['period']}: what is new cannot be told from what went on.")
    packs = [pack for pack in provenance.get("packs", ()) if pack.get("text_state")]
    lines += [
        f"{pack.get('name', '')}: the text that its limits were taken from: {pack['text_state']}." for pack in packs
    ]
    if provenance.get("unlisted"):
        lines.append(f"{int(provenance['unlisted']):,} comparisons comply and are counted, not listed (tables/counts).")
    others = content.other_levels(content.table(tables, "comparisons"))
    for kind, part in others.groupby("kind", observed=True):
        users = wording.plural(part["facility"].nunique(), "user")
        lines.append(f"{wording.plural(len(part), 'result')} over a {kind} level at {users}; that is no violation.")
    return lines


def _tiles(book: Book, sheet: Any, top: int, numbers: content.Headline) -> int:
    tiles = [
        (1, numbers.users, "users checked"),
        (2, numbers.exceedances, f"exceedances, {wording.plural(numbers.users_over, 'user')}"),
        (3, numbers.undetermined, "undetermined"),
        (5, numbers.not_judged, "results that cannot be judged"),
        (6, numbers.significant, wording.users_in_snc(numbers.perhaps_significant)),
        (7, numbers.late, "duties late"),
        (9, numbers.without_results, "limits without a result"),
        (10, numbers.set_aside, "values set aside"),
    ]
    colors = {2: "A61E22", 6: "A61E22", 7: "A61E22"}
    for column, count, label in tiles:
        ink = colors.get(column, INK) if count else QUIET
        book.write(sheet, top, column, count, size=20, bold=True, color=ink, align="left", form="#,##0")
        book.write(sheet, top + 1, column, label, color=QUIET, size=9, wrap=True)
    set_height(sheet, top, 27)
    set_height(sheet, top + 1, 26)
    return top + 2


def _heading(book: Book, sheet: Any, row: int, text: str, verdict: str = "") -> int:
    mark = f"{wording.MARKS[verdict]}  " if verdict else ""
    book.write(sheet, row, 1, f"{mark}{text}", size=12, bold=True)
    return row + 1


def _none(book: Book, sheet: Any, row: int, text: str) -> int:
    book.write(sheet, row, 1, text, color=QUIET)
    return row + 1


def _header(book: Book, sheet: Any, row: int, names: list[str]) -> int:
    for i, name in enumerate(names, 1):
        right = name in {"Times", "% over"}
        book.write(sheet, row, i, name, bold=True, fill=HEAD, rule="strong", align="right" if right else "")
    return row + 1


def _findings(book: Book, sheet: Any, row: int, groups: pd.DataFrame, more: str, last: str) -> int:
    names = [
        "User",
        "Parameter",
        "Average",
        "Times",
        "When (the worst)",
        "Measured",
        "Allowed",
        "% over",
        "Section",
        last,
    ]
    row = _header(book, sheet, row, names)
    text, wrap = book.style(rule="thin"), book.style(rule="thin", wrap=True)
    bold, right = book.style(rule="thin", bold=True), book.style(rule="thin", align="right")
    percent = book.style(rule="thin", align="right", bold=True, form='0"%"')
    shown = groups.head(MOST)
    fit_rows(sheet, row, [(WIDTHS[8], shown["cite"]), (WIDTHS[9], shown["also"])])
    for each in content.rows(shown):
        put(sheet, row, 1, clean(wording.place(each.facility, each.outfall)), bold)
        put(sheet, row, 2, clean(wording.substance(each.parameter, each.fraction)), text)
        put(sheet, row, 3, each.statistic, text)
        put(sheet, row, 4, each.times, right)
        put(sheet, row, 5, wording.span(each.period_start, each.period_end), text)
        put(sheet, row, 6, clean(wording.found(each)), text)
        put(sheet, row, 7, clean(wording.permitted(each)), text)
        put(sheet, row, 8, each.percent_over, percent)
        put(sheet, row, 9, clean(each.cite), wrap)
        put(sheet, row, 10, clean(each.also), wrap)
        row += 1
    if len(groups) > MOST:
        book.write(sheet, row, 1, f"and {len(groups) - MOST:,} more on the sheet {more}", italic=True, color=QUIET)
        row += 1
    return row


def _snc(book: Book, sheet: Any, row: int, snc: pd.DataFrame) -> int:
    row = _heading(book, sheet, row, "Significant noncompliance, 40 CFR 403.8(f)(2)(viii)(A) and (B)")
    listed = snc[snc["snc"].isin(["yes", "undetermined"]) & (snc["significant_user"] != "no")]
    if listed.empty:
        return _none(
            book,
            sheet,
            row,
            "No series of a significant user is in significant noncompliance." if len(snc) else "Not computed.",
        )
    row = _header(
        book,
        sheet,
        row,
        ["User", "Parameter", "Average", "n", "Half year ending", "Chronic", "Technical review", "SNC", ""],
    )
    text, middle = book.style(rule="thin"), book.style(rule="thin", align="center")
    for each in content.rows(listed.head(MOST)):
        cells = [wording.place(each.facility, each.outfall), each.parameter, each.statistic, each.n]
        cells += [
            wording.day(wording.last_instant(each.window_start, each.window_end)),
            each.chronic,
            each.trc,
            each.snc,
            "class not known" if each.significant_user == "unknown" else "",
        ]
        for i, value in enumerate(cells, 1):
            put(sheet, row, i, clean(value) if isinstance(value, str) else value, text if i != N else middle)
        row += 1
    return row


def _lines(book: Book, sheet: Any, row: int, heading: str, lines: list[str]) -> int:
    if not lines:
        return row - 1
    row = _heading(book, sheet, row, heading)
    for line in lines:
        book.write(sheet, row, 1, f"•  {line}")
        row += 1
    return row


def _legend(book: Book, sheet: Any, row: int) -> int:
    """Write the signs beside each other, with their meaning under them."""
    for column, (verdict, meaning) in zip((1, 3, 5, 7, 9), wording.MEANS.items(), strict=True):
        put(sheet, row, column, f"{wording.MARKS[verdict]} {verdict}", book.verdict(verdict))
        book.write(sheet, row + 1, column, meaning, color=QUIET, size=8, wrap=True)
    set_height(sheet, row + 1, 36)
    return row + 1


def _sign(book: Book, sheet: Any, row: int) -> None:
    for column, label in ((1, "Reviewed by"), (5, "Title"), (8, "Date")):
        book.write(sheet, row, column, label, color=QUIET, rule="strong")
        for blank in range(column + 1, column + 3):
            put(sheet, row, blank, None, book.style(rule="strong"))
