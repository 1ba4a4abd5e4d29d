"""Which users' results lie where: pieces of whole users, from Parquet by its column of users, or from memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pretreat import columns, row_groups, tidy
from pretreat import facilities as who
from pretreat.errors import FileError
from pretreat.facilities import directory
from pretreat.merged import stacked
from pretreat.reading import assemble, files, frames, parquet
from pretreat.reading.formats import recognise
from pretreat.reading.frame_marks import Marks, few, find
from pretreat.reading.marks import most
from pretreat.samples import Samples, digest


@dataclass(frozen=True)
class Piece:
    """Some users: their names as written, who they are, and the row groups of each file that hold their results.

    `rows` is how many results there are of all users. `marks` is what each whole file's columns without a known name
    say of detection, which no row group alone can tell.
    """

    names: frozenset[str]
    users: frozenset[str] = frozenset()
    groups: tuple[tuple[str, tuple[int, ...]], ...] = ()
    marks: Mapping[str, Marks] = field(default_factory=dict)
    rows: int = 0
    results: pd.DataFrame | None = field(default=None, repr=False)


def very_long(paths: Sequence[str]) -> bool:
    """Return whether the files are Parquet with more results than are checked at once.

    Examples
    --------
    >>> very_long(["samples"])
    False
    """
    found = files.find(paths)
    if any(path.suffix.lower() != ".parquet" for path in found):
        return False
    try:
        return bool(sum(pq.read_metadata(path).num_rows for path in found) > row_groups.MOST)
    except (pa.ArrowException, OSError, ValueError):
        return False  # damaged: reading says so


def planned(
    paths: list[Path], facilities: pd.DataFrame | None, facility: str, rows: int
) -> tuple[list[Piece], Samples]:
    """Return pieces of whole users, from the column of users alone, and the account of the files.

    Raises
    ------
    FileError
        Where dates are text.
    """
    where: dict[str, dict[str, set[int]]] = {}
    count: dict[str, int] = {}
    marks: dict[str, Marks] = {}
    seen, edges = [], []
    for path in paths:
        name = files.shown(path)
        try:
            file = pq.ParquetFile(path)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise FileError("the Parquet file is damaged.", where=name, todo="Write it again.") from error
        schema = file.schema_arrow
        _, roles, _ = frames.values(schema.empty_table().to_pandas(), name, facility)
        marks[name] = _marks(file, roles)
        heading = {role: text for text, role in roles.items()}
        if "start" in heading and not pa.types.is_temporal(schema.field(heading["start"]).type):
            raise FileError(
                "its dates are text, whose order is decided over the whole file.",
                where=name,
                todo="Write them as timestamps, or check the file in one piece.",
            )
        for group in range(file.num_row_groups):
            wanted = [heading[role] for role in ("facility", "start") if role in heading]
            part = file.read_row_group(group, columns=wanted)
            n = file.metadata.row_group(group).num_rows
            if "facility" in heading:
                tally = part[heading["facility"]].value_counts().to_pylist()
                found = {_shown(item["values"]): item["counts"] for item in tally}
            else:
                found = {frames.facility_of(name) or facility: n}
            if "start" in heading and n:
                edges += [m.as_py() for m in pc.min_max(part[heading["start"]]).values() if m.as_py()]
            for user, times in found.items():
                where.setdefault(user, {}).setdefault(name, set()).add(group)
                count[user] = count.get(user, 0) + times
        seen.append({"source_file": name, "source_sheet": "", "layout": "long", "values_seen": file.metadata.num_rows})
    pieces = []
    for names, users in bundles(count, facilities, rows):
        groups: dict[str, set[int]] = {files.shown(path): set() for path in paths}
        for user in names:
            for name, some in where[user].items():
                groups[name] |= some
        held = tuple((name, tuple(sorted(some))) for name, some in groups.items() if some)
        pieces.append(Piece(frozenset(names), frozenset(users), held, marks, sum(count.values())))
    orders = pd.DataFrame()
    if edges:
        plain = [pd.Timestamp(edge).tz_localize(None) for edge in edges]
        orders.attrs["span"] = (min(plain), max(plain))
    samples = Samples(
        slim=columns.empty("results"),
        set_aside=columns.empty("set_aside"),
        sheets=columns.complete(pd.DataFrame(seen), "sheets"),
        findings=columns.empty("findings"),
        understood=pd.DataFrame(),
        inputs=tuple((files.shown(path), digest(path)) for path in paths),
        parquet=True,
        date_orders=orders,
    )
    return pieces, samples


def _marks(file: pq.ParquetFile, roles: Mapping[str, str]) -> Marks:
    """Return what a file's columns without a known name say of detection, by the texts of all its row groups."""
    schema = file.schema_arrow
    if recognise(schema.names) is not None and "value" not in roles:
        return Marks()
    counts: dict[str, dict[str, int]] = {}
    for name in (one.name for one in schema if row_groups.is_text(one.type) and one.name not in roles):
        found: Counter[str] = Counter()
        for group in range(file.num_row_groups):
            tally = file.read_row_group(group, columns=[name])[name].value_counts().to_pylist()
            found.update(few((item["values"], item["counts"]) for item in tally if item["values"] is not None))
            if len(found) > most(name):
                break
        else:
            counts[name] = found
    return find(counts, schema.names, roles)


