"""Raw values into results: numbers, qualifiers, names, units, dates, quality control.

Every value comes out on one side or the other: as a result in its parameter's canonical unit, with what was printed
beside it, or set aside with its address, a reason and what to do. Work is done once for each distinct text, unit, name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from pretreat.errors import UsageError
from pretreat.tidy import amounts, controls, date_doubts, duplicates, moments, notes, numbers, quality, rejected
from pretreat.tidy.aside import Aside
from pretreat.tidy.revisions import revisions
from pretreat.tidy.texts import categorical, coded, printed, text
from pretreat.tidy.times_of_day import DAY, UNKNOWN
from pretreat.tidy.values import Found, cells_of, found, kinds_of, widened

__all__ = ["Tidied", "from_frame", "revisions", "tidy", "tidy_frame"]

_CARRIED: Final = (
    "facility", "outfall", "point", "sample_id", "lab_sample_id", "method", "lab", "lab_certification", "preservation",
    "duplicate_of", "revision",
)  # fmt: skip
LONGEST_WITH_TEXT: Final = 1_000_000
"""More numeric rows than this keep their numbers, not a copy of each as text."""


@dataclass(frozen=True, slots=True)
class Tidied:
    """What became of the raw values.

    `results` as `columns.TABLES["results"]`, and `timed` where a time of day was printed; `set_aside` the rest, with
    reasons; `date_orders` one row a sheet; `notes` what was assumed, as `columns.TABLES["findings"]`.
    """

    results: pd.DataFrame
    set_aside: pd.DataFrame
    date_orders: pd.DataFrame
    notes: pd.DataFrame


def tidy(values: pd.DataFrame, *, dates: str | None = None, rows: int = 0) -> Tidied:
    """Turn raw values into results.

    Parameters
    ----------
    values : DataFrame
        One row a value cell, with the columns of `raw` (docs/architecture.md); only `value` and its address must exist.
    dates : {"mdy", "dmy", "ymd"}, optional
        The order of dates that are text, where a person has decided it.
    rows : int
        How many rows there are in all, where these are a piece of them.

    Returns
    -------
    Tidied

    Raises
    ------
    UsageError
        Where `dates` is none of the three, or `values` lacks `value`.

    Examples
    --------
    >>> raw = pd.DataFrame({"parameter": "Cu", "value": ["<5", "PLUGGED"], "unit": "ug/L", "start": "2026-10-05",
    ...                     "source_file": "a.csv", "source_sheet": "", "source_cell": ["C2", "C3"]})
    >>> tidied = tidy(raw)
    >>> tidied.results[["parameter", "qualifier", "value", "unit"]].to_numpy().tolist()
    [['Copper', '<', 0.005, 'mg/L']]
    >>> tidied.set_aside[["source_cell", "text", "reason"]].to_numpy().tolist()
    [['C3', 'PLUGGED', 'status']]
    """
    if dates not in (None, "mdy", "dmy", "ymd"):
        raise UsageError(f"a date order is mdy, dmy or ymd, not {dates!r}.", where="--dates")
    if "value" not in values:
        raise UsageError("the frame has no column 'value'.", todo="Name the column that holds the results.")
    values = widened(values.reset_index(drop=True))
    aside = Aside(len(values))
    controls.quality_control(values, aside)
    cells = cells_of(values, aside)
    kinds = kinds_of(values, cells, aside)
    what = found(values, cells, kinds, aside)
    times = moments.together(values, dates)
    start = times["start"]
    _dates(start, len(values), aside)
    ends, backwards = _ends(values, times, aside)
    _matrices(values, kinds, aside)
    asked = rejected.rejected(values, cells, aside)
    asked += [] if start is None else controls.by_company(values, aside, start.seconds)
    texts = cells.column is not None or max(rows, len(values)) <= LONGEST_WITH_TEXT
    results = _results(values, kinds, what, times, ends, texts=texts)
    keep = aside.code == 0
    return Tidied(
        duplicates.parents(duplicates.by_name(results if keep.all() else results[keep].reset_index(drop=True))),
        aside.frame(values),
        start.orders if start is not None else moments.NO_ORDERS,
        notes.table(
            [
                *notes.assumed(values, cells, kinds, keep),
                *notes.dates_lost(values, {name: one.unread for name, one in times.items() if one is not None}),
                *notes.limits_lost(values, what.unread, keep),
                *date_doubts.doubts(values, times),
                *backwards,
                *asked,
            ]
        ),
    )


def from_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn a plain frame into results.

    Parameters
    ----------
    frame : DataFrame
        Must hold `facility`, `parameter`, `value`, `unit`, `start`; may hold the other columns of results and of raw
        values. A value may be a number or text such as `<0.5`.

    Returns
    -------
    DataFrame
        As `columns.TABLES["results"]`; what cannot be used is left out, and `tidy_frame` says why.

    Raises
    ------
    UsageError
        Where a column is missing that must be there, or two have one name.

    Examples
    --------
    >>> frame = pd.DataFrame({"facility": ["Acme Plating"], "parameter": ["Zn"], "value": ["<50"], "unit": ["ug/L"],
    ...                       "start": ["2026-10-05"]})
    >>> from_frame(frame)[["parameter", "qualifier", "value", "unit", "source_cell"]].to_numpy().tolist()
    [['Zinc', '<', 0.05, 'mg/L', 1]]
    """
    return tidy_frame(frame).results


