"""Which limits bind a user, at a place and over a span of time, and which of several is the most stringent.

Facts that nobody has answered are tried with each answer that could make a difference. What the worlds so made agree on
is the limit; where they differ it is an interval, and where it may not apply at all its far end is missing (NaN).
Everything is worked out once for each distinct profile (users of whom the packs ask and get the same), then spread.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat.errors import UsageError
from pretreat.limits import facts as fa
from pretreat.limits.profiles import Profile, profiles
from pretreat.limits.provisions import NOT_COMPARED, Bound, Group, Limit, Limits, Pack
from pretreat.limits.resolve import Found, place_of, resolve
from pretreat.limits.screen import Screen, components
from pretreat.settings import AVERAGING, SETTINGS, default, validate

__all__ = ["Bound", "Group", "Limit", "Limits", "Pack", "binding", "in_force"]

_TEXT: Final = (
    *(
        "pack",
        "limit_id",
        "cite",
        "parameter",
        "fraction",
        "statistic",
        "statistic_printed",
        "bound",
        "operator",
        "level",
    ),
    *("unit", "kind", "point", "sample_type", "reason", "status", "printed", "assumed", "by_result"),
)

COLUMNS: Final = (
    *("limit", "pack", "limit_id", "cite", "facility", "outfall", "parameter", "fraction", "statistic"),
    *("statistic_printed", "bound", "operator", "level", "limit_low", "limit_high", "unit", "kind", "point"),
    *("sample_type", "from", "until", "reason", "status", "printed", "assumed", "by_result"),
)
"""The columns of `in_force`, before one for each of `settings.AVERAGING`."""

When = str | date | pd.Timestamp | np.datetime64


def in_force(
    limits: Limits,
    users: pd.DataFrame,
    start: When,
    end: When,
    *,
    settings: Mapping[str, str] | None = None,
    only: Collection[int] | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the limits in force for each user's place, and those that are in force for nobody.

    Parameters
    ----------
    limits : Limits
        The packs.
    users : DataFrame
        One row a facility, outfall and span: `facility`, and where known `outfall`, `point`, `packs`, `class`,
        `category`, `flow_gpd`, `plant`, `from`, `until` and any fact.
    start, end : date-like
        The half-open span of time that matters; seasons are spread over it.
    settings : mapping of str to str, optional
        Settings and facts that override the packs' (`--set`); a fact of the user's own row is nearer than one here.
    only : collection of int, optional
        Positions in `limits.rows`; the others are left out.

    Returns
    -------
    in_force : DataFrame
        One row a user's place, limit, bound and span, with the columns of `COLUMNS` and of `settings.AVERAGING`.
        `limit` is the position in `limits.rows`. `from` and `until` are half open, NaT where open. `status` is `""`
        where it can be judged; else `point unknown`, `text not supplied`, `fact missing`, `no definition` or
        `no number`. `assumed` names facts that were assumed, `by_result` those that only a result decides.
    not_in_force : DataFrame
        `pack`, `limit_id`, `cite`, `facility`, `outfall` (both `""`), `parameter`, `statistic`, `reason` of each limit
        that binds none of these users: `no such place`, `not in force then`, `condition not met`, `replaced`.

    Raises
    ------
    UsageError
        For a name in `settings` that is neither a setting nor a fact of these packs, or an answer that a fact lacks.

    Examples
    --------
    >>> in_force(Limits(()), pd.DataFrame({"facility": ["Acme"]}), "2026-01-01", "2026-02-01")[0].empty
    True
    """
    chosen, given = _split(limits, settings or {})
    people, of_user = profiles(limits, users, given)
    screen = Screen(limits, components(limits), only)
    first, last = pd.Timestamp(start), pd.Timestamp(end)
    span = (first.to_pydatetime().date(), last.to_pydatetime().date())
    found = [
        [row for part, rows in screen.rows(who) for row in resolve(limits, part, rows, who, span)] for who in people
    ]
    template = _template(limits, found, chosen)
    spread = _spread(template, [len(rows) for rows in found], users, of_user)
    overlap = ~((spread["from"] >= last).to_numpy() | (spread["until"] <= first).to_numpy())
    return spread[overlap].reset_index(drop=True), _nowhere(limits, found, people, span)


def _split(limits: Limits, settings: Mapping[str, str]) -> tuple[dict[str, str], dict[str, fa.Answer]]:
    """Tell settings from facts, and check both."""
    chosen, given = {}, {}
    for name, text in settings.items():
        fact = limits.facts.get(name)
        if fact is None and name not in fa.KNOWN:
            if name not in SETTINGS and limits.facts:
                raise UsageError(
                    f"{name!r} is neither a setting nor a fact of these packs.",
                    where=f"--set {name}={text}",
                    todo=f"Settings: {', '.join(SETTINGS)}. Facts: {', '.join(sorted(limits.facts))}.",
                )
            chosen[name] = text
            continue
        reply = fa.answer(name, text)
        if fact is not None and reply is not None:
            try:
                reply = fa.checked(fact, reply)
            except ValueError as error:
                raise UsageError(f"{error}.", where=f"--set {name}={text}") from error
        if reply is not None:
            given[name] = reply
    return validate(chosen), given


