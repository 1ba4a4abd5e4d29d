"""Known deliverables: each a small map of its columns' names to ours, in `pretreat/data/formats/*.toml`.

docs/lab-formats.md says how to add one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from pretreat.reading.headers import compact


@dataclass(frozen=True, slots=True)
class Format:
    """One deliverable.

    `kind` is `results` or `samples`, `recognised_by` are headings that it always has, `columns` gives for each of our
    columns their headings, best first, `says` what holds for every row, `words` what their words mean in ours, `join`
    columns of theirs that together are one of ours, and `heading`, of a wide one, how its headings are built.
    """

    name: str
    title: str
    source: str
    kind: str
    recognised_by: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    says: Mapping[str, str]
    words: Mapping[str, Mapping[str, str]]
    join: Mapping[str, tuple[str, ...]]
    heading: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Match:
    """A format found on a sheet: which of the sheet's own headings each of our columns is."""

    name: str
    title: str
    columns: Mapping[str, str]
    says: Mapping[str, str]
    words: Mapping[str, Mapping[str, str]]
    join: Mapping[str, tuple[str, ...]]


@cache
def every() -> tuple[Format, ...]:
    """Return all formats, those that ask for the most headings first.

    Examples
    --------
    >>> "wqx" in [f.name for f in every()]
    True
    """
    folder = resources.files("pretreat.data") / "formats"
    names = sorted(
        entry.name for entry in folder.iterdir() if entry.name.endswith(".toml") and entry.name != "generic.toml"
    )
    found = [_format(name.removesuffix(".toml"), tomllib.loads((folder / name).read_text("utf-8"))) for name in names]
    return tuple(sorted(found, key=lambda f: -len(f.recognised_by)))


def _format(name: str, data: dict[str, Any]) -> Format:
    columns = {role: (text,) if isinstance(text, str) else tuple(text) for role, text in data["columns"].items()}
    return Format(
        name,
        data["title"],
        data.get("source", ""),
        data.get("kind", "results"),
        tuple(data["recognised_by"]),
        columns,
        data.get("says", {}),
        data.get("words", {}),
        {role: tuple(texts) for role, texts in data.get("join", {}).items()},
        re.compile(data["heading"]) if "heading" in data else None,
    )


def recognise(headings: Sequence[str], kind: str = "results") -> Match | None:
    """Return the format, of results or of samples, whose own headings are all there, and the heading of each column.

    Examples
    --------
    >>> recognise(["CharacteristicName", "ResultMeasureValue", "ActivityStartTime.Time", "ActivityStartDate"]).name
    'wqx'
    >>> recognise(["Parameter", "Result", "Unit"]) is None
    True
    """
    there = {compact(text): text for text in reversed(headings) if text}
    for known in every():
        if known.kind == kind and known.recognised_by and all(compact(text) in there for text in known.recognised_by):
            columns = {}
            for role, texts in known.columns.items():
                heading = next((there[compact(text)] for text in texts if compact(text) in there), None)
                if heading is not None:
                    columns[role] = heading
            join = {
                role: tuple(there[compact(text)] for text in texts if compact(text) in there)
                for role, texts in known.join.items()
            }
            return Match(known.name, known.title, columns, known.says, known.words, join)
    return None


def heading(text: str) -> tuple[str, dict[str, str]] | None:
    r"""Return what a heading of a wide format says, with the format's title; None where it is built in no known way.

    Examples
    --------
    >>> heading(r"TOWN\TOWN-Effluent TOWN-Eff TKN (Certified)")[1]["parameter"]
    'TKN'
    >>> heading("Copper (mg/L)") is None
    True
    """
    for known in every():
        if known.heading is not None and (found := known.heading.fullmatch(text)):
            return known.title, {role: part for role, part in found.groupdict().items() if part}
    return None
