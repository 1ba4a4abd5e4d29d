"""What was read: results, what was set aside, and how each sheet was understood."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from pretreat import columns, reading, tidy
from pretreat.reading import files


@dataclass(frozen=True)
class Samples:
    """The results of one or more files, and the account of every value in them.

    Attributes
    ----------
    slim : DataFrame
        The results with the columns that the files gave; `results` is the same with every column.
    set_aside, sheets, findings : DataFrame
        Tables of `columns.TABLES`.
    understood : DataFrame
        For each sheet, which column was taken for what.
    inputs : tuple of (str, str)
        Each file as given, and the SHA-256 of its bytes.
    parquet : bool
        Whether the input was Parquet, so that the tables are Parquet too.
    date_orders : DataFrame
        For each sheet with dates as text, their order, and what they would be in the other one.
    """

    slim: pd.DataFrame = field(repr=False)
    set_aside: pd.DataFrame = field(repr=False)
    sheets: pd.DataFrame = field(repr=False)
    findings: pd.DataFrame = field(repr=False)
    understood: pd.DataFrame = field(repr=False)
    inputs: tuple[tuple[str, str], ...] = ()
    parquet: bool = False
    date_orders: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)

    @cached_property
    def results(self) -> pd.DataFrame:
        """Every result, with all columns of the results table."""
        return columns.complete(self.slim, "results").reset_index(drop=True)

    def _repr_html_(self) -> str:
        head = f"<p>{len(self.slim):,} results, {len(self.set_aside):,} set aside, {len(self.sheets):,} sheets</p>"
        return head + self.sheets.to_html(index=False)


def read_samples(
    paths: str | Path | Sequence[str | Path],
    *,
    dates: str | None = None,
    template: str | Path | None = None,
    facility: str | None = None,
    cache: str | Path | None = None,
) -> Samples:
    """Read laboratory sheets, meters' logs and tables of results.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, folders (with their subfolders) or globs.
    dates : {"mdy", "dmy", "ymd"}, optional
        The order of dates that are text, for files whose columns do not decide it.
    template : path, optional
        Hints for one laboratory's sheet (`pretreat read --learn` writes one).
    facility : str, optional
        The user on sheets that name none.
    cache : path, optional
        A folder that keeps what was read, by the files' hashes; it can be deleted at any time.

    Returns
    -------
    Samples

    Raises
    ------
    FileError
        A file that is missing, or is not what its name says.

    Examples
    --------
    >>> samples = read_samples("samples/glen-park-truck-wash.csv")
    >>> print(samples.results[["parameter", "value", "unit", "source_cell"]].head(2).to_csv(index=False), end="")
    parameter,value,unit,source_cell
    pH,7.4,SU,D3
    pH,7.4,SU,D4
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    found = files.find(given)
    raw = reading.read(found, dates=dates, template=template, facility=facility, cache=cache)
    tidied = tidy.tidy(raw.values, dates=raw.dates or None)
    results, repeated, findings = tidy.revisions(tidied.results)
    set_aside = pd.concat([raw.set_aside, tidied.set_aside, repeated], ignore_index=True)
    return Samples(
        slim=results,
        set_aside=columns.complete(set_aside, "set_aside"),
        sheets=account(raw.sheets, results, tidied.date_orders),
        findings=columns.complete(pd.concat([tidied.notes, findings], ignore_index=True), "findings"),
        understood=raw.understood,
        inputs=tuple((path.as_posix(), digest(path)) for path in found),
        parquet=all(path.suffix.lower() == ".parquet" for path in found),
        date_orders=tidied.date_orders,
    )


def account(sheets: pd.DataFrame, results: pd.DataFrame, date_orders: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the sheets with their values counted: seen = used + set aside.

    Parameters
    ----------
    sheets : DataFrame
        `source_file`, `source_sheet`, `values_seen` and what else is known of each sheet.
    results : DataFrame
        The results in use.
    date_orders : DataFrame, optional
        `source_file`, `source_sheet`, `date_order`, where that was found out later.
    """
    key = ["source_file", "source_sheet"]
    # Counted by codes: grouping ten million results by two texts takes longer than reading them.
    files, file_names = columns.codes(results, key[0])
    tabs, tab_names = columns.codes(results, key[1])
    n = np.bincount(files * len(tab_names) + tabs, minlength=len(file_names) * len(tab_names))
    pairs = np.flatnonzero(n)
    used = pd.DataFrame(
        {
            key[0]: file_names.astype(str)[pairs // len(tab_names)],
            key[1]: tab_names.astype(str)[pairs % len(tab_names)],
            "values_used": n[pairs],
        }
    )
    counted = sheets.drop(columns=["values_used", "values_set_aside"], errors="ignore")
    if date_orders is not None and len(date_orders):
        counted = counted.drop(columns=["date_order"], errors="ignore").merge(date_orders, on=key, how="left")
        counted["date_order"] = counted["date_order"].fillna("")
    counted = counted.merge(used, on=key, how="left")
    counted["values_used"] = counted["values_used"].fillna(0).astype("int64")
    counted["values_set_aside"] = counted["values_seen"] - counted["values_used"]
    return columns.complete(counted, "sheets")


def digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
