"""The report: tables, workbook and page; it prints what was decided and computes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


def write(
    review: Reviewed, folder: str | Path, *, tables: Iterable[str] | None = None, parquet: bool | None = None
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
    parquet : bool, optional
        Tables as Parquet; where not said, as the input was.

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
    ...     written = write(review, Path(place) / "out", tables=["slugs"])
    ...     sorted(path.name for path in written.rglob("*"))
    ['provenance.json', 'slugs.csv', 'tables']
    """
    names = files.check_names(tables)
    with folders.replacing(Path(folder)) as new:
        (new / "tables").mkdir()
        as_parquet = _parquet_input(review.provenance) if parquet is None else parquet
        files.write_tables(review.tables, new / "tables", names=names, parquet=as_parquet)
        folders.write_marker(new, dict(review.provenance))
        if tables is None:
            from pretreat.report import page, workbook  # noqa: PLC0415 - slow to import, and not needed for tables alone

            workbook.write(review, new / "report.xlsx")
            page.write(review, new / "report.html")
    return Path(folder)


def _parquet_input(provenance: Mapping[str, Any]) -> bool:
    return any(str(each.get("file", "")).lower().endswith(".parquet") for each in provenance.get("inputs", ()))
