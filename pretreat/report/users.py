"""One user's part of a review, and the name of the folder that it goes into."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final

import pandas as pd

from pretreat import columns

if TYPE_CHECKING:
    from pretreat.report import Reviewed

_LONGEST: Final = 60
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def each(review: Reviewed) -> Iterator[tuple[str, Reviewed]]:
    """Give each user of the review with the name of its folder: only its rows are left of the tables.

    Parameters
    ----------
    review : Reviewed
        The tables, the provenance and the checklist. Of what names no user, only the user's own files are left.

    Yields
    ------
    tuple of str and Reviewed
        A folder's name, used once, that every system takes; and the user's part.
    """
    frames = [frame for name, frame in review.tables.items() if name in {"limits", "comparisons", "counts"}]
    names = sorted({str(user) for frame in frames for user in columns.codes(frame, "facility")[1]} - {""})
    taken: set[str] = set()
    for user in names:
        parts = {name: _of_user(frame, user) for name, frame in review.tables.items()}
        if any(len(parts[name]) for name in ("limits", "comparisons", "counts") if name in parts):
            name = folder_name(user, taken)
            taken.add(name.casefold())
            files = set(parts["results"]["source_file"].astype(str)) if "results" in parts else set()
            for table in {"sheets", "set_aside"} & set(parts):  # these name no user, and a file may be another's
                parts[table] = parts[table][parts[table]["source_file"].isin(files).to_numpy()]
            inputs = [pair for pair in review.provenance.get("inputs", ()) if pair[0] in files]
            provenance = {**review.provenance, "inputs": inputs, "outside_period": 0, "unlisted": 0}
            yield name, SimpleNamespace(tables=parts, provenance=provenance, checklist=review.checklist)


def folder_name(user: str, taken: Iterable[str] = ()) -> str:
    """Return a name for a user's folder: never a path, never a device, never one that is taken.

    Examples
    --------
    >>> folder_name("Elk Creek Plating"), folder_name("../../etc"), folder_name("A", ["a"])
    ('Elk Creek Plating', 'etc', 'A (2)')
    """
    plain = re.sub(r"[^\w .&()-]", "_", user)[:_LONGEST].strip("._ ") or "user"
    plain = f"_{plain}" if _DEVICES.fullmatch(plain) else plain
    used, name, count = set(taken), plain, 1
    while name.casefold() in used:
        count += 1
        name = f"{plain} ({count})"
    return name


def _of_user(frame: pd.DataFrame, user: str) -> pd.DataFrame:
    return frame[(frame["facility"] == user).to_numpy()] if "facility" in frame else frame
