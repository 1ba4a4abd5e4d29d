"""What the report says, drawn from the tables: who exceeded what, at a glance and in order. Nothing is judged here."""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from pretreat import columns
from pretreat.report import wording

Tables = Mapping[str, pd.DataFrame]

PLACE: Final = ["facility", "outfall", "parameter", "fraction"]
SERIES: Final = [*PLACE, "pack", "limit_id", "statistic", "bound"]
SAME: Final = [*PLACE, "statistic", "bound"]
"""What makes an exceedance of one period the same as one of the period before."""
RANK: Final = {verdict: place for place, verdict in enumerate((*columns.VERDICTS, "no results"))}


@dataclass(frozen=True, slots=True)
class Headline:
    """The numbers that a reader wants first."""

    users: int
    exceedances: int
    users_over: int
    undetermined: int
    not_judged: int
    without_results: int
    set_aside: int
    significant: int
    perhaps_significant: int
    late: int


class Plain(Mapping[str, pd.DataFrame]):
    """Tables whose text is made plain once, when a table is first asked for; `charts` keeps what is drawn of them."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._plain: dict[str, pd.DataFrame] = {}
        self.charts: dict[Any, list[Any]] = {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    @functools.cached_property
    def headline(self) -> Headline:
        """The numbers that stand first, counted once."""
        return _headline(self)

    def plain(self, name: str) -> pd.DataFrame:
        """Return one table as `table` does, the same frame each time."""
        if name not in self._plain:
            self._plain[name] = table(self._tables, name)
        return self._plain[name]


def plain(review: Any) -> Plain:
    """Return the tables of a review as `Plain`, the same ones each time where the review keeps them."""
    kept = getattr(review, "plain", None)
    return kept if isinstance(kept, Plain) else Plain(review.tables)


def table(tables: Tables, name: str) -> pd.DataFrame:
    """Return one table with all its columns, text as objects (many small reads); empty where it was not made."""
    if isinstance(tables, Plain):
        return tables.plain(name)
    filled = name in tables and len(tables[name]) > 0  # a table without rows may have no types either
    frame = columns.complete(tables[name], name) if filled else columns.empty(name)
    text = [column for column in frame if isinstance(frame[column].dtype, pd.CategoricalDtype | pd.StringDtype)]
    return frame.astype(dict.fromkeys(text, object)).reset_index(drop=True)


def rows(frame: pd.DataFrame) -> list[Any]:
    """Return the rows of a short frame, to be printed one by one; each has the columns as attributes.

    Examples
    --------
    >>> [row.code for row in rows(pd.DataFrame({"code": ["a", "b"]}))]
    ['a', 'b']
    """
    row = _row(tuple(map(str, frame.columns)))
    return [row(*cells) for cells in zip(*(frame[name].tolist() for name in frame), strict=True)]


@functools.cache
def _row(names: tuple[str, ...]) -> Any:
    return namedtuple("Row", names, rename=True)


def for_people(comparisons: pd.DataFrame, verdict: str) -> pd.DataFrame:
    """Return the violations of one verdict that count for people: the most stringent limit of each kind.

    Limits that are less stringent for the same user, place, parameter, statistic and period are named beside these
    (`also`), and surcharges and screening levels stand apart (interface, "Columns").
    """
    return violations(comparisons[(comparisons["verdict"] == verdict).to_numpy()])


def violations(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Return the comparisons with the most stringent limit of each kind, without surcharges and screening levels."""
    return comparisons[((comparisons["kind"] == "violation") & (comparisons["binding"] != "no")).to_numpy()]


def with_why(listed: pd.DataFrame) -> pd.DataFrame:
    """Return findings with a column `also` that says why, as people read it."""
    return listed.assign(also=[wording.why(reason) for reason in listed["reason"].tolist()])


