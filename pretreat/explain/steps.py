"""The arithmetic of one comparison, slug or SNC row, step by step, from the tables of a report alone.

From the cells with their file, sheet and address, over the conversions, averages and rule to the verdict: so that a
person can work it out again with a pocket calculator.
"""

from __future__ import annotations

import difflib
import functools
import itertools
import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from pretreat import columns
from pretreat.errors import FileError, UsageError
from pretreat.explain import arithmetic, baseline, run
from pretreat.explain import snc as explain_snc
from pretreat.explain.recomputed import Places, Records
from pretreat.explain.value import value_lines
from pretreat.listing import number

_IDS: Final = {"comparisons": "comparison_id", "slugs": "slug_id", "snc": "snc_id"}
_NAMES: Final = {"comparisons": "comparison", "slugs": "slug", "snc": "SNC row"}
_RUNS: Final = 60
"""How many runs of a month are written out."""
_PLACE: Final = ("facility", "outfall", "parameter", "fraction")
_LIMIT: Final = ("pack", "limit_id", "facility", "outfall", "statistic", "bound", "limit_low", "limit_high")
"""What tells which limit a comparison was held against."""


def explain(tables: Mapping[str, pd.DataFrame], finding: str, settings: Mapping[str, str] | None = None) -> str:
    """Return the arithmetic of one comparison, slug or SNC row.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        The tables of a report, as `columns.TABLES` names them; without `results` there are no cells to show.
    finding : str
        A `comparison_id`, `slug_id` or `snc_id`.
    settings : mapping, optional
        The settings in use, as the provenance of the report has them.

    Raises
    ------
    UsageError
        Where no row has that id; the nearest ones are named.

    Examples
    --------
    >>> explain({}, "slug-1")
    Traceback (most recent call last):
    pretreat.errors.UsageError: slug-1: no comparison, slug or SNC row of this report has that id. ...
    """
    return Explainer(tables, settings).explain(finding)


