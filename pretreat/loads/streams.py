"""A user's streams: the limits where regulated wastewater has joined others, with the arithmetic kept.

A categorical standard binds before mixing. Where its stream is sampled after others have joined, 40 CFR 403.6(e) makes
an alternative limit of the streams' flows. docs/streams.md tells what the file of streams holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import listing
from pretreat.errors import UsageError
from pretreat.limits.provisions import Limit, Limits, Pack
from pretreat.loads import alternative_limits as formulas
from pretreat.loads.in_place import InPlace
from pretreat.loads.mass import POUNDS, load
from pretreat.loads.stream_table import FORMS, MIXED, Span, Standard, Stream, read
from pretreat.meters.timed import Floats, Ints

BELOW_DETECTION: Final = "alternative limit below the detection limit"
Standards = dict[str, dict[str, tuple[float, float]]]
"""The standards of a pollutant: by statistic, then by category, from the lower to the upper end [mg/L]."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A limit worked out of streams: from `low` to `high` [unit], how, and why it may not be used, if it may not."""

    low: float
    high: float
    unit: str
    arithmetic: str
    barred: str = ""


@dataclass(frozen=True, slots=True)
class Computed:
    """Limits in force with those that were computed in place, the packs that they now refer to, and findings."""

    in_force: pd.DataFrame
    limits: Limits
    findings: pd.DataFrame


def alternative(
    streams: Sequence[Stream], parameter: str, statistic: str, categorical: Standards
) -> Alternative | None:
    """Work out the limit where streams have joined, for one pollutant and statistic.

    Parameters
    ----------
    streams : sequence of Stream
        All streams at the place.
    parameter, statistic : str
        The pollutant, and the statistic of the standards.
    categorical : mapping
        The standards of the pollutant [mg/L], by statistic and then by category (in small letters), from the lower to
        the upper end; a stream's own numbers come before them.

    Returns
    -------
    Alternative or None
        None where no stream is regulated for the pollutant.

    Examples
    --------
    >>> zinc = lambda limit: {"Zinc": Standard({"daily maximum": (limit, "")})}
    >>> plant = [Stream("A", "regulated", 0.10, "", "before treatment", zinc(2.0)),
    ...          Stream("B", "regulated", 0.05, "", "before treatment", zinc(1.0)),
    ...          Stream("C", "unregulated", 0.05, "", "before treatment", {}),
    ...          Stream("D", "dilute", 0.30, "", "before treatment", {})]
    >>> alternative(plant, "Zinc", "daily maximum", {}).arithmetic.partition(", 40 CFR")[0]
    '(2 × 0.1 + 1 × 0.05) / 0.15 × (0.5 − 0.3) / 0.5 = 0.666667 mg/L'
    """
    missing = [
        s.name
        for s in streams
        if _regulated(s, parameter, categorical) and not _has(s, parameter, statistic, categorical)
    ]
    first = [stream for stream in streams if stream.mixed == MIXED[0]]
    later = [stream for stream in streams if stream.mixed == MIXED[1]]
    terms = {stream.name: _term(stream, parameter, statistic, categorical) for stream in streams}
    regulated = [stream for stream in streams if terms[stream.name] is not None]
    if not regulated:
        return None
    if missing:
        words = f"{missing[0]} is regulated for {parameter} and has no {statistic} to combine"
        return Alternative(np.nan, np.nan, "mg/L", "", barred=words)
    form = next((one.form for one in (_own(stream, parameter) for stream in regulated) if one.form == "mass"), FORMS[0])
    limit = _combined([s for s in first if terms[s.name]], first, terms, form)
    if later:
        limit = _weighted(limit, first, later, terms, parameter)
    found = [one for one in (_own(stream, parameter).detection_limit for stream in streams) if one is not None]
    if found and limit.unit == "mg/L" and limit.low < max(found) * (1 - 1e-9):
        limit = replace(
            limit,
            barred=f"{BELOW_DETECTION} of {max(found):g} mg/L: sample the stream before it mixes (403.6(e)(2), (4))",
        )
    return limit


@dataclass(frozen=True, slots=True)
class _Term:
    low: float
    high: float
    text: str


