"""What is set aside: which rows, for which reason; nothing is ever just dropped."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns
from pretreat.tidy.texts import printed

Bool = npt.NDArray[np.bool_]


class Aside:
    """Who is set aside, for which reason; the first reason that is given stays."""

    def __init__(self, count: int) -> None:
        self.code = np.zeros(count, dtype=np.int16)
        self.reasons: list[tuple[str, str]] = [("", "")]

    def add(self, where: Bool, reason: str, message: str) -> None:
        """Set aside the rows of a mask that are not yet."""
        if not where.any():
            return
        new = where & (self.code == 0)
        if new.any():
            self.code[new] = len(self.reasons)
            self.reasons.append((reason, message))

    def each(self, codes: npt.NDArray[np.integer], reasons: Sequence[tuple[str, str]]) -> None:
        """Set aside by distinct reasons; `codes` leads from each row to one, whose reason may be `""`."""
        for at, (reason, message) in enumerate(reasons):
            if reason:
                self.add(codes == at, reason, message)

    def frame(self, values: pd.DataFrame) -> pd.DataFrame:
        """Return the rows that are set aside, as `columns.TABLES["set_aside"]`.

        Examples
        --------
        >>> aside = Aside(2)
        >>> aside.add(np.array([False, True]), "status", "no number")
        >>> aside.frame(pd.DataFrame({"value": [1.0, "nil"], "source_cell": ["A1", "A2"]}))["text"].tolist()
        ['nil']
        """
        rows = np.flatnonzero(self.code)
        if not len(rows):
            return columns.empty("set_aside")
        taken = values.iloc[rows]
        where = {
            name: taken[name].to_numpy() for name in ("source_file", "source_sheet", "source_cell") if name in taken
        }
        reasons, messages = (np.array([pair[at] for pair in self.reasons], dtype=object) for at in (0, 1))
        codes = self.code[rows]
        seen = printed(taken["value"]).to_numpy(dtype=object)
        frame = pd.DataFrame({**where, "text": seen, "reason": reasons[codes], "message": messages[codes]})
        return columns.complete(frame, "set_aside")
