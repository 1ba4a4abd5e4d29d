"""The same results on two sheets of one workbook: a summary and its details, or two samples of a day.

Identical results in two files are one (interface). Two sheets of one file may be the morning's and the afternoon's
samples, so that both count; where nothing else makes one sample of them, a person must look.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from pretreat import columns, parameters
from pretreat.stretches import combined
from pretreat.tidy.aside import Bool
from pretreat.tidy.revisions import keys, paired, source
from pretreat.tidy.texts import coded

_MOST_SOURCES: Final = 40
_MOST_SHEETS: Final = 5


def sheets_alike(results: pd.DataFrame) -> pd.DataFrame:
    """Return a finding for each file of which several sheets hold the same results, each of which counts.

    Parameters
    ----------
    results : DataFrame
        Results with `source_file` and `source_sheet`, and what there is of the other columns.

    Notes
    -----
    Results with one time or one sample id are one sample wherever they stand (interface) and need no finding, but for
    readings of an instrument.

    Examples
    --------
    >>> frame = pd.DataFrame({"facility": "Acme", "parameter": "Zinc", "value": [1.0, 1.0], "source_file": "oct.xlsx",
    ...                       "source_sheet": ["Summary", "Detail"], "source_cell": ["B2", "D9"], "timed": False,
    ...                       "start": pd.Timestamp("2026-10-05")})
    >>> sheets_alike(frame)["message"].tolist()[0].split(";")[0]
    "1 result stands on several sheets of oct.xlsx alike ('Summary' and 'Detail')"
    """
    nothing = columns.empty("findings")
    if not {"source_file", "source_sheet"} <= set(results.columns) or len(results) < 2:
        return nothing
    files, tabs = coded(results, "source_file"), coded(results, "source_sheet")
    page, each = combined([(codes, len(names)) for codes, names in (files, tabs)])
    of_file = np.array([pick[0] for pick in each])
    if len(set(of_file.tolist())) == len(of_file):  # one sheet a file
        return nothing
    key = keys(results)
    doubtful = key["sample"] < 0
    if "timed" in results:
        doubtful &= ~results["timed"].to_numpy(dtype=bool) | _by_instrument(results)
    rows = np.flatnonzero(doubtful)
    result = paired(key["where"][rows], key["what"][rows])
    one = pd.DataFrame({"result": result, "page": page[rows], "file": of_file[page[rows]], "row": rows})
    one = one.drop_duplicates(["result", "page"])
    again = one[one.duplicated(["result", "file"], keep=False)]
    found = []
    for file, group in again.groupby("file", sort=False):
        pages = sorted(set(group["page"]))
        names = [repr(tabs[1][each[page][1]]) for page in pages]
        said = ", ".join(names[:_MOST_SHEETS]) if len(names) > _MOST_SHEETS else " and ".join(names[-2:])
        said = f"{', '.join(names[:-2])}, {said}" if 2 < len(names) <= _MOST_SHEETS else said
        said += f" and {len(names) - _MOST_SHEETS:,} more" if len(names) > _MOST_SHEETS else ""
        count = group["result"].nunique()
        what = "1 result stands" if count == 1 else f"{count:,} results stand"
        message = (
            f"{what} on several sheets of {files[1][int(str(file))]} alike ({said}); each counts. If one sheet repeats "
            'another, say layout = "none" for it in a template; if they are other samples, give them times or ids'
        )
        where = [source(results, row) for row in group.sort_values("result")["row"][:_MOST_SOURCES]]
        found.append({"code": "same results on two sheets", "message": message, "sources": "; ".join(where)})
    return columns.complete(pd.DataFrame(found), "findings") if found else nothing


def _by_instrument(results: pd.DataFrame) -> Bool:
    codes, names = coded(results, "parameter")
    by_instrument = np.array([*(parameters.get(name).instrument for name in names), False], dtype=bool)
    return np.asarray(by_instrument[codes], dtype=bool)
