"""What was read: results, what was set aside, and how each sheet was understood."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from pretreat import columns, parameters, reading, record, tidy
from pretreat.errors import UsageError
from pretreat.reading import files
from pretreat.reading.account import UNDERSTOOD
from pretreat.record import Recorded
from pretreat.tidy.texts import coded


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
    as_read : Recorded, optional
        What the files gave before it was settled which of several reports of one result stands.
    """

    slim: pd.DataFrame = field(repr=False)
    set_aside: pd.DataFrame = field(repr=False)
    sheets: pd.DataFrame = field(repr=False)
    findings: pd.DataFrame = field(repr=False)
    understood: pd.DataFrame = field(repr=False)
    inputs: tuple[tuple[str, str], ...] = ()
    parquet: bool = False
    date_orders: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    as_read: Recorded | None = field(default=None, repr=False)

    @cached_property
    def results(self) -> pd.DataFrame:
        """Every result, with all columns of the results table."""
        return columns.complete(self.slim, "results").reset_index(drop=True)

    def record(self, path: str | Path, *, who: str = "") -> list[str]:
        """Add the files that a program's record does not hold yet; what was read from a record stays in its own.

        Parameters
        ----------
        path : path
            The record (`program.sqlite`); made where it does not exist.
        who : str, optional
            Who adds them; the login name unless given.

        Returns
        -------
        list of str
            The files added. The same file twice has no effect.

        Raises
        ------
        FileError, UsageError
            A file that is no record, or cannot be written.
        """
        record.usable(Path(path))
        if self.as_read is None:
            return []
        tables = {
            name: getattr(self.as_read, name) for name in ("results", "set_aside", "sheets", "notes", "date_orders")
        }
        return record.append(Path(path), tables, self.as_read.files, who=who)

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
        Files, folders (with their subfolders) or globs; a record (`program.sqlite`) is named by itself.
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
    UsageError
        For a DataFrame, which `pretreat.check` takes as it is.

    Examples
    --------
    >>> samples = read_samples("samples/glen-park-truck-wash.csv")
    >>> print(samples.results[["parameter", "value", "unit", "source_cell"]].head(2).to_csv(index=False), end="")
    parameter,value,unit,source_cell
    pH,7.4,SU,D3
    pH,7.4,SU,D4
    """
    unchecked: object = paths
    if isinstance(unchecked, pd.DataFrame):
        raise UsageError(
            "a DataFrame is no file to read.", where="read_samples", todo="Give it to pretreat.check as it is."
        )
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    found = files.find(given)
    records = [path for path in found if path.suffix.lower() in record.SUFFIXES]
    others = [path for path in found if path not in records]
    fresh = _read(others, dates, template, facility, cache) if others else None
    held = [record.load(path) for path in records]
    everything = held_once(fresh, held) if held or fresh is None else fresh
    results, repeated, findings = tidy.revisions(everything.results)
    if results.empty:  # sheets without a table: every column, and no row
        results = columns.empty("results")
    said = [findings, tidy.sheets_alike(results)]
    set_aside = pd.concat([everything.set_aside, repeated], ignore_index=True)
    own = tuple((path.as_posix(), digest(path)) for path in records)
    return Samples(
        slim=results,
        set_aside=columns.complete(set_aside, "set_aside"),
        sheets=account(everything.sheets, results),
        findings=columns.complete(pd.concat([everything.notes, *said], ignore_index=True), "findings"),
        understood=everything.understood,
        inputs=(*own, *everything.files),
        parquet=all(path.suffix.lower() == ".parquet" for path in found),
        date_orders=everything.date_orders,
        as_read=fresh,
    )


def _read(
    paths: list[Path],
    dates: str | None,
    template: str | Path | None,
    facility: str | None,
    cache: str | Path | None,
) -> Recorded:
    """Read files as they come, and put names, units, values and dates in order."""
    raw = reading.read(paths, dates=dates, template=template, facility=facility, cache=cache)
    with ThreadPoolExecutor(max_workers=1) as beside:  # reading keeps both processors busy, tidying one
        digests = beside.map(digest, paths)
        tidied = tidy.tidy(raw.values, dates=raw.dates or None)
    return Recorded(
        results=tidied.results,
        set_aside=pd.concat([raw.set_aside, tidied.set_aside], ignore_index=True),
        sheets=_with_orders(raw.sheets, tidied.date_orders),
        notes=tidied.notes,
        date_orders=tidied.date_orders,
        files=tuple((path.as_posix(), sha256) for path, sha256 in zip(paths, digests, strict=True)),
        understood=_with_strangers(raw.understood, strangers(tidied.results)),
    )


def _with_strangers(understood: pd.DataFrame, unknown: pd.DataFrame) -> pd.DataFrame:
    if not len(unknown):
        return understood
    joined = pd.concat([understood, unknown], ignore_index=True)
    joined.attrs = dict(understood.attrs)  # what a template is learnt from
    return joined


def strangers(results: pd.DataFrame) -> pd.DataFrame:
    """Return a remark for each sheet and name that no list of parameters has: it is kept as it stands.

    Examples
    --------
    >>> frame = pd.DataFrame({"parameter": ["Copper", "Cuivre"], "source_file": "a.csv", "source_sheet": ""})
    >>> strangers(frame)["note"].tolist()
    ["no list of parameters has 'Cuivre'; it is kept as it stands (1 result)"]
    """
    key = ["source_file", "source_sheet", "parameter"]
    none = pd.DataFrame(columns=list(UNDERSTOOD))
    if not set(key) <= set(results.columns) or not len(results):
        return none
    codes, names = coded(results, "parameter")
    unknown = np.array([*(name not in parameters.every() for name in names), False], dtype=bool)
    if not unknown.any():
        return none
    counts = results.loc[unknown[codes], key].astype(str).groupby(key).size().reset_index(name="n")
    rows = []
    for file, sheet, name, count in counts.itertuples(index=False, name=None):
        said = f"{count:,} result{'s' if count > 1 else ''}"
        note = f"no list of parameters has {name!r}; it is kept as it stands ({said})"
        rows.append((file, sheet, "", "", name, "parameter", note))
    return pd.DataFrame(rows, columns=list(UNDERSTOOD)) if rows else none


def held_once(fresh: Recorded | None, held: Sequence[Recorded]) -> Recorded:
    """Put records and files read just now together, each file once: by its bytes, not by its name.

    Parameters
    ----------
    fresh : Recorded or None
        Files read just now.
    held : sequence of Recorded
        What records hold; a file whose bytes were seen before is left out, and one with the name of another gets
        `(record N)` after its name.
    """
    parts = [] if fresh is None else [fresh]
    names = {name for part in parts for name, _ in part.files}
    hashes = {sha256 for part in parts for _, sha256 in part.files}
    for number, part in enumerate(held, start=1):
        new = {name: name for name, sha256 in part.files if sha256 not in hashes}
        new = {name: f"{name} (record {number})" if name in names else name for name in new}
        tables = {name: _of_files(getattr(part, name), new) for name in _BY_FILE}
        renamed = tuple((new[name], sha256) for name, sha256 in part.files if name in new)
        parts.append(replace(part, **tables, files=renamed))
        names |= set(new.values())
        hashes |= {sha256 for _, sha256 in renamed}
    joined = {name: _joined([getattr(part, name) for part in parts]) for name in (*_BY_FILE, "understood")}
    return Recorded(**joined, files=tuple(pair for part in parts for pair in part.files))


_BY_FILE: Final = ("results", "set_aside", "sheets", "notes", "date_orders")


def _of_files(frame: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    """Return the rows of some files, under the names given."""
    if "source_file" not in frame:
        return frame
    codes, files = columns.codes(frame, "source_file")
    wanted = np.isin(files.astype(str), list(names))
    part = frame[wanted[codes]].reset_index(drop=True)
    return part.assign(source_file=part["source_file"].astype(str).map(names).astype("category"))


def _joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Return frames one after another; text stays categorical."""
    some = [frame for frame in frames if len(frame)] or frames[:1]
    if len(some) == 1:
        return some[0]
    words = {name for frame in some for name in frame if isinstance(frame[name].dtype, pd.CategoricalDtype)}
    plain = [frame.astype({name: str for name in words if name in frame}) for frame in some]
    joined = pd.concat(plain, ignore_index=True)
    for name in words:
        joined[name] = joined[name].fillna("").astype("category")
    if "timed" in joined:
        joined["timed"] = joined["timed"].fillna(False).astype(bool)
    return joined


