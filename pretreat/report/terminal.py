"""What stands on the terminal after a run: who exceeded what, what is not known, and what to do next."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any, Final

import pandas as pd
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from pretreat.errors import shown
from pretreat.report import Reviewed, advice, content, wording

STYLES: Final = {"exceeds": "bold red", "undetermined": "yellow", "not evaluated": "blue", "complies": "green"}
MOST: Final = 30
FEW: Final = 3
"""Cells that are shown of those set aside for one reason."""
NARROW: Final = 100
"""Columns that a terminal has at least, where it is none."""


def summary(review: Reviewed, folder: Path | None = None, *, file: IO[str] | None = None) -> None:
    """Print the result of a check; colour only on a terminal, and never where NO_COLOR is set.

    Parameters
    ----------
    review : Reviewed
        The result of a check.
    folder : Path, optional
        Where the report was written.
    file : text file, optional
        Where to print; standard output unless given.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> summary(SimpleNamespace(tables={}, provenance={"period": "2026-10"}, checklist=pd.DataFrame()))
    Period 2026-10: 0 users, 0 exceedances, 0 undetermined
    Nothing exceeds a limit.
    """
    console = _console(file)
    tables, provenance = content.plain(review), review.provenance
    numbers = content.headline(tables)
    listed = {name: name in review.tables for name in ("exceedances", "undetermined")}
    n_over, n_unsure = _totals(numbers, listed, provenance)
    users = numbers.users or int(provenance.get("users") or 0)
    period = f"Period {provenance['period']}: " if provenance.get("period") else ""
    head = Text(f"{period}{wording.plural(users, 'user')}, ")
    head.append(wording.plural(n_over, "exceedance"), style=STYLES["exceeds"] if n_over else "")
    head.append(", ")
    head.append(f"{n_unsure:,} undetermined", style=STYLES["undetermined"] if n_unsure else "")
    console.print(head)
    over = content.grouped(
        content.with_also(content.table(tables, "exceedances"), content.table(tables, "comparisons"))
    )
    if len(over):
        since = content.with_since(over.assign(also=""), provenance)["also"]
        _findings(console, over.assign(since=since), "exceeds")
    elif not n_over:
        console.print(advice.nothing_over(provenance))
    unlisted = [name for name, n in (("exceedances", n_over), ("undetermined", n_unsure)) if n and not listed[name]]
    if unlisted:
        console.print(f"Counted and not listed: add {' and '.join(unlisted)} to --tables to see them.")
    doubtful = content.grouped(content.for_people(content.table(tables, "undetermined"), "undetermined"))
    if len(doubtful):
        console.print("Undetermined:", style="bold")
        _findings(console, content.with_why(doubtful), "undetermined")
    for line in _counts(tables, numbers, provenance):
        console.print(escape(line))
    steps = advice.next_steps(tables)
    if steps:
        console.print("Next:", style="bold")
        for step in steps:
            console.print(f"  {escape(step)}")
    if folder is not None:
        console.print(f"Written: {escape(str(folder))}")


def understood(samples: Any, *, file: IO[str] | None = None) -> None:
    """Print how each sheet was understood, and what was set aside by its reason.

    Parameters
    ----------
    samples : Samples
        `sheets`, `set_aside`, and `understood` (which column was taken for what).
    file : text file, optional
        Where to print; standard output unless given.
    """
    console = _console(file)
    sheets = samples.sheets
    names = {"source_file": "File", "source_sheet": "Sheet", "layout": "Layout", "header_row": "Header in row"}
    names |= {"date_order": "Dates", "values_seen": "Values", "values_used": "Used", "values_set_aside": "Set aside"}
    console.print(_table(sheets, names, "Sheets"))
    if len(samples.understood):
        console.print(_table(samples.understood, {name: str(name) for name in samples.understood}, "Columns"))
    aside = samples.set_aside
    if len(aside):
        names = {"reason": "Set aside", "rows": "Cells", "where": "Where", "message": "What to do"}
        console.print(_table(_by_reason(aside), names, ""))
    if len(samples.findings):
        console.print(
            _table(samples.findings, {"code": "Finding", "facility": "User", "message": "What was noticed"}, "")
        )


def _by_reason(aside: pd.DataFrame) -> pd.DataFrame:
    r"""Return how many cells were set aside for each reason, the first few with what they say, and what to do.

    Examples
    --------
    >>> row = {"source_file": "a.csv", "source_sheet": "", "reason": "no unit", "message": "Write it beside the value."}
    >>> aside = pd.DataFrame([{**row, "source_cell": f"B{n}", "text": f"{n}.5"} for n in range(1, 6)])
    >>> _by_reason(aside)["where"].item()
    'a.csv!B1 (1.5)\na.csv!B2 (2.5)\na.csv!B3 (3.5)\nand 2 more'
    """
    rows = []
    for reason, group in aside.groupby("reason", observed=True, sort=True):
        where = [
            "!".join(filter(None, (str(each.source_file), str(each.source_sheet), str(each.source_cell))))
            + (f" ({_short(str(each.text))})" if str(each.text) else "")
            for each in group.head(FEW).itertuples()
        ]
        messages = [str(message) for message in group["message"].drop_duplicates()]
        rows.append((reason, len(group), _few(where, len(group)), _few(messages[:FEW], len(messages))))
    return pd.DataFrame(rows, columns=["reason", "rows", "where", "message"])


def _few(lines: list[str], n: int) -> str:
    return "\n".join([*lines, *([f"and {n - len(lines):,} more"] if n > len(lines) else [])])


def _short(text: str, most: int = 30) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _totals(numbers: content.Headline, listed: dict[str, bool], provenance: Any) -> tuple[int, int]:
    """Return how much exceeds and is undetermined, as counted where the tables of them were not made."""
    counted = provenance.get("verdicts") or {}
    over = numbers.exceedances if listed["exceedances"] else int(counted.get("exceeds", 0))
    unsure = numbers.undetermined if listed["undetermined"] else int(counted.get("undetermined", 0))
    return over, unsure


class _Terminal(Console):
    """A console on which no text from a sheet steers the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(shown(segment.text), segment.style)


