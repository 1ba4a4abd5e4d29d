"""Small tables that people keep beside the samples: facilities, events, streams, as text with their headings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from pretreat.errors import FileError
from pretreat.reading import contents, files, text, workbooks
from pretreat.reading.sheets import Cells, Sheet, text_of


def read_table(path: str | Path) -> pd.DataFrame:
    r"""Return the first table of a workbook or text file, every cell as text.

    The first row with content holds the headings; a row of nothing is left out. Dates become `2026-01-31`, whole
    numbers lose their `.0`, `TRUE` and `FALSE` stay words. An index from 1 tells the row of the file.

    Parameters
    ----------
    path : str or Path
        A `.xlsx`, `.xls`, `.ods`, `.csv`, `.txt` or `.parquet` file.

    Raises
    ------
    FileError
        Where the file is missing, damaged or empty, or where two columns have one heading.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "facilities.csv"
    >>> _ = file.write_text("facility,flow_gpd\nAcme Plating,25000\n")
    >>> read_table(file).to_dict("records")
    [{'facility': 'Acme Plating', 'flow_gpd': '25000'}]
    """
    path = Path(path)
    name = files.shown(path)
    if not path.is_file():
        raise FileError("there is no such file.", where=name, todo="Check the spelling of the path.")
    data = files.content(path)
    kind = contents.kind(data, name)
    if kind == "parquet":
        frame = pd.read_parquet(path)
        return frame.map(lambda v: "" if pd.isna(v) else text_of(v)).set_axis([str(c) for c in frame.columns], axis=1)
    sheets = [text.read(data, name)] if kind == "text" else workbooks.read(data, name, kind)
    sheet = next((s for s in sheets if (s.cells != "").any()), None)
    if sheet is None:
        raise FileError("the file is empty.", where=name, todo="Give it a row of headings.")
    return _framed(sheet)


def _framed(sheet: Sheet) -> pd.DataFrame:
    cells = sheet.cells
    filled = np.asarray(cells != "", dtype=bool)
    header = int(np.flatnonzero(filled.any(axis=1))[0])
    columns = [c for c in range(cells.shape[1]) if text_of(cells[header, c])]
    headings = [text_of(cells[header, c]) for c in columns]
    twice = sorted({h for h in headings if headings.count(h) > 1})
    if twice:
        raise FileError(
            f"two columns are headed {twice[0]!r}.", where=f"{sheet.file}, row {header + 1}", todo="Rename one of them."
        )
    rows = [r for r in range(header + 1, cells.shape[0]) if filled[r].any()]
    body: Cells = cells[np.ix_(rows, columns)]
    texts = [[text_of(v) for v in row] for row in body.tolist()]
    index = pd.Index([r + 1 for r in rows], dtype="int64", name="row")
    return pd.DataFrame(texts, columns=headings, index=index, dtype=object)