def _with_orders(sheets: pd.DataFrame, date_orders: pd.DataFrame) -> pd.DataFrame:
    """Give the sheets the order of their dates, where that was found out later."""
    if not len(date_orders):
        return sheets
    key = ["source_file", "source_sheet"]
    joined = sheets.drop(columns=["date_order"], errors="ignore").merge(
        date_orders[[*key, "date_order"]], on=key, how="left"
    )
    return joined.assign(date_order=joined["date_order"].fillna(""))


def account(sheets: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """Return the sheets with their values counted: seen = used + set aside.

    Parameters
    ----------
    sheets : DataFrame
        `source_file`, `source_sheet`, `values_seen` and what else is known of each sheet.
    results : DataFrame
        The results in use.
    """
    key = ["source_file", "source_sheet"]
    counted = sheets.drop(columns=["values_used", "values_set_aside"], errors="ignore")
    counted = counted.merge(_used(results, key), on=key, how="left")
    counted["values_used"] = counted["values_used"].fillna(0).astype("int64")
    counted["values_set_aside"] = counted["values_seen"] - counted["values_used"]
    return columns.complete(counted, "sheets")


def _used(results: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Return how many results each sheet has, by codes: grouping ten million by two texts takes longer than reading."""
    lone = [_lone(results, name) for name in key]
    if None not in lone:
        return pd.DataFrame({key[0]: lone[:1], key[1]: lone[1:], "values_used": [len(results)]})
    files, file_names = columns.codes(results, key[0])
    tabs, tab_names = columns.codes(results, key[1])
    n = np.bincount(files * len(tab_names) + tabs, minlength=len(file_names) * len(tab_names))
    pairs = np.flatnonzero(n)
    return pd.DataFrame(
        {
            key[0]: file_names.astype(str)[pairs // len(tab_names)],
            key[1]: tab_names.astype(str)[pairs % len(tab_names)],
            "values_used": n[pairs],
        }
    )


def _lone(results: pd.DataFrame, name: str) -> str | None:
    """Return the text that all results have in a column, None where they differ or it is not known at a glance."""
    column = results[name] if name in results else pd.Series()
    if not len(column) or not isinstance(column.dtype, pd.CategoricalDtype) or len(column.cat.categories) != 1:
        return None
    return str(column.cat.categories[0]) if int(column.array.codes.min()) == 0 else None


def digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