def _own(stream: Stream, parameter: str) -> Standard:
    return stream.standards.get(parameter) or stream.standards.get("") or Standard()


def _term(stream: Stream, parameter: str, statistic: str, categorical: Standards) -> _Term | None:
    """Return the standard of a stream that is regulated for the pollutant, with its credit for the intake."""
    if stream.kind != "regulated":
        return None
    own = _own(stream, parameter)
    mine = {_month(name): value for name, value in own.limits.items()}
    standing = categorical.get(_month(statistic), {})
    if _month(statistic) in mine:
        number, text = mine[_month(statistic)]
        term = _Term(number, number, text)
    elif stream.category.casefold() in standing:
        term = _Term(*standing[stream.category.casefold()], "")
    else:
        return None
    if own.intake and own.credit != "no":
        net = formulas.net_limit(term.high, own.intake)
        low = net if own.credit == "yes" else term.low
        granted = "granted" if own.credit == "yes" else "not known to be granted"
        words = f"intake of {own.intake:g} mg/L, credit {granted} (403.15)"
        term = _Term(low, net, f"{term.text}; {words}" if term.text else words)
    return term


def _regulated(stream: Stream, parameter: str, categorical: Standards) -> bool:
    """Say whether a stream has any standard for the pollutant."""
    listed = any(stream.category.casefold() in standing for standing in categorical.values())
    return stream.kind == "regulated" and (listed or bool(_own(stream, parameter).limits))


def _has(stream: Stream, parameter: str, statistic: str, categorical: Standards) -> bool:
    return _term(stream, parameter, statistic, categorical) is not None


def _combined(
    regulated: Sequence[Stream], streams: Sequence[Stream], terms: Mapping[str, _Term | None], form: str
) -> Alternative:
    """Apply the combined wastestream formula to the streams that mix before treatment."""
    if not regulated:
        return Alternative(0.0, 0.0, "mg/L", "")
    mine = [term for term in (terms[stream.name] for stream in regulated) if term is not None]
    flows = [stream.flow for stream in regulated]
    total = sum(stream.flow for stream in streams)
    dilute = sum(stream.flow for stream in streams if stream.kind == "dilute")
    ends = []
    for end in ("low", "high"):
        values = [float(getattr(term, end)) for term in mine]
        if form == "mass":
            masses = [float(load(value, flow)) for value, flow in zip(values, flows, strict=True)]
            ends.append(formulas.combined_mass(masses, flows, total, dilute))
        else:
            ends.append(formulas.combined_concentration(values, flows, total, dilute))
    unit = "lb/day" if form == "mass" else "mg/L"
    top = " + ".join(f"{term.high:.6g} × {flow:.6g}" for term, flow in zip(mine, flows, strict=True))
    others = "; ".join(f"{s.name} {'dilute' if s.kind == 'dilute' else 'not'}" for s in streams if s not in regulated)
    share = f"({total:.6g} − {dilute:.6g})"
    body = (
        f"({top}) × {POUNDS} × {share} / {sum(flows):.6g} = {ends[1]:.6g} {unit}, 40 CFR 403.6(e)(1)(ii)"
        if form == "mass"
        else f"({top}) / {sum(flows):.6g} × {share} / {total:.6g} = {ends[1]:.6g} {unit}, 40 CFR 403.6(e)(1)(i)"
    )
    named = ", ".join(stream.name for stream in regulated) + " regulated" + (f"; {others}" if others else "")
    notes = "".join(f"; {s.name}: {t.text}" for s, t in zip(regulated, mine, strict=True) if t.text)
    return Alternative(ends[0], ends[1], unit, f"{body}: {named}{notes}")