def tidy_frame(frame: pd.DataFrame, *, dates: str | None = None) -> Tidied:
    """Turn a plain frame into results and what was set aside, as `from_frame` does; rows are addressed from 1.

    Examples
    --------
    >>> frame = pd.DataFrame({"facility": ["Acme"], "parameter": ["Zn"], "value": ["lost"], "unit": ["mg/L"],
    ...                       "start": ["2026-10-05"]})
    >>> tidy_frame(frame).set_aside[["source_cell", "reason"]].to_numpy().tolist()
    [[1, 'status']]
    """
    if not frame.columns.is_unique:
        raise UsageError(
            f"two columns are named {frame.columns[frame.columns.duplicated()][0]!r}.",
            where="check(DataFrame)",
            todo="Give one of them another name.",
        )
    missing = [name for name in ("facility", "parameter", "value", "unit", "start") if name not in frame]
    if missing:
        raise UsageError(
            f"the frame lacks {', '.join(missing)}.",
            where="check(DataFrame)",
            todo="It must hold facility, parameter, value, unit and start.",
        )
    given = frame.reset_index(drop=True)
    if "source_cell" not in given:
        given = given.assign(source_cell=np.arange(1, len(given) + 1))
    return tidy(given, dates=dates)


def _dates(start: moments.Moments | None, count: int, aside: Aside) -> None:
    """Set aside what has no date that can be read."""
    if start is None:
        aside.add(np.ones(count, dtype=bool), "no date", "nothing says when the sample was taken; add a date column")
        return
    if start.unread.any():
        aside.add(start.unread == 2, "ambiguous date", "this column has dates of two orders; say which with --dates")
        aside.add(start.unread == 1, "unreadable date", "the date of this row cannot be read; write it as 2026-10-05")
    aside.add(start.seconds == UNKNOWN, "no date", "nothing says when the sample was taken")


def _matrices(values: pd.DataFrame, kinds: amounts.Amounts, aside: Aside) -> None:
    """Set aside what was no wastewater; amounts in dry solids are series of their own, and LEL is measured in air."""
    if "matrix" not in values:
        return
    codes, names = coded(values, "matrix")
    matrices = [quality.matrix(name) for name in names]
    if not any(matrices):
        return
    own_series = kinds.of("unit")[kinds.code] == "mg/kg"
    in_air = own_series | (kinds.of("parameter")[kinds.code] == "LEL")
    for at, matrix in enumerate(matrices):
        if matrix:
            message = (
                f"the matrix {names[at]!r} is no wastewater, which limits on a discharge are for; correct the column "
                "`Matrix` if it is"
            )
            aside.add((codes == at) & ~(in_air if matrix == "air" else own_series), "other matrix", message)