def _template(limits: Limits, found: list[list[Found]], chosen: Mapping[str, str]) -> pd.DataFrame:
    """Return the rows of all profiles, one after the other, without the users."""
    flat = [row for rows in found for row in rows]
    numbers = np.array([row.limit for row in flat], dtype=np.int32)
    data: dict[str, Any] = {"limit": numbers}
    texts: dict[str, list[str]] = {name: [] for name in _TEXT}
    for row in flat:
        limit = limits.rows[row.limit]
        for name, text in _words(limit, row).items():
            texts[name].append(text)
    data |= {name: pd.Categorical(values) for name, values in texts.items()}
    data["limit_low"] = np.array([row.low for row in flat], dtype=np.float64)
    data["limit_high"] = np.array([row.high for row in flat], dtype=np.float64)
    data["from"] = _days([row.start for row in flat])
    data["until"] = _days([row.until for row in flat])
    decided = limits.settings
    for name in AVERAGING:
        own = [
            chosen.get(name) or limit.settings.get(name) or decided[limit.pack].get(name) or default(name)
            for limit in limits.rows
        ]
        codes, values = pd.factorize(pd.Series(own, dtype=object))
        data[name] = pd.Categorical.from_codes(codes[numbers], pd.Index(values))
    return pd.DataFrame(data)


def _words(limit: Limit, row: Found) -> dict[str, str]:
    counted = "readings" if limit.readings else "min" if limit.duration else "slugs" if limit.slug else limit.unit
    return {
        "pack": limit.pack,
        "limit_id": limit.id,
        "cite": limit.cite,
        "parameter": limit.parameter,
        "fraction": limit.fraction,
        "statistic": limit.statistic,
        "statistic_printed": limit.statistic_printed,
        "bound": row.bound,
        "operator": row.operator,
        "level": limit.level,
        "unit": counted,
        "kind": limit.kind,
        "point": row.point,
        "sample_type": limit.sample_type if row.sample_type is None else row.sample_type,
        "reason": row.reason,
        "status": row.status,
        "printed": limit.printed or limit.value_printed,
        "assumed": row.assumed,
        "by_result": row.by_result,
    }


def _days(days: Sequence[date | None]) -> npt.NDArray[np.datetime64]:
    return np.array(
        [np.datetime64("NaT", "s") if day is None else np.datetime64(day) for day in days], dtype="datetime64[s]"
    )


def _spread(
    template: pd.DataFrame, lengths: Sequence[int], users: pd.DataFrame, of_user: npt.NDArray[np.int64]
) -> pd.DataFrame:
    """Give each user the rows of the profile, cut to the user's own span."""
    length = np.asarray(lengths, dtype=np.int64)
    begin = np.concatenate([[0], np.cumsum(length)])[:-1] if len(length) else np.zeros(0, dtype=np.int64)
    each = length[of_user] if len(of_user) else np.zeros(0, dtype=np.int64)
    owner = np.repeat(np.arange(len(of_user)), each)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(each) - each, each)
    frame = template.take(begin[of_user[owner]] + within).reset_index(drop=True)
    for name in ("facility", "outfall"):
        codes, names = pd.factorize(_text(users, name))
        frame[name] = pd.Categorical.from_codes(codes[owner], pd.Index(names))
    for name, later in (("from", True), ("until", False)):
        if name in users:
            own = pd.to_datetime(users[name].replace("", None)).to_numpy().astype("datetime64[s]")[owner]
            now = frame[name].to_numpy()
            both = np.fmax(now, own) if later else np.fmin(now, own)
            frame[name] = both
    frame = frame[[*COLUMNS, *AVERAGING]]
    return frame[~(frame["from"] >= frame["until"])]


def _text(users: pd.DataFrame, name: str) -> npt.NDArray[np.object_]:
    if name not in users:
        return np.full(len(users), "", dtype=object)
    return users[name].astype(object).where(users[name].notna(), "").to_numpy(dtype=object)


