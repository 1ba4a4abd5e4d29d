"""Limits that EPA's discharge monitoring reports print beside their values (ECHO effluent chart downloads).

Each row of such a download carries the limit that its value is held against: number, unit, statistical base, relation,
and the days from which to which it holds. EPA writes the relation that complies (`<=`); what violates is its opposite.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final

import pandas as pd

from pretreat import parameters, units
from pretreat.limits import facts as fa
from pretreat.limits.provisions import Bound, Limit, Pack
from pretreat.packs.written import Faults, digest
from pretreat.tidy import quality

_COLUMNS: Final = (
    *("npdes_id", "perm_feature_nmbr", "parameter_code", "parameter_desc", "limit_id", "limit_value_id"),
    *("limit_value_nmbr", "limit_unit_desc", "limit_value_qualifier_code", "statistical_base_short_desc"),
    *("limit_begin_date", "limit_end_date", "limit_value_type_desc", "dmr_unit_desc", "monitoring_period_end_date"),
)
_VIOLATED_BY: Final = {"<=": ("upper", ">"), "<": ("upper", ">="), ">=": ("lower", "<"), ">": ("lower", "<=")}


def is_dmr(path: Path) -> bool:
    """Whether a CSV is such a download, by its column names."""
    if path.suffix.lower() != ".csv":
        return False
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        head = next(csv.reader(stream), [])
    return {"npdes_id", "limit_value_nmbr", "statistical_base_short_desc"} <= set(head)


def read_dmr(path: Path, name: str, file: str) -> tuple[Pack, Faults]:
    """Return the limits of a download as a pack; each binds its own permit and outfall for its own days.

    Limits without a number or a known unit (`pass=0;fail=1`) are named in the faults, as warnings.
    """
    faults = Faults(file)
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    frame = frame.reindex(columns=list(_COLUMNS), fill_value="")
    frame["line"] = range(2, len(frame) + 2)
    named = frame[frame["limit_value_nmbr"].str.strip() != ""]
    rows = []
    for _, alike in named.groupby(list(_COLUMNS[:-2]), sort=False):
        limit = _limit({str(key): str(value).strip() for key, value in alike.iloc[0].items()}, name, faults)
        if limit is not None:
            rows += _as_reported(_until_reported(limit, alike), alike)
    if not rows:
        faults.add("", "limit_value_nmbr", "no-limit", "no row of this download carries a limit")
    permits = "; ".join(sorted(set(frame["npdes_id"])))
    return Pack(
        name=name,
        file=file,
        sha256=digest(path),
        document={
            "title": f"Limits of NPDES permit {permits}, as EPA prints them beside the reports",
            "source": "ECHO effluent chart download",
            "text_state": "numbers only: what EPA's database holds, not the permit's words",
        },
        settings={},
        facts={},
        rows=tuple(rows),
    ), faults


def _until_reported(limit: Limit, rows: pd.DataFrame) -> Limit:
    """Let a limit hold as long as EPA holds reports against it: a permit goes on until it is renewed."""
    last = max((day for text in rows["monitoring_period_end_date"] if (day := _day(text))), default=None)
    if limit.until is None or last is None or last < limit.until:
        return limit
    return replace(limit, until=last + timedelta(days=1))


def _as_reported(limit: Limit, rows: pd.DataFrame) -> list[Limit]:
    """Repeat a limit in each unit that EPA compares one to one with its own: MPN/100 mL against CFU/100 mL."""
    reported = {unit for text in rows["dmr_unit_desc"].unique() if (unit := units.lookup(text))}
    others = sorted((reported & units.comparable(limit.unit)) - {limit.unit})
    return [limit, *(replace(limit, id=f"{limit.id} {u}", key=f"{limit.key} {u}", unit=u) for u in others)]


def _limit(row: dict[str, str], pack: str, faults: Faults) -> Limit | None:
    where = f"row {row['line']} ({row['parameter_desc']})"
    try:
        number = Decimal(row["limit_value_nmbr"])
    except InvalidOperation:
        message = f"{row['limit_value_nmbr']!r} is no number"
        faults.add(where, "limit_value_nmbr", "not-a-number", message, warning=True)
        return None
    relation = _VIOLATED_BY.get(row["limit_value_qualifier_code"])
    if relation is None:
        message = f"{row['limit_value_qualifier_code']!r} is no relation"
        faults.add(where, "limit_value_qualifier_code", "bad-value", message, warning=True)
        return None
    found = parameters.identify(row["parameter_desc"], speciation=units.split(row["limit_unit_desc"])[1])
    unit = units.lookup(row["limit_unit_desc"])
    kept = parameters.accepts(found.parameter, unit) if unit and found.parameter else ""
    if found.ask or not unit or not kept:
        why = found.ask or (units.why_not(row["limit_unit_desc"]) if not unit else f"{found.parameter} in {unit}")
        faults.add(where, "limit_unit_desc", "unknown-unit", f"this limit is left out: {why}", warning=True)
        return None
    side, operator = relation
    value = float(parameters.convert(found.parameter, float(number), unit, kept))
    exponent = number.as_tuple().exponent
    bound = Bound(
        side=side,
        operator=operator,
        number=number,
        decimals=max(0, -exponent) if isinstance(exponent, int) else 0,
        low=value,
        high=value,
    )
    base = row["statistical_base_short_desc"]
    end = _day(row["limit_end_date"])
    words = "above" if side == "upper" else "below"
    return Limit(
        pack=pack,
        id=f"{row['parameter_code']} {row['perm_feature_nmbr']} {base} {row['limit_value_type_desc']}".strip(),
        key=f"{row['limit_value_id']}|{row['line']}",
        cite=f"NPDES permit {row['npdes_id']}, outfall {row['perm_feature_nmbr']}, limit {row['limit_id']}",
        parameter=found.parameter,
        fraction=found.fraction,
        name_printed=row["parameter_desc"],
        statistic=quality.statistic(base) or "instantaneous",
        statistic_printed=base,
        unit=kept,
        unit_printed=unit,
        value_printed=f"{words} {number} {unit}",
        bounds=(bound,),
        when={
            "facility": fa.Condition(row["npdes_id"], frozenset({row["npdes_id"].casefold()})),
            "outfall": fa.Condition(row["perm_feature_nmbr"], frozenset({row["perm_feature_nmbr"].casefold()})),
        },
        start=_day(row["limit_begin_date"]),
        until=end + timedelta(days=1) if end else None,
        accepts={"overlap": "EPA's database holds both"},
        source=where,
    )


def _day(text: str) -> date | None:
    """Return a day that EPA writes month first; its limits hold to the end of their last day."""
    try:
        return datetime.strptime(text, "%m/%d/%Y").date()
    except ValueError:
        return None
