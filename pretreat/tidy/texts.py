"""Cells as text and as categories: what a person saw, and columns of few distinct texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns, stretches


def shown(cell: object) -> str:
    """Return a cell as the text that a person saw; a whole number without its point, nothing for what is missing.

    Examples
    --------
    >>> shown(7.0), shown(0.35), shown("219E01"), shown(None), shown(True)
    ('7', '0.35', '219E01', '', 'yes')
    """
    if cell is None or cell != cell or cell is pd.NaT:  # noqa: PLR0124  (NaN and NaT are not equal to themselves)
        return ""
    if isinstance(cell, bool | np.bool_):
        return "yes" if cell else "no"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell)


def categorical(codes: npt.NDArray[np.integer], names: Sequence[object]) -> pd.Categorical:
    """Return codes and their names as a categorical; names that are alike become one, and -1 becomes `""`.

    Examples
    --------
    >>> categorical(np.array([0, 1, 2, -1]), ["a", "b", "a"]).tolist()
    ['a', 'b', 'a', '']
    """
    missing = len(codes) > 0 and codes.min() < 0
    given = np.array([*(str(name) for name in names), *([""] if missing else [])], dtype=object)
    again, distinct = pd.factorize(given)
    small = stretches.smallest(len(distinct))
    if len(distinct) < len(given) or missing:
        codes = again.astype(small)[codes]
    dtype: pd.CategoricalDtype = pd.CategoricalDtype(pd.Index(distinct, dtype=object), ordered=False)
    made: pd.Categorical = pd.Categorical.from_codes(codes.astype(small, copy=False), dtype=dtype, validate=False)
    return made


def coded(frame: pd.DataFrame, name: str) -> tuple[npt.NDArray[np.integer], list[str]]:
    """Return a text column as codes, -1 where missing, and its distinct texts; a categorical's codes are not copied.

    Examples
    --------
    >>> coded(pd.DataFrame({"unit": ["mg/L", "ug/L", "mg/L"]}), "unit")
    (array([0, 1, 0]), ['mg/L', 'ug/L'])
    """
    column = frame[name]
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.array.codes, [shown(cell) for cell in column.cat.categories]
    codes, distinct = columns.codes(frame, name)
    return codes, [shown(cell) for cell in distinct]


def distinct(cells: pd.Series) -> tuple[npt.NDArray[np.integer], npt.NDArray[Any]]:
    """Return cells as codes and the distinct ones, of whatever type; a categorical's codes are not copied.

    Examples
    --------
    >>> codes, cells = distinct(pd.Series(["a", 2, "a"], dtype=object))
    >>> codes.tolist(), cells.tolist()
    ([0, 1, 0], ['a', 2])
    """
    column = cells.array
    if not isinstance(column, pd.Categorical):
        codes, found = pd.factorize(np.asarray(cells.astype(object), dtype=object), use_na_sentinel=False)
        return codes, np.asarray(found, dtype=object)
    found = np.empty(len(column.categories) + 1, dtype=object)  # the last for -1, what is missing
    found[:-1] = column.categories
    return column.codes, found


def text(frame: pd.DataFrame, name: str, meaning: Callable[[str], str] | None = None) -> pd.Categorical:
    """Return a text column as a categorical without spaces at the ends, or as what each distinct text means.

    Examples
    --------
    >>> text(pd.DataFrame({"sample_id": ["219E01", "00457 ", 457.0]}), "sample_id").tolist()
    ['219E01', '00457', '457']
    """
    codes, distinct = coded(frame, name)
    names = [" ".join(one.split()) for one in distinct]
    column = frame[name].array
    if meaning is not None:
        names = [meaning(one) for one in names]
    elif isinstance(column, pd.Categorical) and names == list(column.categories) and not (codes < 0).any():
        return column
    return categorical(codes, names)


def printed(cells: pd.Series) -> pd.Series:
    """Return cells as the text that a person saw.

    Examples
    --------
    >>> printed(pd.Series([7.0, 0.35, "<5", None], dtype=object)).tolist()
    ['7', '0.35', '<5', '']
    """
    array = cells.astype(object).to_numpy()
    if pd.api.types.infer_dtype(array, skipna=False) != "string":
        codes, distinct = pd.factorize(array, use_na_sentinel=False)
        array = np.array([shown(cell) for cell in distinct], dtype=object)[codes]
    return pd.Series(array, index=cells.index, dtype="str")