def other_levels(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Return what is over a surcharge, screening or action level, which is no violation."""
    chosen = (comparisons["verdict"] == "exceeds") & (comparisons["kind"] != "violation")
    return comparisons[chosen.to_numpy()]


def with_also(listed: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """Return the comparisons listed with a column `also`: the other sections that the same finding exceeds.

    Examples
    --------
    >>> row = {"facility": "A", "parameter": "Zinc", "statistic": "monthly average", "verdict": "exceeds"}
    >>> rows = [row | {"binding": "yes"}, row | {"binding": "no", "cite": "§ 2"}]
    >>> both = columns.complete(pd.DataFrame(rows), "comparisons")
    >>> with_also(both.iloc[:1], both)["also"].tolist()
    ['§ 2']
    """
    key = [*PLACE, "statistic", "bound", "period_start", "period_end"]
    others = comparisons[((comparisons["binding"] == "no") & (comparisons["verdict"] == "exceeds")).to_numpy()]
    if others.empty or listed.empty:
        return listed.assign(also="")
    named = others.groupby(key, observed=True, sort=False, dropna=False)["cite"].agg(
        lambda cites: "; ".join(dict.fromkeys(cites.astype(str)))
    )
    found = listed[key].merge(named.rename("also").reset_index(), on=key, how="left")["also"]
    return listed.assign(also=found.fillna("").to_numpy())


def with_since(groups: pd.DataFrame, provenance: Mapping[str, Any]) -> pd.DataFrame:
    """Return groups of exceedances, `also` beginning with whether each is new since the period before.

    Parameters
    ----------
    groups : DataFrame
        As `grouped` returns them, with `also`.
    provenance : mapping
        `before`, as `compare.before.before` says it; without it nothing is said.

    Examples
    --------
    >>> group = dict.fromkeys(SAME, "") | {"facility": "Acme", "parameter": "Zinc"}
    >>> key = tuple(group.values())
    >>> other = ("Bolt", *key[1:])
    >>> for said in ({"exceeded": [key], "judged": [key]}, {"judged": [key]}, {"judged": [other]}, {}):
    ...     before = {"period": "2026-09", "exceeded": [], "judged": []} | said
    ...     print(with_since(pd.DataFrame([group | {"also": "§ 2"}]), {"before": before})["also"].item())
    again, as in 2026-09; § 2
    new since 2026-09; § 2
    nothing judged in 2026-09; § 2
    § 2
    """
    before = _before(provenance)
    if not before or groups.empty:
        return groups
    period = before["period"]
    judged, exceeded = ({tuple(key) for key in before[name]} for name in ("judged", "exceeded"))
    said = []
    for key in zip(*(groups[name].astype(str) for name in SAME), strict=True):
        known = f"new since {period}" if key in judged else f"nothing judged in {period}"
        said.append(f"again, as in {period}" if key in exceeded else known)
    also = ["; ".join(part for part in pair if part) for pair in zip(said, groups["also"].astype(str), strict=True)]
    return groups.assign(also=also)


def last_column(provenance: Mapping[str, Any]) -> str:
    """Return the heading of the column `also`.

    Examples
    --------
    >>> last_column({}), last_column({"before": {"period": "2026-09", "judged": [("Acme",)]}})
    ('Also exceeds', 'New or again; also exceeds')
    """
    return "New or again; also exceeds" if _before(provenance) else "Also exceeds"


def _before(provenance: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what is known of the period before; nothing where nothing of it was judged (`remarks` says so once)."""
    before: Mapping[str, Any] = provenance.get("before") or {}
    return before if before.get("judged") else {}


def grouped(listed: pd.DataFrame) -> pd.DataFrame:
    """Return one row a user, parameter and limit: how often, from when to when, and the worst comparison.

    Parameters
    ----------
    listed : DataFrame
        Comparisons of one verdict. The worst is the one with the highest ratio; without a ratio, the one farthest
        beyond its bound.

    Returns
    -------
    DataFrame
        The worst comparison of each, with `times`, `first` and `last`, in the order of the tables.
    """
    if listed.empty:
        return listed.assign(times=0, first=listed["period_start"], last=listed["period_start"])
    beyond = np.where(listed["bound"] == "lower", -listed["high"], listed["low"])
    ordered = listed.assign(_beyond=beyond).sort_values(
        ["ratio", "_beyond"], ascending=False, na_position="last", kind="stable"
    )
    by = ordered.groupby(SERIES, observed=True, sort=True, dropna=False)
    worst = by.head(1).set_index(SERIES)
    spans = by.agg(times=("verdict", "size"), first=("period_start", "min"), last=("period_start", "max"))
    return worst.join(spans).reset_index().drop(columns="_beyond").sort_values(SERIES, kind="stable", ignore_index=True)


def headline(tables: Tables) -> Headline:
    """Return the numbers that stand first.

    Examples
    --------
    >>> headline({}).exceedances
    0
    """
    return tables.headline if isinstance(tables, Plain) else _headline(tables)


def _headline(tables: Tables) -> Headline:
    comparisons = table(tables, "comparisons")
    over, doubtful = table(tables, "exceedances"), for_people(table(tables, "undetermined"), "undetermined")
    limits, snc = table(tables, "limits"), table(tables, "snc")
    users = {user for part in (limits, table(tables, "counts"), comparisons) for user in part["facility"].unique()}
    aside = table(tables, "sheets")["values_set_aside"]
    found = snc[snc["snc"] == "yes"]
    of_class = {
        answer: set(found.loc[found["significant_user"] == answer, "facility"]) for answer in ("yes", "unknown")
    }
    return Headline(
        users=len(users),
        exceedances=len(over),
        users_over=over["facility"].nunique(),
        undetermined=len(doubtful),
        not_judged=int(((comparisons["verdict"] == "not evaluated") & (comparisons["kind"] == "violation")).sum()),
        without_results=len(table(tables, "not_evaluated")),
        set_aside=int(aside.sum()) if len(aside) else len(table(tables, "set_aside")),
        significant=len(of_class["yes"]),
        perhaps_significant=len(of_class["unknown"] - of_class["yes"]),
        late=int((table(tables, "schedule")["verdict"] == "late").sum()),
    )


def matrix(tables: Tables) -> pd.DataFrame:
    """Return the verdict of each user and parameter over the period: users down, parameters across.

    Returns
    -------
    DataFrame
        One row a `facility`, `outfall`, `parameter` that a limit reaches: `verdict` (the first that occurs of exceeds,
        undetermined, not evaluated, complies; `no results` where only limits exist) and `n`, how many have it.
    """
    key = ["facility", "outfall", "parameter"]
    comparisons = columns.complete(tables.get("comparisons", columns.empty("comparisons")), "comparisons")
    found = violations(comparisons).groupby([*key, "verdict"], observed=True).size().rename("n").reset_index()
    found = found.astype(dict.fromkeys([*key, "verdict"], object))
    counts = table(tables, "counts")  # has what complies even where it is too long to list
    within = counts[(counts["verdict"] == "complies").to_numpy()]
    within = within.groupby([*key, "verdict"], observed=True)["n"].sum().reset_index()
    unanswered = table(tables, "not_evaluated")
    if "" not in set(comparisons["facility"]) | set(counts["facility"]):  # limits that bind nobody are no user's
        unanswered = unanswered[(unanswered["facility"] != "").to_numpy()]
    missing = unanswered.groupby(key, observed=True).size().rename("n").reset_index()
    parts = [found[found["verdict"] != "complies"], within if len(within) else found[found["verdict"] == "complies"]]
    whole = pd.concat([*parts, missing.assign(verdict="no results")], ignore_index=True)
    whole = whole[whole["parameter"] != ""]
    whole["rank"] = whole["verdict"].map(RANK)
    first = whole.sort_values([*key, "rank"], kind="stable").drop_duplicates(key)
    return first[[*key, "verdict", "n"]].reset_index(drop=True)


def months(comparisons: pd.DataFrame) -> pd.DataFrame:
    """Return each parameter's months at a glance.

    Parameters
    ----------
    comparisons : DataFrame
        Comparisons of one or more users.

    Returns
    -------
    DataFrame
        One row a series (`facility` ... `bound`) and `month` (its first day) in which the last instant of a period
        lies, in this order: the worst `verdict`, `n` comparisons, and the most extreme value, from `low` to `high`.
    """
    listed = violations(comparisons)
    last = listed["period_end"].where(
        listed["period_end"] <= listed["period_start"], listed["period_end"] - pd.Timedelta("1s")
    )
    month = last.to_numpy().astype("datetime64[M]").astype("datetime64[s]")
    listed = listed.assign(month=month)
    number = np.zeros(len(listed), dtype=np.int64)
    for name in (*SERIES, "month"):
        codes, distinct = pd.factorize(listed[name], sort=True)
        number = np.unique(number * len(distinct) + codes, return_inverse=True)[1]
    lower = (listed["bound"] == "lower").to_numpy()
    low, high = (listed[name].to_numpy(dtype=np.float64) for name in ("low", "high"))
    beyond, edge = np.where(lower, high, -low), np.where(lower, low, -high)
    rank = listed["verdict"].map(RANK).to_numpy(dtype=np.int64)
    order = np.lexsort((edge, beyond, rank, number))
    first = np.flatnonzero(np.diff(number[order], prepend=-1))
    worst = listed.iloc[order[first]].reset_index(drop=True)
    return worst.assign(n_comparisons=np.diff(first, append=len(order)))


def unanswered(not_evaluated: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return limits without a result: users against parameters, and the count of each reason.

    Returns
    -------
    cells, reasons : DataFrame
        `cells` has a row a `facility`, `outfall`, `parameter` with its `reasons` (a tuple) and `n` limits;
        `reasons` a row a `reason` with `n` limits and `users`.
    """
    key = ["facility", "outfall", "parameter"]
    cells = not_evaluated.groupby(key, observed=True, sort=True).size().rename("n").reset_index()
    each = not_evaluated[[*key, "reason"]].drop_duplicates().sort_values("reason", kind="stable")
    named: dict[tuple[str, ...], list[str]] = {}
    for *place, reason in zip(*(each[name].tolist() for name in (*key, "reason")), strict=True):
        named.setdefault(tuple(place), []).append(reason)
    cells["reasons"] = [tuple(named[place]) for place in zip(*(cells[name].tolist() for name in key), strict=True)]
    reasons = not_evaluated.groupby("reason", observed=True)["facility"].agg(n="size", users="nunique").reset_index()
    return cells, reasons.sort_values(["n", "reason"], ascending=[False, True], ignore_index=True)
