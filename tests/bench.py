"""A bench for the engine: a few limits and samples by hand, and everything that comes of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from pretreat import columns, engine, limits, parameters, periods
from pretreat.limits.provisions import Bound, Group, Limit, Limits, Pack, Readings

COPPER = {
    "pack": "permit", "cite": "§ 1", "facility": "Acme Plating", "outfall": "001", "parameter": "Copper", "fraction": "total",
    "statistic": "daily maximum", "bound": "upper", "operator": ">", "limit_low": 1.2, "limit_high": 1.2, "unit": "mg/L",
    "kind": "violation",
}  # fmt: skip
"""A limit in force, as a row of `in_force`."""
SIDES = {">": "upper", ">=": "upper", "<": "lower", "<=": "lower"}
ALL = frozenset(columns.TABLES)


def limit(parameter: str, operator: str, number: float | str, statistic: str = "instantaneous", **more: Any) -> Limit:
    """A limit that is violated by what stands in this relation to the number."""
    printed = Decimal(str(number))
    high = more.pop("high", float(printed))
    decimals = max(-int(printed.as_tuple().exponent), 0)
    bound = Bound(
        side=SIDES[operator], operator=operator, number=printed, decimals=decimals, low=float(printed), high=float(high)
    )
    known = parameters.get(parameter)
    name = more.pop("id", f"{parameter} {statistic} {operator} {number}")
    return Limit(
        pack=more.pop("pack", "permit"),
        id=name,
        key=more.pop("key", name),
        cite=more.pop("cite", "1"),
        parameter=parameter,
        fraction=more.pop("fraction", parameters.default_fraction(parameter)),
        statistic=statistic,
        unit=more.pop("unit", known.unit or "mg/L"),
        bounds=(bound,),
        **more,
    )


def known(*rows: Limit, settings: Mapping[str, str] | None = None) -> Limits:
    """The limits as packs, in the order in which they name them."""
    names = list(dict.fromkeys(row.pack for row in rows))
    return Limits(
        tuple(
            Pack(
                name=name,
                file="",
                sha256="",
                document={},
                settings=settings or {},
                facts={},
                rows=tuple(row for row in rows if row.pack == name),
            )
            for name in names
        )
    )


def samples(values: Iterable[tuple[str, Any]], parameter: str = "Copper", **more: Any) -> pd.DataFrame:
    """Results of one user: (when, "<0.5") pairs; a date alone is a sample without a time."""
    when, text = zip(*values, strict=True)
    found = [re.fullmatch(r"([<>]?)\s*([\d.eE+-]*)\s*(J?)", str(value)) for value in text]
    start = pd.to_datetime(pd.Series([moment.replace("24:00", "23:59") for moment in when]), format="mixed")
    frame = {
        "facility": "Acme Plating",
        "outfall": "001",
        "parameter": parameter,
        "fraction": parameters.default_fraction(parameter),
        "unit": parameters.get(parameter).unit or "mg/L",
        "start": start.astype("datetime64[s]"),
        "timed": [len(moment) > 10 for moment in when],
        "qualifier": [match[1] for match in found],
        "value": [float(match[2]) if match[2] else float("nan") for match in found],
        "flags": [match[3] for match in found],
        "source_file": "lab.xlsx",
        "source_sheet": "Results",
        "source_cell": [f"C{row}" for row in range(2, len(found) + 2)],
    }
    frame |= more
    for name in ("end",):
        if name in frame:
            frame[name] = pd.to_datetime(pd.Series(frame[name]), format="mixed").astype("datetime64[s]")
    return pd.DataFrame(frame)


def both(*frames: pd.DataFrame) -> pd.DataFrame:
    """Several results together, as one sheet would hold them."""
    together = pd.concat(frames, ignore_index=True)
    for name in ("sample_type", "sample_id", "collected_by", "duplicate_of", "statistic"):
        if name in together:
            together[name] = together[name].fillna("")
    return together.assign(source_cell=[f"C{row}" for row in range(2, len(together) + 2)])


def work(results: pd.DataFrame, *rows: Limit, period: str | None = None, **settings: str) -> engine.Work:
    """Hold results against limits."""
    packs = known(*rows)
    users = results[["facility", "outfall"]].drop_duplicates().assign(point="end of pipe")
    start = results["start"].min().normalize()
    end = results["start"].max().normalize() + pd.Timedelta(days=400)
    in_force, _ = limits.in_force(packs, users, start, end, settings=settings)
    asked = None if period is None else periods.parse(period)
    return engine.work_out(results, in_force, packs, users=users, settings=settings, period=asked)


_STANDING: dict[object, tuple[Limits, pd.DataFrame]] = {}


def _standing(
    rows: tuple[Limit, ...], users: tuple[str, ...], settings: Mapping[str, str]
) -> tuple[Limits, pd.DataFrame]:
    key = tuple((row.key, row.bounds) for row in rows), users, tuple(settings.items())
    if key not in _STANDING:
        packs = known(*rows)
        people = pd.DataFrame({"facility": users, "outfall": "001", "point": "end of pipe"})
        _STANDING[key] = packs, limits.in_force(packs, people, "2026-01-01", "2028-01-01", settings=settings)[0]
    return _STANDING[key]


Judged = tuple[str, str, int, float, float, str]


def judged(results: pd.DataFrame, *rows: Limit, **settings: str) -> list[Judged]:
    """Return user, statistic, start, low, high and verdict of each comparison: the engine without its tables."""
    packs, in_force = _standing(rows, tuple(sorted(set(results["facility"]))), settings)
    done = engine.work_out(results, in_force, packs, settings=settings)
    names = done.measured.series["facility"].astype(str).to_numpy()
    found = []
    for layer in done.layers:
        block = done.blocks[layer.block]
        at, _ = layer.rows(block, np.arange(len(layer.verdict)))
        value = block.value.take(at)
        who, start = names[block.series[at]].tolist(), block.span(at)[0].tolist()
        words = [columns.VERDICTS[code] for code in layer.verdict]
        statistics = [block.statistic] * len(at)
        found += zip(who, statistics, start, value.low.tolist(), value.high.tolist(), words, strict=True)
    return sorted(found)


def check(results: pd.DataFrame, *rows: Limit, period: str | None = None, **settings: str) -> dict[str, pd.DataFrame]:
    """Return the tables of a check by hand."""
    order = list(dict.fromkeys(row.pack for row in rows))
    done = work(results, *rows, period=period, **settings)
    return done.tables(ALL, columns.empty("not_evaluated"), order, all_rows=True)


def comparisons(results: pd.DataFrame, *rows: Limit, period: str | None = None, **settings: str) -> pd.DataFrame:
    """Return the comparisons of a check by hand."""
    order = list(dict.fromkeys(row.pack for row in rows))
    done = work(results, *rows, period=period, **settings)
    return done.tables(frozenset({"comparisons"}), columns.empty("not_evaluated"), order, all_rows=True)["comparisons"]


def verdicts(results: pd.DataFrame, *rows: Limit, **settings: str) -> list[str]:
    """Return the verdicts of a check by hand, in order of the table."""
    return comparisons(results, *rows, **settings)["verdict"].astype(str).tolist()


__all__ = [
    "Group",
    "Judged",
    "Readings",
    "both",
    "check",
    "comparisons",
    "judged",
    "known",
    "limit",
    "samples",
    "verdicts",
    "work",
]