class Explainer:
    """Explains many findings of one report; what they share is worked out once.

    Parameters
    ----------
    tables, settings
        As `explain` takes them.
    """

    def __init__(self, tables: Mapping[str, pd.DataFrame], settings: Mapping[str, str] | None = None) -> None:
        self.settings = settings
        self.tables = {name: table for name, table in tables.items() if name in columns.TABLES}
        self._log, self._records = functools.cache(self._series), functools.cache(self._rows_of)
        self._cells = functools.cache(self._cells_of)
        self._days: dict[tuple[int, float, float, str], list[str]] = {}

    @cached_property
    def places(self) -> Places:
        """The results, by place."""
        return Places(self.table("results"), self.settings)

    @cached_property
    def _where(self) -> dict[str, tuple[str, int]]:
        """Which table and row each id is in."""
        found: dict[str, tuple[str, int]] = {}
        for table, column in _IDS.items():
            keys = map(str, self.table(table)[column].tolist())
            found.update(zip(keys, zip(itertools.repeat(table), itertools.count()), strict=False))
        return found

    def _cells_of(self, facility: str) -> dict[str, int]:
        """Return which of a user's results stands at each `file!sheet!cell`."""
        rows = self.places.of_user(facility)
        own = self.table("results").iloc[rows]
        parts = [own[f"source_{part}"].astype(str).tolist() for part in ("file", "sheet", "cell")]
        places = ["!".join(text for text in cell if text) for cell in zip(*parts, strict=True)]
        return dict(zip(places, rows.tolist(), strict=True))

    @cached_property
    def _limits(self) -> dict[tuple[Any, ...], int]:
        """Where the first limit stands that has the texts and numbers of each `_limit`."""
        limits = self.table("limits")
        rows = zip(*(limits[name].tolist() for name in _LIMIT), strict=True)
        found: dict[tuple[Any, ...], int] = {}
        for at, row in enumerate(rows):
            found.setdefault(_limit(dict(zip(_LIMIT, row, strict=True))), at)
        return found

    def table(self, name: str) -> pd.DataFrame:
        """Return a table, empty where the report has none."""
        return self.tables[name] if name in self.tables else columns.empty(name)

    def _rows_of(self, name: str) -> Records:
        return Records(self.table(name))

    def explain(self, finding: str) -> str:
        """Return the arithmetic of one finding, as `explain` does."""
        if finding not in self._where:
            near = difflib.get_close_matches(finding, list(self._where), n=3, cutoff=0.5)
            raise UsageError(
                "no comparison, slug or SNC row of this report has that id.",
                where=finding,
                todo=f"Near: {', '.join(near)}." if near else "The ids are in tables/comparisons, slugs and snc.",
            )
        table, at = self._where[finding]
        row = self._records(table)[at]
        lines = {"comparisons": self._comparison, "slugs": self._slug, "snc": self._snc}[table](row)
        return "\n".join([f"{_NAMES[table]} {finding}", *lines]) + "\n"

    def _comparison(self, row: Mapping[Any, Any]) -> list[str]:
        head = f"{_who(row)}: {_what(row)}, {row['statistic']} of {_period(row)}"
        others = self._others(row)
        return [
            head,
            "",
            "The cells and the value",
            *_indent(self._slugs(row) if row["statistic"] == "slug" else self._value(row)),
            "",
            "The rule",
            *_indent(self._rule(row)),
            "",
            "The comparison",
            *_indent(arithmetic.comparison(row)),
            *(["", *others] if others else []),
        ]

    def _value(self, row: Mapping[Any, Any]) -> list[str]:
        return value_lines(row, self.places, self.table("results"), functools.partial(self._rows, row))

    def _rows(self, row: Mapping[Any, Any]) -> list[int]:
        """Return the results that a comparison names as its cells; where it names none, those of its period."""
        named = str(row.get("sources", "")).split("; ")
        cells = self._cells(str(row["facility"]))
        rows = [cells[cell] for cell in named if cell in cells]
        if rows or str(row.get("sources", "")) or row["statistic"] == "slug":
            return rows
        own = self.places.rows(tuple(str(row[name]) for name in _PLACE))
        start = self.table("results")["start"].to_numpy()[own]
        first, last = (np.datetime64(pd.Timestamp(row[f"period_{end}"])) for end in ("start", "end"))
        return [int(at) for at in own[(start >= first) & (start < last)]]

    def _rule(self, row: Mapping[Any, Any]) -> list[str]:
        """Return the limit's cite, its words and what it means."""
        lines = [f"{row['pack']}, {row['cite']} ({row['limit_id']}): {arithmetic.relation(row)}"]
        at = self._limits.get(_limit(row))
        if at is not None:
            limit = self._records("limits")[at]
            if str(limit["printed"]):
                lines.append(f'in words: "{limit["printed"]}"')
            if str(limit["statistic_printed"]):
                lines.append(f'the statistic is printed as "{limit["statistic_printed"]}"')
            if str(limit["reason"]):
                ranged = limit["limit_low"] != limit["limit_high"]
                lines.append(f"{'the limit is a range' if ranged else 'the limit as it stands'}: {limit['reason']}")
            if str(limit["point"]):
                lines.append(f"measured at: {limit['point']}")
        if str(row.get("kind", "")) not in ("", "violation"):
            lines.append(f"this is a {row['kind']}, no violation")
        return lines

    def _others(self, row: Mapping[Any, Any]) -> list[str]:
        """Return the other limits that hold for the same thing, and which of them binds."""
        if str(row.get("binding", "yes")) == "yes":
            return []
        if row["binding"] == "unknown":
            return ["Whether this limit or another is the most stringent depends on facts that are missing."]
        table = self.table("comparisons")
        same = np.ones(len(table), dtype=bool)
        for name in (*_PLACE, "statistic", "bound", "kind", "period_start", "period_end"):
            same &= (table[name].astype(object) == row[name]).to_numpy()
        binding = table[same & (table["binding"].astype(str) == "yes").to_numpy()]
        named = "; ".join(f"{one['pack']} {one['cite']} ({one['comparison_id']})" for one in binding.to_dict("records"))
        return [f"A more stringent limit binds: {named or 'another one'}."]

    def _slug(self, row: Mapping[Any, Any]) -> list[str]:
        own = self._log(str(row["facility"]), str(row["outfall"]), str(row["parameter"]), str(row["unit"]))
        level = float(row["baseline"]) * float(row["multiple"])
        times = f"{number(float(row['baseline']))} × {number(float(row['multiple']))} = {number(level)} {row['unit']}"
        start, end = pd.Timestamp(row["start"]), pd.Timestamp(row["end"])
        return [
            f"{_who(row)}: {row['parameter']}, {start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}",
            "",
            "The level",
            f"    baseline × multiple: {times} ({row['reason'] or 'baseline as given'})",
            *_indent(self._baseline(row)),
            "",
            "The readings",
            *_indent(run.lines(own, row)),
            "",
            "The rule",
            f"    {row['pack']}, {row['cite']}",
            *self._slug_words(row),
            "",
            "The comparison",
            f"    proven: {number(float(row['minutes_low']))} min; possible: {_minutes(float(row['minutes_high']))}",
            f"    verdict: {row['verdict']}" + (f", {row['reason']}" if row["reason"] else ""),
        ]

    def _baseline(self, row: Mapping[Any, Any]) -> list[str]:
        own = self._log(str(row["facility"]), str(row["outfall"]), str(row["parameter"]), str(row["unit"]))
        key = (id(own), float(row["baseline"]), float(row["multiple"]), str(row["pack"]))
        if key not in self._days:
            self._days[key] = baseline.lines(own, *key[1:3], self.places.known(key[3]))
        return self._days[key]

    def _slug_words(self, row: Mapping[Any, Any]) -> list[str]:
        """Return the words of the slug rule."""
        limits = self.table("limits")
        same = limits["statistic"].astype(str) == "slug"
        for name in ("pack", "facility"):
            same &= limits[name].astype(str) == str(row[name])
        words = sorted({str(text) for text in limits.loc[same, "printed"]} - {""})
        return [f'    in words: "{text}"' for text in words]

    def _series(self, facility: str, outfall: str, parameter: str, unit: str) -> pd.DataFrame:
        """Return the readings of one meter in order of time; the runs of a log lie in the same ones."""
        results = self.table("results")
        own = results.iloc[self.places.of_parameter((facility, outfall, parameter))]
        own = own[own["start"].notna().to_numpy()]
        if "unit" in own and len(own):
            own = own[(own["unit"].astype(str) == unit).to_numpy()]
        return own.sort_values("start", kind="stable")

    def _slugs(self, row: Mapping[Any, Any]) -> list[str]:
        """Return the runs that a month's count of slugs counts."""
        table = self.table("slugs")
        same = np.ones(len(table), dtype=bool)
        for name in ("pack", "facility", "outfall", "parameter"):
            same &= (table[name].astype(str) == str(row[name])).to_numpy()
        start = table["start"]
        same &= ((start >= pd.Timestamp(row["period_start"])) & (start < pd.Timestamp(row["period_end"]))).to_numpy()
        own = table[same]
        lines = [_run(one) for one in own.head(_RUNS).to_dict("records")]
        if len(own) > _RUNS:
            lines.append(f"and {len(own) - _RUNS:,} runs more, in the table slugs")
        verdicts = own["verdict"].astype(str)
        proven, possible = (int(verdicts.isin(words).sum()) for words in (["exceeds"], ["exceeds", "undetermined"]))
        said = str(proven) if proven == possible else f"from {proven} to {possible}"
        return [
            *(lines or [f"no run above {row['level']}"]),
            f"runs that exceed: {proven}; that exceed or may: {possible}",
            f"value: {said} slug{'' if said == '1' else 's'}, of {row['n']} readings",
        ]

    def _snc(self, row: Mapping[Any, Any]) -> list[str]:
        head = f"{_who(row)}: {_what(row)}, {row['statistic']}, half year {_period(row, 'window')}"
        return [head, *explain_snc.lines(row, self.table("limits"), self.places)]