def _weighted(
    limit: Alternative,
    first: Sequence[Stream],
    later: Sequence[Stream],
    terms: Mapping[str, _Term | None],
    parameter: str,
) -> Alternative:
    """Weight by flow what mixes after treatment: standards, and measured concentrations of what has none."""
    if limit.unit != "mg/L":
        raise UsageError("a mass limit has no flow weighting.", where="streams", todo="Use the form concentration.")
    parts: list[tuple[float, float, float]] = []
    steps = [limit.arithmetic] if limit.arithmetic else []
    if first:
        together = sum(stream.flow for stream in first)
        if limit.arithmetic:
            parts.append((limit.low, limit.high, together))
        else:
            later = [*(replace(stream, mixed=MIXED[1]) for stream in first), *later]
    for stream in later:
        term, own = terms[stream.name], _own(stream, parameter)
        if term is not None:
            parts.append((term.low, term.high, stream.flow))
        elif own.concentration is not None:
            parts.append((own.concentration, own.concentration, stream.flow))
        else:
            words = f"the concentration of {parameter} in {stream.name!r}, which joins after treatment, is not given"
            return Alternative(np.nan, np.nan, "mg/L", "", barred=words)
    flows = [flow for _, _, flow in parts]
    low, high = (formulas.flow_weighted_concentration([part[end] for part in parts], flows) for end in (0, 1))
    top = " + ".join(f"{end:.6g} × {flow:.6g}" for _, end, flow in parts)
    steps.append(f"({top}) / {sum(flows):.6g} = {high:.6g} mg/L, weighted by flow after treatment")
    return Alternative(low, high, "mg/L", "; then ".join(steps))


def computed_limits(streams: pd.DataFrame, in_force: pd.DataFrame, limits: Limits) -> Computed:
    """Put alternative limits in place of categorical ones that stand at a point where streams have joined.

    Parameters
    ----------
    streams : DataFrame
        The file of streams (docs/streams.md).
    in_force : DataFrame
        The limits in force: categorical ones with the status `point unknown` are those whose stream may have joined
        others.
    limits : Limits
        The packs that `in_force` refers to.

    Returns
    -------
    Computed
        `in_force` with the rows replaced (their status cleared, `reason` holding the arithmetic; `limit` pointing to a
        limit of its own), the packs with those limits added at their end, and findings.

    Raises
    ------
    UsageError
        For a file that does not say what it must.

    Examples
    --------
    >>> nothing = pd.DataFrame(columns=["limit", "facility", "outfall", "status", "from", "until"])
    >>> computed_limits(pd.DataFrame({"facility": []}), nothing, Limits(())).in_force.empty
    True
    """
    places: dict[tuple[str, str], list[tuple[Span, tuple[Stream, ...]]]] = {}
    for key, mine in read(streams).items():
        places.setdefault(key[:2], []).append((key, mine))
    frame = in_force.reset_index(drop=True)
    facility, outfall = (frame[name].astype(str).to_numpy() for name in ("facility", "outfall"))
    numbers, status = frame["limit"].to_numpy(), frame["status"].astype(str).to_numpy()
    cites, reasons = (frame[name].astype(str).to_numpy() if name in frame else status for name in ("cite", "reason"))
    ends = frame.reindex(columns=["limit_low", "limit_high"]).to_numpy(dtype=np.float64)
    at: dict[tuple[str, str], list[int]] = {}
    for row, where in enumerate(zip(facility.tolist(), outfall.tolist(), strict=True)):
        at.setdefault(where, []).append(row)
    added: list[Limit] = []
    instead, dropped, idle = InPlace(frame), np.zeros(len(frame), dtype=bool), {}
    for place, spans in places.items():
        here = at.get(place, [])
        standing = _standing(numbers, ends, here, limits)
        before, asked = len(added), set()
        for row, categories in _waiting(numbers, status, here, limits):
            limit = limits.rows[int(numbers[row])]
            made = []
            if not any(s.category.casefold() in categories for _, mine in spans for s in mine):
                asked.add(limit.when["category"].text)
            for key, mine in _in_order(spans):
                if any(stream.category.casefold() in categories for stream in mine):
                    found = alternative(mine, limit.parameter, limit.statistic, standing[limit.parameter])
                    made += [(key, found)] if found is not None else []
            for key, found in made:
                usable = not found.barred
                instead.computed(
                    row,
                    span=key,
                    limit=len(limits.rows) + len(added),
                    status=found.barred,
                    point="end of pipe",
                    unit=found.unit,
                    limit_low=found.low if usable else np.nan,
                    limit_high=found.high if usable else np.nan,
                    cite=f"{cites[row]}; 40 CFR 403.6(e)",
                    reason="; ".join(text for text in (reasons[row], found.arithmetic) if text),
                )
                added.append(_as_limit(limit, found))
            if made:
                dropped[row] = True
                instead.rest(row, [key for key, _ in made])
        if why := _idle([stream for _, mine in spans for stream in mine], asked, some=len(added) > before):
            idle[place] = why
    said = listing.findings(
        "streams without a limit",
        list(idle.values()),
        facility=[facility for facility, _ in idle],
        outfall=[outfall for _, outfall in idle],
    )
    if not len(instead):
        return Computed(in_force, limits, said)
    whole = pd.concat([frame[~dropped], instead.table()], ignore_index=True)
    computed = Pack(
        name="computed",
        file="",
        sha256="",
        document={"title": "Computed limits"},
        settings={},
        facts={},
        rows=tuple(added),
    )
    return Computed(whole, replace(limits, packs=(*limits.packs, computed)), said)