def _shown(name: object) -> str:
    return "" if name is None else str(name)


def bundles(count: Mapping[str, int], facilities: pd.DataFrame | None, rows: int) -> list[tuple[set[str], set[str]]]:
    """Return sets of names as written, of about so many results each, and the facilities file's users that they are.

    The names of one user are in one set. Names that the file does not know are in a last set, of no user. A user
    without results is in one of the sets too, since limits and duties bind it all the same.

    Examples
    --------
    >>> bundles({"Acme": 3, "Bolt": 2}, None, 3)
    [({'Acme'}, set()), ({'Bolt'}, set())]
    >>> bundles({"ACME": 3, "MH-3": 2, "who": 1}, pd.DataFrame({"facility": ["Acme"], "aliases": ["MH-3"]}), 3)[1]
    ({'who'}, set())
    """
    written: dict[str, set[str]] = {}
    users: dict[str, set[str]] = {}
    strangers: set[str] = set()
    if facilities is None:
        for name in count:
            written.setdefault(" ".join(name.split()), set()).add(name)
    else:
        file = directory.Directory(who.normalise(facilities))
        of = {directory.fold(name): directory.fold(name) for name in file.facility}
        for at in file.rows.values():  # one alias may stand for two users, each in its time
            same = {of[directory.fold(file.facility[row])] for row in at}
            of = {name: min(same) if group in same else group for name, group in of.items()}
        for name, group in of.items():
            users.setdefault(group, set()).add(name)
            written.setdefault(group, set())
        for name in count:
            known = file.rows.get(directory.fold(name))
            if known:
                written[of[directory.fold(file.facility[known[0]])]].add(name)
            else:
                strangers.add(name)
    made: list[tuple[set[str], set[str]]] = []
    held = 0
    for key in sorted(written):
        more = sum(count[name] for name in written[key])
        if not made or (held and held + more > rows):
            made.append((set(), set()))
            held = 0
        made[-1][0].update(written[key])
        made[-1][1].update(users.get(key, set()))
        held += more
    return [*made, *([(strangers, set())] if strangers else [])] or [(set(), set())]


def split(results: pd.DataFrame, facilities: pd.DataFrame | None, rows: int) -> list[Piece]:
    """Return pieces of results that are in memory."""
    codes, names = columns.codes(results, "facility")
    tally = np.bincount(codes, minlength=len(names))
    count = {str(name): int(n) for name, n in zip(names, tally, strict=True) if n}
    return [
        Piece(
            frozenset(few),
            frozenset(users),
            results=results[np.isin(codes, np.flatnonzero(names.isin(few)))].reset_index(drop=True),
        )
        for few, users in bundles(count, facilities, rows)
    ]


def read(piece: Piece, facility: str) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return a piece's results, what of it is set aside, and what there is to say, from its row groups alone."""
    parts = []
    for name, groups in piece.groups:
        file = pq.ParquetFile(name)
        first = np.concatenate(
            [[0], np.cumsum([file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)])]
        )
        for group in groups:
            part = parquet.read(Path(name), name, [group])
            frame, _, _ = frames.values(part, name, facility, piece.marks.get(name))
            frame["source_cell"] += int(first[group])
            if "facility" in frame:
                codes, names = columns.codes(frame, "facility")
                frame = frame[np.isin(codes, np.flatnonzero(names.astype(str).isin(piece.names)))]
            parts.append(frame.reset_index(drop=True))
    if not parts:
        return columns.empty("results"), columns.empty("set_aside"), columns.empty("findings")
    tidied = tidy.tidy(assemble.concatenate(parts), rows=piece.rows)
    results, repeated, findings = tidy.revisions(tidied.results)
    aside = stacked([columns.complete(part, "set_aside") for part in (tidied.set_aside, repeated)])
    return results, aside, columns.complete(stacked([tidied.notes, findings]), "findings")