def read_tables(folder: str | Path) -> dict[str, pd.DataFrame]:
    """Return the tables of a report that was written, as they were before they were written.

    Parameters
    ----------
    folder : path
        What `pretreat check ... --out` named.

    Raises
    ------
    FileError
        Where there are no tables.
    """
    home = Path(folder) / "tables"
    found: dict[str, pd.DataFrame] = {}
    for name in columns.TABLES:
        for path in (home / f"{name}.csv", home / f"{name}.parquet"):
            if path.is_file():
                found[name] = pd.read_parquet(path) if path.suffix == ".parquet" else _read_csv(path)
    if not found:
        raise FileError("no tables of a report are there.", where=str(home), todo="Name the folder that --out named.")
    return {name: columns.complete(table, name) for name, table in found.items()}


def read_settings(folder: str | Path) -> dict[str, str]:
    """Return the settings in use of a report that was written; nothing where it does not say them."""
    path = Path(folder) / "provenance.json"
    try:
        said = json.loads(path.read_text(encoding="utf-8"))["settings"]
        return {str(name): str(value) for name, value in said.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _read_csv(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    for name in frame:
        if name in columns.TIMES:
            frame[name] = pd.to_datetime(frame[name].replace("", None), format="ISO8601").astype("datetime64[s]")
        elif name in columns.NUMBERS | columns.COUNTS:
            numbers = pd.to_numeric(frame[name].replace("", None))
            frame[name] = numbers.astype("int64" if name in columns.COUNTS else "float64")
        else:
            frame[name] = frame[name].str.replace(r"^'(?=[=+\-@\t\r])", "", regex=True)
    return frame


def _limit(row: Mapping[Any, Any]) -> tuple[Any, ...]:
    """Return what tells a limit; an end that may not apply (NaN) equals another such."""
    ends = (float(row[name]) for name in _LIMIT[-2:])
    return (*(str(row[name]) for name in _LIMIT[:-2]), *(None if np.isnan(end) else end for end in ends))


def _who(row: Mapping[Any, Any]) -> str:
    return f"{row['facility']}, outfall {row['outfall']}" if row["outfall"] else str(row["facility"])


def _what(row: Mapping[Any, Any]) -> str:
    fraction = str(row.get("fraction", ""))
    return f"{row['parameter']} ({fraction})" if fraction else str(row["parameter"])


def _period(row: Mapping[Any, Any], name: str = "period") -> str:
    start, end = pd.Timestamp(row[f"{name}_start"]), pd.Timestamp(row[f"{name}_end"])
    if start == end:
        return f"{start:%Y-%m-%d %H:%M}"
    if start == start.normalize() and end - start == pd.Timedelta(days=1):
        return f"{start:%Y-%m-%d}"
    return f"{start:%Y-%m-%d} to {end - pd.Timedelta(seconds=1):%Y-%m-%d}"


def _run(slug: Mapping[Any, Any]) -> str:
    start, end = pd.Timestamp(slug["start"]), pd.Timestamp(slug["end"])
    lasted = f"{number(float(slug['minutes_low']))} min proven, {_minutes(float(slug['minutes_high']))} possible"
    return f"{slug['slug_id']}: {start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}, {lasted}: {slug['verdict']}"


def _minutes(minutes: float) -> str:
    return "no end within the gap" if np.isinf(minutes) else f"{number(minutes)} min"


def _indent(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]
