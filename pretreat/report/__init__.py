"""The report: tables, workbook and page; it prints what was decided and computes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from pretreat.report import folder as folders
from pretreat.report import tables as files


class Reviewed(Protocol):
    """What a report needs of a review: the tables by name, what it was made from, and the checklist."""

    @property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """The frames of `columns.TABLES` by name."""

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Version, options, inputs with their hashes, packs, period, settings (`docs/architecture.md`)."""

    @property
    def checklist(self) -> pd.DataFrame:
        """What a person must judge: `pack`, `cite`, `subject`, `kind`, `printed`."""


def save(
    review: Reviewed, folder: str | Path, *, tables: Iterable[str] | None = None, per_facility: bool = False
) -> Path:
    """Write what `--out DIR` promises: `report.xlsx`, `report.html` and `tables/`, all of it or nothing.

    Parameters
    ----------
    review : Reviewed
        The result of a check.
    folder : str or Path
        The output folder, DIR.
    tables : iterable of str, optional
        Write these tables alone and no report.
    per_facility : bool
        Also write a workbook and a page of each user alone, in `users/`.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    UsageError
        For an unknown table, a folder that pretreat did not write, or one that another run is writing to.
    FileError
        If the folder cannot be written; what was there before is then as it was.

    Examples
    --------
    >>> import tempfile
    >>> from types import SimpleNamespace
    >>> review = SimpleNamespace(tables={}, provenance={}, checklist=pd.DataFrame())
    >>> with tempfile.TemporaryDirectory() as place:
    ...     written = save(review, Path(place) / "out", tables=["slugs"])
    ...     sorted(path.name for path in written.rglob("*"))
    ['provenance.json', 'slugs.csv', 'tables']
    """
    names = files.check_names(tables)
    with folders.replacing(Path(folder)) as new, ThreadPoolExecutor(max_workers=1) as beside:
        # Arrow writes the tables while Python is at work on the report.
        written = beside.submit(_write_tables, review.tables, new, names, parquet=getattr(review, "parquet", False))
        folders.write_marker(new, dict(review.provenance))
        if tables is None:
            from pretreat.report import page, users, workbook  # noqa: PLC0415 - slow, and not needed for tables alone

            workbook.write(review, new / "report.xlsx")
            page.write(review, new / "report.html")
            for name, part in users.each(review) if per_facility else ():
                place = new / "users" / name
                place.mkdir(parents=True)
                workbook.write(part, place / "report.xlsx")
                page.write(part, place / "report.html")
        written.result()
    return Path(folder)


def save_reading(samples: Any, folder: str | Path) -> Path:
    """Write what `pretreat read --out DIR` promises: what was understood and what was set aside, as tables.

    Parameters
    ----------
    samples : Samples
        `results`, `set_aside`, `sheets` and `findings` are written; `inputs` are named in the folder's marker.
    folder : str or Path
        The output folder, DIR.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    UsageError, FileError
        As `save`.
    """
    names = ("results", "set_aside", "sheets", "findings")
    with folders.replacing(Path(folder)) as new:
        _write_tables({name: getattr(samples, name) for name in names}, new, names, parquet=samples.parquet)
        folders.write_marker(new, {"inputs": samples.inputs, "tables": names})
    return Path(folder)


def _write_tables(frames: Mapping[str, pd.DataFrame], new: Path, names: Iterable[str], *, parquet: bool) -> None:
    (new / "tables").mkdir()
    files.write_tables(frames, new / "tables", names=names, parquet=parquet)