def _ends(
    values: pd.DataFrame, times: dict[str, moments.Moments | None], aside: Aside
) -> tuple[moments.Int | None, list[notes.Note]]:
    """Return the end of each sample; one that lies before its start is no end.

    On another day it leaves open on which day the sample was taken, so that no day can be judged by it. On the same day
    the day is known, and only the hours are not.
    """
    start = times["start"]
    if start is None:
        return None, []
    end = moments.end_of(start, times["end"], values)
    early = (end != UNKNOWN) & (start.seconds != UNKNOWN) & (end < start.seconds)
    if not early.any():
        return end, []
    same_day = end // DAY == start.seconds // DAY
    message = "the sample ends on a day before it starts: on which day it was taken cannot be told; correct the dates"
    aside.add(early & ~same_day, "end before start", message)
    rows = np.flatnonzero(early & same_day & (aside.code == 0))
    count = "1 result is of a sample" if len(rows) == 1 else f"{len(rows):,} results are of samples"
    said = f"{count} whose end lies before its start on the same day, or has no hour: the day is used, the end is not"
    cells = notes.cells_at(values, rows)
    return np.where(early, UNKNOWN, end), [notes.Note("end before start", said, cells)] if len(rows) else []


def _results(
    values: pd.DataFrame,
    kinds: amounts.Amounts,
    what: Found,
    times: dict[str, moments.Moments | None],
    ends: moments.Int | None,
    *,
    texts: bool,
) -> pd.DataFrame:
    """Put the columns of results together, for all rows."""
    out: dict[str, Any] = {name: text(values, name) for name in _CARRIED if name in values}
    out |= {"parameter": kinds.category("parameter"), "fraction": kinds.category("fraction")}
    out |= {"qualifier": what.qualifier, "value": what.value, "unit": kinds.category("unit")}
    meanings = (
        ("statistic", quality.statistic),
        ("sample_type", quality.sample_type),
        ("collected_by", quality.collected_by),
    )
    out |= {name: text(values, name, meaning) for name, meaning in meanings if name in values}
    if what.flags is not None:
        out["flags"] = what.flags
    limits = (("detection_limit", what.detection_limit), ("reporting_limit", what.reporting_limit))
    out |= {name: limit for name, limit in limits if limit is not None}
    if "receipt_temperature" in values:
        out["receipt_temperature"] = numbers.column(values["receipt_temperature"].astype(object).to_numpy()).value
    for name in (name for name in ("qc", "sample_type") if name in values):
        if (marked := _duplicates(values, name, out.get("duplicate_of"))) is not None:
            out["duplicate_of"] = marked
    out |= _times(values, times, ends) | _as_printed(values, texts=texts)
    return pd.DataFrame(out, index=values.index, copy=False)


def _times(values: pd.DataFrame, times: dict[str, moments.Moments | None], end: moments.Int | None) -> dict[str, Any]:
    """Return the columns of time that there are."""
    out: dict[str, Any] = {}
    for name in ("analyzed", "received"):
        read = times[name]
        if read is not None:
            out[name] = moments.stamps(read.seconds)
    start = times["start"]
    if start is None or end is None:
        return out
    out |= {"start": moments.stamps(start.seconds), "timed": values.get("timed", start.timed)}
    if (end != UNKNOWN).any():
        out["end"] = moments.stamps(end)
    if (start.offset != UNKNOWN).any():
        out["utc_offset"] = np.where(start.offset == UNKNOWN, np.nan, start.offset)
    elif "utc_offset" in values:
        out["utc_offset"] = values["utc_offset"]
    return out


def _as_printed(values: pd.DataFrame, *, texts: bool) -> dict[str, Any]:
    """Return value and unit as printed (results that are given again bring theirs), and where they stood."""
    out: dict[str, Any] = {name: text(values, name) for name in ("value_text", "unit_text") if name in values}
    if "value_text" not in out and texts:
        out["value_text"] = printed(values["value"])
    if "unit_text" not in out and "unit" in values:
        out["unit_text"] = text(values, "unit")
    out |= {name: text(values, name) for name in ("source_file", "source_sheet") if name in values}
    if "source_cell" in values:
        out["source_cell"] = values["source_cell"]
    return out


def _duplicates(values: pd.DataFrame, column: str, given: pd.Categorical | None) -> pd.Categorical | None:
    """Mark field duplicates: with the sample that they name, else as a duplicate of a sample that is not named."""
    codes, names = coded(values, column)
    which = [quality.kind(name) == "field duplicate" for name in names]
    if not any(which):
        return given
    marks = np.array([*which, False])[codes]
    if given is None:
        return categorical(marks.view(np.int8), ["", duplicates.UNNAMED])
    parents = np.asarray(given, dtype=object)
    codes, distinct = pd.factorize(np.where(marks & (parents == ""), duplicates.UNNAMED, parents))
    return categorical(codes, list(distinct))
