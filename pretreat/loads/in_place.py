"""Rows of the limits in force with computed limits in their place: collected one by one, made as one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat.loads.stream_table import Span

_NUMBERS: Final = ("limit", "limit_low", "limit_high")
_DAYS: Final = ("from", "until")


class InPlace:
    """What comes in place of rows of `frame`, each with the columns that differ.

    Parameters
    ----------
    frame : DataFrame
        The limits in force.

    Examples
    --------
    >>> frame = pd.DataFrame({"limit": [4], "status": ["point unknown"], "limit_low": [1.0], "limit_high": [1.0],
    ...                       "from": pd.to_datetime([None]), "until": pd.to_datetime([None])})
    >>> made = InPlace(frame)
    >>> made.computed(0, limit=9, status="", limit_low=0.5, limit_high=0.5, span=("A", "1", None, None))
    >>> made.table()[["limit", "status", "limit_low"]].to_numpy().tolist()
    [[9, '', 0.5]]
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        self.days = {name: frame[name].to_numpy().astype("datetime64[s]") for name in _DAYS if name in frame}
        self.rows: list[int] = []
        self.said: dict[str, dict[int, object]] = {}

    def __len__(self) -> int:
        return len(self.rows)

    def computed(self, row: int, *, span: Span, **columns: object) -> None:
        """Put a computed limit in place of a row, for the span of its streams."""
        since, until = self.days["from"][row], self.days["until"][row]
        begins, ends = (np.datetime64("NaT", "s") if day is None else np.datetime64(day, "s") for day in span[2:4])
        self._add(row, **columns, **{"from": np.fmax(since, begins), "until": np.fmin(until, ends)})

    def rest(self, row: int, spans: Sequence[Span]) -> None:
        """Leave a row as it was, for the times that no account of streams covers."""
        since, until = self.days["from"][row], self.days["until"][row]
        covered = False
        for _, _, begins, ends in spans:
            if begins is not None and (np.isnat(since) or np.datetime64(begins, "s") > since):
                self._add(row, **{"from": since, "until": np.datetime64(begins, "s")})
            covered = ends is None
            since = np.datetime64("NaT", "s") if ends is None else np.datetime64(ends, "s")
        if not covered and (np.isnat(until) or since < until):
            self._add(row, **{"from": since})

    def _add(self, row: int, **columns: object) -> None:
        for name, value in columns.items():
            self.said.setdefault(name, {})[len(self.rows)] = value
        self.rows.append(row)

    def table(self) -> pd.DataFrame:
        """Return the rows."""
        made = self.frame.iloc[self.rows].reset_index(drop=True)
        for name, changes in self.said.items():
            kind: Any = "datetime64[s]" if name in _DAYS else object
            kind = self.frame[name].to_numpy().dtype if name in _NUMBERS else kind
            column: npt.NDArray[Any] = np.array(made[name].to_numpy(), dtype=kind)
            column[list(changes)] = np.array(list(changes.values()), dtype=kind)
            made[name] = column
        return made
