"""The same verdicts under every rule for non-detects, side by side, where that was asked for (`every_rule`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd

from pretreat import nondetects
from pretreat.report import content, wording
from pretreat.report.sheets import Book, Column

MOST_ROWS: Final = 2000


def under_rules(tables: content.Tables) -> tuple[pd.DataFrame, list[str]]:
    """Return the verdicts on non-detects under each rule, those that change first, and the rules.

    What complies under every rule is left out, and so are limits that do not bind.

    Examples
    --------
    >>> under_rules({})[1]
    []
    """
    if "nondetect_rules" not in tables:
        return pd.DataFrame(), []
    whole = tables["nondetect_rules"]
    rules = [name for name in whole if name in nondetects.RULES]
    people = ((whole["kind"] == "violation") & (whole["binding"] != "no")).to_numpy()
    listed = whole[people & (whole[rules] != "complies").any(axis=1).to_numpy()]
    return listed.sort_values("changes", ascending=False, kind="stable", ignore_index=True), rules


def said(listed: pd.DataFrame) -> str:
    """Return what `under_rules` found, in words.

    Examples
    --------
    >>> said(pd.DataFrame({"changes": ["yes", "no"]}))
    "2 verdicts that rest on a non-detect are not 'complies' under every rule; 1 changes with the rule."
    """
    if listed.empty:
        return "Every verdict that rests on a non-detect is 'complies', whatever the rule."
    rests = wording.plural(
        len(listed), "verdict that rests on a non-detect is", "verdicts that rest on a non-detect are"
    )
    changing = int((listed["changes"] == "yes").sum())
    return f"{rests} not 'complies' under every rule; {changing:,} change{'s' if changing == 1 else ''} with the rule."


def add(book: Book, tables: content.Tables, place: Sequence[Column]) -> None:
    """Add the sheet `Non-detect rules`, where it was asked for; `place` are the columns before the verdicts."""
    listed, rules = under_rules(tables)
    if not rules:
        return
    cut = f" The first {MOST_ROWS:,} of {len(listed):,}." if len(listed) > MOST_ROWS else ""
    heading = "The same verdicts under every rule for non-detects"
    sheet = book.sheet("Non-detect rules", heading, said(listed) + cut)
    columns = (
        *place,
        Column("Changes", "changes", 8),
        *(Column(rule.capitalize(), rule, 13, "verdict") for rule in rules),
        Column("Id (for pretreat explain)", "comparison_id", 18, printed=False),
    )
    shown = listed.head(MOST_ROWS)
    book.table(sheet, 4, columns, shown.assign(**{"from": shown["period_start"]}), main=True)