def _idle(streams: Sequence[Stream], asked: set[str], *, some: bool) -> str:
    """Return why a place's streams make no limit, or not all that wait for the categories `asked`; `""` if they do."""
    wanted = " or ".join(sorted(asked))
    bare = sorted({stream.name for stream in streams if stream.kind == "regulated" and not stream.category})
    if asked and bare:
        names = ", ".join(map(repr, bare))
        return (
            f"Categorical limits wait here for the flows of the category {wanted}, and no stream has it: category is "
            f"empty at {names}. Write it in the file of streams, beside a limit of the stream's own too."
        )
    if some:
        return ""
    if asked:
        given = ", ".join(sorted({repr(stream.category) for stream in streams if stream.category})) or "none"
        return (
            f"Categorical limits wait here for the flows of the category {wanted}, and no stream has it. "
            f"Categories in the file of streams: {given}."
        )
    return "The file of streams names this place, but no categorical limit in force there waits for its flows."


def _in_order(spans: list[tuple[Span, tuple[Stream, ...]]]) -> list[tuple[Span, tuple[Stream, ...]]]:
    """Return the spans of a place in order of time; one that overlaps another is a fault."""
    ordered = sorted(spans, key=lambda one: one[0][2] or pd.Timestamp.min)
    for (one, _), (other, _) in pairwise(ordered):
        if one[3] is None or other[2] is None or other[2] < one[3]:
            raise UsageError(
                f"the streams of {one[0]} have two accounts of one time.",
                where="streams",
                todo="Give each account its from and until, so that one ends where the next begins.",
            )
    return ordered


def _waiting(
    numbers: Ints, status: npt.NDArray[np.object_], rows: Sequence[int], limits: Limits
) -> Iterator[tuple[int, frozenset[str]]]:
    """Yield the rows that hang on a category and wait for its streams, with the categories."""
    for row in rows:
        condition = limits.rows[int(numbers[row])].when.get("category")
        if condition is not None and not condition.negated and status[row] == "point unknown":
            yield row, condition.words


def _standing(numbers: Ints, ends: Floats, rows: Sequence[int], limits: Limits) -> dict[str, Standards]:
    """Return the standards of each category at a place: by parameter, then statistic, then category."""
    found: dict[str, Standards] = {}
    for row in rows:
        limit = limits.rows[int(numbers[row])]
        condition = limit.when.get("category")
        if condition is None or condition.negated:
            continue
        low, high = ends[row].tolist()
        for word in condition.words:
            found.setdefault(limit.parameter, {}).setdefault(_month(limit.statistic), {})[word] = (low, high)
    return found


def _month(statistic: str) -> str:
    """413.04's 30-day average stands beside other parts' monthly average, and both are of a calendar month."""
    return "monthly average" if statistic == "30-day average" else statistic


def _as_limit(limit: Limit, made: Alternative) -> Limit:
    """Return the limit with the computed number; nothing is printed of it, so that nothing rounds to it."""
    bound = replace(
        limit.bounds[0], number=Decimal(repr(made.high)), decimals=-1, low=made.low, high=made.high, also=""
    )
    return replace(
        limit,
        key=f"{limit.key}|{made.arithmetic}",
        cite=f"{limit.cite}; 40 CFR 403.6(e)",
        unit=made.unit,
        bounds=(bound,),
        points=("end of pipe",),
        note=made.arithmetic,
    )
