"""The names of tables and columns, in order, with their types and the columns that sort them.

A frame in the middle of the flow may lack any column that its source did not give; `complete` adds what is missing
(`""`, NaN or NaT) where a table leaves the program. Text may be categorical or plain: `codes` reads either.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

TABLES: Final[dict[str, tuple[str, ...]]] = {
    name: tuple(columns.split())
    for name, columns in {
        "results": "facility outfall sample_id lab_sample_id parameter fraction statistic sample_type start end "
        "utc_offset qualifier value unit flags detection_limit reporting_limit method lab lab_certification analyzed "
        "received receipt_temperature preservation collected_by duplicate_of value_text unit_text source_file "
        "source_sheet source_cell",
        "set_aside": "source_file source_sheet source_cell text reason message",
        "sheets": "source_file source_sheet layout header_row date_order values_seen values_used values_set_aside",
        "averages": "facility outfall parameter fraction statistic period_start period_end n n_nondetect low high unit",
        "comparisons": "comparison_id pack limit_id cite facility outfall parameter fraction statistic period_start "
        "period_end n n_nondetect low high bound operator level limit_low limit_high unit verdict reason ratio "
        "percent_over binding kind sources",
        "not_evaluated": "pack limit_id cite facility outfall parameter statistic reason",
        "slugs": "slug_id pack cite facility outfall parameter start end minutes_low minutes_high peak baseline "
        "multiple unit verdict reason",
        "snc": "snc_id limit_pack limit_cite rule_cite facility outfall parameter limit_id statistic window_start "
        "window_end n n_over_low n_over_high chronic trc_factor n_trc_low n_trc_high trc snc significant_user",
        "schedule": "facility pack cite subject due_from due done verdict reason",
        "findings": "code facility outfall parameter message sources",
        "counts": "facility outfall parameter pack limit_id statistic verdict n",
        "limits": "pack limit_id cite facility outfall parameter fraction statistic statistic_printed bound operator "
        "level limit_low limit_high unit kind point sample_type from until reason printed",
    }.items()
}
TABLES["exceedances"] = TABLES["undetermined"] = TABLES["comparisons"]

NUMBERS: Final = frozenset(
    "utc_offset value detection_limit reporting_limit receipt_temperature low high limit_low limit_high ratio "
    "percent_over minutes_low minutes_high peak baseline multiple trc_factor".split()
)
COUNTS: Final = frozenset(
    "n n_nondetect n_over_low n_over_high n_trc_low n_trc_high values_seen values_used values_set_aside".split()
)
TIMES: Final = frozenset(
    "start end analyzed received period_start period_end window_start window_end due_from due done from until".split()
)

SORTED_BY: Final[dict[str, tuple[str, ...]]] = {
    name: tuple(columns.split())
    for name, columns in {
        "results": "facility outfall parameter fraction start source_file source_sheet source_cell",
        "set_aside": "source_file source_sheet source_cell reason",
        "sheets": "source_file source_sheet",
        "averages": "facility outfall parameter fraction statistic period_start period_end",
        "comparisons": "facility outfall parameter fraction statistic period_start pack limit_id bound comparison_id",
        "not_evaluated": "facility outfall parameter pack limit_id statistic reason",
        "slugs": "facility outfall parameter pack start slug_id",
        "snc": "facility outfall parameter limit_pack limit_id statistic window_start snc_id",
        "schedule": "facility pack cite subject due due_from",
        "findings": "code facility outfall parameter message sources",
        "counts": "facility outfall parameter pack limit_id statistic verdict",
        "limits": "facility outfall parameter fraction pack limit_id statistic bound from",
    }.items()
}
SORTED_BY["exceedances"] = SORTED_BY["undetermined"] = SORTED_BY["comparisons"]

VERDICTS: Final = ("exceeds", "undetermined", "not evaluated", "complies")
"""The four verdicts; a roll-up takes the first that occurs."""


def missing(column: str, length: int) -> pd.Series:
    """Return an empty column of the type that `column` has: `""`, NaN, 0 or NaT.

    Examples
    --------
    >>> missing("unit", 1).tolist(), missing("value", 1).tolist()
    ([''], [nan])
    """
    if column in TIMES:
        return pd.Series(np.full(length, np.datetime64("NaT", "s"), dtype="datetime64[s]"))
    if column in NUMBERS:
        return pd.Series(np.full(length, np.nan))
    if column in COUNTS:
        return pd.Series(np.zeros(length, dtype=np.int64))
    return pd.Series(pd.Categorical.from_codes(np.zeros(length, dtype=np.int8), pd.Index([""])))


def complete(frame: pd.DataFrame, table: str) -> pd.DataFrame:
    """Return `frame` with exactly the columns of `table`, in order; columns that it lacks are empty.

    Parameters
    ----------
    frame : DataFrame
        Any subset of the table's columns; other columns are left out.
    table : str
        A name in `TABLES`.

    Examples
    --------
    >>> complete(pd.DataFrame({"code": ["x"]}), "findings").columns.tolist()
    ['code', 'facility', 'outfall', 'parameter', 'message', 'sources']
    """
    absent: dict[str, pd.Series] = {}
    data: dict[str, pd.Series] = {}
    for name in TABLES[table]:
        if name in frame:
            data[name] = frame[name]
            continue
        kind = "start" if name in TIMES else "value" if name in NUMBERS else "n" if name in COUNTS else "unit"
        if kind not in absent:  # one column of each kind, for all that are absent
            absent[kind] = missing(kind, len(frame)).set_axis(frame.index)
        data[name] = absent[kind]
    return pd.DataFrame(data, index=frame.index)


def empty(table: str) -> pd.DataFrame:
    """Return the table without rows.

    Examples
    --------
    >>> len(empty("slugs")), "peak" in empty("slugs")
    (0, True)
    """
    return _without_rows(table).copy()


@functools.cache
def _without_rows(table: str) -> pd.DataFrame:
    return complete(pd.DataFrame(index=pd.RangeIndex(0)), table)


def codes(frame: pd.DataFrame, name: str) -> tuple[npt.NDArray[np.int64], pd.Index]:
    """Return a text column as codes and its distinct values; a column that is missing is all `""`.

    Examples
    --------
    >>> numbers, names = codes(pd.DataFrame({"parameter": ["Zinc", "Lead", "Zinc"]}), "parameter")
    >>> names[numbers].tolist()
    ['Zinc', 'Lead', 'Zinc']
    """
    return _coded(frame[name]) if name in frame else (np.zeros(len(frame), dtype=np.int64), pd.Index([""]))


def levels(frame: pd.DataFrame, name: str) -> list[str]:
    """Return the texts that a text column may hold, without a look at each row where it is a categorical one.

    Examples
    --------
    >>> levels(pd.DataFrame({"parameter": ["Zinc", "Lead", "Zinc"]}), "parameter")
    ['Zinc', 'Lead']
    """
    if name not in frame:
        return [""]
    column = frame[name]
    texts = column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else column.dropna().unique()
    return [str(text) for text in texts]


def _coded(column: pd.Series) -> tuple[npt.NDArray[np.int64], pd.Index]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.array.codes.astype(np.int64), column.cat.categories
    numbers, names = pd.factorize(column)
    return numbers.astype(np.int64), pd.Index(names)


def distinct(column: pd.Series) -> tuple[npt.NDArray[np.int64], pd.Index]:
    """Return a text column as codes and texts; what is missing is `""`.

    Examples
    --------
    >>> numbers, texts = distinct(pd.Series(["Zinc", None], dtype=object))
    >>> numbers.tolist(), texts.tolist()
    ([0, 1], ['Zinc', ''])
    """
    numbers, texts = _coded(column)
    texts = pd.Index(texts.astype(str).astype(object))
    if (numbers < 0).any():
        numbers = np.where(numbers < 0, len(texts), numbers)
        texts = texts.append(pd.Index([""], dtype=object))
    return numbers, texts


def order(keys: Sequence[pd.Series]) -> npt.NDArray[np.intp] | None:
    """Return the stable order of rows by some columns, or None where they are in order already.

    Parameters
    ----------
    keys : sequence of Series
        Texts, times or integers; what is missing is last.

    Examples
    --------
    >>> order([pd.Series(["b", "a"])]).tolist(), order([pd.Series(["a", "b"])])
    ([1, 0], None)
    """
    if len(keys[0]) < 2:
        return None
    undecided = np.ones(len(keys[0]) - 1, dtype=bool)
    ranks: list[npt.NDArray[np.int64]] = []
    for key in keys:
        ranks.append(_rank(key))
        step = np.sign(np.diff(ranks[-1]))
        if (step[undecided] < 0).any():
            return _sorted(keys, ranks)
        undecided &= step == 0
        if not undecided.any():
            break
    return None


def _sorted(keys: Sequence[pd.Series], ranks: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.intp]:
    """Return the order by the keys, of which some are ranked; texts that may all differ only where those before tie."""
    for key in keys[len(ranks) :]:
        if not (isinstance(key.dtype, pd.CategoricalDtype) or key.dtype.kind in "Miu"):
            found = np.lexsort(ranks[::-1])
            same = np.logical_and.reduce([np.diff(rank[found]) == 0 for rank in ranks])
            if not same.any():
                return found
            tied = found[np.append(same, False) | np.append(False, same)]
            ranks.append(np.zeros(len(key), dtype=np.int64))
            ranks[-1][tied] = _rank(key.iloc[tied])
        else:
            ranks.append(_rank(key))
    return np.lexsort(ranks[::-1])


def _rank(key: pd.Series) -> npt.NDArray[np.int64]:
    """Return integers that sort as the column does."""
    if key.dtype.kind == "M":
        stamps = key.to_numpy().astype("datetime64[s]").astype(np.int64)
        return np.where(stamps == np.iinfo(np.int64).min, np.iinfo(np.int64).max // 2, stamps)
    if key.dtype.kind in "iu":
        return key.to_numpy().astype(np.int64)
    numbers, texts = distinct(key)
    _, places = np.unique(texts.to_numpy(dtype=object), return_inverse=True)
    return places.astype(np.int64)[numbers]