def _nowhere(
    limits: Limits, found: list[list[Found]], people: Sequence[Profile], span: tuple[date, date]
) -> pd.DataFrame:
    """Return the limits that bind nobody, each with the reason."""
    seen = {row.limit for rows in found for row in rows}
    of_pack = {pack.name: [who for who in people if pack.name in who.packs] for pack in limits.packs}
    rows = []
    for number, limit in enumerate(limits.rows):
        if number in seen or limit.kind in NOT_COMPARED or not of_pack[limit.pack] or limit.variant_of:
            continue
        reason = _why(limit, of_pack[limit.pack], span)
        rows.append((limit.pack, limit.id, limit.cite, "", "", limit.parameter, limit.statistic, reason))
    names = ["pack", "limit_id", "cite", "facility", "outfall", "parameter", "statistic", "reason"]
    return pd.DataFrame(rows, columns=names)


def _why(limit: Limit, people: Sequence[Profile], span: tuple[date, date]) -> str:
    """Say why a limit binds none of those whose pack it is in."""
    there = [who for who in people if place_of(limit, who) is not None]
    if not there:
        return "no such place"
    if (limit.until and limit.until <= span[0]) or (limit.start and limit.start >= span[1]):
        return "not in force then"
    for who in there:
        known = [(asked, who.answers[name]) for name, asked in limit.when.items() if name in who.answers]
        if all(asked.holds(answer) for asked, answer in known):
            return "replaced"
    return "condition not met"


_SAME: Final = ("facility", "outfall", "parameter", "fraction", "statistic", "bound", "kind", "unit", "level")


def binding(frame: pd.DataFrame, packs: Sequence[str], *, period: Iterable[str] = ()) -> npt.NDArray[np.str_]:
    """Return for each row whether it is the most stringent of those for the same thing: `yes`, `no`, `unknown`.

    Parameters
    ----------
    frame : DataFrame
        Comparisons, or limits in force: `facility`, `outfall`, `parameter`, `fraction`, `statistic`, `bound`, `kind`,
        `unit`, `level`, `pack`, `limit_low`, `limit_high`.
    packs : sequence of str
        The packs in the order given: of a tie, the first binds.
    period : iterable of str
        The columns that make rows of one period (`period_start`, `period_end`).

    Notes
    -----
    `unknown` where limits that nobody can rank (facts are missing) overlap: neither is surely the more stringent.

    Examples
    --------
    >>> frame = pd.DataFrame({"pack": ["a", "b"], "limit_low": [2.0, 1.0], "limit_high": [2.0, 1.0], "bound": "upper"})
    >>> binding(frame, ["a", "b"]).tolist()
    ['no', 'yes']
    """
    keys = [name for name in (*_SAME, *period) if name in frame]
    group = frame.groupby(keys, sort=False, observed=True, dropna=False).ngroup().to_numpy()
    upper = (frame["bound"] != "lower").to_numpy()
    low, high = frame["limit_low"].to_numpy(dtype=np.float64), frame["limit_high"].to_numpy(dtype=np.float64)
    # As stringency: the smaller the number, the stricter; an end that may not apply at all is infinitely lenient.
    strict = np.where(upper, low, -high)
    lenient = np.where(upper, high, -low)
    strict, lenient = np.where(np.isnan(strict), np.inf, strict), np.where(np.isnan(lenient), np.inf, lenient)
    rank = pd.Series(frame["pack"]).map({name: n for n, name in enumerate(packs)}).to_numpy(dtype=np.float64)
    order = np.lexsort((rank, strict, lenient, group))
    first = np.concatenate([[True], group[order][1:] != group[order][:-1]]) if len(order) else np.zeros(0, dtype=bool)
    best = np.zeros(int(group.max()) + 1 if len(group) else 0, dtype=np.int64)
    best[group[order][first]] = order[first]
    answer = np.full(len(frame), "no", dtype="<U7")
    top = best[group] if len(group) else np.zeros(0, dtype=np.int64)
    is_top = top == np.arange(len(frame))
    rival = ~is_top & (strict < lenient[top] * (1 - np.sign(lenient[top]) * 1e-9))
    contested = np.zeros(len(best), dtype=bool)
    np.logical_or.at(contested, group, rival)
    answer[is_top] = "yes"
    answer[(is_top | rival) & contested[group]] = "unknown"
    return answer


@dataclass(frozen=True, slots=True)
class Assumption:
    """A fact that nobody has answered and a pack assumes."""

    fact: str
    ask: str
    answer: str


def assumptions(limits: Limits, frame: pd.DataFrame) -> tuple[Assumption, ...]:
    """Return what was assumed in making `in_force`, so that the report can repeat it.

    Examples
    --------
    >>> assumptions(Limits(()), pd.DataFrame({"assumed": []}))
    ()
    """
    names = sorted({name for text in frame["assumed"].unique() for name in str(text).split("; ") if name})
    found = [limits.facts[name.partition(" = ")[0]] for name in names]
    return tuple(Assumption(fact.name, fact.ask, fact.assume) for fact in found)