def _console(file: IO[str] | None) -> Console:
    out = file or sys.stdout
    width = None if out.isatty() else NARROW + 40
    return _Terminal(file=out, width=width, highlight=False, soft_wrap=False)


def _findings(console: Console, groups: pd.DataFrame, verdict: str) -> None:
    """Print findings under the name of each user, with the same columns for all."""
    lines = [
        (
            wording.place(each.facility, each.outfall),
            _cells(each, verdict),
            each.since if verdict == "exceeds" else each.also,
        )
        for each in content.rows(groups.head(MOST))
    ]
    heads = ("", "parameter", "average", "times", "when", "measured", "allowed", "over", "section")
    widths = [max(map(len, column)) for column in zip(heads, *(cells for _, cells, _ in lines), strict=True)]
    user = None
    for place, cells, why in lines:
        if place != user:
            console.print(Text(place, style="bold"))
        table = Table(box=None, pad_edge=False, show_header=user is None, header_style="dim")
        for i, (head, width) in enumerate(zip(heads, widths, strict=True)):
            last = i == len(heads) - 1
            right = "right" if head in {"times", "over"} else "left"
            fixed = {} if last else {"min_width": width, "no_wrap": True}
            table.add_column(head, justify=right, overflow="fold", **fixed)  # type: ignore[arg-type]
        table.add_row(*(Text(cell, style=STYLES[verdict] if i in {0, 5} else "") for i, cell in enumerate(cells)))
        console.print(table)
        if why:
            console.print(Padding(Text(why, style="dim"), (0, 0, 0, 3)))
        user = place
    if len(groups) > MOST:
        console.print(f"and {len(groups) - MOST:,} more in the report")


def _cells(each: Any, verdict: str) -> list[str]:
    after = f"; also {each.also}" if each.also and verdict == "exceeds" else ""
    return [
        wording.MARKS[verdict],
        wording.substance(each.parameter, each.fraction),
        each.statistic,
        f"{each.times:,}",
        wording.span(each.period_start, each.period_end),
        wording.found(each),
        wording.permitted(each),
        "" if pd.isna(each.percent_over) else f"{each.percent_over:.0f} %",
        f"{each.cite}{after}",
    ]


def _counts(tables: content.Tables, numbers: content.Headline, provenance: Any) -> list[str]:
    lines = []
    if numbers.not_judged:
        lines.append(f"{wording.plural(numbers.not_judged, 'result')} cannot be judged.")
    _, reasons = content.unanswered(content.table(tables, "not_evaluated"))
    if len(reasons):
        by = ", ".join(f"{each.reason} {each.n:,}" for each in content.rows(reasons))
        lines.append(f"{wording.plural(numbers.without_results, 'limit')} without a result: {by}.")
    if numbers.set_aside:
        counts = content.table(tables, "set_aside")["reason"].value_counts(sort=True)
        by = f": {', '.join(f'{reason} {count:,}' for reason, count in counts.items())}" if len(counts) else ""
        lines.append(f"{wording.plural(numbers.set_aside, 'value')} set aside{by}.")
    outside = int(provenance.get("outside_period") or 0)
    if outside:
        lines.append(f"{wording.plural(outside, 'exceedance')} outside this period, not in these lists.")
    assumed = dict(provenance.get("assumed") or {})
    if assumed:
        lines.append(
            f"Assumed until a fact says so: {', '.join(f'{fact} = {said}' for fact, said in assumed.items())}."
        )
    return lines


def _table(frame: pd.DataFrame, names: dict[str, str], title: str) -> Table:
    table = Table(
        box=None, pad_edge=False, header_style="bold", title=title or None, title_justify="left", title_style="bold"
    )
    present = [name for name in names if name in frame]
    for name in present:
        number = pd.api.types.is_numeric_dtype(frame[name].dtype)
        table.add_column(names[name], justify="right" if number else "left", overflow="fold")
    columns: Sequence[list[str]] = [_texts(frame[name]) for name in present]
    for row in zip(*columns, strict=True):
        table.add_row(*(Text(cell) for cell in row))
    return table


def _texts(column: pd.Series) -> list[str]:
    if pd.api.types.is_numeric_dtype(column.dtype):
        return [f"{value:,}" for value in column.tolist()]
    return ["" if value != value else str(value) for value in column.tolist()]  # noqa: PLR0124 - NaN
