"""Files into raw values: `read` and what it returns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from pretreat import columns
from pretreat.errors import UsageError
from pretreat.reading import assemble, contents, files, text, workbooks
from pretreat.reading import cache as cache_
from pretreat.reading import template as template_
from pretreat.reading.account import UNDERSTOOD, Account, Options, by_sheet, joined, of_frame, of_sheet


@dataclass(frozen=True, slots=True)
class Raw:
    """What was read.

    `values` holds one row a value cell (docs/architecture.md, "raw"), `set_aside` what is no value of a table,
    `sheets` one row a sheet, `understood` one row for each column of each table and for each remark, `dates` the order
    of dates that was asked for (by the option or the template), or `""`.
    """

    values: pd.DataFrame
    set_aside: pd.DataFrame
    sheets: pd.DataFrame
    understood: pd.DataFrame
    dates: str = ""


def read(
    paths: str | Path | Iterable[str | Path],
    *,
    dates: str | None = None,
    template: str | Path | None = None,
    facility: str | None = None,
    cache: str | Path | None = None,
) -> Raw:
    """Read files of samples as they come.

    Parameters
    ----------
    paths : str, Path or iterable of them
        Files, folders (with their subfolders) or globs.
    dates : {"mdy", "dmy", "ymd"}, optional
        The order of dates in text; it is handed on to `tidy` in `sheets.date_order`.
    template : str or Path, optional
        Hints for a laboratory's sheet (`reading.template`).
    facility : str, optional
        The user, on sheets that name none.
    cache : str or Path, optional
        A folder that keeps what each file gave, by the hash of its bytes; it can be deleted at any time.

    Returns
    -------
    Raw
        For every sheet, `values_seen` is the number of its rows in `values` and of its values in `set_aside`.

    Raises
    ------
    FileError
        Where a file is missing, damaged, empty, or is not what its name says.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    options = Options(dates or "", facility or "", template_.load(template) if template is not None else ())
    kept = cache_.Cache(Path(cache), options) if cache is not None else None
    account = _account(files.find(given), options, kept)
    understood = pd.DataFrame(account.understood, columns=list(UNDERSTOOD))
    understood.attrs["tables"] = account.tables
    return Raw(
        account.values[0],
        pd.DataFrame(account.set_aside, columns=list(columns.TABLES["set_aside"])),
        pd.DataFrame(account.sheets, columns=list(columns.TABLES["sheets"])),
        understood,
        options.dates or _one_order(options.hints),
    )


def _account(paths: list[Path], options: Options, kept: cache_.Cache | None) -> Account:
    """Return the account of all files, with one frame of values; of files read before, the account kept."""
    entry = None
    if kept is not None and len(paths) > 1 and not any(path.suffix.lower() == ".parquet" for path in paths):
        entry = kept.all(paths)
        account = kept.get(entry) if entry is not None else None
        if account is not None:
            return account
    account = Account()
    for path in paths:
        account += _file(path, options, kept)
    account = joined(account)
    account = replace(account, values=[assemble.concatenate(account.values or [_nothing()])], lists=[], waiting=[])
    if kept is not None and entry is not None:
        kept.put(entry, account)
    return account


def _one_order(hints: tuple[template_.Hint, ...]) -> str:
    orders = {hint.dates for hint in hints if hint.dates}
    if len(orders) > 1:
        raise UsageError(
            f"the template gives two orders of dates, {' and '.join(sorted(orders))}.",
            where=hints[0].source,
            todo="Read the files of each order by themselves.",
        )
    return next(iter(orders), "")


def _nothing() -> pd.DataFrame:
    return pd.DataFrame(
        {name: pd.Series(dtype=object) for name in ("value", "source_file", "source_sheet", "source_cell")}
    )


def _file(path: Path, options: Options, kept: cache_.Cache | None) -> Account:
    name = files.shown(path)
    if path.suffix.lower() == ".parquet":
        return _parquet(path, name, options)
    data = files.content(path)
    entry = kept.file(data, name) if kept is not None else None
    account = kept.get(entry, name) if kept is not None and entry is not None else None
    if account is None:
        kind = contents.kind(data, name)
        if kind == "parquet":
            return _parquet(path, name, options)
        sheets = [text.read(data, name)] if kind == "text" else workbooks.read(data, name, kind)
        account = Account()
        for one in by_sheet([of_sheet(sheet, options) for sheet in sheets]):
            account += one
        if kept is not None and entry is not None:
            kept.put(entry, account, name)
    return account


def _parquet(path: Path, name: str, options: Options) -> Account:
    from pretreat.reading import parquet  # noqa: PLC0415 - it loads what Arrow has for networks, which sheets do not need

    return of_frame(parquet.read(path, name), name, options)
