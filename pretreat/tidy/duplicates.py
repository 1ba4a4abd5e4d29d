"""Field duplicates: which sample each one doubles, where the sheet marks it without naming its parent."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pretreat.stretches import combined
from pretreat.tidy.texts import categorical, coded

UNNAMED: Final = "field duplicate"
"""What `duplicate_of` holds where the sheet marks a duplicate and nothing tells of which sample."""

_PLACE: Final = ("facility", "outfall", "point", "parameter", "fraction", "unit", "sample_type", "statistic")


_DOUBLE: Final = re.compile(
    r"(?P<parent>.*\w)[ _,-]*[(\[]?(field |blind )?(dup(licate)?|fd|split)[ _-]?\d?[)\]]?", re.IGNORECASE
)


def _any_double(names: pd.Index) -> bool:
    """Say at a glance whether any of many names can be a duplicate's."""
    try:
        texts = pa.array(names, pa.string())
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # numbers among them
        return True
    return bool(pc.any(pc.match_substring_regex(texts, "dup|fd|split", ignore_case=True)).as_py())


def by_name(results: pd.DataFrame) -> pd.DataFrame:
    """Mark samples whose names say that they double another one that is there: `AP-1 Dup` beside `AP-1`.

    Parameters
    ----------
    results : DataFrame
        Results; those without `sample_id` are returned as they are.

    Examples
    --------
    >>> by_name(pd.DataFrame({"sample_id": ["AP-1", "AP-1 Dup", "B-2 Dup"]}))["duplicate_of"].tolist()
    ['', 'AP-1', '']
    """
    if "sample_id" not in results:
        return results
    column = results["sample_id"].array
    if isinstance(column, pd.Categorical) and not _any_double(column.categories):
        return results
    codes, names = coded(results, "sample_id")
    there = set(names)
    found = [(match["parent"] if (match := _DOUBLE.fullmatch(name)) else "") for name in names]
    found = [parent if parent in there else "" for parent in found]
    if not any(found):
        return results
    named = np.array([*found, ""], dtype=object)[codes]
    if "duplicate_of" in results:
        given = np.asarray(results["duplicate_of"].astype(object))
        named = np.where((given == "") | (given == UNNAMED), np.where(named == "", given, named), given)
    numbers, distinct = pd.factorize(named)
    return results.assign(duplicate_of=categorical(numbers, list(distinct)))


def parents(results: pd.DataFrame) -> pd.DataFrame:
    """Name the parent of each field duplicate that has none: the only other sample of that place, parameter and day.

    Parameters
    ----------
    results : DataFrame
        Results with `sample_id`, `duplicate_of` and `start`; others are returned as they are.

    Returns
    -------
    DataFrame
        The same results; where a day has no other sample or several, `duplicate_of` stays `field duplicate`.

    Examples
    --------
    >>> frame = pd.DataFrame({"parameter": "Zinc", "sample_id": ["S-1", "S-9"], "duplicate_of": ["", "field duplicate"],
    ...                       "start": pd.Timestamp("2026-10-05")})
    >>> parents(frame)["duplicate_of"].tolist()
    ['', 'S-1']
    """
    if not {"sample_id", "duplicate_of", "start"} <= set(results.columns):
        return results
    codes, names = coded(results, "duplicate_of")
    orphan = np.array([*(name == UNNAMED for name in names), False])[codes]
    if not orphan.any():
        return results
    plain = np.array([*(name == "" for name in names), True])[codes]
    parts = [coded(results, name) for name in _PLACE if name in results]
    where, _ = combined([(numbers, len(distinct)) for numbers, distinct in parts])
    day = pd.factorize(results["start"].to_numpy().astype("datetime64[D]"), use_na_sentinel=False)[0]
    sample, samples = coded(results, "sample_id")
    named = plain & np.array([*(name != "" for name in samples), False])[sample]
    frame = pd.DataFrame(
        {"key": where.astype(np.int64) * (int(day.max()) + 1) + day, "sample": sample.astype(np.int64)}
    )
    group = frame[named].groupby("key")["sample"]
    least = group.min()
    only = least[least == group.max()]
    parent = only.reindex(frame["key"]).to_numpy()
    found = orphan & np.isfinite(parent)
    numbers = np.where(found, np.nan_to_num(parent).astype(np.int64) + len(names), codes)
    return results.assign(duplicate_of=categorical(numbers, [*names, *samples]))
